#include "view/viewport/selection.h"

#include <algorithm>

#include "checks/shape_distance.h"
#include "scene/build/build.h"
#include "scene/build/groups.h"
#include "sim/stage/particle_bounds.h"
#include "view/viewport/vectors.h"

namespace coalesce {

namespace {

glm::quat toGlm(Quat q) {
    return {q.w, q.x, q.y, q.z};
}
Quat fromGlm(glm::quat q) {
    return {q.x, q.y, q.z, q.w};
}

template <class T>
const T* named(const std::vector<T>& list, const std::string& name) {
    const auto found = std::find_if(list.begin(), list.end(), [&](const T& t) { return t.name == name; });
    return found == list.end() ? nullptr : &*found;
}

// The rotation that turns the y axis to this direction.
glm::quat aim(Vec3 direction) {
    return toGlm(quatFromNormal(normalizeOr(direction, {0, 1, 0})));
}

// The pose of the shape that an emitter is attached to. Not known if it is attached to a body.
struct Carrier {
    bool known = true;
    Pose pose;
};
Carrier carrierOf(const Session& session, const Emitter& emitter) {
    if (emitter.on.empty()) return {};
    const std::vector<Shape>& shapes = session.world().shapes;
    for (size_t k = 0; k < shapes.size(); ++k)
        if (shapes[k].name == emitter.on) return {true, poseAt(shapes[k], session.world().time)};
    return {false, {}};
}

Edit vectorEdit(const std::string& path, glm::vec3 v) {
    return {path, {v.x, v.y, v.z}, {}};
}

}  // namespace

std::optional<GizmoPose> poseOf(const Session& session, const Selection& selection) {
    const World& world = session.world();
    if (selection.section == "shapes")
        for (size_t k = 0; k < world.shapes.size(); ++k) {
            if (world.shapes[k].name != selection.element || !world.shapes[k].keys.empty()) continue;
            const Pose goal = session.targetPose(k);
            return GizmoPose{toGlm(goal.position), toGlm(goal.rotation)};
        }
    if (selection.section == "sinks")
        if (const Sink* sink = named(world.sinks, selection.element); sink && sink->formed) {
            const Pose pose = poseAt(sink->form, world.time);
            return GizmoPose{toGlm(pose.position), toGlm(pose.rotation)};
        }
    if (selection.section == "fields")
        if (const ForceField* field = named(world.forceFields, selection.element))
            return GizmoPose{toGlm(field->properties.center), aim(field->properties.direction)};
    if (selection.section == "emitters")
        if (const Emitter* emitter = named(world.emitters, selection.element)) {
            const Carrier carrier = carrierOf(session, *emitter);
            if (!carrier.known) return {};
            const glm::quat turned = toGlm(carrier.pose.rotation);
            return GizmoPose{toGlm(carrier.pose.position) + turned * toGlm(emitter->properties.position),
                             turned * aim(emitter->properties.direction)};
        }
    return {};
}

bool canTurn(const Session& session, const Selection& selection) {
    if (selection.section != "fields") return true;
    const ForceField* field = named(session.world().forceFields, selection.element);
    return field && field->properties.kind != FieldKind::radial;
}

void moveTo(Session& session, const Selection& selection, const GizmoPose& pose) {
    const std::optional<GizmoPose> now = poseOf(session, selection);
    if (!now) return;
    const bool moves = pose.position != now->position, turns = pose.rotation != now->rotation;
    const std::string path = selection.path() + ".";
    if (selection.section == "shapes" || selection.section == "sinks") {
        session.moveTo(selection.section, selection.element,
                       {{pose.position.x, pose.position.y, pose.position.z}, fromGlm(pose.rotation)});
    } else if (selection.section == "fields") {
        if (moves) session.edit(vectorEdit(path + "center", pose.position));
        if (turns) session.edit(vectorEdit(path + "direction", pose.rotation * glm::vec3(0, 1, 0)));
    } else if (const Emitter* emitter = named(session.world().emitters, selection.element)) {
        const Carrier carrier = carrierOf(session, *emitter);
        const glm::quat back = glm::conjugate(toGlm(carrier.pose.rotation));
        if (moves)
            session.edit(
                vectorEdit(path + "position", back * (pose.position - toGlm(carrier.pose.position))));
        if (turns) session.edit(vectorEdit(path + "direction", back * (pose.rotation * glm::vec3(0, 1, 0))));
    }
}

std::vector<uint32_t> groupsOf(const Scene& scene, const std::set<std::string>& bodies) {
    std::vector<uint32_t> groups;
    if (bodies.empty()) return groups;
    const GroupNames names(scene);
    for (size_t b = 0; b < scene.bodies.size(); ++b)
        if (bodies.contains(scene.bodies[b].name))
            for (uint32_t copy = 0; copy < copiesOf(scene.bodies[b]); ++copy)
                groups.push_back(names.firstOf(b) + copy);
    return groups;
}

std::optional<Bounds> boundsOf(const Session& session, const std::string& body) {
    const auto meant = GroupNames(session.scene()).find(body);
    return meant ? boundsOfGroups(session.world(), meant->first, meant->count) : std::nullopt;
}

Selection shapeAlong(const Session& session, const Ray& ray, float farthest) {
    constexpr int kSteps = 200;
    constexpr double kTolerance = 1e-3;  // relative to the distance
    Selection nearest;
    for (const Shape& shape : session.world().shapes) {
        if (isEverywhere(shape) || !shape.visible || !shape.keys.empty()) continue;
        const ShapeDistance distance(shape, session.world().time);
        // sphere tracing
        double t = 0;
        for (int k = 0; k < kSteps && t < farthest; ++k) {
            const glm::vec3 p = ray.origin + float(t) * ray.direction;
            const double d = distance({p.x, p.y, p.z});
            if (d < kTolerance * t || d < 1e-5) {
                farthest = float(t);
                nearest = {"shapes", shape.name};
                break;
            }
            t += d;
        }
    }
    return nearest;
}

}  // namespace coalesce
