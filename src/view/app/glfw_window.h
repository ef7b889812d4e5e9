// GLFW, one window with its OpenGL context, and Dear ImGui on it.
#pragma once

#include <string>

struct GLFWwindow;

namespace coalesce {

struct Size {
    int width = 0, height = 0;
    bool operator==(const Size&) const = default;
};

class GlfwWindow {
public:
    // unpaced: without vertical sync. Throws Exit::Graphics, with the advice, if no window can open.
    GlfwWindow(Size size, bool unpaced, const std::string& advice);
    ~GlfwWindow();
    GlfwWindow(const GlfwWindow&) = delete;
    GlfwWindow& operator=(const GlfwWindow&) = delete;

    GLFWwindow* get() const { return m_window; }
    Size framebufferSize() const;  // [px]; 0 x 0 when minimized
    bool isHeld(int key) const;    // GLFW key code

private:
    GLFWwindow* m_window = nullptr;
};

class Interface {
public:
    // fontScale: relative to the display's own scale.
    Interface(GLFWwindow* window, float fontScale);
    ~Interface();
    Interface(const Interface&) = delete;
    Interface& operator=(const Interface&) = delete;

    // Not within a frame.
    void setFontScale(float fontScale);
    float fontScale() const { return m_fontScale; }

    void begin();  // of a frame
    void draw();   // the frame, into the window

private:
    GLFWwindow* m_window;
    float m_fontScale;
};

}  // namespace coalesce
