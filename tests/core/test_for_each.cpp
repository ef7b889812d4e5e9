// forEach, the only launch point.
#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "core/buffer.h"
#include "core/for_each.h"
#include "kernels/math/atomics.h"
#include "kernels/math/view.h"
#include "support/each_backend.h"
#include "support/random_values.h"

namespace coalesce {

// Counts visits of each index.
struct CountVisits {
    View<uint32_t> visits;
    HD void operator()(int i) const { atomicAdd(&visits[i], 1); }
};

// The same for lanes; also counts lane visits of each element.
struct CountLaneVisits {
    View<uint32_t> visits;
    HD void operator()(int i) const { atomicAdd(&visits[i], 1); }
    HD void operator()(LaneIndex i) const {
        for (int lane = 0; lane < kLanes; ++lane) atomicAdd(&visits[i.first + lane], 1);
    }
};

// Uses every kind of operation of a pair function; written once for scalars and lanes.
struct Mixture {
    View<const float> a, b;
    View<float> out;  // written
    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const R x = a[i], y = b[i];
        const R bounded = clamp(x, R(-3.0f), R(3.0f));
        const R root = sqrt(fma(x, x, y * y)) + rsqrt(fma(y, y, R(0.25f)));
        put(out, i, select(x < y, root / (bounded * bounded + R(1)), -bounded * y) - R(0.1f) * x);
    }
};

// Smallest and largest value, and the number of positive ones.
struct Range {
    int32_t low, high, positive;
    HD static Range identity() { return {INT32_MAX, INT32_MIN, 0}; }
    HD static Range combine(Range a, Range b) {
        return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high, a.positive + b.positive};
    }
};
struct FindRange {
    View<const int32_t> values;
    View<int32_t> doubled;  // written
    int32_t *low, *high;    // reduced into
    uint32_t* positive;     // added to
    HD Range operator()(int i) const {
        doubled[i] = 2 * values[i];
        return {values[i], values[i], values[i] > 0};
    }
    HD void finish(Range range) const {
        atomicMin(low, range.low);
        atomicMax(high, range.high);
        atomicAdd(positive, static_cast<uint32_t>(range.positive));
    }
};

// Wrong on purpose: reads what another index writes.
struct ReadsItsLeftNeighbor {
    View<int> chain;
    HD void operator()(int i) const { chain[i] = i == 0 ? 0 : chain[i - 1] + 1; }
};

namespace {

const std::vector<size_t> kSizes = {0, 1, 15, 16, 17, 31, 32, 33, 1023, 1024, 1025, 2047, 2048, 2049, 100003};

class ForEach : public test::EachBackend {};
FOR_EACH_BACKEND(ForEach);

TEST_P(ForEach, AppearsInTheProfilerByName) {
    exec.profiler.enabled = true;
    exec.beginFrame();
    Buffer<uint32_t> visits(exec, 100);
    visits.fillZero();
    forEach(exec, "count visits", 100, CountVisits{visits.view()});
    forEach(exec, "count visits", 0, CountVisits{visits.view()});  // no launch
    exec.endFrame();
    ASSERT_EQ(exec.profiler.rows().size(), 1u);
    EXPECT_EQ(exec.profiler.rows()[0].name, "count visits");
    EXPECT_EQ(exec.profiler.rows()[0].launches, 1);
}

TEST_P(ForEach, ReducesWhatTheHostReduces) {
    for (const size_t n : kSizes) {
        std::vector<int32_t> host(n), twice(n);
        for (size_t i = 0; i < n; ++i) host[i] = int32_t(test::randomBits(n, i)) / 4, twice[i] = 2 * host[i];
        Buffer<int32_t> values(exec), doubled(exec, n), ends(exec);
        Buffer<uint32_t> positive(exec, 1);
        values.upload(host);
        ends.upload(std::vector<int32_t>{INT32_MAX, INT32_MIN});
        positive.fillZero();
        int32_t* const end = ends.view().data;
        forEachReduce(exec, "range", n,
                      FindRange{values.view(), doubled.view(), end, end + 1, positive.view().data});
        EXPECT_EQ(doubled.download(), twice);
        EXPECT_EQ(positive.download()[0],
                  std::count_if(host.begin(), host.end(), [](int v) { return v > 0; }));
        if (n == 0) host = {INT32_MAX, INT32_MIN};  // nothing was reduced
        EXPECT_EQ(ends.download()[0], n == 0 ? host[0] : *std::min_element(host.begin(), host.end())) << n;
        EXPECT_EQ(ends.download()[1], n == 0 ? host[1] : *std::max_element(host.begin(), host.end())) << n;
    }
}

// ---- batches ----

// Every kind of operation, in the order of the calls, whether it is recorded or has to wait.
TEST_P(ForEach, BatchesKeepTheOrder) {
    constexpr size_t kCount = 1000;
    Buffer<uint32_t> a(exec, kCount), b(exec, kCount);
    for (int frame = 0; frame < 3; ++frame) {  // the first is recorded, the later ones update its graph
        Exec::Batch batch(exec);
        a.fillZero();
        for (int k = 0; k <= frame % 2; ++k) forEach(exec, "count visits", kCount, CountVisits{a.view()});
        exec.copyWithin(b.view().data, a.view().data, kCount * sizeof(uint32_t));
        EXPECT_EQ(b.download(), std::vector<uint32_t>(kCount, 1 + frame % 2));  // submits
        Buffer<uint32_t> late(exec, kCount);
        late.copyFrom(b);
        forEach(exec, "count visits", kCount, CountVisits{late.view()});
        b.copyFrom(late);
        forEach(exec, "count visits", kCount, CountVisits{b.view()});
        batch.submit();
        forEach(exec, "count visits", kCount, CountVisits{b.view()});  // outside of the batch
        EXPECT_EQ(b.download(), std::vector<uint32_t>(kCount, 4 + frame % 2));
    }
}

TEST_P(ForEach, ABatchThatFailsLeavesTheDeviceUsable) {
    Buffer<uint32_t> visits(exec, 100);
    visits.fillZero();
    try {
        Exec::Batch batch(exec);
        Buffer<uint32_t> released(exec, 100);  // while launches that use it are recorded
        forEach(exec, "count visits", 100, CountVisits{released.view()});
        forEach(exec, "count visits", 100, CountVisits{visits.view()});
        throw std::runtime_error("the user's mistake");
    } catch (const std::runtime_error&) {
    }
    // on CUDA nothing of the batch ran
    EXPECT_EQ(visits.download(), std::vector<uint32_t>(100, exec.onCuda() ? 0 : 1));
    visits.fillZero();
    forEach(exec, "count visits", 100, CountVisits{visits.view()});
    EXPECT_EQ(visits.download(), std::vector<uint32_t>(100, 1));
}

TEST_P(ForEach, WritesOnlyTheRange) {
    Buffer<uint32_t> visits(exec, 100);
    visits.fillZero();
    forEach(exec, "count visits", 37, CountVisits{visits.view()});
    const std::vector<uint32_t> counts = visits.download();
    for (int i = 0; i < 100; ++i) EXPECT_EQ(counts[i], i < 37 ? 1u : 0u) << "index " << i;
}

template <class Kernel>
void expectEachIndexOnce() {
    for (const test::Machine& machine : test::machines()) {
        Exec exec(machine.options);
        for (size_t n : kSizes) {
            Buffer<uint32_t> visits(exec, n);
            visits.fillZero();
            forEach(exec, "count visits", int64_t(n), Kernel{visits.view()});
            ASSERT_EQ(visits.download(), std::vector<uint32_t>(n, 1)) << machine.name << ", n = " << n;
        }
    }
}
TEST(ForEachOnAllBackends, VisitsEachIndexOnce) {
    expectEachIndexOnce<CountVisits>();
}
TEST(ForEachOnAllBackends, VisitsEachIndexOnceWithLanes) {
    expectEachIndexOnce<CountLaneVisits>();
}

// A plain scalar loop is the reference; lanes, threads, shuffles and CUDA must give the same bits.
TEST(ForEachOnAllBackends, LanesEqualTheScalarCodeBitForBit) {
    constexpr size_t kCount = 100003;
    std::vector<float> a(kCount), b(kCount), expected(kCount);
    for (size_t i = 0; i < kCount; ++i) {
        a[i] = test::randomFloat(1, i, -10, 10);
        b[i] = test::randomFloat(2, i, -10, 10);
        if (i % 97 == 0) a[i] = 0;
        if (i % 101 == 0) b[i] = -0.0f;
        if (i % 103 == 0) a[i] = 1e-40f;
    }
    const Mixture reference{{a.data(), kCount}, {b.data(), kCount}, {expected.data(), kCount}};
    for (size_t i = 0; i < kCount; ++i) reference(int(i));

    for (const test::Machine& machine : test::machines()) {
        Exec exec(machine.options);
        Buffer<float> onA(exec), onB(exec), out(exec, kCount);
        onA.upload(a);
        onB.upload(b);
        forEach(exec, "mixture", kCount, Mixture{onA.view(), onB.view(), out.view()});
        const std::vector<float> result = out.download();
        for (size_t i = 0; i < kCount; ++i)
            ASSERT_EQ(asInt(result[i]), asInt(expected[i]))
                << machine.name << ", element " << i << ": " << result[i] << ", not " << expected[i];
    }
}

// Control: a kernel that depends on the order gives other results when shuffled, even within a single chunk.
TEST(ForEachOnAllBackends, ShufflingShowsOrderDependence) {
    for (const int n : {100, 1000, 10000}) {
        const auto run = [n](uint64_t shuffle) {
            Exec exec(
                {.backend = "cpu", .threads = 1, .shuffle = shuffle});  // one thread: wrong, but no data race
            Buffer<int> chain(exec, n);
            chain.fillZero();
            forEach(exec, "chain", n, ReadsItsLeftNeighbor{chain.view()});
            return chain.download();
        };
        for (uint64_t seed = 1; seed <= 16; ++seed)
            EXPECT_NE(run(0), run(seed)) << n << " elements, seed " << seed;
    }
}

#ifdef COALESCE_CHECK_BOUNDS
TEST(ForEachDeathTest, WritesBeyondTheEndAbort) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    Exec exec({.backend = "cpu", .threads = 1});
    Buffer<uint32_t> visits(exec, 10);
    EXPECT_DEATH(forEach(exec, "too many", 11, CountVisits{visits.view()}), "view of 10 elements: index 10");
}
#endif

}  // namespace
}  // namespace coalesce
