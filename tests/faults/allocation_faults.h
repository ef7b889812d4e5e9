// Memory runs out at any allocation, one at a time. The program that this is linked into has its operator new replaced.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <set>
#include <string>

#include "scene/format/scene.h"
#include "sim/world/world.h"
#include "support/small_scene.h"

namespace coalesce::test {

enum class Outcome { done, failed, swallowed, died };

// Runs an action with each of its allocations failing in turn, of the later ones a sample; `verify` follows each, with
// the outcome: an error, or none although an allocation failed. Returns the number of failures. inChild: each in a
// child process, which may die: destructors of nlohmann::json allocate.
int failEach(const std::function<void()>& action, const std::function<void(Outcome)>& verify,
             bool inChild = false);
int64_t livingAllocations();  // that were not freed

// A small scene, and a world of it.
class AllocationFaults : public ::testing::Test {
protected:
    AllocationFaults();
    // Each failure of a write over an older file leaves that file, or the new one, and nothing besides.
    void failWrites(const std::string& name, const std::function<void()>& write);
    // Files that differ from those of a write without failures, after any failure of a writer of several files. It may
    // leave those that it had written; but all of them if it reports no failure, and the process may not
    // end, unless the writer uses nlohmann::json.
    std::set<std::string> halfFilesOf(const std::function<void(const std::filesystem::path&)>& write,
                                      bool usesJson = false);

    TemporaryFolder folder;
    Exec exec;
    World world;
    Scene scene;
};

}  // namespace coalesce::test
