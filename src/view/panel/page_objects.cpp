#include "view/panel/page_objects.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <imgui.h>
#include <initializer_list>
#include <utility>

#include "scene/format/json_edit.h"
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

using Action = PageObjects::Action;

// Width of buttons in a row, with the space before each [ImGui's units].
float widthOf(std::initializer_list<const char*> labels) {
    float width = 0;
    for (const char* label : labels) width += buttonWidth(label) + ImGui::GetStyle().ItemSpacing.x;
    return width;
}

// Buttons that duplicate and remove an element, and its name to be changed.
void drawStructure(const Selection& element, Action& action) {
    char name[100];
    fmt::format_to_n(name, sizeof name - 1, "{}", element.element).out[0] = 0;
    ImGui::SetNextItemWidth(-widthOf({"Duplicate", "Remove"}));
    if (ImGui::InputText("##name", name, sizeof name,
                         ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll))
        action = [element, to = std::string(name)](Session& session, ViewSettings& view) {
            if (to == element.element || !session.renameElement(element.section, element.element, to).empty())
                return;
            if (view.selection == element) view.selection.element = to;
            if (element.section == "bodies" && view.hiddenBodies.erase(element.element))
                view.hiddenBodies.insert(to);
        };
    nameItem("name." + element.path(), "Enter renames it.");
    ImGui::SameLine();
    if (button("duplicate." + element.path(), "Duplicate", 0,
               element.section == "bodies" ? "Adds a copy beside it, selects it, and restarts."
                                           : "Adds a copy at the same place, selects it, and restarts."))
        action = [element](Session& session, ViewSettings& view) {
            const std::string name = session.freeName(element.section, element.element);
            if (session.duplicateElement(element.section, element.element, name).empty())
                view.selection = {element.section, name};
        };
    ImGui::SameLine();
    if (button("remove." + element.path(), "Remove", 0, "Removes it from the scene, and restarts."))
        action = [element](Session& session, ViewSettings& view) {
            if (!session.removeElement(element.section, element.element).empty()) return;
            if (view.selection == element) view.selection = {};
            if (element.section == "bodies") view.hiddenBodies.erase(element.element);
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
    {"Fixed box", "shapes", "box",
     [](const std::string&, glm::vec3 at, float length) {
         return fmt::format("\"box\": {{ \"size\": {} }}, \"position\": {}", vectorOf(glm::vec3(length)),
                            vectorOf(at));
     }},
    {"Fixed sphere", "shapes", "sphere",
     [](const std::string&, glm::vec3 at, float length) {
         return fmt::format("\"sphere\": {{ \"radius\": {:.3g} }}, \"position\": {}", length / 2,
                            vectorOf(at));
     }},
    {"Emitter", "emitters", "emitter",
     [](const std::string& material, glm::vec3 at, float length) {
         return fmt::format(
             "\"material\": {}, \"disc\": {{ \"radius\": {:.3g} }}, \"position\": {}, "
             "\"direction\": [0, -1, 0], \"speed\": 1",
             quoted(material), length / 4, vectorOf(at));
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
    const auto flows = std::ranges::find_if(materials, isFlowing, &Material::properties);
    const float distance = glm::distance(view.camera.eye, view.camera.look);
    const float length = 0.12f * 2 * halfExtent(view.camera, distance, kNarrowAspect).y;
    const std::string name = session.freeName(element.section, element.name),
                      json =
                          element.json(flows == materials.end() ? "" : flows->name, view.camera.look, length);
    if (session.addElement(element.section, fmt::format("{{ \"name\": {}, {} }}", quoted(name), json))
            .empty())
        view.selection = {element.section, name};
}

// Forms of a body, by its material. A length [m] is that of its longest edge.
struct NewBody {
    const char *label, *name;
    bool (*isFor)(const MaterialProperties& material);
    std::string (*json)(float length);
};
const NewBody kNewBodies[] = {
    {"Box", "block", isFlowing,
     [](float length) { return fmt::format("\"block\": {{ \"size\": {} }}", vectorOf(glm::vec3(length))); }},
    {"Sphere", "ball", isFlowing,
     [](float length) { return fmt::format("\"sphere\": {{ \"radius\": {:.3g} }}", length / 2); }},
    {"Box", "block", isShapeMatched,
     [](float length) { return fmt::format("\"shape\": \"cube\", \"height\": {:.3g}", length); }},
    {"Sphere", "ball", isShapeMatched,
     [](float length) { return fmt::format("\"shape\": \"sphere\", \"height\": {:.3g}", length); }},
    {"Sheet", "sheet", [](const MaterialProperties& m) { return m.kind == MaterialKind::cloth; },
     [](float length) {
         return fmt::format("\"grid\": {{ \"size\": {} }}", vectorOf({length, 0, length}));
     }},
    {"Rope", "rope", [](const MaterialProperties& m) { return m.kind == MaterialKind::rope; },
     [](float length) {
         return fmt::format("\"rope\": {{ \"points\": [{}, {}] }}", vectorOf({-length / 2, 0, 0}),
                            vectorOf({length / 2, 0, 0}));
     }},
};

void addBody(Session& session, ViewSettings& view, const NewBody& body, const std::string& material,
             float spacing) {
    const float distance = glm::distance(view.camera.eye, view.camera.look);
    // a few particles wide at least
    const float length =
        std::max(0.12f * 2 * halfExtent(view.camera, distance, kNarrowAspect).y, 5 * spacing);
    const std::string name = session.freeName("bodies", body.name);
    if (session
            .addElement("bodies",
                        fmt::format("{{ \"name\": {}, \"material\": {}, {}, \"center\": {} }}", quoted(name),
                                    quoted(material), body.json(length), vectorOf(view.camera.look)))
            .empty())
        view.selection = {"bodies", name};
}

void drawAdd(const Scene& scene, Action& action) {
    if (button("add", "Add \u2026", -1, "Adds an element or a body where the camera looks, and restarts."))
        ImGui::OpenPopup("add element");
    if (!ImGui::BeginPopup("add element")) return;
    for (const Material& material : scene.materials) {
        for (const NewBody& body : kNewBodies) {
            if (!body.isFor(material.properties)) continue;
            if (ImGui::Selectable(fmt::format("{} of {}", body.label, material.name).c_str()))
                action = [&body, name = material.name, d = material.properties.spacing](
                             Session& session, ViewSettings& view) { addBody(session, view, body, name, d); };
            nameItem(fmt::format("add.{}.{}", body.name, material.name));
        }
    }
    ImGui::Separator();
    for (const NewElement& element : kNewElements) {
        if (ImGui::Selectable(element.label))
            action = [&element](Session& session, ViewSettings& view) { addElement(session, view, element); };
        nameItem(std::string("add.") + element.name);
    }
    ImGui::EndPopup();
}

// Whether a shape is drawn is a value of the scene.
void drawHideOfShape(Session& session, const Selection& element) {
    const std::vector<Shape>& shapes = session.world().shapes;
    const auto shape = std::ranges::find(shapes, element.element, &Shape::name);
    if (shape == shapes.end()) return;
    if (button("hide." + element.path(), shape->visible ? "Hide" : "Show", 0, "Whether it is drawn."))
        session.edit({element.path() + ".visible", {}, shape->visible ? "false" : "true"});
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
            const bool canHide = element.section == "shapes";
            if (choiceButton(
                    "gizmo." + element.path(), selected ? "Hide gizmo" : "Show gizmo", selected,
                    canHide ? -widthOf({"Hide"}) : -1,
                    "Arrows, squares and rings in the viewport move and turn the element; hold Ctrl to "
                    "snap. Shapes can also be selected by a click."))
                view.selection = selected ? Selection{} : element;
            if (canHide) ImGui::SameLine();
        }
        if (element.section == "shapes") drawHideOfShape(session, element);
        if (!session.playsCache()) drawStructure(element, action);
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

}  // namespace

void PageObjects::drawPlacement(const Body& body, Action& action) {
    if (!beginValues("placement")) return;
    row("Start position [m]");
    Placement now{body.name, {body.center.x, body.center.y, body.center.z}};
    if (m_placement && m_placement->body == body.name) now = *m_placement;
    const float speed =
        0.01f * std::max({std::abs(now.center[0]), std::abs(now.center[1]), std::abs(now.center[2]), 0.1f});
    if (ImGui::DragFloat3("##center", now.center, speed, 0, 0, "%.4g")) m_placement = now;
    const bool ended = ImGui::IsItemDeactivated();
    nameItem("place.bodies." + body.name, "Its center at the start. A new one restarts the scene.");
    if (ended && m_placement && m_placement->body == body.name) {
        const Placement to = *std::exchange(m_placement, {});
        if (!ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape)))
            action = [to](Session& session, ViewSettings&) {
                session.placeBody(to.body, {to.center[0], to.center[1], to.center[2]});
            };
    }
    ImGui::EndTable();
}

// Bodies have no gizmo: a box shows where their particles are.
void PageObjects::drawBodies(const Session& session, ViewSettings& view, Action& action) {
    const Scene& scene = session.scene();
    if (scene.bodies.empty()) return;
    if (!heading("heading.bodies", fmt::format("Bodies ({})", scene.bodies.size()), false)) return;
    for (const Body& body : scene.bodies) {
        const Selection element{"bodies", body.name};
        const bool selected = view.selection == element, hidden = view.hiddenBodies.contains(body.name);
        ImGui::PushID(body.name.c_str());
        const std::string label = body.name + (hidden ? "  (hidden)" : "") + "###body";
        const bool open = ImGui::TreeNodeEx(
            label.c_str(), ImGuiTreeNodeFlags_SpanAvailWidth | (selected ? ImGuiTreeNodeFlags_Selected : 0));
        nameItem("element.bodies." + body.name);
        if (open) {
            ImGui::TextDisabled("Of %s.", scene.materials.at(body.material).name.c_str());
            if (choiceButton("gizmo." + element.path(), selected ? "Hide box" : "Show box", selected,
                             -widthOf({hidden ? "Show" : "Hide"}),
                             "A box in the viewport shows where its particles are."))
                view.selection = selected ? Selection{} : element;
            ImGui::SameLine();
            if (button("hide." + element.path(), hidden ? "Show" : "Hide", 0,
                       "Whether it is drawn in this window. Recordings show it as the window does; the scene "
                       "does "
                       "not change.")) {
                if (!view.hiddenBodies.erase(body.name)) view.hiddenBodies.insert(body.name);
            }
            if (!session.playsCache()) {
                drawStructure(element, action);
                drawPlacement(body, action);
            }
            ImGui::TreePop();
        }
        ImGui::PopID();
    }
}

void PageObjects::draw(Session& session, ViewSettings& view, PanelRows& rows) {
    const World& world = session.world();
    Action action;
    if (!session.playsCache()) drawAdd(session.scene(), action);
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
                                       ? particleCount(p.emitted)
                                       : withThousands(p.emitted) + (p.emitted == 1 ? " body" : " bodies"));
                 if (p.blocked) text += fmt::format("; {} blocked", p.blocked);
                 if (e.properties.maximum > 0 && p.emitted >= uint64_t(e.properties.maximum))
                     text += "; maximum reached";
                 if (!e.on.empty()) text += "; attached to " + e.on;
                 return text + ".";
             });
    drawList(session, view, rows, "Sinks", "sinks", world.sinks, action, [&](const Sink&, size_t k) {
        const auto& removedBySink = world.spawning.removedBySink;
        return particleCount(k < removedBySink.size() ? removedBySink[k] : 0) + " removed.";
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
    drawBodies(session, view, action);
    if (action) action(session, view);
}

}  // namespace coalesce
