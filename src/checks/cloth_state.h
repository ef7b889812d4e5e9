// State of cloth and ropes, read back from the device: springs, triangles, and the bodies they belong to.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sim/world/world.h"

namespace coalesce {

struct ClothState {
    struct Body {
        uint32_t group = 0;
        uint32_t firstId = 0, firstRow = 0, rows = 0, spares = 0;
        uint32_t firstTriangle = 0, triangles = 0;
    };
    std::vector<Body> bodies;
    // tables of World::solids
    std::vector<DistanceConstraint> springs;
    std::vector<ClothTriangle> triangles;
    std::vector<Vec4> restPosition;
    std::vector<uint32_t> idOf;  // id of the particle of each row

    std::span<const ClothTriangle> trianglesOf(const Body& body) const {
        return std::span(triangles).subspan(body.firstTriangle, body.triangles);
    }
};

// Null in a world without springs.
std::shared_ptr<const ClothState> readClothState(const World& world);

}  // namespace coalesce
