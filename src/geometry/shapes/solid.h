// Solids: geometry of bodies and collision shapes, from a named shape or a mesh file. Particles, signed
// distance fields and triangles derive from one signed distance.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "geometry/math/vec3d.h"
#include "geometry/mesh/mesh.h"
#include "geometry/query/mesh_repair.h"
#include "geometry/shapes/skeleton.h"
#include "geometry/shapes/solid_shapes.h"
#include "geometry/shapes/solid_spec.h"

namespace coalesce {

class Solid {
public:
    struct Parts {
        std::function<double(Vec3d)> distance;
        std::function<Vec3d(Vec3d)> gradient{};  // any length; empty: by differences
        TriangleMesh mesh;                       // for rendering
        TriangleMesh surface{};                  // zero level of the distance; empty: mesh
        Box bounds{};
        MeshReport report{};  // of a mesh file
        Skeleton skeleton{};  // of the mesh; no bones: it has none
    };
    explicit Solid(Parts parts);

    // Signed [m], negative inside.
    float distance(Vec3 p) const { return static_cast<float>(distanceAt(toDouble(p))); }
    double distanceAt(Vec3d p) const { return m_parts.distance(p); }
    // Unit outward gradient; +y where it is undefined.
    Vec3 gradient(Vec3 p) const;

    // Centered at the origin of the solid's frame, unless a mesh file keeps its own origin.
    const Box& bounds() const { return m_parts.bounds; }
    // The render mesh: closed and manifold for procedural shapes (vertices are duplicated along sharp edges),
    // unchanged for mesh files.
    const TriangleMesh& mesh() const { return m_parts.mesh; }
    // The closed surface of the distance: the mesh, or the surface generated around an open one.
    const TriangleMesh& surface() const {
        return m_parts.surface.triangles.empty() ? m_parts.mesh : m_parts.surface;
    }
    bool closed() const { return m_closed; }  // of the mesh
    const Skeleton& skeleton() const { return m_parts.skeleton; }
    const MeshReport& report() const { return m_parts.report; }
    double volume() const { return m_volume; }  // [m³] enclosed

private:
    Parts m_parts;
    bool m_closed;
    double m_volume;
    double m_step;  // [m] step of differences
};

// Fails (Exit::Scene): a mesh above kSheetShare has no inside.
[[noreturn]] void failOfSheet(const std::string& where, const MeshReport& report);

// Throws Error (Exit::Scene) for unknown names and numbers out of range. `notes` receives a line per warning:
// a mesh file that is missing, open or inverted. Equal specs share one solid.
std::shared_ptr<const Solid> makeSolid(const SolidSpec& spec, std::vector<std::string>* notes = nullptr);

}  // namespace coalesce
