#include "export/usd_stage.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/whole_file.h"
#include "export/formats.h"
#include "kernels/math/rotation.h"

namespace coalesce {

namespace {

constexpr uint32_t kNone = 0xffffffffu;
constexpr float kPlaneSize = 20;    // [m] edge of the square that stands for an unbounded plane
constexpr double kAperture = 0.24;  // height of the film: 24 mm in tenths of a meter
constexpr float kBoxAspect = 16.0f / 9;

const std::vector<float>& floatsOf(const ParticleTable& table, const char* name) {
    const auto found = std::ranges::find(table.columns, name, &Column::name);
    return std::get<std::vector<float>>(found->numbers);
}
const std::vector<uint32_t>& wholesOf(const ParticleTable& table, const char* name) {
    const auto found = std::ranges::find(table.columns, name, &Column::name);
    return std::get<std::vector<uint32_t>>(found->numbers);
}
Vec3 rowOf(const std::vector<float>& numbers, size_t row) {
    return {numbers[3 * row], numbers[3 * row + 1], numbers[3 * row + 2]};
}

// Bodies that are drawn by a mesh or curve of their own, not by their particles.
bool isMeshed(const StageFrame& f, const SolidBody& body) {
    const MaterialProperties& p = f.materials[f.groups[body.group].material].properties;
    if (p.kind == MaterialKind::cloth || p.kind == MaterialKind::rope) return true;
    return body.skin && !isLoose(p);
}

// By row of the bodies: the particle's place in the table; kNone: it does not exist.
std::vector<uint32_t> placesOfRows(const StageFrame& f) {
    uint32_t rows = 0;
    for (const SolidBody& body : f.bodies) rows = std::max(rows, body.firstRow + body.rows);
    std::vector<uint32_t> place(rows, kNone);
    const auto &id = wholesOf(f.table, "id"), &group = wholesOf(f.table, "group");
    for (uint32_t k = 0; k < id.size(); ++k) {
        const Group& g = f.groups[std::min<size_t>(group[k], f.groups.size() - 1)];
        if (group[k] >= f.groups.size() || g.body == Group::kNoBody) continue;
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

std::string counts(size_t triangles) {
    return usdArray(std::vector<uint32_t>(triangles, 3));
}

// The surface of a collision shape in its own frame.
TriangleMesh surfaceOf(const Shape& shape) {
    TriangleMesh mesh;
    const auto quad = [&](Vec3 a, Vec3 b, Vec3 c, Vec3 d) {
        const auto first = uint32_t(mesh.vertices.size());
        mesh.vertices.insert(mesh.vertices.end(), {a, b, c, d});
        mesh.triangles.push_back({first, first + 1, first + 2});
        mesh.triangles.push_back({first, first + 2, first + 3});
    };
    // a sphere or a capsule: rings of equal latitude, the equator at both ends of the cylinder
    const auto round = [&](float radius, float halfLength) {
        constexpr uint32_t kHalf = 12, kRings = 2 * kHalf + 1, kSides = 48;
        for (uint32_t r = 0; r <= kRings; ++r) {
            const bool upper = r > kHalf;
            const float latitude = float(M_PI) / 2 * (float(upper ? r - 1 : r) / kHalf - 1);
            const float y = radius * std::sin(latitude) + (upper ? halfLength : -halfLength);
            for (uint32_t s = 0; s < kSides; ++s) {
                const float turn = 2 * float(M_PI) * float(s) / kSides, w = radius * std::cos(latitude);
                mesh.vertices.push_back({w * std::cos(turn), y, w * std::sin(turn)});
            }
        }
        for (uint32_t r = 0; r < kRings; ++r)
            for (uint32_t s = 0; s < kSides; ++s) {
                const uint32_t a = r * kSides + s, b = r * kSides + (s + 1) % kSides;
                // at the poles a ring is one point
                if (r > 0) mesh.triangles.push_back({a, a + kSides, b});
                if (r + 1 < kRings) mesh.triangles.push_back({b, a + kSides, b + kSides});
            }
    };
    const Vec3 h = shape.halfExtents;
    switch (shape.kind) {
        case ShapeKind::plane: {
            const float s = kPlaneSize / 2;
            quad({-s, 0, -s}, {-s, 0, s}, {s, 0, s}, {s, 0, -s});
            break;
        }
        case ShapeKind::box:
            quad({-h.x, -h.y, h.z}, {h.x, -h.y, h.z}, {h.x, h.y, h.z}, {-h.x, h.y, h.z});
            quad({h.x, -h.y, -h.z}, {-h.x, -h.y, -h.z}, {-h.x, h.y, -h.z}, {h.x, h.y, -h.z});
            quad({h.x, -h.y, h.z}, {h.x, -h.y, -h.z}, {h.x, h.y, -h.z}, {h.x, h.y, h.z});
            quad({-h.x, -h.y, -h.z}, {-h.x, -h.y, h.z}, {-h.x, h.y, h.z}, {-h.x, h.y, -h.z});
            quad({-h.x, h.y, h.z}, {h.x, h.y, h.z}, {h.x, h.y, -h.z}, {-h.x, h.y, -h.z});
            quad({-h.x, -h.y, -h.z}, {h.x, -h.y, -h.z}, {h.x, -h.y, h.z}, {-h.x, -h.y, h.z});
            break;
        case ShapeKind::sphere:
            round(shape.radius, 0);
            break;
        case ShapeKind::capsule:
            round(shape.radius, shape.halfLength);
            break;
        case ShapeKind::convex:
        case ShapeKind::sdf:
        case ShapeKind::mesh:
            if (shape.geometry) mesh = shape.geometry->surface;
            for (Vec3& v : mesh.vertices) v = {v.x * shape.scale.x, v.y * shape.scale.y, v.z * shape.scale.z};
            mesh.normals.clear();  // scaled unevenly they would have to be found anew
            break;
    }
    return mesh;
}

void setMesh(UsdPrim& prim, const TriangleMesh& mesh) {
    prim.set("uniform token subdivisionScheme", "\"none\"");
    prim.set("point3f[] points", usdArray(mesh.vertices));
    if (!mesh.normals.empty())
        prim.set("normal3f[] normals", usdArray(mesh.normals), "interpolation = \"vertex\"");
    prim.set("int[] faceVertexCounts", counts(mesh.triangles.size()));
    prim.set("int[] faceVertexIndices", usdIndices(mesh.triangles));
    prim.set("float3[] extent", usdExtent(mesh.vertices));
}

}  // namespace

StageFrame takeStageFrame(const World& world, const std::vector<StageCamera>& cameras) {
    StageFrame f{.table = takeTable(world),
                 .passives = takePassiveTable(world),
                 .materials = world.materials,
                 .groups = world.groups,
                 .bodies = world.bodies,
                 .poses = world.solids.pose.download(),
                 .clusterRest = world.solids.clusterRestCenter.download(),
                 .triangles = world.solids.triangles.download(),
                 .springs = world.solids.springs.download(),
                 .shapes = world.shapes,
                 .attributes = {},
                 .cameras = cameras};
    for (Shape& shape : f.shapes) {
        const Pose pose = poseAt(shape, world.time);
        shape.position = pose.position, shape.rotation = pose.rotation;
    }
    for (const Attribute& attribute : world.particles.attributes) f.attributes.push_back(attribute.info);
    return f;
}

StageWriter::StageWriter(std::filesystem::path folder, std::string name, double frameRate)
    : m_folder(std::move(folder)), m_name(std::move(name)), m_frameRate(frameRate) {
    m_root.specifier = "def";
    m_root.type = "Xform";
    m_root.name = m_manifest.name = m_moving.name = "World";
    addLights();
}

// The prim at "/World/a/b"; parents are Scopes.
UsdPrim& StageWriter::still(const std::string& path, const std::string& type) {
    UsdPrim* at = &m_root;
    for (size_t from = std::string("/World/").size(); from < path.size();) {
        const size_t end = std::min(path.find('/', from), path.size());
        at = &at->child(path.substr(from, end - from), end == path.size() ? type : "Scope");
        from = end + 1;
    }
    return *at;
}

UsdPrim& StageWriter::moving(const std::string& path) {
    UsdPrim* at = &m_moving;
    for (size_t from = std::string("/World/").size(); from < path.size();) {
        const size_t end = std::min(path.find('/', from), path.size());
        at = &at->child(path.substr(from, end - from));
        from = end + 1;
    }
    return *at;
}

void StageWriter::sample(const std::string& path, const std::string& declaration, const std::string& value) {
    moving(path).properties.push_back(
        fmt::format("{}.timeSamples = {{ {}: {} }}", declaration, m_frame, value));
    if (!m_declared.insert(path + "." + declaration).second) return;
    // clips give values to attributes that the stage has: these are not part of a schema
    if (declaration.find("xformOp:") != std::string::npos) still(path, "").properties.push_back(declaration);
    UsdPrim* at = &m_manifest;
    for (size_t from = std::string("/World/").size(); from < path.size();) {
        const size_t end = std::min(path.find('/', from), path.size());
        at = &at->child(path.substr(from, end - from));
        from = end + 1;
    }
    // where a frame has no value, lists are empty
    at->properties.push_back(declaration + (declaration.find("[]") != std::string::npos ? " = []" : ""));
}

// ---- what stands still ----

void StageWriter::addLights() {
    UsdPrim& sun = still("/World/Lights/Sun", "DistantLight");
    sun.set("float inputs:intensity", "3");
    sun.set("float inputs:angle", "0.53");  // [deg] of the sun, seen from the earth
    sun.set("float3 xformOp:rotateXYZ", "(-50, 30, 0)");
    sun.set("uniform token[] xformOpOrder", "[\"xformOp:rotateXYZ\"]");
    UsdPrim& sky = still("/World/Lights/Sky", "DomeLight");
    sky.set("float inputs:intensity", "0.7");
    sky.set("color3f inputs:color", "(0.75, 0.85, 1)");
}

void StageWriter::addCameras(const StageFrame& f) {
    for (const StageCamera& c : f.cameras) {
        const std::string path = "/World/Cameras/" + usdName(c.name);
        if (isNew(path)) {
            UsdPrim& prim = still(path, "Camera");
            const double focal = kAperture / (2 * std::tan(double(c.fov) * M_PI / 360));
            prim.set("float focalLength", usdValue(float(focal)));
            prim.set("float verticalAperture", usdValue(float(kAperture)));
            prim.set("float horizontalAperture", usdValue(float(kAperture) * kBoxAspect));
            prim.set("float2 clippingRange", "(0.01, 1000)");
            prim.set("uniform token[] xformOpOrder", "[\"xformOp:transform\"]");
        }
        // a camera looks along its -z; rows are its axes and its place
        const auto unit = [](Vec3 a) { return (1 / length(a)) * a; };
        const Vec3 back = unit(c.eye - c.look);
        const Vec3 up = std::abs(back.y) > 0.9999f ? Vec3{0, 0, -1} : Vec3{0, 1, 0};
        const Vec3 right = unit(cross(up, back)), top = cross(back, right);
        sample(path, "matrix4d xformOp:transform",
               fmt::format("( ({}, {}, {}, 0), ({}, {}, {}, 0), ({}, {}, {}, 0), ({}, {}, {}, 1) )", right.x,
                           right.y, right.z, top.x, top.y, top.z, back.x, back.y, back.z, c.eye.x, c.eye.y,
                           c.eye.z));
    }
}

void StageWriter::addMaterials(const StageFrame& f) {
    for (const Material& material : f.materials) {
        const std::string path = "/World/Materials/" + usdName(material.name);
        if (!isNew(path)) continue;
        const MaterialProperties& p = material.properties;
        const bool clear = p.kind == MaterialKind::fluid && p.turbidity < 100;
        UsdPrim& prim = still(path, "Material");
        prim.set("token outputs:surface.connect", "<" + path + "/Surface.outputs:surface>");
        UsdPrim& shader = prim.child("Surface", "Shader");
        shader.set("uniform token info:id", "\"UsdPreviewSurface\"");
        shader.set("color3f inputs:diffuseColor", usdValue(p.color));
        shader.set("float inputs:roughness", usdValue(p.kind == MaterialKind::fluid ? p.roughness : 0.6f));
        shader.set("float inputs:ior", usdValue(p.refractiveIndex));
        shader.set("float inputs:opacity", clear ? "0.35" : "1");
        shader.properties.emplace_back("token outputs:surface");
    }
}

void StageWriter::bind(const std::string& path, const StageFrame& f, uint32_t material) {
    UsdPrim& prim = still(path, "");
    prim.metadata.emplace_back("prepend apiSchemas = [\"MaterialBindingAPI\"]");
    const Material& m = f.materials[material];
    prim.properties.push_back("rel material:binding = </World/Materials/" + usdName(m.name) + ">");
    prim.set("color3f[] primvars:displayColor", "[" + usdValue(m.properties.color) + "]");
}

// ---- what moves ----

void StageWriter::addParticles(const StageFrame& f) {
    const auto &x = floatsOf(f.table, "P"), &v = floatsOf(f.table, "velocity"),
               &phi = floatsOf(f.table, "phi");
    const auto &id = wholesOf(f.table, "id"), &material = wholesOf(f.table, "material"),
               &group = wholesOf(f.table, "group");
    std::vector<std::vector<uint32_t>> ofMaterial(f.materials.size());
    for (uint32_t k = 0; k < id.size(); ++k) {
        const uint32_t body = group[k] < f.groups.size() ? f.groups[group[k]].body : Group::kNoBody;
        if (body == Group::kNoBody || !isMeshed(f, f.bodies[body])) ofMaterial[material[k]].push_back(k);
    }
    for (uint32_t m = 0; m < f.materials.size(); ++m) {
        const std::string path = "/World/Particles/" + usdName(f.materials[m].name);
        const std::vector<uint32_t>& rows = ofMaterial[m];
        if (rows.empty() && !m_known.contains(path)) continue;
        const float spacing = f.materials[m].properties.spacing;
        if (isNew(path)) {
            UsdPrim& prim = still(path, "Points");
            prim.set("float[] widths", "[" + usdValue(spacing) + "]", "interpolation = \"constant\"");
            bind(path, f, m);
        }
        std::vector<Vec3> points, velocities;
        std::vector<uint32_t> ids;
        std::vector<float> fractions;
        for (const uint32_t k : rows) {
            points.push_back(rowOf(x, k)), velocities.push_back(rowOf(v, k));
            ids.push_back(id[k]), fractions.push_back(phi[k]);
        }
        sample(path, "point3f[] points", usdArray(points));
        sample(path, "vector3f[] velocities", usdArray(velocities));
        sample(path, "int64[] ids", usdArray(ids));
        sample(path, "float3[] extent", usdExtent(points, spacing / 2));
        const auto primvar = [&](const std::string& type, const std::string& name,
                                 const std::string& values) {
            sampleVertices(path, type + "[]", "primvars:" + usdName(name), values);
        };
        if (f.materials[m].properties.kind == MaterialKind::fluid)
            primvar("float", "phi", usdArray(fractions));
        for (const AttributeInfo& attribute : f.attributes) {
            const auto column = std::ranges::find(f.table.columns, attribute.name, &Column::name);
            if (attribute.type == AttributeType::whole) {
                std::vector<int32_t> values;
                for (const uint32_t k : rows)
                    values.push_back(std::get<std::vector<int32_t>>(column->numbers)[k]);
                primvar("int", attribute.name, usdArray(values));
            } else if (attribute.type == AttributeType::vector) {
                std::vector<Vec3> values;
                for (const uint32_t k : rows)
                    values.push_back(rowOf(std::get<std::vector<float>>(column->numbers), k));
                primvar("float3", attribute.name, usdArray(values));
            } else {
                std::vector<float> values;
                for (const uint32_t k : rows)
                    values.push_back(std::get<std::vector<float>>(column->numbers)[k]);
                primvar("float", attribute.name, usdArray(values));
            }
        }
    }
}

// An attribute with a value per particle.
void StageWriter::sampleVertices(const std::string& path, const std::string& type, const std::string& name,
                                 const std::string& values) {
    const std::string declaration = type + " " + name;
    // interpolation is metadata of the attribute, so it is in the root
    if (isNew(path + "." + declaration))
        still(path, "").properties.push_back(declaration + " (interpolation = \"vertex\")");
    sample(path, declaration, values);
}

// Spray, foam, bubbles and smoke: Points of each class and material.
void StageWriter::addPassives(const StageFrame& f) {
    static constexpr const char* kClasses[] = {"spray", "foam", "bubbles", "smoke"};
    const ParticleTable& t = f.passives;
    const auto &x = floatsOf(t, "P"), &v = floatsOf(t, "velocity"), &age = floatsOf(t, "age"),
               &radius = floatsOf(t, "radius");
    const auto &id = wholesOf(t, "id"), &kind = wholesOf(t, "class"), &material = wholesOf(t, "material");
    for (uint32_t m = 0; m < f.materials.size(); ++m)
        for (uint32_t c = 0; c < 4; ++c) {
            const MaterialProperties& p = f.materials[m].properties;
            const std::string path = "/World/Passive/" + usdName(f.materials[m].name) + "_" + kClasses[c];
            std::vector<Vec3> points, velocities;
            std::vector<uint32_t> ids;
            std::vector<float> widths, ages;
            float widest = 0;
            for (size_t k = 0; k < t.particles; ++k) {
                if (material[k] != m || kind[k] != c) continue;
                points.push_back(rowOf(x, k)), velocities.push_back(rowOf(v, k));
                ids.push_back(id[k]), ages.push_back(age[k]), widths.push_back(2 * radius[k]);
                widest = std::max(widest, radius[k]);
            }
            if (points.empty() && !m_known.contains(path)) continue;
            if (isNew(path))
                still(path, "Points")
                    .set("color3f[] primvars:displayColor",
                         "[" + usdValue(c == 3 ? p.smokeColor : p.foamColor) + "]");
            sample(path, "point3f[] points", usdArray(points));
            sample(path, "vector3f[] velocities", usdArray(velocities));
            sample(path, "int64[] ids", usdArray(ids));
            sample(path, "float3[] extent", usdExtent(points, widest));
            sampleVertices(path, "float[]", "widths", usdArray(widths));
            sampleVertices(path, "float[]", "primvars:age", usdArray(ages));
        }
}

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
            prim.set("int[] faceVertexCounts", counts(body.skin->mesh.triangles.size()));
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
    const auto &x = floatsOf(f.table, "P"), &v = floatsOf(f.table, "velocity");
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
                    mesh.vertices.push_back(rowOf(x, place[rows[c]]));
                    velocities.push_back(rowOf(v, place[rows[c]]));
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
        sample(path, "int[] faceVertexCounts", counts(mesh.triangles.size()));
        sample(path, "int[] faceVertexIndices", usdIndices(mesh.triangles));
        sample(path, "float3[] extent", usdExtent(mesh.vertices));
    }
}

void StageWriter::addRopes(const StageFrame& f) {
    const std::vector<uint32_t> place = placesOfRows(f);
    const auto &x = floatsOf(f.table, "P"), &v = floatsOf(f.table, "velocity");
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
                points.push_back(rowOf(x, place[row])), velocities.push_back(rowOf(v, place[row]));
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

void StageWriter::addShapes(const StageFrame& f) {
    for (size_t s = 0; s < f.shapes.size(); ++s) {
        const Shape& shape = f.shapes[s];
        const std::string path =
            fmt::format("/World/Shapes/{}_{}", usdName(shape.name.empty() ? "shape" : shape.name), s);
        if (isNew(path)) {
            UsdPrim& prim = still(path, "Mesh");
            TriangleMesh mesh = surfaceOf(shape);
            setMesh(prim, mesh);
            prim.set("color3f[] primvars:displayColor", "[" + usdValue(shape.color) + "]");
            if (shape.opacity < 1)
                prim.set("float[] primvars:displayOpacity", "[" + usdValue(shape.opacity) + "]");
            prim.set("uniform bool doubleSided", "1");
            // walls around the scene and triggers would hide what is inside
            if (shape.container || shape.trigger) prim.set("uniform token purpose", "\"guide\"");
            if (!shape.visible) prim.set("token visibility", "\"invisible\"");
            prim.set("uniform token[] xformOpOrder", "[\"xformOp:translate\", \"xformOp:orient\"]");
        }
        sample(path, "float3 xformOp:translate", usdValue(shape.position));
        sample(path, "quatf xformOp:orient", usdValue(shape.rotation));
    }
}

void StageWriter::write(const StageFrame& f) {
    m_frame = f.table.frame;
    m_moving = {};
    m_moving.name = "World";
    addMaterials(f);
    addCameras(f);
    addParticles(f);
    addPassives(f);
    addBodies(f);
    addCloth(f);
    addRopes(f);
    addShapes(f);
    UsdLayer layer{{fmt::format("doc = {}", usdString(fmt::format("Coalesce, {}, frame {}, {} s", m_name,
                                                                  m_frame, f.table.time))),
                    fmt::format("startTimeCode = {}", m_frame), fmt::format("endTimeCode = {}", m_frame)},
                   std::move(m_moving)};
    writeFile(m_folder / fmt::format("{}.{:06}.usda", m_name, m_frame), layer.text());
    m_frames.insert(m_frame);
}

size_t StageWriter::finish() {
    if (m_frames.empty()) return 0;
    std::vector<std::string> files, active, times;
    for (const uint64_t frame : m_frames) {
        files.push_back(fmt::format("@./{}.{:06}.usda@", m_name, frame));
        active.push_back(fmt::format("({}, {})", frame, active.size()));
        times.push_back(fmt::format("({}, {})", frame, frame));
    }
    const auto list = [](const std::vector<std::string>& items) {
        std::string out = "[";
        for (const std::string& item : items) out += (out.size() > 1 ? ", " : "") + item;
        return out + "]";
    };
    UsdPrim root = m_root;
    root.metadata = {"kind = \"assembly\"",
                     "clips = {",
                     "    dictionary default = {",
                     "        double2[] active = " + list(active),
                     "        asset[] assetPaths = " + list(files),
                     fmt::format("        asset manifestAssetPath = @./{}.manifest.usda@", m_name),
                     "        string primPath = \"/World\"",
                     "        double2[] times = " + list(times),
                     "    }",
                     "}"};
    const UsdLayer manifest{{fmt::format("doc = {}", usdString("The animated attributes of " + m_name))},
                            m_manifest};
    writeFile(m_folder / (m_name + ".manifest.usda"), manifest.text());
    const UsdLayer stage{
        {"defaultPrim = \"World\"", fmt::format("doc = {}", usdString("Coalesce, " + m_name)),
         fmt::format("endTimeCode = {}", *m_frames.rbegin()),
         fmt::format("framesPerSecond = {}", m_frameRate), "metersPerUnit = 1",
         fmt::format("startTimeCode = {}", *m_frames.begin()),
         fmt::format("timeCodesPerSecond = {}", m_frameRate), "upAxis = \"Y\""},
        std::move(root)};
    writeFile(m_folder / (m_name + ".usda"), stage.text());
    return m_frames.size() + 2;
}

}  // namespace coalesce
