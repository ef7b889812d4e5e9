#include "sim/world/force_fields.h"

#include <cmath>

#include "core/error.h"
#include "sim/world/name_filter.h"
#include "sim/world/world.h"

namespace coalesce {

namespace {

Course courseOf(FieldKind kind) {
    return kind == FieldKind::radial   ? Course::outward
           : kind == FieldKind::vortex ? Course::around
                                       : Course::along;
}

// Coefficients c₁ c₂ c₃ of the falloff polynomial in q = r/R.
Vec3 fadeOf(Falloff falloff) {
    if (falloff == Falloff::linear) return {-1, 0, 0};
    if (falloff == Falloff::smooth) return {0, -3, 2};
    return {0, 0, 0};
}

ForceFieldConstants constantsOf(const ForceFieldProperties& p, double t) {
    // in double, so that gusts stay smooth late in a run; the count wraps far beyond any run
    const double gusts = t / double{p.gustTime}, whole = std::floor(gusts);
    return {.center = p.center,
            .inverseRadius = p.radius > 0 ? 1 / p.radius : 0,
            .axis = normalizeOr(p.direction, {0, 0, 0}),
            .strength = p.strength,
            .fade = fadeOf(p.falloff),
            .beyond = p.falloff == Falloff::inverseSquare ? 1.0f : 0.0f,
            .gust = p.kind == FieldKind::wind ? p.gust : Vec3{0, 0, 0},
            .gustScale = 1 / p.gustLength,
            .gustPhase = float(gusts - whole),
            .gustRate = 1 / p.gustTime,
            .gustCount = int32_t(std::fmod(whole, 1 << 30)),
            .seed = uint32_t(p.seed),
            .bit = 0,
            .course = courseOf(p.kind),
            .wind = p.kind == FieldKind::wind,
            .perMass = p.mode == FieldMode::force};
}

template <class Acts>
uint32_t maskOf(const World& world, Acts&& acts) {
    uint32_t mask = 0;
    for (size_t k = 0; k < world.forceFields.size(); ++k)
        if (acts(world.forceFields[k].actsOn)) mask |= 1u << k;
    return mask;
}

}  // namespace

std::vector<ForceFieldConstants> fieldConstants(const World& world, double t) {
    CHECK_LE(world.forceFields.size(), size_t{kMaxForceFields});
    std::vector<ForceFieldConstants> constants;
    for (size_t k = 0; k < world.forceFields.size(); ++k) {
        if (!world.forceFields[k].properties.enabled) continue;
        constants.push_back(constantsOf(world.forceFields[k].properties, t));
        constants.back().bit = 1u << k;
    }
    return constants;
}

uint32_t fieldsOnMaterial(const World& world, const std::string& material) {
    return maskOf(world, [&](const std::vector<std::string>& names) {
        return names.empty() || matchesName(names, material);
    });
}

uint32_t fieldsOnGroup(const World& world, const std::string& group) {
    return maskOf(world, [&](const std::vector<std::string>& names) { return matchesName(names, group); });
}

}  // namespace coalesce
