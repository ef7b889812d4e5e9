// Sinks of a world: they remove particles.
#pragma once

#include <string>
#include <vector>

#include "sim/world/parameters.h"
#include "sim/world/shapes.h"

namespace coalesce {

constexpr uint32_t kMaxSinks = 32;

struct Sink {
    std::string name;
    SinkProperties properties;
    bool formed = false;              // has a form; otherwise it removes by age, everywhere
    Shape form;                       // where it removes; not a mesh, which has no inside
    std::vector<std::string> actsOn;  // materials, bodies and emitters; empty: everything
};

}  // namespace coalesce
