#include "geometry/query/mesh_components.h"

#include <map>

#include "core/disjoint_sets.h"

namespace coalesce {

std::vector<TriangleMesh> componentsOf(const TriangleMesh& mesh) {
    const std::vector<Triangle> welded = weldedTriangles(mesh);
    DisjointSets sets(mesh.vertices.size());
    for (const Triangle& t : welded) sets.join(t[0], t[1]), sets.join(t[0], t[2]);
    std::map<uint32_t, size_t> componentOf;  // by root
    std::vector<TriangleMesh> components;
    for (const Triangle& t : welded) {
        const auto [known, isNew] = componentOf.try_emplace(sets.find(t[0]), components.size());
        if (isNew) components.push_back({.vertices = mesh.vertices, .normals = {}, .triangles = {}});
        components[known->second].triangles.push_back(t);
    }
    return components;
}

}  // namespace coalesce
