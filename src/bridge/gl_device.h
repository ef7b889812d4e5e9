// The GPU of the current OpenGL context as the device of the simulation.
#pragma once

#include "core/exec.h"

namespace coalesce {

// Prefers the CUDA device that renders the current OpenGL context, so that buffers can be shared. A device
// that the user asked for stays; without CUDA the options are returned unchanged.
ExecOptions preferGlDevice(ExecOptions options);

}  // namespace coalesce
