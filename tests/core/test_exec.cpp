// Choice of the backend and device; memory; threads.
#include <atomic>
#include <cfenv>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

#include "core/buffer.h"
#include "core/cuda_state.h"
#include "core/error.h"
#include "core/exec.h"
#include "support/each_backend.h"

#if defined(__SSE__)
#include <immintrin.h>
#endif

namespace coalesce {
namespace {

using ::testing::Test;

Error errorOf(const ExecOptions& options) {
    try {
        Exec exec(options);
    } catch (const Error& error) {
        return error;
    }
    return Error(Exit::Success, "no error");
}
bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(Exec, CpuBackendDescribesItsThreads) {
    const Exec exec({.backend = "cpu", .threads = 3});
    EXPECT_EQ(exec.backend(), Backend::Cpu);
    EXPECT_FALSE(exec.onCuda());
    EXPECT_EQ(exec.cudaDevice(), -1);
    EXPECT_EQ(exec.threads(), 3);
    EXPECT_EQ(exec.description(), "CPU, 3 threads");
    EXPECT_EQ(Exec({.backend = "cpu", .threads = 1}).description(), "CPU, 1 thread");
}

TEST(Exec, AutoUsesCudaWhereUsableAndElseGivesTheReason) {
    const CudaState cuda = cudaState();
    const Exec exec({.backend = "auto"});
    EXPECT_EQ(exec.onCuda(), cuda.usable);
    EXPECT_EQ(exec.cudaDevice(), cuda.index);
    EXPECT_FALSE(cuda.device.empty());
    EXPECT_TRUE(contains(exec.description(), cuda.device)) << exec.description();
    if (!cuda.usable) {
        EXPECT_TRUE(contains(exec.description(), "; no CUDA: ")) << exec.description();
    }
}

TEST(Exec, CudaWithoutADeviceFailsWithAdvice) {
    const CudaState cuda = cudaState();
    const Error error = errorOf({.backend = "cuda"});
    if (cuda.usable) {
        EXPECT_EQ(error.code, Exit::Success) << error.what();
        return;
    }
    EXPECT_EQ(error.code, Exit::Device);
    for (const char* part :
         {"--backend cuda: ", cuda.device.c_str(), "run with --backend cpu",
          cuda.built ? "driver" : "On a computer with an NVIDIA GPU, install the CUDA toolkit"})
        EXPECT_TRUE(contains(error.what(), part)) << part << " is missing in: " << error.what();
}

TEST(Exec, ADeviceAskedForIsNeverReplaced) {
    for (const std::string backend : {"auto", "cuda"}) {
        const Error error = errorOf({.backend = backend, .device = 999});
        EXPECT_EQ(error.code, Exit::Device) << error.what();
        EXPECT_TRUE(contains(error.what(), "--device 999: ")) << error.what();
        EXPECT_TRUE(contains(error.what(), "--backend cpu")) << error.what();
    }
    if (const CudaState cuda = cudaState(); cuda.usable) {
        EXPECT_EQ(Exec({.device = cuda.index}).cudaDevice(), cuda.index);
        EXPECT_TRUE(contains(errorOf({.device = 999}).what(), "there is no CUDA device 999"));
    }
}

TEST(Exec, APreferredDeviceThatIsMissingIsReplaced) {
    const Exec exec({.preferredDevice = 999});
    EXPECT_EQ(exec.onCuda(), cudaState().usable);
}

TEST(Exec, KnowsWhetherThisBuildHasCuda) {
#ifdef COALESCE_CUDA
    EXPECT_TRUE(cudaState().built);
#else
    EXPECT_FALSE(cudaState().built);
    EXPECT_FALSE(cudaState().usable);
#endif
}

TEST(Exec, RefusesUnknownBackendsAndOptionsOutOfRange) {
    const Error backend = errorOf({.backend = "gpu"});
    EXPECT_EQ(backend.code, Exit::Usage);
    EXPECT_TRUE(contains(backend.what(), "--backend gpu")) << backend.what();
    EXPECT_TRUE(contains(backend.what(), "auto, cuda, cpu")) << backend.what();
    const Error device = errorOf({.backend = "cpu", .device = 0});
    EXPECT_EQ(device.code, Exit::Usage);
    EXPECT_TRUE(contains(device.what(), "--device 0: the CPU backend has no devices")) << device.what();
    for (int threads : {-1, 1025, 1 << 30}) {
        const Error error = errorOf({.backend = "cpu", .threads = threads});
        EXPECT_EQ(error.code, Exit::Usage);
        EXPECT_TRUE(contains(error.what(), "--threads " + std::to_string(threads))) << error.what();
    }
}

TEST(Exec, ZeroThreadsMeansAllHardwareThreads) {
    const Exec exec({.backend = "cpu", .threads = 0});
    EXPECT_EQ(exec.threads(), int(std::max(1u, std::thread::hardware_concurrency())));
}

// Two chunks that wait for each other finish only if two threads run them, even on a single core.
TEST(Exec, ThreadsRunConcurrently) {
    Exec exec({.backend = "cpu", .threads = 2});
    std::atomic<int> arrived = 0;
    std::atomic<int> met = 0;
    exec.parallelFor(2, 1, [&](int64_t, int64_t) {
        ++arrived;
        const auto giveUp = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (arrived < 2 && std::chrono::steady_clock::now() < giveUp) std::this_thread::yield();
        if (arrived == 2) ++met;
    });
    EXPECT_EQ(met, 2);
}

TEST(Exec, ChunksCoverTheRangeOnceAtFixedBoundaries) {
    for (const test::Machine& machine : test::machines()) {
        if (machine.options.backend == "cuda") continue;
        Exec exec(machine.options);
        for (const int64_t n : {0, 1, 63, 64, 65, 1000, 4096}) {
            std::vector<std::atomic<int>> visits(n);
            exec.parallelFor(n, 64, [&](int64_t begin, int64_t end) {
                EXPECT_EQ(begin % 64, 0);
                EXPECT_EQ(end, std::min<int64_t>(n, begin + 64));
                for (int64_t i = begin; i < end; ++i) ++visits[i];
            });
            for (int64_t i = 0; i < n; ++i)
                ASSERT_EQ(visits[i], 1) << machine.name << ", n = " << n << ", i = " << i;
        }
    }
}

TEST(Exec, ShuffledOrderDiffersPerLaunchAndRepeatsWithItsSeed) {
    const auto orders = [](uint64_t seed) {
        Exec exec({.backend = "cpu", .threads = 1, .shuffle = seed});
        std::vector<std::vector<int64_t>> launches(2);
        for (auto& order : launches)
            exec.parallelFor(100, 1, [&](int64_t begin, int64_t) { order.push_back(begin); });
        return launches;
    };
    const auto first = orders(5);
    EXPECT_FALSE(std::is_sorted(first[0].begin(), first[0].end()));
    EXPECT_NE(first[0], first[1]);
    EXPECT_EQ(first, orders(5));
    EXPECT_NE(first, orders(6));
}

TEST(Exec, ErrorsInAChunkReachTheCaller) {
    for (int threads : {1, 4}) {
        Exec exec({.backend = "cpu", .threads = threads});
        const auto failing = [](int64_t begin, int64_t) {
            if (begin == 50) fail(Exit::Simulation, "chunk 50", "broken");
        };
        EXPECT_THROW(exec.parallelFor(100, 1, failing), Error);
    }
}

// A library that disables denormals or changes the rounding mode would change every hash: such threads are
// refused.
TEST(Exec, RefusesForeignFloatModes) {
    Exec exec({.backend = "cpu", .threads = 2});
    const auto refused = [&] {
        try {
            exec.parallelFor(10, 1, [](int64_t, int64_t) {});
        } catch (const Error& error) {
            return contains(error.what(), "floating-point mode");
        }
        return false;
    };
    EXPECT_FALSE(refused());
    std::fesetround(FE_UPWARD);
    const bool rounding = refused();
    std::fesetround(FE_TONEAREST);
    EXPECT_TRUE(rounding);
#if defined(__SSE__)
    const unsigned mode = _mm_getcsr();
    for (const unsigned bit : {0x8000u, 0x0040u}) {  // flush to zero; denormals are zero
        _mm_setcsr(mode | bit);
        const bool flushing = refused();
        _mm_setcsr(mode);
        EXPECT_TRUE(flushing) << bit;
    }
#endif
    EXPECT_FALSE(refused());
}

class ExecOnEachBackend : public test::EachBackend {};
FOR_EACH_BACKEND(ExecOnEachBackend);

TEST_P(ExecOnEachBackend, CountsAllocatedMemoryInAlignedBlocks) {
    void* a = exec.allocate(1000);
    EXPECT_EQ(exec.allocatedBytes(), 1024u) << "rounded up to 256 bytes";
    void* b = exec.allocate(0);
    EXPECT_NE(b, nullptr);
    EXPECT_EQ(exec.allocatedBytes(), 1280u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(a) % 256, 0u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(b) % 256, 0u);
    exec.release(a);
    exec.release(b);
    exec.release(nullptr);
    EXPECT_EQ(exec.allocatedBytes(), 0u);
    EXPECT_EQ(exec.peakBytes(), 1280u);
}

TEST_P(ExecOnEachBackend, CopiesBetweenHostAndDevice) {
    constexpr size_t kBytes = (5 << 20) + 3;  // more than one task of a parallel copy
    std::vector<char> out(kBytes), back(kBytes);
    for (size_t i = 0; i < kBytes; ++i) out[i] = char(i * 31 >> 3);
    void* a = exec.allocate(kBytes);
    void* b = exec.allocate(kBytes);
    exec.copyFromHost(a, out.data(), kBytes);
    exec.copyWithin(b, a, kBytes);
    exec.fillBytes(a, 0x5a, kBytes);
    exec.copyToHost(back.data(), b, kBytes);
    EXPECT_EQ(back, out);
    exec.copyToHost(back.data(), a, kBytes);
    EXPECT_EQ(back, std::vector<char>(kBytes, 0x5a));
    exec.synchronize("test");
    exec.release(a);
    exec.release(b);
}

TEST_P(ExecOnEachBackend, FetchesSeveralArraysAtOnce) {
    std::vector<uint32_t> first(1000), second(3), none;
    std::iota(first.begin(), first.end(), 7u), std::iota(second.begin(), second.end(), 5000u);
    Buffer<uint32_t> a(exec), b(exec);
    a.upload(first), b.upload(second);
    for (int round = 0; round < 2; ++round) {  // the second with larger arrays
        std::vector<uint32_t> gotFirst(first.size()), gotSecond(second.size());
        const Exec::Download downloads[] = {{gotFirst.data(), a.view().data, first.size() * 4},
                                            {none.data(), nullptr, 0},
                                            {gotSecond.data(), b.view().data, second.size() * 4}};
        exec.copyToHost(downloads);
        EXPECT_EQ(gotFirst, first);
        EXPECT_EQ(gotSecond, second);
        second.resize(5000, 9u);
        b.upload(second);
    }
}

TEST_P(ExecOnEachBackend, CopiesAndFillsOfZeroBytesAcceptNullPointers) {
    exec.copyToHost(nullptr, nullptr, 0);
    exec.copyFromHost(nullptr, nullptr, 0);
    exec.copyWithin(nullptr, nullptr, 0);
    exec.fillBytes(nullptr, 1, 0);
    exec.synchronize("copies of nothing");
}

TEST_P(ExecOnEachBackend, ReportsAvailableMemory) {
    EXPECT_GT(exec.availableBytes(), size_t{16} << 20);
    EXPECT_LT(exec.availableBytes(), size_t{1} << 50);
}

TEST(ExecDeathTest, ReleasingForeignMemoryAborts) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    Exec exec({.backend = "cpu", .threads = 1});
    int foreign = 0;
    EXPECT_DEATH(exec.release(&foreign), "block != m_blocks.end");
}

}  // namespace
}  // namespace coalesce
