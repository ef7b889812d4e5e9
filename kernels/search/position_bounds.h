// Bounds of particles, of forEachReduce.
#pragma once

#include "kernels/math/integer_box.h"
#include "kernels/math/view.h"
#include "kernels/particles/material_constants.h"

namespace coalesce {

// Box of all finite positions, in integers that are ordered as the floats [m] are (orderedBits).
struct FindBounds {
    View<const Vec4> x;
    IntegerBox* box;  // extended; the identity before

    HD IntegerBox operator()(int i) const {
        const Vec3 p = xyz(x[i]);
        if (!isFinite(p)) return IntegerBox::identity();
        const int32_t bits[3] = {orderedBits(asInt(p.x)), orderedBits(asInt(p.y)), orderedBits(asInt(p.z))};
        return {{bits[0], bits[1], bits[2]}, {bits[0], bits[1], bits[2]}};
    }
    HD void finish(const IntegerBox& found) const { box->extend(found); }
};

// The same for the particles of groups first … first + count − 1.
struct FindBoundsOfGroups : FindBounds {
    View<const uint32_t> phase;
    uint32_t first, count;

    HD IntegerBox operator()(int i) const {
        return groupOf(phase[i]) - first < count ? FindBounds::operator()(i) : IntegerBox::identity();
    }
};

}  // namespace coalesce
