// The prims of a stage for bodies: instances, deforming meshes, cloth, ropes.
#include <algorithm>
#include <fmt/format.h>

#include "export/usd_stage.h"
#include "kernels/math/rotation.h"

namespace coalesce {

namespace {

constexpr uint32_t kNone = 0xffffffffu;

// By row of the bodies: the particle's place in the table; kNone: it does not exist.
std::vector<uint32_t> placesOfRows(const StageFrame& f) {
    uint32_t rows = 0;
    for (const SolidBody& body : f.bodies) rows = std::max(rows, body.firstRow + body.rows);
    std::vector<uint32_t> place(rows, kNone);
    const auto &id = f.table.wholes("id"), &group = f.table.wholes("group");
    for (uint32_t k = 0; k < id.size(); ++k) {
        if (group[k] >= f.groups.size()) continue;
        const Group& g = f.groups[group[k]];
        if (g.body == Group::kNoBody) continue;
        const uint32_t row = f.bodies[g.body].firstRow + id[k] - g.first;
        if (row < rows) place[row] = k;
    }
    return place;
}

std::string uniqueName(const StageFrame& f, size_t body) {
    const std::string name = usdName(f.groups[f.bodies[body].group].name);
    // names of the scene may become equal as identifiers, and emitted bodies share theirs
    return fmt::format("{}_{}", name, body);
}

// The vertices of a skin at the present poses of its clusters; see Skin.
TriangleMesh skinned(const StageFrame& f, const SolidBody& body) {
    const Skin& skin = *body.skin;
    TriangleMesh mesh = skin.mesh;
    for (size_t k = 0; k < mesh.vertices.size(); ++k) {
        Vec3 p{}, n{};
        float sum = 0;
        for (size_t c = 0; c < 4; ++c) {
            const float weight = skin.clusters.empty() ? (c == 0 ? 1.0f : 0.0f) : skin.weights[k][c];
            if (weight == 0) continue;
            const uint32_t cluster = body.firstCluster + (skin.clusters.empty() ? 0 : skin.clusters[k][c]);
            const ClusterPose& pose = f.poses[cluster];
            if (pose.mass == 0) continue;
            sum += weight;
            p += weight *
                 (rotate(pose.rotation, skin.mesh.vertices[k] - xyz(f.clusterRest[cluster])) + pose.center);
            if (!mesh.normals.empty()) n += weight * rotate(pose.rotation, skin.mesh.normals[k]);
        }
        mesh.vertices[k] = sum > 0 ? (1 / sum) * p : Vec3{};
        if (!mesh.normals.empty()) mesh.normals[k] = length(n) > 0 ? (1 / length(n)) * n : Vec3{0, 1, 0};
    }
    return mesh;
}

}  // namespace

void StageWriter::addBodies(const StageFrame& f) {
    // instances by mesh and material; the order of bodies never changes in a run
    struct Instances {
        size_t first;  // body
        std::vector<Vec3> positions;
        std::vector<Quat> rotations;
        std::vector<uint32_t> ids;
    };
    std::vector<Instances> all;
    std::map<std::pair<const Skin*, uint32_t>, size_t> of;
    for (size_t b = 0; b < f.bodies.size(); ++b) {
        const SolidBody& body = f.bodies[b];
        const uint32_t material = f.groups[body.group].material;
        const MaterialKind kind = f.materials[material].properties.kind;
        if (!isMeshed(f, body) || kind == MaterialKind::cloth || kind == MaterialKind::rope) continue;
        const bool exists = !body.gone && f.poses[body.firstCluster].mass > 0;
        if (body.skin->clusters.empty()) {
            const auto [found, added] = of.try_emplace({body.skin.get(), material}, all.size());
            if (added) all.push_back({b, {}, {}, {}});
            if (!exists) continue;
            const ClusterPose& pose = f.poses[body.firstCluster];
            Instances& instances = all[found->second];
            // the mesh is in the body's frame, whose center is the cluster's rest center
            instances.positions.push_back(pose.center -
                                          rotate(pose.rotation, xyz(f.clusterRest[body.firstCluster])));
            instances.rotations.push_back(pose.rotation);
            instances.ids.push_back(uint32_t(b));
            continue;
        }
        const std::string path = "/World/Bodies/" + uniqueName(f, b);
        const TriangleMesh mesh = exists ? skinned(f, body) : TriangleMesh{};
        if (isNew(path)) {
            UsdPrim& prim = still(path, "Mesh");
            prim.set("uniform token subdivisionScheme", "\"none\"");
            if (!body.skin->mesh.normals.empty())
                prim.properties.emplace_back("normal3f[] normals (interpolation = \"vertex\")");
            prim.set("int[] faceVertexCounts", usdTriangleCounts(body.skin->mesh.triangles.size()));
            prim.set("int[] faceVertexIndices", usdIndices(body.skin->mesh.triangles));
            bind(path, f, material);
        }
        // a body that is gone has no points: its faces are hidden
        sample(path, "token visibility", exists ? "\"inherited\"" : "\"invisible\"");
        const TriangleMesh& shown = exists ? mesh : body.skin->mesh;
        sample(path, "point3f[] points", usdArray(shown.vertices));
        if (!shown.normals.empty()) sample(path, "normal3f[] normals", usdArray(shown.normals));
        sample(path, "float3[] extent", usdExtent(shown.vertices));
    }
    for (const Instances& instances : all) {
        const SolidBody& body = f.bodies[instances.first];
        const std::string path = "/World/Bodies/" + uniqueName(f, instances.first);
        if (isNew(path)) {
            UsdPrim& prim = still(path, "PointInstancer");
            prim.properties.push_back("rel prototypes = [<" + path + "/Prototypes/mesh>]");
            UsdPrim& prototypes = prim.child("Prototypes", "Scope");
            setMesh(prototypes.child("mesh", "Mesh"), body.skin->mesh);
            bind(path + "/Prototypes/mesh", f, f.groups[body.group].material);
        }
        float radius = 0;
        for (const Vec3& v : body.skin->mesh.vertices) radius = std::max(radius, length(v));
        sample(path, "point3f[] positions", usdArray(instances.positions));
        sample(path, "quath[] orientations", usdArray(instances.rotations));
        sample(path, "int[] protoIndices", usdArray(std::vector<uint32_t>(instances.ids.size(), 0)));
        sample(path, "int64[] ids", usdArray(instances.ids));
        sample(path, "float3[] extent", usdExtent(instances.positions, radius));
    }
}

void StageWriter::addCloth(const StageFrame& f) {
    const std::vector<uint32_t> place = placesOfRows(f);
    const auto &x = f.table.floats("P"), &v = f.table.floats("velocity");
    for (size_t b = 0; b < f.bodies.size(); ++b) {
        const SolidBody& body = f.bodies[b];
        const uint32_t material = f.groups[body.group].material;
        if (f.materials[material].properties.kind != MaterialKind::cloth || body.triangles == 0) continue;
        const std::string path = "/World/Cloth/" + uniqueName(f, b);
        // tearing changes triangles and vertices; without it the vertices keep their number
        TriangleMesh mesh;
        std::vector<Vec3> velocities;
        std::vector<uint32_t> vertexOf(body.rows, kNone);
        for (uint32_t k = 0; k < body.triangles; ++k) {
            const ClothTriangle& t = f.triangles[body.firstTriangle + k];
            if (t.material & kCut) continue;
            const uint32_t rows[3] = {t.a, t.b, t.c};
            if (std::ranges::any_of(rows, [&](uint32_t row) { return place[row] == kNone; })) continue;
            Triangle corners;
            for (size_t c = 0; c < 3; ++c) {
                uint32_t& vertex = vertexOf[rows[c] - body.firstRow];
                if (vertex == kNone) {
                    vertex = uint32_t(mesh.vertices.size());
                    mesh.vertices.push_back(vectorAt(x, place[rows[c]]));
                    velocities.push_back(vectorAt(v, place[rows[c]]));
                }
                corners[c] = vertex;
            }
            mesh.triangles.push_back(corners);
        }
        if (isNew(path)) {
            UsdPrim& prim = still(path, "Mesh");
            prim.set("uniform token subdivisionScheme", "\"none\"");
            prim.set("uniform bool doubleSided", "1");
            prim.properties.emplace_back("normal3f[] normals (interpolation = \"vertex\")");
            bind(path, f, material);
        }
        sample(path, "point3f[] points", usdArray(mesh.vertices));
        sample(path, "vector3f[] velocities", usdArray(velocities));
        sample(path, "normal3f[] normals", usdArray(smoothNormals(mesh)));
        sample(path, "int[] faceVertexCounts", usdTriangleCounts(mesh.triangles.size()));
        sample(path, "int[] faceVertexIndices", usdIndices(mesh.triangles));
        sample(path, "float3[] extent", usdExtent(mesh.vertices));
    }
}

void StageWriter::addRopes(const StageFrame& f) {
    const std::vector<uint32_t> place = placesOfRows(f);
    const auto &x = f.table.floats("P"), &v = f.table.floats("velocity");
    std::vector<bool> isNext(place.size(), false);  // by row: a spring connects it with the next row
    for (const DistanceConstraint& spring : f.springs) {
        if (spring.params & (kTether | kCut)) continue;
        if (spring.a + 1 == spring.b) isNext[spring.a] = true;
        if (spring.b + 1 == spring.a) isNext[spring.b] = true;
    }
    for (size_t b = 0; b < f.bodies.size(); ++b) {
        const SolidBody& body = f.bodies[b];
        const uint32_t material = f.groups[body.group].material;
        const MaterialProperties& p = f.materials[material].properties;
        if (p.kind != MaterialKind::rope) continue;
        const std::string path = "/World/Ropes/" + uniqueName(f, b);
        std::vector<Vec3> points, velocities;
        std::vector<uint32_t> lengths;
        uint32_t run = 0;
        for (uint32_t row = body.firstRow; row < body.firstRow + body.rows; ++row) {
            if (place[row] != kNone) {
                points.push_back(vectorAt(x, place[row])), velocities.push_back(vectorAt(v, place[row]));
                ++run;
            }
            const bool goesOn = row + 1 < body.firstRow + body.rows && isNext[row] && place[row] != kNone &&
                                place[row + 1] != kNone;
            if (goesOn || run == 0) continue;
            // a curve has two points or more
            if (run == 1)
                points.pop_back(), velocities.pop_back();
            else
                lengths.push_back(run);
            run = 0;
        }
        if (isNew(path)) {
            UsdPrim& prim = still(path, "BasisCurves");
            prim.set("uniform token type", "\"linear\"");
            prim.set("float[] widths", "[" + usdValue(p.spacing) + "]", "interpolation = \"constant\"");
            bind(path, f, material);
        }
        sample(path, "point3f[] points", usdArray(points));
        sample(path, "vector3f[] velocities", usdArray(velocities));
        sample(path, "int[] curveVertexCounts", usdArray(lengths));
        sample(path, "float3[] extent", usdExtent(points, p.spacing / 2));
    }
}

}  // namespace coalesce
