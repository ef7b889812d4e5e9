// An OpenGL 4.5 core context without a window or display server.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "render/gl/gl.h"

namespace coalesce {

// What --gl asks for.
struct GlChoice {
    enum class Kind { Auto, Window, EglDevice, Surfaceless };
    Kind kind = Kind::Auto;
    int device = 0;  // index into the EGL device list, for EglDevice
};

// "auto", "window", "egl:N" or "surfaceless". Throws std::invalid_argument with the alternatives.
GlChoice parseGlChoice(std::string_view text);

// No usable OpenGL; the message lists everything that was tried and what to do.
struct GlUnavailable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct EglOptions {
    GlChoice choice;
    int cudaDevice = -1;  // CUDA ordinal whose GPU should draw too, so that buffers can be shared; -1: none
    bool debug = false;   // ask for a debug context (see gl::DebugLog)
};

// Auto takes, in this order: the EGL device of the CUDA device, another hardware EGL device, Mesa's
// surfaceless platform. The surfaceless platform comes last because beside an NVIDIA driver it silently means
// software drawing. The context is current after construction and OpenGL functions are loaded.
class EglContext {
public:
    explicit EglContext(const EglOptions& options = {});
    ~EglContext();
    EglContext(EglContext&&) noexcept;
    EglContext& operator=(EglContext&&) noexcept;

    void makeCurrent();
    void release();  // makes no context current on this thread
    const std::string& description()
        const;                 // e.g. "EGL device 0 (EGL_NV_device_cuda), NVIDIA H200/PCIe/SSE2"
    bool matchesCuda() const;  // the context runs on the CUDA device asked for

private:
    struct State;
    std::unique_ptr<State> m_state;
};

}  // namespace coalesce
