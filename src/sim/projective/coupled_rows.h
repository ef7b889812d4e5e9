// Projective dynamics, rows that constraints of bodies, cloth and ropes couple: kernels of
// coupled_constraints.h and coupled_solve.h.
#pragma once

#include "core/mirror.h"
#include "kernels/projective/coupled_solve.h"
#include "sim/cloth/bending.h"
#include "sim/cloth/distance_constraints.h"
#include "sim/cloth/volume_constraints.h"
#include "sim/solid/shape_matching.h"
#include "sim/stage/linear_solve.h"
#include "sim/stage/step_context.h"

namespace coalesce {

// The stages that own the constraints.
struct BodyConstraints {
    ShapeMatching& bodies;
    DistanceConstraints& springs;
    DihedralBending& bending;
    VolumeConstraints& volumes;
};

// Stiffness k in [0, 1] and compliance α [m/N] of a constraint in a substep of dt [s].
Firmness firmnessOf(double stiffness, double compliance, double dt);

class CoupledRows : Stage {
public:
    using Stage::Stage;

    // Once per substep: adjacency, after a change of topology, and firmness of every kind of constraint.
    void prepare(const StepContext& step, const BodyConstraints& constraints);
    // Local step: projects all constraints and linearizes them at x*.
    void project(const StepContext& step, const BodyConstraints& constraints);
    // Global step. descent: −∇g dt²/m of inertia and density constraints, by slot; resistance: see
    // DensityRows; chebyshev: weight of the round; round: from 0.
    void solve(const StepContext& step, View<const Vec4> descent, View<const float> resistance,
               float chebyshev, int round);

    // The system of the last round, and its product q = A y for a vector by row.
    CoupledSystem system(World& world) const;
    void multiply(World& world, View<const Vec4> y, View<Vec4> q);
    // b and Δx of the last solve, by row [kg m], [m]. b only where the solver has not changed it: the
    // residual.
    View<const Vec4> solution() const { return m_linear.dx.view(); }

private:
    void plan(const World& world, const BodyConstraints& constraints);
    void planAssemblies(const std::vector<uint32_t>& assemblyOf);
    void startFromTranslations(World& world);
    void begin(const StepContext& step, bool bounded);
    void apply(World& world, View<const Vec4> y);
    void solveCg(const StepContext& step);
    void solveChebyshev(const StepContext& step, int iterations);

    // adjacency
    Buffer<uint32_t> m_edgeStart{exec}, m_bendStart{exec}, m_bendCorners{exec}, m_volumeOf{exec};
    Buffer<EdgeEnd> m_edgeEnds{exec};
    Buffer<uint32_t> m_assemblyOf{exec};  // by row: number of its connected component
    size_t m_assemblies = 0;
    Buffer<uint32_t> m_assemblyRows{exec}, m_firstAssemblyChunk{exec};
    Buffer<AssemblyChunk> m_assemblyChunks{exec};
    Buffer<AssemblySum> m_assemblySums{exec};
    Buffer<Vec4> m_translation{exec};
    uint64_t m_topology = 0;
    size_t m_plannedRows = 0;
    uint64_t m_plannedBends = 0;  // DihedralBending::revision

    // firmness: of springs by springParamsIndex, of bends and clusters by material
    Mirror<Firmness> m_springFirmness{exec}, m_bendFirmness{exec}, m_clusterFirmness{exec};
    Mirror<float> m_ownMoment{exec};

    // linearized constraints
    Buffer<EdgeBlock> m_edges{exec};
    View<const DihedralBend> m_bendsOf;
    Buffer<BendBlock> m_bends{exec};
    Buffer<ArmSums> m_arms{exec};
    Buffer<ClusterBlock> m_clusters{exec};
    Buffer<Vec4> m_volumeGradient{exec};
    Buffer<VolumeBlockSums> m_volumeSums{exec};
    Buffer<VolumeBlock> m_volumes{exec};
    View<const VolumeChunk> m_volumeChunks;
    View<const uint32_t> m_firstVolumeChunk;
    float m_rotationStiffness = 0;

    // products of the current direction
    Buffer<float> m_bendProducts{exec}, m_volumeChunkProducts{exec}, m_volumeProducts{exec};
    Buffer<ClusterMotion> m_motionSums{exec}, m_motion{exec}, m_residual{exec};

    // vectors by row
    Buffer<Vec4> m_x{exec};
    LinearSolve m_linear{exec};
    Buffer<Vec4> m_pull{exec}, m_y{exec}, m_lastY{exec}, m_lastX{exec};  // see PushRows
    Buffer<float> m_mass{exec};
};

}  // namespace coalesce
