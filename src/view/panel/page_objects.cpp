#include "view/panel/page_objects.h"

#include <fmt/format.h>
#include <imgui.h>

#include "view/widgets/format.h"

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
        case ShapeKind::sdf:
            return "signed distance field";
        case ShapeKind::mesh:
            return "mesh";
    }
    return "";
}

// One element: a node that folds, with a description, the gizmo button and the values.
void drawElement(Session& session, ViewSettings& view, PanelRows& rows, const Selection& element,
                 const std::string& facts) {
    ImGui::PushID(element.path().c_str());
    const bool selected = view.selection == element;
    const int changed = rows.changed([&](const PanelRows::Value& v) {
        return v.now.section == element.section && v.now.element == element.element;
    });
    const std::string label =
        element.element + (changed ? fmt::format("  ({} changed)", changed) : "") + "###element";
    const bool open = ImGui::TreeNodeEx(
        label.c_str(), ImGuiTreeNodeFlags_SpanAvailWidth | (selected ? ImGuiTreeNodeFlags_Selected : 0));
    nameItem("element." + element.path());
    if (open) {
        if (!facts.empty()) {
            ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
            wrappedText(facts);
            ImGui::PopStyleColor();
        }
        if (poseOf(session, element)) {
            if (choiceButton(
                    "gizmo." + element.path(), selected ? "Hide gizmo" : "Show gizmo", selected, -1,
                    "Arrows, squares and rings in the viewport move and turn the element; hold Ctrl to "
                    "snap. Shapes can also be selected by a click."))
                view.selection = selected ? Selection{} : element;
        }
        rows.draw("values", [&](const PanelRows::Value& v) {
            return v.now.section == element.section && v.now.element == element.element;
        });
        ImGui::TreePop();
    }
    ImGui::PopID();
}

template <class T, class Facts>
void drawList(Session& session, ViewSettings& view, PanelRows& rows, const char* title, const char* section,
              const std::vector<T>& list, Facts&& facts) {
    if (list.empty()) return;
    if (!heading(std::string("heading.") + section, fmt::format("{} ({})", title, list.size()), true)) return;
    for (size_t k = 0; k < list.size(); ++k)
        drawElement(session, view, rows, {section, list[k].name}, facts(list[k], k));
}

}  // namespace

void drawObjects(Session& session, ViewSettings& view, PanelRows& rows) {
    const World& world = session.world();
    rows.drawFolded("Gravity and air", "gravity", true,
                    [](const PanelRows::Value& v) { return v.now.section == "world"; });
    drawList(session, view, rows, "Wind and force fields", "fields", world.forceFields,
             [](const ForceField& f, size_t) {
                 return f.properties.enabled ? std::string() : std::string("Disabled.");
             });
    drawList(session, view, rows, "Emitters", "emitters", world.emitters, [&](const Emitter& e, size_t k) {
        const EmitterProgress& p = world.spawning.emitters.at(k);
        std::string text =
            fmt::format("{} emitted",
                        e.bodies.empty() ? counted(p.emitted, "particle")
                                         : withThousands(p.emitted) + (p.emitted == 1 ? " body" : " bodies"));
        if (p.blocked) text += fmt::format("; {} blocked", p.blocked);
        if (e.properties.maximum > 0 && p.emitted >= uint64_t(e.properties.maximum))
            text += "; maximum reached";
        if (!e.on.empty()) text += "; attached to " + e.on;
        return text + ".";
    });
    drawList(session, view, rows, "Sinks", "sinks", world.sinks, [&](const Sink&, size_t k) {
        const auto& removedBySink = world.spawning.removedBySink;
        return counted(k < removedBySink.size() ? removedBySink[k] : 0, "particle") + " removed.";
    });
    drawList(session, view, rows, "Shapes", "shapes", world.shapes, [&](const Shape& s, size_t k) {
        std::string text = nameOf(s.kind);
        if (s.container) text += ", container";
        if (s.trigger) text += ", trigger volume";
        if (!s.keys.empty()) text += "; animated by keys";
        if (k < world.shapeReports.size()) {
            const ShapeReport& r = world.shapeReports[k];
            if (s.trigger)
                text += fmt::format("; {} inside, {} entered", r.present, r.entered);
            else
                text += fmt::format("; contact force {:.3g} N", length(r.force));
        }
        return text + ".";
    });
    if (world.forceFields.empty()) ImGui::TextDisabled("The scene has no force fields.");
}

}  // namespace coalesce
