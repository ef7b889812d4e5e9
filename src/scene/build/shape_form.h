// Geometry of convex, sdf and mesh shapes, at rest and deforming.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "geometry/shapes/solid.h"
#include "geometry/shapes/surface_animation.h"
#include "scene/format/scene.h"

namespace coalesce {

// Shared by equal shapes while in use. Null for a plane, box, sphere or capsule. Throws what makeSolid(),
// convexHull() and bakeVolume() throw; `notes` receives their notes.
std::shared_ptr<const ShapeGeometry> geometryOf(const Scene& scene, const Shape& shape,
                                                std::vector<std::string>* notes = nullptr);

// The solid of a convex, sdf or mesh that is made of a file, at rest; null for a shape without a file, and for
// a sequence of files.
std::shared_ptr<const Solid> solidOfFile(const Scene& scene, const Shape& shape);
// [m] of the grid of an sdf with these bounds
float cellOf(const Shape& shape, const Box& bounds);

// The grid of an sdf, before anything is computed on it.
struct FieldGrid {
    std::shared_ptr<const Solid> solid;  // at rest; of a sequence of files: the first one
    std::array<size_t, 3> nodes{};       // along x, y and z
    size_t bytesPerNode = 0;             // a distance; a displacement, too, if its surface deforms or flows
    size_t bytes() const { return nodes[0] * nodes[1] * nodes[2] * bytesPerNode; }
};
// Of an sdf at rest; one that deforms may need a little more. Empty for other shapes, and for a sequence
// without files. Throws what makeSolid() throws.
std::optional<FieldGrid> fieldGridOf(const Scene& scene, const Shape& shape);
bool deforms(const Shape& shape);
// The surface of an sdf that is made of a sequence of mesh files; null otherwise.
std::shared_ptr<const AnimatedSurface> sequenceOf(const Scene& scene, const Shape& shape);

// Adds what is noted of the mesh file of a shape, if it has one.
void noteMesh(const Scene& scene, const Shape& shape, std::vector<std::string>& notes);

// The same for any shape; sets its geometry, and how it deforms.
void buildForm(const Scene& scene, Shape& shape, std::vector<std::string>* notes = nullptr);

}  // namespace coalesce
