// Dihedral bending of cloth: kernels of dihedral_bend.h over the edges between two triangles, for materials
// that ask for it.
#pragma once

#include "kernels/cloth/dihedral_bend.h"
#include "sim/stage/device_world.h"

namespace coalesce {

// The inner edges of all cloth whose material bends by angles, with their angles at rest.
std::vector<DihedralBend> findDihedrals(std::span<const ClothTriangle> triangles,
                                        std::span<const Vec4> restPosition,
                                        std::span<const Material> materials);

class DihedralBending {
public:
    explicit DihedralBending(Exec& exec) : m_bends(exec), m_order(exec), m_params(exec), m_lambda(exec) {}

    void prepare(World& world, float dt);
    // One iteration of a substep.
    void solve(World& world, DeviceWorld& device);

private:
    void plan(const World& world);

    Buffer<DihedralBend> m_bends;
    Buffer<uint32_t> m_order;
    std::vector<uint32_t> m_colorEnd;
    Buffer<SpringHold> m_params;  // by material
    std::vector<SpringHold> m_uploaded;
    Buffer<float> m_lambda;        // by hinge
    uint64_t m_topology = 0;       // for which the hinges are
    std::vector<bool> m_dihedral;  // by material, for which they are
};

}  // namespace coalesce
