// 64-bit mixing, against published values and for avalanche.
#include <bit>
#include <gtest/gtest.h>
#include <set>

#include "core/hash.h"

namespace coalesce {
namespace {

// The first outputs of splitmix64 with seed 0, as many libraries publish them.
TEST(Hash, MixIsSplitmix64) {
    EXPECT_EQ(mix(0), 0xe220a8397b1dcdafull);
    EXPECT_EQ(mix(0x9e3779b97f4a7c15ull), 0x6e789e6aa1b965f4ull);
    EXPECT_EQ(mix(2 * 0x9e3779b97f4a7c15ull), 0x06c45d188009454full);
}

// A good mixer flips half of the 64 output bits when one input bit changes; the mean of 64 x 64 flips stays
// within 32 ± 0.5 (standard deviation of one count 4, of the mean of 4096 about 0.06).
TEST(Hash, ChangingOneBitFlipsHalfOfTheOutput) {
    double flipped = 0;
    for (uint64_t word = 0; word < 64; ++word)
        for (int bit = 0; bit < 64; ++bit)
            flipped += std::popcount(mixIn(7, word) ^ mixIn(7, word ^ (uint64_t{1} << bit)));
    EXPECT_NEAR(flipped / 4096, 32, 0.5);
}

TEST(Hash, OrderAndValueMatter) {
    EXPECT_NE(mixIn(mixIn(0, 1), 2), mixIn(mixIn(0, 2), 1));
    EXPECT_NE(mixIn(0, 0), 0u);
    std::set<uint64_t> seen;
    for (uint64_t i = 0; i < 100000; ++i) seen.insert(mixIn(1, i));
    EXPECT_EQ(seen.size(), 100000u);
}

// FNV-1a test vectors of its authors (Fowler, Noll, Vo).
TEST(Hash, TextIsFnv1a) {
    EXPECT_EQ(hashText(""), 0xcbf29ce484222325ull);
    EXPECT_EQ(hashText("a"), 0xaf63dc4c8601ec8cull);
    EXPECT_EQ(hashText("foobar"), 0x85944171f73967e8ull);
    EXPECT_EQ(hashText("bar", hashText("foo")), hashText("foobar"));
}

}  // namespace
}  // namespace coalesce
