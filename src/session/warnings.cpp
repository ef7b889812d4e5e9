#include "session/warnings.h"

#include <fmt/format.h>

namespace coalesce {

namespace {

constexpr uint64_t kStays = 180;     // frames for which a warning is shown after what it tells of
constexpr uint64_t kLookEvery = 30;  // frames between two looks at all particles

size_t countOutside(const World& world, Vec3 low, Vec3 high) {
    size_t count = 0;
    for (const Vec4& x : world.particles.x.download())
        count += !(x.x >= low.x && x.y >= low.y && x.z >= low.z && x.x <= high.x && x.y <= high.y &&
                   x.z <= high.z);
    return count;
}

}  // namespace

void Warnings::see(Kind kind, uint64_t frame, uint64_t count, uint64_t more) {
    Seen& seen = m_seen[kind];
    seen.frame = frame;
    ++seen.frames;
    seen.count = kind == Kind::NotFinite ? seen.count + count : count;
    seen.more = kind == Kind::NotFinite && seen.frames > 1 ? seen.more : more;
}

void Warnings::note(const Status& status, const World& world, const Scene& scene) {
    const uint64_t frame = world.frame;
    const StatusBlock& worst = status.worst;
    if (worst.nonFinite > 0) see(Kind::NotFinite, frame, worst.nonFinite, worst.firstBadId);
    if (worst.flags & kDomainOverflow) see(Kind::TooFar, frame, 1);
    if (status.truncated) see(Kind::Cut, frame, worst.requiredNeighbors, worst.requiredPairs);
    if (worst.clamped > 0) see(Kind::TooFast, frame, worst.clamped);
    if (status.ballsBlocked > 0) see(Kind::NoBall, frame, static_cast<uint64_t>(status.ballsBlocked));
    if (status.jetsBlocked > 0) see(Kind::NoJet, frame, static_cast<uint64_t>(status.jetsBlocked));
    if (scene.bounded && frame % kLookEvery == 0) {
        if (const size_t outside = countOutside(world, scene.boundsMin, scene.boundsMax))
            see(Kind::Lost, frame, outside);
        else
            m_seen.erase(Kind::Lost);
    }
    // what is frozen stays so
    std::erase_if(m_seen, [&](const auto& entry) {
        return entry.first != Kind::NotFinite && entry.second.frame + kStays < frame;
    });
}

Warning Warnings::describe(Kind kind, const Seen& seen) {
    const auto particles = [](uint64_t n) {
        return n == 1 ? std::string("1 particle") : fmt::format("{} particles", n);
    };
    switch (kind) {
        case Kind::NotFinite:
            return {fmt::format("{} lost all sense (not finite) and were frozen; the first was id {}.",
                                particles(seen.count), seen.more),
                    "Take more substeps, or softer materials, and reset.", "solver.substeps"};
        case Kind::TooFar:
            return {"Particles are 2^20 cells or more from the origin; their neighbors are not found.",
                    "Catch them with a floor, or take them out with a sink.", ""};
        case Kind::Cut:
            return {fmt::format("Neighbor lists were cut: {} entries were needed, and {} for contacts.",
                                seen.count, seen.more),
                    "Let the lists grow.", "solver.overflow"};
        case Kind::Lost:
            return {fmt::format("{} left the bounds of the scene.", particles(seen.count)),
                    "Where they leak through walls or fly off, take more substeps.", "solver.substeps"};
        case Kind::TooFast:
            return {fmt::format("{} limited to solver.maxSpeed.",
                                seen.count == 1 ? "1 speed was" : fmt::format("{} speeds were", seen.count)),
                    "Raise the limit if the scene is that fast; if not, take more substeps.",
                    "solver.maxSpeed"};
        case Kind::NoBall:
            return {"A ball was not thrown: something was in its place when it was to begin.",
                    "Throw it again, from another view, or make it smaller.", "hand.ballRadius"};
        case Kind::NoJet:
            return {"Nothing was poured: its place is full.",
                    "Point elsewhere, or make the jet thinner or faster.", "hand.pourRadius"};
    }
    return {};
}

std::vector<Warning> Warnings::list() const {
    std::vector<Warning> warnings;
    for (const auto& [kind, seen] : m_seen) warnings.push_back(describe(kind, seen));
    return warnings;
}

}  // namespace coalesce
