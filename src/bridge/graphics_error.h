// Converts exceptions of the renderer to Errors.
#pragma once

#include <stdexcept>

#include "core/error.h"

namespace coalesce {

// Returns make(); std::runtime_errors that are not Errors become Exit::Graphics. Messages of the renderer are
// already written for users; only the exit code is added.
template <class Make>
auto asGraphicsErrors(Make&& make) {
    try {
        return make();
    } catch (const Error&) {
        throw;
    } catch (const std::runtime_error& error) {
        throw Error(Exit::Graphics, error.what());
    }
}

}  // namespace coalesce
