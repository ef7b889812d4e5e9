// The functions behind the names of solidShapes(), and what they share.
#pragma once

#include <cmath>
#include <cstdint>

#include "geometry/shapes/solid_shapes.h"

namespace coalesce::forms {

// Parameters of a shape, as a scene gives them.
struct ShapeParameters {
    const SolidNumbers& numbers;
    uint64_t seed;
    Vec3d size;  // requested bounds, or zero

    double operator[](const char* name) const { return numbers.at(name); }
    Vec3d sizeOr(Vec3d natural) const { return size.x() > 0 ? size : natural; }
};

// The box [-x, x] × [low, high] × [-z, z].
inline Box3d around(double x, double low, double high, double z) {
    return {{-x, low, -z}, {x, high, z}};
}
inline Vec3d mirrored(Vec3d p) {
    return {std::abs(p.x()), p.y(), p.z()};
}

// forms_simple.cpp
SolidForm brick(const ShapeParameters& parameters);
SolidForm cube(const ShapeParameters& parameters);
SolidForm rod(const ShapeParameters& parameters);
SolidForm sheet(const ShapeParameters& parameters);
SolidForm sphere(const ShapeParameters& parameters);
SolidForm icosphere(const ShapeParameters& parameters);
SolidForm disc(const ShapeParameters& parameters);
SolidForm torus(const ShapeParameters& parameters);
SolidForm uShape(const ShapeParameters& parameters);
SolidForm rock(const ShapeParameters& parameters);

// forms_swept.cpp
SolidForm torusKnot(const ShapeParameters& parameters);
SolidForm banana(const ShapeParameters& parameters);
SolidForm serpent(const ShapeParameters& parameters);
SolidForm bunny(const ShapeParameters& parameters);
SolidForm figure(const ShapeParameters& parameters);
SolidForm octopus(const ShapeParameters& parameters);
SolidForm horse(const ShapeParameters& parameters);
SolidForm teapot(const ShapeParameters& parameters);

// forms_revolved.cpp
SolidForm cup(const ShapeParameters& parameters);
SolidForm bowl(const ShapeParameters& parameters);
SolidForm glass(const ShapeParameters& parameters);
SolidForm hourglass(const ShapeParameters& parameters);

// forms_scenery.cpp
SolidForm castle(const ShapeParameters& parameters);
SolidForm idol(const ShapeParameters& parameters);
SolidForm riverbed(const ShapeParameters& parameters);
SolidForm street(const ShapeParameters& parameters);

}  // namespace coalesce::forms
