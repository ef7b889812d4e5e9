// The base of the tests of cloth, and what they share.
#pragma once

#include <gtest/gtest.h>

#include "sim/make_cloth_meshes.h"
#include "support/each_backend.h"

namespace coalesce::test {

inline constexpr float kD = 0.05f;  // [m] spacing of all sheets here

class Cloth : public EachBackend {};

struct Setting {
    double frameRate;
    int substeps, iterations;
};

}  // namespace coalesce::test
