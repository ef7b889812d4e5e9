#include "view/panel.h"

#include <algorithm>
#include <cctype>
#include <cfloat>
#include <fmt/format.h>
#include <imgui.h>

#include "bridge/scene_camera.h"

namespace coalesce {

namespace {

const ImVec4 kChanged(0.98f, 0.76f, 0.36f, 1);  // values that differ from the scene's
const ImVec4 kWarning(0.98f, 0.52f, 0.42f, 1);

std::string lower(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

// "%.4g m/s"; the sign for "no unit" is left out
std::string formatOf(const char* number, const ParameterInfo& info) {
    const std::string unit = info.unit;
    return unit == "-" ? number : std::string(number) + " " + unit;
}

ImGuiSliderFlags flagsOf(const ParameterInfo& info) {
    return ImGuiSliderFlags_AlwaysClamp | (info.scale == Scale::Log ? ImGuiSliderFlags_Logarithmic : 0);
}

// ---- one widget per type of field ----

void widget(float& value, const ParameterInfo& info) {
    ImGui::SliderFloat("##value", &value, static_cast<float>(info.min), static_cast<float>(info.max),
                       formatOf("%.4g", info).c_str(), flagsOf(info));
}

void widget(int& value, const ParameterInfo& info) {
    ImGui::SliderInt("##value", &value, static_cast<int>(info.min), static_cast<int>(info.max),
                     formatOf("%d", info).c_str(), flagsOf(info));
}

void widget(bool& value, const ParameterInfo&) {
    ImGui::Checkbox("##value", &value);
}

void widget(Vec3& value, const ParameterInfo& info) {
    float components[3] = {value.x, value.y, value.z};
    if (std::string_view(info.unit) == "linear RGB") {
        ImGui::ColorEdit3("##value", components, ImGuiColorEditFlags_Float);
    } else {
        // drags, because a slider of a third of the width is too coarse; a hundredth of the value per pixel
        const float size = std::max({std::abs(value.x), std::abs(value.y), std::abs(value.z), 1e-3f});
        ImGui::DragFloat3("##value", components, 0.01f * size, static_cast<float>(info.min),
                          static_cast<float>(info.max), "%.4g", ImGuiSliderFlags_AlwaysClamp);
    }
    value = {components[0], components[1], components[2]};
}

template <class Enum>
requires std::is_enum_v<Enum>
void widget(Enum& value, const ParameterInfo&) {
    const auto& names = choiceNames<Enum>();
    const auto name = [&](size_t k) { return std::string(names[k]); };
    if (!ImGui::BeginCombo("##value", name(static_cast<size_t>(value)).c_str())) return;
    for (size_t k = 0; k < names.size(); ++k)
        if (ImGui::Selectable(name(k).c_str(), k == static_cast<size_t>(value))) value = static_cast<Enum>(k);
    ImGui::EndCombo();
}

// ---- and its value in words ----

std::string words(float value) {
    return fmt::format("{:g}", value);
}
std::string words(int value) {
    return fmt::format("{}", value);
}
std::string words(bool value) {
    return value ? "on" : "off";
}
std::string words(const Vec3& value) {
    return fmt::format("{:g}, {:g}, {:g}", value.x, value.y, value.z);
}
template <class Enum>
requires std::is_enum_v<Enum> std::string words(Enum value) {
    return std::string(choiceNames<Enum>()[static_cast<size_t>(value)]);
}

void wrappedTooltip(const std::string& text) {
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(ImGui::GetFontSize() * 24);
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

bool beginRows(const char* id) {
    if (!ImGui::BeginTable(id, 2, ImGuiTableFlags_SizingStretchProp)) return false;
    ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthStretch, 0.42f);
    ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch, 0.58f);
    return true;
}

// A label at the left; what follows is the value.
void row(const char* label) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(label);
    ImGui::TableNextColumn();
    ImGui::SetNextItemWidth(-FLT_MIN);
}

// A combo over names; "" is shown as `none`. Returns true when another one was chosen.
bool chooseName(const char* id, std::string& chosen, const std::vector<std::string>& names,
                const char* none) {
    bool changed = false;
    if (!ImGui::BeginCombo(id, chosen.empty() ? none : chosen.c_str())) return false;
    const auto offer = [&](const std::string& name, const char* label) {
        if (ImGui::Selectable(label, chosen == name) && chosen != name) chosen = name, changed = true;
    };
    offer("", none);
    for (const std::string& name : names) offer(name, name.c_str());
    ImGui::EndCombo();
    return changed;
}

}  // namespace

void Panel::draw(Session& session, Look& look, float height) {
    m_placed.clear();
    const float em = ImGui::GetFontSize();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSizeConstraints({em * 18, height}, {em * 44, height});
    ImGui::SetNextWindowSize({startWidth > 0 ? startWidth : em * 24, height}, ImGuiCond_Once);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
    ImGui::Begin("Coalesce", nullptr,
                 ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoTitleBar);
    ImGui::PopStyleVar();
    drawScenes(session);
    drawTime(session);
    if (ImGui::CollapsingHeader("Look")) drawLook(session, look);
    if (ImGui::CollapsingHeader("Parameters", ImGuiTreeNodeFlags_DefaultOpen)) drawParameters(session);
    m_width = ImGui::GetWindowWidth();
    ImGui::End();
}

void Panel::open(Session& session, const SceneEntry& entry) {
    openEntry(session, entry);
}

void Panel::openNeighbor(Session& session, int step) {
    if (m_scenes.empty()) return;
    const auto count = static_cast<int>(m_scenes.size());
    int at = 0;
    for (int k = 0; k < count; ++k)
        if (m_scenes[k].name == session.scene().name) at = k;
    open(session, m_scenes[((at + step) % count + count) % count]);
}

void Panel::drawScenes(Session& session) {
    const Scene& scene = session.scene();
    if (!beginRows("scene")) return;
    row("Scene");
    if (ImGui::BeginCombo("##scene", scene.name.c_str(), ImGuiComboFlags_HeightLarge)) {
        for (const SceneEntry& entry : m_scenes) {
            const bool broken = !entry.error.empty();
            if (broken) ImGui::PushStyleColor(ImGuiCol_Text, kWarning);
            if (ImGui::Selectable(entry.name.c_str(), entry.name == scene.name)) open(session, entry);
            if (broken) ImGui::PopStyleColor();
            if (ImGui::IsItemHovered()) wrappedTooltip(broken ? entry.error : entry.about);
        }
        ImGui::EndCombo();
    }
    place("scene");
    if (!scene.about.empty() && ImGui::IsItemHovered()) wrappedTooltip(scene.about);

    SceneChoice choice = session.choice();
    bool changed = false;
    if (!scene.sizes.empty()) {
        row("Size");
        changed |= chooseName("##size", choice.size, scene.sizes, "as in the file");
        place("size");
    }
    if (!scene.cases.empty()) {
        row("Case");
        changed |= chooseName("##case", choice.caseName, scene.cases, "as in the file");
        place("case");
    }
    ImGui::EndTable();
    if (changed) session.open(std::filesystem::path(scene.file), choice);
}

void Panel::drawTime(Session& session) {
    const float width = (ImGui::GetContentRegionAvail().x - 2 * ImGui::GetStyle().ItemSpacing.x) / 3;
    if (ImGui::Button(session.paused ? "Go on" : "Pause", {width, 0})) session.paused = !session.paused;
    place("pause");
    ImGui::SameLine();
    if (ImGui::Button("Step", {width, 0})) {
        session.paused = true;
        session.step();
    }
    ImGui::SameLine();
    if (ImGui::Button("Reset", {width, 0})) session.reset(!ImGui::GetIO().KeyShift);
    if (ImGui::IsItemHovered())
        wrappedTooltip("Starts again with the values as they are now; with Shift, as in the file.");
    ImGui::Spacing();
}

void Panel::drawLook(Session& session, Look& look) {
    if (!beginRows("look")) return;
    row("Show");
    const bool surface = look.draw.mode == DrawMode::Surface;
    if (ImGui::BeginCombo("##show", surface ? "surface" : infoOf(look.quantity).label)) {
        if (ImGui::Selectable("surface", surface)) look.draw.mode = DrawMode::Surface;
        for (const QuantityInfo& q : kQuantities)
            if (ImGui::Selectable(q.label, !surface && q.quantity == look.quantity))
                look.showQuantity(q.quantity);
        ImGui::EndCombo();
    }
    place("look.show");
    row("Quality");
    int quality = static_cast<int>(look.draw.quality);
    if (ImGui::Combo("##quality", &quality, "points\0spheres\0ellipsoids\0record\0"))
        look.draw.quality = static_cast<Quality>(quality);
    row("Background");
    int background = static_cast<int>(look.draw.background);
    if (ImGui::Combo("##background", &background, "studio\0sky\0plain\0"))
        look.draw.background = static_cast<Background>(background);
    row("Exposure");
    ImGui::SliderFloat("##exposure", &look.draw.exposure, 0.1f, 4, "%.2f", ImGuiSliderFlags_Logarithmic);
    const std::vector<CameraView>& cameras = session.scene().cameras;
    row("Camera");
    const size_t shown = std::min(look.cameraIndex, cameras.size() - 1);
    if (ImGui::BeginCombo("##camera", cameras[shown].name.c_str())) {
        for (size_t k = 0; k < cameras.size(); ++k) {
            ImGui::PushID(static_cast<int>(k));
            if (ImGui::Selectable(cameras[k].name.c_str(), k == shown)) {
                look.cameraIndex = k;
                look.camera = cameraOf(cameras[k]);
            }
            ImGui::PopID();
        }
        ImGui::EndCombo();
    }
    row("Cloth");
    int cloth = static_cast<int>(look.draw.cloth);
    if (ImGui::Combo("##cloth", &cloth, "solid\0outlined\0wire\0"))
        look.draw.cloth = static_cast<ClothWay>(cloth);
    ImGui::EndTable();
    ImGui::Checkbox("Shapes", &look.draw.shapes);
    ImGui::SameLine();
    ImGui::Checkbox("Outlines", &look.draw.wire);
    ImGui::SameLine();
    ImGui::Checkbox("Shadows", &look.draw.shadows);
    ImGui::SameLine();
    ImGui::Checkbox("Contacts", &look.contactLines);
    ImGui::SameLine();
    ImGui::Checkbox("Springs", &look.springLines);
    ImGui::Spacing();
}

bool Panel::matches(const std::string& path, const char* about) const {
    const std::string wanted = lower(m_search);
    return wanted.empty() || lower(path).find(wanted) != std::string::npos ||
           lower(about).find(wanted) != std::string::npos;
}

void Panel::drawParameters(Session& session) {
    ImGui::SetNextItemWidth(-FLT_MIN);
    ImGui::InputTextWithHint("##search", "Search", m_search, sizeof m_search);
    place("search");

    bool any = drawFields(session.world().parameters, session.scene().parameters, "");
    for (size_t k = 0; k < session.world().materials.size(); ++k) {
        Material& material = session.world().materials[k];
        ImGui::PushID(static_cast<int>(k));
        any |= drawFields(material.properties, session.scene().materials[k].properties,
                          "materials." + material.name);
        ImGui::PopID();
    }
    for (size_t k = 0; k < session.world().fields.size(); ++k) {
        ForceField& field = session.world().fields[k];
        ImGui::PushID(static_cast<int>(session.world().materials.size() + k));
        any |= drawFields(field.properties, session.scene().fields[k].properties, "fields." + field.name);
        ImGui::PopID();
    }
    const auto drawList = [&](auto& now, const auto& before, const char* section) {
        for (size_t k = 0; k < now.size(); ++k) {
            ImGui::PushID(section);
            ImGui::PushID(static_cast<int>(k));
            any |= drawFields(now[k].properties, before[k].properties, section + now[k].name);
            ImGui::PopID();
            ImGui::PopID();
        }
    };
    drawList(session.world().emitters, session.scene().emitters, "emitters.");
    drawList(session.world().sinks, session.scene().sinks, "sinks.");
    if (!any) ImGui::TextDisabled("Nothing has this in its name or description.");
}

// All fields of a struct of the manifests, a heading and a table per group; a prefix replaces the group's
// name.
template <class Fields>
bool Panel::drawFields(Fields& values, const Fields& originals, const std::string& prefix) {
    // the two structs are visited side by side
    std::vector<const void*> before;
    forEachParameter(originals, [&](const auto& value, const ParameterInfo&) { before.push_back(&value); });

    std::string open;  // the group whose table is open
    size_t at = 0;
    forEachParameter(values, [&]<class T>(T& value, const ParameterInfo& info) {
        const T& original = *static_cast<const T*>(before[at++]);
        const std::string group = prefix.empty() ? info.group : prefix, path = group + "." + info.name;
        if (!matches(path, info.about)) return;
        if (open != group) {
            if (!open.empty()) ImGui::EndTable();
            open.clear();
            ImGui::Spacing();
            ImGui::TextDisabled("%s", group.c_str());
            ImGui::Separator();
            if (!beginRows(group.c_str())) return;
            open = group;
        }
        drawField(value, original, info, path);
    });
    if (open.empty()) return false;
    ImGui::EndTable();
    return true;
}

template <class T, class Info>
void Panel::drawField(T& value, const T& original, const Info& info, const std::string& path) {
    const bool changed = !(value == original);
    ImGui::PushID(path.c_str());
    if (changed) ImGui::PushStyleColor(ImGuiCol_Text, kChanged);
    row(info.name);
    widget(value, info);
    if (changed) ImGui::PopStyleColor();
    place(path);
    if (ImGui::IsItemHovered() && !ImGui::IsItemActive()) {
        std::string text = info.about;
        if (info.max > info.min && !std::is_same_v<T, bool>)
            text += fmt::format("\n{:g} to {:g}{}", info.min, info.max,
                                std::string_view(info.unit) == "-" ? "" : fmt::format(" {}", info.unit));
        wrappedTooltip(text + fmt::format("\nIn the scene: {}", words(original)));
    }
    if (ImGui::BeginPopupContextItem("menu")) {
        if (ImGui::MenuItem(fmt::format("Reset to {}", words(original)).c_str(), nullptr, false, changed))
            value = original;
        place("reset");
        if (ImGui::MenuItem("Copy path")) ImGui::SetClipboardText(path.c_str());
        ImGui::EndPopup();
    }
    ImGui::PopID();
}

void Panel::place(const std::string& path) {
    const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
    m_placed.push_back({path, low.x, low.y, high.x, high.y});
}

}  // namespace coalesce
