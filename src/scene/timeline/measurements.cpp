#include "scene/timeline/measurements.h"

#include <algorithm>
#include <cmath>

#include "sim/world/shapes.h"

namespace coalesce {

namespace {

// Sums of a million particles at 10^7 m do not overflow, and one particle is exact to 4 µm.
constexpr double kQuantum = 0x1p-18;  // [m], [m/s]

}  // namespace

const Measurements::Sums& Measurements::sumsOf(const std::string& name) {
    if (const auto found = m_sums.find(name); found != m_sums.end()) return found->second;
    Sums& sums = m_sums[name];
    for (const Shape& shape : m_world.shapes) {
        if (shape.name != name) continue;
        const Vec3 p = poseAt(shape, m_world.time).position, v = shape.velocity;
        sums = {
            1, {double(p.x), double(p.y), double(p.z)}, {double(v.x), double(v.y), double(v.z)}, double(p.y)};
        return sums;
    }
    const auto group = m_names.find(name);
    if (!group) return sums;
    if (!m_downloaded) {
        m_x = m_world.particles.x.download(), m_v = m_world.particles.v.download();
        m_phase = m_world.particles.phase.download();
        m_downloaded = true;
    }
    int64_t count = 0, x[3]{}, v[3]{};
    for (size_t i = 0; i < m_x.size(); ++i) {
        if (!group->has(m_phase[i])) continue;
        const float position[3] = {m_x[i].x, m_x[i].y, m_x[i].z},
                    velocity[3] = {m_v[i].x, m_v[i].y, m_v[i].z};
        for (int c = 0; c < 3; ++c) {
            x[c] += std::llround(double(position[c]) / kQuantum);
            v[c] += std::llround(double(velocity[c]) / kQuantum);
        }
        sums.top = count == 0 ? double(position[1]) : std::max(sums.top, double(position[1]));
        ++count;
    }
    sums.count = double(count);
    for (int c = 0; c < 3 && count > 0; ++c) {
        sums.center[c] = kQuantum * (double(x[c]) / sums.count);
        sums.velocity[c] = kQuantum * (double(v[c]) / sums.count);
    }
    return sums;
}

std::optional<Vec3d> Measurements::centerOf(const std::string& name) {
    const Sums& sums = sumsOf(name);
    if (sums.count == 0) return {};
    return sums.center;
}

double Measurements::valueOf(const MeasureCall& call) {
    const Sums& sums = sumsOf(call.of);
    switch (call.measure) {
        case Measure::x:
            return sums.center[0];
        case Measure::y:
            return sums.center[1];
        case Measure::z:
            return sums.center[2];
        case Measure::speed:
            return std::sqrt(sums.velocity[0] * sums.velocity[0] + sums.velocity[1] * sums.velocity[1] +
                             sums.velocity[2] * sums.velocity[2]);
        case Measure::top:
            return sums.top;
        case Measure::count:
            return sums.count;
    }
    return 0;
}

}  // namespace coalesce
