// Springs of cloth and ropes in debug views: strain of particles and lines.
#pragma once

#include "core/buffer.h"
#include "kernels/cloth/strain.h"
#include "sim/world/world.h"

namespace coalesce {

// Stretch and shear springs only: rest lengths of bending springs and long-range attachments are of another
// kind.
class SpringStrains {
public:
    explicit SpringStrains(Exec& exec)
        : m_shown(exec), m_start(exec), m_at(exec), m_largest(exec), m_batch(exec) {}

    // slotOf: slot of each row of the solid bodies
    void takeParticles(World& world, View<const uint32_t> slotOf, View<const GroupConstants> groups,
                       View<float> value);
    size_t count(const World& world);
    // Writes a line along each spring, valued by its batch; returns the number of batches.
    uint32_t takeBatches(World& world, View<const uint32_t> slotOf, View<Vec4> line);
    // Writes a line along each spring, 2 count(world) elements; returns the largest absolute strain [-].
    float takeLines(World& world, View<const uint32_t> slotOf, View<Vec4> line);

private:
    void plan(const World& world);

    uint64_t m_topology = 0;  // of which the tables were built
    Buffer<uint32_t> m_shown, m_start, m_at;
    Buffer<int32_t> m_largest;
    uint64_t m_batched = 0;  // topology of which the batches are known
    uint32_t m_batches = 0;
    Buffer<uint32_t> m_batch;  // by spring
};

}  // namespace coalesce
