// Sort, scan, reduce, runs, compaction, gather: compared with std:: on the host, over sizes, patterns and
// backends.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/buffer.h"
#include "core/error.h"
#include "core/primitives.h"
#include "support/each_backend.h"
#include "support/random_values.h"

namespace coalesce {
namespace {

// around warps, lanes, blocks and chunks, and a large size that is not a multiple of any of them
const std::vector<size_t> kSizes = {0, 1, 31, 32, 33, 1023, 1024, 1025, (1 << 20) + 7};
constexpr size_t kLarge = (1 << 20) + 7;

enum class Pattern { Equal, Sorted, Reversed, Random, FewValues };
constexpr Pattern kPatterns[] = {Pattern::Equal, Pattern::Sorted, Pattern::Reversed, Pattern::Random,
                                 Pattern::FewValues};

// n keys of at most `bits` bits
template <class Key>
std::vector<Key> makeKeys(Pattern pattern, size_t n, int bits) {
    const Key mask = bits == int{sizeof(Key)} * 8 ? ~Key{0} : static_cast<Key>((Key{1} << bits) - 1);
    std::vector<Key> keys(n);
    for (size_t i = 0; i < n; ++i) {
        switch (pattern) {
            case Pattern::Equal:
                keys[i] = static_cast<Key>(0xa5a5a5a5a5a5a5a5ull);
                break;
            case Pattern::Sorted:
            case Pattern::Reversed:
            case Pattern::Random:
                keys[i] = static_cast<Key>(test::randomBits(n + bits, i));
                break;
            case Pattern::FewValues:
                keys[i] = static_cast<Key>(test::randomBits(n, i) % 5 * 0x1234567891ull);
                break;
        }
        keys[i] &= mask;
    }
    if (pattern == Pattern::Sorted) std::sort(keys.begin(), keys.end());
    if (pattern == Pattern::Reversed) std::sort(keys.begin(), keys.end(), std::greater<>());
    return keys;
}

template <class T>
Buffer<T> uploaded(Exec& exec, const std::vector<T>& host) {
    Buffer<T> buffer(exec);
    buffer.upload(host);
    return buffer;
}

std::vector<uint32_t> countingUp(size_t n) {
    std::vector<uint32_t> all(n);
    std::iota(all.begin(), all.end(), 0u);
    return all;
}

class Primitives : public test::EachBackend {
protected:
    // The values are the original indices, so that equal keys show whether the sort is stable.
    template <class Key>
    void expectSorted(const std::vector<Key>& keys, int bits) {
        Buffer<Key> sortedKeys = uploaded(exec, keys);
        Buffer<uint32_t> places = uploaded(exec, countingUp(keys.size()));
        sortPairs(exec, "sort", sortedKeys.view(), places.view(), bits);

        std::vector<uint32_t> expected = countingUp(keys.size());
        std::stable_sort(expected.begin(), expected.end(),
                         [&](uint32_t a, uint32_t b) { return keys[a] < keys[b]; });
        ASSERT_EQ(places.download(), expected) << keys.size() << " keys of " << bits << " bits";
        const std::vector<Key> result = sortedKeys.download();
        for (size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(result[i], keys[expected[i]]) << "place " << i;
    }
};
FOR_EACH_BACKEND(Primitives);

// ---- sort ----

TEST_P(Primitives, SortEqualsStableSort) {
    for (size_t n : kSizes)
        for (Pattern pattern : kPatterns) {
            expectSorted(makeKeys<uint32_t>(pattern, n, 32), 32);
            expectSorted(makeKeys<uint64_t>(pattern, n, 64), 64);
        }
}

TEST_P(Primitives, SortUsesTheGivenNumberOfBits) {
    for (int bits : {1, 6, 10, 11, 12, 21, 22, 23, 31})
        expectSorted(makeKeys<uint32_t>(Pattern::Random, 40000, bits), bits);
    for (int bits : {1, 11, 30, 33, 44, 63})
        expectSorted(makeKeys<uint64_t>(Pattern::Random, 40000, bits), bits);
    expectSorted(std::vector<uint32_t>(100, 0), 0);
}

TEST_P(Primitives, SortOfExtremeKeys) {
    const uint32_t high32 = ~0u;
    const uint64_t high64 = ~0ull;
    expectSorted<uint32_t>({high32, 0, high32 - 1, 1, high32, 0, 1u << 31}, 32);
    expectSorted<uint64_t>({high64, 0, high64 - 1, 1, 1ull << 63, 1ull << 32, (1ull << 32) - 1, high64, 0},
                           64);
}

TEST(PrimitivesOnAllBackends, SortIsBitwiseEqual) {
    test::expectSameBitsOnEveryMachine([](Exec& exec) {
        Buffer<uint64_t> keys = uploaded(exec, makeKeys<uint64_t>(Pattern::Random, kLarge, 20));
        Buffer<uint32_t> values = uploaded(exec, countingUp(kLarge));
        sortPairs(exec, "sort", keys.view(), values.view(), 20);
        return values.download();
    });
}

TEST(PrimitivesDeathTest, WrongSizesAbort) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    Exec exec({.backend = "cpu", .threads = 1});
    Buffer<uint32_t> ten(exec, 10), nine(exec, 9);
    EXPECT_DEATH(sortPairs(exec, "sort", ten.view(), nine.view()),
                 "keys.size == values.size; left 10, right 9");
    EXPECT_DEATH(sortPairs(exec, "sort", ten.view(), ten.view(), 33), "left 33, right 32");
    EXPECT_DEATH(exclusiveScan(exec, "scan", ten.view(), ten.view()), "left 11, right 10");
}

// ---- scan ----

TEST_P(Primitives, ScanEqualsStdExclusiveScanAndEndsWithTheSum) {
    for (size_t n : kSizes)
        for (Pattern pattern : kPatterns) {
            const std::vector<uint32_t> in =
                makeKeys<uint32_t>(pattern, n, 32);  // the sum wraps, as unsigned does
            std::vector<uint32_t> expected(n + 1);
            std::exclusive_scan(in.begin(), in.end(), expected.begin(), 0u);
            expected[n] = std::accumulate(in.begin(), in.end(), 0u);
            Buffer<uint32_t> source = uploaded(exec, in), out(exec, n + 1);
            exclusiveScan(exec, "scan", source.view(), out.view());
            ASSERT_EQ(out.download(), expected) << n << " elements";
            ASSERT_EQ(source.download(), in) << "the input stays";
        }
}

TEST(PrimitivesOnAllBackends, ScanIsBitwiseEqual) {
    test::expectSameBitsOnEveryMachine([](Exec& exec) {
        Buffer<uint32_t> in = uploaded(exec, makeKeys<uint32_t>(Pattern::Random, kLarge, 9)),
                         out(exec, kLarge + 1);
        exclusiveScan(exec, "scan", in.view(), out.view());
        return out.download();
    });
}

// ---- reductions ----

// The documented tree as a recursion: in a block of 1024, node(t, width) joins node(t, 2 width) and node(t +
// width, 2 width); a node of width 1024 is element t itself, or the identity past the end.
template <class T, class Op>
T blockTree(const T* in, size_t count, size_t t, size_t width, T identity, Op op) {
    if (width == 1024) return t < count ? in[t] : identity;
    return op(blockTree(in, count, t, 2 * width, identity, op),
              blockTree(in, count, t + width, 2 * width, identity, op));
}
template <class T, class Op>
T tree(std::vector<T> level, T identity, Op op) {
    do {
        std::vector<T> next;
        for (size_t first = 0; first < level.size() || first == 0; first += 1024)
            next.push_back(blockTree(level.data() + first, std::min<size_t>(1024, level.size() - first), 0, 1,
                                     identity, op));
        level = next;
    } while (level.size() > 1);
    return level[0];
}

template <class T>
std::vector<T> makeNumbers(size_t n, uint64_t seed) {
    std::vector<T> numbers(n);
    for (size_t i = 0; i < n; ++i) {
        if constexpr (std::is_floating_point_v<T>) {
            // magnitudes from 1e-3 to 1e3, so that another order would give other bits
            const float exponent = test::randomFloat(seed, 2 * i, -3, 3);
            numbers[i] =
                static_cast<T>(std::pow(10.0, exponent) * (test::randomUnit(seed, 2 * i + 1) - T(0.4)));
        } else {
            numbers[i] = static_cast<T>(test::randomBits(seed, i));
        }
    }
    return numbers;
}

template <class T>
using Reduction = void (*)(Exec&, const char*, View<const T>, View<T>);

template <class T>
std::vector<T> reduced(Exec& exec, Reduction<T> reduction, const std::vector<T>& in) {
    Buffer<T> source = uploaded(exec, in), result(exec, 1);
    reduction(exec, "reduce", source.view(), result.view());
    return result.download();
}

template <class T, class Op>
void expectTree(Exec& exec, Reduction<T> reduction, T identity, Op op) {
    for (size_t n : kSizes) {
        const std::vector<T> in = makeNumbers<T>(n, n);
        const T ours = reduced(exec, reduction, in)[0], expected = tree(in, identity, op);
        EXPECT_EQ(0, std::memcmp(&ours, &expected, sizeof(T)))
            << n << " elements: " << ours << ", not " << expected;
    }
}

const auto plus = [](auto a, auto b) { return a + b; };
const auto smaller = [](auto a, auto b) { return std::min(a, b); };
template <class T>
constexpr T kInf = std::numeric_limits<T>::infinity();

TEST_P(Primitives, ReductionsFollowTheDocumentedTree) {
    expectTree<float>(exec, &reduceSum, 0, plus);
    expectTree<double>(exec, &reduceSum, 0, plus);
    expectTree<uint64_t>(exec, &reduceSum, 0, plus);
    expectTree<float>(exec, &reduceMin, kInf<float>, smaller);
    expectTree<int32_t>(exec, &reduceMin, INT32_MAX, smaller);
}

// A sum over a tree of depth d errs by at most d ulp/2 of the sum of magnitudes (Higham 2002, section 4.2).
TEST_P(Primitives, SumIsCloseToTheSumInDouble) {
    for (size_t n : kSizes) {
        const std::vector<float> in = makeNumbers<float>(n, 3 * n + 1);
        double exact = 0, magnitudes = 0;
        for (float value : in) exact += value, magnitudes += std::fabs(value);
        const double depth = n <= 1024 ? 10 : n <= 1024 * 1024 ? 20 : 30;
        EXPECT_NEAR(reduced<float>(exec, &reduceSum, in)[0], exact, depth * 0x1p-24 * magnitudes)
            << n << " elements";
    }
}

TEST_P(Primitives, ReductionsEqualStdOnTheHost) {
    for (size_t n : kSizes) {
        if (n == 0) continue;
        const std::vector<float> reals = makeNumbers<float>(n, n + 11);
        const std::vector<int32_t> integers = makeNumbers<int32_t>(n, n + 12);
        const std::vector<uint64_t> words = makeNumbers<uint64_t>(n, n + 13);
        EXPECT_EQ(reduced<float>(exec, &reduceMin, reals)[0], *std::min_element(reals.begin(), reals.end()));
        EXPECT_EQ(reduced<int32_t>(exec, &reduceMin, integers)[0],
                  *std::min_element(integers.begin(), integers.end()));
        EXPECT_EQ(reduced<uint64_t>(exec, &reduceSum, words)[0],
                  std::accumulate(words.begin(), words.end(), uint64_t{0}));
    }
}

TEST_P(Primitives, ReductionsOfInfinitiesAndSingleExtremes) {
    std::vector<float> in(5000, 1.0f);
    in[4999] = kInf<float>;
    EXPECT_EQ(reduced<float>(exec, &reduceSum, in)[0], kInf<float>);
    EXPECT_EQ(reduced<float>(exec, &reduceMin, in)[0], 1.0f);
    in[0] = -kInf<float>;
    EXPECT_EQ(reduced<float>(exec, &reduceMin, in)[0], -kInf<float>);
    EXPECT_TRUE(std::isnan(reduced<float>(exec, &reduceSum, in)[0]));
    // an extreme is found at any position
    for (size_t place : {0, 1023, 1024, 2047, 4998}) {
        std::vector<int32_t> flat(4999, 7);
        flat[place] = -7;
        EXPECT_EQ(reduced<int32_t>(exec, &reduceMin, flat)[0], -7) << "at " << place;
    }
}

TEST(PrimitivesOnAllBackends, SumsAreBitwiseEqual) {
    for (size_t n : {size_t{1025}, kLarge}) {
        test::expectSameBitsOnEveryMachine(
            [&](Exec& exec) { return reduced<float>(exec, &reduceSum, makeNumbers<float>(n, 77)); });
        test::expectSameBitsOnEveryMachine(
            [&](Exec& exec) { return reduced<double>(exec, &reduceSum, makeNumbers<double>(n, 78)); });
    }
}

// ---- runs, compaction, gather ----

TEST_P(Primitives, RunsEqualThoseOfTheHost) {
    for (size_t n : kSizes)
        for (Pattern pattern : kPatterns) {
            const std::vector<uint64_t> in =
                makeKeys<uint64_t>(pattern, n, pattern == Pattern::Sorted ? 12 : 64);
            std::vector<uint64_t> keys;
            std::vector<uint32_t> runOf, starts;
            for (size_t i = 0; i < n; ++i) {
                if (keys.empty() || in[i] != keys.back())
                    keys.push_back(in[i]), starts.push_back(uint32_t(i));
                runOf.push_back(uint32_t(keys.size() - 1));
            }
            starts.push_back(uint32_t(n));

            Buffer<uint64_t> source = uploaded(exec, in), gotKeys(exec, n);
            Buffer<uint32_t> gotRunOf(exec, n), gotStarts(exec, n + 1), count(exec, 1);
            runLengthEncode(exec, "runs", source.view(), gotRunOf.view(), gotKeys.view(), gotStarts.view(),
                            count.view());
            ASSERT_EQ(count.download()[0], keys.size()) << n << " elements";
            gotKeys.resize(keys.size());
            gotStarts.resize(starts.size());
            EXPECT_EQ(gotKeys.download(), keys);
            EXPECT_EQ(gotStarts.download(), starts);
            EXPECT_EQ(gotRunOf.download(), runOf);
        }
}

TEST_P(Primitives, CompactKeepsTheMarkedInOrder) {
    for (size_t n : kSizes)
        for (uint64_t oneIn : {1, 2, 1000, 0}) {  // 0: none is marked
            std::vector<uint32_t> keep(n), expected;
            for (size_t i = 0; i < n; ++i) {
                // any nonzero value marks
                if (oneIn != 0 && test::randomBits(oneIn, i) % oneIn == 0) keep[i] = 1u << i % 32;
                if (keep[i]) expected.push_back(uint32_t(i));
            }
            Buffer<uint32_t> source = uploaded(exec, keep), indices(exec, n), count(exec, 1);
            compact(exec, "compact", source.view(), indices.view(), count.view());
            ASSERT_EQ(count.download()[0], expected.size()) << n << " elements";
            indices.resize(expected.size());
            EXPECT_EQ(indices.download(), expected);
        }
}

template <class T>
T element(size_t i) {
    if constexpr (std::is_same_v<T, Vec4>)
        return {i + 0.25f, i + 0.5f, i * 2.0f, -1.0f * i};
    else
        return static_cast<T>(test::randomBits(9, i) >> 40);
}

// gather with a random permutation, then scatter with the same one restores the input
template <class T>
void expectThereAndBack(Exec& exec, size_t n) {
    std::vector<uint32_t> order = countingUp(n);
    std::sort(order.begin(), order.end(),
              [](uint32_t a, uint32_t b) { return test::randomBits(4, a) < test::randomBits(4, b); });
    std::vector<T> in(n);
    for (size_t i = 0; i < n; ++i) in[i] = element<T>(i);
    Buffer<T> source = uploaded(exec, in), gathered(exec, n), back(exec, n);
    Buffer<uint32_t> from = uploaded(exec, order);
    gather<T>(exec, "gather", source.view(), from.view(), gathered.view());
    scatter<T>(exec, "scatter", gathered.view(), from.view(), back.view());
    const std::vector<T> there = gathered.download(), again = back.download();
    for (size_t i = 0; i < n; ++i) {
        ASSERT_EQ(0, std::memcmp(&there[i], &in[order[i]], sizeof(T))) << "gathered " << i << " of " << n;
        ASSERT_EQ(0, std::memcmp(&again[i], &in[i], sizeof(T))) << "scattered " << i << " of " << n;
    }
}

TEST_P(Primitives, ScatterInvertsGather) {
    for (size_t n : kSizes) {
        expectThereAndBack<uint32_t>(exec, n);
        expectThereAndBack<uint64_t>(exec, n);
        expectThereAndBack<float>(exec, n);
        expectThereAndBack<Vec4>(exec, n);
    }
}

TEST_P(Primitives, GatherMayRepeatElements) {
    Buffer<float> in = uploaded<float>(exec, {1, 2, 3}), out(exec, 5);
    Buffer<uint32_t> from = uploaded<uint32_t>(exec, {2, 2, 0, 1, 2});
    gather<float>(exec, "gather", in.view(), from.view(), out.view());
    EXPECT_EQ(out.download(), (std::vector<float>{3, 3, 1, 2, 3}));
}

TEST_P(Primitives, GatherArraysEqualsGatherOfEach) {
    // more arrays of either size than fit into one launch
    constexpr size_t kCount = 1025, kArrays = 19;
    std::vector<uint32_t> order = countingUp(kCount);
    std::reverse(order.begin(), order.end());
    const Buffer<uint32_t> source = uploaded(exec, order);
    std::vector<Buffer<Vec4>> fours, foursOut;
    std::vector<Buffer<float>> words, wordsOut;
    std::vector<ArrayPair> pairs;
    for (size_t k = 0; k < kArrays; ++k) {
        std::vector<Vec4> four(kCount);
        std::vector<float> word(kCount);
        for (size_t i = 0; i < kCount; ++i)
            four[i] = element<Vec4>(k * kCount + i), word[i] = float(k * kCount + i);
        fours.push_back(uploaded(exec, four)), foursOut.emplace_back(exec, kCount);
        words.push_back(uploaded(exec, word)), wordsOut.emplace_back(exec, kCount);
        pairs.push_back({words[k].view().data, wordsOut[k].view().data, sizeof(float)});
        pairs.push_back({fours[k].view().data, foursOut[k].view().data, sizeof(Vec4)});
    }
    gatherArrays(exec, "gather", source.view(), pairs);
    for (size_t k = 0; k < kArrays; ++k) {
        const std::vector<Vec4> four = foursOut[k].download();
        const std::vector<float> word = wordsOut[k].download();
        for (size_t i = 0; i < kCount; ++i) {
            const Vec4 expected = element<Vec4>(k * kCount + order[i]);
            ASSERT_EQ(0, std::memcmp(&four[i], &expected, sizeof expected)) << "array " << k << ", " << i;
            ASSERT_EQ(word[i], float(k * kCount + order[i])) << "array " << k << ", " << i;
        }
    }
}

TEST_P(Primitives, CopiesArraysOfAnySize) {
    std::vector<Buffer<uint8_t>> from, to;
    std::vector<ArrayCopy> copies;
    for (size_t k = 0; k < 21; ++k) {
        std::vector<uint8_t> bytes(k * k * 37);
        for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = uint8_t(k + 7 * i);
        from.push_back(uploaded(exec, bytes));
        to.emplace_back(exec, bytes.size() + 1);
        to[k].fillZero();
        copies.push_back({from[k].view().data, to[k].view().data, bytes.size()});
    }
    copyArrays(exec, "copy", copies);
    for (size_t k = 0; k < from.size(); ++k) {
        std::vector<uint8_t> expected = from[k].download();
        expected.push_back(0);  // what lies behind is not written
        EXPECT_EQ(to[k].download(), expected) << "array " << k;
    }
}

TEST(ArraySets, ScatterMovesElementsToTheirTargets) {
    constexpr size_t kCount = 7;
    std::vector<Vec4> fours, foursOut(kCount);
    std::vector<float> words, wordsOut(kCount);
    std::vector<uint32_t> target;
    for (size_t i = 0; i < kCount; ++i) {
        fours.push_back(element<Vec4>(i)), words.push_back(float(i));
        target.push_back(uint32_t((i + 3) % kCount));
    }
    const std::vector<ArrayPair> pairs{{words.data(), wordsOut.data(), sizeof(float)},
                                       {fours.data(), foursOut.data(), sizeof(Vec4)}};
    const std::vector<ArraySet> sets = arraySets(pairs);
    ASSERT_EQ(sets.size(), 1u);
    const ScatterArrays scatter{{target.data(), kCount}, sets[0]};
    for (int i = 0; i < int(kCount); ++i) scatter(i);
    for (size_t i = 0; i < kCount; ++i) {
        EXPECT_EQ(wordsOut[target[i]], words[i]);
        EXPECT_EQ(0, std::memcmp(&foursOut[target[i]], &fours[i], sizeof(Vec4)));
    }
}

TEST_P(Primitives, AppearInTheProfilerByName) {
    exec.profiler.enabled = true;
    exec.beginFrame();
    Buffer<uint32_t> keys = uploaded(exec, makeKeys<uint32_t>(Pattern::Random, 1000, 32));
    Buffer<uint32_t> values = uploaded(exec, countingUp(1000)), sums(exec, 1001);
    sortPairs(exec, "sort cells", keys.view(), values.view());
    exclusiveScan(exec, "scan cells", keys.view(), sums.view());
    exec.endFrame();
    ASSERT_EQ(exec.profiler.rows().size(), 2u);
    EXPECT_EQ(exec.profiler.rows()[0].name, "sort cells");
    EXPECT_EQ(exec.profiler.rows()[1].name, "scan cells");
}

}  // namespace
}  // namespace coalesce
