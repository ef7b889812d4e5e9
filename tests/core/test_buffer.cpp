// Arrays in the memory of a backend.
#include <cstdint>
#include <limits>
#include <numeric>

#include "core/buffer.h"
#include "support/each_backend.h"

namespace coalesce {
namespace {

class BufferOnEachBackend : public test::EachBackend {
protected:
    static std::vector<int> numbers(size_t n) {
        std::vector<int> all(n);
        std::iota(all.begin(), all.end(), 1);
        return all;
    }
};
FOR_EACH_BACKEND(BufferOnEachBackend);

TEST_P(BufferOnEachBackend, DownloadReturnsTheUpload) {
    Buffer<int> buffer(exec);
    for (size_t n : {0, 1, 31, 100000, 7}) {
        buffer.upload(numbers(n));
        EXPECT_EQ(buffer.size(), n);
        EXPECT_EQ(buffer.download(), numbers(n));
    }
}

TEST_P(BufferOnEachBackend, ResizeGrowsExactlyAndKeepsElements) {
    Buffer<int> buffer(exec);
    buffer.upload(numbers(100));
    buffer.resize(1000);
    EXPECT_EQ(buffer.size(), 1000u);
    EXPECT_EQ(buffer.capacity(), 1000u);
    std::vector<int> kept = buffer.download();
    kept.resize(100);
    EXPECT_EQ(kept, numbers(100));
}

TEST_P(BufferOnEachBackend, AppendKeepsExistingElements) {
    Buffer<int> buffer(exec);
    std::vector<int> expected;
    for (size_t n : {0, 3, 0, 1000, 1}) {
        buffer.append(numbers(n));
        for (int value : numbers(n)) expected.push_back(value);
        EXPECT_EQ(buffer.download(), expected);
    }
}

TEST_P(BufferOnEachBackend, ResizingDownKeepsCapacity) {
    Buffer<int> buffer(exec);
    buffer.upload(numbers(100));
    const int* before = buffer.view().data;
    buffer.resize(10);
    EXPECT_EQ(buffer.capacity(), 100u);
    EXPECT_EQ(buffer.download(), numbers(10));
    buffer.resize(100);
    EXPECT_EQ(buffer.view().data, before);
    EXPECT_EQ(buffer.download(), numbers(100));
}

TEST_P(BufferOnEachBackend, ReserveChangesCapacityOnly) {
    Buffer<int> buffer(exec);
    buffer.upload(numbers(5));
    buffer.reserve(50);
    EXPECT_EQ(buffer.size(), 5u);
    EXPECT_EQ(buffer.capacity(), 50u);
    EXPECT_EQ(buffer.bytes(), 50 * sizeof(int));
    EXPECT_EQ(buffer.download(), numbers(5));
}

TEST_P(BufferOnEachBackend, ShrinksWhenLessThanHalfIsUsed) {
    Buffer<int> buffer(exec);
    buffer.upload(numbers(100));
    buffer.shrink(50);
    EXPECT_EQ(buffer.capacity(), 100u) << "half in use: stays";
    buffer.resize(20);
    buffer.shrink(10);  // never below its size
    EXPECT_EQ(buffer.capacity(), 20u);
    EXPECT_EQ(buffer.download(), numbers(20));
    buffer.resize(0);
    buffer.shrink(0);
    EXPECT_EQ(buffer.capacity(), 0u);
}

TEST_P(BufferOnEachBackend, DestructionFreesAllMemory) {
    const size_t before = exec.allocatedBytes();
    {
        Buffer<double> a(exec, 1000);
        EXPECT_GE(exec.allocatedBytes(), before + 1000 * sizeof(double));
        Buffer<double> b(exec, 10);
        b = std::move(a);
        EXPECT_EQ(b.size(), 1000u);
        a = Buffer<double>(exec, 5);
        a.resize(70);
    }
    EXPECT_EQ(exec.allocatedBytes(), before);
    EXPECT_GE(exec.peakBytes(), before + 1000 * sizeof(double));
}

TEST_P(BufferOnEachBackend, MoveTransfersTheMemory) {
    Buffer<int> a(exec);
    a.upload(numbers(64));
    const int* memory = a.view().data;
    Buffer<int> b(std::move(a));
    EXPECT_EQ(b.view().data, memory);
    EXPECT_EQ(a.size(), 0u);  // NOLINT: a moved-from buffer is empty
    a = std::move(b);
    EXPECT_EQ(a.view().data, memory);
    EXPECT_EQ(a.download(), numbers(64));
}

TEST_P(BufferOnEachBackend, CopyFromCopiesElements) {
    Buffer<int> a(exec), b(exec);
    a.upload(numbers(3000000));  // several tasks of a parallel copy
    b.copyFrom(a);
    a.fillZero();
    EXPECT_EQ(b.download(), numbers(3000000));
    EXPECT_EQ(a.download(), std::vector<int>(3000000, 0));
    b.copyFrom(Buffer<int>(exec));
    EXPECT_EQ(b.size(), 0u);
}

TEST_P(BufferOnEachBackend, EmptyBuffersAllocateNothing) {
    const size_t before = exec.allocatedBytes();
    Buffer<int> empty, onMachine(exec);
    empty.resize(0);
    empty.shrink(0);
    empty.fillZero();
    EXPECT_TRUE(empty.download().empty());
    EXPECT_TRUE(onMachine.download().empty());
    EXPECT_EQ(exec.allocatedBytes(), before);
}

// More than any computer has: the buffer stays unchanged, and the message has the numbers.
TEST_P(BufferOnEachBackend, FailedGrowthLeavesTheBufferUnchanged) {
    Buffer<int> buffer(exec);
    buffer.upload(numbers(10));
    for (const size_t tooMany :
         {size_t{1} << 50, std::numeric_limits<size_t>::max() / 4, std::numeric_limits<size_t>::max()}) {
        try {
            buffer.resize(tooMany);
            FAIL() << "did not throw";
        } catch (const Error& error) {
            EXPECT_EQ(error.code, Exit::Simulation);
            EXPECT_NE(std::string(error.what()).find("are needed"), std::string::npos) << error.what();
            EXPECT_NE(std::string(error.what()).find("are available"), std::string::npos) << error.what();
        }
        EXPECT_EQ(buffer.size(), 10u);
        EXPECT_EQ(buffer.download(), numbers(10));
    }
}

// Memory that is kept for the next buffers counts as free, or scenes that fit would be refused.
TEST_P(BufferOnEachBackend, ReleasedMemoryIsAvailable) {
    if (!exec.onCuda()) GTEST_SKIP() << "the CPU backend keeps no memory";
    constexpr size_t kBytes = 256 << 20, kRest = 8 << 20;
    const size_t before = exec.availableBytes();
    {
        Buffer<uint8_t> large(exec, kBytes);
        EXPECT_LT(exec.availableBytes(), before - kBytes + kRest);
    }
    exec.synchronize();
    EXPECT_GT(exec.availableBytes(), before - kRest);
}

TEST(BufferDeathTest, GrowingWithoutAnExecAborts) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    Buffer<int> homeless;
    EXPECT_DEATH(homeless.resize(1), "m_exec != nullptr");
}

}  // namespace
}  // namespace coalesce
