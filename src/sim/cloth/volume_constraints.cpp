#include "sim/cloth/volume_constraints.h"

#include <algorithm>
#include <cmath>

#include "core/for_each.h"

namespace coalesce {

namespace {

constexpr uint32_t kTrianglesPerChunk = 64;  // triangles, and about half as many rows

}  // namespace

void VolumeConstraints::plan(const World& world) {
    if (m_topology == world.solids.topology) return;
    m_topology = world.solids.topology;
    std::vector<VolumeChunk> chunks;
    std::vector<uint32_t> first;
    for (const VolumeConstraint& body : world.solids.volumeConstraints.download()) {
        const auto index = static_cast<uint32_t>(first.size());
        first.push_back(static_cast<uint32_t>(chunks.size()));
        const uint32_t pieces =
            (std::max(body.triangles, body.rows) + kTrianglesPerChunk - 1) / kTrianglesPerChunk;
        for (uint32_t k = 0; k < pieces; ++k) {
            const auto part = [&](uint32_t begin, uint32_t count, uint32_t at) {
                return begin + std::min(at * kTrianglesPerChunk, count);
            };
            chunks.push_back({index, part(body.firstTriangle, body.triangles, k),
                              part(body.firstTriangle, body.triangles, k + 1),
                              part(body.firstRow, body.rows, k), part(body.firstRow, body.rows, k + 1)});
        }
    }
    first.push_back(static_cast<uint32_t>(chunks.size()));
    m_chunks.upload(chunks);
    m_firstChunk.upload(first);
}

void VolumeConstraints::prepare(World& world, DeviceWorld& device) {
    SolidTables& solids = world.solids;
    m_any = false;
    if (solids.volumeConstraints.size() == 0) return;
    plan(world);
    std::vector<float> factors;
    for (const Material& material : world.materials) {
        factors.push_back(material.properties.pressure);
        m_any |= factors.back() > 0;
    }
    // an upload waits for the device
    if (factors != m_uploaded) m_factor.upload(factors), m_uploaded = factors;
    m_change.resize(solids.volumeConstraints.size());
    m_sums.resize(m_chunks.size());
    if (m_gradient.size() != 3 * solids.rows()) {
        m_gradient.resizeDiscard(3 * solids.rows());
        m_gradient.fillZero();
    }
    // 2^-34 of the smallest spacing squared, and still room for 2^28 of it
    m_perSquareMeter = std::exp2(std::ceil(34 - 2 * std::log2(device.leastSpacing)));
}

void VolumeConstraints::solve(World& world, DeviceWorld& device) {
    if (!m_any) return;
    SolidTables& solids = world.solids;
    const VolumeTables tables{solids.volumeConstraints.view(), m_chunks.view(), solids.triangles.view(),
                              solids.slotOf.view(), device.xStar.view()};
    const FixedPointSums gradient{m_gradient.view(), m_perSquareMeter};
    const auto chunks = static_cast<int64_t>(m_chunks.size());
    forEach(world.exec, "volume gradient", chunks, ScatterVolumeGradient{tables, gradient});
    forEach(world.exec, "sum volume", chunks, SumVolume{tables, gradient, m_sums.view()});
    forEach(world.exec, "find pressure", static_cast<int64_t>(solids.volumeConstraints.size()),
            FindPressure{tables, m_firstChunk.view(), m_factor.view(), m_sums.view(), m_change.view()});
    forEach(
        world.exec, "apply pressure", chunks,
        ApplyPressure{m_chunks.view(), solids.slotOf.view(), m_change.view(), gradient, device.xStar.view()});
}

}  // namespace coalesce
