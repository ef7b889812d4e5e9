#include "sim/surface/rope_tubes.h"

#include <unordered_map>

#include "core/for_each.h"

namespace coalesce {

namespace {

// A longer spring is drawn as a gap, not as a knot.
constexpr float kLongestTie = 4;  // spacings

bool isRope(const World& world, const SolidBody& body) {
    return world.materials[world.groups[body.group].material].properties.kind == MaterialKind::rope;
}

// By row of a rope end: the row of another body to which its shortest spring ties it.
std::unordered_map<uint32_t, uint32_t> ties(const World& world,
                                            const std::vector<DistanceConstraint>& springs) {
    struct End {
        uint32_t low, high;  // rows of the rope: low <= row < high
        float reach;         // [m]
    };
    std::unordered_map<uint32_t, End> ends;
    for (const SolidBody& body : world.bodies) {
        if (!isRope(world, body) || body.rows == 0) continue;
        const float spacing = world.materials[world.groups[body.group].material].properties.spacing;
        const End end{body.firstRow, body.firstRow + body.rows, kLongestTie * spacing};
        ends[end.low] = ends[end.high - 1] = end;
    }
    std::unordered_map<uint32_t, uint32_t> tiedTo;
    std::unordered_map<uint32_t, float> length;
    const auto offer = [&](uint32_t row, uint32_t other, const DistanceConstraint& spring) {
        const auto end = ends.find(row);
        if (end == ends.end() || spring.length > end->second.reach) return;
        if (other >= end->second.low && other < end->second.high) return;
        // two ropes tied together at their ends: one of the tubes bridges the gap
        if (other < row && ends.contains(other)) return;
        const auto [known, isNew] = length.try_emplace(row, spring.length);
        if (!isNew && known->second <= spring.length) return;
        known->second = spring.length, tiedTo[row] = other;
    };
    for (const DistanceConstraint& spring : springs) {
        if (spring.params & (kTether | kCut)) continue;
        offer(spring.a, spring.b, spring);
        offer(spring.b, spring.a, spring);
    }
    return tiedTo;
}

}  // namespace

void RopeTubes::plan(const World& world) {
    if (m_topology == world.solids.topology) return;
    m_topology = world.solids.topology;
    m_parts.clear();

    const std::vector<DistanceConstraint> springs = world.solids.springs.download();
    std::vector<uint32_t> isNext(world.solids.rows(), 0);  // by row: a spring connects it with the next row
    for (const DistanceConstraint& spring : springs) {
        if (spring.params & (kTether | kCut)) continue;
        if (spring.a + 1 == spring.b) isNext[spring.a] = 1;
        if (spring.b + 1 == spring.a) isNext[spring.b] = 1;
    }
    const std::unordered_map<uint32_t, uint32_t> tiedTo = ties(world, springs);

    std::vector<uint32_t> row, flags, start;
    for (size_t b = 0; b < world.bodies.size(); ++b) {
        const SolidBody& body = world.bodies[b];
        if (!isRope(world, body) || body.rows == 0) continue;
        const uint32_t first = uint32_t(row.size()), last = body.firstRow + body.rows - 1;
        start.push_back(first);
        const auto add = [&](uint32_t r, uint32_t flag) { row.push_back(r), flags.push_back(flag); };
        if (const auto tie = tiedTo.find(body.firstRow); tie != tiedTo.end())
            add(tie->second, kJoined | kForeign);
        for (uint32_t r = body.firstRow; r < last; ++r) add(r, isNext[r] ? kJoined : 0);
        const auto tie = tiedTo.find(last);
        const bool goesOn = tie != tiedTo.end() && body.rows > 1;
        add(last, goesOn ? kJoined : 0);
        if (goesOn) add(tie->second, kForeign);
        constexpr uint32_t perPoint = 3 * kRopeTriangles;
        m_parts.push_back({uint32_t(b), perPoint * first, perPoint * (uint32_t(row.size()) - first)});
    }
    start.push_back(uint32_t(row.size()));
    m_row.upload(row);
    m_flags.upload(flags);
    m_start.upload(start);
    const size_t rings = kRopeRings * row.size();
    for (Buffer<Vec4>* buffer : {&m_center, &m_across, &m_along}) buffer->resizeDiscard(rings);
    m_vertex.resizeDiscard(2 * kRopeCorners * rings);
    m_index.resizeDiscard(3 * kRopeTriangles * row.size());
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
    const RopePoints points{m_row.view(), m_flags.view(), slotOf, world.particles.x.view()};
    forEach(exec, "rope frames", m_parts.size(),
            ComputeRopeFrames{points, m_start.view(), m_radius.view(), m_center.view(), m_across.view(),
                              m_along.view()});
    forEach(exec, "rope vertices", m_vertex.size() / 2,
            ExtrudeRopes{m_center.view(), m_across.view(), m_along.view(), m_vertex.view()});
    forEach(exec, "rope triangles", m_index.size() / 3, WriteRopeTriangles{points, m_index.view()});
}

}  // namespace coalesce
