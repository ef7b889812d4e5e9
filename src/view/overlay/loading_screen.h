// A few words in the middle of the window before work that takes long: at once, whatever else is being drawn.
#pragma once

#include <functional>
#include <string>

struct GLFWwindow;
struct ImGuiContext;

namespace coalesce {

class LoadingScreen {
public:
    // With the letters of the present ImGui context, whose OpenGL backend draws it.
    explicit LoadingScreen(GLFWwindow* window);
    ~LoadingScreen();
    LoadingScreen(const LoadingScreen&) = delete;
    LoadingScreen& operator=(const LoadingScreen&) = delete;

    // Returns when it is on the display. under: draws what the words lie on; nothing: a plain ground.
    void show(const std::string& title, const std::string& detail, const std::function<void()>& under = {});

private:
    GLFWwindow* m_window;
    ImGuiContext* m_context;  // its own: another one may be in the middle of a picture
};

}  // namespace coalesce
