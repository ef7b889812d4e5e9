#include "sim/solver/solver.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "sim/cloth/aerodynamics.h"
#include "sim/cloth/bending.h"
#include "sim/cloth/distance_constraints.h"
#include "sim/cloth/tearing.h"
#include "sim/cloth/volume_constraints.h"
#include "sim/contact/particle_contacts.h"
#include "sim/contact/shape_contacts.h"
#include "sim/fluid/diffusion.h"
#include "sim/fluid/fluid.h"
#include "sim/fluid/surface_tension.h"
#include "sim/interaction/mouse_constraints.h"
#include "sim/solid/shape_matching.h"
#include "sim/solver/frame.h"
#include "sim/spawn/spawner.h"
#include "sim/stage/device_world.h"
#include "sim/stage/integration.h"
#include "sim/stage/kinematics.h"
#include "sim/stage/neighbors.h"

namespace coalesce {

struct Solver::Stages {
    explicit Stages(Exec& exec)
        : device(exec),
          spawning(exec),
          mouseConstraints(exec),
          neighbors(exec),
          shapes(exec),
          pairs(exec),
          bodies(exec),
          springs(exec),
          air(exec),
          bending(exec),
          volumeConstraints(exec),
          tearing(exec),
          fluid(exec),
          diffusion(exec),
          saved(exec) {}

    DeviceWorld device;
    Spawner spawning;
    MouseConstraints mouseConstraints;
    Motion motion;
    Neighbors neighbors;
    ShapeContacts shapes;
    PairContacts pairs;
    ShapeMatching bodies;
    DistanceConstraints springs;
    Aerodynamics air;
    DihedralBending bending;
    VolumeConstraints volumeConstraints;
    Tearing tearing;
    Fluid fluid;
    SurfaceTension tension;
    Diffusion diffusion;
    FrameBackup saved;
};

Solver::Solver(World& world) : m_world(world), m_stages(std::make_unique<Stages>(world.exec)) {}
Solver::~Solver() = default;

// One frame, position-based. The order of the stages is written here and nowhere else.  [UPP14] Algorithm 1
void Solver::substepPosition(int substep, float dt) {
    auto& [device, spawning, mouseConstraints, motion, neighbors, shapes, pairs, bodies, springs, air,
           bending, volumeConstraints, tearing, fluid, tension, diffusion, saved] = *m_stages;

    // what hands and brushes do
    mouseConstraints.act(m_world, device, bodies, substep, dt);

    // what fields and air do, and where everything would go if nothing were in the way
    motion.applyFields(m_world, device, substep, dt);
    air.apply(m_world, device, substep, dt);
    motion.predict(m_world, device, dt);
    springs.carryAnchors(m_world, device, substep);
    mouseConstraints.weigh(m_world, device);

    // who is near whom, and which walls are near
    neighbors.build(m_world, device);
    tension.pull(m_world, device, neighbors, dt);
    bodies.indexParticles(m_world, device, dt);
    springs.prepare(m_world, device, dt);
    bending.prepare(m_world, dt);
    volumeConstraints.prepare(m_world, device);
    shapes.find(m_world, device, substep);
    tension.adhere(m_world, device, shapes, substep, dt);
    pairs.prepare(m_world, device, neighbors, shapes, substep, dt);
    fluid.prepare(m_world, device);

    // what starts inside something is led out without gaining speed
    pairs.preStabilize(m_world, device, neighbors, bodies);
    bodies.saveStart(m_world);
    shapes.preStabilize(m_world, device, substep, dt);
    bodies.translateRigid(m_world, device);

    // move every particle to where it is allowed to be
    const int iterations = m_world.parameters.solver.iterations;
    for (int k = 0; k < iterations; ++k) {
        shapes.addWalls(m_world, device, substep);
        fluid.solveDensity(m_world, device, neighbors);
        bodies.solve(m_world, device, k);
        bodies.savePreContact(m_world, device, k + 1 < iterations);
        // rigid bodies follow what springs do as they follow contacts
        springs.solve(m_world, device, bodies.massScales());
        bending.solve(m_world, device);
        volumeConstraints.solve(m_world, device);
        pairs.solve(m_world, device, neighbors, bodies);
        shapes.solve(m_world, device, substep, fluid.xLambda(), bodies.contactResponses());
    }

    // whatever the iterations left, nothing is inside a shape
    shapes.keepOutside(m_world, device, substep);
    shapes.watchTriggers(m_world, device, substep);

    // velocity is what really happened
    motion.finalize(m_world, device, shapes.view(device, substep), shapes.accumulatedImpulse(), dt);
    shapes.sumLoads(m_world, device, substep);
    springs.sumLoads(m_world, device, substep);
    pairs.bounce(m_world, device, neighbors, bodies);
    fluid.blendVelocities(m_world, device, neighbors);
    fluid.confineVorticity(m_world, device, neighbors, dt);
    diffusion.spread(m_world, device, neighbors, dt);
    bodies.finishSubstep(m_world, device);
}

Status Solver::step() {
    DeviceWorld& device = m_stages->device;
    const int substeps = m_world.parameters.solver.substeps;
    const double dt = 1.0 / (static_cast<double>(m_world.parameters.solver.frameRate) * substeps);  // [s]
    Status status;

    // where shapes go that commands move
    KinematicMoves moves(m_world, dt * substeps);

    // who leaves, and who is born
    m_stages->spawning.run(m_world);
    status.ballsBlocked = m_stages->spawning.ballsBlocked();
    status.jetsBlocked = m_stages->spawning.jetsBlocked();

    openFrame(m_world, device, dt);
    const std::vector<MouseConstraint> heldBefore = m_world.mouseConstraints;
    m_stages->saved.save(m_world);
    try {
        m_stages->mouseConstraints.open(m_world);
        for (;;) {
            for (int s = 0; s < substeps; ++s) substepPosition(s, static_cast<float>(dt));
            m_stages->tearing.find(m_world, device);

            // read back once per frame; too small a list makes it larger, and the frame is done again
            status.worst = readStatus(device);
            if (!growCapacities(m_world, device, status)) break;
            m_stages->saved.restore(m_world);
            clearStatus(device);
            status.redone += 1;
        }
        m_stages->tearing.part(m_world, status.worst.torn > 0);
    } catch (...) {
        // policy fail, no memory, or a command that cannot be done: the world is as before the frame
        m_stages->saved.restore(m_world);
        m_world.mouseConstraints = heldBefore;
        m_world.commands.clear();
        throw;
    }
    MouseConstraints::close(m_world);
    device.shapes.report(m_world);
    m_world.step += static_cast<uint64_t>(substeps);
    m_world.frame += 1;
    m_world.time += dt * substeps;
    moves.finish();
    m_world.exec.endFrame();
    return status;
}

NeighborLists Solver::neighborLists() const {
    return m_stages->device.hasFluid ? m_stages->neighbors.lists() : m_stages->neighbors.pairs();
}

NeighborLists Solver::contactLists() const {
    return m_stages->neighbors.pairs();
}

Contacts Solver::shapeContacts() const {
    // of the frame that was solved: substeps may have been changed since
    return m_stages->shapes.view(m_stages->device, m_stages->device.shapes.substeps() - 1);
}

void Solver::findNeighbors() {
    DeviceWorld& device = m_stages->device;
    openFrame(m_world, device, 0);
    for (;;) {
        device.xStar.copyFrom(m_world.particles.x);
        m_stages->neighbors.build(m_world, device);
        m_stages->shapes.find(m_world, device, m_world.parameters.solver.substeps - 1);
        Status status;
        status.worst = readStatus(device);
        if (!growCapacities(m_world, device, status)) break;
        clearStatus(device);
    }
}

void Solver::watchPressure(bool on) {
    m_stages->fluid.watchLambda(on);
}
bool Solver::watchesPressure() const {
    return m_stages->fluid.watchesLambda();
}

View<const float> Solver::lambdaSums() const {
    return m_stages->fluid.lambda();
}

std::vector<float> Solver::pressureScales() const {
    const Parameters::Solver& solver = m_world.parameters.solver;
    const double dt = 1.0 / (static_cast<double>(solver.frameRate) * solver.substeps);
    std::vector<float> scales;
    for (const Material& material : m_world.materials) {
        const MaterialProperties& p = material.properties;
        const double cell = double{particleMass(p, solver.planar)} / p.density;
        scales.push_back(
            static_cast<float>(1 / (materialConstants(p, solver.planar).gradientScale * dt * dt * cell)));
    }
    return scales;
}

std::vector<double> Solver::pressures() const {
    const View<const float> lambda = lambdaSums();
    CHECK_EQ(static_cast<size_t>(lambda.size), m_world.count());
    const std::vector<float> scale = pressureScales();
    std::vector<float> sums(m_world.count());
    m_world.exec.copyToHost(sums.data(), lambda.data, sums.size() * sizeof(float));
    const std::vector<uint32_t> phase = m_world.particles.phase.download();
    std::vector<double> pressure;
    for (size_t i = 0; i < sums.size(); ++i)
        pressure.push_back(-double{sums[i]} * scale[materialOf(phase[i])]);
    return pressure;
}

float Solver::cellSize() const {
    return Neighbors::cellSize(m_world, m_stages->device);
}

double Solver::bytesPerParticle() const {
    return m_world.count() == 0
               ? 0
               : static_cast<double>(m_world.exec.peakBytes()) / static_cast<double>(m_world.count());
}

}  // namespace coalesce
