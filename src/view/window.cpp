#include "view/window.h"

#include <imgui.h>

#include "render/gl.h"
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <chrono>
#include <fmt/format.h>
#include <utility>

#include "bridge/graphics_error.h"
#include "bridge/scene_camera.h"
#include "sim/state.h"
#include "view/actions.h"
#include "view/glfw_window.h"
#include "view/mouse.h"
#include "view/readout_card.h"

namespace coalesce {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point& last) {
    const auto now = Clock::now();
    return std::chrono::duration<double>(now - std::exchange(last, now)).count();
}

class Viewer {
public:
    explicit Viewer(const ViewOptions& o)
        : m_options(o),
          m_session(o.scene, o.choice, o.exec),
          // a run of a fixed number of frames is not bound to the display's rate
          m_window({o.width, o.height}, o.frames.has_value(), o.advice),
          m_interface(m_window.get()),
          m_renderer(orNoGraphics([] { return Renderer(liveShaders()); })),
          m_picture([this](const std::string& line) { note(line); }),
          m_panel(listScenes(o.sceneFolder)),
          m_look(o.look),
          m_mouse([this](int key) { return m_window.isHeld(key); }) {
        takeCamera(m_session, m_look, findCamera(m_session.scene(), o.camera));
        m_sceneFile = m_session.scene().file;
        if (!o.loadState.empty()) m_session.load(o.loadState);
        if (!o.saveReplay.empty()) m_session.startRecording();
        m_renderer.enableTimings(true);
        // ImGui's callbacks call the ones that were there before; so ours, set later, must call ImGui's
        glfwSetWindowUserPointer(m_window.get(), this);
        m_imguiKeys =
            glfwSetKeyCallback(m_window.get(), [](GLFWwindow* w, int key, int code, int action, int mods) {
                static_cast<Viewer*>(glfwGetWindowUserPointer(w))->onKey(key, code, action, mods);
            });
    }

    void run() {
        uint64_t shown = 0;
        Clock::time_point last = Clock::now(), lastPoll = last;
        while (!glfwWindowShouldClose(m_window.get())) {
            glfwPollEvents();
            const double elapsed = secondsSince(last);
            simulate(elapsed, shown == 0);
            if (Clock::now() - lastPoll > std::chrono::milliseconds(500)) {
                lastPoll = Clock::now();
                m_renderer.pollShaders();
            }
            followScene();
            m_picture.publish(m_session, m_look);
            drawInterface(elapsed);
            drawPicture();
            m_interface.draw();
            ++shown;
            const bool leaving = m_options.frames && shown >= *m_options.frames;
            if (leaving && !m_options.screenshot.empty()) saveWindow(m_options.screenshot);
            takeScreenshots();
            glfwSwapBuffers(m_window.get());
            if (leaving || m_desk.leave) glfwSetWindowShouldClose(m_window.get(), GLFW_TRUE);
        }
        if (!m_options.saveState.empty()) saveState(m_session.world(), m_options.saveState);
        if (!m_options.saveReplay.empty()) m_session.saveReplay(m_options.saveReplay);
    }

private:
    void note(const std::string& line) {
        if (!m_options.quiet) fmt::print(stderr, "{}\n", line);
        m_overlay.say(line);
    }

    // The first picture shows the start.
    void simulate(double elapsed, bool first) {
        if (!m_options.frames)
            m_session.advance(elapsed);
        else if (!first)
            m_session.advanceFrames(1, elapsed);
    }

    // Another scene has other cameras. True: the world is another.
    bool followScene() {
        if (!m_picture.follow(m_session)) return false;
        if (m_sceneFile != m_session.scene().file) {
            m_sceneFile = m_session.scene().file;
            takeCamera(m_session, m_look, 0);
        }
        glfwSetWindowTitle(m_window.get(), ("Coalesce: " + m_session.scene().name).c_str());
        return true;
    }

    // [px] of the panel in the framebuffer, which may have more pixels than the window has units
    int panelWidth() const {
        return m_look.panel ? static_cast<int>(m_panel.width() * ImGui::GetIO().DisplayFramebufferScale.x)
                            : 0;
    }

    void drawInterface(double elapsed) {
        m_interface.begin();
        const ImVec2 size = ImGui::GetIO().DisplaySize;
        if (m_look.panel) m_panel.draw(m_session, m_look, size.y, m_renderer.timings());
        const float left = m_look.panel ? m_panel.width() : 0;
        const int width = static_cast<int>(size.x - left), height = static_cast<int>(size.y);
        if (m_look.panel)
            m_overlay.draw(m_session,
                           {.path = m_picture.path(),
                            .renderer = m_glName,
                            .frameMs = 1000 * elapsed,
                            .passes = m_renderer.timings(),
                            .shaderErrors = m_renderer.shaderErrors()},
                           left, size.y);
        m_card.draw(m_session, m_look, left, size.y);
        if (m_look.help) Overlay::drawHelp(left, size.x - left, size.y);
        m_overlay.drawMessage(left, size.x - left, size.y, elapsed);
        m_mouse.use(m_session, m_look, left, width, height);
        m_mouse.draw(m_session, m_look, left, width, height);
        ImGui::Render();
        // what the panel did may have replaced the world
        if (followScene()) m_picture.publish(m_session, m_look);
    }

    // The picture fills what the panel leaves.
    void drawPicture() {
        const Size window = m_window.framebufferSize();
        const int left = panelWidth();
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        glViewport(0, 0, window.width, window.height);
        glDisable(GL_SCISSOR_TEST);
        glClearColor(0.1f, 0.1f, 0.1f, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        const bool drawn = m_picture.draw(m_renderer, m_look, window.width - left, window.height);
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        glViewport(0, 0, window.width, window.height);
        if (drawn) m_picture.show(left, 0);  // else it is minimized, or all panel
    }

    void save(const std::filesystem::path& file, const OutputTarget& from) {
        if (!m_options.saveImage) return;
        try {
            m_options.saveImage(file, readPixels(from), from.width, from.height);
            m_overlay.say("Saved " + file.string());
        } catch (const Error& error) {
            if (m_options.frames) throw;
            m_overlay.say(error.what());
        }
    }
    void saveWindow(const std::filesystem::path& file) {
        glNamedFramebufferReadBuffer(0, GL_BACK);
        const Size size = m_window.framebufferSize();
        save(file, {0, size.width, size.height});
    }
    void takeScreenshots() {
        const std::optional<Action> wanted = std::exchange(m_desk.screenshot, {});
        if (!wanted) return;
        const std::filesystem::path file = freeName(m_session.scene().name, ".png");
        if (wanted == Action::Screenshot)
            saveWindow(file);
        else if (m_picture.target())
            save(file, m_picture.target()->output());
    }

    void onKey(int key, int code, int action, int mods) {
        if (m_imguiKeys) m_imguiKeys(m_window.get(), key, code, action, mods);
        if (action == GLFW_RELEASE || ImGui::GetIO().WantCaptureKeyboard ||
            (mods & (GLFW_MOD_CONTROL | GLFW_MOD_ALT)))
            return;
        // while the right button flies, the letters are directions
        if (ImGui::GetIO().MouseDown[1]) return;
        const KeyBinding* binding = findBinding(key, mods & GLFW_MOD_SHIFT);
        if (binding && (action == GLFW_PRESS || binding->repeats)) act(binding->action, m_desk);
    }

    const ViewOptions& m_options;
    Session m_session;  // first: a scene with mistakes is refused before a window opens
    GlfwWindow m_window;
    Interface m_interface;
    Renderer m_renderer;
    Picture m_picture;
    Panel m_panel;
    Overlay m_overlay;
    ReadoutCard m_card;
    Look m_look;
    Mouse m_mouse;
    Desk m_desk{m_session, m_renderer, m_picture, m_panel, m_overlay, m_look};
    std::string m_glName = gl::rendererName();
    GLFWkeyfun m_imguiKeys = nullptr;
    std::filesystem::path m_sceneFile;
};

}  // namespace

void view(const ViewOptions& options) {
    orNoGraphics([&] { Viewer(options).run(); });
}

}  // namespace coalesce
