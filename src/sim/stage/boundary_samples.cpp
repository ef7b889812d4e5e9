#include "sim/stage/boundary_samples.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/for_each.h"
#include "kernels/fluid/boundary_particles.h"
#include "sim/stage/shape_surface.h"

namespace coalesce {

namespace {

constexpr double kMostCells = 0x1p22;  // of a shape

// Σ V_b / area of a flat layer of samples [m]: see boundary_particles.h.
float layerThickness(float apart, float support) {
    // the faces of a cube, without what its edges disturb
    Shape cube;
    cube.kind = ShapeKind::box;
    const float half = 3 * support, inner = half - support;
    cube.halfExtents = {half, half, half};
    const std::vector<Vec3> points = sampleShape(cube, apart);
    const Smoothing kernel = smoothing(support);
    double volume = 0;
    for (const Vec3& p : points) {
        const int onInner = (std::abs(p.x) < inner) + (std::abs(p.y) < inner) + (std::abs(p.z) < inner);
        if (onInner < 2) continue;
        double sum = 0;
        for (const Vec3& q : points) sum += double{spiky(kernel, dot(p - q, p - q)).weight};
        volume += 1 / sum;
    }
    return float(volume / (6 * 4 * double{inner} * inner));
}

}  // namespace

void BoundarySamples::clear() {
    m_sampled.clear();
    m_posed.clear();
    m_cells.resize(0);
    m_cellStart.resize(0);
    m_shapeOf.resize(0);
    m_samples.resize(0);
    m_volumes.resize(0);
}

void BoundarySamples::upload(const World& world, std::span<const MaterialConstants> materials) {
    const float apart = sampleDistance(world.parameters, world.materials);
    if (apart == 0) {
        if (!isEmpty()) clear();
        return;
    }
    float spacing = 0, support = 0, cell = 0;  // the finest liquid; the largest support
    for (const MaterialConstants& m : materials) {
        if (!m.fluid) continue;
        if (spacing == 0 || m.spacing < spacing) spacing = m.spacing, support = m.support;
        cell = std::max(cell, m.support);
    }
    if (apart != m_apart || support != m_support) {
        m_sampled.clear();
        m_thickness = layerThickness(apart, support);
    }
    std::vector<Sampled> sampled;
    for (const Shape& s : world.shapes)
        sampled.push_back(
            {isSampled(s), {s.kind, s.halfExtents, s.radius, s.halfLength, s.geometry, s.scale}, {}});
    const auto same = [](const Sampled& a, const Sampled& b) { return a.any == b.any && a.form == b.form; };
    const bool unchanged = cell == m_cell && std::equal(sampled.begin(), sampled.end(), m_sampled.begin(),
                                                        m_sampled.end(), same);
    if (unchanged && apart == m_apart) return;
    for (size_t s = 0; s < sampled.size(); ++s) {
        if (!sampled[s].any) continue;
        const auto known =
            std::ranges::find_if(m_sampled, [&](const Sampled& k) { return same(k, sampled[s]); });
        sampled[s].points = known != m_sampled.end() ? known->points : sampleShape(world.shapes[s], apart);
    }
    m_sampled = std::move(sampled);
    m_apart = apart, m_support = support, m_cell = cell;
    build();
}

void BoundarySamples::build() {
    std::vector<SampleCells> all;
    std::vector<uint32_t> cellStart, shapeOf;
    std::vector<Vec3> samples;
    for (const Sampled& shape : m_sampled) {
        const std::vector<Vec3>& points = shape.points;
        SampleCells cells{{}, 0, 0, 0, 0, uint32_t(cellStart.size())};
        if (points.empty()) {
            all.push_back(cells);
            continue;
        }
        Vec3 high = cells.low = points[0];
        for (const Vec3& p : points) cells.low = min(cells.low, p), high = max(high, p);
        const Vec3 size = high - cells.low;
        // half the largest support; larger where the box around the samples is mostly empty
        double cell = 0.5 * m_cell;
        while ((size.x / cell + 1) * (size.y / cell + 1) * (size.z / cell + 1) > kMostCells) cell *= 1.25;
        cells.inverseCell = float(1 / cell);
        const auto along = [&](float a) { return int32_t(a * cells.inverseCell); };
        cells.nx = along(size.x) + 1, cells.ny = along(size.y) + 1, cells.nz = along(size.z) + 1;
        const auto cellOf = [&](const Vec3& p) {
            const Vec3 at = p - cells.low;
            return (along(at.z) * cells.ny + along(at.y)) * cells.nx + along(at.x);
        };
        std::vector<std::pair<int32_t, uint32_t>> order;
        for (uint32_t k = 0; k < points.size(); ++k) order.push_back({cellOf(points[k]), k});
        std::ranges::sort(order);
        size_t next = 0;
        for (int32_t c = 0; c < cells.nx * cells.ny * cells.nz; ++c) {
            cellStart.push_back(uint32_t(samples.size()));
            for (; next < order.size() && order[next].first == c; ++next) {
                samples.push_back(points[order[next].second]);
                shapeOf.push_back(uint32_t(all.size()));
            }
        }
        all.push_back(cells);
    }
    cellStart.push_back(uint32_t(samples.size()));
    m_cells.upload(all);
    m_cellStart.upload(cellStart);
    m_shapeOf.upload(shapeOf);
    m_samples.upload(samples);
    m_volumes.resizeDiscard(samples.size());
    m_posed.clear();
}

void BoundarySamples::findVolumes(const ShapesOnDevice& shapes, int substep) {
    if (isEmpty()) return;
    const std::span<const ShapeState> states = shapes.statesOf(substep);
    std::vector<ShapeState> posed(states.begin(), states.end());
    for (size_t s = 0; s < posed.size(); ++s) {
        std::memcpy(static_cast<void*>(&posed[s]), &states[s], sizeof(ShapeState));  // padding too
        posed[s].previous = posed[s].present;
    }
    const bool moved = posed.size() != m_posed.size() ||
                       std::memcmp(posed.data(), m_posed.data(), posed.size() * sizeof(ShapeState)) != 0;
    if (!moved && !shapes.anyDeforms()) return;
    m_posed = std::move(posed);
    const auto find = [&]<bool Forms>() {
        forEach(exec, "boundary volumes", m_samples.size(),
                FindSampleVolumes<Forms>{.tables = tables(),
                                         .shapeOf = m_shapeOf.view(),
                                         .shapes = shapes.of(substep),
                                         .support = m_support,
                                         .tolerance = 0.5f * m_apart,
                                         .volumes = m_volumes.view()});
    };
    if (shapes.hasForms())
        find.template operator()<true>();
    else
        find.template operator()<false>();
}

}  // namespace coalesce
