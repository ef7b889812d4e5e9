// The state of a run, declared once. State hash, state file, comparison, snapshot and rollback of a frame are
// archives that visit this list: a new stateful thing is one line in one of its sections.
//
// An archive derives from StateArchive and hides the members for what it deals with:
//     value(name, number)              a number
//     list(name, records)              host records of a plain type, see state_layout.h
//     gathered(name, gather, scatter)  the same, computed from the world and distributed to it
//     particles(info, array)           one element per particle, in storage order
//     table(name, table)               a device table
//     setting(name, object)            any host object that can be copied; snapshots only
#pragma once

#include "sim/state/host_state.h"
#include "sim/state/world_settings.h"
#include "sim/world/world.h"

namespace coalesce {

// The archives that take part in a section.
enum StateUse : uint32_t {
    kHashed = 1,      // state hash
    kSaved = 2,       // state file, comparison
    kSnapshot = 4,    // WorldSnapshot
    kRolledBack = 8,  // FrameBackup: the substeps of a frame change it on the device
};

// How a section enters the state hash. See state_hasher.h for why the first two are there.
enum class HashRule {
    particles,  // each array adds to the hash of its particle; the sum of these begins the state hash
    words,      // each word is mixed into the state hash
    own,        // the section has a hash of its own, which is mixed into the state hash at its end
};
enum class Hashed { yes, no };
enum class EmptyTable { hashed, skipped };

struct StateSection {
    const char* name;
    uint32_t version;  // in state files; raise it when items are added, removed or change their meaning
    uint32_t use = kHashed | kSaved | kSnapshot;
    HashRule hash = HashRule::own;
    // own: false where the scene has nothing of the kind, so that scenes without it keep their hash
    bool hashed = true;
    uint64_t hashSeed = 0;  // own
};

template <uint32_t kUse>
class StateArchive {
public:
    static constexpr uint32_t use = kUse;

    template <class Visit>
    void section(const StateSection& section, Visit&& visit) {
        if (section.use & kUse) visit();
    }
    template <class T>
    void value(const char*, T&, Hashed = Hashed::yes) {}
    template <class Records>
    void list(const char*, Records&) {}
    template <class Gather, class Scatter>
    void gathered(const char*, Gather&&, Scatter&&) {}
    template <class Array>
    void particles(const ArrayInfo&, Array&) {}
    template <class Table>
    void table(const char*, Table&, EmptyTable = EmptyTable::skipped) {}
    template <class T>
    void setting(const char*, T&) {}
};

// What a run changes and a state file keeps. State: World or HostState; const for archives that only read it.
// The order of the hashed sections and items is that of the state hash, and frozen.
template <class Archive, class State>
void visitRunState(Archive& archive, State& state) {
    const World& world = worldOf(state);
    constexpr uint32_t kHost = kHashed | kSaved | kSnapshot, kDevice = kHost | kRolledBack;

    archive.section({"particles", 2, kDevice, HashRule::particles}, [&] {
        forEachManifestArray(state.particles,
                             [&](auto& array, const ArrayInfo& info) { archive.particles(info, array); });
    });
    archive.section({"attributes", 1, kDevice, HashRule::particles}, [&] {
        forEachAttribute(state.particles,
                         [&](auto& array, const ArrayInfo& info) { archive.particles(info, array); });
    });
    archive.section({"time", 1, kHost, HashRule::words}, [&] {
        archive.value("step", state.step);
        archive.value("time", state.time);
        archive.value("nextId", state.nextId);
        archive.value("frame", state.frame, Hashed::no);
        archive.value("particlesAdded", state.particlesAdded, Hashed::no);
        archive.value("particlesRemoved", state.particlesRemoved, Hashed::no);
    });
    archive.section({"mouse constraints", 1, kHost, HashRule::words},
                    [&] { archive.list("mouseConstraints", state.mouseConstraints); });

    auto& spawning = state.spawning;
    const bool spawns = !world.emitters.empty() || !world.sinks.empty();
    archive.section({"spawning", 2, kHost, HashRule::own, spawns, spawning.frames}, [&] {
        archive.value("expired", spawning.expired);
        archive.list("emitters", spawning.emitters);
        archive.list("removedBySink", spawning.removedBySink);
        archive.list("lifetimes", spawning.lifetimes);
        archive.list("marks", spawning.marks);
        archive.list("slots", spawning.slots);
        archive.value("frames", spawning.frames, Hashed::no);  // the seed
        archive.value("seen", spawning.seen, Hashed::no);
        archive.value("firstNew", spawning.firstNew, Hashed::no);  // a repeated frame spawns none
    });

    const bool bodies = !world.bodies.empty();
    archive.section({"bodies", 1, kDevice, HashRule::own, bodies, world.bodies.size()}, [&] {
        forEachTable(state.solids, [&](auto& table, const char* name, TableOf of) {
            // tables that came with cloth are hashed only where there is cloth
            archive.table(name, table, of < TableOf::springs ? EmptyTable::hashed : EmptyTable::skipped);
        });
    });

    const bool cfl = world.parameters.solver.timeStep == TimeStep::cfl;
    archive.section({"time step", 1, kHost, HashRule::own, cfl}, [&] {
        archive.value("crossingTime", state.crossingTime);
        archive.value("substeps", state.substeps, Hashed::no);
        archive.value("method", state.method, Hashed::no);
    });

    // made after the substeps of a frame, which therefore need not roll them back
    auto& passives = state.passiveCounters;
    archive.section({"passive particles", 1, kHost, HashRule::own, passives.born > 0, passives.born}, [&] {
        forEachPassiveArray(state.passive,
                            [&](auto& array, const char* name) { archive.table(name, array); });
        archive.value("born", passives.born, Hashed::no);  // the seed
        archive.value("seen", passives.seen, Hashed::no);
        archive.value("smoked", passives.smoked, Hashed::no);
        archive.value("expired", passives.expired);
        archive.value("displaced", passives.displaced);
    });

    archive.section({"shapes", 1, kSaved}, [&] {
        archive.gathered(
            "progress", [&] { return shapeProgressOf(state); },
            [&](const auto& progress) { setShapeProgress(state, progress); });
    });
    archive.section({"user spawns", 1, kSaved}, [&] {
        archive.gathered(
            "ballRadius", [&] { return ballRadiusOf(state); },
            [&](const auto& radius) { setBallRadius(state, radius); });
    });
    if (!world.laterBodies.empty())
        archive.section({"later bodies", 1, kSaved}, [&] {
            archive.gathered(
                "firstIds", [&] { return laterIdsOf(state); },
                [&](const auto& ids) { setLaterIds(state, ids); });
        });
}

// What a scene describes, and users and timelines change; a state file leaves it to the scene.
template <class Archive, class AnyWorld>
void visitSettings(Archive& archive, AnyWorld& world) {
    archive.section({"settings", 1, kSnapshot}, [&] {
        archive.setting("parameters", world.parameters);
        archive.setting("materials", world.materials);
        archive.setting("fields", world.forceFields);
        archive.setting("sinks", world.sinks);
        archive.setting("shapeReports", world.shapeReports);
        archive.setting("groups", world.groups);
        archive.setting("groupsNamed", world.groupsNamed);
        archive.setting("bodies", world.bodies);
        archive.setting("spawnRecord", world.spawnRecord);
        archive.setting("bodiesPending", world.spawning.bodiesPending);
        archive.gathered(
            "shapes", [&] { return shapesWithoutCorners(world); },
            [&](const auto& shapes) { setShapes(world, shapes); });
        archive.gathered(
            "emitterProperties", [&] { return emitterPropertiesOf(world); },
            [&](const auto& properties) { setEmitterProperties(world, properties); });
        archive.gathered(
            "ball", [&] { return thrownBallOf(world); },
            [&](const auto& ball) { setThrownBall(world, ball); });
    });
    archive.section({"body tables", 1, kSnapshot}, [&] {
        archive.table("slotOf", world.solids.slotOf);
        archive.table("memberRow", world.solids.memberRow);
        archive.table("memberCluster", world.solids.memberCluster);
        archive.table("rowStart", world.solids.rowStart);
        archive.table("rowMembers", world.solids.rowMembers);
        archive.table("chunks", world.solids.chunks);
        archive.table("clusters", world.solids.clusters);
        archive.table("anchors", world.solids.anchors);
        archive.table("roundSurfaces", world.solids.roundSurfaces);
        archive.table("roundBodies", world.solids.roundBodies);
        archive.table("rowBallRadius", world.solids.rowBallRadius);
    });
}

template <class Archive, class AnyWorld>
void visitState(Archive& archive, AnyWorld& world) {
    visitRunState(archive, world);
    if constexpr (Archive::use & kSnapshot) visitSettings(archive, world);
}

}  // namespace coalesce
