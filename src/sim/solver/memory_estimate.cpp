#include "sim/solver/memory_estimate.h"

#include <algorithm>

namespace coalesce {

namespace {

// What the stages of one method need beyond those of the method position.
void addMethod(SolverMemory& m, size_t n, double rows, bool liquids, bool solids,
               const Parameters& parameters) {
    switch (parameters.solver.method) {
        case Method::position:
            m.scratch += n * sizeof(Vec4);  // rounding errors of x*
            break;
        case Method::projective:
            // s and x* before contacts; steps, last positions, resistance and weights of liquids
            m.scratch += n * 2 * sizeof(Vec4) + (liquids ? n * (2 * sizeof(Vec4) + 12) : 0);
            // vectors, masses, scales and products by row, its assembly; linearized constraints
            m.scratch += size_t(rows * ((liquids ? 9 : 6) * sizeof(Vec4) + 20 + 6 * 40));
            break;
        case Method::velocity:
            // velocities and positions before constraints; impulses of liquids with their setup and changes
            m.scratch += n * 2 * sizeof(Vec4) + (liquids ? n * (2 * sizeof(Vec4) + 12) : 0);
            if (!solids) break;
            // new velocities, counts, restitution; mass matrices of rigid bodies, paths beside round ones
            m.scratch += n * (sizeof(Vec4) + 8) + (rows > 0 ? n * 3 * sizeof(Vec4) : 0);
            // an impulse of four numbers per pair
            m.lists += n * 4 * sizeof(float) * size_t(parameters.neighbors.pairCapacity);
            break;
    }
}

}  // namespace

SolverMemory estimateMemory(std::span<const size_t> particles, const Parameters& parameters,
                            std::span<const Material> materials) {
    size_t n = 0;
    bool liquids = false, solids = false, tense = false, sticky = false, strained = false, soft = false;
    double rows = 0, members = 0, sprung = 0;
    for (size_t k = 0; k < particles.size(); ++k) {
        n += particles[k];
        const MaterialProperties& m = materials[k].properties;
        (isFluid(m) ? liquids : solids) |= particles[k] > 0;
        tense |= particles[k] > 0 && m.surfaceTension > 0, sticky |= particles[k] > 0 && m.adhesion > 0;
        strained |= particles[k] > 0 && isFluid(m) && m.strainViscosity > 0;
        const auto count = double(particles[k]);
        const bool cloth = m.kind == MaterialKind::cloth;
        // a spare row for each vertex of cloth
        if (isShapeMatched(m) || isSprung(m)) rows += cloth ? 2 * count : count;
        // springs with λ and the order of colors, six per particle of cloth and two of ropes; two triangles;
        // sums of springs, shares and attached shapes by row
        if (isSprung(m))
            sprung += count * ((cloth ? 6 : 2) * (2 * sizeof(DistanceConstraint) + 8) +
                               (cloth ? 4 * sizeof(ClothTriangle) + 2 * 32 : 32));
        if (!isShapeMatched(m)) continue;
        // clusters one cluster spacing apart, each of the cluster radius; smaller at the surface of a body
        const double reach = m.clusterRadius / m.clusterSpacing;
        const double overlap = m.kind == MaterialKind::rigid ? 1 : std::max(1.0, 4.2 * reach * reach * reach);
        members += count * overlap;
        soft |= particles[k] > 0 && (m.kind != MaterialKind::rigid || m.compliance > 0 || m.stiffness < 1);
    }
    SolverMemory m;
    // tables of rows; tables of members with the sums of their chunks; those of solids.def twice
    m.state = 2 * n * World::stateBytesPerParticle() +
              size_t(rows * (4 * sizeof(Vec4) + 8) + members * (2 * sizeof(Vec4) + 12) + sprung);
    // x*, walls, x* with λ, the arrays to reorder into; sorting; cells; contacts with shapes
    m.scratch = n * (4 * sizeof(Vec4) + World::stateBytesPerParticle() +
                     2 * (sizeof(uint64_t) + sizeof(uint32_t)) + 28 + 18 + 16);
    // materials, strengths and normals of the surface tension; strengths of the adhesion
    if (tense) m.scratch += n * (sizeof(float) + 2 * sizeof(Vec4));
    if (sticky) m.scratch += n * sizeof(Vec4);
    // vectors, scales, products and viscosities of the linear solve
    if (strained) m.scratch += n * (4 * sizeof(Vec4) + 2 * sizeof(float) + sizeof(double));
    if (liquids) m.lists += n * sizeof(int) * (size_t(parameters.neighbors.capacity) + 1);
    if (solids) {
        m.lists += n * sizeof(int) * (size_t(parameters.neighbors.pairCapacity) + 1);
        // contact traits, new x*, predicted velocities, restitution; with bodies: SDFs, positions before
        // contacts, mass scales
        m.scratch += n * (4 * sizeof(Vec4) + 8) + (rows > 0 ? n * (2 * sizeof(Vec4) + 8) : 0);
        // slip of static friction with its backup, reordering, and what carries a particle
        if (remembersSlip(parameters)) m.state += 2 * n * sizeof(Vec4), m.scratch += 3 * n * sizeof(Vec4);
        // sums of chunks of sixteen members or more, and λ
        m.scratch += size_t(members * (16 + (soft ? sizeof(Vec4) : 0)));
    }
    addMethod(m, n, rows, liquids, solids, parameters);
    return m;
}

}  // namespace coalesce
