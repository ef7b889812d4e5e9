#include "sim/spawn/spawner.h"

#include <algorithm>

#include "core/for_each.h"
#include "core/primitives.h"
#include "geometry/math/occupancy_grid.h"
#include "sim/spawn/user_spawns.h"
#include "sim/world/body_factory.h"
#include "sim/world/name_filter.h"
#include "sim/world/world.h"

namespace coalesce {

namespace {

constexpr double kTimeEpsilon = 1e-6;  // [s] times are sums of steps

// Records from what time which ids exist, as far back as sinks need to know.
void updateMarks(World& world) {
    SpawnState& t = world.spawning;
    double oldest = 0;  // [s]
    for (const Sink& sink : world.sinks) oldest = std::max(oldest, double{sink.properties.age});
    if (oldest == 0) {
        t.marks.clear();
    } else if (world.nextId != t.seen || t.marks.empty()) {
        t.marks.push_back({world.time, t.seen});
    }
    t.seen = world.nextId;
    size_t past = 0;
    while (past + 1 < t.marks.size() && t.marks[past + 1].time <= world.time - oldest - kTimeEpsilon) ++past;
    t.marks.erase(t.marks.begin(), t.marks.begin() + ptrdiff_t(past));
}

// Particles of this age [s] or older have ids below the result.
uint32_t firstIdYoungerThan(const World& world, double age) {
    const std::vector<SpawnTimestamp>& marks = world.spawning.marks;
    for (size_t k = 0; k < marks.size(); ++k)
        // particles from before the first mark have no known age
        if (marks[k].time > world.time - age + kTimeEpsilon) return k == 0 ? 0 : uint32_t(marks[k].first);
    return uint32_t(world.spawning.seen);
}

// Removes expired lifetimes from the list; returns their ids.
std::vector<IdRange> takeExpired(World& world) {
    std::vector<IdRange> expired;
    std::erase_if(world.spawning.lifetimes, [&](const Lifetime& life) {
        if (life.dies > world.time + kTimeEpsilon) return false;
        expired.push_back({life.first, life.end});
        return true;
    });
    return expired;
}

uint32_t sinksOf(const World& world, const std::string& name) {
    uint32_t mask = 0;
    for (size_t s = 0; s < world.sinks.size(); ++s)
        mask |= uint32_t(world.sinks[s].actsOn.empty() || matchesName(world.sinks[s].actsOn, name)) << s;
    return mask;
}

// One value for each attribute; empty: the emitter sets none.
std::vector<AttributeValue> valuesOf(const World& world, const Emitter& emitter) {
    std::vector<AttributeValue> values;
    if (emitter.values.empty()) return values;
    for (const Attribute& attribute : world.particles.attributes) {
        const auto given = emitter.values.find(attribute.info.name);
        AttributeValue value = attribute.info.initial;
        if (given != emitter.values.end())
            std::copy_n(given->second.begin(), std::min<size_t>(given->second.size(), 3), value.begin());
        values.push_back(value);
    }
    return values;
}

}  // namespace

// Hash grids of the spawn positions, one per emitter; within a cell they are in their original order.
struct SpawnGrids {
    std::vector<SpawnGrid> grids;
    std::vector<uint32_t> starts;
    std::vector<Vec4> positions;  // sorted by cell
    std::vector<uint32_t> order;  // index of each among all spawn points, in order of emitters

    void add(const SpawnRequest& due) {
        constexpr int kMost = 64;  // cells along an axis
        const auto first = uint32_t(positions.size());
        Vec3 low = due.spawned[0].x, high = low;
        for (const SpawnPoint& n : due.spawned) low = min(low, n.x), high = max(high, n.x);
        const Vec3 size = high - low;
        const float cell =
            std::max({2 * due.reach, size.x / kMost, size.y / kMost, size.z / kMost}) * 1.0001f + 1e-20f;
        const auto along = [&](float from) { return std::clamp(int(from / cell), 0, kMost); };
        SpawnGrid grid{.low = low,
                       .inverseCell = 1 / cell,
                       .nx = along(size.x) + 1,
                       .ny = along(size.y) + 1,
                       .nz = along(size.z) + 1,
                       .firstCell = uint32_t(starts.size()),
                       .reach = due.reach};
        const auto cells = size_t(grid.nx) * grid.ny * grid.nz;
        const auto cellOf = [&](const SpawnPoint& n) {
            // as in the kernel
            const auto index = [&](float from, int count) {
                return std::clamp(int(from * grid.inverseCell), 0, count - 1);
            };
            return (size_t(index(n.x.z - low.z, grid.nz)) * grid.ny + index(n.x.y - low.y, grid.ny)) *
                       grid.nx +
                   index(n.x.x - low.x, grid.nx);
        };
        std::vector<uint32_t> begin(cells + 1, 0);
        for (const SpawnPoint& n : due.spawned) ++begin[cellOf(n) + 1];
        for (size_t c = 0; c < cells; ++c) begin[c + 1] += begin[c];
        for (const uint32_t b : begin) starts.push_back(first + b);
        positions.resize(first + due.spawned.size());
        order.resize(positions.size());
        for (uint32_t k = 0; k < due.spawned.size(); ++k) {
            const uint32_t to = first + begin[cellOf(due.spawned[k])]++;
            positions[to] = vec4(due.spawned[k].x, 0.0f);
            order[to] = first + k;
        }
        grids.push_back(grid);
    }
};

Spawner::Spawner(Exec& exec)
    : m_regions(exec),
      m_sinks(exec),
      m_materialSinks(exec),
      m_groupSinks(exec),
      m_bodies(exec),
      m_centers(exec),
      m_expired(exec),
      m_smokelessLife(exec),
      m_slotOfGroup(exec),
      m_keep(exec),
      m_survivors(exec),
      m_counts(exec),
      m_grids(exec),
      m_starts(exec),
      m_points(exec),
      m_radius(exec) {}

// Layout of the counters, which are one array so that they are read back at once.
struct Spawner::Tally {
    size_t sinks, slots, places;
    size_t size() const { return 1 + sinks + 1 + 2 * slots + places; }
    View<uint32_t> survivors(View<uint32_t> all) const { return all.subview(0, 1); }
    View<uint32_t> taken(View<uint32_t> all) const { return all.subview(1, sinks + 1); }
    View<uint32_t> left(View<uint32_t> all) const { return all.subview(2 + sinks, slots); }
    View<uint32_t> stayed(View<uint32_t> all) const { return all.subview(2 + sinks + slots, slots); }
    View<uint32_t> occupied(View<uint32_t> all) const { return all.subview(2 + sinks + 2 * slots, places); }
};

void Spawner::run(World& world) {
    SpawnState& state = world.spawning;
    m_ballsBlocked = m_jetsBlocked = 0;
    const bool repeats =
        state.frames > world.frame;  // a frame that failed has spawned; what the user adds is new
    if (!repeats) state.firstNew = world.nextId;
    std::vector<SpawnRequest> due = collectUserSpawns(world);
    const bool endsWithoutSmoke = viewOf<float>(world.particles.attributes, kSmokeless).size > 0;
    if (world.emitters.empty() && world.sinks.empty() && due.empty() && !endsWithoutSmoke) return;
    if (repeats && due.empty()) return;
    CHECK_LE(world.sinks.size(), size_t{kMaxSinks});
    state.frames = world.frame + 1;
    state.removedBySink.resize(world.sinks.size());

    updateMarks(world);
    std::vector<IdRange> expired;
    if (!repeats) {
        expired = takeExpired(world);
        const std::vector<SpawnRequest> emitted = collectSpawns(world);
        due.insert(due.begin(), emitted.begin(), emitted.end());
    }
    SpawnGrids grids;
    for (const SpawnRequest& d : due) grids.add(d);
    const Tally tally{world.sinks.size(), state.slots.size(), grids.positions.size()};
    m_counts.resizeDiscard(tally.size());
    m_counts.fillZero();

    const bool removing = !repeats && markRemoved(world, expired, tally);
    if (!grids.positions.empty() && world.count() > 0) markOccupied(world, grids, tally, removing);
    if (!removing && due.empty()) return;

    // the only read-back
    std::vector<uint32_t> counts(tally.size(), 0);
    if (world.count() > 0) counts = m_counts.download();
    const View<uint32_t> all(counts.data(), counts.size());
    if (removing) {
        const uint32_t remaining = tally.survivors(all)[0];
        if (remaining < world.count()) world.keepParticles(m_survivors.view().subview(0, remaining));
        for (size_t s = 0; s < world.sinks.size(); ++s) state.removedBySink[s] += tally.taken(all)[s];
        state.expired += tally.taken(all)[world.sinks.size()];
        for (size_t k = 0; k < state.slots.size(); ++k)
            // a melted body is removed particle by particle; its slot is free after the last
            if (tally.left(all)[k] && !tally.stayed(all)[k]) {
                state.slots[k].alive = 0;
                world.bodies[state.slots[k].body].gone = true;
            }
    }
    std::vector<uint32_t> occupied(tally.places);
    for (size_t k = 0; k < tally.places; ++k) occupied[grids.order[k]] = tally.occupied(all)[k];
    spawn(world, due, occupied);
    updateMarks(world);
}

// Marks the particles to remove; false when there can be none.
bool Spawner::markRemoved(World& world, std::span<const IdRange> expired, const Tally& tally) {
    std::vector<SinkConstants> sinks;
    std::vector<Shape> forms;
    bool any = !expired.empty();
    for (const Sink& sink : world.sinks) {
        const SinkProperties& p = sink.properties;
        SinkConstants c{-1, p.outside, 0};
        if (p.enabled) c.before = p.age > 0 ? firstIdYoungerThan(world, p.age) : world.nextId;
        if (sink.formed) {
            c.shape = int32_t(forms.size());
            forms.push_back(sink.form);
        }
        any |= c.before > 0;
        sinks.push_back(c);
    }
    std::vector<float> smokelessLife;
    for (const Material& m : world.materials) smokelessLife.push_back(m.properties.smokelessLife);
    const View<const float> smokeless = viewOf<float>(world.particles.attributes, kSmokeless);
    any |= smokeless.size > 0;
    if (!any || world.count() == 0) return false;
    m_smokelessLife.upload(smokelessLife);
    m_regions.upload(world, forms, 0, 1);
    m_sinks.upload(sinks);
    m_expired.upload(expired);
    std::vector<uint32_t> ofMaterial, ofGroup, slotOf;
    for (const Material& m : world.materials) ofMaterial.push_back(sinksOf(world, m.name));
    const std::vector<GroupConstants> groups = groupConstants(world);
    for (const Group& g : world.groups) ofGroup.push_back(sinksOf(world, g.name));
    ofGroup.resize(groups.size());
    if (!world.spawning.slots.empty()) slotOf.assign(groups.size(), kNoRow);
    for (uint32_t k = 0; k < world.spawning.slots.size(); ++k)
        slotOf[world.bodies[world.spawning.slots[k].body].group] = k;
    m_materialSinks.upload(ofMaterial);
    m_groupSinks.upload(ofGroup);
    std::vector<BodyRange> bodies(groups.size());
    for (const SolidBody& body : world.bodies) {
        const MaterialProperties& m = world.materials[world.groups[body.group].material].properties;
        bodies[body.group] = {body.firstCluster, body.clusters, isLoose(m)};
    }
    m_bodies.upload(bodies);
    m_centers.resizeDiscard(bodies.size());
    forEach(world.exec, "mark removed", int64_t(bodies.size()),
            FindBodyCenters{m_bodies.view(), world.solids.pose.view(), m_centers.view()});
    m_slotOfGroup.upload(slotOf);

    const size_t n = world.count();
    m_keep.resizeDiscard(n);
    m_survivors.resizeDiscard(n);
    const View<uint32_t> counts = m_counts.view();
    forEach(world.exec, "mark removed", int64_t(n),
            MarkRemoved{.x = world.particles.x.view(),
                        .id = world.particles.id.view(),
                        .phase = world.particles.phase.view(),
                        .center = m_centers.view(),
                        .regions = m_regions.of(0),
                        .sinks = m_sinks.view(),
                        .ofMaterial = m_materialSinks.view(),
                        .ofGroup = m_groupSinks.view(),
                        .expired = m_expired.view(),
                        .smokeless = smokeless,
                        .smokelessLife = m_smokelessLife.view(),
                        .slotOf = m_slotOfGroup.view(),
                        .keep = m_keep.view(),
                        .taken = tally.taken(counts),
                        .left = tally.left(counts),
                        .stayed = tally.stayed(counts)});
    compact(world.exec, "find survivors", m_keep.view(), m_survivors.view(), tally.survivors(counts));
    return true;
}

// Marks the spawn positions that remaining particles occupy.
void Spawner::markOccupied(World& world, const SpawnGrids& grids, const Tally& tally, bool removing) {
    m_grids.upload(grids.grids);
    m_starts.upload(grids.starts);
    m_points.upload(grids.positions);
    std::vector<float> radius;
    for (const Material& m : world.materials) radius.push_back(kSpawnClearance * 0.5f * m.properties.spacing);
    m_radius.upload(radius);
    forEach(world.exec, "mark occupied", int64_t(world.count()),
            MarkOccupied{.x = world.particles.x.view(),
                         .phase = world.particles.phase.view(),
                         .keep = removing ? m_keep.view() : View<uint32_t>(),
                         .radius = m_radius.view(),
                         .grids = m_grids.view(),
                         .starts = m_starts.view(),
                         .points = m_points.view(),
                         .occupied = tally.occupied(m_counts.view())});
}

// Spawns everything that has free space, in the order of emitters.
void Spawner::spawn(World& world, std::span<const SpawnRequest> due, std::span<const uint32_t> occupied) {
    size_t k = 0;
    std::vector<ParticleDef> particles;
    std::vector<Vec3> spawned;
    float largest = 0;  // [m]
    for (const SpawnRequest& d : due) largest = std::max(largest, d.reach);
    OccupancyGrid occupancy(largest);  // of particles that earlier emitters have spawned
    for (const SpawnRequest& d : due) {
        const Emitter* e = d.emitter ? &world.emitters[*d.emitter] : nullptr;
        EmitterProgress ofUser;
        EmitterProgress& progress = e ? world.spawning.emitters[*d.emitter] : ofUser;
        const uint64_t most = e ? uint64_t(e->properties.maximum) : 0;
        const uint32_t first = world.nextId;
        const std::vector<AttributeValue> values = e ? valuesOf(world, *e) : std::vector<AttributeValue>();
        particles.clear();
        spawned.clear();
        for (const SpawnPoint& n : d.spawned) {
            const bool taken = occupied[k++] || (&d != due.data() && !occupancy.isFree(n.x, d.reach));
            if (most > 0 && progress.emitted >= most) continue;
            if (taken) {
                ++progress.blocked;
                continue;
            }
            ++progress.emitted;
            if (due.size() > 1) spawned.push_back(n.x);
            if (d.bodies)
                addPrefabCopy(world, n);
            else
                particles.push_back(
                    {.x = n.x, .v = n.v, .material = d.material, .group = d.group, .values = values});
        }
        world.addParticles(particles);
        for (const Vec3 x : spawned) occupancy.add(x, d.reach);
        if (!e && d.bodies) m_ballsBlocked += int(progress.blocked);
        if (!e && !d.bodies && progress.emitted == 0) ++m_jetsBlocked;
        if (e && e->properties.life > 0 && world.nextId > first)
            world.spawning.lifetimes.push_back({first, world.nextId, world.time + e->properties.life});
    }
}

}  // namespace coalesce
