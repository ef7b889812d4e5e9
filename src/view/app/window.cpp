#include "view/app/window.h"

#include <imgui.h>

#include "core/stop_signal.h"
#include "render/gl/gl.h"
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <glm/gtc/type_ptr.hpp>
#include <utility>
#include <vector>

#include "bridge/gl_device.h"
#include "bridge/graphics_error.h"
#include "bridge/scene_camera.h"
#include "scene/reader.h"
#include "sim/state/state_file.h"
#include "view/app/close_dialog.h"
#include "view/app/file_drop.h"
#include "view/app/glfw_window.h"
#include "view/app/keys.h"
#include "view/overlay/axis_gizmo.h"
#include "view/overlay/loading_screen.h"
#include "view/overlay/readout_card.h"
#include "view/overlay/time_bar.h"
#include "view/viewport/camera_control.h"
#include "view/viewport/film_view.h"
#include "view/viewport/thumbnails.h"
#include "view/widgets/free_name.h"

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
          // a run of a fixed number of frames does not wait for the display
          m_window({o.width, o.height}, o.frames.has_value(), o.advice),
          m_interface(m_window.get(), o.settings.fontScale),
          m_loading(m_window.get()),
          m_session([&] {
              m_loading.show("Loading " + scene.name + " \u2026", "Building the scene");
              return Session(std::move(scene), o.choice, preferGlDevice(o.exec));
          }()),
          m_modifiedShaders(modifiedShaders(liveShaders())),
          m_renderer(asGraphicsErrors([&] {
              showLoading("Compiling the shaders");
              return Renderer(liveShaders());
          })),
          m_viewport([this](const std::string& line) { log(line); }),
          m_cases([this](const std::string& line) { log(line); }),
          m_panel(listScenes(o.sceneFolder), presetFolder(), o.presetFolder),
          m_browser(m_panel.scenes()),
          m_thumbnails(o.thumbnailFolder),
          m_settings(o.settings),
          m_recording(o.openRecording),
          m_view(o.view),
          m_mouse([this](int key) { return m_window.isHeld(key); }) {
        if (!m_modifiedShaders.empty()) log(m_modifiedShaders);
        selectCamera(m_session.scene(), m_view, findCamera(m_session.scene(), o.camera));
        m_film.followsFirst = o.camera.empty();
        m_sceneFile = m_session.scene().file;
        if (!o.loadState.empty()) m_session.load(o.loadState);
        if (const std::string note = noteOfMethod(m_session.world()); !note.empty()) log(note);
        if (!o.fromCache.empty()) m_session.play(o.fromCache, o.firstFrame, o.lastFrame);
        if (!o.saveReplay.empty()) m_session.startRecording();
        m_renderer.enableTimings(true);
        m_panel.preferredWidth = o.settings.panelWidth;
        m_session.announce = [this](const std::string& name) {
            m_loading.show("Loading " + name + " \u2026", "", [this] {
                if (shownTarget()) showFrame(*shownTarget());
                if (ImGui::GetDrawData()) m_interface.draw();  // null within a frame
            });
        };
        addRecentScene();
        // ImGui has installed its callbacks; ours replace them and call them
        glfwSetWindowUserPointer(m_window.get(), this);
        m_imguiKeys =
            glfwSetKeyCallback(m_window.get(), [](GLFWwindow* w, int key, int code, int action, int mods) {
                static_cast<Viewer*>(glfwGetWindowUserPointer(w))->onKey(key, code, action, mods);
            });
        m_imguiLetters = glfwSetCharCallback(m_window.get(), [](GLFWwindow* w, unsigned letter) {
            static_cast<Viewer*>(glfwGetWindowUserPointer(w))->onLetter(letter);
        });
        m_imguiButtons =
            glfwSetMouseButtonCallback(m_window.get(), [](GLFWwindow* w, int button, int action, int mods) {
                static_cast<Viewer*>(glfwGetWindowUserPointer(w))->onButton(button, action, mods);
            });
        glfwSetDropCallback(m_window.get(), [](GLFWwindow* w, int count, const char** files) {
            if (count > 0) static_cast<Viewer*>(glfwGetWindowUserPointer(w))->onDrop(files[0]);
        });
    }

    void run() {
        showLoading("Drawing the first frame");
        uint64_t frames = 0;
        Clock::time_point last = Clock::now(), lastPoll = last;
        catchStopSignals();  // a window that is closed saves settings, states and replays
        while (!m_closes && !stopRequested()) {
            glfwPollEvents();
            if (frames == 0) m_startSize = windowSize();
            const double elapsed = secondsSince(last);
            update(elapsed, frames == 0, lastPoll);
            // ImGui hides windows that it has not measured yet; on a slow device that would be seen
            if (frames == 0) drawInterface(0);
            drawInterface(frames == 0 ? 0 : elapsed);
            showNotices();
            drawViewport();
            m_interface.draw();
            ++frames;
            const bool done = m_options.frames && frames >= *m_options.frames;
            if (done && !m_options.screenshot.empty()) saveWindow(m_options.screenshot);
            takeScreenshots();
            record();
            glfwSwapBuffers(m_window.get());
            m_closes = m_closes || done || mayClose();
        }
        finish();
    }

private:
    // Whether the user closes the window; unsaved changes are asked about first.
    bool mayClose() {
        const bool wanted = glfwWindowShouldClose(m_window.get()) || m_context.quit;
        glfwSetWindowShouldClose(m_window.get(), GLFW_FALSE);
        m_context.quit = false;
        return wanted && m_closeDialog.mayClose(m_session);
    }

    // Simulates, reloads changed files, and publishes the state to the renderer.
    void update(double elapsed, bool first, Clock::time_point& lastPoll) {
        simulate(elapsed, first);
        m_cases.follow(m_session);
        if (Clock::now() - lastPoll > std::chrono::milliseconds(500)) {
            lastPoll = Clock::now();
            m_renderer.pollShaders();
            showTitle();
            // runs of a fixed number of frames are repeatable, so they do not reload
            if (!m_options.frames) pollFiles();
        }
        followScene();
        m_film.update(m_session, m_view, elapsed);
        double drawing = 0;  // [s]
        for (const PassTime& pass : m_renderer.timings()) drawing += pass.milliseconds / 1000;
        if (m_draft.update(m_view.draft, drawing, elapsed))
            m_overlay.say(
                "Drawing takes long here, so the view is a draft: half the resolution, no shadows. Choose "
                "Draft on the page Display to change it.",
                8);
        m_viewport.publish(m_session, m_view);
        applySettings();
    }

    void showNotices() {
        const std::string notices = fmt::format("{}", fmt::join(m_session.takeNotices(), "\n"));
        if (!notices.empty()) m_overlay.say(notices, 8);
    }

    // Writes all files; an error in one does not prevent the others. Throws the first error.
    void finish() {
        std::exception_ptr first;
        const auto attempt = [&](bool wanted, auto&& write) {
            try {
                if (wanted) write();
            } catch (const std::exception& error) {
                if (first)
                    log(error.what());
                else
                    first = std::current_exception();
            }
        };
        attempt(true, [&] { finishRecording(); });
        attempt(true, [&] { saveSettings(); });
        attempt(!m_options.saveState.empty(), [&] { saveState(m_session.world(), m_options.saveState); });
        attempt(!m_options.saveReplay.empty(), [&] { m_session.saveReplay(m_options.saveReplay); });
        if (first) std::rethrow_exception(first);
    }

    void showLoading(const std::string& what) {
        m_loading.show("Loading " + m_session.scene().name + " \u2026", what);
    }
    // Settings that the panel may have changed.
    void applySettings() {
        m_session.snapshots().setLimits(m_settings.rewind);
        if (m_settings.fontScale != m_interface.fontScale()) m_interface.setFontScale(m_settings.fontScale);
    }

    void log(const std::string& line) {
        if (!m_options.quiet) fmt::print(stderr, "{}\n", line);
        m_overlay.say(line);
    }

    // The first displayed frame shows the initial state.
    void simulate(double elapsed, bool first) {
        // a recording determines the number of frames, not the clock
        if (m_recording.isRunning() && m_recording.written() > 0)
            m_session.advanceFrames(int(m_recording.framesToNext(m_session)), elapsed);
        else if (m_recording.isRunning())
            return;
        else if (!m_options.frames)
            m_session.advance(elapsed);
        else if (!first)
            m_session.advanceFrames(1, elapsed);
    }

    void pollFiles() {
        if (m_session.pollFile())
            m_overlay.say("Reloaded " + m_session.scene().file.filename().string() +
                          "; simulation restarted");
        if (const std::string error = m_cases.pollFiles(m_session); !error.empty()) m_overlay.say(error, 8);
    }

    // After another scene takes its camera. True: the world was replaced.
    bool followScene() {
        const bool replaced = m_viewport.follow(m_session);
        if (m_sceneFile != m_session.scene().file) {
            m_sceneFile = m_session.scene().file;
            m_view.hiddenBodies.clear();
            // a scene that was saved under another name is seen as before
            if (replaced) selectCamera(m_session.scene(), m_view, 0);
            addRecentScene();
        }
        if (replaced) showTitle();
        return replaced;
    }

    // The scene, with a star while changes of it are not saved.
    void showTitle() {
        std::string title = "Coalesce: " + m_session.scene().name;
        if (!m_session.playsCache() && m_session.isChanged()) title += " *";
        if (std::exchange(m_title, title) != title) glfwSetWindowTitle(m_window.get(), title.c_str());
    }

    void addRecentScene() {
        m_settings.addRecent(m_session.scene().file);
        m_browser.setRecent(m_settings.recent);
    }
    // [ImGui's units]
    Size windowSize() const {
        Size size;
        glfwGetWindowSize(m_window.get(), &size.width, &size.height);
        return size;
    }
    void saveSettings() {
        if (!m_options.saveSettings) return;
        float scale = 1, unused = 1;
        glfwGetWindowContentScale(m_window.get(), &scale, &unused);
        const Size size = windowSize();
        // a minimized window has size 0
        if (size.width > 0 && size.height > 0 && !(size == m_startSize)) {
            m_settings.width = int(float(size.width) / scale);
            m_settings.height = int(float(size.height) / scale);
        }
        m_settings.panelWidth = m_panel.preferredWidth;
        m_settings.takeChanges(m_options.view.draw, m_view.draw);
        if (m_view.draft != m_options.view.draft) m_settings.draft = m_view.draft;
        try {
            m_options.saveSettings(m_settings);
        } catch (const Error& error) {
            fmt::print(stderr, "{}\n", error.what());
        }
    }

    // [px] of the panel in the framebuffer, which may have more pixels than the window has units
    int panelWidth() const {
        return m_view.panel ? int(m_panel.width() * ImGui::GetIO().DisplayFramebufferScale.x) : 0;
    }

    void drawInterface(double elapsed) {
        m_interface.begin();
        const ImVec2 size = ImGui::GetIO().DisplaySize;
        const DrawFacts facts{.path = m_viewport.path(),
                              .renderer = m_glName,
                              .software = gl::isSoftwareRenderer(),
                              .draft = isDraft(),
                              .points = m_view.draw.quality == Quality::Points,
                              .lower = glm::make_vec3(m_viewport.frame().boundsMin.data()),
                              .upper = glm::make_vec3(m_viewport.frame().boundsMax.data()),
                              .frameMs = 1000 * elapsed,
                              .passes = m_renderer.timings(),
                              .shaderErrors = shaderErrors()};
        m_panel.hidesNotices = m_browser.shown;  // the browser shows the error of a scene itself
        // launches are timed only while their times are shown: on CUDA each one costs two events
        m_session.exec().profiler.enabled = m_view.panel && m_panel.showsPerformance();
        m_session.world().watchConvergence = m_view.panel && m_panel.showsConvergence();
        if (m_view.panel)
            m_panel.draw(m_session, m_view, m_settings, size.x, size.y, facts);
        else
            Panel::updateHistory(m_session);
        if (m_panel.takeComparisonRequest(m_cases.showsOriginal())) toggleComparison(m_context);
        if (const auto preset = m_panel.takePresetRequest(m_cases.presets()))
            if (const std::string error = m_cases.togglePreset(m_session, *preset); !error.empty())
                m_overlay.say(error);
        const float left = m_view.panel ? m_panel.width() : 0;
        const int width = int(size.x - left) / m_cases.columns(), height = int(size.y) / m_cases.rows();
        if (m_view.panel && !m_browser.shown) drawBar(left, size);
        const float bar = m_view.panel && !m_browser.shown ? m_timeBar.height() : 0;
        if (!m_browser.shown)
            if (const std::string said =
                    m_dopeSheet.draw(m_session, m_view, left, size.x - left, size.y - bar);
                !said.empty())
                m_overlay.say(said, 8);
        drawOverlays(facts, left, size);
        m_thumbnails.beginFrame();
        m_browser.draw(
            m_session,
            [&](const SceneEntry& scene) {
                return reinterpret_cast<void*>(static_cast<intptr_t>(m_thumbnails.of(scene.name)));
            },
            left, size.x - left, size.y);
        if (!m_browser.shown)
            m_card.draw(m_session, m_view, left, size.y - (m_view.panel ? m_timeBar.height() : 0));
        if (m_recording.isRunning()) m_recording.drawIndicator(size.x, 0);
        if (m_view.help) drawHelp(m_help, size.x, size.y);
        m_closes = m_closeDialog.draw(m_session, size.x, size.y) || m_closes;
        m_overlay.drawMessage(left, size.x - left, size.y - (m_view.panel ? m_timeBar.height() : 0), elapsed);
        const std::string error =
            m_mouse.use(m_session, m_view, m_renderer.floorHeight(), left, width, height);
        if (!error.empty()) m_overlay.say(error);
        m_mouse.draw(m_session, m_view, left, width, height);
        m_cases.drawNumbers(m_session, left, size.x - left, size.y, bar);
        ImGui::Render();
        releaseKeys();
        // the panel may have replaced the world
        if (followScene()) m_viewport.publish(m_session, m_view);
    }

    void drawBar(float left, ImVec2 size) {
        const TimeBar::Request request =
            m_timeBar.draw(m_session, {.panel = m_panel.isOpen(), .recording = m_recording.isRunning()}, left,
                           size.x - left, size.y);
        if (request == TimeBar::Request::Panel) m_panel.toggle();
        if (request == TimeBar::Request::Scenes) m_browser.shown = true;
        if (request == TimeBar::Request::Record) m_context.record = RecordToggle::Video;
    }

    // Notices are shown even when the interface is hidden.
    void drawOverlays(const DrawFacts& facts, float left, ImVec2 size) {
        if (m_browser.shown) return;
        const Overlay::Shown shown{
            .numbers = m_view.panel && !m_cases.isShown(),  // they would cover the first case
            .notices = !(m_view.panel && m_panel.showsNotices())};
        if (m_view.panel && !m_cases.isShown()) {
            const float top = m_recording.isRunning() ? 2.5f * ImGui::GetFontSize() : 0;
            // beside the legend, which is part of the image
            const OutputTarget shownImage =
                m_viewport.target() ? m_viewport.target()->output() : OutputTarget{};
            const float legend = shownImage.width > 0 ? float(m_renderer.legendWidth()) * (size.x - left) /
                                                            float(shownImage.width)
                                                      : 0;
            const AxisGizmoInput input = drawAxisGizmo(m_view.camera, size.x - legend, top);
            if (input.from) lookAlongAxis(m_context, *input.from);
            if (input.switchPerspective) togglePerspective(m_context);
            if (input.dragged != glm::vec2(0)) orbitBy(input.dragged, size);
        }
        const std::string wanted = m_overlay.draw(m_session, facts, shown, left, size.x - left,
                                                  size.y - (m_view.panel ? m_timeBar.height() : 0));
        if (wanted.empty()) return;
        m_view.panel = true;
        m_panel.search(wanted);
    }

    // As a left drag on empty space. [ImGui's units]
    void orbitBy(glm::vec2 dragged, ImVec2 size) {
        const Camera before = m_view.camera;
        const CameraInput drag{.moved = dragged, .left = true, .floor = m_renderer.floorHeight()};
        m_view.camera = moveCamera(before, drag, int(size.x), int(size.y));
        leaveAxis(m_view, before);
    }

    // An error may be due to a shader file of another version than the program.
    std::string shaderErrors() const {
        const std::string errors = m_renderer.shaderErrors();
        return errors.empty() || m_modifiedShaders.empty() ? errors : errors + m_modifiedShaders;
    }

    // Whether this frame is saved, so that it is no draft.
    bool isCaptured() const {
        return m_recording.isRunning() || m_context.record != RecordToggle::None ||
               m_context.screenshotOfWindow || m_context.screenshotOfViewport;
    }

    bool isDraft() const { return m_draft.isOn() && !isCaptured(); }

    // The viewport fills the window beside the panel.
    void drawViewport() {
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
                m_overlay.say(fmt::format("The recording stays at {}×{}", size.width, size.height));
        }
        const bool draft = isDraft();
        ViewSettings view = m_view;
        if (draft) view.draw = draftOf(view.draw);
        const bool drawn =
            m_cases.isShown() ? m_cases.draw(m_renderer, m_session, m_viewport, view, size.width, size.height)
                              : m_viewport.draw(m_renderer, view, size.width, size.height);
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        glViewport(0, 0, window.width, window.height);
        if (drawn) showFrame(*shownTarget());
    }

    void showFrame(const RenderTarget& target) const {
        const Size window = m_window.framebufferSize();
        const int left = panelWidth();
        // unless minimized or covered by the panel
        if (window.width > left && window.height > 0)
            showTarget(target, left, 0, window.width - left, window.height);
    }

    const RenderTarget* shownTarget() const {
        return m_cases.isShown() && m_cases.target() ? m_cases.target() : m_viewport.target();
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
        if (std::exchange(m_context.screenshotOfWindow, false)) saveWindow(screenshotFile());
        if (std::exchange(m_context.screenshotOfViewport, false) && shownTarget())
            save(screenshotFile(), shownTarget()->output());
    }
    std::filesystem::path screenshotFile() const { return freeName(m_session.scene().name, ".png"); }

    // Captures the frame; starts or stops the recording.
    void record() {
        const RecordToggle wanted = std::exchange(m_context.record, RecordToggle::None);
        const bool toggled = wanted != RecordToggle::None;
        try {
            const bool ended = m_recording.isRunning() && !m_recording.isOf(m_session);
            const float length = m_settings.recordingLength;
            if (m_recording.isRunning() && !ended && shownTarget()) {
                const OutputTarget image = shownTarget()->output();
                // drawn before the recording started, it may have another size
                if (Size{image.width, image.height} == m_recording.size()) m_recording.take(m_session, image);
            }
            const bool isLong = length > 0 && m_recording.seconds() >= double{length} - 1e-6;
            if (m_recording.isRunning() && (toggled || ended || isLong))
                m_overlay.say(m_recording.finish() +
                                  (ended && !toggled ? "\nStopped: the simulation was restarted." : ""),
                              8);
            else if (toggled && shownTarget() && m_options.openRecording)
                startRecording(wanted == RecordToggle::Images);
        } catch (const Error& error) {
            m_overlay.say(error.what(), 20);
            if (!m_options.quiet) fmt::print(stderr, "{}\n", error.what());
        }
        m_session.seekBlockedReason = m_recording.seekBlockedReason();
    }
    void startRecording(bool images) {
        const Size window = m_window.framebufferSize();
        m_recordedArea = {window.width - panelWidth(), window.height};
        const auto [width, height] = pixelsOf(m_settings.recordingSize);
        m_recording.start(m_session, width > 0 ? Size{width, height} : m_recordedArea, images);
    }
    void finishRecording() {
        if (m_recording.isRunning()) fmt::print("{}\n", m_recording.finish());
    }

    void onDrop(const char* file) { m_overlay.say(openDropped(m_session, file, m_options.dropFolder), 8); }

    // Keys after a click, or after a key that opens or closes something, wait
    // for a frame: only then is it known which text field has the focus.
    void onButton(int button, int action, int mods) {
        m_focusMayChange = m_focusMayChange || action == GLFW_PRESS;
        if (m_imguiButtons) m_imguiButtons(m_window.get(), button, action, mods);
    }
    void onLetter(unsigned letter) {
        if (m_focusMayChange)
            m_waiting.push_back([=, this] { onLetter(letter); });
        else if (m_imguiLetters)
            m_imguiLetters(m_window.get(), letter);
    }

    void onKey(int key, int code, int action, int mods) {
        if (m_focusMayChange) return m_waiting.push_back([=, this] { onKey(key, code, action, mods); });
        // while text is typed, only function keys and Esc are bindings
        const bool isTyping = ImGui::IsAnyItemActive() || m_browser.shown;
        const bool isText = key != GLFW_KEY_ESCAPE && !(key >= GLFW_KEY_F1 && key <= GLFW_KEY_F25);
        // Tab is a binding; ImGui would also move the focus into a text field, which then takes all letters
        const bool isForImGui = key != GLFW_KEY_TAB || isTyping || action == GLFW_RELEASE;
        if (action == GLFW_PRESS && isForImGui) m_pressed.push_back(key);
        // ImGui reads keys once per frame: on a slow device a short press would be lost
        if (action == GLFW_RELEASE && std::ranges::count(m_pressed, key))
            m_lateReleases.push_back({key, code, mods});
        else if (m_imguiKeys && isForImGui)
            m_imguiKeys(m_window.get(), key, code, action, mods);
        if (action == GLFW_RELEASE || (isTyping && isText) || (mods & GLFW_MOD_ALT)) return;
        // a dialog has the keyboard to itself but for screenshots, a combo or a menu all but function keys and Esc
        if ((m_closeDialog.isShown() && key != GLFW_KEY_F12) ||
            (isText && ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup)))
            return;
        // while the right button flies, letters are directions
        if (ImGui::GetIO().MouseDown[1]) return;
        const KeyBinding* binding = findBinding(key, mods & GLFW_MOD_SHIFT, mods & GLFW_MOD_CONTROL);
        if (!binding || (action != GLFW_PRESS && !binding->repeats)) return;
        const bool browser = m_browser.shown;
        binding->run(m_context);
        m_focusMayChange = m_focusMayChange || key == GLFW_KEY_ESCAPE || m_browser.shown != browser;
    }

    void releaseKeys() {
        m_pressed.clear();
        for (const KeyEvent& e : std::exchange(m_lateReleases, {}))
            if (m_imguiKeys) m_imguiKeys(m_window.get(), e.key, e.code, GLFW_RELEASE, e.mods);
        m_focusMayChange = false;
        for (const std::function<void()>& typed : std::exchange(m_waiting, {})) typed();
    }

    struct KeyEvent {
        int key, code, mods;
    };

    const ViewOptions& m_options;
    GlfwWindow m_window;
    Interface m_interface;
    LoadingScreen m_loading;
    Session m_session;
    std::string m_modifiedShaders;  // message about them, as of the start
    Renderer m_renderer;
    Viewport m_viewport;
    CaseGrid m_cases;
    Panel m_panel;
    Browser m_browser;
    Thumbnails m_thumbnails;
    Settings m_settings;
    DraftMode m_draft;
    Overlay m_overlay;
    ReadoutCard m_card;
    TimeBar m_timeBar;
    DopeSheet m_dopeSheet;
    FilmFollower m_film;
    Recording m_recording;
    CloseDialog m_closeDialog;
    bool m_closes = false;  // after this frame
    Size m_recordedArea;    // [px] of the viewport, as of the last frame of a recording
    Size m_startSize;       // [ImGui's units] of the window when it was opened
    ViewSettings m_view;
    Mouse m_mouse;
    AppContext m_context{m_session, m_renderer, m_viewport, m_panel, m_overlay,
                         m_view,    m_mouse,    m_browser,  m_cases, m_dopeSheet};
    std::string m_glName = gl::rendererName();
    GLFWkeyfun m_imguiKeys = nullptr;
    GLFWcharfun m_imguiLetters = nullptr;
    GLFWmousebuttonfun m_imguiButtons = nullptr;
    bool m_focusMayChange = false;                 // since the last frame
    std::vector<std::function<void()>> m_waiting;  // typed after it
    std::vector<int> m_pressed;                    // keys since the last frame
    std::vector<KeyEvent> m_lateReleases;          // passed to ImGui after the next frame
    std::filesystem::path m_sceneFile;
    std::string m_title;  // of the window
    const std::vector<HelpSection> m_help = helpSections();
};

}  // namespace

void view(const ViewOptions& options) {
    // errors in the scene are reported before a window opens
    Scene scene = options.fromCache.empty() ? readScene(options.scene, options.choice)
                                            : sceneOf(readCacheInfo(options.fromCache));
    findCamera(scene, options.camera);
    asGraphicsErrors([&] { Viewer(options, std::move(scene)).run(); });
}

}  // namespace coalesce
