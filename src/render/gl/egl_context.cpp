#include "render/gl/egl_context.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <charconv>
#include <cstring>
#include <vector>

namespace coalesce {

GlChoice parseGlChoice(std::string_view text) {
    if (text == "auto") return {};
    if (text == "window") return {GlChoice::Kind::Window, 0};
    if (text == "surfaceless") return {GlChoice::Kind::Surfaceless, 0};
    if (text.starts_with("egl:")) {
        const std::string_view digits = text.substr(4);
        int device = -1;
        const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), device);
        if (failure == std::errc() && end == digits.data() + digits.size() && device >= 0) {
            return {GlChoice::Kind::EglDevice, device};
        }
    }
    throw std::invalid_argument(
        "--gl " + std::string(text) +
        ": invalid OpenGL context. Choose auto, window, surfaceless, or egl:N with N the number "
        "of an EGL device, e.g. --gl egl:0.");
}

struct EglContext::State {
    // Opens a context on a platform display and makes it current. Null on failure, with the reason in
    // `tried`.
    static std::unique_ptr<State> open(EGLenum platform, void* native, const std::string& label, bool debug,
                                       std::string& tried);

    EGLDisplay display = EGL_NO_DISPLAY;
    EGLContext context = EGL_NO_CONTEXT;
    std::string description;

    // All contexts of this device in the process share the display, so it is not terminated here.
    ~State() {
        if (context == EGL_NO_CONTEXT) return;
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglDestroyContext(display, context);
    }
};

namespace {

bool has(const char* extensions, const char* name) {
    const size_t length = std::strlen(name);
    for (const char* at = extensions; at && (at = std::strstr(at, name)); at += length) {
        if ((at == extensions || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return true;
    }
    return false;
}

std::string eglError() {
    char text[16];
    std::snprintf(text, sizeof text, "0x%04X", unsigned(eglGetError()));
    return text;
}

struct Device {
    EGLDeviceEXT handle = nullptr;
    bool software = false;
    EGLAttrib cuda = -1;  // CUDA ordinal, -1: none
};

// Devices in the driver's order. Mesa's software device returns an error for the CUDA attribute, which means
// none.
std::vector<Device> listDevices() {
    const auto queryDevices =
        reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(eglGetProcAddress("eglQueryDevicesEXT"));
    const auto queryString =
        reinterpret_cast<PFNEGLQUERYDEVICESTRINGEXTPROC>(eglGetProcAddress("eglQueryDeviceStringEXT"));
    const auto queryAttribute =
        reinterpret_cast<PFNEGLQUERYDEVICEATTRIBEXTPROC>(eglGetProcAddress("eglQueryDeviceAttribEXT"));
    if (!queryDevices || !queryString || !queryAttribute) return {};
    EGLint count = 0;
    if (!queryDevices(0, nullptr, &count) || count <= 0) return {};
    std::vector<EGLDeviceEXT> handles(static_cast<size_t>(count));
    queryDevices(count, handles.data(), &count);
    std::vector<Device> devices;
    for (EGLint k = 0; k < count; ++k) {
        Device device{.handle = handles[size_t(k)]};
        const char* extensions = queryString(device.handle, EGL_EXTENSIONS);
        device.software = has(extensions, "EGL_MESA_device_software");
        EGLAttrib ordinal = -1;
        if (has(extensions, "EGL_NV_device_cuda") &&
            queryAttribute(device.handle, EGL_CUDA_DEVICE_NV, &ordinal)) {
            device.cuda = ordinal;
        }
        devices.push_back(device);
    }
    return devices;
}

constexpr const char* kAdvice =
    "    Install a driver with OpenGL 4.5 over EGL: for software rendering Debian's libegl-mesa0 and "
    "libgl1-mesa-dri;\n"
    "    for NVIDIA the driver's EGL library, in containers with the \"graphics\" capability, and if only "
    "Mesa shows\n"
    "    up, __EGL_VENDOR_LIBRARY_FILENAMES naming NVIDIA's vendor file. \"coalesce run\" needs no OpenGL.";

}  // namespace

std::unique_ptr<EglContext::State> EglContext::State::open(EGLenum platform, void* native,
                                                           const std::string& label, bool debug,
                                                           std::string& tried) {
    const auto reject = [&](const std::string& why) {
        tried += "    " + label + ": " + why + "\n";
        return nullptr;
    };
    const auto getDisplay =
        reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
    if (!getDisplay) return reject("EGL has no platform displays");
    auto state = std::make_unique<State>();
    state->display = getDisplay(platform, native, nullptr);
    if (state->display == EGL_NO_DISPLAY) return reject("no display (" + eglError() + ")");
    if (!eglInitialize(state->display, nullptr, nullptr))
        return reject("cannot be initialized (" + eglError() + ")");
    if (!eglBindAPI(EGL_OPENGL_API)) return reject("no desktop OpenGL (" + eglError() + ")");
    const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                             EGL_NONE};
    EGLConfig config = EGL_NO_CONFIG_KHR;
    EGLint configs = 0;
    if (!eglChooseConfig(state->display, wanted, &config, 1, &configs) || configs == 0)
        config = EGL_NO_CONFIG_KHR;
    const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION,
                                 4,
                                 EGL_CONTEXT_MINOR_VERSION,
                                 5,
                                 EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                 EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                 EGL_CONTEXT_OPENGL_DEBUG,
                                 debug ? EGL_TRUE : EGL_FALSE,
                                 EGL_NONE};
    state->context = eglCreateContext(state->display, config, EGL_NO_CONTEXT, attributes);
    if (state->context == EGL_NO_CONTEXT) return reject("no OpenGL 4.5 core context (" + eglError() + ")");
    if (!eglMakeCurrent(state->display, EGL_NO_SURFACE, EGL_NO_SURFACE, state->context))
        return reject("the context cannot be used without a surface (" + eglError() + ")");
    if (!gladLoadGL(reinterpret_cast<GLADloadfunc>(eglGetProcAddress)) || !GLAD_GL_VERSION_4_5)
        return reject("OpenGL functions cannot be loaded");
    state->description = label + ", " + gl::rendererName();
    return state;
}

EglContext::EglContext(const EglOptions& options) {
    using Kind = GlChoice::Kind;
    std::string tried;
    const std::vector<Device> devices = listDevices();
    const auto openDevice = [&](size_t k, const char* why) {
        const std::string label = "EGL device " + std::to_string(k) + why;
        m_state = State::open(EGL_PLATFORM_DEVICE_EXT, devices[k].handle, label, options.debug, tried);
        return m_state != nullptr;
    };
    const auto openSurfaceless = [&] {
        m_state = State::open(EGL_PLATFORM_SURFACELESS_MESA, reinterpret_cast<void*>(EGL_DEFAULT_DISPLAY),
                              "EGL surfaceless", options.debug, tried);
        return m_state != nullptr;
    };

    switch (options.choice.kind) {
        case Kind::Window:
            throw GlUnavailable(
                "--gl window: this command draws without a window.\n"
                "    Choose --gl auto, surfaceless or egl:N.");
        case Kind::Surfaceless:
            if (openSurfaceless()) return;
            break;
        case Kind::EglDevice: {
            const size_t wanted = size_t(options.choice.device);
            if (wanted < devices.size()) {
                if (openDevice(wanted, devices[wanted].software ? " (software)" : "")) return;
            } else {
                tried += "    EGL device " + std::to_string(wanted) + ": there are only " +
                         std::to_string(devices.size()) + " (numbers start at 0)\n";
            }
            break;
        }
        case Kind::Auto:
            if (options.cudaDevice >= 0) {
                bool found = false;
                for (size_t k = 0; k < devices.size(); ++k) {
                    if (devices[k].cuda != options.cudaDevice) continue;
                    found = true;
                    if (openDevice(k, " (the CUDA device)")) return;
                }
                if (!found) {
                    tried += "    EGL device of CUDA device " + std::to_string(options.cudaDevice) +
                             ": not listed\n";
                }
            }
            for (size_t k = 0; k < devices.size(); ++k) {
                const bool triedAlready = options.cudaDevice >= 0 && devices[k].cuda == options.cudaDevice;
                if (!devices[k].software && !triedAlready && openDevice(k, "")) return;
            }
            if (openSurfaceless()) return;
            break;
    }
    throw GlUnavailable("No usable OpenGL 4.5 without a window. Tried:\n" + tried + kAdvice);
}

EglContext::~EglContext() = default;
EglContext::EglContext(EglContext&&) noexcept = default;
EglContext& EglContext::operator=(EglContext&&) noexcept = default;

void EglContext::makeCurrent() {
    if (!eglMakeCurrent(m_state->display, EGL_NO_SURFACE, EGL_NO_SURFACE, m_state->context)) {
        throw GlUnavailable(m_state->description + ": the context cannot be made current (" + eglError() +
                            ").\n" + "    Another thread may still use it: release it there first.");
    }
}

void EglContext::release() {
    eglMakeCurrent(m_state->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
}

const std::string& EglContext::description() const {
    return m_state->description;
}

}  // namespace coalesce
