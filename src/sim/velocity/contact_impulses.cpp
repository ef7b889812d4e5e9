#include "sim/velocity/contact_impulses.h"

#include <numbers>

#include "core/for_each.h"
#include "kernels/velocity/pair_impulse.h"
#include "kernels/velocity/round_contact_impulse.h"
#include "kernels/velocity/shape_contact_impulse.h"

namespace coalesce {

namespace {

bool isSpring(const StepContext& step) {
    return step.world.parameters.velocity.contactFrequency > 0;
}

}  // namespace

ContactTarget ContactImpulses::targetOf(const StepContext& step, VelocityPass pass) const {
    return {pass, 1 / step.dt, step.world.parameters.velocity.bias / step.dt};
}

ContactTarget ContactImpulses::pairTargetOf(const StepContext& step, VelocityPass pass) const {
    const Parameters::Velocity& parameters = step.world.parameters.velocity;
    if (!isSpring(step) || pass == VelocityPass::restitution) return targetOf(step, pass);
    return springContact(pass, 2 * std::numbers::pi_v<float> * parameters.contactFrequency,
                         parameters.contactDamping, step.dt);
}

void ContactImpulses::prepare(const StepContext& step) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    const size_t n = world.count();
    ParticleArrays& p = world.particles;
    m_before.copyFrom(p.v);
    if (!device.summary.hasSolids) return;
    m_traits.gather(step, 0, true);
    m_restitution.resizeDiscard(device.summary.maxRestitution > 0 ? n : 0);
    if (device.summary.maxRestitution > 0)
        forEach(exec, "contact traits", n,
                GatherPairRestitution{p.phase.view(), device.materials.view(), m_restitution.view()});
    m_impulses.resizeDiscard(size_t(4 * step.neighbors.pairs().stride) * device.capacity.pairs);
    m_count.resizeDiscard(n);
    m_first = true;
}

void ContactImpulses::findInertia(const StepContext& step, ShapeMatching& bodies) {
    if (!bodies.hasRigid()) return;
    World& world = step.world;
    const size_t clusters = world.solids.clusters.size();
    m_clusterDiagonal.resizeDiscard(clusters);
    m_clusterMixed.resizeDiscard(clusters);
    m_bodyContacts.resizeDiscard(clusters);
    forEach(exec, "inverse inertia", clusters,
            FindInverseInertia{.tables = world.solids.view(),
                               .params = bodies.params(),
                               .sums = bodies.sumMomenta(world),
                               .diagonal = m_clusterDiagonal.view(),
                               .mixed = m_clusterMixed.view()});
}

template <class Use>
void ContactImpulses::withMasses(const StepContext& step, const ShapeMatching& bodies,
                                 View<const float> contacts, View<const Vec4> free, Use&& use) {
    World& world = step.world;
    if (!bodies.hasRigid()) return use(InverseMass<false>{free}, std::false_type());
    const size_t n = world.count();
    m_diagonal.resizeDiscard(n);
    m_mixed.resizeDiscard(n);
    forEach(exec, "contact masses", n,
            ShareMass{.id = world.particles.id.view(),
                      .phase = world.particles.phase.view(),
                      .groups = step.device.groups.view(),
                      .tables = world.solids.view(),
                      .clusterDiagonal = m_clusterDiagonal.view(),
                      .clusterMixed = m_clusterMixed.view(),
                      .pose = world.solids.pose.view(),
                      .clusterRestCenter = world.solids.clusterRestCenter.view(),
                      .bodyContacts = m_bodyContacts.view(),
                      .contacts = contacts,
                      .x = world.particles.x.view(),
                      .diagonal = m_diagonal.view(),
                      .mixed = m_mixed.view()});
    use(InverseMass<true>{m_diagonal.view(), m_mixed.view()}, std::true_type());
}

View<const float> ContactImpulses::findSpringMassScales(const StepContext& step,
                                                        const ShapeMatching& bodies) {
    World& world = step.world;
    SolidTables& solids = world.solids;
    if (!bodies.hasRigid() || solids.springs.size() == 0) return {};
    m_bodyContacts.fillZero();
    forEach(exec, "spring masses", solids.springs.size(),
            CountSpringsOfBodies{solids.springs.view(), solids.view(), m_bodyContacts.view()});
    m_springMassScale.resizeDiscard(world.count());
    withMasses(step, bodies, {}, world.particles.x.view(),
               [&]<class Mass, class HasBodies>(const Mass&, HasBodies) {
                   forEach(exec, "spring masses", world.count(),
                           FindSpringMassScale{m_diagonal.view(), m_mixed.view(), world.particles.x.view(),
                                               m_springMassScale.view()});
               });
    return m_springMassScale.view();
}

void ContactImpulses::solvePairs(const StepContext& step, ShapeMatching& bodies, VelocityPass pass) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    if (!device.summary.hasSolids) return;
    if (pass == VelocityPass::restitution && device.summary.maxRestitution == 0) return;
    // what a spring has given is its force, no correction that could be taken back
    if (pass == VelocityPass::relax && isSpring(step)) return;
    const size_t n = world.count();
    ParticleArrays& p = world.particles;
    m_next.resizeDiscard(n);
    const NeighborLists lists = step.neighbors.pairs();
    const auto part = [&](int which) {
        const size_t size = size_t(lists.stride) * device.capacity.pairs;
        return m_impulses.view().subview(which * size, size);
    };
    m_traits.withPairs(step, bodies, {}, [&]<bool Fields>(const PairContacts<Fields>& contacts) {
        const PairTargets<Fields> pairs{
            .contacts = contacts,
            .x = pass == VelocityPass::biased ? p.x.view() : device.xStar.view(),
            .v = p.v.view(),
            .impulses = {part(0), part(1), part(2), part(3), lists.stride, m_first},
            .target = pairTargetOf(step, pass)};
        forEach(exec, "count contact impulses", n, CountPairImpulses<Fields>{pairs, m_count.view()});
        if (bodies.hasRigid()) {
            m_bodyContacts.fillZero();
            forEach(exec, "count contact impulses", n,
                    CountBodyContacts{.count = m_count.view(),
                                      .id = p.id.view(),
                                      .phase = p.phase.view(),
                                      .groups = device.groups.view(),
                                      .tables = world.solids.view(),
                                      .x = p.x.view(),
                                      .pairs = lists.count,
                                      .bodyContacts = m_bodyContacts.view()});
        } else {
            forEach(exec, "contact masses", n,
                    ShareParticleMass{p.x.view(), m_count.view(), m_traits.traits()});
        }
        withMasses(step, bodies, m_count.view(), m_traits.traits(),
                   [&]<class Mass, class HasBodies>(const Mass& mass, HasBodies) {
                       forEach(exec, "contact impulses", n,
                               SolvePairImpulses<Fields, HasBodies::value>{
                                   .pairs = pairs,
                                   .mass = mass,
                                   .before = m_before.view(),
                                   .restitution = m_restitution.view(),
                                   .vNew = m_next.view(),
                                   .bounceSpeed = world.parameters.contacts.bounceSpeed,
                                   .omega = world.parameters.solver.relaxation});
                   });
    });
    p.v.swap(m_next);
    m_first = false;
    bodies.projectVelocities(step);
}

View<const Vec4> ContactImpulses::pathsFrom(const StepContext& step, ShapeMatching& bodies,
                                            const Buffer<Vec4>& x) {
    SolidTables& solids = step.world.solids;
    if (!bodies.hasRigid() || solids.roundBodies.size() == 0) return x.view();
    m_bent.copyFrom(x);
    forEach(exec, "bend paths", solids.rows(),
            BendPaths{.tables = solids.view(),
                      .params = bodies.params(),
                      .rowBallRadius = solids.rowBallRadius.view(),
                      .pose = solids.pose.view(),
                      .clusterRestCenter = solids.clusterRestCenter.view(),
                      .omega = bodies.angularVelocities(),
                      .x = m_bent.view(),
                      .dt = step.dt});
    return m_bent.view();
}

void ContactImpulses::solveShapes(const StepContext& step, ShapeMatching& bodies, ShapeContacts& shapes,
                                  VelocityPass pass) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    const size_t n = world.count();
    ParticleArrays& p = world.particles;
    const Buffer<Vec4>& present = pass == VelocityPass::biased ? p.x : device.xStar;
    const View<const Vec4> x = pathsFrom(step, bodies, present);
    if (bodies.hasRigid()) {
        m_bodyContacts.fillZero();
        forEach(exec, "count contact impulses", n,
                CountShapeImpulses{.contacts = shapes.view(device, step.substep),
                                   .x = x,
                                   .v = p.v.view(),
                                   .id = p.id.view(),
                                   .phase = p.phase.view(),
                                   .materials = device.materials.view(),
                                   .groups = device.groups.view(),
                                   .tables = world.solids.view(),
                                   .target = targetOf(step, pass),
                                   .accumulatedImpulse = shapes.accumulatedImpulse(),
                                   .count = m_bodyContacts.view()});
    }
    withMasses(step, bodies, {}, p.x.view(), [&]<class Mass, class HasBodies>(const Mass& mass, HasBodies) {
        forEach(exec, "shape contact impulses", n,
                SolveShapeImpulses<HasBodies::value>{.contacts = shapes.view(device, step.substep),
                                                     .x = x,
                                                     .phase = p.phase.view(),
                                                     .materials = device.materials.view(),
                                                     .mass = mass,
                                                     .target = targetOf(step, pass),
                                                     .start = p.x.view(),
                                                     .before = m_before.view(),
                                                     .accumulatedImpulse = shapes.accumulatedImpulse(),
                                                     .v = p.v.view(),
                                                     .gravity = world.parameters.world.gravity,
                                                     .dt = step.dt,
                                                     .bounceSpeed = world.parameters.contacts.bounceSpeed,
                                                     .omega = world.parameters.solver.relaxation});
    });
    bodies.projectVelocities(step);
}

void ContactImpulses::solveRound(const StepContext& step, ShapeMatching& bodies, RoundBodyContacts& round,
                                 VelocityPass pass) {
    if (!bodies.hasRigid() || !round.isActive(step)) return;
    if (pass == VelocityPass::restitution && step.device.summary.maxRestitution == 0) return;
    // solvePairs skips this pass where contacts are springs; the cluster velocities do not have the impulses of the
    // liquid yet
    if (pass == VelocityPass::relax && isSpring(step)) bodies.projectVelocities(step);
    forEach(exec, "round contact impulses", step.world.solids.roundBodies.size(),
            SolveRoundImpulses{.round = round.contacts(step),
                               .impacts = round.impacts(step),
                               .clusterDiagonal = m_clusterDiagonal.view(),
                               .clusterMixed = m_clusterMixed.view(),
                               .target = targetOf(step, pass),
                               .accumulatedImpulse = round.accumulatedImpulse(),
                               .linear = bodies.linearVelocities(),
                               .omega = bodies.angularVelocities(),
                               .passes = RoundBodyContacts::kPasses});
    bodies.applyVelocities(step);
}

}  // namespace coalesce
