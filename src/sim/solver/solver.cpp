#include "sim/solver/solver.h"

#include <algorithm>

#include "core/error.h"
#include "sim/solver/capacity.h"
#include "sim/solver/frame_setup.h"
#include "sim/solver/position.h"
#include "sim/solver/projective.h"
#include "sim/solver/stages.h"
#include "sim/solver/velocity.h"
#include "sim/stage/kinematics.h"
#include "sim/stage/row_index.h"
#include "sim/world/time_step.h"

namespace coalesce {

namespace {

// One substep of the method of the world; each method has a file of its own.
void solveSubstep(Stages& stages, const StepContext& step) {
    switch (step.world.parameters.solver.method) {
        case Method::position:
            return substepPosition(stages, step);
        case Method::projective:
            return substepProjective(stages, step);
        case Method::velocity:
            return substepVelocity(stages, step);
    }
}

ConvergenceReport convergenceOf(const StatusBlock& s) {
    ConvergenceReport report{true,
                             double{s.densityErrorMean},
                             double{s.densityErrorMax},
                             s.objectiveRounds,
                             double{s.objectiveFirst},
                             double{s.objectiveLast},
                             {}};
    if (s.objectiveRise > -kNoRise) report.objectiveRise = double{s.objectiveRise};
    return report;
}

// Whether anything needs the slots of rows before the particles are reordered in a substep: air, anchors, grabs.
bool readsRowsFirst(const World& world) {
    const SolidTables& solids = world.solids;
    return solids.triangles.size() > 0 || solids.anchors.size() > 0 ||
           (!world.mouseConstraints.empty() && !world.bodies.empty());
}

}  // namespace

Solver::Solver(World& world) : m_world(world), m_stages(std::make_unique<Stages>(world.exec)) {}
Solver::~Solver() = default;

Status Solver::step() {
    Stages& stages = *m_stages;
    const bool cfl = m_world.parameters.solver.timeStep == TimeStep::cfl;
    const double frame = frameLength(m_world.parameters.solver);  // [s]
    Status status;
    m_world.exec.beginFrame();

    // kinematic shapes: move to the targets of commands
    KinematicMoves moves(m_world, frame);
    stages.deformingShapes.beginFrame(m_world, frame);

    // spawn and remove particles
    stages.spawner.run(m_world);
    status.ballsBlocked = stages.spawner.ballsBlocked();
    status.jetsBlocked = stages.spawner.jetsBlocked();

    stages.splashes.clearFormer(m_world);

    // choose the substeps; what follows may redo the frame, and does not change them
    if (cfl && m_world.crossingTime < 0) m_world.crossingTime = measureCrossingTime(m_world);
    const SubstepPlan plan = planSubsteps(m_world);
    status.substeps = plan.substeps;
    status.substepsNeeded = cfl ? plan.needed : plan.substeps;

    // solve the substeps; on failure the world is as before them
    beginFrame(m_world, stages.device, plan.dt, plan.substeps);
    keepSlip(m_world, stages.device);
    stages.passive.beginFrame(m_world, stages.device);
    stages.backup.save(m_world);
    const std::vector<MouseConstraint> constraintsBefore = m_world.mouseConstraints;
    try {
        solveFrame(plan.dt, status);
    } catch (...) {
        // policy fail, out of memory, an invalid command, or a device that has failed
        m_world.mouseConstraints = constraintsBefore;
        m_world.commands.clear();
        try {
            stages.backup.restore(m_world);
        } catch (const Error&) {
            // the device has failed: the first error says where
        }
        throw;
    }

    // end the frame
    stages.passive.commit(m_world);
    MouseConstraints::endFrame(m_world);
    stages.device.shapes.report(m_world);
    const StatusBlock& counted = status.worst;
    m_world.globalStep = counted.globalStep;
    m_world.strainViscosity = counted.strainViscosity;
    if (counted.strainViscosity.residual > 1.001f * m_world.parameters.fluid.strainTolerance)
        status.strainResidual = counted.strainViscosity.residual;
    m_world.convergence = m_world.watchConvergence ? convergenceOf(counted) : ConvergenceReport{};
    m_world.step += uint64_t(plan.substeps);
    m_world.substeps = uint32_t(plan.substeps);
    m_world.method = uint32_t(m_world.parameters.solver.method);
    m_world.crossingTime = cfl ? std::min(counted.crossingTime, kNeverCrosses) : kUnknownCrossingTime;
    m_world.frame += 1;
    m_world.time += frame;
    moves.finish();
    m_world.exec.endFrame();
    return status;
}

void Solver::solveFrame(double dt, Status& status) {
    Stages& stages = *m_stages;
    DeviceWorld& device = stages.device;
    StepContext step{m_world, device, stages.neighbors, 0, float(dt), status.substeps};

    stages.mouse.beginFrame(m_world);
    Exec::Batch batch(m_world.exec);
    for (;;) {
        if (readsRowsFirst(m_world)) indexRows(m_world, device);
        for (step.substep = 0; step.substep < step.substeps; ++step.substep) {
            solveSubstep(stages, step);
            batch.flush();
        }
        stages.tearing.findTears(step);
        stages.integration.findCrossingTime(step);
        stages.densityError.find(step);

        // read the status back, once per frame; if a list was too small, enlarge it and redo the frame
        status.worst = readStatus(m_world, device);
        if (!growCapacities(m_world, device, status)) break;
        stages.backup.restore(m_world);
        clearStatus(device);
        status.redone += 1;
    }
    step.substep = step.substeps - 1;
    stages.passive.advance(step, stages.density, PassiveMotion::Reaction::applied);
    stages.tearing.updateTopology(m_world, status.worst.torn > 0);
    batch.submit();
}

NeighborLists Solver::neighborLists() const {
    return m_stages->device.summary.hasFluid ? m_stages->neighbors.lists() : m_stages->neighbors.pairs();
}

NeighborLists Solver::contactLists() const {
    return m_stages->neighbors.pairs();
}

Contacts Solver::shapeContacts() const {
    // of the solved frame: the parameter may have changed since
    const DeviceWorld& device = m_stages->device;
    return m_stages->shapeContacts.view(device, device.shapes.substeps() - 1);
}

void Solver::findNeighbors() {
    DeviceWorld& device = m_stages->device;
    const StepContext step{m_world, device, m_stages->neighbors, 0, 0};
    beginFrame(m_world, device, 0, step.substeps);
    findNeighbors(step);
}

void Solver::findNeighbors(const StepContext& step) {
    DeviceWorld& device = m_stages->device;
    for (;;) {
        device.xStar.copyFrom(m_world.particles.x);
        m_stages->neighbors.build(step);
        device.ballRadius.resize(0);  // those of the last substep are in another order
        m_stages->shapeContacts.find(step);
        Status status;
        status.worst = readStatus(m_world, device);
        if (!growCapacities(m_world, device, status)) break;
        clearStatus(device);
    }
}

void Solver::beginPassives() {
    Stages& stages = *m_stages;
    stages.device.groups.set(groupConstants(m_world));
    stages.passive.beginFrame(m_world, stages.device);
    m_passivesFrom = m_world.time;
}

void Solver::advancePassives() {
    if (m_world.frame == 0) return;
    Stages& stages = *m_stages;
    const double end = m_world.time;
    const int substeps = substepsOf(m_world);
    const double dt = substepLength(m_world.parameters.solver, substeps);
    // random numbers and moved shapes are those of the frame that ends now
    m_world.frame -= 1;
    m_world.time = m_passivesFrom.value_or(end - frameLength(m_world.parameters.solver));
    m_passivesFrom.reset();
    const auto backToEnd = [&] { m_world.frame += 1, m_world.time = end; };
    try {
        stages.deformingShapes.beginFrame(m_world, frameLength(m_world.parameters.solver));
        beginFrame(m_world, stages.device, dt, substeps);
        planKeys(m_world, stages.device);
        const StepContext step{m_world, stages.device, stages.neighbors, substeps - 1, float(dt), substeps};
        stages.density.gatherTraits(step);
        stages.passive.advance(step, stages.density, PassiveMotion::Reaction::none);
        stages.passive.commit(m_world);
    } catch (...) {
        backToEnd();
        throw;
    }
    backToEnd();
}

void Solver::stateReplaced() {
    m_stages->neighbors.clear();
}

void Solver::watchPressure(bool on) {
    m_stages->density.watchLambda(on);
}
bool Solver::watchesPressure() const {
    return m_stages->density.watchesLambda();
}

View<const float> Solver::lambdaSums() const {
    return m_stages->density.lambdaSums();
}

std::vector<float> Solver::pressureScales() const {
    const Parameters::Solver& solver = m_world.parameters.solver;
    const double dt = frameLength(solver) / substepsOf(m_world);
    std::vector<float> scales;
    for (const Material& material : m_world.materials) {
        const MaterialProperties& p = material.properties;
        const double cell = double{particleMass(p, solver.planar)} / p.density;
        scales.push_back(float(1 / (materialConstants(p, solver.planar).gradientScale * dt * dt * cell)));
    }
    return scales;
}

float Solver::cellSize() const {
    return Neighbors::cellSize(m_world, m_stages->device.summary);
}

double Solver::bytesPerParticle() const {
    return m_world.count() == 0 ? 0 : double(m_world.exec.peakBytes()) / double(m_world.count());
}

}  // namespace coalesce
