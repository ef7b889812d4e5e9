// Sinks of a world: what they take out of it.
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
    bool formed = false;              // has a form; otherwise it takes by age, everywhere
    Shape form;                       // where it takes; a mesh has no inside and is none
    std::vector<std::string> actsOn;  // materials, bodies and emitters; empty: everything
};

}  // namespace coalesce
