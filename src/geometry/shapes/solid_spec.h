// Which solid a body, shape or emitter is made of. Apart from solid.h, so that the world and its kernels do
// not include Eigen.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "kernels/math/vec.h"

namespace coalesce {

using SolidNumbers = std::map<std::string, float>;

enum class UpAxis { y, z, x };  // of a mesh file

struct SolidSpec {
    std::string shape{};           // a name of solidShapes()
    std::filesystem::path mesh{};  // a mesh file; replaces the shape if there is none, or the file exists
    UpAxis up = UpAxis::y;         // its coordinate that points up
    float metersPerUnit = 0;       // [m] its unit of length, replaces height and size; 0: scaled to these
    bool keepOrigin = false;       // its origin is that of the solid, instead of the center of its bounds
    float height = 1;              // [m] of the bounds along y
    Vec3 size{};               // [m] of the bounds along all axes, replaces height; zero: keeps proportions
    SolidNumbers numbers{};    // of the shape; defaults where missing
    uint64_t seed = 0;         // of random shapes
    bool surfaceOnly = false;  // only its mesh() is needed: a mesh file may be open or flat
    std::string where{};       // position in the user's file, for messages
};

}  // namespace coalesce
