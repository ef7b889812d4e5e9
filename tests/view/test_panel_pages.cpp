// The pages of the panel, driven by synthetic input. Those of objects and of changes: test_panel_objects.cpp,
// test_panel_changes.cpp.
#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/each_method.h"
#include "view/panel_driver.h"
#include "view/widgets/format.h"

namespace coalesce::test {
namespace {

TEST_F(Pages, ShowTheirValues) {
    EXPECT_TRUE(shown("solver.substeps")) << "the first page";
    click("page.materials");
    EXPECT_TRUE(shown("materials.water.viscosity"));
    EXPECT_TRUE(shown("material.water"));
    EXPECT_TRUE(shown("materials.water.surfaceTension"));
    for (const char* other :
         {"shearStiffness", "clusterSpacing", "plasticYield", "tetherSlack", "areaDensity", "pressure",
          "drag", "lift", "stiffness", "cohesion", "rollingResistance"})
        EXPECT_FALSE(shown(std::string("materials.water.") + other))
            << other << ": other kinds are folded away where the material is a liquid";
    EXPECT_TRUE(shown("heading.material.water.3")) << "at the end";
    click("heading.material.water.3");
    EXPECT_GT(find("materials.water.clusterSpacing").top, find("materials.water.surfaceTension").top);
    click("page.objects");
    for (const char* thing : {"fields.pull", "emitters.tap", "sinks.drain", "shapes.floor", "shapes.gate"})
        EXPECT_TRUE(shown(std::string("element.") + thing)) << thing;
    EXPECT_TRUE(shown("world.gravity"));
    click("page.display");
    EXPECT_TRUE(shown("display.show"));
    click("page.changes");
    EXPECT_TRUE(shown("preset.save"));
    click("page.performance");
    EXPECT_TRUE(shown("performance.simulation"));
    EXPECT_TRUE(shown("performance.memory"));
}

// Curves of what the method measures; none where nothing watches.
TEST_F(Pages, ShowConvergence) {
    click("page.performance");
    session.step();
    frame();
    EXPECT_FALSE(shown("performance.curve.density error"));
    session.world().watchConvergence = true;
    session.step();
    frame();
    EXPECT_TRUE(shown("performance.curve.density error"));
    EXPECT_FALSE(shown("performance.curve.objective"));
    EXPECT_EQ(session.edit({"solver.method", {}, "projective"}), "");
    // a falling liquid has no energy of constraints; it has some when it meets the floor
    double most = 0;
    for (int k = 0; k < 60; ++k) {
        session.step();
        most = std::max(most, double(session.world().convergence.objectiveLast));
    }
    frame();
    EXPECT_TRUE(shown("performance.curve.objective"));
    EXPECT_GT(most, 0);
    EXPECT_TRUE(panel.showsConvergence());
    click("performance.convergence");
    frame();
    EXPECT_FALSE(panel.showsConvergence()) << "folded away";
}

TEST_F(Pages, CurvesHaveGapsWhereTheMethodDidNotKnowTheQuantity) {
    World& world = session.world();
    world.watchConvergence = true;
    ConvergenceHistory history;
    session.step();
    history.add(world);
    EXPECT_EQ(session.edit({"solver.method", {}, "projective"}), "");
    session.step();
    history.add(world);
    int gaps = 0;
    for (const ConvergenceHistory::Curve& curve : history.curves()) {
        ASSERT_EQ(curve.values.size(), 2u);
        EXPECT_TRUE(std::isfinite(curve.values[1])) << curve.name;
        EXPECT_EQ(std::isnan(curve.values[0]),
                  std::string(curve.name) != "density error" && std::string(curve.name) != "largest")
            << curve.name;
        gaps += std::isnan(curve.values[0]);
    }
    EXPECT_GT(gaps, 0);
}

TEST_F(Pages, FoldGroupsAway) {
    EXPECT_TRUE(shown("solver.substeps"));
    click("heading.solver");
    EXPECT_FALSE(shown("solver.substeps"));
    EXPECT_FALSE(shown("contacts.margin"));
    click("heading.contacts");
    EXPECT_TRUE(shown("contacts.margin"));
}

TEST_F(Pages, HideWhatTheMethodDoesNotRead) {
    click("heading.fluid");
    EXPECT_TRUE(shown("solver.iterations"));
    EXPECT_TRUE(shown("fluid.overRelaxation"));
    EXPECT_FALSE(shown("heading.projective"));
    EXPECT_EQ(session.edit({"solver.method", {}, "projective"}), "");
    frame();
    EXPECT_TRUE(shown("solver.method"));
    EXPECT_FALSE(shown("solver.iterations"));
    EXPECT_FALSE(shown("fluid.overRelaxation"));
    EXPECT_TRUE(shown("fluid.wallDensity")) << "read by every method";
    EXPECT_TRUE(shown("projective.iterations"));
    click("page.materials");
    EXPECT_TRUE(shown("materials.water.bulkModulus"));
    EXPECT_FALSE(shown("materials.water.tension"));
    for (int k = 0; k < 3; ++k) session.step();
    EXPECT_EQ(session.edit({"solver.method", {}, "position"}), "") << "while the scene runs";
    session.step();
    frame();
    EXPECT_FALSE(shown("materials.water.bulkModulus"));
    EXPECT_TRUE(shown("materials.water.tension"));
    search("bulkModulus");
    EXPECT_TRUE(shown("materials.water.bulkModulus")) << "a search finds every value";
}

// The group of a method is shown with all of its parameters under that method, and not at all under others.
TEST_F(Pages, ShowTheGroupOfTheMethodOnly) {
    for (const Method method : kMethods) {
        EXPECT_EQ(session.edit({"solver.method", {}, std::string(nameOf(method))}), "");
        frame();
        int ofMethod = 0;
        forEachParameter(session.world().parameters, [&](const auto&, const ParameterInfo& info) {
            for (const Method owner : {Method::projective, Method::velocity}) {
                if (info.group != nameOf(owner)) continue;
                const std::string path = std::string(info.group) + "." + std::string(info.name);
                EXPECT_EQ(shown(path), owner == method) << path << " under " << nameOf(method);
                EXPECT_EQ(shown("heading." + std::string(info.group)), owner == method);
                ofMethod += owner == method;
            }
        });
        if (method != Method::position) {
            EXPECT_GE(ofMethod, 7) << nameOf(method);
        }
    }
}

TEST_F(Pages, OfferARestartForValuesFixedAtSpawn) {
    click("page.materials");
    EXPECT_FALSE(shown("waits for restart"));
    const float before = find("materials.water.spacing").top;
    drag("materials.water.spacing", 0.6f, 0.64f);
    const float wanted = session.edited().materials[0].properties.spacing;
    ASSERT_NE(wanted, 0.1f);
    EXPECT_EQ(session.world().materials[0].properties.spacing, 0.1f);
    EXPECT_TRUE(shown("waits for restart"));
    EXPECT_EQ(find("materials.water.spacing").top, before) << "nothing moves under the pointer";
    click("restart");
    EXPECT_EQ(session.problem(), "");
    EXPECT_EQ(session.world().materials[0].properties.spacing, wanted);
    EXPECT_FALSE(shown("waits for restart"));
}

TEST_F(Pages, TypedValuesOutOfRangeAreRefusedAtTheField) {
    session.takeNotices();
    const float before = session.world().parameters.solver.relaxation;
    ctrlClick("solver.relaxation");
    // 1 is in range, 15 and 159 are not
    for (const char* letter : {"1", "5", "9"}) {
        type(letter);
        EXPECT_EQ(session.world().parameters.solver.relaxation, before) << "not before Enter: " << letter;
    }
    EXPECT_FALSE(shown("refused.solver.relaxation"));
    key(ImGuiKey_Enter, false);
    EXPECT_EQ(session.world().parameters.solver.relaxation, before);
    EXPECT_EQ(session.undoable(), "");
    const WidgetRect* message = widget("refused.solver.relaxation", "##message at item");
    ASSERT_TRUE(message) << "where the value is";
    EXPECT_NEAR(message->top, find("solver.relaxation").top, 30);
    EXPECT_GE(message->left, panel.width());
    EXPECT_TRUE(session.takeNotices().empty()) << "and not at a second place";
    for (int k = 0; k < 9 * 60; ++k) frame();
    EXPECT_FALSE(shown("refused.solver.relaxation")) << "it goes by itself";
}

TEST_F(Pages, TypedValuesApplyWhenTheFieldIsLeft) {
    const Parameters& now = session.world().parameters;
    ctrlClick("solver.relaxation");
    type("0.7");
    key(ImGuiKey_Enter, false);
    EXPECT_EQ(now.solver.relaxation, 0.7f);
    EXPECT_FALSE(shown("refused.solver.relaxation"));

    ctrlClick("solver.relaxation");
    type("0.9");
    EXPECT_EQ(now.solver.relaxation, 0.7f);
    click("help");  // anything else
    EXPECT_EQ(now.solver.relaxation, 0.9f);
    click("help");

    ctrlClick("solver.relaxation");
    type("0.4");
    key(ImGuiKey_Escape, false);
    frame();
    EXPECT_EQ(now.solver.relaxation, 0.9f) << "Esc gives the text up";
    click("undo");
    EXPECT_EQ(now.solver.relaxation, 0.7f) << "each is one step";
}

// One of three numbers: -1e9 passes through -1.
TEST_F(Pages, TypedNumbersOfAVectorDoNotStayHalfTyped) {
    click("page.objects");
    const Vec3 before = session.world().parameters.world.gravity;
    ctrlClick("world.gravity");
    for (const char* letter : {"-", "1", "e", "9"}) type(letter);
    key(ImGuiKey_Enter, false);
    EXPECT_EQ(session.world().parameters.world.gravity, before);
    EXPECT_TRUE(widget("refused.world.gravity", "##message at item"));
    ctrlClick("world.gravity");
    type("-3");
    key(ImGuiKey_Enter, false);
    EXPECT_EQ(session.world().parameters.world.gravity, (Vec3{before.x, -3, before.z}));
}

TEST_F(Pages, KeepTheirScrollPosition) {
    ImGui::GetIO().DisplaySize.y = 900;
    frame();
    const float top = find("heading.solver").top;
    ImGui::GetIO().MousePos = {200, 600};
    frame();
    ImGui::GetIO().MouseWheel = -3;
    frame();
    frame();
    const float scrolled = find("heading.solver").top;
    EXPECT_LT(scrolled, top);
    click("page.display");
    EXPECT_GT(find("display.show").top, find("page.display").bottom) << "at its beginning";
    click("page.parameters");
    EXPECT_EQ(find("heading.solver").top, scrolled);
}

TEST_F(Pages, SayWhatBoundsTheFrameRate) {
    click("page.performance");
    EXPECT_TRUE(shown("performance.bound"));
    EXPECT_LT(find("performance.bound").top, find("performance.simulation").top);
}

TEST_F(Pages, WarningsMoveNothingAndLinkToTheRecommendedValue) {
    const float before = find("solver.substeps").top;
    session.edit({"solver.maxSpeed", {0.01f}, ""});
    session.step();
    session.step();
    frame();
    frame();
    const WidgetRect advice = find("advice.solver.maxSpeed");
    EXPECT_EQ(find("solver.substeps").top, before) << "nothing moves under the pointer";
    EXPECT_GT(advice.top, find("solver.substeps").bottom) << "below the page";
    EXPECT_LE(advice.bottom, ImGui::GetIO().DisplaySize.y);
    click("advice.solver.maxSpeed");
    EXPECT_TRUE(shown("solver.maxSpeed"));
    EXPECT_FALSE(shown("solver.substeps"));
    click("clear search");
    EXPECT_TRUE(shown("solver.substeps"));
}

TEST_F(Pages, WarningsCanBeClosed) {
    session.edit({"solver.maxSpeed", {0.01f}, ""});
    for (int k = 0; k < 2; ++k) session.step(), frame();
    frame();
    ASSERT_TRUE(shown("advice.solver.maxSpeed"));
    click("close warning");
    EXPECT_FALSE(shown("advice.solver.maxSpeed"));
    session.step();
    frame(), frame();
    EXPECT_FALSE(shown("advice.solver.maxSpeed")) << "nor while it goes on";
}

TEST_F(Pages, WarningsLeaveRoomForThePage) {
    constexpr float kHeight = 600;
    ImGui::GetIO().DisplaySize.y = kHeight;
    // of the room below the buttons of the pages
    const auto shareOfWarnings = [&] {
        for (int k = 0; k < 4; ++k) frame();
        float first = kHeight;
        for (const WidgetRect& w : widgets)
            if (w.name == "close warning") first = std::min(first, w.top);
        return (kHeight - first) / (kHeight - find("page.settings").bottom);
    };
    EXPECT_EQ(shareOfWarnings(), 0);
    ASSERT_EQ(session.edit({"solver.maxSpeed", {0.1}, ""}), "");
    for (int k = 0; k < 3; ++k) session.step();
    ASSERT_EQ(session.warnings().list().size(), 1u);
    const float ofOne = shareOfWarnings();
    EXPECT_GT(ofOne, 0.1f);
    EXPECT_LT(ofOne, 0.3f) << "control: one warning has room";

    ASSERT_EQ(session.edit({{"solver.maxSpeed", {1}, ""},
                            {"solver.timeStep", {}, "cfl"},
                            {"solver.minSubsteps", {1}, ""},
                            {"solver.maxSubsteps", {1}, ""},
                            {"solver.cfl", {0.05}, ""}}),
              "");
    for (int k = 0; k < 12; ++k) session.step();
    std::vector<Vec4> x = session.world().particles.x.download();
    x[0].x = NAN, x[1].x = 1e8f;
    session.world().particles.x.upload(x);
    for (int k = 0; k < 3; ++k) session.step();
    ASSERT_EQ(session.warnings().list().size(), 4u);
    EXPECT_NEAR(shareOfWarnings(), 0.35f, 0.03f) << "the rest scrolls";
}

TEST_F(Pages, SearchFindsTheValuesOfDisplayAndSettings) {
    search("clip");
    EXPECT_TRUE(shown("display.clip"));
    EXPECT_FALSE(shown("display.exposure"));
    EXPECT_FALSE(shown("settings.recordingSize"));
    click("clear search");
    search("EXPOSURE");
    EXPECT_TRUE(shown("display.exposure"));
    const float before = view.draw.exposure;
    drag("display.exposure", 0.3f, 0.8f);
    EXPECT_NE(view.draw.exposure, before) << "and they can be changed there";
    click("clear search");
    search("record");
    EXPECT_TRUE(shown("settings.recordingSize"));
    EXPECT_TRUE(shown("settings.recordingLength"));
    EXPECT_FALSE(shown("settings.fontScale"));
    click("clear search");
    search("ambient");
    EXPECT_TRUE(shown("display.occlusion"));
    EXPECT_FALSE(shown("display.shapes"));
}

// The options of the mesh are there where the surface is one, and their sliders keep to the limits.
TEST_F(Pages, TheSurfaceOfLiquidsCanBeAMesh) {
    click("page.display");
    const std::vector<std::string> options{"cell", "smoothing", "kernels", "minPiece", "merge", "decimation"};
    const auto countShown = [&] {
        return std::ranges::count_if(options, [&](const auto& o) { return shown("display.mesh." + o); });
    };
    EXPECT_FALSE(view.meshed);
    EXPECT_EQ(countShown(), 0);
    const auto choose = [&](const std::string& combo, ImGuiKey arrow) {
        click(combo);
        key(arrow, false);
        key(ImGuiKey_Enter, false);
        frame();
    };
    choose("display.surface", ImGuiKey_DownArrow);
    EXPECT_TRUE(view.meshed);
    EXPECT_EQ(countShown(), std::ssize(options));

    SurfaceOptions wanted;
    EXPECT_EQ(view.mesh, wanted);
    const auto dragPast = [&](const char* option, float end) {
        drag(std::string("display.mesh.") + option, 0.5f, end);
    };
    dragPast("cell", 2), wanted.cell = 2;
    EXPECT_EQ(view.mesh, wanted);
    dragPast("smoothing", 2), wanted.smoothing = 50;
    EXPECT_EQ(view.mesh, wanted);
    choose("display.mesh.kernels", ImGuiKey_DownArrow), wanted.anisotropic = true;
    EXPECT_EQ(view.mesh, wanted);
    dragPast("minPiece", 2), wanted.minPiece = 50;
    EXPECT_EQ(view.mesh, wanted);
    dragPast("merge", 2), wanted.merge = 0.5f;
    EXPECT_EQ(view.mesh, wanted);
    dragPast("decimation", 2), wanted.decimation = 1;
    EXPECT_EQ(view.mesh, wanted);
    EXPECT_NO_THROW(checkSurfaceOptions(view.mesh)) << "the program takes what the sliders give";
    for (const char* option : {"cell", "smoothing", "minPiece", "merge", "decimation"}) dragPast(option, -1);
    wanted = {.cell = 0.25f, .anisotropic = true, .smoothing = 0};
    EXPECT_EQ(view.mesh, wanted);
    EXPECT_NO_THROW(checkSurfaceOptions(view.mesh));

    choose("display.surface", ImGuiKey_UpArrow);
    EXPECT_FALSE(view.meshed);
    EXPECT_EQ(countShown(), 0);
    search("decimation");
    EXPECT_FALSE(shown("display.mesh.decimation")) << "a search shows no row that has no effect";
}

TEST_F(Pages, ArrowKeysChooseInACombo) {
    click("page.settings");
    click("settings.recordingSize");
    key(ImGuiKey_DownArrow, false);
    key(ImGuiKey_DownArrow, false);
    EXPECT_EQ(settings.recordingSize, RecordingSize::Viewport) << "not before Enter";
    key(ImGuiKey_Enter, false);
    EXPECT_EQ(settings.recordingSize, RecordingSize::FullHd);
    frame();
    key(ImGuiKey_DownArrow, false);
    key(ImGuiKey_Enter, false);
    EXPECT_EQ(settings.recordingSize, RecordingSize::FullHd) << "while no combo is open they are other keys";
}

TEST_F(Pages, LongLabelsAreNotCutOff) {
    click("page.settings");
    // it takes two lines, so its row is higher
    const float step = find("settings.rewindMegabytes").top - find("settings.rewindPerSecond").top;
    EXPECT_GT(step, 1.3f * (find("settings.rewindPerSecond").top - find("settings.rewindSeconds").top));
}

TEST_F(Pages, SettingsApplyAtOnceAndCanBeReset) {
    click("page.settings");
    for (const char* value : {"rewindSeconds", "rewindPerSecond", "rewindMegabytes", "fontScale"})
        EXPECT_TRUE(shown(std::string("settings.") + value)) << value;
    EXPECT_FALSE(shown("reset.settings.rewindSeconds"));
    drag("settings.rewindSeconds", 0.5f, 2.0f);
    EXPECT_EQ(settings.rewind.seconds, 3600);
    click("reset.settings.rewindSeconds");
    EXPECT_EQ(settings.rewind.seconds, RewindLimits().seconds);

    moveTo(find("settings.fontScale"), 0.5f);
    press(0);
    moveTo(find("settings.fontScale"), 2.0f);
    EXPECT_EQ(settings.fontScale, 1) << "letters do not grow under the mouse";
    release(0);
    EXPECT_EQ(settings.fontScale, 4);
}

TEST(StageHistories, KeepTheSlowestBandsAndSumTheOthers) {
    StageHistory history;
    for (size_t frame = 0; frame < StageHistory::kFrames + 5; ++frame)
        history.add({{"a", 1}, {"b", 5}, {"c", 0.5}, {"d", 2}, {"b", 1}});
    EXPECT_EQ(history.frames(), StageHistory::kFrames);
    const std::vector<StageHistory::Band> bands = history.bands(2);
    ASSERT_EQ(bands.size(), 3u);
    EXPECT_EQ(bands[0].name, "b");
    EXPECT_DOUBLE_EQ(bands[0].ms.back(), 6) << "twice in a frame";
    EXPECT_EQ(bands[1].name, "d");
    EXPECT_EQ(bands[2].name, "");
    EXPECT_DOUBLE_EQ(bands[2].ms.back(), 1.5);
    EXPECT_DOUBLE_EQ(history.total(StageHistory::kFrames - 1), 9.5);
    history.clear();
    EXPECT_EQ(history.frames(), 0u);
}

}  // namespace
}  // namespace coalesce::test
