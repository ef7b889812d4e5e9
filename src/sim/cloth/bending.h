// Dihedral bending of cloth: kernels of dihedral_bend.h over the edges between two triangles, for materials
// with dihedral bending.
#pragma once

#include "core/mirror.h"
#include "kernels/cloth/dihedral_bend.h"
#include "sim/stage/colored_constraints.h"

namespace coalesce {

// The inner edges of all cloth with dihedral bending, with their rest angles.
std::vector<DihedralBend> findDihedrals(std::span<const ClothTriangle> triangles,
                                        std::span<const Vec4> restPosition,
                                        std::span<const Material> materials);

class DihedralBending : Stage {
public:
    using Stage::Stage;

    // Once per substep: stiffnesses; λ starts at 0.
    void prepare(const StepContext& step);
    // One iteration.
    void solve(const StepContext& step);

    // The constraints that prepare() found, and how often it has rebuilt them.
    View<const DihedralBend> bends() const { return m_bends.view(); }
    uint64_t revision() const { return m_revision; }

private:
    void plan(const World& world);

    Buffer<DihedralBend> m_bends{exec};
    ColoredConstraints m_colored{exec};
    Mirror<SpringParams> m_params{exec};  // by material
    Buffer<float> m_lambda{exec};         // by bend
    uint64_t m_revision = 0;
    // of which the bends were found
    uint64_t m_topology = 0;
    std::vector<bool> m_dihedral;  // by material
};

}  // namespace coalesce
