#include "view/widgets/style.h"

#include <filesystem>
#include <imgui.h>

#include "render/frame/font.h"

namespace coalesce {

namespace {

// Descriptions in the manifests have Greek letters, superscripts, arrows and operators.
constexpr ImWchar kGlyphs[] = {0x0020, 0x00ff, 0x0370, 0x03ff, 0x2010, 0x2044, 0x2070,
                               0x209c, 0x2190, 0x21ff, 0x2200, 0x22ff, 0};

void loadFont(float size) {
    ImFontAtlas* fonts = ImGui::GetIO().Fonts;
    const std::filesystem::path file = interfaceFont();
    if (!file.empty() && fonts->AddFontFromFileTTF(file.c_str(), size, nullptr, kGlyphs)) return;
    // the built-in bitmap font, at an integer multiple of its size; missing glyphs show as "?"
    ImFontConfig config;
    config.SizePixels = size < 20 ? 13 : 26;
    fonts->AddFontDefault(&config);
}

}  // namespace

void applyStyle(float scale) {
    ImGui::GetIO().Fonts->Clear();
    loadFont(15 * scale);
    ImGuiStyle& s = ImGui::GetStyle();
    s = ImGuiStyle();  // reset first: ScaleAllSizes() below is relative
    ImGui::StyleColorsDark();
    s.WindowPadding = {12, 10};
    s.FramePadding = {7, 4};
    s.ItemSpacing = {8, 6};
    s.ItemInnerSpacing = {6, 4};
    s.CellPadding = {4, 3};
    s.ScrollbarSize = 12;
    s.GrabMinSize = 10;
    s.WindowRounding = 6;
    s.FrameRounding = s.GrabRounding = s.PopupRounding = s.TabRounding = s.ScrollbarRounding = 4;
    s.WindowBorderSize = s.PopupBorderSize = 1;
    s.FrameBorderSize = 0;
    s.ScaleAllSizes(scale);

    // grays with one accent
    const auto gray = [](float value, float alpha = 1) {
        return ImVec4(value, value * 1.02f, value * 1.06f, alpha);
    };
    const auto accent = [](float value, float alpha = 1) {
        return ImVec4(0.30f * value, 0.62f * value, 0.90f * value, alpha);
    };
    ImVec4* c = s.Colors;
    c[ImGuiCol_Text] = gray(0.90f);
    c[ImGuiCol_TextDisabled] = gray(0.55f);
    c[ImGuiCol_WindowBg] = gray(0.10f, 0.96f);
    c[ImGuiCol_PopupBg] = gray(0.12f, 0.98f);
    c[ImGuiCol_Border] = gray(0.24f, 0.7f);
    c[ImGuiCol_FrameBg] = gray(0.18f);
    c[ImGuiCol_FrameBgHovered] = gray(0.23f);
    c[ImGuiCol_FrameBgActive] = gray(0.27f);
    // translucent: the number is drawn over it
    c[ImGuiCol_SliderGrab] = accent(0.95f, 0.45f);
    c[ImGuiCol_SliderGrabActive] = accent(1.05f, 0.6f);
    c[ImGuiCol_CheckMark] = accent(1.05f);
    c[ImGuiCol_Button] = gray(0.21f);
    c[ImGuiCol_ButtonHovered] = gray(0.28f);
    c[ImGuiCol_ButtonActive] = accent(0.6f);
    c[ImGuiCol_Header] = gray(0.17f);
    c[ImGuiCol_HeaderHovered] = gray(0.23f);
    c[ImGuiCol_HeaderActive] = gray(0.27f);
    c[ImGuiCol_Tab] = gray(0.15f);
    c[ImGuiCol_TabHovered] = accent(0.55f);
    c[ImGuiCol_TabActive] = accent(0.42f);
    c[ImGuiCol_Separator] = gray(0.24f);
    c[ImGuiCol_ScrollbarBg] = gray(0.10f, 0.0f);
    c[ImGuiCol_ScrollbarGrab] = gray(0.26f);
    c[ImGuiCol_TableRowBgAlt] = gray(1, 0.02f);
    c[ImGuiCol_TitleBg] = c[ImGuiCol_TitleBgActive] = gray(0.17f);
    c[ImGuiCol_ModalWindowDimBg] = gray(0, 0.5f);
    c[ImGuiCol_TextSelectedBg] = accent(0.7f, 0.45f);
}

}  // namespace coalesce
