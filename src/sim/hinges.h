// Dihedral bending of cloth: kernels of hinge.h over the edges between two triangles, for materials that ask
// for it.
#pragma once

#include "kernels/hinge.h"
#include "sim/device_world.h"

namespace coalesce {

// The inner edges of all cloth whose material bends by angles, with their angles at rest.
std::vector<Hinge> findHinges(std::span<const SheetTriangle> triangles, std::span<const Vec4> restPlace,
                              std::span<const Material> materials);

class Hinges {
public:
    explicit Hinges(Exec& exec)
        : m_hinges(exec), m_order(exec), m_hold(exec), m_lambda(exec) {}

    void prepare(World& world, float dt);
    // One iteration of a substep.
    void solve(World& world, DeviceWorld& device);

private:
    void plan(const World& world);

    Buffer<Hinge> m_hinges;
    Buffer<uint32_t> m_order;
    std::vector<uint32_t> m_colorEnd;
    Buffer<SpringHold> m_hold;  // by material
    std::vector<SpringHold> m_uploaded;
    Buffer<float> m_lambda;        // by hinge
    uint64_t m_topology = 0;       // for which the hinges are
    std::vector<bool> m_dihedral;  // by material, for which they are
};

}  // namespace coalesce
