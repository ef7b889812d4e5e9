// Memory runs out at any allocation, one at a time: files stay whole, a world stays as it was, nothing leaks.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <new>
#include <sys/wait.h>
#include <unistd.h>

#include "geometry/mesh/mesh_reader.h"
#include "scene/build/build.h"
#include "scene/format/presets.h"
#include "scene/reader.h"
#include "session/replay.h"
#include "sim/solver/solver.h"
#include "sim/state/state_file.h"
#include "sim/state/state_hash.h"
#include "sim/state/world_snapshot.h"
#include "support/small_scene.h"

namespace {

std::atomic<int64_t> g_untilFailure = -1;  // allocations before the one that fails; negative: none fails
std::atomic<int64_t> g_living = 0;         // allocations that were not freed

void* allocate(size_t bytes, size_t alignment) {
    if (g_untilFailure >= 0 && g_untilFailure-- == 0) throw std::bad_alloc();
    void* memory =
        std::aligned_alloc(alignment, (std::max<size_t>(bytes, 1) + alignment - 1) / alignment * alignment);
    if (!memory) throw std::bad_alloc();
    ++g_living;
    return memory;
}
void release(void* memory) {
    if (memory) --g_living;
    std::free(memory);
}

}  // namespace

void* operator new(size_t bytes) {
    return allocate(bytes, alignof(std::max_align_t));
}
void* operator new(size_t bytes, std::align_val_t alignment) {
    return allocate(bytes, size_t(alignment));
}
void operator delete(void* memory) noexcept {
    release(memory);
}
void operator delete(void* memory, size_t) noexcept {
    release(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    release(memory);
}
void operator delete(void* memory, size_t, std::align_val_t) noexcept {
    release(memory);
}

namespace coalesce::test {
namespace {

enum class Outcome { done, failed, swallowed, died };

// Runs `action` with its k-th allocation failing.
Outcome failAt(int64_t k, const std::function<void()>& action) {
    bool failed = false;
    g_untilFailure = k;
    try {
        action();
    } catch (const std::bad_alloc&) {
        failed = true;
    } catch (const Error&) {
        failed = true;  // the failure was turned into a message
    }
    const bool reached = g_untilFailure < 0;
    g_untilFailure = -1;
    return failed ? Outcome::failed : reached ? Outcome::swallowed : Outcome::done;
}

// The same in a child process, which may die: destructors of nlohmann::json allocate.
Outcome failInChild(int64_t k, const std::function<void()>& action) {
    const pid_t child = fork();
    if (child == 0) {
        std::freopen("/dev/null", "w", stderr);
        _exit(int(failAt(k, action)));
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? Outcome(WEXITSTATUS(status)) : Outcome::died;
}

// Lets each allocation of `action` fail, of the later ones a sample;
// `verify` follows. Returns the number of failures.
int failEach(const std::function<void()>& action, const std::function<void()>& verify,
             Outcome (*failing)(int64_t, const std::function<void()>&) = failAt) {
    int failures = 0;
    for (int64_t k = 0;; k += 1 + k / 64) {
        const Outcome outcome = failing(k, action);
        if (outcome == Outcome::done) return failures;
        failures += outcome != Outcome::swallowed;
        verify();
        if (::testing::Test::HasFailure()) {
            ADD_FAILURE() << "when allocation " << k << " failed";
            return failures;
        }
    }
}

class AllocationFaults : public ::testing::Test {
protected:
    AllocationFaults()
        : exec({.backend = "cpu", .threads = 1}), world(exec), scene(readScene(smallScene(folder))) {
        buildWorld(scene, world);
    }
    // Each failure of a write over an older file leaves that file, or the new one, and nothing besides.
    void failWrites(const std::string& name, const std::function<void()>& write) {
        write();
        const std::string whole = readText(folder / name);
        const std::string older = "an older file";
        const auto restore = [&] { writeText(folder / name, older); };
        restore();
        const int failures = failEach(
            write,
            [&] {
                const std::string left = readText(folder / name);
                EXPECT_TRUE(left == whole || left == older) << "half a file: " << left.size() << " bytes";
                for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
                    EXPECT_EQ(entry.path().string().find(".part"), std::string::npos) << entry.path();
                restore();
            },
            failInChild);
        EXPECT_GT(failures, 5) << "the test must reach the allocations of the writer";
    }

    TemporaryFolder folder;
    Exec exec;
    World world;
    Scene scene;
};

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
                                  [&] {
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
    const int64_t living = g_living;
    EXPECT_GT(failEach(read, [&] { EXPECT_EQ(g_living, living); }), 20);
}

// Scenes are written and read through nlohmann::json, which may
// end the process; nothing else may happen to it.
TEST_F(AllocationFaults, TheReaderOfScenesEnds) {
    const auto read = [&] { readScene(scene.file); };
    EXPECT_GT(failEach(
                  read, [] {}, failInChild),
              100);
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
        [&] {
            start.restore(world);
            Solver(world).step();
            EXPECT_EQ(stateHash(world), expected);
        });
    EXPECT_GT(failures, 20);
}

}  // namespace
}  // namespace coalesce::test
