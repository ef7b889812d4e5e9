// Views of arrays: parts, lanes, and bounds checks.
#include <gtest/gtest.h>
#include <type_traits>

#include "kernels/math/view.h"

namespace coalesce {
namespace {

TEST(View, ConvertsToConstOnly) {
    EXPECT_TRUE((std::is_convertible_v<View<float>, View<const float>>));
    EXPECT_FALSE((std::is_convertible_v<View<const float>, View<float>>));
    EXPECT_FALSE((std::is_convertible_v<View<float>, View<const int>>));
    EXPECT_TRUE((std::is_trivially_copyable_v<View<float>>));
}

TEST(View, PartSharesMemory) {
    int values[10] = {};
    const View<int> whole(values, 10);
    const View<int> part = whole.subview(3, 4);
    EXPECT_EQ(part.size, 4u);
    part[0] = 7;
    EXPECT_EQ(values[3], 7);
    EXPECT_EQ(whole.subview(10, 0).size, 0u);
}

TEST(View, LoadsAndStoresLanes) {
    alignas(64) float numbers[32];
    alignas(64) int words[32];
    alignas(64) Vec4 records[32];
    for (int i = 0; i < 32; ++i) {
        numbers[i] = 10.0f * i;
        words[i] = 1000 + i;
        records[i] = {i + 0.0f, i + 0.25f, i + 0.5f, i + 0.75f};
    }
    alignas(64) int places[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) places[lane] = (lane * 11 + 3) % 32;
    const LaneInt j = load(places, LaneIndex{0});
    const View<const float> numberView(numbers, 32);
    const View<const int> wordView(words, 32);
    const View<const Vec4> recordView(records, 32);
    const LaneFloat inARow = numberView[LaneIndex{16}], anywhere = numberView[j];
    const LaneInt wordsInARow = wordView[LaneIndex{16}], wordsAnywhere = wordView[j];
    const Vec4T<LaneFloat> recordsInARow = recordView[LaneIndex{16}], recordsAnywhere = recordView[j];
    for (int lane = 0; lane < kLanes; ++lane) {
        EXPECT_EQ(inARow.bits[lane], numbers[16 + lane]);
        EXPECT_EQ(anywhere.bits[lane], numbers[places[lane]]);
        EXPECT_EQ(wordsInARow.bits[lane], words[16 + lane]);
        EXPECT_EQ(wordsAnywhere.bits[lane], words[places[lane]]);
        EXPECT_EQ(recordsInARow.y.bits[lane], records[16 + lane].y);
        EXPECT_EQ(recordsAnywhere.w.bits[lane], records[places[lane]].w);
    }

    alignas(64) Vec4 copied[32] = {};
    alignas(64) float copiedNumbers[32] = {};
    put(View<Vec4>(copied, 32), LaneIndex{16}, recordsInARow);
    put(View<float>(copiedNumbers, 32), LaneIndex{0}, anywhere);
    put(View<float>(copiedNumbers, 32), 31, -1.0f);
    for (int lane = 0; lane < kLanes; ++lane) {
        EXPECT_EQ(copied[lane].x, 0) << "the rest stays";
        EXPECT_EQ(copied[16 + lane].x, records[16 + lane].x);
        EXPECT_EQ(copied[16 + lane].z, records[16 + lane].z);
        EXPECT_EQ(copiedNumbers[lane], numbers[places[lane]]);
    }
    EXPECT_EQ(copiedNumbers[31], -1);
}

#ifdef COALESCE_CHECK_BOUNDS
TEST(ViewDeathTest, AbortsOutOfBounds) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    alignas(64) float values[16] = {};
    const View<float> view(values, 16);
    view[15] = 1;
    EXPECT_DEATH(view[16] = 1, "view of 16 elements: index 16");
    EXPECT_DEATH(view[static_cast<size_t>(-1)] = 1, "view of 16 elements: index 18446744073709551615");
    EXPECT_DEATH(view.subview(10, 7), "view of 16 elements: index 16");
    EXPECT_DEATH((void)view[LaneIndex{16}], "view of 16 elements: index 31");
}
#endif

}  // namespace
}  // namespace coalesce
