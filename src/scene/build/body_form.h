// The particles of a body before it is placed.
#pragma once

#include <memory>
#include <vector>

#include "geometry/math/vec3d.h"
#include "scene/format/scene.h"
#include "sim/world/body_clusters.h"

namespace coalesce {

using PointList = std::vector<Vec3d>;

struct BodyForm {
    PointList points;                    // [m] about the center, before the body is turned, in order of ids
    std::vector<BodySample> samples;     // the same of what is held together; empty for liquids and grains
    ClothMesh cloth;                     // cloth, rope: what joins the points
    std::vector<float> masses;           // [kg] cloth, rope: of each point
    std::shared_ptr<const Solid> solid;  // its surface; null when it has none to draw
    float particleMass = 0;              // [kg]; where masses differ, their mean
};
inline float massOf(const BodyForm& form, size_t point) {
    return point < form.masses.size() ? form.masses[point] : form.particleMass;
}

// Whether its particles are held together: by shape matching, or by springs.
bool isSolid(const Scene& scene, const Body& body);
bool isSprung(const Scene& scene, const Body& body);
// Distance of a body's particles at the start [m]: its own, or its material's.
float spacingOf(const Scene& scene, const Body& body);

// Particles of one copy; a double, for it may exceed every integer. In more than 2^20 cells that of a shape
// is estimated. Throws where formOf() would find too many.
double countBody(const Scene& scene, const Body& body);
// Equal shapes are sampled once. Throws what makeSolid() and the samplers throw.
std::shared_ptr<const BodyForm> formOf(const Scene& scene, const Body& body);
// What a body of the kind Solid is made from, not sampled; `notes` gets what makeSolid() has to say.
std::shared_ptr<const Solid> solidOf(const Scene& scene, const Body& body,
                                     std::vector<std::string>* notes = nullptr);
// Corners of the form, about the center.
Box boundsOf(const Scene& scene, const Body& body);

}  // namespace coalesce
