// When the window draws in draft, by the times of made-up frames.
#include <gtest/gtest.h>

#include "view/viewport/draft_mode.h"

namespace coalesce {
namespace {

// A device that draws a full image in this time [s], and a draft in a share of it.
// Returns the number of switches over ten seconds.
int switches(DraftMode& mode, double full, double share, Draft choice = Draft::Automatic) {
    int count = 0;
    for (double t = 0; t < 10;) {
        const bool before = mode.isOn();
        const double drawing = before ? share * full : full, elapsed = drawing + 0.005;
        const bool begun = mode.update(choice, drawing, elapsed);
        EXPECT_EQ(begun, choice == Draft::Automatic && !before && mode.isOn());
        count += before != mode.isOn();
        t += elapsed;
    }
    return count;
}

TEST(DraftMode, BeginsWhereDrawingIsSlow) {
    DraftMode fast, slow;
    EXPECT_EQ(switches(fast, 0.02, 0.25), 0);
    EXPECT_FALSE(fast.isOn());
    EXPECT_EQ(switches(slow, 0.3, 0.25), 1);
    EXPECT_TRUE(slow.isOn());
}

TEST(DraftMode, EndsWhenDrawingBecomesFast) {
    DraftMode mode;
    switches(mode, 0.3, 0.25);
    EXPECT_EQ(switches(mode, 0.03, 0.25), 1) << "another scene";
    EXPECT_FALSE(mode.isOn());
}

// Between a sixth and all of the time of the full image.
TEST(DraftMode, DoesNotAlternate) {
    for (double full = 0.005; full < 2; full *= 1.2)
        for (const double share : {1.0 / 6, 0.25, 0.5, 1.0}) {
            DraftMode mode;
            EXPECT_LE(switches(mode, full, share), 1) << full << " s, share " << share;
        }
}

TEST(DraftMode, OneSlowImageDoesNotCount) {
    DraftMode mode;
    mode.update(Draft::Automatic, 3, 3.1);  // compiles shaders
    EXPECT_EQ(switches(mode, 0.02, 0.25), 0);
}

TEST(DraftMode, ObeysTheChoice) {
    DraftMode mode;
    switches(mode, 0.001, 0.25, Draft::On);
    EXPECT_TRUE(mode.isOn());
    switches(mode, 1, 0.25, Draft::Off);
    EXPECT_FALSE(mode.isOn());
}

TEST(DraftMode, ADraftIsCheaper) {
    DrawOptions options;
    options.quality = Quality::Final, options.ssaa = 2;
    const DrawOptions draft = draftOf(options);
    EXPECT_FALSE(draft.shadows || draft.occlusion);
    EXPECT_EQ(draft.quality, Quality::Standard);
    EXPECT_EQ(draft.ssaa, 1);
    EXPECT_TRUE(draft.halved);
    options.quality = Quality::Points;
    EXPECT_EQ(draftOf(options).quality, Quality::Points);
}

}  // namespace
}  // namespace coalesce
