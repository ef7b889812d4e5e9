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
    // The title follows. unpaced: pictures do not wait for the display. Exit::Graphics, with the advice,
    // where no window can open.
    GlfwWindow(Size size, bool unpaced, const std::string& advice);
    ~GlfwWindow();
    GlfwWindow(const GlfwWindow&) = delete;
    GlfwWindow& operator=(const GlfwWindow&) = delete;

    GLFWwindow* get() const { return m_window; }
    Size framebufferSize() const;  // [px]; 0 x 0 when minimized
    bool isHeld(int key) const;    // GLFW's code

private:
    GLFWwindow* m_window = nullptr;
};

class Interface {
public:
    // fontScale: of the display's own size of letters.
    Interface(GLFWwindow* window, float fontScale);
    ~Interface();
    Interface(const Interface&) = delete;
    Interface& operator=(const Interface&) = delete;

    // Between two pictures.
    void setFontScale(float fontScale);
    float fontScale() const { return m_fontScale; }

    void begin();  // of what one picture shows
    void draw();   // what it showed, into the window

private:
    GLFWwindow* m_window;
    float m_fontScale;
};

}  // namespace coalesce
