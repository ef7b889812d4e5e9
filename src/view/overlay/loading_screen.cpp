#include "view/overlay/loading_screen.h"

#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include "render/gl/gl.h"
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace coalesce {

LoadingScreen::LoadingScreen(GLFWwindow* window)
    : m_window(window), m_context(ImGui::CreateContext(ImGui::GetIO().Fonts)) {}

LoadingScreen::~LoadingScreen() {
    ImGui::DestroyContext(m_context);
}

void LoadingScreen::show(const std::string& title, const std::string& detail,
                         const std::function<void()>& under) {
    int width = 0, height = 0, pixelsWide = 0, pixelsHigh = 0;
    glfwGetWindowSize(m_window, &width, &height);
    glfwGetFramebufferSize(m_window, &pixelsWide, &pixelsHigh);
    if (width < 1 || height < 1 || pixelsWide < 1 || pixelsHigh < 1) return;  // minimized
    ImGui_ImplOpenGL3_NewFrame();  // uploads the font before the first frame

    ImGuiContext* present = ImGui::GetCurrentContext();
    const ImGuiStyle style = ImGui::GetStyle();
    ImGui::SetCurrentContext(m_context);
    ImGui::GetStyle() = style;
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = {float(width), float(height)};
    io.DisplayFramebufferScale = {float(pixelsWide) / io.DisplaySize.x, float(pixelsHigh) / io.DisplaySize.y};
    io.DeltaTime = 1.0f / 60;
    // twice: ImGui sizes a window by its contents of the previous frame
    for (int k = 0; k < 2; ++k) {
        ImGui::NewFrame();
        ImGui::SetNextWindowPos({io.DisplaySize.x / 2, io.DisplaySize.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
        ImGui::Begin("Loading", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_AlwaysAutoResize);
        ImGui::TextUnformatted(title.c_str());
        if (!detail.empty()) ImGui::TextDisabled("%s", detail.c_str());
        ImGui::End();
        ImGui::Render();
    }
    ImDrawData* message = ImGui::GetDrawData();
    ImGui::SetCurrentContext(present);

    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, pixelsWide, pixelsHigh);
    glDisable(GL_SCISSOR_TEST);
    glClearColor(0.1f, 0.1f, 0.1f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    if (under) under();
    ImGui_ImplOpenGL3_RenderDrawData(message);
    glfwSwapBuffers(m_window);
}

}  // namespace coalesce
