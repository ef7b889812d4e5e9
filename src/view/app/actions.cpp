#include "view/app/actions.h"

#include <algorithm>
#include <glm/gtc/type_ptr.hpp>
#include <imgui.h>
#include <imgui_internal.h>
#include <tuple>

#include "bridge/scene_camera.h"
#include "view/overlay/readout_card.h"
#include "view/viewport/camera_control.h"

namespace coalesce {

namespace {

constexpr double kAskAgain = 3;  // [s] within which a second Esc leaves

void frameScene(const Viewport& picture, std::optional<float> floor, ViewSettings& look) {
    if (!picture.target()) return;
    const OutputTarget size = picture.target()->output();
    look.camera = frameBounds(look.camera, glm::make_vec3(picture.frame().boundsMin.data()),
                              glm::make_vec3(picture.frame().boundsMax.data()),
                              static_cast<float>(size.width) / static_cast<float>(size.height));
    if (floor) look.camera = aboveFloor(look.camera, *floor);
}

}  // namespace

void takeCamera(const Session& session, ViewSettings& look, size_t index) {
    look.cameraIndex = index;
    look.camera = cameraOf(session.scene().cameras[index]);
}

void dispatch(Action action, AppContext& desk) {
    auto& [session, renderer, picture, panel, overlay, look, mouse, browser, cases, screenshot, recording,
           leave, leaveUntil] = desk;
    DrawOptions& draw = look.draw;
    switch (action) {
        case Action::Pause:
            session.paused = !session.paused;
            break;
        case Action::Step:
            session.paused = true;
            session.step();
            break;
        case Action::Reset:
            session.reset(true);
            break;
        case Action::ResetAll:
            session.reset(false);
            break;
        case Action::ThrowBall:
            if (const std::string why = mouse.throwBall(session, look); !why.empty()) overlay.say(why, 8);
            break;
        case Action::NextPoured:
            overlay.say(mouse.nextPoured(session));
            break;
        case Action::Back:
        case Action::Forward:
        case Action::FarBack:
        case Action::FarForward:
            if (!session.seekBlockedReason.empty())
                overlay.say(session.seekBlockedReason);
            else if (action == Action::Back || action == Action::Forward)
                scrub(session, action == Action::Back ? -1 : 1);
            else
                scrubStates(session, action == Action::FarBack ? -1 : 1);
            break;
        case Action::Slower:
        case Action::Faster: {
            changeSpeed(session, action == Action::Faster);
            const std::string words = speedWords(session.speed);
            overlay.say(words.empty() ? "real time" : words);
            break;
        }
        case Action::Record:
        case Action::RecordImages:
            recording = action;
            break;
        case Action::Browse:
            browser.shown = !browser.shown;
            break;
        case Action::NextCase:
            if (!openNextCase(session))
                overlay.say("This scene has no cases.");
            else
                overlay.say(session.choice().caseName.empty() ? "Case: as in the file"
                                                              : "Case: " + session.choice().caseName);
            break;
        case Action::AllCases:
            if (cases.isShown())
                cases.close();
            else if (const std::string why = cases.open(session); !why.empty())
                overlay.say(why);
            break;
        case Action::PreviousScene:
            panel.openNeighbor(session, -1);
            break;
        case Action::NextScene:
            panel.openNeighbor(session, 1);
            break;
        case Action::ToggleUi:
            look.panel = !look.panel;
            if (!look.panel) overlay.say("Tab shows panel and bar again");
            break;
        case Action::ToggleHelp:
            look.help = !look.help;
            break;
        case Action::Screenshot:
        case Action::PlainScreenshot:
            screenshot = action;
            break;
        case Action::HomeCamera:
            takeCamera(session, look, look.cameraIndex);
            break;
        case Action::FrameScene:
            frameScene(picture, renderer.floorHeight(), look);
            break;
        case Action::FocusPicked:
            if (!focusPicked(session, look)) overlay.say("Click on a particle first");
            break;
        case Action::NextBuffer: {
            // none, then each in turn
            const auto views = bufferViews();
            const auto shown =
                std::ranges::find(views, draw.buffer, [](const BufferView& v) { return v.name; });
            const auto next = draw.buffer.empty() ? views.begin() : std::next(shown);
            draw.buffer = next == views.end() ? "" : next->name;
            overlay.say(next == views.end() ? "No buffer" : std::string(next->name) + ": " + next->about);
            break;
        }
        case Action::NextBackground: {
            const int next =
                (static_cast<int>(draw.background) + 1) % static_cast<int>(std::size(kBackgroundNames));
            look.chooseSky(static_cast<Background>(next));
            overlay.say(std::string("Background: ") + kBackgroundNames[next]);
            break;
        }
        case Action::NextGround: {
            const int next = (static_cast<int>(draw.ground) + 1) % static_cast<int>(std::size(kGroundNames));
            draw.ground = static_cast<Ground>(next);
            overlay.say(std::string("Ground: ") + kGroundNames[next]);
            break;
        }
        case Action::ToggleVelocities:
            look.lines.toggle(LineView::Velocities);
            break;
        case Action::ToggleGizmos:
            look.gizmos = !look.gizmos;
            break;
        case Action::NextCamera:
            takeCamera(session, look, (look.cameraIndex + 1) % session.scene().cameras.size());
            break;
        case Action::FreezeColors:
            draw.autoRange = !draw.autoRange;
            std::tie(draw.rangeMin, draw.rangeMax) = renderer.colorRange();
            overlay.say(draw.autoRange ? "Colors follow the values" : "Color range kept");
            break;
        case Action::ShowSurface:
            draw.mode = DrawMode::Surface;
            break;
        case Action::ColorMaterial:
            look.showQuantity(Quantity::Material);
            break;
        case Action::ColorSpeed:
            look.showQuantity(Quantity::Speed);
            break;
        case Action::ColorDensity:
            look.showQuantity(Quantity::DensityError);
            break;
        case Action::ColorNeighbors:
            look.showQuantity(Quantity::Neighbors);
            break;
        case Action::ColorId:
            look.showQuantity(Quantity::Id);
            break;
        case Action::ColorStrain:
            look.showQuantity(Quantity::Strain);
            break;
        case Action::ToggleWire:
            draw.wire = !draw.wire;
            break;
        case Action::ToggleShadows:
            draw.shadows = !draw.shadows;
            break;
        case Action::ToggleContacts:
            look.lines.toggle(LineView::Contacts);
            break;
        case Action::ToggleSprings:
            look.lines.toggle(LineView::DistanceConstraints);
            break;
        case Action::NextClothWay:
            draw.cloth = static_cast<ClothStyle>((static_cast<int>(draw.cloth) + 1) % 3);
            break;
        case Action::NextQuality: {
            static constexpr const char* kNames[] = {"points", "spheres", "ellipsoids", "record"};
            const int next = (static_cast<int>(draw.quality) + 1) % 4;
            draw.quality = static_cast<Quality>(next);
            overlay.say(std::string("Quality: ") + kNames[next]);
            break;
        }
        case Action::Quit:
            // one layer at a time; what was done is not lost by one key too many
            if (ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup)) {
                ImGui::ClosePopupToLevel(0, true);
            } else if (browser.shown) {
                browser.shown = false;
            } else if (look.help) {
                look.help = false;
            } else if (ImGui::GetIO().WantTextInput) {
                // the field has seen it, and gives up what was typed
            } else if (look.panel && panel.isOpen() && panel.clearSearch()) {
                // all pages again
            } else if (!look.selection.section.empty()) {
                look.selection = {};
            } else if (look.picked) {
                look.picked.reset();
            } else if (ImGui::GetTime() < leaveUntil) {
                leave = true;
            } else {
                leaveUntil = ImGui::GetTime() + kAskAgain;
                overlay.say("Esc again closes the window", kAskAgain);
            }
            break;
    }
}

}  // namespace coalesce
