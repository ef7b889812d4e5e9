#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "view/panel/frame_bound.h"

namespace coalesce::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A computer without GPU, with 8 cores of which 8 are used.
const FrameChoices kSoftware{.software = "llvmpipe", .threads = 8, .cores = 8};

TEST(FrameBound, DrawingInSoftware) {
    EXPECT_EQ(
        boundOfFrame({.simulation = 0.1, .drawing = 0.7}, kSoftware),
        "Drawing takes most of the time (70 %). OpenGL runs in software (llvmpipe). Make the window smaller, "
        "choose a draft (page Display), or draw points (key 9).");
    FrameChoices draft = kSoftware;
    draft.draft = true;
    EXPECT_THAT(boundOfFrame({.simulation = 0.1, .drawing = 0.7}, draft),
                HasSubstr("Make the window smaller or draw points (key 9)."));
    draft.points = true;
    EXPECT_THAT(boundOfFrame({.simulation = 0.1, .drawing = 0.7}, draft),
                testing::EndsWith("(llvmpipe). Make the window smaller."))
        << "nothing that is done already";
}

TEST(FrameBound, DrawingOnAGpu) {
    const std::string text = boundOfFrame({.simulation = 0.3, .drawing = 0.6}, {.threads = 0});
    EXPECT_THAT(text,
                StartsWith("Drawing takes most of the time (60 %; solving 30 %). Make the window smaller"));
    EXPECT_THAT(text, Not(HasSubstr("software")));
    EXPECT_THAT(boundOfFrame({.simulation = 0.44, .drawing = 1}, {.threads = 0}),
                StartsWith("Drawing takes most of the time (100 %; solving 44 % meanwhile)."))
        << "they overlap";
}

TEST(FrameBound, Solving) {
    EXPECT_EQ(
        boundOfFrame({.simulation = 0.8, .drawing = 0.1}, kSoftware),
        "Solving takes most of the time (80 %). Take fewer substeps or iterations (page Parameters) or a "
        "coarser spacing (page Materials).");
    EXPECT_THAT(boundOfFrame({.simulation = 0.8}, {.sizes = true, .threads = 2, .cores = 8}),
                HasSubstr("open a smaller size, or more threads than 2 (--threads 8)."));
    EXPECT_THAT(boundOfFrame({.simulation = 0.8}, {.threads = 0, .cores = 8}), Not(HasSubstr("--threads")))
        << "on a GPU";
    EXPECT_THAT(boundOfFrame({.simulation = 1.3, .drawing = 0}, kSoftware), HasSubstr("100 %"))
        << "a smoothed share";
}

TEST(FrameBound, BothAlike) {
    const std::string text = boundOfFrame({.simulation = 0.48, .drawing = 0.55}, kSoftware);
    EXPECT_THAT(
        text, StartsWith("Drawing and solving take about as long (55 % and 48 %). OpenGL runs in software"));
    EXPECT_THAT(text, HasSubstr("Make the window smaller"));
    EXPECT_THAT(text, HasSubstr("Take fewer substeps"));
}

TEST(FrameBound, TheDisplay) {
    EXPECT_THAT(boundOfFrame({.simulation = 0.2, .drawing = 0.3}, kSoftware),
                HasSubstr("50 % of the time is free"));
}

TEST(FrameBound, OtherPrograms) {
    EXPECT_THAT(
        boundOfFrame({.simulation = 0.1, .drawing = 0.2, .frameMs = 5000}, kSoftware),
        StartsWith(
            "Neither drawing nor solving limits the frame rate: 70 % of the time goes to other programs"));
    EXPECT_THAT(boundOfFrame({.simulation = 0.1, .drawing = 0.2, .frameMs = 16}, kSoftware),
                StartsWith("The display's refresh"));
}

// The last simulation times say nothing about a window that is paused.
TEST(FrameBound, LeavesOutThePausedSimulation) {
    EXPECT_THAT(boundOfFrame({.simulation = 0.9, .drawing = 0.05, .paused = true}, kSoftware),
                StartsWith("Paused"));
    EXPECT_THAT(boundOfFrame({.simulation = 0.9, .drawing = 0.9, .paused = true}, kSoftware),
                StartsWith("Drawing takes most of the time (90 %)."));
}

}  // namespace
}  // namespace coalesce::test
