// Lane operations must equal sixteen scalar operations, bit for bit.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "kernels/math/lane.h"
#include "kernels/math/vec.h"
#include "kernels/math/view.h"
#include "support/random_values.h"

namespace coalesce {
namespace {

// Special floating-point values, then random bit patterns and ordinary numbers.
std::vector<float> interestingValues() {
    using Limits = std::numeric_limits<float>;
    std::vector<float> values = {0.0f,
                                 1.0f,
                                 0.5f,
                                 1.5f,
                                 2.0f,
                                 3.0f,
                                 1.0f / 3,
                                 3.14159265f,
                                 1e-20f,
                                 1e20f,
                                 16777216.0f,
                                 Limits::min(),
                                 Limits::max(),
                                 Limits::denorm_min(),
                                 1e-40f,
                                 1.17549421e-38f,
                                 Limits::epsilon(),
                                 Limits::infinity()};
    for (size_t i = 0, n = values.size(); i < n; ++i) values.push_back(-values[i]);
    values.push_back(Limits::quiet_NaN());
    for (int i = 0; i < 60; ++i) values.push_back(test::randomPattern(1, i));
    for (int i = 0; i < 60; ++i) values.push_back(test::randomFloat(2, i, -10, 10));
    return values;
}

bool isNaN(float a) {
    return (asInt(a) & 0x7fffffff) > 0x7f800000;
}
// the payload of a NaN may depend on the order of operands; no result depends on it
bool same(float a, float b) {
    return asInt(a) == asInt(b) || (isNaN(a) && isNaN(b));
}

struct Batch {
    alignas(64) float a[kLanes], b[kLanes], c[kLanes];
    LaneFloat x() const { return load(a, LaneIndex{0}); }
    LaneFloat y() const { return load(b, LaneIndex{0}); }
    LaneFloat z() const { return load(c, LaneIndex{0}); }
};

// All pairs of interesting values in the first two, any in the third; calls use(batch).
template <class Use>
void forEachBatch(Use&& use) {
    const std::vector<float> values = interestingValues();
    Batch batch;
    int filled = 0;
    uint64_t k = 0;
    for (float a : values)
        for (float b : values) {
            batch.a[filled] = a;
            batch.b[filled] = b;
            batch.c[filled] = values[test::randomBits(3, k++) % values.size()];
            if (++filled == kLanes) use(batch), filled = 0;
        }
}

// Compares wide(x, y, z) of lanes with one(a, b, c) of each element.
template <class Wide, class One>
void expectLaneEqualsScalar(const char* name, Wide wide, One one) {
    int shown = 0;
    forEachBatch([&](const Batch& batch) {
        alignas(64) float result[kLanes];
        store(result, LaneIndex{0}, wide(batch.x(), batch.y(), batch.z()));
        for (int lane = 0; lane < kLanes && shown < 5; ++lane) {
            const float a = batch.a[lane], b = batch.b[lane], c = batch.c[lane], expected = one(a, b, c);
            const bool equal = same(result[lane], expected);
            EXPECT_TRUE(equal) << name << " of " << a << ", " << b << ", " << c << " is " << result[lane]
                               << ", not " << expected;
            shown += !equal;
        }
    });
}
#define EXPECT_LANE_EQUALS_SCALAR(name, wideExpression, oneExpression)                              \
    expectLaneEqualsScalar(                                                                         \
        name,                                                                                       \
        []([[maybe_unused]] LaneFloat x, [[maybe_unused]] LaneFloat y,                              \
           [[maybe_unused]] LaneFloat z) -> LaneFloat { return wideExpression; },                   \
        []([[maybe_unused]] float a, [[maybe_unused]] float b, [[maybe_unused]] float c) -> float { \
            return oneExpression;                                                                   \
        })

TEST(LaneFloat, ArithmeticEqualsScalar) {
    EXPECT_LANE_EQUALS_SCALAR("sum", x + y, a + b);
    EXPECT_LANE_EQUALS_SCALAR("difference", x - y, a - b);
    EXPECT_LANE_EQUALS_SCALAR("product", x * y, a * b);
    EXPECT_LANE_EQUALS_SCALAR("quotient", x / y, a / b);
    EXPECT_LANE_EQUALS_SCALAR("negative", -x, -a);
    EXPECT_LANE_EQUALS_SCALAR("fma", fma(x, y, z), std::fma(a, b, c));
    EXPECT_LANE_EQUALS_SCALAR("sqrt", sqrt(x), std::sqrt(a));
    EXPECT_LANE_EQUALS_SCALAR("added", x += y, a + b);
    EXPECT_LANE_EQUALS_SCALAR("subtracted", x -= y, a - b);
    EXPECT_LANE_EQUALS_SCALAR("multiplied", x *= y, a * b);
}

// No contraction: a product that is added keeps its own rounding.
TEST(LaneFloat, ProductAndSumAreRoundedTwice) {
    const float a = 1 + 0x1p-12f,
                exact = -(1 + 0x1p-11f);  // a² = 1 + 2⁻¹¹ + 2⁻²⁴: the last term is lost in a product
    const auto twice = [](auto p, auto q) { return p * p + q; };
    alignas(64) float result[kLanes];
    store(result, LaneIndex{0}, twice(LaneFloat(a), LaneFloat(exact)));
    volatile float scalarA = a, scalarB = exact;
    EXPECT_EQ(twice(float{scalarA}, float{scalarB}), 0);
    for (float value : result) EXPECT_EQ(value, 0);
    store(result, LaneIndex{0}, fma(LaneFloat(a), LaneFloat(a), LaneFloat(exact)));
    for (float value : result) EXPECT_EQ(value, 0x1p-24f);
}

TEST(LaneFloat, SelectMinMaxEqualScalar) {
    EXPECT_LANE_EQUALS_SCALAR("less", select(x < y, x, z), a < b ? a : c);
    EXPECT_LANE_EQUALS_SCALAR("more", select(x > y, x, z), a > b ? a : c);
    EXPECT_LANE_EQUALS_SCALAR("both", select((x < y) & (y < z), x, z), a < b && b < c ? a : c);
    EXPECT_LANE_EQUALS_SCALAR("either", select((x < y) | (y < z), x, z), a < b || b < c ? a : c);
    EXPECT_LANE_EQUALS_SCALAR("lesser", min(x, y), a < b ? a : b);
    EXPECT_LANE_EQUALS_SCALAR("greater", max(x, y), a > b ? a : b);
    EXPECT_LANE_EQUALS_SCALAR("clamp", clamp(x, LaneFloat(-1), LaneFloat(2)), clamp(a, -1.0f, 2.0f));
}

TEST(LaneFloat, ScalarBroadcastsToAllLanes) {
    for (float value : interestingValues()) {
        alignas(64) float result[kLanes];
        store(result, LaneIndex{0}, LaneFloat(value));
        for (float lane : result) EXPECT_TRUE(same(lane, value)) << value << " became " << lane;
    }
}

TEST(LaneFloat, BitCastsRoundTrip) {
    EXPECT_LANE_EQUALS_SCALAR("there and back", asFloat(asInt(x)), a);
    EXPECT_LANE_EQUALS_SCALAR("shifted", asFloat(asInt(x) >> 1), asFloat(asInt(a) >> 1));
    EXPECT_LANE_EQUALS_SCALAR("as number", toFloat(asInt(x)), static_cast<float>(asInt(a)));
}

TEST(LaneInt, ArithmeticEqualsScalar) {
    alignas(64) int32_t a[kLanes], b[kLanes], result[kLanes];
    for (uint64_t round = 0; round < 200; ++round) {
        for (int lane = 0; lane < kLanes; ++lane) {
            a[lane] = static_cast<int32_t>(test::randomBits(5, round * kLanes + lane)) /
                      2;  // halves: sums do not overflow
            b[lane] = static_cast<int32_t>(test::randomBits(6, round * kLanes + lane)) / 2;
            if (lane % 5 == 0) b[lane] = a[lane];
        }
        const LaneInt x = load(a, LaneIndex{0}), y = load(b, LaneIndex{0});
        const auto check = [&](const char* name, LaneInt wide, auto one) {
            store(result, LaneIndex{0}, wide);
            for (int lane = 0; lane < kLanes; ++lane) ASSERT_EQ(result[lane], one(a[lane], b[lane])) << name;
        };
        check("sum", x + y, [](int p, int q) { return p + q; });
        check("difference", x - y, [](int p, int q) { return p - q; });
        check("shift keeps the sign", x >> 3, [](int p, int) { return p >> 3; });
        check("equal", select(x == y, x, LaneInt(-1)), [](int p, int q) { return p == q ? p : -1; });
        check("one less than many", select(100 < y, x, y), [](int p, int q) { return 100 < q ? p : q; });
    }
}

TEST(LaneMask, AnyIsTrueForASingleLane) {
    EXPECT_FALSE(any(LaneFloat(1) < LaneFloat(1)));
    for (int lane = 0; lane < kLanes; ++lane) {
        alignas(64) float a[kLanes] = {};
        a[lane] = -1;
        EXPECT_TRUE(any(load(a, LaneIndex{0}) < LaneFloat(0))) << lane;
        EXPECT_FALSE(any(load(a, LaneIndex{0}) > LaneFloat(0))) << lane;
    }
}

TEST(LaneMemory, LoadsConsecutiveAndGathered) {
    alignas(64) float values[64];
    alignas(64) uint32_t words[64];
    for (int i = 0; i < 64; ++i) values[i] = 100.0f + i, words[i] = 0xfffffff0u + i;
    alignas(64) int32_t places[kLanes], gotWords[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) places[lane] = (lane * 29 + 5) % 64;
    const LaneInt j = load(places, LaneIndex{0});
    alignas(64) float got[kLanes];
    store(got, LaneIndex{0}, load(values, LaneIndex{32}));
    for (int lane = 0; lane < kLanes; ++lane) EXPECT_EQ(got[lane], values[32 + lane]);
    store(got, LaneIndex{0}, load(values, j));
    for (int lane = 0; lane < kLanes; ++lane) EXPECT_EQ(got[lane], values[places[lane]]);
    store(gotWords, LaneIndex{0}, load(words, j));
    for (int lane = 0; lane < kLanes; ++lane)
        EXPECT_EQ(static_cast<uint32_t>(gotWords[lane]), words[places[lane]]);
    store(gotWords, LaneIndex{0}, load(words, LaneIndex{16}));
    for (int lane = 0; lane < kLanes; ++lane)
        EXPECT_EQ(static_cast<uint32_t>(gotWords[lane]), words[16 + lane]);
}

// Each lane gets its record, for consecutive, shuffled and equal indices.
TEST(LaneMemory, LoadFoursTransposesRecords) {
    std::vector<Vec4> records(100);
    for (int i = 0; i < 100; ++i) records[i] = {i + 0.0f, i + 0.25f, i + 0.5f, i + 0.75f};
    for (int step : {1, 37, 0}) {
        alignas(64) float x[kLanes], y[kLanes], z[kLanes], w[kLanes];
        LaneFloat wideX, wideY, wideZ, wideW;
        loadFours([&](int lane) { return &records[(7 + lane * step) % 100].x; }, wideX, wideY, wideZ, wideW);
        store(x, LaneIndex{0}, wideX);
        store(y, LaneIndex{0}, wideY);
        store(z, LaneIndex{0}, wideZ);
        store(w, LaneIndex{0}, wideW);
        for (int lane = 0; lane < kLanes; ++lane) {
            const Vec4 r = records[(7 + lane * step) % 100];
            EXPECT_EQ(x[lane], r.x) << "lane " << lane << ", step " << step;
            EXPECT_EQ(y[lane], r.y) << "lane " << lane << ", step " << step;
            EXPECT_EQ(z[lane], r.z) << "lane " << lane << ", step " << step;
            EXPECT_EQ(w[lane], r.w) << "lane " << lane << ", step " << step;
        }
    }
}

// ---- rsqrt ----

TEST(Rsqrt, LanesEqualScalar) {
    EXPECT_LANE_EQUALS_SCALAR("rsqrt of a square", rsqrt(x * x), rsqrt(a * a));  // never below +0
    EXPECT_LANE_EQUALS_SCALAR("rsqrt of a square sum", rsqrt(x * x + y * y), rsqrt(a * a + b * b));
}

double relativeError(float a) {
    return std::fabs(static_cast<double>(rsqrt(a)) * std::sqrt(static_cast<double>(a)) - 1);
}

// All mantissas of two neighboring exponents: the seed's error repeats with every factor of four.
TEST(Rsqrt, IsAccurateForEveryMantissa) {
    double worst = 0;
    float worstAt = 0;
    for (int bits = asInt(1.0f); bits < asInt(4.0f); ++bits) {
        const double error = relativeError(asFloat(bits));
        if (error > worst) worst = error, worstAt = asFloat(bits);
    }
    EXPECT_LE(worst, 1.4e-7) << "at " << worstAt;
}

// Below 2.4e-38, half of the argument is a denormal number, and with its digits the accuracy goes.
TEST(Rsqrt, IsAccurateOverItsRange) {
    double worst = 0;
    float worstAt = 0;
    for (uint64_t i = 0; i < 4000000; ++i) {
        const float a = static_cast<float>(std::pow(10.0, -37.5 + 75.99 * (i / 4e6)));
        const double error = relativeError(a);
        if (error > worst) worst = error, worstAt = a;
    }
    EXPECT_LE(worst, 1.4e-7) << "at " << worstAt;
}

}  // namespace
}  // namespace coalesce
