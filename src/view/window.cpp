#include "view/window.h"

#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>

#include "render/renderer.h"
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <chrono>
#include <cstdlib>
#include <glm/gtc/type_ptr.hpp>
#include <tuple>
#include <utility>

#include "bridge/frame_source.h"
#include "bridge/graphics_error.h"
#include "bridge/scene_camera.h"
#include "sim/state.h"
#include "view/camera_control.h"
#include "view/hand_tool.h"
#include "view/overlay.h"
#include "view/panel.h"
#include "view/style.h"

namespace coalesce {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point& last) {
    const auto now = Clock::now();
    return std::chrono::duration<double>(now - std::exchange(last, now)).count();
}

// GLFW, one window, and its OpenGL context.
class GlfwWindow {
public:
    explicit GlfwWindow(const ViewOptions& o) {
        const auto refuse = [&](const std::string& what) {
            fail(Exit::Graphics, "coalesce view", "no window can open: " + what, o.advice);
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
        m_window = glfwCreateWindow(o.width, o.height, "Coalesce", nullptr, nullptr);
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
        // a run of a fixed number of frames is not bound to the display's rate
        glfwSwapInterval(o.frames ? 0 : 1);
    }
    ~GlfwWindow() {
        glfwDestroyWindow(m_window);
        glfwTerminate();
    }
    GlfwWindow(const GlfwWindow&) = delete;
    GlfwWindow& operator=(const GlfwWindow&) = delete;
    GLFWwindow* get() const { return m_window; }

private:
    GLFWwindow* m_window = nullptr;
};

// Dear ImGui on that window.
class Interface {
public:
    explicit Interface(GLFWwindow* window) {
        ImGui::CreateContext();
        ImGui::GetIO().IniFilename = nullptr;  // the layout is ours; no file is left behind
        float scale = 1, unused = 1;
        glfwGetWindowContentScale(window, &scale, &unused);
        applyStyle(scale);
        ImGui_ImplGlfw_InitForOpenGL(window, true);
        ImGui_ImplOpenGL3_Init("#version 450 core");
    }
    ~Interface() {
        ImGui_ImplOpenGL3_Shutdown();
        ImGui_ImplGlfw_Shutdown();
        ImGui::DestroyContext();
    }
    Interface(const Interface&) = delete;
    Interface& operator=(const Interface&) = delete;
};

struct Size {
    int width = 0, height = 0;
    bool operator==(const Size&) const = default;
};

class Viewer {
public:
    explicit Viewer(const ViewOptions& o)
        : m_options(o),
          m_session(o.scene, o.choice, o.exec),
          m_window(o),
          m_interface(m_window.get()),
          m_renderer(orNoGraphics([] { return Renderer(shaders()); })),
          m_panel(listScenes(o.sceneFolder)),
          m_look(o.look) {
        takeCamera(findCamera(m_session.scene(), o.camera));
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
            if (m_options.frames) {
                if (shown > 0) m_session.advanceFrames(1, elapsed);
            } else {
                m_session.advance(elapsed);
            }
            if (Clock::now() - lastPoll > std::chrono::milliseconds(500)) {
                lastPoll = Clock::now();
                m_renderer.pollShaders();
            }
            followScene();
            publish();
            drawInterface(elapsed);
            drawPicture();
            ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
            ++shown;
            const bool leaving = m_options.frames && shown >= *m_options.frames;
            if (leaving && !m_options.screenshot.empty()) saveWindow(m_options.screenshot);
            if (m_wanted == Action::Screenshot) saveWindow(screenshotName());
            if (m_wanted == Action::PlainScreenshot) savePicture(screenshotName());
            m_wanted.reset();
            glfwSwapBuffers(m_window.get());
            if (leaving) glfwSetWindowShouldClose(m_window.get(), GLFW_TRUE);
        }
        if (!m_options.saveState.empty()) saveState(m_session.world(), m_options.saveState);
        if (!m_options.saveReplay.empty()) m_session.saveReplay(m_options.saveReplay);
    }

private:
    // live shaders where the program runs beside its sources, else the built-in ones
    static gl::ShaderLibrary shaders() {
        std::error_code missing;
        return std::filesystem::is_directory(COALESCE_SHADER_DIR, missing)
                   ? gl::ShaderLibrary(COALESCE_SHADER_DIR)
                   : gl::ShaderLibrary();
    }

    void takeCamera(size_t index) {
        m_look.cameraIndex = index;
        m_look.camera = cameraOf(m_session.scene().cameras[index]);
    }

    // After a reset or another scene, the way of the data starts at other objects; another scene has other
    // cameras.
    void followScene() {
        if (m_generation == m_session.generation()) return;
        m_generation = m_session.generation();
        m_source = makeFrameSource(m_session.world(), m_session.solver(), [this](const std::string& line) {
            if (!m_options.quiet) fmt::print(stderr, "{}\n", line);
            m_overlay.say(line);
        });
        m_published.reset();
        if (m_sceneFile != m_session.scene().file) {
            m_sceneFile = m_session.scene().file;
            takeCamera(0);
        }
        glfwSetWindowTitle(m_window.get(), ("Coalesce: " + m_session.scene().name).c_str());
    }

    // Only what has changed travels; materials and shapes are few and always do.
    void publish() {
        const Shown now{m_session.world().step, m_look.request()};
        if (m_published == now && m_frame.ellipsoids == now.request.ellipsoids)
            m_source->describe(m_frame);
        else
            m_source->publish(now.request, m_buffers, m_frame);
        m_published = now;
    }

    Size framebufferSize() const {
        Size size;
        glfwGetFramebufferSize(m_window.get(), &size.width, &size.height);
        return size;
    }
    // [px] of the panel in the framebuffer, which may have more pixels than the window has units
    int panelWidth() const {
        return m_look.panel ? static_cast<int>(m_panel.width() * ImGui::GetIO().DisplayFramebufferScale.x)
                            : 0;
    }

    void drawInterface(double elapsed) {
        ImGui_ImplOpenGL3_NewFrame();
        ImGui_ImplGlfw_NewFrame();
        ImGui::NewFrame();
        const ImGuiIO& io = ImGui::GetIO();
        const ImVec2 size = io.DisplaySize;
        if (m_look.panel) m_panel.draw(m_session, m_look, size.y);
        const float left = m_look.panel ? m_panel.width() : 0;
        if (m_look.panel)
            m_overlay.draw(m_session,
                           {.path = m_source->path(),
                            .renderer = m_glName,
                            .frameMs = 1000 * elapsed,
                            .passes = m_renderer.timings(),
                            .shaderErrors = m_renderer.shaderErrors()},
                           left, size.y);
        if (m_look.help) Overlay::drawHelp(left, size.x - left, size.y);
        m_overlay.drawMessage(left, size.x - left, size.y, elapsed);
        useMouse(left);
        drawHand(left);
        ImGui::Render();
        // what the panel did may have replaced the world
        followScene();
        if (!m_published) publish();
    }

    // What the left button leaves alone belongs to the camera.
    void useMouse(float left) {
        const ImGuiIO& io = ImGui::GetIO();
        const int width = static_cast<int>(io.DisplaySize.x - left),
                  height = static_cast<int>(io.DisplaySize.y);
        if (width < 1 || height < 1) return;
        const HandInput hand{.cursor = {io.MousePos.x - left, io.MousePos.y},
                             .left = io.MouseDown[0] && !io.WantCaptureMouse,
                             .shift = io.KeyShift,
                             .ctrl = io.KeyCtrl,
                             .cut = glfwGetKey(m_window.get(), kKnifeKey) == GLFW_PRESS};
        const bool taken = m_hand.use(m_session, m_look.camera, hand, width, height);
        if (!io.WantCaptureMouse) moveCameraByHand(left, taken);
    }

    // The spring of what is held, or the stroke of the knife.
    void drawHand(float left) {
        const ImVec2 size = ImGui::GetIO().DisplaySize;
        const auto line =
            m_hand.line(m_session, m_look.camera, static_cast<int>(size.x - left), static_cast<int>(size.y));
        if (!line) return;
        const ImVec2 from{left + line->from.x, line->from.y}, to{left + line->to.x, line->to.y};
        ImDrawList* list = ImGui::GetBackgroundDrawList();
        const ImU32 color = line->cut ? IM_COL32(240, 90, 80, 255) : IM_COL32(250, 200, 90, 255);
        list->AddLine(from, to, color, 2);
        if (!line->cut) list->AddCircleFilled(from, 4, color);
        list->AddCircle(to, 6, color, 0, 2);
    }

    void moveCameraByHand(float left, bool buttonTaken) {
        const ImGuiIO& io = ImGui::GetIO();
        const auto held = [&](int key) {
            return glfwGetKey(m_window.get(), key) == GLFW_PRESS ? 1.0f : 0.0f;
        };
        CameraInput in;
        in.moved = {io.MouseDelta.x, io.MouseDelta.y};
        in.cursor = {io.MousePos.x - left, io.MousePos.y};
        in.left = io.MouseDown[0] && !buttonTaken, in.right = io.MouseDown[1], in.middle = io.MouseDown[2];
        in.shift = io.KeyShift, in.ctrl = io.KeyCtrl;
        in.wheel = io.MouseWheel;
        in.seconds = io.DeltaTime;
        if (!io.WantCaptureKeyboard)
            in.fly = {held(GLFW_KEY_D) - held(GLFW_KEY_A), held(GLFW_KEY_E) - held(GLFW_KEY_Q),
                      held(GLFW_KEY_W) - held(GLFW_KEY_S)};
        m_look.camera = moveCamera(m_look.camera, in, static_cast<int>(io.DisplaySize.x - left),
                                   static_cast<int>(io.DisplaySize.y));
    }

    // The picture fills what the panel leaves.
    void drawPicture() {
        const Size window = framebufferSize();
        const int left = panelWidth();
        const Size size{window.width - left, window.height};
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        glViewport(0, 0, window.width, window.height);
        glDisable(GL_SCISSOR_TEST);
        glClearColor(0.1f, 0.1f, 0.1f, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        if (size.width < 1 || size.height < 1) return;  // minimized, or all panel
        if (!m_target || !(m_size == size)) {
            m_target.emplace(size.width, size.height);
            m_size = size;
        }
        m_renderer.draw(m_frame, m_buffers, m_look.camera, m_look.draw, m_target->output());
        glBlitNamedFramebuffer(m_target->framebuffer(), 0, 0, 0, size.width, size.height, left, 0,
                               window.width, window.height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        glViewport(0, 0, window.width, window.height);
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
        const Size size = framebufferSize();
        save(file, {0, size.width, size.height});
    }
    void savePicture(const std::filesystem::path& file) {
        if (m_target) save(file, m_target->output());
    }
    // scene_0001.png and up, the first that is free
    std::filesystem::path screenshotName() const {
        for (int k = 1;; ++k) {
            const std::filesystem::path name = fmt::format("{}_{:04}.png", m_session.scene().name, k);
            std::error_code ignored;
            if (!std::filesystem::exists(name, ignored)) return name;
        }
    }

    void onKey(int key, int code, int action, int mods) {
        if (m_imguiKeys) m_imguiKeys(m_window.get(), key, code, action, mods);
        if (action == GLFW_RELEASE || ImGui::GetIO().WantCaptureKeyboard ||
            (mods & (GLFW_MOD_CONTROL | GLFW_MOD_ALT)))
            return;
        // while the right button flies, the letters are directions
        if (ImGui::GetIO().MouseDown[1]) return;
        const KeyBinding* binding = findBinding(key, mods & GLFW_MOD_SHIFT);
        if (binding && (action == GLFW_PRESS || binding->repeats)) act(binding->action);
    }

    void act(Action action) {
        DrawOptions& draw = m_look.draw;
        switch (action) {
            case Action::Pause:
                m_session.paused = !m_session.paused;
                break;
            case Action::Step:
                m_session.paused = true;
                m_session.step();
                break;
            case Action::Reset:
                m_session.reset(true);
                break;
            case Action::ResetAll:
                m_session.reset(false);
                break;
            case Action::PreviousScene:
                m_panel.openNeighbor(m_session, -1);
                break;
            case Action::NextScene:
                m_panel.openNeighbor(m_session, 1);
                break;
            case Action::ToggleUi:
                m_look.panel = !m_look.panel;
                break;
            case Action::ToggleHelp:
                m_look.help = !m_look.help;
                break;
            case Action::Screenshot:
            case Action::PlainScreenshot:
                m_wanted = action;
                break;
            case Action::FrameScene:
                m_look.camera = frameBounds(
                    m_look.camera, glm::make_vec3(m_frame.boundsMin.data()),
                    glm::make_vec3(m_frame.boundsMax.data()),
                    static_cast<float>(m_size.width) / static_cast<float>(std::max(m_size.height, 1)));
                break;
            case Action::NextCamera:
                takeCamera((m_look.cameraIndex + 1) % m_session.scene().cameras.size());
                break;
            case Action::FreezeColors:
                draw.autoRange = !draw.autoRange;
                std::tie(draw.rangeMin, draw.rangeMax) = m_renderer.colorRange();
                m_overlay.say(draw.autoRange ? "Colors follow the values" : "Color range kept");
                break;
            case Action::ShowSurface:
                draw.mode = DrawMode::Surface;
                break;
            case Action::ColorMaterial:
                m_look.showQuantity(Quantity::Material);
                break;
            case Action::ColorSpeed:
                m_look.showQuantity(Quantity::Speed);
                break;
            case Action::ColorDensity:
                m_look.showQuantity(Quantity::DensityError);
                break;
            case Action::ColorNeighbors:
                m_look.showQuantity(Quantity::Neighbors);
                break;
            case Action::ColorId:
                m_look.showQuantity(Quantity::Id);
                break;
            case Action::ColorStrain:
                m_look.showQuantity(Quantity::Strain);
                break;
            case Action::ToggleWire:
                draw.wire = !draw.wire;
                break;
            case Action::ToggleShadows:
                draw.shadows = !draw.shadows;
                break;
            case Action::ToggleContacts:
                m_look.contactLines = !m_look.contactLines;
                break;
            case Action::ToggleSprings:
                m_look.springLines = !m_look.springLines;
                break;
            case Action::NextClothWay:
                draw.cloth = static_cast<ClothWay>((static_cast<int>(draw.cloth) + 1) % 3);
                break;
            case Action::NextQuality: {
                static constexpr const char* kNames[] = {"points", "spheres", "ellipsoids", "record"};
                const int next = (static_cast<int>(draw.quality) + 1) % 4;
                draw.quality = static_cast<Quality>(next);
                m_overlay.say(std::string("Quality: ") + kNames[next]);
                break;
            }
            case Action::Quit:
                if (m_look.help)
                    m_look.help = false;
                else
                    glfwSetWindowShouldClose(m_window.get(), GLFW_TRUE);
                break;
        }
    }

    struct Shown {
        uint64_t step;
        DrawRequest request;
        bool operator==(const Shown&) const = default;
    };

    const ViewOptions& m_options;
    Session m_session;  // first: a scene with mistakes is refused before a window opens
    GlfwWindow m_window;
    Interface m_interface;
    Renderer m_renderer;
    Panel m_panel;
    Overlay m_overlay;
    Look m_look;
    HandTool m_hand;
    std::string m_glName = gl::rendererName();
    GLFWkeyfun m_imguiKeys = nullptr;
    std::filesystem::path m_sceneFile;
    uint64_t m_generation = 0;
    GlBuffers m_buffers;  // before the source, which unregisters them from CUDA when it goes
    std::unique_ptr<FrameSource> m_source;
    std::optional<Shown> m_published;
    RenderFrame m_frame;
    std::optional<RenderTarget> m_target;
    Size m_size;
    std::optional<Action> m_wanted;  // a screenshot waits for the end of the frame
};

}  // namespace

void view(const ViewOptions& options) {
    orNoGraphics([&] { Viewer(options).run(); });
}

}  // namespace coalesce
