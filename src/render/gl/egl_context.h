// An OpenGL 4.5 core context without a window or display server.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "render/gl/gl.h"

namespace coalesce {

// Choice of --gl.
struct GlChoice {
    enum class Kind { Auto, Window, EglDevice, Surfaceless };
    Kind kind = Kind::Auto;
    int device = 0;  // index into the EGL device list, for EglDevice
};

// "auto", "window", "egl:N" or "surfaceless". Throws std::invalid_argument with the alternatives.
GlChoice parseGlChoice(std::string_view text);

// No usable OpenGL; the message lists all attempts and what to do.
struct GlUnavailable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct EglOptions {
    GlChoice choice;
    int cudaDevice =
        -1;  // CUDA ordinal of the GPU that should also draw, so that buffers can be shared; -1: none
    bool debug = false;  // request a debug context (see gl::DebugLog)
};

// Auto tries, in this order: the EGL device of the CUDA device, other hardware EGL devices, Mesa's
// surfaceless platform. The surfaceless platform comes last because it silently renders in software where an
// NVIDIA driver is installed. After construction the context is current and OpenGL functions are loaded.
class EglContext {
public:
    explicit EglContext(const EglOptions& options = {});
    ~EglContext();
    EglContext(EglContext&&) noexcept;
    EglContext& operator=(EglContext&&) noexcept;

    void makeCurrent();
    void release();  // leaves no context current on this thread
    // e.g. "EGL device 0 (the CUDA device), NVIDIA H200/PCIe/SSE2"
    const std::string& description() const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

}  // namespace coalesce
