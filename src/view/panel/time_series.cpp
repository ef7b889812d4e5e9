#include "view/panel/time_series.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "sim/world/time_step.h"

namespace coalesce {

SeriesSample sampleOf(const World& world, const Status& status) {
    const std::vector<Vec4> x = world.particles.x.download(), v = world.particles.v.download();
    const std::vector<uint32_t> phase = world.particles.phase.download();
    const Vec3 gravity = world.parameters.world.gravity;
    double kinetic = 0, potential = 0, fastest = 0, compression = 0;
    size_t liquid = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        const MaterialProperties& m = world.materials[materialOf(phase[i])].properties;
        const Vec3 velocity = xyz(v[i]);
        const double square = dot(velocity, velocity);
        fastest = std::max(fastest, square);
        // w of a position is the inverse mass [1/kg], that of a velocity of a liquid its volume fraction
        if (m.kind == MaterialKind::fluid) compression += std::max(0.0, double{v[i].w} - 1), ++liquid;
        if (x[i].w == 0) continue;
        const double mass = 1 / double{x[i].w};
        kinetic += 0.5 * mass * square;
        potential -= mass * double{m.gravityScale} * dot(gravity, xyz(x[i]));
    }
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const LinearCounts& solver = world.globalStep;
    return {.frame = world.frame,
            .time = world.time,
            .value = {kinetic + potential, double(x.size()), kinetic, potential,
                      liquid && world.frame > 0 ? 100 * compression / double(liquid) : kNone,
                      std::sqrt(fastest), solver.residuals ? double{solver.residual} : kNone,
                      status.substeps ? double(status.substeps) : kNone}};
}

bool TimeSeries::wants(uint64_t frame) const {
    return m_samples.empty() || frame <= m_samples.back().frame || frame >= m_samples.back().frame + m_stride;
}

void TimeSeries::add(const SeriesSample& sample) {
    while (!m_samples.empty() && m_samples.back().frame >= sample.frame) m_samples.pop_back();
    if (!wants(sample.frame)) return;
    m_samples.push_back(sample);
    if (m_samples.size() <= kMost) return;
    size_t kept = 0;
    for (size_t k = 0; k < m_samples.size(); k += 2) m_samples[kept++] = m_samples[k];
    m_samples.resize(kept);
    m_stride *= 2;
}

void TimeSeries::clear() {
    m_samples.clear();
    m_stride = 1;
}

std::string TimeSeries::csv() const {
    std::array<bool, kSeriesCount> shown{};
    for (const SeriesSample& s : m_samples)
        for (size_t k = 0; k < kSeriesCount; ++k) shown[k] |= !std::isnan(s.value[k]);
    std::string text = "time [s]";
    for (size_t k = 0; k < kSeriesCount; ++k)
        if (shown[k])
            text += fmt::format(",{}{}", kSeries[k].label,
                                *kSeries[k].unit ? fmt::format(" [{}]", kSeries[k].unit) : "");
    for (const SeriesSample& s : m_samples) {
        text += fmt::format("\n{}", s.time);
        for (size_t k = 0; k < kSeriesCount; ++k)
            if (shown[k]) text += std::isnan(s.value[k]) ? std::string(",") : fmt::format(",{}", s.value[k]);
    }
    return text + "\n";
}

}  // namespace coalesce
