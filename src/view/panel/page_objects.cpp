#include "view/panel/page_objects.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
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

// What the user does to the elements; done after they are drawn, because it replaces the world.
using Action = std::function<void(Session&, ViewSettings&)>;

// Buttons that duplicate and remove an element, and its name to be changed.
void drawStructure(const Selection& element, bool canDuplicate, Action& action) {
    const float width = ImGui::CalcTextSize("Duplicate").x + ImGui::CalcTextSize("Remove").x +
                        4 * ImGui::GetStyle().FramePadding.x + 2 * ImGui::GetStyle().ItemSpacing.x;
    char name[100];
    fmt::format_to_n(name, sizeof name - 1, "{}", element.element).out[0] = 0;
    ImGui::SetNextItemWidth(canDuplicate ? -width : -width / 2);
    if (ImGui::InputText("##name", name, sizeof name,
                         ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll))
        action = [element, to = std::string(name)](Session& session, ViewSettings& view) {
            if (to != element.element &&
                session.renameElement(element.section, element.element, to).empty() &&
                view.selection == element)
                view.selection.element = to;
        };
    nameItem("name." + element.path(), "Enter renames it, and restarts.");
    if (canDuplicate) {
        ImGui::SameLine();
        if (button("duplicate." + element.path(), "Duplicate", 0,
                   "Adds a copy at the same place, selects it, and restarts."))
            action = [element](Session& session, ViewSettings& view) {
                const std::string name = session.freeName(element.section, element.element);
                if (session.duplicateElement(element.section, element.element, name).empty())
                    view.selection = {element.section, name};
            };
    }
    ImGui::SameLine();
    if (button("remove." + element.path(), "Remove", 0, "Removes it from the scene, and restarts."))
        action = [element](Session& session, ViewSettings& view) {
            if (session.removeElement(element.section, element.element).empty() && view.selection == element)
                view.selection = {};
        };
}

// An element that can be added: its section, its name, and its JSON around a point [m] for a length [m].
struct NewElement {
    const char *label, *section, *name;
    std::string (*json)(const std::string& material, glm::vec3 at, float length);
};
std::string vectorOf(glm::vec3 v) {
    return fmt::format("[{:.3g}, {:.3g}, {:.3g}]", v.x, v.y, v.z);
}
const NewElement kNewElements[] = {
    {"Box", "shapes", "box",
     [](const std::string&, glm::vec3 at, float length) {
         return fmt::format("\"box\": {{ \"size\": {} }}, \"position\": {}", vectorOf(glm::vec3(length)),
                            vectorOf(at));
     }},
    {"Sphere", "shapes", "sphere",
     [](const std::string&, glm::vec3 at, float length) {
         return fmt::format("\"sphere\": {{ \"radius\": {:.3g} }}, \"position\": {}", length / 2,
                            vectorOf(at));
     }},
    {"Emitter", "emitters", "emitter",
     [](const std::string& material, glm::vec3 at, float length) {
         return fmt::format(
             "\"material\": \"{}\", \"disc\": {{ \"radius\": {:.3g} }}, \"position\": {}, "
             "\"direction\": [0, -1, 0], \"speed\": 1",
             material, length / 4, vectorOf(at));
     }},
    {"Sink", "sinks", "sink",
     [](const std::string&, glm::vec3 at, float length) {
         return fmt::format("\"box\": {{ \"size\": {} }}, \"position\": {}", vectorOf(glm::vec3(length)),
                            vectorOf(at));
     }},
    {"Wind", "fields", "wind",
     [](const std::string&, glm::vec3, float) {
         return std::string("\"kind\": \"wind\", \"direction\": [1, 0, 0], \"strength\": 3");
     }},
    {"Radial field", "fields", "radial",
     [](const std::string&, glm::vec3 at, float length) {
         return fmt::format("\"kind\": \"radial\", \"center\": {}, \"radius\": {:.3g}, \"strength\": 5",
                            vectorOf(at), 2 * length);
     }},
};

// At the point that the camera looks at, of a size that fits the view.
void addElement(Session& session, ViewSettings& view, const NewElement& element) {
    const auto& materials = session.scene().materials;
    const auto flows = std::ranges::find_if(materials, [](const Material& m) {
        return m.properties.kind == MaterialKind::fluid || m.properties.kind == MaterialKind::grains;
    });
    const float distance = glm::distance(view.camera.eye, view.camera.look);
    const float length = 0.12f * 2 * halfExtent(view.camera, distance, kNarrowAspect).y;
    const std::string name = session.freeName(element.section, element.name),
                      json =
                          element.json(flows == materials.end() ? "" : flows->name, view.camera.look, length);
    if (session.addElement(element.section, fmt::format("{{ \"name\": \"{}\", {} }}", name, json)).empty())
        view.selection = {element.section, name};
}

void drawAdd(Action& action) {
    if (button("add", "Add \u2026", -1, "Adds an element where the camera looks, and restarts."))
        ImGui::OpenPopup("add element");
    if (!ImGui::BeginPopup("add element")) return;
    for (const NewElement& element : kNewElements) {
        if (ImGui::Selectable(element.label))
            action = [&element](Session& session, ViewSettings& view) { addElement(session, view, element); };
        nameItem(std::string("add.") + element.name);
    }
    ImGui::EndPopup();
}

// One element: a node that folds, with a description, the gizmo button and the values.
void drawElement(Session& session, ViewSettings& view, PanelRows& rows, const Selection& element,
                 const std::string& facts, Action& action) {
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
        if (!session.playsCache()) drawStructure(element, true, action);
        rows.draw("values", [&](const PanelRows::Value& v) {
            return v.now.section == element.section && v.now.element == element.element;
        });
        ImGui::TreePop();
    }
    ImGui::PopID();
}

template <class T, class Facts>
void drawList(Session& session, ViewSettings& view, PanelRows& rows, const char* title, const char* section,
              const std::vector<T>& list, Action& action, Facts&& facts) {
    if (list.empty()) return;
    if (!heading(std::string("heading.") + section, fmt::format("{} ({})", title, list.size()), true)) return;
    for (size_t k = 0; k < list.size(); ++k)
        drawElement(session, view, rows, {section, list[k].name}, facts(list[k], k), action);
}

// Bodies have no values of their own and no gizmo.
void drawBodies(const Session& session, Action& action) {
    const Scene& scene = session.scene();
    if (scene.bodies.empty()) return;
    if (!heading("heading.bodies", fmt::format("Bodies ({})", scene.bodies.size()), false)) return;
    for (const Body& body : scene.bodies) {
        ImGui::PushID(body.name.c_str());
        const bool open =
            ImGui::TreeNodeEx("###body", ImGuiTreeNodeFlags_SpanAvailWidth, "%s", body.name.c_str());
        nameItem("element.bodies." + body.name);
        if (open) {
            ImGui::TextDisabled("Of %s.", scene.materials.at(body.material).name.c_str());
            if (!session.playsCache()) drawStructure({"bodies", body.name}, false, action);
            ImGui::TreePop();
        }
        ImGui::PopID();
    }
}

}  // namespace

void drawObjects(Session& session, ViewSettings& view, PanelRows& rows) {
    const World& world = session.world();
    Action action;
    if (!session.playsCache()) drawAdd(action);
    rows.drawFolded("Gravity and air", "gravity", true,
                    [](const PanelRows::Value& v) { return v.now.section == "world"; });
    drawList(session, view, rows, "Wind and force fields", "fields", world.forceFields, action,
             [](const ForceField& f, size_t) {
                 return f.properties.enabled ? std::string() : std::string("Disabled.");
             });
    drawList(session, view, rows, "Emitters", "emitters", world.emitters, action,
             [&](const Emitter& e, size_t k) {
                 const EmitterProgress& p = world.spawning.emitters.at(k);
                 std::string text = fmt::format(
                     "{} emitted", e.bodies.empty()
                                       ? counted(p.emitted, "particle")
                                       : withThousands(p.emitted) + (p.emitted == 1 ? " body" : " bodies"));
                 if (p.blocked) text += fmt::format("; {} blocked", p.blocked);
                 if (e.properties.maximum > 0 && p.emitted >= uint64_t(e.properties.maximum))
                     text += "; maximum reached";
                 if (!e.on.empty()) text += "; attached to " + e.on;
                 return text + ".";
             });
    drawList(session, view, rows, "Sinks", "sinks", world.sinks, action, [&](const Sink&, size_t k) {
        const auto& removedBySink = world.spawning.removedBySink;
        return counted(k < removedBySink.size() ? removedBySink[k] : 0, "particle") + " removed.";
    });
    drawList(session, view, rows, "Shapes", "shapes", world.shapes, action, [&](const Shape& s, size_t k) {
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
    drawBodies(session, action);
    if (action) action(session, view);
}

}  // namespace coalesce
