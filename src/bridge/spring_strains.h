// Springs of cloth and ropes in debug views: particles and lines by their strain.
#pragma once

#include "core/buffer.h"
#include "kernels/cloth/strain.h"
#include "sim/world/world.h"

namespace coalesce {

// Springs of stretch and shear; those across a bend and tethers are of another kind of length.
class SpringStrains {
public:
    explicit SpringStrains(Exec& exec)
        : m_shown(exec), m_start(exec), m_at(exec), m_largest(exec), m_batch(exec) {}

    // slotOf: of the world's particles as they are stored now
    void takeParticles(World& world, View<const uint32_t> slotOf, View<const GroupConstants> groups,
                       View<float> value);
    size_t count(const World& world);
    // A line along each, by the batch in which it is solved; gives the number of batches.
    uint32_t takeBatches(World& world, View<const uint32_t> slotOf, View<Vec4> line);
    // A line along each, in 2 count(world) elements; gives the largest strain either way [-].
    float takeLines(World& world, View<const uint32_t> slotOf, View<Vec4> line);

private:
    void plan(const World& world);

    uint64_t m_topology = 0;  // for which the tables were made
    Buffer<uint32_t> m_shown, m_start, m_at;
    Buffer<int32_t> m_largest;
    uint64_t m_batched = 0;  // topology for which batches are known
    uint32_t m_batches = 0;
    Buffer<uint32_t> m_batch;  // by spring
};

}  // namespace coalesce
