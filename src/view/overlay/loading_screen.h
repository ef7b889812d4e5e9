// A message in the middle of the window before work that takes long. Shown at once, also during a frame.
#pragma once

#include <functional>
#include <string>

struct GLFWwindow;
struct ImGuiContext;

namespace coalesce {

class LoadingScreen {
public:
    // Uses the fonts and the OpenGL backend of the present ImGui context.
    explicit LoadingScreen(GLFWwindow* window);
    ~LoadingScreen();
    LoadingScreen(const LoadingScreen&) = delete;
    LoadingScreen& operator=(const LoadingScreen&) = delete;

    // Returns when it is on the display. under: draws the background; empty: a plain color.
    void show(const std::string& title, const std::string& detail, const std::function<void()>& under = {});

private:
    GLFWwindow* m_window;
    ImGuiContext* m_context;  // its own: the other one may be within a frame
};

}  // namespace coalesce
