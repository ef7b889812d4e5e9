// OpenGL's own errors as errors of the program.
#pragma once

#include <stdexcept>

#include "core/error.h"

namespace coalesce {

// make(), with every error that is not yet one of the program's turned into Exit::Graphics. The renderer's
// messages are for people already; only the exit code is missing.
template <class Make>
auto orNoGraphics(Make&& make) {
    try {
        return make();
    } catch (const Error&) {
        throw;
    } catch (const std::runtime_error& error) {
        throw Error(Exit::Graphics, error.what());
    }
}

}  // namespace coalesce
