// Error reporting: fail, nearest, CHECK.
#include <gtest/gtest.h>

#include "core/error.h"

namespace coalesce {
namespace {

TEST(Fail, MessageHasPlaceProblemAndHint) {
    try {
        fail(Exit::Scene, "scenes/dam.json:14", "no such property", "All properties: coalesce params");
        FAIL() << "did not throw";
    } catch (const Error& error) {
        EXPECT_EQ(error.code, Exit::Scene);
        EXPECT_STREQ(error.what(),
                     "scenes/dam.json:14: no such property\n    All properties: coalesce params");
    }
}

TEST(Fail, EmptyPartsAreOmitted) {
    try {
        fail(Exit::Output, "", "disk full");
        FAIL() << "did not throw";
    } catch (const Error& error) {
        EXPECT_EQ(error.code, Exit::Output);
        EXPECT_STREQ(error.what(), "disk full");
    }
}

TEST(Nearest, FindsTypingErrors) {
    const std::vector<std::string> names = {"relaxation", "viscosity", "vorticity", "maxSpeed", "friction"};
    EXPECT_EQ(nearest("viscocity", names), "viscosity");   // one letter replaced
    EXPECT_EQ(nearest("Vorticicty", names), "vorticity");  // one inserted, other case
    EXPECT_EQ(nearest("frction", names), "friction");      // one left out
    EXPECT_EQ(nearest("maxspeed", names), "maxSpeed");     // case only
    EXPECT_EQ(nearest("relaxation", names), "relaxation");
    EXPECT_EQ(nearest("bodys", {"bodies", "fields"}), "bodies");             // two of five
    EXPECT_EQ(nearest("--res", {"--set", "--resolution"}), "--resolution");  // its beginning
    EXPECT_EQ(nearest("--se", {"--set", "--seconds"}), "--set");
}

TEST(Nearest, ReturnsNothingWhenNothingIsClose) {
    EXPECT_EQ(nearest("temperature", {"spacing", "phase", "id"}), "");
    EXPECT_EQ(nearest("spacing", {}), "");
    EXPECT_EQ(nearest("", {"spacing"}), "");
}

TEST(Nearest, ReturnsTheFirstOfEquallyClose) {
    EXPECT_EQ(nearest("boxx", {"boxa", "boxb"}), "boxa");
}

TEST(CheckDeathTest, AbortsWithPlaceExpressionAndBothSides) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const int three = 3;
    EXPECT_DEATH(CHECK(three == 4), "test_error.cpp:[0-9]+: internal check failed: three == 4");
    EXPECT_DEATH(CHECK_EQ(three, 4), "three == 4; left 3, right 4");
    EXPECT_DEATH(CHECK_LE(three, 2), "three <= 2; left 3, right 2");
    EXPECT_DEATH(CHECK_LT(three, 3), "three < 3; left 3, right 3");
}

TEST(Check, TrueConditionsPassAndAreEvaluatedOnce) {
    int calls = 0;
    const auto next = [&] { return ++calls; };
    CHECK(next() == 1);
    CHECK_EQ(next(), 2);
    CHECK_LE(next(), 3);
    CHECK_LT(next(), 5);
    EXPECT_EQ(calls, 4);
}

}  // namespace
}  // namespace coalesce
