#include "scene/build/joints.h"

#include <limits>

#include "scene/build/build.h"
#include "sim/world/body_factory.h"
#include "sim/world/cloth_mesh.h"

namespace coalesce {

namespace {

bool isIn(const Box& box, Vec3 x) {
    return x.x >= box.low.x && x.y >= box.low.y && x.z >= box.low.z && x.x <= box.high.x &&
           x.y <= box.high.y && x.z <= box.high.z;
}

// Index of the position nearest to a point; the first of equals.
uint32_t nearest(std::span<const Vec3> positions, Vec3 point) {
    uint32_t best = 0;
    float least = std::numeric_limits<float>::max();
    for (uint32_t i = 0; i < positions.size(); ++i)
        if (const Vec3 d = positions[i] - point; dot(d, d) < least) least = dot(d, d), best = i;
    return best;
}

// visit(index) for all particles of an attachment
template <class Visit>
void forEachAttached(const Attachment& attachment, std::span<const Vec3> positions, Visit&& visit) {
    if (attachment.point) return visit(nearest(positions, *attachment.point));
    for (uint32_t i = 0; i < positions.size(); ++i)
        if (isIn(attachment.box, positions[i])) visit(i);
}

const Body* bodyNamed(const Scene& scene, const std::string& name) {
    const std::string bodyName = name.substr(0, name.find('.'));
    for (const Body& body : scene.bodies)
        if (body.name == bodyName) return &body;
    return nullptr;
}

}  // namespace

std::vector<bool> heldOf(const Body& body, std::span<const Vec3> positions) {
    std::vector<bool> held(positions.size(), body.pinned);
    for (size_t i = 0; body.pin && i < positions.size(); ++i)
        if (isIn(*body.pin, positions[i])) held[i] = true;
    for (const Attachment& a : body.attach)
        forEachAttached(a, positions, [&](uint32_t i) { held[i] = true; });
    return held;
}

void addAnchors(const Scene& scene, const Body& body, std::span<const Vec3> positions, uint32_t firstRow,
                World& world) {
    std::vector<Anchor> anchors;
    for (const Attachment& a : body.attach)
        for (uint32_t s = 0; s < scene.shapes.size(); ++s) {
            if (scene.shapes[s].name != a.shape) continue;
            const Pose pose = poseAt(world.shapes[s], world.time);
            forEachAttached(a, positions, [&](uint32_t i) {
                anchors.push_back({firstRow + i, s, toShape({pose.position, pose.rotation}, positions[i])});
            });
        }
    world.solids.anchors.append(anchors);
}

NamedParticle nearestAtStart(const Scene& scene, const std::string& body, Vec3 point) {
    const GroupNames names(scene);
    const auto meaning = names.find(body);
    CHECK(meaning && !meaning->material && meaning->count > 0);
    const auto [b, firstCopy] = names.bodyOf(meaning->first);
    const auto form = formOf(scene, scene.bodies[b]);
    NamedParticle found{};
    float least = std::numeric_limits<float>::max();
    for (uint32_t k = 0; k < meaning->count; ++k) {
        const std::vector<Vec3> positions = positionsOf(scene, b, firstCopy + k, *form);
        const uint32_t i = nearest(positions, point);
        const Vec3 d = positions[i] - point;
        if (dot(d, d) < least) least = dot(d, d), found = {meaning->first + k, i, positions[i]};
    }
    return found;
}

std::optional<uint32_t> materialOf(const Scene& scene, const Joint& joint) {
    for (uint32_t m = 0; m < scene.materials.size(); ++m)
        if (scene.materials[m].name == joint.material) return m;
    for (const Joint::End* end : {&joint.from, &joint.to}) {
        const Body* body = bodyNamed(scene, end->body);
        if (body && isSprung(scene, *body)) return body->material;
    }
    return {};
}

void addJoints(const Scene& scene, size_t b, World& world) {
    const GroupNames names(scene);
    const auto bodyOf = [&](const Joint::End& end) { return names.bodyOf(names.find(end.body)->first).body; };
    std::vector<DistanceConstraint> springs;
    for (const Joint& joint : scene.springs) {
        const size_t first = bodyOf(joint.from), second = bodyOf(joint.to);
        if (first != b && second != b) continue;
        const NamedParticle from = nearestAtStart(scene, joint.from.body, joint.from.at),
                            to = nearestAtStart(scene, joint.to.body, joint.to.at);
        if (std::max(from.group, to.group) >= world.groups.size()) continue;  // one end is added later
        const auto rowOf = [&](const NamedParticle& p) {
            const uint32_t body = world.groups[p.group].body;
            CHECK(body != Group::kNoBody);
            return world.bodies[body].firstRow + p.index;
        };
        const float length =
            joint.length ? float(*joint.length) : coalesce::length(from.position - to.position);
        springs.push_back({rowOf(from), rowOf(to), length,
                           springParamsIndex(materialOf(scene, joint).value(), ClothEdgeKind::stretch)});
    }
    addSprings(world, springs);
}

}  // namespace coalesce
