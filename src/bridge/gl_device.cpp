#include "bridge/gl_device.h"

#ifdef COALESCE_CUDA
#include "bridge/shared_buffers.h"
#endif

namespace coalesce {

ExecOptions preferGlDevice(ExecOptions options) {
#ifdef COALESCE_CUDA
    if (options.backend != "cpu")
        options.preferredDevice = cudaDeviceOfGl().value_or(options.preferredDevice);
#endif
    return options;
}

}  // namespace coalesce
