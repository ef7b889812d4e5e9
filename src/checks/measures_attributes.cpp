// Checks of attributes. Each particle is weighted by its rest volume.
#include <algorithm>
#include <cmath>

#include "checks/check_options.h"
#include "checks/measures.h"

namespace coalesce::measures {

namespace {

struct Moments {
    double volume = 0, sum = 0;       // [m³], [· m³]
    double center = 0, variance = 0;  // of the distribution of the values along an axis [m], [m²]
    double least = 1e300, most = -1e300;
};

Moments momentsOf(const MeasureContext& s, const ParticleSnapshot& of, const std::vector<uint32_t>& particles,
                  size_t attribute) {
    const Region region = s.region();
    const std::string component = s.word("component", "length");
    const bool vector = s.scene.attributes[attribute].type == AttributeType::vector;
    const int axis = s.axis();
    Moments m;
    double first = 0, second = 0;
    for (const uint32_t i : particles) {
        if (!region.has(of.x[i])) continue;
        const AttributeValue& c = of.attributes[attribute][i];
        const double value = !vector                 ? c[0]
                             : component == "length" ? length(Vec3d(c.data()))
                                                     : c[size_t(component[0] - 'x')];
        const double volume = of.mass[i] / s.material(of, i).density;
        m.volume += volume, m.sum += volume * value;
        m.least = std::min(m.least, value), m.most = std::max(m.most, value);
        first += volume * value * of.x[i][axis];
        second += volume * value * of.x[i][axis] * of.x[i][axis];
    }
    if (m.sum != 0) m.center = first / m.sum, m.variance = second / m.sum - m.center * m.center;
    return m;
}

Measured attribute(const MeasureContext& s) {
    const std::string name = s.word("attribute", "");
    size_t c = 0;
    while (c < s.scene.attributes.size() && s.scene.attributes[c].name != name) ++c;
    if (c >= s.now.attributes.size()) return {};
    const Moments now = momentsOf(s, s.now, s.selected, c);
    if (now.volume == 0) return {};
    const std::string statistic = s.word("statistic", "mean");
    if (statistic == "mean") return now.sum / now.volume;
    if (statistic == "min") return now.least;
    if (statistic == "max") return now.most;
    if (statistic == "sum") return now.sum;
    if (statistic == "spread") return std::sqrt(std::max(0.0, now.variance));
    const Moments before = momentsOf(s, s.start, sameAt(s.start, s.now, s.selected), c);
    if (statistic == "change")
        return before.sum == 0 ? Measured{} : std::abs(now.sum - before.sum) / std::abs(before.sum);
    // the variance of any freely diffusing distribution grows by 2 D t along each axis
    const double passed = s.now.time - s.start.time;
    return passed > 0 ? Measured((now.variance - before.variance) / (2 * passed)) : Measured{};
}

}  // namespace

std::vector<CheckKind> attributeChecks() {
    return {
        {.name = "attribute",
         .measures = "value of an attribute, in its unit; particles are weighted by their rest volume",
         .value = attribute,
         .options = {required({.name = "attribute",
                               .type = CheckOption::Type::Word,
                               .about = "Name of the attribute.",
                               .formerName = "channel"}),
                     wordOption("statistic",
                                "mean (default), min, max; sum: times volume [m^3]; change: of the sum since "
                                "the start, as a share of it; spread: standard deviation of its positions "
                                "along the axis [m]; diffusivity: growth of the squared spread since the "
                                "start per 2 t [m^2/s].",
                                {"mean", "min", "max", "sum", "change", "spread", "diffusivity"}),
                     wordOption("component", "Of a vec3; length when omitted.", {"length", "x", "y", "z"}),
                     axisOption(), regionMin(), regionMax()},
         .formerName = "channel"},
    };
}

}  // namespace coalesce::measures
