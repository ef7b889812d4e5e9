// Rows of the profiler: one per launch name.
#include <gtest/gtest.h>

#include "core/exec.h"
#include "core/profiler.h"

namespace coalesce {
namespace {

TEST(Profiler, AddsUpAFrameInOrderOfFirstAppearance) {
    Profiler profiler;
    profiler.add("predict", 1);
    profiler.add("solve", 2);
    profiler.add("predict", 0.5);
    EXPECT_TRUE(profiler.rows().empty()) << "the frame is not closed yet";
    profiler.endFrame();
    ASSERT_EQ(profiler.rows().size(), 2u);
    EXPECT_EQ(profiler.rows()[0].name, "predict");
    EXPECT_EQ(profiler.rows()[0].launches, 2);
    EXPECT_EQ(profiler.rows()[0].ms, 1.5);
    EXPECT_EQ(profiler.rows()[1].name, "solve");
    EXPECT_EQ(profiler.rows()[1].launches, 1);
}

TEST(Profiler, StartsEachFrameAtZeroAndKeepsTheOrder) {
    Profiler profiler;
    profiler.add("predict", 1);
    profiler.add("solve", 2);
    profiler.endFrame();
    profiler.add("solve", 4);
    profiler.add("render", 8);
    profiler.endFrame();
    ASSERT_EQ(profiler.rows().size(), 3u);
    EXPECT_EQ(profiler.rows()[0].launches, 0);
    EXPECT_EQ(profiler.rows()[0].ms, 0);
    EXPECT_EQ(profiler.rows()[1].ms, 4);
    EXPECT_EQ(profiler.rows()[2].name, "render");
}

TEST(Profiler, DiscardedLaunchesDoNotCount) {
    Profiler profiler;
    profiler.add("predict", 1);
    profiler.discardFrame();
    profiler.add("predict", 2);
    profiler.endFrame();
    ASSERT_EQ(profiler.rows().size(), 1u);
    EXPECT_EQ(profiler.rows()[0].launches, 1);
    EXPECT_EQ(profiler.rows()[0].ms, 2);
}

TEST(Profiler, TimesLaunchesOnlyWithinAFrameAndWhileEnabled) {
    Exec exec({.backend = "cpu", .threads = 1});
    exec.beginFrame();
    { Exec::Timer timer(exec, "while disabled"); }
    exec.endFrame();
    EXPECT_TRUE(exec.profiler.rows().empty());

    exec.profiler.enabled = true;
    exec.beginFrame();
    { Exec::Timer timer(exec, "in the frame"); }
    exec.endFrame();
    { Exec::Timer timer(exec, "between frames"); }
    exec.endFrame();
    ASSERT_EQ(exec.profiler.rows().size(), 1u);
    EXPECT_EQ(exec.profiler.rows()[0].name, "in the frame");
    EXPECT_EQ(exec.profiler.rows()[0].launches, 1);
    EXPECT_GE(exec.profiler.rows()[0].ms, 0);
}

}  // namespace
}  // namespace coalesce
