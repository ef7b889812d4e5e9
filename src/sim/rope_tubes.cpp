#include "sim/rope_tubes.h"

#include "core/for_each.h"

namespace coalesce {

void RopeTubes::plan(const World& world) {
    if (m_topology == world.solids.topology) return;
    m_topology = world.solids.topology;
    m_parts.clear();

    std::vector<uint32_t> row, start;
    std::vector<uint32_t> isNext(world.solids.rows(), 0);  // by row: a spring joins it to the one after
    for (const Spring& spring : world.solids.springs.download()) {
        if (spring.hold & (kTether | kCut)) continue;
        if (spring.a + 1 == spring.b) isNext[spring.a] = 1;
        if (spring.b + 1 == spring.a) isNext[spring.b] = 1;
    }
    std::vector<uint32_t> joined;
    for (size_t b = 0; b < world.bodies.size(); ++b) {
        const SolidBody& body = world.bodies[b];
        const Material& material = world.materials[world.groups[body.group].material];
        if (material.properties.kind != MaterialKind::rope) continue;
        start.push_back(static_cast<uint32_t>(row.size()));
        constexpr uint32_t perPoint = 3 * kRopeTriangles;
        m_parts.push_back({static_cast<uint32_t>(b), perPoint * start.back(), perPoint * body.rows});
        for (uint32_t k = 0; k < body.rows; ++k) {
            row.push_back(body.firstRow + k);
            joined.push_back(k + 1 < body.rows ? isNext[body.firstRow + k] : 0);
        }
    }
    start.push_back(static_cast<uint32_t>(row.size()));
    m_row.upload(row);
    m_joined.upload(joined);
    m_start.upload(start);
    const size_t rings = kRopeRings * row.size();
    for (Buffer<Vec4>* buffer : {&m_center, &m_across, &m_along}) buffer->renew(rings);
    m_vertex.renew(2 * kRopeCorners * rings);
    m_index.renew(3 * kRopeTriangles * row.size());
}

void RopeTubes::update(World& world, View<const uint32_t> slotOf) {
    plan(world);
    if (m_parts.empty()) return;
    std::vector<float> radius;
    for (const Part& part : m_parts) {
        const Group& group = world.groups[world.bodies[part.body].group];
        radius.push_back(0.5f * world.materials[group.material].properties.spacing);
    }
    m_radius.upload(radius);
    const RopePoints points{m_row.view(), m_joined.view(), slotOf, world.particles.x.view()};
    forEach(world.exec, "frame ropes", static_cast<int64_t>(m_parts.size()),
            FrameRopes{points, m_start.view(), m_radius.view(), m_center.view(), m_across.view(),
                       m_along.view()});
    forEach(world.exec, "extrude ropes", static_cast<int64_t>(m_vertex.size() / 2),
            ExtrudeRopes{m_center.view(), m_across.view(), m_along.view(), m_vertex.view()});
    forEach(world.exec, "take rope triangles", static_cast<int64_t>(m_index.size() / 3),
            TakeRopeTriangles{points, m_index.view()});
}

}  // namespace coalesce
