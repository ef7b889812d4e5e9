#include "session/warnings.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/counted.h"
#include "kernels/search/grid.h"

namespace coalesce {

namespace {

constexpr uint64_t kShownFrames = 180;    // for which a warning stays after its last occurrence
constexpr double kShownSeconds = 6;       // for which those about a click stay at most
constexpr uint64_t kBoundsInterval = 30;  // frames between two checks of all positions
constexpr size_t kShownOfScene = 2;       // at once

struct Outside {
    size_t count = 0;   // particles of the scene
    size_t thrown = 0;  // particles of balls that the user or the timeline threw
    std::string where;  // of the scene's: "water, mostly below y = 0 m"
};

// By group: belongs to a thrown ball.
std::vector<uint8_t> thrownGroups(const World& world) {
    std::vector<uint8_t> thrown(world.groups.size(), 0);
    for (const BodySlot& slot : world.spawning.slots)
        thrown.at(world.bodies[slot.body].group) = slot.prefab == world.spawning.ball.prefab;
    return thrown;
}

// Counts the particles outside a box, by material and by the side they are on.
Outside countOutside(const World& world, Vec3 low, Vec3 high) {
    const std::vector<Vec4> x = world.particles.x.download();
    const double lows[] = {low.x, low.y, low.z}, highs[] = {high.x, high.y, high.z};
    const auto below = [&](size_t i, int k) { return !((&x[i].x)[k] >= lows[k]); };
    const auto above = [&](size_t i, int k) { return (&x[i].x)[k] > highs[k]; };
    std::vector<size_t> all;
    for (size_t i = 0; i < x.size(); ++i)
        for (int k = 0; k < 3; ++k)
            if (below(i, k) || above(i, k)) {
                all.push_back(i);
                break;
            }
    if (all.empty()) return {};
    const std::vector<uint32_t> phase = world.particles.phase.download();
    const std::vector<uint8_t> thrown = thrownGroups(world);
    std::vector<size_t> ofMaterial(world.materials.size(), 0);
    size_t sides[6] = {};  // below x, y, z, then above
    Outside outside;
    for (const size_t i : all) {
        if (thrown.at(groupOf(phase[i]))) {
            ++outside.thrown;
            continue;
        }
        ++outside.count, ++ofMaterial.at(materialOf(phase[i]));
        for (int k = 0; k < 3; ++k) sides[k] += below(i, k), sides[k + 3] += above(i, k);
    }
    if (outside.count == 0) return outside;
    std::string names;
    for (size_t m = 0; m < ofMaterial.size(); ++m)
        if (ofMaterial[m] > 0) names += (names.empty() ? "" : ", ") + world.materials[m].name;
    const auto side = int(std::max_element(sides, sides + 6) - sides);
    outside.where =
        fmt::format("{}, {}{} {} = {:.3g} m", names, sides[side] == outside.count ? "" : "mostly ",
                    side < 3 ? "below" : "above", "xyz"[side % 3], side < 3 ? lows[side] : highs[side - 3]);
    return outside;
}

// Outside the range of the grid, whose cells are not smaller than the largest spacing.
Outside countOutOfGrid(const World& world) {
    float spacing = 0;  // [m]
    for (const Material& m : world.materials) spacing = std::max(spacing, m.properties.spacing);
    const float reach = float(kCellLimit) * spacing;
    return countOutside(world, {-reach, -reach, -reach}, {reach, reach, reach});
}

}  // namespace

Warnings::Entry& Warnings::add(Kind kind, uint64_t frame, uint64_t count, uint64_t more) {
    Entry& entry = m_active[kind];
    entry.frame = frame;
    ++entry.frames;
    // each click has an answer, and more frozen particles are news
    if (isAboutClick(kind) || kind == Kind::NotFinite) entry.dismissed = false;
    entry.age = 0;
    entry.count = kind == Kind::NotFinite ? entry.count + count : count;
    entry.more = kind == Kind::NotFinite && entry.frames > 1 ? entry.more : more;
    return entry;
}

void Warnings::elapse(double seconds) {
    for (auto& [kind, entry] : m_active) entry.age += seconds;
    std::erase_if(m_active, [](const auto& entry) {
        return isAboutClick(entry.first) && entry.second.age > kShownSeconds;
    });
}

void Warnings::begin(const std::string& file, std::vector<std::string> ofScene) {
    if (file != m_file) m_dismissed.clear();
    m_file = file;
    m_ofScene = std::move(ofScene);
}

void Warnings::dismiss(int id) {
    if (id >= kFirstOfScene) {
        m_dismissed.insert(m_ofScene.at(size_t(id - kFirstOfScene)));
        return;
    }
    if (const auto found = m_active.find(Kind(id)); found != m_active.end()) found->second.dismissed = true;
}

void Warnings::update(const Status& status, const World& world, const Scene& scene) {
    const uint64_t frame = world.frame;
    const StatusBlock& worst = status.worst;
    if (worst.nonFinite > 0) add(Kind::NotFinite, frame, worst.nonFinite, worst.firstBadId);
    if (worst.flags & kDomainOverflow) {
        Outside outside = countOutOfGrid(world);
        add(Kind::OutOfGrid, frame, outside.count, outside.thrown).where = std::move(outside.where);
    }
    if (status.truncated) add(Kind::ListsTruncated, frame, worst.requiredNeighbors, worst.requiredPairs);
    if (worst.clamped > 0) add(Kind::SpeedLimited, frame, worst.clamped);
    if (status.substepsNeeded > status.substeps)
        add(Kind::StepTooLong, frame, uint64_t(status.substepsNeeded), uint64_t(status.substeps));
    if (status.strainResidual > 0)
        add(Kind::StrainUnsolved, frame, uint64_t(std::ceil(100 * status.strainResidual)));
    if (status.ballsBlocked > 0) add(Kind::BallBlocked, frame, uint64_t(status.ballsBlocked));
    if (status.jetsBlocked > 0) add(Kind::JetBlocked, frame, uint64_t(status.jetsBlocked));
    if (scene.bounded && frame % kBoundsInterval == 0) {
        // balls may come from anywhere and go anywhere: neither a wall nor other bounds would be better
        if (Outside outside = countOutside(world, scene.boundsMin, scene.boundsMax); outside.count > 0)
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
            return {
                fmt::format("{} had non-finite values and {} frozen; the first has id {}.",
                            counted(entry.count, "particle"), entry.count == 1 ? "was" : "were", entry.more),
                "Increase the substeps or soften the materials, then restart.", "solver.substeps"};
        case Kind::OutOfGrid:
            if (entry.count == 0 && entry.more > 0)
                return {"A thrown ball is 2^20 grid cells or more from the origin; it meets nothing there.",
                        "Restart to remove thrown balls.", ""};
            return {
                fmt::format("Particles are 2^20 grid cells or more from the origin{}; their neighbors are "
                            "not found.",
                            entry.where.empty() ? "" : " (" + entry.where + ")"),
                "Add a floor that stops them, or a sink that removes them.", ""};
        case Kind::ListsTruncated:
            return {fmt::format("Neighbor lists were truncated: {} entries per particle were needed, and {} "
                                "for contacts.",
                                entry.count, entry.more),
                    "Let the lists grow on overflow.", "solver.overflow"};
        case Kind::OutOfBounds:
            return {
                fmt::format("{} {} outside the bounds of the scene: {}.", counted(entry.count, "particle"),
                            entry.count == 1 ? "is" : "are", entry.where),
                "Add a wall or a sink there, or enlarge the bounds of the scene.", ""};
        case Kind::SpeedLimited:
            return {fmt::format(
                        "{} limited to the maximum speed.",
                        entry.count == 1 ? "1 particle was" : fmt::format("{} particles were", entry.count)),
                    "Raise the limit if the scene is meant to be that fast; otherwise increase the substeps.",
                    "solver.maxSpeed"};
        case Kind::StepTooLong:
            return {
                fmt::format("The CFL condition needs {} substeps; {} were allowed.", entry.count, entry.more),
                "Allow more substeps, or a larger CFL number.", "solver.maxSubsteps"};
        case Kind::StrainUnsolved:
            return {fmt::format("{} % of the viscous forces are not solved: the liquid is thinner than its "
                                "strainViscosity.",
                                entry.count),
                    "Allow more iterations, or take more substeps.", "fluid.strainIterations"};
        case Kind::BallBlocked:
            // a smaller one would not help: the first throw, blocked or not, has fixed the size
            return {"No ball was thrown: its start position was blocked.",
                    "Throw from another view, or restart with a smaller ball.", "hand.ballRadius"};
        case Kind::JetBlocked:
            // particles filled all of the nozzle: neither a thinner nor a faster jet would find room
            return {"Nothing was poured: the nozzle was blocked.", "Point elsewhere.", ""};
    }
    return {};
}

std::vector<Warning> Warnings::list() const {
    std::vector<Warning> warnings;
    for (const auto& [kind, entry] : m_active) {
        if (entry.dismissed) continue;
        warnings.push_back(describe(kind, entry));
        warnings.back().id = int(kind);
    }
    size_t shown = 0, more = 0;
    for (size_t k = 0; k < m_ofScene.size(); ++k) {
        if (m_dismissed.contains(m_ofScene[k])) continue;
        if (++shown <= kShownOfScene)
            warnings.push_back({"The scene: " + m_ofScene[k] + ".", "", "", kFirstOfScene + int(k)});
        else
            ++more;
    }
    if (more > 0)
        warnings.back().advice =
            fmt::format("{} more; coalesce validate lists all.", counted(more, "warning"));
    return warnings;
}

}  // namespace coalesce
