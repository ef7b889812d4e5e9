#include "bridge/spring_strains.h"

#include "core/for_each.h"
#include "kernels/draw/debug_line.h"
#include "sim/cloth/distance_constraints.h"
#include "sim/world/cloth_mesh.h"

namespace coalesce {

void SpringStrains::plan(const World& world) {
    if (m_topology == world.solids.topology && m_start.size() == world.solids.rows() + 1) return;
    m_topology = world.solids.topology;
    const std::vector<DistanceConstraint> springs = world.solids.springs.download();
    std::vector<uint32_t> shown, start(world.solids.rows() + 1, 0);
    for (size_t s = 0; s < springs.size(); ++s) {
        const auto kind = static_cast<ClothEdgeKind>(springParamsIndex(springs[s]) % kClothEdgeKinds);
        if ((springs[s].params & kCut) || (kind != ClothEdgeKind::stretch && kind != ClothEdgeKind::shear))
            continue;
        shown.push_back(uint32_t(s));
        ++start[springs[s].a + 1], ++start[springs[s].b + 1];
    }
    for (size_t r = 0; r + 1 < start.size(); ++r) start[r + 1] += start[r];
    std::vector<uint32_t> at(2 * shown.size()), next(start.begin(), start.end() - 1);
    for (const uint32_t s : shown)
        for (const uint32_t row : {springs[s].a, springs[s].b}) at[next[row]++] = s;
    m_shown.upload(shown);
    m_start.upload(start);
    m_at.upload(at);
}

void SpringStrains::takeParticles(World& world, View<const uint32_t> slotOf,
                                  View<const GroupConstants> groups, View<float> value) {
    plan(world);
    const ParticleArrays& p = world.particles;
    forEach(world.exec, "write strain", int64_t(world.count()),
            WriteStrain{{world.solids.springs.view(), slotOf, p.x.view()},
                        m_start.view(),
                        m_at.view(),
                        p.id.view(),
                        p.phase.view(),
                        groups,
                        value});
}

size_t SpringStrains::count(const World& world) {
    plan(world);
    return m_shown.size();
}

uint32_t SpringStrains::takeBatches(World& world, View<const uint32_t> slotOf, View<Vec4> line) {
    plan(world);
    CHECK_EQ(line.size, 2 * m_shown.size());
    if (m_batched != m_topology || m_batch.size() != world.solids.springs.size()) {
        m_batched = m_topology;
        const std::vector<DistanceConstraint> springs = world.solids.springs.download();
        const Coloring colors = colorSprings(springs, world.solids.rows());
        m_batch.upload(colors.colorOf);
        m_batches = colors.colors;
    }
    forEach(world.exec, "write batch lines", int64_t(m_shown.size()),
            WriteBatchLines{{world.solids.springs.view(), slotOf, world.particles.x.view()},
                            m_shown.view(),
                            m_batch.view(),
                            line});
    return m_batches;
}

float SpringStrains::takeLines(World& world, View<const uint32_t> slotOf, View<Vec4> line) {
    plan(world);
    CHECK_EQ(line.size, 2 * m_shown.size());
    const int32_t nothing = 0;  // bits of 0.0f
    m_largest.upload({&nothing, 1});
    forEach(world.exec, "write spring lines", int64_t(m_shown.size()),
            WriteSpringLines{{world.solids.springs.view(), slotOf, world.particles.x.view()},
                             m_shown.view(),
                             line,
                             m_largest.view()});
    return asFloat(orderedBits(m_largest.download()[0]));
}

}  // namespace coalesce
