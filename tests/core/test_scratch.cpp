// Temporary memory of a stage.
#include <cstdint>
#include <cstring>

#include "core/scratch.h"
#include "support/each_backend.h"

namespace coalesce {
namespace {

class ScratchOnEachBackend : public test::EachBackend {};
FOR_EACH_BACKEND(ScratchOnEachBackend);

TEST_P(ScratchOnEachBackend, ArraysAreDisjointAndAligned) {
    Scratch::Scope scratch(exec);
    std::vector<View<char>> arrays;
    for (size_t n : {1000, 1, 0, 257, 4096, 30}) {
        arrays.push_back(scratch.take<char>("test.array", n));
        EXPECT_EQ(arrays.back().size, n);
        // lanes and vector loads of the GPU need 64 bytes; 256 are promised
        EXPECT_EQ(reinterpret_cast<uintptr_t>(arrays.back().data) % 256, 0u);
    }
    for (const View<char>& a : arrays)
        for (const View<char>& b : arrays)
            EXPECT_TRUE(&a == &b || a.data + a.size <= b.data || b.data + b.size <= a.data);
    EXPECT_EQ(scratch.take<double>("test.doubles", 500).size, 500u);
}

TEST_P(ScratchOnEachBackend, MemoryIsReused) {
    const auto stage = [&](size_t n) {
        Scratch::Scope outer(exec);
        const float* first = outer.take<float>("test.first", n).data;
        {
            Scratch::Scope inner(exec);
            inner.take<float>("test.second", n);
        }
        // the inner scope has returned its memory, which is reused
        outer.take<float>("test.third", n);
        return first;
    };
    const float* before = stage(1000);
    const size_t bytes = exec.allocatedBytes();
    EXPECT_EQ(stage(1000), before);
    EXPECT_EQ(stage(10), before) << "a smaller array fits";
    EXPECT_EQ(exec.allocatedBytes(), bytes) << "a running simulation allocates nothing";
    EXPECT_EQ(exec.scratch().bytes(), 2 * (1000 + 125) * sizeof(float));
}

TEST_P(ScratchOnEachBackend, GrowsWithDemand) {
    for (size_t n : {10u, 1000u, 100000u}) {
        Scratch::Scope scratch(exec);
        const View<uint32_t> array = scratch.take<uint32_t>("test.growing", n);
        const std::vector<uint32_t> written(n, uint32_t(n));
        exec.copyFromHost(array.data, written.data(), n * 4);
        std::vector<uint32_t> read(n);
        exec.copyToHost(read.data(), array.data, n * 4);
        EXPECT_EQ(read, written);
    }
}

#ifdef COALESCE_CHECK_BOUNDS
TEST_P(ScratchOnEachBackend, ArraysAreFilledWithNaN) {
    for (int round = 0; round < 2; ++round) {  // new memory, and reused memory
        Scratch::Scope scratch(exec);
        const View<float> array = scratch.take<float>("test.poisoned", 100);
        std::vector<float> read(100);
        exec.copyToHost(read.data(), array.data, 400);
        for (float value : read) EXPECT_NE(value, value);
        exec.fillBytes(array.data, 0, 400);
    }
}
#endif

}  // namespace
}  // namespace coalesce
