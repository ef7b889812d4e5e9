#include "view/panel/page_objects.h"

#include <fmt/format.h>
#include <imgui.h>

namespace coalesce {

namespace {

const char* nameOf(ShapeKind kind) {
    switch (kind) {
        case ShapeKind::plane:
            return "plane";
        case ShapeKind::box:
            return "box";
        case ShapeKind::sphere:
            return "sphere";
        case ShapeKind::capsule:
            return "capsule";
        case ShapeKind::convex:
            return "convex";
        case ShapeKind::field:
            return "field";
        case ShapeKind::mesh:
            return "mesh";
    }
    return "";
}

// A thing that folds: what it is, its handles, its values.
void drawThing(Session& session, ViewSettings& look, PanelRows& rows, const Selection& thing,
               const std::string& facts) {
    ImGui::PushID(thing.path().c_str());
    const bool selected = look.selection == thing;
    const int changed = rows.changed([&](const PanelRows::Value& v) {
        return v.now.section == thing.section && v.now.element == thing.element;
    });
    const std::string label =
        thing.element + (changed ? fmt::format("  ({} changed)", changed) : "") + "###thing";
    const bool open = ImGui::TreeNodeEx(
        label.c_str(), ImGuiTreeNodeFlags_SpanAvailWidth | (selected ? ImGuiTreeNodeFlags_Selected : 0));
    rows.place("thing." + thing.path());
    if (open) {
        if (!facts.empty()) {
            ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
            wrappedText(facts);
            ImGui::PopStyleColor();
        }
        if (poseOf(session, thing)) {
            if (choiceButton(selected ? "Hide its handles" : "Move it in the picture", selected, -1))
                look.selection = selected ? Selection{} : thing;
            rows.place("move." + thing.path());
            if (ImGui::IsItemHovered())
                wrappedTooltip(
                    "Arrows, squares and rings in the picture move and turn it; with Ctrl in round "
                    "steps. Shapes can also be clicked at.");
        }
        rows.draw("values", [&](const PanelRows::Value& v) {
            return v.now.section == thing.section && v.now.element == thing.element;
        });
        ImGui::TreePop();
    }
    ImGui::PopID();
}

template <class T, class Facts>
void drawList(Session& session, ViewSettings& look, PanelRows& rows, const char* heading, const char* section,
              const std::vector<T>& list, Facts&& facts) {
    if (list.empty()) return;
    const bool open = ImGui::CollapsingHeader(
        fmt::format("{} ({})###{}", heading, list.size(), section).c_str(), ImGuiTreeNodeFlags_DefaultOpen);
    rows.place(std::string("heading.") + section);
    if (!open) return;
    for (size_t k = 0; k < list.size(); ++k)
        drawThing(session, look, rows, {section, list[k].name}, facts(list[k], k));
}

}  // namespace

void drawObjects(Session& session, ViewSettings& look, PanelRows& rows) {
    const World& world = session.world();
    rows.drawFolded("Gravity and air", "gravity", true,
                    [](const PanelRows::Value& v) { return v.now.section == "world"; });
    drawList(session, look, rows, "Wind and force fields", "fields", world.fields,
             [](const ForceField& f, size_t) {
                 return f.properties.enabled ? std::string() : std::string("It is switched off.");
             });
    drawList(session, look, rows, "Emitters", "emitters", world.emitters, [&](const Emitter& e, size_t k) {
        const EmitterProgress& p = world.spawning.emitters.at(k);
        std::string text = fmt::format("{} {} so far", p.emitted, e.bodies.empty() ? "particles" : "bodies");
        if (p.blocked) text += fmt::format("; {} found no room", p.blocked);
        if (e.properties.maximum > 0 && p.emitted >= static_cast<uint64_t>(e.properties.maximum))
            text += "; it has reached its maximum";
        if (!e.on.empty()) text += "; rides on " + e.on;
        return text + ".";
    });
    drawList(session, look, rows, "Sinks", "sinks", world.sinks, [&](const Sink&, size_t k) {
        const auto& removedBySink = world.spawning.removedBySink;
        return fmt::format("{} particles taken so far.", k < removedBySink.size() ? removedBySink[k] : 0);
    });
    drawList(session, look, rows, "Shapes", "shapes", world.shapes, [&](const Shape& s, size_t k) {
        std::string text = nameOf(s.kind);
        if (s.container) text += ", keeps particles inside";
        if (s.trigger) text += ", counts who comes in";
        if (!s.keys.empty()) text += "; it moves by its keys, and by nothing else";
        if (k < world.shapeReports.size()) {
            const ShapeReport& r = world.shapeReports[k];
            if (s.trigger)
                text += fmt::format("; {} inside, {} came in", r.present, r.entered);
            else
                text += fmt::format("; carries {:.3g} N", length(r.force));
        }
        return text + ".";
    });
    if (world.fields.empty()) ImGui::TextDisabled("The scene has no wind and no force field.");
}

}  // namespace coalesce
