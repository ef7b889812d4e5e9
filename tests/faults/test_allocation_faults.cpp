// Memory runs out at any allocation: files stay whole, a world stays as it was, nothing leaks.
#include <fstream>
#include <malloc.h>

#include "allocation_faults.h"
#include "cache/cache_writer.h"
#include "export/exporter.h"
#include "geometry/mesh/mesh_reader.h"
#include "scene/build/build.h"
#include "scene/format/presets.h"
#include "scene/reader.h"
#include "session/replay.h"
#include "sim/solver/solver.h"
#include "sim/state/state_file.h"
#include "sim/state/state_hash.h"
#include "sim/state/world_snapshot.h"

namespace coalesce::test {

TEST_F(AllocationFaults, SavedStatesAreWholeOrAbsent) {
    failWrites("state", [&] { saveState(world, folder / "state"); });
}

TEST_F(AllocationFaults, ReplaysAreWholeOrAbsent) {
    Replay replay;
    replay.scene = scene.file;
    replay.events = {{0, Edit{"fluid.relaxation", {0.5}, ""}, 0}};
    replay.marks = {{0, 1}, {9, 2}};
    failWrites("replay.json", [&] { writeReplay(replay, folder / "replay.json"); });
}

TEST_F(AllocationFaults, PresetsAreWholeOrAbsent) {
    Preset preset;
    preset.about = "Thick water.";
    preset.values = {{"materials.water.viscosity", {0.5}, ""}};
    failWrites("preset.json", [&] { writePreset(preset, folder / "preset.json"); });
}

TEST_F(AllocationFaults, AFileThatIsWrittenInPlaceIsHalf) {
    const auto half = halfFilesOf([&](const std::filesystem::path& to) {
        std::filesystem::create_directory(to);
        std::ofstream file(to / "in_place");
        for (int part = 0; part < 10; ++part) file << std::string(100, 'x') << std::flush;
    });
    EXPECT_TRUE(half.contains("in_place"));
}

TEST_F(AllocationFaults, FramesOfACacheAreWholeOrAbsent) {
    const auto half = halfFilesOf(
        [&](const std::filesystem::path& to) {
            CacheWriter cache({.folder = to, .every = 2}, scene);
            for (world.frame = 0; world.frame < 3; ++world.frame) cache.take(world);
            cache.finish();
        },
        true);
    EXPECT_TRUE(half.empty()) << *half.begin();
}

TEST_F(AllocationFaults, ExportedFilesAreWholeOrAbsent) {
    using enum ExportFormat;
    const auto half = halfFilesOf([&](const std::filesystem::path& to) {
        Exporter exporter({.formats = {ply, vtk, bgeo, vtp, usd}, .folder = to});
        for (world.frame = 0; world.frame < 2; ++world.frame) exporter.take(world, "small");
        exporter.finish();
    });
    EXPECT_TRUE(half.empty()) << *half.begin();
}

TEST_F(AllocationFaults, AStateIsLoadedOrTheWorldStays) {
    {
        World later(exec);
        buildWorld(scene, later);
        Solver(later).step();
        saveState(later, folder / "state");
    }
    const WorldSnapshot start(world);
    const uint64_t before = stateHash(world);
    loadState(world, folder / "state");
    const uint64_t after = stateHash(world);
    ASSERT_NE(before, after);
    start.restore(world);
    ASSERT_EQ(stateHash(world), before);
    const int failures = failEach([&] { loadState(world, folder / "state"); },
                                  [&](Outcome) {
                                      const uint64_t now = stateHash(world);
                                      EXPECT_TRUE(now == before || now == after) << "half a state";
                                      start.restore(world);
                                  });
    EXPECT_GT(failures, 20);
}

TEST_F(AllocationFaults, TheReaderOfMeshesLeaksNothing) {
    std::string text = "o tetrahedra\n";
    for (int k = 0; k < 40; ++k)
        text += "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf -4 -2 -3\nf -4 -3 -1\nf -3 -2 -1\nf -2 -4 -1\n";
    const auto read = [&] { parseMesh(text, MeshFormat::obj, "tetrahedra.obj"); };
    read();
    const int64_t living = livingAllocations();
    EXPECT_GT(failEach(read, [&](Outcome) { EXPECT_EQ(livingAllocations(), living); }), 20);
}

// Scenes are written and read through nlohmann::json, which may
// end the process; nothing else may happen to it.
TEST_F(AllocationFaults, TheReaderOfScenesEnds) {
    const auto read = [&] { readScene(scene.file); };
    EXPECT_GT(failEach(
                  read, [](Outcome) {}, true),
              100);
}

// Of the backend: large blocks are mapped by themselves, and counted.
TEST_F(AllocationFaults, MemoryThatIsNotHandedOutIsGivenBack) {
    const size_t mapped = mallinfo2().hblkhd;
    const auto take = [&] { exec.release(exec.allocate(40 << 20)); };
    EXPECT_GT(failEach(take, [&](Outcome) { EXPECT_EQ(mallinfo2().hblkhd, mapped); }), 0);
}

TEST_F(AllocationFaults, AFrameCanBeRepeatedFromASnapshot) {
    const WorldSnapshot start(world);
    Solver(world).step();
    const uint64_t expected = stateHash(world);
    const int failures = failEach(
        [&] {
            start.restore(world);
            Solver(world).step();
        },
        [&](Outcome) {
            start.restore(world);
            Solver(world).step();
            EXPECT_EQ(stateHash(world), expected);
        });
    EXPECT_GT(failures, 20);
}

}  // namespace coalesce::test
