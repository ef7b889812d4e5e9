#include "allocation_faults.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <new>
#include <sys/wait.h>
#include <unistd.h>

#include "scene/build/build.h"
#include "scene/reader.h"

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
// as the library's own; that of the address sanitizer would not match operator delete
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
    try {
        return operator new(bytes);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}
void operator delete(void* memory) noexcept {
    release(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
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

// Runs `action` with its k-th allocation failing.
Outcome failAt(int64_t k, const std::function<void()>& action) {
    bool failed = false;
    g_untilFailure = k;
    try {
        action();
    } catch (const std::exception&) {
        failed = true;  // as it was thrown, or turned into a message
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

std::map<std::string, std::string> filesIn(const std::filesystem::path& path) {
    std::map<std::string, std::string> files;
    std::error_code missing;
    for (const auto& entry : std::filesystem::directory_iterator(path, missing))
        files[entry.path().filename().string()] = readText(entry.path());
    return files;
}

}  // namespace

int64_t livingAllocations() {
    return g_living;
}

int failEach(const std::function<void()>& action, const std::function<void(Outcome)>& verify, bool inChild) {
    int failures = 0;
    for (int64_t k = 0;; k += 1 + k / 64) {
        const Outcome outcome = inChild ? failInChild(k, action) : failAt(k, action);
        if (outcome == Outcome::done) return failures;
        failures += outcome != Outcome::swallowed;
        verify(outcome);
        if (::testing::Test::HasFailure()) {
            ADD_FAILURE() << "when allocation " << k << " failed";
            return failures;
        }
    }
}

AllocationFaults::AllocationFaults()
    : exec({.backend = "cpu", .threads = 1}), world(exec), scene(readScene(smallScene(folder))) {
    buildWorld(scene, world);
}

void AllocationFaults::failWrites(const std::string& name, const std::function<void()>& write) {
    write();
    const std::string whole = readText(folder / name);
    const std::string older = "an older file";
    const auto restore = [&] { writeText(folder / name, older); };
    restore();
    const int failures = failEach(
        write,
        [&](Outcome outcome) {
            const std::string left = readText(folder / name);
            EXPECT_TRUE(left == whole || (left == older && outcome != Outcome::swallowed))
                << "half a file: " << left.size() << " bytes";
            for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
                EXPECT_EQ(entry.path().string().find(".part"), std::string::npos) << entry.path();
            restore();
        },
        true);
    EXPECT_GT(failures, 5) << "the test must reach the allocations of the writer";
}

std::set<std::string> AllocationFaults::halfFilesOf(
    const std::function<void(const std::filesystem::path&)>& write, bool usesJson) {
    write(folder / "whole");
    const std::map<std::string, std::string> whole = filesIn(folder / "whole");
    std::set<std::string> half;
    size_t most = 0;
    const auto verify = [&](Outcome outcome) {
        EXPECT_TRUE(usesJson || outcome != Outcome::died);
        const std::map<std::string, std::string> left = filesIn(folder / "failed");
        for (const auto& [name, bytes] : left)
            if (!whole.contains(name) || whole.at(name) != bytes) half.insert(name);
        if (outcome == Outcome::swallowed) {
            EXPECT_EQ(left.size(), whole.size()) << "files are missing";
        }
        most = std::max(most, left.size());
        std::filesystem::remove_all(folder / "failed");
    };
    const int failures = failEach([&] { write(folder / "failed"); }, verify, true);
    EXPECT_GT(failures, 5) << "the test must reach the allocations of the writer";
    EXPECT_GE(most, (whole.size() + 1) / 2) << "and of its last files";
    return half;
}

}  // namespace coalesce::test
