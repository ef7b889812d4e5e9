#include "sim/interaction/mouse_constraints.h"

#include <algorithm>

#include "core/for_each.h"
#include "sim/solid/shape_matching.h"

namespace coalesce {

namespace {

constexpr double kTwoPi = 6.283185307179586;

template <class... Cases>
struct Overloaded : Cases... {
    using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;  // nvcc requires the deduction guide

std::vector<MouseConstraint>::iterator findConstraint(std::vector<MouseConstraint>& constraints,
                                                      uint32_t number) {
    return std::find_if(constraints.begin(), constraints.end(),
                        [&](const MouseConstraint& c) { return c.number == number; });
}

std::string noGrab(uint32_t constraint) {
    return fmt::format("mouse constraint {} holds no particle", constraint);
}

// Executes the grab commands; returns why a command cannot be executed, empty: done. collectUserSpawns() has
// validated what is thrown or poured, and spawned it.
std::string execute(World& world, const UserCommand& command) {
    if (const std::string issue = malformed(command); !issue.empty()) return issue;
    std::vector<MouseConstraint>& constraints = world.mouseConstraints;
    const auto grab = [&](const Grab& g) -> std::string {
        if (g.id >= world.nextId)
            return fmt::format("there is no particle {}; ids are below {}", g.id, world.nextId);
        if (const auto old = findConstraint(constraints, g.constraint); old != constraints.end())
            constraints.erase(old);
        // sorted by number: the order in which they are applied
        const auto after = std::find_if(constraints.begin(), constraints.end(),
                                        [&](const MouseConstraint& c) { return c.number > g.constraint; });
        constraints.insert(after, {g.constraint, g.id, g.at, g.at});
        return "";
    };
    const auto move = [&](const MoveTarget& m) -> std::string {
        const auto constraint = findConstraint(constraints, m.constraint);
        if (constraint == constraints.end()) return noGrab(m.constraint);
        constraint->to = m.to;
        return "";
    };
    const auto release = [&](const Release& r) -> std::string {
        const auto constraint = findConstraint(constraints, r.constraint);
        if (constraint == constraints.end()) return noGrab(r.constraint);
        constraints.erase(constraint);
        return "";
    };
    return std::visit(Overloaded{grab, move, release, [](const auto&) { return std::string(); }}, command);
}

// The grabbed particle and its body.
GrabbedSet grabbedSet(const World& world, const MouseConstraint& constraint) {
    GrabbedSet set{.from = constraint.from,
                   .to = constraint.to,
                   .id = constraint.id,
                   .row = kNoRow,
                   .firstCluster = 0,
                   .clusters = 0,
                   .cloth = 0};
    for (const SolidBody& body : world.bodies) {
        const Group& group = world.groups[body.group];
        if (constraint.id - group.first >= group.count) continue;  // also below `first`
        if (body.clusters == 0) {
            set.cloth = float(body.rows - body.spares);
            continue;
        }
        set.row = body.firstRow + (constraint.id - group.first);
        set.firstCluster = body.firstCluster;
        set.clusters = body.clusters;
    }
    return set;
}

}  // namespace

std::string malformed(const UserCommand& command) {
    const auto invalidIndex = [](uint32_t constraint) {
        return constraint < kMaxMouseConstraints
                   ? std::string()
                   : fmt::format("there is no mouse constraint {}; they are numbered 0 to {}", constraint,
                                 kMaxMouseConstraints - 1);
    };
    const std::string notFinite = "a point or velocity is not finite";
    return std::visit(
        Overloaded{
            [&](const Grab& g) { return isFinite(g.at) ? invalidIndex(g.constraint) : notFinite; },
            [&](const MoveTarget& m) { return isFinite(m.to) ? invalidIndex(m.constraint) : notFinite; },
            [&](const Release& r) { return invalidIndex(r.constraint); },
            [&](const Brush& b) { return isFinite(b.from) && isFinite(b.to) ? std::string() : notFinite; },
            [&](const Cut& c) -> std::string {
                if (!isFinite(c.a) || !isFinite(c.b) || !isFinite(c.c)) return notFinite;
                if (!(length(cross(c.b - c.a, c.c - c.a)) > 0))
                    return "the three points of a cut lie on a line, so the cut has no area";
                return "";
            },
            [&](const MoveShape& m) {
                const Quat& q = m.rotation;
                const float norm = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
                if (!isFinite(m.to) || !(norm < 2)) return notFinite;
                return norm > 0.5f ? std::string() : "the quaternion of a rotation must have length 1";
            },
            [&](const Gust& g) -> std::string {
                if (!isFinite(g.from) || !isFinite(g.velocity)) return notFinite;
                return length(g.velocity) > 0 ? "" : "the velocity of a gust must not be 0";
            },
            [&](const auto& t) {  // Throw, Pour
                return isFinite(t.from) && isFinite(t.velocity) ? std::string() : notFinite;
            }},
        command);
}

std::optional<Vec3> targetOf(const World& world, uint32_t constraint) {
    std::optional<Vec3> target;
    for (const MouseConstraint& c : world.mouseConstraints)
        if (c.number == constraint) target = c.to;
    for (const UserCommand& command : world.commands) {
        if (const auto* grab = std::get_if<Grab>(&command); grab && grab->constraint == constraint)
            target = grab->at;
        if (const auto* move = std::get_if<MoveTarget>(&command); move && move->constraint == constraint)
            target = move->to;
        if (const auto* release = std::get_if<Release>(&command);
            release && release->constraint == constraint)
            target.reset();
    }
    return target;
}

void MouseConstraints::beginFrame(World& world) {
    for (const UserCommand& command : world.commands)
        if (const std::string why = execute(world, command); !why.empty())
            fail(Exit::Simulation, fmt::format("frame {}, a command", world.frame), why,
                 "Check the timeline or the replay it comes from.");
    std::vector<Stroke> strokes;
    for (const UserCommand& command : world.commands)
        if (const auto* brush = std::get_if<Brush>(&command)) strokes.push_back({brush->from, brush->to});
    std::vector<GustRay> gusts;
    for (const UserCommand& command : world.commands)
        if (const auto* gust = std::get_if<Gust>(&command))
            gusts.push_back({gust->from, normalizeOr(gust->velocity, {1, 0, 0}), length(gust->velocity)});
    std::vector<GrabbedSet> grabs;
    for (const MouseConstraint& constraint : world.mouseConstraints)
        grabs.push_back(grabbedSet(world, constraint));
    m_strokes.upload(strokes);
    m_gusts.upload(gusts);
    m_grabs.upload(grabs);
    m_impulses.resize(grabs.size());
}

void MouseConstraints::applyGrabs(const StepContext& step, ShapeMatching& bodies) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    const size_t n = world.count();
    const Parameters::MouseConstraint& parameters = world.parameters.hand;
    const Parameters::Solver& solver = world.parameters.solver;
    ParticleArrays& p = world.particles;

    exec.fillBytes(m_impulses.view(), 0xff);  // kNoSlot
    forEach(exec, "mouse grab", n, FindGrabbedSlots{p.id.view(), m_grabs.view(), m_impulses.view()});
    indexRows(world, device);
    forEach(exec, "mouse grab", m_grabs.size(),
            SolveGrabs{.grabs = m_grabs.view(),
                       .x = p.x.view(),
                       .v = p.v.view(),
                       .phase = p.phase.view(),
                       .materials = device.materials.view(),
                       .tables = world.solids.view(),
                       .pose = world.solids.pose.view(),
                       .sums = bodies.sumSpin(world),
                       .impulses = m_impulses.view(),
                       .gravity = world.parameters.world.gravity,
                       .omega = float(kTwoPi * parameters.frequency),
                       .dampingRatio = parameters.dampingRatio,
                       .maxForce = parameters.maxForce,
                       .dt = step.dt,
                       .frameFraction = float(step.substep + 1) / float(step.substeps),
                       .frameRate = solver.frameRate / solver.timeScale});
    forEach(exec, "mouse grab", n,
            ApplyGrabImpulses{.impulses = m_impulses.view(),
                              .x = p.x.view(),
                              .id = p.id.view(),
                              .phase = p.phase.view(),
                              .groups = device.groups.view(),
                              .tables = world.solids.view(),
                              .v = p.v.view()});
}

void MouseConstraints::applyMass(const StepContext& step) {
    if (m_grabs.size() > 0)
        forEach(exec, "mouse grab", 1, ScaleGrabbedMasses{m_impulses.view(), step.device.xStar.view()});
}

void MouseConstraints::applyForces(const StepContext& step, ShapeMatching& bodies) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    if (m_grabs.size() > 0) applyGrabs(step, bodies);
    if (m_strokes.size() > 0)
        forEach(exec, "brush", world.count(),
                ApplyBrush{.strokes = m_strokes.view(),
                           .x = world.particles.x.view(),
                           .id = world.particles.id.view(),
                           .phase = world.particles.phase.view(),
                           .groups = device.groups.view(),
                           .v = world.particles.v.view(),
                           .radius = world.parameters.hand.brushRadius,
                           .strength = world.parameters.hand.brushStrength,
                           .frameRate = world.parameters.solver.frameRate / world.parameters.solver.timeScale,
                           .dt = step.dt});
    if (m_gusts.size() > 0)
        forEach(exec, "gusts", world.count(),
                ApplyGusts{.gusts = m_gusts.view(),
                           .x = world.particles.x.view(),
                           .phase = world.particles.phase.view(),
                           .materials = device.materials.view(),
                           .v = world.particles.v.view(),
                           .radius = world.parameters.hand.gustRadius,
                           .airDensity = world.parameters.world.airDensity,
                           .dt = step.dt});
}

void MouseConstraints::endFrame(World& world) {
    world.commands.clear();
    for (MouseConstraint& constraint : world.mouseConstraints) constraint.from = constraint.to;
}

}  // namespace coalesce
