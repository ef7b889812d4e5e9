#include "session/warnings.h"

#include <algorithm>
#include <fmt/format.h>

namespace coalesce {

namespace {

constexpr uint64_t kShownFrames = 180;    // for which a warning stays after its last occurrence
constexpr uint64_t kBoundsInterval = 30;  // frames between two checks of all positions

struct OutOfBounds {
    size_t count = 0;
    std::string where;  // "water, mostly below y = 0 m"
};

// Counts the particles outside the scene's bounds, by material and by the side they are on.
OutOfBounds countOutside(const World& world, Vec3 low, Vec3 high) {
    const std::vector<Vec4> x = world.particles.x.download();
    const double lows[] = {low.x, low.y, low.z}, highs[] = {high.x, high.y, high.z};
    size_t sides[6] = {};  // below x, y, z, then above
    std::vector<size_t> outside;
    for (size_t i = 0; i < x.size(); ++i) {
        const double p[] = {x[i].x, x[i].y, x[i].z};
        bool isOutside = false;
        for (int k = 0; k < 3; ++k) {
            const bool below = !(p[k] >= lows[k]), above = !below && !(p[k] <= highs[k]);
            sides[k] += below, sides[k + 3] += above;
            isOutside |= below || above;
        }
        if (isOutside) outside.push_back(i);
    }
    if (outside.empty()) return {};
    const std::vector<uint32_t> phase = world.particles.phase.download();
    std::vector<size_t> ofMaterial(world.materials.size(), 0);
    for (const size_t i : outside) ++ofMaterial.at(materialOf(phase[i]));
    std::string names;
    for (size_t m = 0; m < ofMaterial.size(); ++m)
        if (ofMaterial[m] > 0) names += (names.empty() ? "" : ", ") + world.materials[m].name;
    const auto side = int(std::max_element(sides, sides + 6) - sides);
    const bool all = sides[side] == outside.size();
    return {outside.size(),
            fmt::format("{}, {}{} {} = {:.3g} m", names, all ? "" : "mostly ", side < 3 ? "below" : "above",
                        "xyz"[side % 3], side < 3 ? lows[side] : highs[side - 3])};
}

std::string particles(uint64_t n) {
    return n == 1 ? std::string("1 particle") : fmt::format("{} particles", n);
}

}  // namespace

Warnings::Entry& Warnings::add(Kind kind, uint64_t frame, uint64_t count, uint64_t more) {
    Entry& entry = m_active[kind];
    entry.frame = frame;
    ++entry.frames;
    entry.count = kind == Kind::NotFinite ? entry.count + count : count;
    entry.more = kind == Kind::NotFinite && entry.frames > 1 ? entry.more : more;
    return entry;
}

void Warnings::update(const Status& status, const World& world, const Scene& scene) {
    const uint64_t frame = world.frame;
    const StatusBlock& worst = status.worst;
    if (worst.nonFinite > 0) add(Kind::NotFinite, frame, worst.nonFinite, worst.firstBadId);
    if (worst.flags & kDomainOverflow) add(Kind::OutOfGrid, frame, 1);
    if (status.truncated) add(Kind::ListsTruncated, frame, worst.requiredNeighbors, worst.requiredPairs);
    if (worst.clamped > 0) add(Kind::SpeedLimited, frame, worst.clamped);
    if (status.ballsBlocked > 0) add(Kind::BallBlocked, frame, uint64_t(status.ballsBlocked));
    if (status.jetsBlocked > 0) add(Kind::JetBlocked, frame, uint64_t(status.jetsBlocked));
    if (scene.bounded && frame % kBoundsInterval == 0) {
        if (OutOfBounds outside = countOutside(world, scene.boundsMin, scene.boundsMax); outside.count > 0)
            add(Kind::OutOfBounds, frame, outside.count).where = std::move(outside.where);
        else
            m_active.erase(Kind::OutOfBounds);
    }
    // frozen particles stay frozen, so their warning stays
    std::erase_if(m_active, [&](const auto& entry) {
        return entry.first != Kind::NotFinite && entry.second.frame + kShownFrames < frame;
    });
}

Warning Warnings::describe(Kind kind, const Entry& entry) {
    switch (kind) {
        case Kind::NotFinite:
            return {fmt::format("{} had non-finite values and were frozen; the first has id {}.",
                                particles(entry.count), entry.more),
                    "Increase the substeps or soften the materials, then restart.", "solver.substeps"};
        case Kind::OutOfGrid:
            return {"Particles are 2^20 grid cells or more from the origin; their neighbors are not found.",
                    "Add a floor that stops them, or a sink that removes them.", ""};
        case Kind::ListsTruncated:
            return {fmt::format("Neighbor lists were truncated: {} entries per particle were needed, and {} "
                                "for contacts.",
                                entry.count, entry.more),
                    "Let the lists grow on overflow.", "solver.overflow"};
        case Kind::OutOfBounds:
            return {fmt::format("{} left the bounds of the scene: {}.", particles(entry.count), entry.where),
                    "Add a wall or a sink there, or enlarge the scene's bounds.", ""};
        case Kind::SpeedLimited:
            return {fmt::format(
                        "{} limited to the maximum speed.",
                        entry.count == 1 ? "1 particle was" : fmt::format("{} particles were", entry.count)),
                    "Raise the limit if the scene is meant to be that fast; otherwise increase the substeps.",
                    "solver.maxSpeed"};
        case Kind::BallBlocked:
            return {"No ball was thrown: its start position was blocked.",
                    "Throw from another view, or make the ball smaller.", "hand.ballRadius"};
        case Kind::JetBlocked:
            return {"Nothing was poured: the nozzle was blocked.",
                    "Point elsewhere, or make the jet thinner or faster.", "hand.pourRadius"};
    }
    return {};
}

std::vector<Warning> Warnings::list() const {
    std::vector<Warning> warnings;
    for (const auto& [kind, entry] : m_active) warnings.push_back(describe(kind, entry));
    return warnings;
}

}  // namespace coalesce
