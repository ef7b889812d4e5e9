// Where two states differ first.
#pragma once

#include <optional>
#include <string>

#include "sim/state/state_image.h"

namespace coalesce {

struct StateDifference {
    std::string section{}, array{};
    bool ofParticle = false;
    uint64_t id = 0;       // of the particle; of other arrays the index of the element
    int component = 0;     // of the element
    std::string a{}, b{};  // the values

    // "section 'particles', particle 12 of 'v', component 1: 0.5 and 0.25"
    std::string message() const;
};

// The first difference in the order of sections, arrays and ids. Storage order of particles does not matter,
// and −0 equals +0, as for the hash. nullopt: equal.
std::optional<StateDifference> firstDifference(const StateImage& a, const StateImage& b);
std::optional<StateDifference> firstDifference(const World& a, const World& b);

}  // namespace coalesce
