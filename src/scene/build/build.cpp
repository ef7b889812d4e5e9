#include "scene/build/build.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "core/error.h"
#include "core/hash.h"
#include "geometry/math/curve.h"
#include "geometry/math/random.h"
#include "kernels/contact/contact_planes.h"
#include "scene/build/attribute_values.h"
#include "scene/build/build_emitters.h"
#include "scene/build/build_markers.h"
#include "scene/build/groups.h"
#include "scene/build/joints.h"
#include "scene/build/shape_form.h"
#include "sim/solver/memory_estimate.h"
#include "sim/world/body_clusters.h"
#include "sim/world/body_factory.h"

namespace coalesce {

namespace {

constexpr uint64_t kJitterSeed = 0x6a69747465720000ull, kCopySeed = 0x636f706965730000ull;

}  // namespace

uint32_t copiesOf(const Body& body) {
    return uint32_t(double{body.copies.count.x} * body.copies.count.y * body.copies.count.z);
}

std::string nameOf(const Body& body, uint32_t copy) {
    return copiesOf(body) == 1 ? body.name : fmt::format("{}.{}", body.name, copy);
}

BodyPose poseOf(const Scene& scene, size_t b, uint32_t copy) {
    const Body& body = scene.bodies[b];
    BodyPose pose{toDouble(body.center), toDouble(body.rotation)};
    const Vec3d count = toDouble(body.copies.count), step = toDouble(body.copies.step);
    const uint64_t seed = mixIn(mixIn(scene.seed, b), kCopySeed);
    const auto nx = uint32_t(count[0]), ny = uint32_t(count[1]);
    const double index[] = {double(copy % nx), double(copy / nx % ny), double(copy / nx / ny)};
    if (!body.copies.along.empty()) {
        const Curve curve(body.copies.along);
        const double apart = count[0] > 1 ? curve.length() / (count[0] - 1) : 0;
        const double shift = body.copies.jitter * apart * randomShift(seed, copy, 0);
        const auto [at, direction] = curve.at(apart * index[0] + shift);
        pose.center += at;
        const double half = 0.5 * std::atan2(direction.x(), direction.z());
        pose.rotation = multiply({std::cos(half), 0, std::sin(half), 0}, pose.rotation);
    }
    for (uint64_t k = 0; k < 3; ++k) {
        pose.center[k] += (index[k] - 0.5 * (count[k] - 1)) * step[k];
        if (body.copies.jitter > 0)
            pose.center[k] += double{body.copies.jitter} * step[k] * randomShift(seed, copy, k);
    }
    if (body.copies.turn > 0)
        pose.rotation = multiply(randomTurn(mixIn(seed, copy), body.copies.turn), pose.rotation);
    return pose;
}

std::vector<Vec3> positionsOf(const Scene& scene, size_t b, uint32_t copy, const BodyForm& form,
                              bool disturbed) {
    const Body& body = scene.bodies[b];
    const float d = spacingOf(scene, body);
    const BodyPose pose = poseOf(scene, b, copy);
    const Vec3d deform = disturbed ? toDouble(body.deform) : Vec3d{1, 1, 1};
    const bool planar = scene.parameters.solver.planar;
    const bool turned = pose.rotation != Quatd{1, 0, 0, 0};
    const uint64_t seed = mixIn(mixIn(scene.seed, b), kJitterSeed);
    const uint64_t first = uint64_t{copy} * form.points.size();
    std::vector<Vec3> positions;
    positions.reserve(form.points.size());
    for (size_t i = 0; i < form.points.size(); ++i) {
        Vec3d p = form.points[i].cwiseProduct(deform);
        if (turned) p = rotate(pose.rotation, p);
        Vec3 x = toFloat(pose.center + p);
        if (disturbed && body.jitter > 0)
            x += (body.jitter * d) * Vec3{randomShift(seed, first + i, 0), randomShift(seed, first + i, 1),
                                          planar ? 0 : randomShift(seed, first + i, 2)};
        positions.push_back(x);
    }
    return positions;
}

// The grids of all fields; equal ones at rest are shared. While they are kept, their solids are not made again.
static std::vector<FieldGrid> fieldGridsOf(const Scene& scene) {
    std::vector<FieldGrid> grids;
    std::set<std::tuple<const Solid*, float, bool, float>> shared;
    for (const Shape& shape : scene.shapes)
        if (std::optional<FieldGrid> grid = fieldGridOf(scene, shape))
            if (deforms(shape) ||
                shared.emplace(grid->solid.get(), shape.cell, shape.shell, shape.offset).second)
                grids.push_back(std::move(*grid));
    return grids;
}

static SolverMemory memoryOf(const Scene& scene, std::vector<double> particles) {
    for (const Body& body : scene.bodies) particles[body.material] += countBody(scene, body) * copiesOf(body);
    const std::vector<size_t> counts(particles.begin(), particles.end());
    SolverMemory memory = estimateMemory(counts, scene.parameters, scene.materials);
    size_t n = 0, largest = 0;
    for (const size_t count : counts) n += count;
    for (const AttributeInfo& attribute : attributesOf(scene)) {
        // with the backup for a repeated frame and the array to reorder into; plus scratch for the largest attribute
        // that diffuses
        memory.state += 3 * n * bytesOf(attribute.type);
        if (attribute.diffusivity > 0) largest = std::max(largest, sizeof(Vec4) + bytesOf(attribute.type));
    }
    memory.scratch += n * largest;
    const bool meshes = std::any_of(scene.shapes.begin(), scene.shapes.end(),
                                    [](const Shape& shape) { return shape.kind == ShapeKind::mesh; });
    if (meshes) memory.scratch += n * KeptPlanes::kEach * (sizeof(Vec4) + sizeof(uint32_t));
    for (const FieldGrid& grid : fieldGridsOf(scene)) memory.shapes += grid.bytes();
    return memory;
}

SolverMemory estimateMemory(const Scene& scene) {
    return memoryOf(scene, std::vector<double>(scene.materials.size(), 0));
}

SolverMemory estimateMemoryWithEmitted(const Scene& scene) {
    return memoryOf(scene, mostEmitted(scene));
}

size_t countParticles(const Scene& scene) {
    double n = 0;
    for (const Body& body : scene.bodies) n += countBody(scene, body) * copiesOf(body);
    return size_t(n);
}

namespace {

void addLoose(const Scene& scene, size_t b, const BodyForm& form, World& world) {
    const Body& body = scene.bodies[b];
    const bool virtualMass = hasVirtualMass(scene.materials[body.material].properties, scene.materials,
                                            scene.parameters.fluid.massRatio);
    std::vector<ParticleDef> particles;
    for (uint32_t copy = 0; copy < copiesOf(body); ++copy) {
        const auto group = uint32_t(world.groups.size());
        world.groups.push_back({.name = nameOf(body, copy),
                                .material = body.material,
                                .first = world.nextId,
                                .count = uint32_t(form.points.size())});
        const Vec3 middle = toFloat(poseOf(scene, b, copy).center);
        particles.clear();
        const std::vector<Vec3> positions = positionsOf(scene, b, copy, form);
        const std::vector<bool> held = heldOf(body, positions);
        const std::vector<AttributeValue> values = attributeValues(scene, body, positions);
        const size_t attributes = values.empty() ? 0 : values.size() / positions.size();
        for (size_t i = 0; i < positions.size(); ++i)
            particles.push_back({.x = positions[i],
                                 .v = body.velocity + cross(body.angularVelocity, positions[i] - middle),
                                 .material = body.material,
                                 .group = group,
                                 .inverseMass = held[i]       ? 0
                                                : virtualMass ? -1
                                                              : 1 / form.particleMass,
                                 .values = std::span(values).subspan(i * attributes, attributes)});
        world.addParticles(particles);
    }
}

void addSolid(const Scene& scene, size_t b, const BodyForm& form, World& world) {
    const Body& body = scene.bodies[b];
    const MaterialProperties& properties = scene.materials[body.material].properties;
    std::vector<Cluster> clusters;
    if (properties.kind == MaterialKind::soft) {
        const float d = spacingOf(scene, body);
        clusters = makeClusters(form.samples, properties.clusterSpacing * d, properties.clusterRadius * d);
    }
    std::shared_ptr<const Skin> skin;
    if (form.solid) skin = std::make_shared<Skin>(makeSkin(form.solid->mesh(), form.samples, clusters));
    std::vector<BodyDef> bodies;
    std::vector<std::vector<ClothEdge>> links(copiesOf(body), form.cloth.links);
    std::vector<std::vector<AttributeValue>> values;
    for (uint32_t copy = 0; copy < copiesOf(body); ++copy)
        values.push_back(attributeValues(scene, body, positionsOf(scene, b, copy, form)));
    for (uint32_t copy = 0; copy < copiesOf(body); ++copy) {
        if (properties.tetherStiffness > 0 && !form.cloth.links.empty()) {
            std::vector<uint32_t> anchors;
            const std::vector<bool> held = heldOf(body, positionsOf(scene, b, copy, form));
            for (uint32_t i = 0; i < held.size(); ++i)
                if (held[i]) anchors.push_back(i);
            const std::vector<ClothEdge> tethers = makeTethers(form.cloth, anchors, properties.tetherSlack);
            links[copy].insert(links[copy].end(), tethers.begin(), tethers.end());
        }
        const BodyPose pose = poseOf(scene, b, copy);
        bodies.push_back({.name = nameOf(body, copy),
                          .material = body.material,
                          .samples = form.samples,
                          .clusters = clusters,
                          .rounds = form.rounds,
                          .links = links[copy],
                          .triangles = form.cloth.triangles,
                          .masses = form.masses,
                          .particleMass = form.particleMass,
                          .position = toFloat(pose.center),
                          .rotation = toFloat(pose.rotation),
                          .velocity = body.velocity,
                          .angularVelocity = body.angularVelocity,
                          .selfCollide = body.selfCollide,
                          .values = values[copy],
                          .skin = skin});
    }
    const size_t before = world.count();
    const uint32_t firstBody = addBodies(world, bodies);
    if (!body.pinned && !body.pin && body.attach.empty() && body.jitter == 0 && body.deform == Vec3{1, 1, 1})
        return;
    // spawned particles are stored last, in the order of their ids
    std::vector<Vec4> x = world.particles.x.download();
    for (uint32_t copy = 0; copy < copiesOf(body); ++copy) {
        const std::vector<Vec3> positions = positionsOf(scene, b, copy, form);
        const std::vector<bool> held = heldOf(body, positions);
        for (size_t i = 0; i < positions.size(); ++i) {
            Vec4& particle = x[before + copy * positions.size() + i];
            particle = vec4(positions[i], held[i] ? 0 : particle.w);
        }
        addAnchors(scene, body, positions, world.bodies[firstBody + copy].firstRow, world);
    }
    world.particles.x.upload(x);
}

}  // namespace

void addBody(const Scene& scene, size_t b, World& world) {
    const size_t first = world.groups.size();
    CHECK_EQ(first, size_t{GroupNames(scene).firstOf(b)});
    const auto form = formOf(scene, scene.bodies[b]);
    (isSolid(scene, scene.bodies[b]) ? addSolid : addLoose)(scene, b, *form, world);
    for (size_t g = first; g < world.groups.size(); ++g)
        world.groups[g].collisionMask = scene.bodies[b].collisionMask;
    addJoints(scene, b, world);
}

void buildWorld(const Scene& scene, World& world) {
    CHECK(world.count() == 0);
    const size_t particles = countParticles(scene);
    const std::vector<FieldGrid> fields = fieldGridsOf(scene);
    const SolverMemory memory = estimateMemory(scene);
    const size_t available = world.exec.availableBytes();
    if (available > 0 && memory.total() > available)
        fail(
            Exit::Simulation, scene.file.string(),
            fmt::format("{} particles need about {:.2f} GB ({:.2f} state, {:.2f} neighbor lists, {:.2f} "
                        "scratch, {:.2f} distance fields), and {} has {:.2f} GB",
                        particles, memory.total() / 1e9, memory.state / 1e9, memory.lists / 1e9,
                        memory.scratch / 1e9, memory.shapes / 1e9, world.exec.description(), available / 1e9),
            "Use a smaller size of the scene (--size), or a coarser spacing.");

    world.parameters = scene.parameters;
    world.materials = scene.materials;
    world.shapes = scene.shapes;
    world.forceFields = scene.forceFields;
    for (const AttributeInfo& attribute : attributesOf(scene)) {
        AttributeInfo info = attribute;
        info.shown = attribute.name == scene.colorBy;
        world.addAttribute(info);
    }
    addEmitters(scene, world);
    world.sinks = scene.sinks;
    for (Sink& sink : world.sinks) sink.form.geometry = geometryOf(scene, sink.form);
    for (Shape& shape : world.shapes) buildForm(scene, shape);
    std::shared_ptr<const Scene> kept;  // for bodies that come later
    for (const size_t b : spawnOrder(scene)) {
        if (scene.bodies[b].at <= 0) {
            addBody(scene, b, world);
            continue;
        }
        world.spawning.bodiesPending = true;
        if (!kept) kept = std::make_shared<const Scene>(scene);
        world.laterBodies.push_back(
            {.after = scene.bodies[b].at + kTimeEpsilon,
             .group = GroupNames(scene).firstOf(b),
             .particles = countBody(scene, scene.bodies[b]) * copiesOf(scene.bodies[b]),
             .add = [kept, b](World& w) { addBody(*kept, b, w); }});
    }
    addMarkers(scene, world);
}

std::vector<Box> boxesOf(const Scene& scene, size_t b) {
    const Body& body = scene.bodies[b];
    const auto [low, high] = boundsOf(scene, body);
    std::vector<Box> boxes;
    for (uint32_t copy = 0; copy < copiesOf(body); ++copy) {
        const BodyPose pose = poseOf(scene, b, copy);
        Vec3d least{1e300, 1e300, 1e300}, most{-1e300, -1e300, -1e300};
        for (int corner = 0; corner < 8; ++corner) {
            const Vec3d p = rotate(pose.rotation, {corner & 1 ? high.x : low.x, corner & 2 ? high.y : low.y,
                                                   corner & 4 ? high.z : low.z});
            least = least.cwiseMin(p), most = most.cwiseMax(p);
        }
        boxes.push_back({toFloat(least + pose.center), toFloat(most + pose.center)});
    }
    return boxes;
}

void sceneExtent(const Scene& scene, Vec3& low, Vec3& high) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    low = {kInfinity, kInfinity, kInfinity};
    high = -low;
    const auto include = [&](Vec3 p) {
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    };
    for (const Emitter& e : scene.emitters)
        if (e.on.empty()) include(e.properties.position);
    for (size_t b = 0; b < scene.bodies.size(); ++b)
        for (const Box& box : boxesOf(scene, b)) {
            include(box.low);
            include(box.high);
        }
    if (scene.bounded) {
        include(scene.boundsMin);
        include(scene.boundsMax);
    }
    if (!(low.x <= high.x)) low = {-1, -1, -1}, high = {1, 1, 1};
}

CameraView defaultCamera(const Scene& scene) {
    Vec3 low, high;
    sceneExtent(scene, low, high);
    const Vec3 center = 0.5f * (low + high);
    const float radius = std::max(0.5f * length(high - low), 0.1f);
    CameraView view;
    view.name = "main";
    view.look = center;
    view.eye = center + (2.6f * radius) * normalizeOr(Vec3{0.35f, 0.45f, 1.0f}, Vec3{0, 0, 1});
    return view;
}

}  // namespace coalesce
