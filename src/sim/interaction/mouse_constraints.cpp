#include "sim/interaction/mouse_constraints.h"

#include <algorithm>

#include "core/for_each.h"
#include "core/overloaded.h"
#include "sim/solid/shape_matching.h"

namespace coalesce {

namespace {

constexpr double kTwoPi = 6.283185307179586;

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
    forEach(exec, "mouse grab", m_grabs.size(),
            SolveGrabs{.grabs = m_grabs.view(),
                       .x = p.x.view(),
                       .v = p.v.view(),
                       .phase = p.phase.view(),
                       .materials = device.materials.view(),
                       .tables = world.solids.view(),
                       .pose = world.solids.pose.view(),
                       .sums = bodies.sumMomenta(world),
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
