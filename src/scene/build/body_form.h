// The particles of a body in its own frame.
#pragma once

#include <memory>
#include <vector>

#include "geometry/math/vec3d.h"
#include "geometry/shapes/solid.h"
#include "scene/format/scene.h"
#include "sim/world/body_clusters.h"

namespace coalesce {

using PointList = std::vector<Vec3d>;

struct BodyForm {
    PointList points;                    // [m] about the center, unrotated, in the order of ids
    std::vector<BodySample> samples;     // the same for solid bodies; empty for liquids and grains
    ClothMesh cloth;                     // cloth, rope: connections of the points
    std::vector<float> masses;           // [kg] cloth, rope: of each point
    std::vector<RoundSurface> rounds;    // rigid bodies of round form
    std::shared_ptr<const Solid> solid;  // its surface; null without a surface to draw
    float particleMass = 0;              // [kg]; their mean where masses differ
};
inline float massOf(const BodyForm& form, size_t point) {
    return point < form.masses.size() ? form.masses[point] : form.particleMass;
}

// Whether shape matching or springs hold its particles together.
bool isSolid(const Scene& scene, const Body& body);
bool isSprung(const Scene& scene, const Body& body);
// Initial distance of a body's particles [m]: its own, or its material's.
float spacingOf(const Scene& scene, const Body& body);

// Number of particles of one copy; a double, since it may exceed the range of integers. Estimated for shapes
// of more than 2^20 cells. Throws where formOf() would find too many.
double countBody(const Scene& scene, const Body& body);
// The form of a body; equal shapes are sampled once. Throws what makeSolid() and the samplers throw.
std::shared_ptr<const BodyForm> formOf(const Scene& scene, const Body& body);
// Number of forms built so far, without those found in a cache; for tests.
uint64_t builtForms();
// The solid of a body of kind Solid, not sampled; `notes` receives the notes of makeSolid().
std::shared_ptr<const Solid> solidOf(const Scene& scene, const Body& body,
                                     std::vector<std::string>* notes = nullptr);
// Bounding box of the form, about the center.
Box boundsOf(const Scene& scene, const Body& body);

}  // namespace coalesce
