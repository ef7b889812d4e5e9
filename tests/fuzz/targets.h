// Readers of files from outside, for fuzzers: each takes any bytes, and must read them soundly or refuse them
// with an Error of Exit::Scene. Anything else is a bug, and throws BrokenPromise or crashes.
#pragma once

#include <span>
#include <stdexcept>
#include <string_view>

namespace coalesce::fuzz {

struct BrokenPromise : std::logic_error {
    using std::logic_error::logic_error;
};

struct Target {
    const char* name;
    bool (*read)(std::string_view bytes);  // true: read; false: refused
};
// mesh, scene, film, expression, preset, replay, sweep, state, cache
std::span<const Target> targets();

}  // namespace coalesce::fuzz
