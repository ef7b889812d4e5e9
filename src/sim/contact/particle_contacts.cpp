#include "sim/contact/particle_contacts.h"

#include <type_traits>

#include "core/for_each.h"
#include "core/scratch.h"
#include "kernels/contact/pair_restitution.h"
#include "kernels/contact/slip.h"
#include "kernels/contact/stack_height.h"

namespace coalesce {

namespace {

Vec3 upOf(const World& world) {
    return normalizeOr(-world.parameters.world.gravity, {0, 1, 0});
}

}  // namespace

bool ParticleContacts::hasRestitution(const StepContext& step) const {
    const MaterialSummary& materials = step.device.summary;
    const bool velocityFriction = step.world.parameters.contacts.friction == Friction::velocity;
    return materials.hasSolids && (materials.maxRestitution > 0 || velocityFriction);
}

void ParticleContacts::findStackHeights(const StepContext& step, const ShapeContacts& shapes) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    const size_t n = world.count();
    ParticleArrays& p = world.particles;
    const Vec3 up = upOf(world);
    if (world.parameters.contacts.stackHeight == StackHeight::plane) {
        forEach(exec, "stack heights", n,
                WriteHeightsAbovePlane{.x = p.x.view(),
                                       .phase = p.phase.view(),
                                       .materials = device.materials.view(),
                                       .v = p.v.view(),
                                       .up = up,
                                       .ground = world.parameters.contacts.ground});
        return;
    }
    Scratch::Scope scratch(exec);
    const View<float> ground = scratch.take<float>("stack.ground", n);
    const View<int32_t> clusterGround =
        scratch.take<int32_t>("stack.clusterGround", world.solids.clusters.size());
    exec.fillBytes(clusterGround, 0x80);  // below every height
    forEach(exec, "stack heights", n,
            FindSupportHeights{.shapes = shapes.view(device, step.substep),
                               .pairs = step.neighbors.pairs(),
                               .x = p.x.view(),
                               .v = p.v.view(),
                               .id = p.id.view(),
                               .phase = p.phase.view(),
                               .materials = device.materials.view(),
                               .groups = device.groups.view(),
                               .tables = world.solids.view(),
                               .ground = ground,
                               .clusterGround = clusterGround,
                               .up = up});
    forEach(exec, "stack heights", n,
            UpdateStackHeights{.x = p.x.view(),
                               .id = p.id.view(),
                               .phase = p.phase.view(),
                               .materials = device.materials.view(),
                               .groups = device.groups.view(),
                               .tables = world.solids.view(),
                               .ground = ground,
                               .clusterGround = clusterGround,
                               .v = p.v.view(),
                               .up = up});
}

void ParticleContacts::prepare(const StepContext& step, const ShapeContacts& shapes) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    if (!device.summary.hasSolids) return;
    const size_t n = world.count();
    const Parameters::Contacts& contacts = world.parameters.contacts;
    ParticleArrays& p = world.particles;
    if (p.slip.size() > 0) m_start.copyFrom(p.x);
    if (contacts.stackScaling > 0) findStackHeights(step, shapes);

    m_traits.gather(step, contacts.stackScaling, contacts.friction == Friction::position);
    m_cohesion.resizeDiscard(device.summary.maxCohesion > 0 ? n : 0);
    const int rounds = world.parameters.solver.method == Method::projective
                           ? world.parameters.projective.iterations
                           : world.parameters.solver.iterations;
    if (device.summary.maxCohesion > 0)
        forEach(exec, "contact traits", n,
                GatherCohesion{p.phase.view(), device.materials.view(), m_cohesion.view(),
                               step.dt * step.dt / float(rounds)});
    if (hasRestitution(step)) m_vPredicted.copyFrom(p.v);
}

// Masses of the contact stage at the current positions: see SplitContactMasses.
void ParticleContacts::splitMasses(const StepContext& step, View<const Vec4> x, View<const Vec4> xStar,
                                   float slack, View<const float> massScale) {
    const size_t n = step.world.count();
    const bool splits = step.world.parameters.solver.relaxationMode == Relaxation::local;
    m_scaledInverseMass.resizeDiscard(n);
    m_count.resizeDiscard(splits ? n : 0);
    if (splits)
        forEach(exec, "count particle contacts", n,
                CountActiveContacts{.lists = step.neighbors.pairs(),
                                    .traits = m_traits.traits(),
                                    .x = x,
                                    .xStar = xStar,
                                    .count = m_count.view(),
                                    .slack = slack,
                                    .maxCorrection = ContactTraits::maxDepenetration(step)});
    forEach(exec, "contact masses", n,
            SplitContactMasses{.inverseMass = m_traits.inverseMass(),
                               .massScale = massScale,
                               .count = m_count.view(),
                               .scaledInverseMass = m_scaledInverseMass.view(),
                               .traits = m_traits.traits()});
}

void ParticleContacts::preStabilize(const StepContext& step, const ShapeMatching& bodies,
                                    ShapeContacts& shapes) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    if (!device.summary.hasSolids) return;
    const size_t n = world.count();
    m_next.resizeDiscard(n);
    for (int round = 0; round < world.parameters.solver.prestabilize; ++round) {
        const View<const Vec4> x = world.particles.x.view();
        splitMasses(step, x, x, 0, {});
        m_traits.withPairs(step, bodies, m_scaledInverseMass.view(),
                           [&]<bool Sdf>(const PairContacts<Sdf>& contacts) {
                               forEach(exec, "pre-stabilize particles", n,
                                       PreStabilizePairs<Sdf>{.contacts = contacts,
                                                              .x = world.particles.x.view(),
                                                              .shift = m_next.view(),
                                                              .omega = world.parameters.solver.relaxation});
                           });
        shapes.shiftPaths(step, m_next.view());
    }
}

void ParticleContacts::solve(const StepContext& step, const ShapeMatching& bodies) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    if (!device.summary.hasSolids) return;
    const size_t n = world.count();
    m_next.resizeDiscard(n);
    splitMasses(step, world.particles.x.view(), device.xStar.view(), 0, bodies.massScales());
    m_traits.withPairs(step, bodies, m_scaledInverseMass.view(),
                       [&]<bool Sdf>(const PairContacts<Sdf>& contacts) {
                           const auto solvePairs = [&](auto remembers) {
                               using Kernel = SolveParticleContacts<Sdf, remembers()>;
                               forEach(exec, "particle contacts", n,
                                       Kernel{.contacts = contacts,
                                              .x = world.particles.x.view(),
                                              .xStar = device.xStar.view(),
                                              .slip = world.particles.slip.view(),
                                              .cohesion = m_cohesion.view(),
                                              .xNew = m_next.view(),
                                              .up = upOf(world),
                                              .omega = world.parameters.solver.relaxation});
                           };
                           if (world.particles.slip.size() > 0)
                               solvePairs(std::true_type());
                           else
                               solvePairs(std::false_type());
                       });
    device.xStar.swap(m_next);
}

void ParticleContacts::updateSlip(const StepContext& step, const ShapeContacts& shapes) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    ParticleArrays& p = world.particles;
    if (p.slip.size() == 0) return;
    const size_t n = world.count();
    Scratch::Scope scratch(exec);
    const View<Vec4> support = scratch.take<Vec4>("slip.support", n);
    forEach(exec, "slip", n,
            FindSupportingShapes{.contacts = shapes.view(device, step.substep),
                                 .x = p.x.view(),
                                 .phase = p.phase.view(),
                                 .materials = device.materials.view(),
                                 .support = support});
    forEach(exec, "slip", n,
            UpdateSlip{.lists = step.neighbors.pairs(),
                       .traits = m_traits.traits(),
                       .start = m_start.view(),
                       .x = p.x.view(),
                       .support = support,
                       .slip = p.slip.view(),
                       .up = upOf(world),
                       .presliding = world.parameters.contacts.presliding});
}

void ParticleContacts::applyRestitution(const StepContext& step, const ShapeMatching& bodies) {
    if (!hasRestitution(step)) return;
    World& world = step.world;
    DeviceWorld& device = step.device;
    const Parameters::Contacts& parameters = world.parameters.contacts;
    const size_t n = world.count();
    ParticleArrays& p = world.particles;
    m_bounce.resizeDiscard(n);
    forEach(exec, "restitution", n,
            GatherRestitution{.phase = p.phase.view(),
                              .materials = device.materials.view(),
                              .bounce = m_bounce.view(),
                              .particleFriction = parameters.particleFriction,
                              .damping = parameters.friction == Friction::velocity});
    splitMasses(step, p.x.view(), p.x.view(), kTouching, bodies.massScales());
    m_traits.withPairs(step, bodies, m_scaledInverseMass.view(),
                       [&]<bool Sdf>(const PairContacts<Sdf>& contacts) {
                           forEach(exec, "restitution", n,
                                   ApplyRestitution<Sdf>{.contacts = contacts,
                                                         .x = p.x.view(),
                                                         .v = p.v.view(),
                                                         .before = m_vPredicted.view(),
                                                         .bounce = m_bounce.view(),
                                                         .vNew = m_next.view(),
                                                         .bounceSpeed = parameters.bounceSpeed});
                       });
    p.v.swap(m_next);
}

}  // namespace coalesce
