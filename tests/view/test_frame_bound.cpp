#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "view/panel/frame_bound.h"

namespace coalesce::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(FrameBound, NamesWhatTakesMostOfTheTime) {
    EXPECT_THAT(boundOfFrame({.simulation = 0.8, .drawing = 0.1}), StartsWith("The simulation bounds"));
    EXPECT_THAT(boundOfFrame({.simulation = 0.8, .drawing = 0.1}), HasSubstr("80 %"));
    EXPECT_THAT(boundOfFrame({.simulation = 0.1, .drawing = 0.7}), StartsWith("Drawing bounds"));
    EXPECT_THAT(boundOfFrame({.simulation = 0.2, .drawing = 0.3}), HasSubstr("50 % of the time is free"));
    EXPECT_THAT(boundOfFrame({.simulation = 0.45, .drawing = 0.4}),
                HasSubstr("share the time: 45 % and 40 %"));
    EXPECT_THAT(boundOfFrame({.simulation = 1.3, .drawing = 0}), HasSubstr("100 %")) << "a smoothed share";
}

// The last simulation times say nothing about a window that is paused.
TEST(FrameBound, LeavesOutThePausedSimulation) {
    EXPECT_THAT(boundOfFrame({.simulation = 0.9, .drawing = 0.05, .paused = true}), StartsWith("Paused"));
    EXPECT_THAT(boundOfFrame({.simulation = 0.9, .drawing = 0.9, .paused = true}),
                StartsWith("Drawing bounds"));
}

}  // namespace
}  // namespace coalesce::test
