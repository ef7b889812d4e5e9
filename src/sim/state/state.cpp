#include "sim/state/state.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>
#include <unordered_set>

#include "core/for_each.h"
#include "core/hash.h"
#include "core/primitives.h"
#include "core/scratch.h"
#include "kernels/math/atomics.h"
#include "sim/spawn/user_spawns.h"
#include "sim/world/cloth_mesh.h"

namespace coalesce {

namespace {

// ---- hash ----

HD uint64_t wordOf(uint32_t a) {
    return a;
}
HD uint64_t wordOf(float a) {
    return static_cast<uint32_t>(a == 0 ? 0 : asInt(a));  // −0 counts as +0
}

// Adds one array's words to the particles' hashes. `lane` makes equal words in different arrays differ.
template <class T>
struct HashArray {
    View<const T> array;
    View<uint64_t> hash;  // updated
    View<uint32_t> bad;   // [1], raised to id + 1 of a particle that is not finite
    View<const uint32_t> id;
    uint64_t lane;

    HD void operator()(int i) const {
        uint64_t h = hash[i];
        if constexpr (std::is_same_v<T, Vec4>) {
            const Vec4 a = array[i];
            if (!isFinite(a.x) || !isFinite(a.y) || !isFinite(a.z) || !isFinite(a.w))
                atomicMax(&bad[0], id[i] + 1);
            h = mixIn(h, wordOf(a.x) << 32 | wordOf(a.y));
            h = mixIn(h, (wordOf(a.z) << 32 | wordOf(a.w)) + lane);
        } else {
            if constexpr (std::is_same_v<T, float>)
                if (!isFinite(array[i])) atomicMax(&bad[0], id[i] + 1);
            h = mixIn(h, wordOf(array[i]) + lane);
        }
        hash[i] = h;
    }
};

struct StartHash {
    View<const uint32_t> id;
    View<uint64_t> hash;  // written
    HD void operator()(int i) const { hash[i] = mix(id[i]); }
};

// What of the tables of bodies changes in a run, word by word.
template <class T>
struct HashTable {
    View<const T> table;
    View<uint64_t> hash;  // written
    uint64_t lane;
    HD void operator()(int i) const {
        uint64_t h = mix(static_cast<uint64_t>(i) + lane);
        if constexpr (std::is_same_v<T, ClusterPose>) {
            const ClusterPose p = table[i];
            h = mixIn(h, wordOf(p.center.x) << 32 | wordOf(p.center.y));
            h = mixIn(h, wordOf(p.center.z) << 32 | wordOf(p.mass));
            h = mixIn(h, wordOf(p.rotation.x) << 32 | wordOf(p.rotation.y));
            h = mixIn(h, wordOf(p.rotation.z) << 32 | wordOf(p.rotation.w));
        } else if constexpr (std::is_same_v<T, float>) {
            h = mixIn(h, wordOf(table[i]));
        } else if constexpr (std::is_same_v<T, DistanceConstraint>) {
            const DistanceConstraint s = table[i];
            h = mixIn(h, wordOf(s.a) << 32 | wordOf(s.b));
            h = mixIn(h, wordOf(s.length) << 32 | wordOf(s.hold));
        } else if constexpr (std::is_same_v<T, ClothTriangle>) {
            const ClothTriangle t = table[i];
            h = mixIn(h, wordOf(t.a) << 32 | wordOf(t.b));
            h = mixIn(h, wordOf(t.c) << 32 | wordOf(t.material));
        } else if constexpr (std::is_same_v<T, VolumeConstraint>) {
            h = mixIn(h, wordOf(table[i].restVolume));
        } else {
            const Vec4 a = table[i];
            h = mixIn(h, wordOf(a.x) << 32 | wordOf(a.y));
            h = mixIn(h, wordOf(a.z) << 32 | wordOf(a.w));
        }
        hash[i] = h;
    }
};

uint64_t hashBodies(World& world) {
    uint64_t h = world.bodies.size(), lane = 1;
    Buffer<uint64_t> sum(world.exec, 1);
    forEachTable(world.solids, [&]<class T>(Buffer<T>& table, const char*, TableOf of) {
        // bodies hash as they did before there was cloth
        if (table.size() == 0 && of >= TableOf::springs) return;
        Scratch::Scope scratch(world.exec);
        const View<uint64_t> hash = scratch.take<uint64_t>("hash.table", table.size());
        forEach(world.exec, "hash", static_cast<int64_t>(table.size()),
                HashTable<T>{table.view(), hash, lane++ << 40});
        reduceSum(world.exec, "hash", hash, sum.view());
        h = mixIn(h, sum.download()[0]);
    });
    return h;
}

uint64_t wordOf(double a) {
    uint64_t word;
    std::memcpy(&word, &a, sizeof word);
    return word;
}

uint64_t hashSpawning(const SpawnState& t) {
    uint64_t h = mixIn(t.frames, t.expired);
    for (const EmitterProgress& p : t.emitters) {
        for (const uint64_t word : {wordOf(p.until), wordOf(p.next), p.events, p.emitted, p.blocked})
            h = mixIn(h, word);
        h = mixIn(h, wordOf(p.nozzle.x) << 32 | wordOf(p.nozzle.y));
        h = mixIn(h, wordOf(p.nozzle.z) << 32 | p.flags);
    }
    for (const uint64_t n : t.removedBySink) h = mixIn(h, n);
    for (const Lifetime& l : t.lifetimes)
        h = mixIn(mixIn(h, uint64_t{l.first} << 32 | l.end), wordOf(l.dies));
    for (const SpawnTimestamp& m : t.marks) h = mixIn(mixIn(h, m.first), wordOf(m.time));
    for (const BodySlot& s : t.slots) h = mixIn(mixIn(h, uint64_t{s.first} << 1 | s.alive), s.prefab);
    return h;
}

}  // namespace

uint64_t stateHash(World& world) {
    const auto n = static_cast<int64_t>(world.count());
    Exec& exec = world.exec;
    Scratch::Scope scratch(exec);
    const View<uint64_t> hash = scratch.take<uint64_t>("hash.particles", n);
    Buffer<uint64_t> sum(exec, 1);
    Buffer<uint32_t> bad(exec, 1);
    bad.fillZero();
    forEach(exec, "hash", n, StartHash{world.particles.id.view(), hash});
    uint64_t lane = 1;
    forEachArray(world.particles, [&]<class T>(Buffer<T>& array, const ArrayInfo& info) {
        if (info.role == ArrayRole::State)
            forEach(exec, "hash", n,
                    HashArray<T>{array.view(), hash, bad.view(), world.particles.id.view(), lane++ << 40});
    });
    reduceSum(exec, "hash", hash, sum.view());
    const uint64_t bodies = hashBodies(world);
    if (const uint32_t first = bad.download()[0])
        fail(Exit::Simulation, "state hash", fmt::format("particle {} is not finite", first - 1),
             "Often too few substeps for the speeds. Try --set solver.substeps=4.");
    uint64_t time;
    std::memcpy(&time, &world.time, sizeof time);
    uint64_t h = sum.download()[0];
    for (const uint64_t word :
         {static_cast<uint64_t>(n), world.step, time, static_cast<uint64_t>(world.nextId)})
        h = mixIn(h, word);
    for (const MouseConstraint& hand : world.mouseConstraints) {
        h = mixIn(h, uint64_t{hand.number} << 32 | hand.id);
        h = mixIn(h, wordOf(hand.to.x) << 32 | wordOf(hand.to.y));
        h = mixIn(h, wordOf(hand.to.z));
    }
    if (!world.emitters.empty() || !world.sinks.empty()) h = mixIn(h, hashSpawning(world.spawning));
    return world.bodies.empty() ? h : mixIn(h, bodies);
}

// ---- save and load ----

namespace {

constexpr char kMagic[8] = {'C', 'o', 'a', 'l', 'S', 't', '0', '7'};
constexpr uint64_t kMostSprings = 1ull << 30;
constexpr uint32_t kEndianness = 0x01020304;

struct Header {
    char magic[8];
    uint32_t endianness;
    uint32_t arrays;
    uint64_t manifest;
    uint64_t scene;   // names of materials, shapes and channels, resolution of the materials
    uint64_t bodies;  // which ids, how many particles and matches
    uint64_t particles, step, frame, births, deaths, nextId;
    uint64_t rows, members, clusters, springs, triangles, volumeConstraints;  // of solid bodies
    uint64_t shapes;                                    // each with the number that came in
    uint64_t mouseConstraints;                          // that hold something
    uint64_t emitters, sinks, lifetimes, marks, slots;  // of births and deaths
    uint64_t spawnFrames, seen, expired;                // see SpawnState
    double time;
    double ballRadius;  // [m] of what hands throw; 0: they have thrown nothing
    uint64_t checksum;  // of everything above
};
static_assert(sizeof(Header) == 240);

// Where a shape is that a hand or the timeline has set on another course. Without gaps, for the checksum.
struct KinematicShape {
    double since;  // [s] Shape::since; 0: it is where the scene says
    float position[3], rotation[4];
    uint32_t unused;
};
static_assert(sizeof(KinematicShape) == 40);

uint64_t checksum(const void* data, size_t bytes) {
    const auto* p = static_cast<const unsigned char*>(data);
    uint64_t h = bytes;
    for (; bytes >= 8; p += 8, bytes -= 8) {
        uint64_t word;
        std::memcpy(&word, p, 8);
        h = mixIn(h, word);
    }
    uint64_t rest = 0;
    std::memcpy(&rest, p, bytes);
    return mixIn(h, rest);
}

uint64_t sceneFingerprint(const World& world) {
    uint64_t h = 0;
    for (const Material& m : world.materials) {
        // of other resolution, the particles would be of another size than they were saved with
        h = mixIn(h, hashText(m.name));
        h = mixIn(h, wordOf(m.properties.spacing) << 32 | wordOf(m.properties.supportRatio));
    }
    for (const Shape& s : world.shapes) h = mixIn(h, hashText(s.name));
    for (const Emitter& e : world.emitters) h = mixIn(h, hashText(e.name));
    for (const Sink& s : world.sinks) h = mixIn(h, hashText(s.name));
    for (const Prefab& p : world.prefabs) h = mixIn(h, p.samples.size() << 32 | p.clusters.size());
    for (const Attribute& c : world.particles.attributes)
        h = mixIn(mixIn(h, hashText(c.info.name)), static_cast<uint64_t>(c.info.type));
    return mixIn(h, world.materials.size() << 32 | world.shapes.size());
}
uint64_t bodiesFingerprint(const World& world) {
    const size_t own = world.bodies.size() - world.spawning.slots.size();
    uint64_t h = own;
    for (size_t b = 0; b < own; ++b) {
        const SolidBody& body = world.bodies[b];
        const Group& group = world.groups[body.group];
        h = mixIn(h, uint64_t{body.group} << 32 | group.first);
        h = mixIn(h, uint64_t{body.rows} << 32 | body.clusters);
    }
    return h;
}
// What emitted bodies add to the tables of a world; its own bodies come first.
size_t inSlots(const World& world, std::span<const BodySlot> slots, TableOf of) {
    size_t n = 0;
    for (const BodySlot& slot : slots) {
        const Prefab& p = world.prefabs[slot.prefab];
        if (of == TableOf::rows || (of == TableOf::members && p.clusters.empty())) n += p.samples.size();
        if (of == TableOf::clusters) n += std::max<size_t>(1, p.clusters.size());
        for (const Cluster& cluster : p.clusters) n += of == TableOf::members ? cluster.size() : 0;
    }
    return n;
}
size_t ownCount(const World& world, TableOf of) {
    return world.solids.count(of) - inSlots(world, world.spawning.slots, of);
}
size_t ownGroups(const World& world) {
    const std::vector<BodySlot>& slots = world.spawning.slots;
    return slots.empty() ? world.groups.size() : world.bodies[slots[0].body].group;
}

constexpr uint32_t kArrays = 0
#define ARRAY(T, name, unit, role, about) +1
#include "sim/world/particles.def"
    ;

// The particles of a file, before they are let into a world.
struct HostParticles {
#define ARRAY(T, name, unit, role, about) std::vector<T> name;
#include "sim/world/particles.def"
    struct HostAttribute {
        AttributeInfo info;
        std::variant<std::vector<float>, std::vector<Vec4>, std::vector<uint32_t>> values;
    };
    std::vector<HostAttribute> attributes;

    explicit HostParticles(const World& world) {
        for (const Attribute& c : world.particles.attributes)
            std::visit(
                [&]<class T>(const Buffer<T>&) {
                    attributes.push_back({c.info, std::vector<T>()});
                },
                c.values);
    }
};

// The same of the tables of bodies.
struct HostBodies {
#define TABLE(T, name, of, unit, about) std::vector<T> name;
#include "sim/world/solids.def"
};

void validate(const World& world, const Header& header, const HostParticles& p, const HostBodies& bodies,
              std::span<const MouseConstraint> mouseConstraints, const SpawnState& spawning,
              const std::function<void(const std::string&)>& refuse) {
    std::unordered_set<uint32_t> seen;
    for (size_t i = 0; i < header.particles; ++i) {
        if (p.id[i] >= header.nextId || !seen.insert(p.id[i]).second)
            refuse(fmt::format("particle {} has an impossible or repeated id {}", i, p.id[i]));
        if (materialOf(p.phase[i]) >= world.materials.size())
            refuse(
                fmt::format("particle {} has material {}, which the scene lacks", i, materialOf(p.phase[i])));
        if (!isFinite(xyz(p.x[i])) || !isFinite(p.x[i].w) || p.x[i].w < 0 || !isFinite(xyz(p.v[i])) ||
            !isFinite(p.v[i].w))
            refuse(fmt::format("particle {} is not finite", i));
        // tables of bodies are looked up by id and group
        const uint32_t group = groupOf(p.phase[i]);
        const size_t slot = group - std::min<size_t>(group, ownGroups(world));
        if (group >= ownGroups(world) && slot < spawning.slots.size()) {
            const BodySlot& s = spawning.slots[slot];
            if (!s.alive || p.id[i] - s.first >= world.prefabs[s.prefab].samples.size())
                refuse(fmt::format("particle {} with the id {} is none of an emitted body", i, p.id[i]));
        }
        if (group >= ownGroups(world)) continue;
        const Group& g = world.groups[group];
        if (g.body != Group::kNoBody && p.id[i] - g.first >= g.count)
            refuse(fmt::format("particle {} with the id {} is none of body '{}'", i, p.id[i], g.name));
    }
    for (const HostParticles::HostAttribute& c : p.attributes)
        std::visit(
            [&]<class T>(const std::vector<T>& values) {
                for (const T& value : values)
                    if (!fits(c.info.type, valueOf(value)))
                        refuse(fmt::format("a value of the channel '{}' is not finite", c.info.name));
            },
            c.values);
    for (const Vec4& r : bodies.memberRestPosition)
        if (!isFinite(xyz(r)) || !isFinite(r.w) || !(r.w > 0)) refuse("a rest place of a body is impossible");
    for (const Vec4& r : bodies.restPosition)
        if (!isFinite(xyz(r)) || !isFinite(r.w)) refuse("a place in a body is not finite");
    for (const Vec4& f : bodies.rowSdf)
        if (!isFinite(xyz(f)) || !isFinite(f.w)) refuse("a distance inside a body is not finite");
    for (const Vec4& r : bodies.clusterRestCenter)
        if (!isFinite(xyz(r))) refuse("the center of a body is not finite");
    for (const ClusterPose& m : bodies.pose) {
        const Quat q = m.rotation;
        const float size2 = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
        if (!isFinite(m.center) || !isFinite(m.mass) || !(std::abs(size2 - 1) < 1e-3f))
            refuse("the place of a body is impossible");
    }
    for (const MouseConstraint& hand : mouseConstraints)
        if (hand.number >= kMaxMouseConstraints || hand.id >= header.nextId || !isFinite(hand.from) ||
            !isFinite(hand.to))
            refuse("what a hand holds is impossible");
    for (const EmitterProgress& e : spawning.emitters)
        if (!(e.until >= 0) || !(e.next >= 0) || e.next > 1e12 || !isFinite(e.nozzle))
            refuse("what an emitter has done is impossible");
    for (const Lifetime& l : spawning.lifetimes)
        if (l.first >= l.end || l.end > header.nextId || !(l.dies >= 0)) refuse("a lifetime is impossible");
    for (size_t k = 1; k < spawning.lifetimes.size(); ++k)
        if (spawning.lifetimes[k].first < spawning.lifetimes[k - 1].end) refuse("lifetimes overlap");
    for (const SpawnTimestamp& m : spawning.marks)
        if (!(m.time >= 0) || m.first > header.nextId) refuse("a mark of births is impossible");
    for (const float g : bodies.massScale)
        if (!isFinite(g) || g < 1) refuse("the gain of a body is impossible");
    const size_t rows = bodies.restPosition.size(), materials = world.materials.size();
    for (const DistanceConstraint& s : bodies.springs)
        if (s.a >= rows || s.b >= rows || !isFinite(s.length) || s.length < 0 ||
            holdOf(s) >= kLinkKinds * materials)
            refuse("a spring of a body is impossible");
    for (const ClothTriangle& t : bodies.triangles)
        if (t.a >= rows || t.b >= rows || t.c >= rows || (t.material & ~kCut) >= materials)
            refuse("a triangle of a body is impossible");
    const std::vector<VolumeConstraint> own = world.solids.volumeConstraints.download();
    for (size_t i = 0; i < own.size(); ++i) {
        const VolumeConstraint& a = own[i];
        const VolumeConstraint& b = bodies.volumeConstraints[i];
        if (a.firstRow != b.firstRow || a.rows != b.rows || a.firstTriangle != b.firstTriangle ||
            a.triangles != b.triangles || a.material != b.material || !isFinite(b.restVolume))
            refuse("a balloon is impossible");
    }
}

}  // namespace

void saveState(const World& world, const std::filesystem::path& file) {
    Header header{};
    std::memcpy(header.magic, kMagic, sizeof kMagic);
    header.endianness = kEndianness;
    header.arrays = kArrays;
    header.manifest = manifestHash();
    header.scene = sceneFingerprint(world);
    header.bodies = bodiesFingerprint(world);
    header.particles = world.count();
    header.step = world.step, header.frame = world.frame, header.time = world.time;
    header.ballRadius = double{world.ballRadius};
    header.births = world.births, header.deaths = world.deaths, header.nextId = world.nextId;
    header.rows = world.solids.count(TableOf::rows);
    header.members = world.solids.count(TableOf::members);
    header.clusters = world.solids.count(TableOf::clusters);
    header.springs = world.solids.count(TableOf::springs);
    header.triangles = world.solids.count(TableOf::triangles);
    header.volumeConstraints = world.solids.count(TableOf::volumeConstraints);
    header.shapes = world.shapes.size();
    header.mouseConstraints = world.mouseConstraints.size();
    const SpawnState& spawning = world.spawning;
    header.emitters = spawning.emitters.size(), header.sinks = spawning.removedBySink.size();
    header.lifetimes = spawning.lifetimes.size(), header.marks = spawning.marks.size(),
    header.slots = spawning.slots.size();
    header.spawnFrames = spawning.frames, header.seen = spawning.seen, header.expired = spawning.expired;
    header.checksum = checksum(&header, offsetof(Header, checksum));

    std::filesystem::path part = file;
    part += ".part";
    std::ofstream out(part, std::ios::binary);
    out.write(reinterpret_cast<const char*>(&header), sizeof header);
    const auto write = [&]<class T>(const std::vector<T>& host) {
        const size_t bytes = host.size() * sizeof(T);
        const uint64_t sum = checksum(host.data(), bytes);
        out.write(reinterpret_cast<const char*>(&sum), sizeof sum);
        out.write(reinterpret_cast<const char*>(host.data()), static_cast<std::streamsize>(bytes));
    };
    write(spawning.slots);
    forEachArray(world.particles, [&](const auto& array, const ArrayInfo&) { write(array.download()); });
    forEachTable(world.solids, [&](const auto& table, const char*, TableOf) { write(table.download()); });
    std::vector<uint64_t> entered(world.shapes.size(), 0);
    for (size_t s = 0; s < std::min(entered.size(), world.shapeReports.size()); ++s)
        entered[s] = world.shapeReports[s].entered;
    write(entered);
    std::vector<KinematicShape> led;
    for (const Shape& s : world.shapes) {
        const Vec3& p = s.position;
        const Quat& q = s.rotation;
        led.push_back({s.since, {p.x, p.y, p.z}, {q.x, q.y, q.z, q.w}, 0});
    }
    write(led);
    write(world.mouseConstraints);
    write(spawning.emitters);
    write(spawning.removedBySink);
    write(spawning.lifetimes);
    write(spawning.marks);
    out.close();
    std::error_code error;
    if (out) std::filesystem::rename(part, file, error);
    if (!out || error) {
        std::error_code ignored;
        std::filesystem::remove(part, ignored);
        fail(Exit::Output, file.string(), "the state could not be written",
             "Check the folder, its rights and the free space.");
    }
}

void loadState(World& world, const std::filesystem::path& file) {
    const auto refuse = [&](const std::string& why) {
        fail(Exit::Scene, file.string(), "this saved state is refused: " + why,
             "The world is as it was before.");
    };
    std::ifstream in(file, std::ios::binary | std::ios::ate);
    if (!in) fail(Exit::Scene, file.string(), "cannot be opened", "Check the path.");
    const auto bytes = static_cast<uint64_t>(in.tellg());
    in.seekg(0);

    Header header{};
    if (bytes < sizeof header || !in.read(reinterpret_cast<char*>(&header), sizeof header))
        refuse("it is shorter than a header");
    // the last two letters are the version
    if (std::memcmp(header.magic, kMagic, sizeof kMagic - 2) != 0)
        refuse("it is not a saved state of Coalesce");
    if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0)
        refuse("it was written by another version of Coalesce");
    if (header.endianness != kEndianness) refuse("it was written on a machine of other byte order");
    if (header.checksum != checksum(&header, offsetof(Header, checksum))) refuse("its header is damaged");
    if (header.manifest != manifestHash() || header.arrays != kArrays)
        refuse("it was written by a version of Coalesce with other parameters or arrays");
    // it may be of a world in which a hand has thrown a ball
    const auto radius = static_cast<float>(header.ballRadius);
    if (!(radius >= 0) || !(radius < 1e6f)) refuse("its ball is impossible");
    if (world.ball && radius > 0 && radius != world.ballRadius)
        refuse(fmt::format("its thrown balls have a radius of {:g} m, and those here {:g} m", radius,
                           world.ballRadius));
    const bool withBall = radius > 0 && !world.ball;
    if (withBall) {
        if (!obstacleToBall(world, radius).empty()) refuse("its ball is impossible");
        readyBall(world, radius);
    }
    const auto withoutBall = [&](World* w) { forgetBall(*w); };
    std::unique_ptr<World, decltype(withoutBall)> unlessLoaded(withBall ? &world : nullptr, withoutBall);
    if (header.scene != sceneFingerprint(world))
        refuse("it belongs to a scene with other materials, shapes or channels");
    if (header.particles > 0xffffffffu || header.nextId > 0xffffffffu || header.nextId < header.particles ||
        !(header.time >= 0) || header.time > 1e12)
        refuse("its counts are impossible");
    const SolidTables& solids = world.solids;
    const auto read = [&]<class T>(std::vector<T>& array, size_t size, const char* name) {
        array.resize(size);
        uint64_t sum = 0;
        in.read(reinterpret_cast<char*>(&sum), sizeof sum);
        in.read(reinterpret_cast<char*>(array.data()),
                static_cast<std::streamsize>(array.size() * sizeof(T)));
        if (!in || sum != checksum(array.data(), array.size() * sizeof(T)))
            refuse(fmt::format("its array '{}' is damaged", name));
    };
    if (header.emitters != world.emitters.size() || header.sinks > world.sinks.size())
        refuse("its emitters and sinks are others than those of the scene");
    for (const uint64_t listed : {header.lifetimes, header.marks, header.slots})
        if (listed > bytes / 8) refuse("its counts are impossible");
    SpawnState spawning;
    spawning.frames = header.spawnFrames, spawning.seen = header.seen, spawning.expired = header.expired;
    read(spawning.slots, header.slots, "slots");
    const size_t ownBodies = world.bodies.size() - world.spawning.slots.size();
    for (size_t k = 0; k < spawning.slots.size(); ++k) {
        const BodySlot& slot = spawning.slots[k];
        const auto before = std::span(spawning.slots).first(k);
        if (slot.prefab >= world.prefabs.size() || slot.body != ownBodies + k || slot.alive > 1 ||
            slot.firstMember != ownCount(world, TableOf::members) + inSlots(world, before, TableOf::members))
            refuse("an emitted body is impossible");
    }
    const auto expect = [&](TableOf of) { return ownCount(world, of) + inSlots(world, spawning.slots, of); };
    if (header.bodies != bodiesFingerprint(world) || header.rows != expect(TableOf::rows) ||
        header.members != expect(TableOf::members) || header.clusters != expect(TableOf::clusters) ||
        header.triangles != solids.count(TableOf::triangles) ||
        header.volumeConstraints != solids.count(TableOf::volumeConstraints) || header.springs > kMostSprings)
        refuse(
            "its solid bodies are others than those that the scene has now; one that was saved after a "
            "body's late birth cannot be loaded");
    if (header.shapes != world.shapes.size()) refuse("its shapes are others than those of the scene");
    if (header.mouseConstraints > kMaxMouseConstraints) refuse("it has more hands than there can be");
    // tearing adds springs
    const auto countOf = [&](TableOf of) { return of == TableOf::springs ? header.springs : expect(of); };
    uint64_t expected =
        sizeof header + (kArrays + world.particles.attributes.size()) * sizeof(uint64_t) +
        header.particles * (World::stateBytesPerParticle() + world.attributeBytesPerParticle()) +
        (1 + header.shapes) * sizeof(uint64_t) + sizeof(uint64_t) + header.shapes * sizeof(KinematicShape) +
        sizeof(uint64_t) + header.mouseConstraints * sizeof(MouseConstraint) + 5 * sizeof(uint64_t) +
        header.slots * sizeof(BodySlot) + header.emitters * sizeof(EmitterProgress) +
        header.sinks * sizeof(uint64_t) + header.lifetimes * sizeof(Lifetime) +
        header.marks * sizeof(SpawnTimestamp);
    forEachTable(solids, [&]<class T>(const Buffer<T>&, const char*, TableOf of) {
        expected += sizeof(uint64_t) + countOf(of) * sizeof(T);
    });
    if (bytes != expected) refuse(fmt::format("it has {} bytes where {} are expected", bytes, expected));

    // read and check everything before the world is touched
    HostParticles host(world);
    HostBodies bodies;
    forEachArray(host, [&](auto& array, const ArrayInfo& info) { read(array, header.particles, info.name); });
    forEachTable(bodies, [&](auto& table, const char* name, TableOf of) { read(table, countOf(of), name); });
    std::vector<uint64_t> entered;
    read(entered, header.shapes, "entered");
    std::vector<KinematicShape> led;
    read(led, header.shapes, "led shapes");
    std::vector<MouseConstraint> mouseConstraints;
    read(mouseConstraints, header.mouseConstraints, "hands");
    read(spawning.emitters, header.emitters, "emitters");
    read(spawning.removedBySink, header.sinks, "sunk");
    read(spawning.lifetimes, header.lifetimes, "lives");
    read(spawning.marks, header.marks, "marks");
    validate(world, header, host, bodies, mouseConstraints, spawning, refuse);
    for (const KinematicShape& s : led) {
        const auto& [x, y, z, w] = s.rotation;
        if (!(s.since >= 0) || !isFinite(Vec3{s.position[0], s.position[1], s.position[2]}) ||
            !(std::abs(x * x + y * y + z * z + w * w - 1) < 1e-3f))
            refuse("the place of a shape is impossible");
    }

    unlessLoaded.release();
    world.setSlots(spawning.slots);
    world.spawning = std::move(spawning);

#define ARRAY(T, name, unit, role, about) world.particles.name.upload(host.name);
#include "sim/world/particles.def"
    for (size_t c = 0; c < host.attributes.size(); ++c)
        std::visit(
            [&]<class T>(const std::vector<T>& values) {
                std::get<Buffer<T>>(world.particles.attributes[c].values).upload(values);
            },
            host.attributes[c].values);
#define TABLE(T, name, of, unit, about) world.solids.name.upload(bodies.name);
#include "sim/world/solids.def"
    ++world.solids.topology;
    world.shapeReports.assign(header.shapes, {});
    for (size_t s = 0; s < entered.size(); ++s) world.shapeReports[s].entered = entered[s];
    for (size_t s = 0; s < led.size(); ++s) {
        if (led[s].since == 0 || !world.shapes[s].keys.empty()) continue;
        const auto& p = led[s].position;
        const auto& q = led[s].rotation;
        world.shapes[s].position = {p[0], p[1], p[2]}, world.shapes[s].rotation = {q[0], q[1], q[2], q[3]};
        world.shapes[s].since = led[s].since;
    }
    for (const uint32_t phase : host.phase)
        world.groupsNamed = std::max(world.groupsNamed, groupOf(phase) + 1);
    world.mouseConstraints = mouseConstraints;
    world.commands.clear();
    world.step = header.step, world.frame = header.frame, world.time = header.time;
    world.births = header.births, world.deaths = header.deaths,
    world.nextId = static_cast<uint32_t>(header.nextId);
}

}  // namespace coalesce
