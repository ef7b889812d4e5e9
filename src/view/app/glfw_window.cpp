#include "view/app/glfw_window.h"

#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>

#include "render/gl/gl.h"
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <cstdlib>

#include "core/error.h"
#include "view/widgets/style.h"
#include "view/widgets/widgets.h"

namespace coalesce {

namespace {

float contentScale(GLFWwindow* window) {
    float scale = 1, unused = 1;
    glfwGetWindowContentScale(window, &scale, &unused);
    return scale;
}

}  // namespace

GlfwWindow::GlfwWindow(Size size, bool unpaced, const std::string& advice) {
    const auto refuse = [&](const std::string& what) {
        fail(Exit::Graphics, "coalesce view", "no window can open: " + what, advice);
    };
    if (!std::getenv("DISPLAY") && !std::getenv("WAYLAND_DISPLAY"))
        refuse("there is no display (DISPLAY is not set)");
    const auto lastError = [] {
        const char* text = nullptr;
        glfwGetError(&text);
        return std::string(text ? text : "GLFW gives no reason");
    };
    if (!glfwInit()) refuse(lastError());
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 5);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    m_window = glfwCreateWindow(size.width, size.height, "Coalesce", nullptr, nullptr);
    if (!m_window) {
        const std::string why = lastError();
        glfwTerminate();
        refuse(why);
    }
    glfwMakeContextCurrent(m_window);
    if (!gladLoadGL(glfwGetProcAddress) || !GLAD_GL_VERSION_4_5) {
        glfwDestroyWindow(m_window);
        glfwTerminate();
        refuse("the display's OpenGL is older than 4.5");
    }
    glfwSwapInterval(unpaced ? 0 : 1);
}

GlfwWindow::~GlfwWindow() {
    glfwDestroyWindow(m_window);
    glfwTerminate();
}

Size GlfwWindow::framebufferSize() const {
    Size size;
    glfwGetFramebufferSize(m_window, &size.width, &size.height);
    return size;
}

bool GlfwWindow::isHeld(int key) const {
    return glfwGetKey(m_window, key) == GLFW_PRESS;
}

Interface::Interface(GLFWwindow* window, float fontScale) : m_window(window), m_fontScale(fontScale) {
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;  // the layout is fixed; no file is written
    applyStyle(contentScale(window) * fontScale);
    ImGui_ImplGlfw_InitForOpenGL(window, true);
    ImGui_ImplOpenGL3_Init("#version 450 core");
}

Interface::~Interface() {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
}

void Interface::setFontScale(float fontScale) {
    m_fontScale = fontScale;
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    applyStyle(contentScale(m_window) * fontScale);
    ImGui_ImplOpenGL3_CreateFontsTexture();
}

void Interface::begin() {
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    navigatePopupsByKeys();
    ImGui::NewFrame();
}

void Interface::draw() {
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

}  // namespace coalesce
