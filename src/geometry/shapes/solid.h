// A solid: what a body or a collision shape is made from. One signed distance gives its particles, its field
// and its triangles; it is described by name or by a mesh file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "geometry/math/vec3d.h"
#include "geometry/mesh/mesh.h"
#include "geometry/shapes/solid_shapes.h"

namespace coalesce {

struct SolidSpec {
    std::string shape{};           // a name of solidShapes()
    std::filesystem::path mesh{};  // OBJ or PLY; takes the shape's place where the file exists
    float height = 1;              // [m] of the bounds along y
    Vec3 size{};  // [m] of the bounds along all axes, takes the place of height; zero: proportions kept
    SolidNumbers numbers{};  // of the shape; what is missing has its default
    uint64_t seed = 0;       // of shapes with chance in them
    std::string where{};     // in the user's file, for messages
};

class Solid {
public:
    struct Parts {
        std::function<double(Vec3d)> distance;
        std::function<Vec3d(Vec3d)> gradient{};  // of any length; empty: by differences
        TriangleMesh mesh;                       // as it is drawn
        TriangleMesh surface{};                  // that the distance belongs to; empty: mesh
        Box bounds{};
    };
    explicit Solid(Parts parts);

    // Signed [m], negative inside.
    float distance(Vec3 p) const { return static_cast<float>(distanceAt(toDouble(p))); }
    double distanceAt(Vec3d p) const { return m_parts.distance(p); }
    // Unit, the way out; +y where there is none.
    Vec3 gradient(Vec3 p) const;

    // The bounds' center is the origin of the solid's frame.
    const Box& bounds() const { return m_parts.bounds; }
    // The surface as it is drawn: closed and manifold for procedural shapes (vertices are double along sharp
    // edges), as in its file otherwise.
    const TriangleMesh& mesh() const { return m_parts.mesh; }
    // The closed surface that the distance belongs to: the mesh, or what was put round an open one.
    const TriangleMesh& surface() const {
        return m_parts.surface.triangles.empty() ? m_parts.mesh : m_parts.surface;
    }
    bool closed() const { return m_closed; }    // the mesh is
    double volume() const { return m_volume; }  // [m³] of what is inside

private:
    Parts m_parts;
    bool m_closed;
    double m_volume;
    double m_step;  // [m] of differences
};

// Throws Error (Exit::Scene) for unknown names and numbers out of range. `notes` gets a line for what the
// user should know: a mesh file that is missing, open or inside out. Equal specs share one solid while it
// lives.
std::shared_ptr<const Solid> makeSolid(const SolidSpec& spec, std::vector<std::string>* notes = nullptr);

}  // namespace coalesce
