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
        const auto index = uint32_t(first.size());
        first.push_back(uint32_t(chunks.size()));
        const uint32_t pieces =
            (std::max(body.triangles, body.rows) + kTrianglesPerChunk - 1) / kTrianglesPerChunk;
        for (uint32_t k = 0; k < pieces; ++k) {
            const auto bound = [&](uint32_t begin, uint32_t count, uint32_t at) {
                return begin + std::min(at * kTrianglesPerChunk, count);
            };
            chunks.push_back({index, bound(body.firstTriangle, body.triangles, k),
                              bound(body.firstTriangle, body.triangles, k + 1),
                              bound(body.firstRow, body.rows, k), bound(body.firstRow, body.rows, k + 1)});
        }
    }
    first.push_back(uint32_t(chunks.size()));
    m_chunks.upload(chunks);
    m_firstChunk.upload(first);
}

void VolumeConstraints::prepare(const StepContext& step) {
    World& world = step.world;
    SolidTables& solids = world.solids;
    m_any = false;
    if (solids.volumeConstraints.size() == 0) return;
    plan(world);
    std::vector<float> factors;
    for (const Material& material : world.materials) {
        factors.push_back(material.properties.pressure);
        m_any |= factors.back() > 0;
    }
    m_factor.set(std::move(factors));
    m_change.resize(solids.volumeConstraints.size());
    m_sums.resize(m_chunks.size());
    if (m_gradient.size() != 3 * solids.rows()) {
        m_gradient.resizeDiscard(3 * solids.rows());
        m_gradient.fillZero();
    }
    // a unit is 2^−34 of the smallest spacing squared; sums reach 2^28 of it
    m_perSquareMeter = std::exp2(std::ceil(34 - 2 * std::log2(step.device.summary.minSpacing)));
}

VolumeTables VolumeConstraints::tables(const StepContext& step) const {
    const SolidTables& solids = step.world.solids;
    return {solids.volumeConstraints.view(), m_chunks.view(), solids.triangles.view(), solids.slotOf.view(),
            step.device.xStar.view()};
}

FixedPointSums VolumeConstraints::findGradient(const StepContext& step) {
    const FixedPointSums gradient{m_gradient.view(), m_perSquareMeter};
    forEach(exec, "volume gradient", m_chunks.size(), ScatterVolumeGradient{tables(step), gradient});
    return gradient;
}

void VolumeConstraints::solve(const StepContext& step) {
    if (!m_any) return;
    SolidTables& solids = step.world.solids;
    DeviceWorld& device = step.device;
    const VolumeTables tables = this->tables(step);
    const FixedPointSums gradient = findGradient(step);
    const size_t chunks = m_chunks.size();
    forEach(exec, "sum volume", chunks, SumVolume{tables, gradient, m_sums.view()});
    forEach(
        exec, "pressure", solids.volumeConstraints.size(),
        SolveVolumeConstraint{tables, m_firstChunk.view(), m_factor.view(), m_sums.view(), m_change.view()});
    forEach(exec, "apply pressure", chunks,
            ApplyVolumeDeltas{m_chunks.view(), solids.slotOf.view(), m_change.view(), gradient,
                              device.xStar.view()});
}

}  // namespace coalesce
