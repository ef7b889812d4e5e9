#include "view/app/window.h"

#include <imgui.h>

#include "render/gl/gl.h"
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>
#include <vector>

#include "bridge/graphics_error.h"
#include "bridge/scene_camera.h"
#include "sim/state/state.h"
#include "view/app/actions.h"
#include "view/app/file_drop.h"
#include "view/app/glfw_window.h"
#include "view/overlay/loading_screen.h"
#include "view/overlay/readout_card.h"
#include "view/tools/mouse.h"
#include "view/viewport/thumbnails.h"

namespace coalesce {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point& last) {
    const auto now = Clock::now();
    return std::chrono::duration<double>(now - std::exchange(last, now)).count();
}

class Viewer {
public:
    Viewer(const ViewOptions& o, Scene scene)
        : m_options(o),
          // a run of a fixed number of frames is not bound to the display's rate
          m_window({o.width, o.height}, o.frames.has_value(), o.advice),
          m_interface(m_window.get(), o.settings.fontScale),
          m_loading(m_window.get()),
          m_session([&] {
              m_loading.show("Loading " + scene.name + " \u2026", "Building the scene");
              return Session(std::move(scene), o.choice, o.exec);
          }()),
          m_foreignShaders(foreignShaders(liveShaders())),
          m_renderer(orNoGraphics([&] {
              tellLoading("Compiling the shaders");
              return Renderer(liveShaders());
          })),
          m_picture([this](const std::string& line) { note(line); }),
          m_cases([this](const std::string& line) { note(line); }),
          m_panel(listScenes(o.sceneFolder)),
          m_browser(m_panel.scenes()),
          m_thumbnails(o.thumbnailFolder),
          m_settings(o.settings),
          m_recording(o.openRecording),
          m_look(o.look),
          m_mouse([this](int key) { return m_window.isHeld(key); }) {
        if (!m_foreignShaders.empty()) note(m_foreignShaders);
        takeCamera(m_session, m_look, findCamera(m_session.scene(), o.camera));
        m_sceneFile = m_session.scene().file;
        if (!o.loadState.empty()) m_session.load(o.loadState);
        if (!o.saveReplay.empty()) m_session.startRecording();
        m_renderer.enableTimings(true);
        m_panel.wishedWidth = o.settings.panelWidth;
        m_session.announce = [this](const std::string& name) {
            m_loading.show("Loading " + name + " \u2026", "", [this] {
                if (shownTarget()) showPicture(*shownTarget());
                if (ImGui::GetDrawData()) m_interface.draw();  // none within a picture's making
            });
        };
        noteScene();
        // ImGui's callbacks call the ones that were there before; so ours, set later, must call ImGui's
        glfwSetWindowUserPointer(m_window.get(), this);
        m_imguiKeys =
            glfwSetKeyCallback(m_window.get(), [](GLFWwindow* w, int key, int code, int action, int mods) {
                static_cast<Viewer*>(glfwGetWindowUserPointer(w))->onKey(key, code, action, mods);
            });
        glfwSetDropCallback(m_window.get(), [](GLFWwindow* w, int count, const char** files) {
            if (count > 0) static_cast<Viewer*>(glfwGetWindowUserPointer(w))->onDrop(files[0]);
        });
    }

    void run() {
        tellLoading("Drawing the first picture");
        uint64_t shown = 0;
        Clock::time_point last = Clock::now(), lastPoll = last;
        while (!glfwWindowShouldClose(m_window.get())) {
            glfwPollEvents();
            if (shown == 0) m_startSize = windowSize();
            const double elapsed = secondsSince(last);
            simulate(elapsed, shown == 0);
            m_cases.follow(m_session);
            if (Clock::now() - lastPoll > std::chrono::milliseconds(500)) {
                lastPoll = Clock::now();
                m_renderer.pollShaders();
                // a run of a fixed number of frames shall be the same whenever it is started
                if (!m_options.frames) pollFiles();
            }
            followScene();
            m_picture.publish(m_session, m_look);
            useSettings();
            // ImGui hides what it has not measured yet; on a slow machine that would be seconds
            if (shown == 0) drawInterface(0);
            drawInterface(shown == 0 ? 0 : elapsed);
            if (const std::string told = fmt::format("{}", fmt::join(m_session.takeNotices(), "\n"));
                !told.empty())
                m_overlay.say(told, 8);
            drawPicture();
            m_interface.draw();
            ++shown;
            const bool leaving = m_options.frames && shown >= *m_options.frames;
            if (leaving && !m_options.screenshot.empty()) saveWindow(m_options.screenshot);
            takeScreenshots();
            record();
            glfwSwapBuffers(m_window.get());
            if (leaving || m_desk.leave) glfwSetWindowShouldClose(m_window.get(), GLFW_TRUE);
        }
        // one that fails does not take the others along
        std::exception_ptr trouble;
        const auto keep = [&](bool wanted, auto&& how) {
            try {
                if (wanted) how();
            } catch (const std::exception& error) {
                if (trouble)
                    note(error.what());
                else
                    trouble = std::current_exception();
            }
        };
        keep(true, [&] { finishRecording(); });
        keep(true, [&] { keepSettings(); });
        keep(!m_options.saveState.empty(), [&] { saveState(m_session.world(), m_options.saveState); });
        keep(!m_options.saveReplay.empty(), [&] { m_session.saveReplay(m_options.saveReplay); });
        if (trouble) std::rethrow_exception(trouble);
    }

private:
    void tellLoading(const std::string& what) {
        m_loading.show("Loading " + m_session.scene().name + " \u2026", what);
    }
    // What the panel may have changed.
    void useSettings() {
        m_session.past().setLimits(m_settings.rewind);
        if (m_settings.fontScale != m_interface.fontScale()) m_interface.setFontScale(m_settings.fontScale);
    }

    void note(const std::string& line) {
        if (!m_options.quiet) fmt::print(stderr, "{}\n", line);
        m_overlay.say(line);
    }

    // The first picture shows the start.
    void simulate(double elapsed, bool first) {
        // while it is recorded, time is that of the recording
        if (m_recording.isRunning() && m_recording.written() > 0)
            m_session.advanceFrames(static_cast<int>(m_recording.framesToNext(m_session)), elapsed);
        else if (m_recording.isRunning())
            return;
        else if (!m_options.frames)
            m_session.advance(elapsed);
        else if (!first)
            m_session.advanceFrames(1, elapsed);
    }

    void pollFiles() {
        if (m_session.pollFile()) m_overlay.say("Read again: " + m_session.scene().file.string());
        if (const std::string why = m_cases.pollFiles(m_session); !why.empty()) m_overlay.say(why, 8);
    }

    // Another scene has other cameras. True: the world is another.
    bool followScene() {
        if (!m_picture.follow(m_session)) return false;
        if (m_sceneFile != m_session.scene().file) {
            m_sceneFile = m_session.scene().file;
            takeCamera(m_session, m_look, 0);
            noteScene();
        }
        glfwSetWindowTitle(m_window.get(), ("Coalesce: " + m_session.scene().name).c_str());
        return true;
    }

    void noteScene() {
        m_settings.noteScene(m_session.scene().file);
        m_browser.setRecent(m_settings.recent);
    }
    // [ImGui's units], as it was opened or a person made it
    Size windowSize() const {
        Size size;
        glfwGetWindowSize(m_window.get(), &size.width, &size.height);
        return size;
    }
    void keepSettings() {
        if (!m_options.keepSettings) return;
        float scale = 1, unused = 1;
        glfwGetWindowContentScale(m_window.get(), &scale, &unused);
        const Size size = windowSize();
        // a minimized one has none
        if (size.width > 0 && size.height > 0 && !(size == m_startSize))
            m_settings.width = static_cast<int>(static_cast<float>(size.width) / scale),
            m_settings.height = static_cast<int>(static_cast<float>(size.height) / scale);
        m_settings.panelWidth = m_panel.wishedWidth;
        m_settings.takeChanges(m_options.look.draw, m_look.draw);
        try {
            m_options.keepSettings(m_settings);
        } catch (const Error& error) {
            fmt::print(stderr, "{}\n", error.what());
        }
    }

    // [px] of the panel in the framebuffer, which may have more pixels than the window has units
    int panelWidth() const {
        return m_look.panel ? static_cast<int>(m_panel.width() * ImGui::GetIO().DisplayFramebufferScale.x)
                            : 0;
    }

    void drawInterface(double elapsed) {
        m_interface.begin();
        const ImVec2 size = ImGui::GetIO().DisplaySize;
        const DrawFacts facts{.path = m_picture.path(),
                              .renderer = m_glName,
                              .frameMs = 1000 * elapsed,
                              .passes = m_renderer.timings(),
                              .shaderErrors = shaderErrors()};
        m_panel.showsNotices = !m_browser.shown;  // which tells of what it cannot open
        if (m_look.panel)
            m_panel.draw(m_session, m_look, m_settings, size.x, size.y, facts);
        else
            Panel::keepHistory(m_session);
        const float left = m_look.panel ? m_panel.width() : 0;
        const int width = static_cast<int>(size.x - left) / m_cases.columns(),
                  height = static_cast<int>(size.y) / m_cases.rows();
        if (m_look.panel && !m_browser.shown) drawBar(left, size);
        drawOverPicture(facts, left, size);
        m_thumbnails.beginPicture();
        m_browser.draw(
            m_session,
            [&](const SceneEntry& scene) {
                return reinterpret_cast<void*>(static_cast<intptr_t>(m_thumbnails.of(scene.name)));
            },
            left, size.x - left, size.y);
        if (!m_browser.shown)
            m_card.draw(m_session, m_look, left, size.y - (m_look.panel ? m_timeBar.height() : 0));
        if (m_recording.isRunning()) m_recording.drawMark(size.x, 0);
        if (m_look.help) Overlay::drawHelp(size.x, size.y);
        m_overlay.drawMessage(left, size.x - left, size.y - (m_look.panel ? m_timeBar.height() : 0), elapsed);
        if (const std::string why =
                m_mouse.use(m_session, m_look, m_renderer.floorHeight(), left, width, height);
            !why.empty())
            m_overlay.say(why);
        m_mouse.draw(m_session, m_look, left, width, height);
        m_cases.drawNames(m_session, left, size.x - left, size.y);
        ImGui::Render();
        releaseKeys();
        // what the panel did may have replaced the world
        if (followScene()) m_picture.publish(m_session, m_look);
    }

    void drawBar(float left, ImVec2 size) {
        const TimeBar::Wish wish =
            m_timeBar.draw(m_session, {.panel = m_panel.isOpen(), .recording = m_recording.isRunning()}, left,
                           size.x - left, size.y);
        if (wish == TimeBar::Wish::Panel) m_panel.toggle();
        if (wish == TimeBar::Wish::Scenes) m_browser.shown = true;
        if (wish == TimeBar::Wish::Record) m_desk.recording = Action::Record;
    }

    // What is wrong is told also where all else is hidden.
    void drawOverPicture(const DrawFacts& facts, float left, ImVec2 size) {
        if (m_browser.shown) return;
        const Overlay::Shown shown{
            .numbers = m_look.panel && !m_cases.isShown(),  // they would lie over the first
            .notices = !(m_look.panel && m_panel.isOpen())};
        const std::string wanted = m_overlay.draw(m_session, facts, shown, left, size.x - left,
                                                  size.y - (m_look.panel ? m_timeBar.height() : 0));
        if (wanted.empty()) return;
        m_look.panel = true;
        m_panel.search(wanted);
    }

    // A mistake in a shader may come of a program that is older than it.
    std::string shaderErrors() const {
        const std::string errors = m_renderer.shaderErrors();
        return errors.empty() || m_foreignShaders.empty() ? errors : errors + m_foreignShaders;
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
        const Size area{window.width - left, window.height};
        const Size size = m_recording.isRunning() ? m_recording.size() : area;
        if (m_recording.isRunning() && !(m_recordedArea == area)) {
            m_recordedArea = area;
            if (!((area.width & ~1) == size.width && (area.height & ~1) == size.height))
                m_overlay.say(fmt::format("The recording keeps its {} x {} pixels", size.width, size.height));
        }
        const bool drawn = m_cases.isShown() ? m_cases.draw(m_renderer, m_session, m_picture, m_look,
                                                            size.width, size.height)
                                             : m_picture.draw(m_renderer, m_look, size.width, size.height);
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        glViewport(0, 0, window.width, window.height);
        if (drawn) showPicture(*shownTarget());
    }

    void showPicture(const RenderTarget& picture) const {
        const Size window = m_window.framebufferSize();
        const int left = panelWidth();
        // else it is minimized, or all panel
        if (window.width > left && window.height > 0)
            showTarget(picture, left, 0, window.width - left, window.height);
    }

    const RenderTarget* shownTarget() const {
        return m_cases.isShown() && m_cases.target() ? m_cases.target() : m_picture.target();
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
        else if (shownTarget())
            save(file, shownTarget()->output());
    }

    // What a recording does at the end of a picture.
    void record() {
        const std::optional<Action> wanted = std::exchange(m_desk.recording, {});
        try {
            const bool ended = m_recording.isRunning() && !m_recording.isOf(m_session);
            if (m_recording.isRunning() && !ended && shownTarget()) {
                const OutputTarget picture = shownTarget()->output();
                // one that was drawn before the recording began may have another size
                if (Size{picture.width, picture.height} == m_recording.size())
                    m_recording.take(m_session, picture);
            }
            if (m_recording.isRunning() && (wanted || ended))
                m_overlay.say(m_recording.finish() + (wanted ? "" : "\nIt ends where another run begins."),
                              8);
            else if (wanted && shownTarget() && m_options.openRecording)
                startRecording(wanted == Action::RecordImages);
        } catch (const Error& error) {
            m_overlay.say(error.what(), 20);
            if (!m_options.quiet) fmt::print(stderr, "{}\n", error.what());
        }
        m_session.seekBlockedReason = m_recording.seekBlockedReason();
    }
    void startRecording(bool images) {
        const OutputTarget shown = shownTarget()->output();
        m_recordedArea = {shown.width, shown.height};
        m_recording.start(m_session, m_recordedArea, images);
    }
    void finishRecording() {
        if (m_recording.isRunning()) fmt::print("{}\n", m_recording.finish());
    }

    void onDrop(const char* file) { m_overlay.say(openDropped(m_session, file, m_options.dropFolder), 8); }

    void onKey(int key, int code, int action, int mods) {
        if (action == GLFW_PRESS) m_pressed.push_back(key);
        // ImGui looks at keys once in a picture: on a slow machine a short press would be none
        if (action == GLFW_RELEASE && std::ranges::count(m_pressed, key))
            m_lateReleases.push_back({key, code, mods});
        else if (m_imguiKeys)
            m_imguiKeys(m_window.get(), key, code, action, mods);
        // who types goes on typing, but no letter is a function key; what Esc closes is decided where it acts
        const bool isText = key != GLFW_KEY_ESCAPE && !(key >= GLFW_KEY_F1 && key <= GLFW_KEY_F25);
        const bool types = (ImGui::GetIO().WantCaptureKeyboard || m_browser.shown) && isText;
        if (action == GLFW_RELEASE || types || (mods & (GLFW_MOD_CONTROL | GLFW_MOD_ALT))) return;
        // while the right button flies, the letters are directions
        if (ImGui::GetIO().MouseDown[1]) return;
        const KeyBinding* binding = findBinding(key, mods & GLFW_MOD_SHIFT);
        if (binding && (action == GLFW_PRESS || binding->repeats)) dispatch(binding->action, m_desk);
    }

    void releaseKeys() {
        m_pressed.clear();
        for (const KeyEvent& e : std::exchange(m_lateReleases, {}))
            if (m_imguiKeys) m_imguiKeys(m_window.get(), e.key, e.code, GLFW_RELEASE, e.mods);
    }

    struct KeyEvent {
        int key, code, mods;
    };

    const ViewOptions& m_options;
    GlfwWindow m_window;
    Interface m_interface;
    LoadingScreen m_loading;
    Session m_session;
    std::string m_foreignShaders;  // a note on those that were there at the start
    Renderer m_renderer;
    Viewport m_picture;
    CaseGrid m_cases;
    Panel m_panel;
    Browser m_browser;
    Thumbnails m_thumbnails;
    Settings m_settings;
    Overlay m_overlay;
    ReadoutCard m_card;
    TimeBar m_timeBar;
    Recording m_recording;
    Size m_recordedArea;  // of the window, when it was looked at last
    Size m_startSize;     // of the window, as it was opened
    ViewSettings m_look;
    Mouse m_mouse;
    AppContext m_desk{m_session, m_renderer, m_picture, m_panel, m_overlay,
                      m_look,    m_mouse,    m_browser, m_cases};
    std::string m_glName = gl::rendererName();
    GLFWkeyfun m_imguiKeys = nullptr;
    std::vector<int> m_pressed;            // since the last picture
    std::vector<KeyEvent> m_lateReleases;  // that ImGui hears of after the next one
    std::filesystem::path m_sceneFile;
};

}  // namespace

void view(const ViewOptions& options) {
    // a scene with mistakes is refused before a window opens
    Scene scene = readScene(options.scene, options.choice);
    findCamera(scene, options.camera);
    orNoGraphics([&] { Viewer(options, std::move(scene)).run(); });
}

}  // namespace coalesce
