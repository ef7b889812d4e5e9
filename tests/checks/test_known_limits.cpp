// Hints at known limits: said where a scene meets one and not where it does not, with numbers that hold.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checks/known_limits.h"
#include "scene/build/build.h"
#include "scene/reader.h"
#include "sim/solver/solver.h"
#include "support/body_states.h"

namespace coalesce::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A body of a material, with more of the scene's keys.
Scene sceneOf(const std::string& material, const std::string& body, const std::string& more = "") {
    return readSceneText(R"({"materials": {"own": {"spacing": 0.1, )" + material +
                             R"(}, "water": {"spacing": 0.1}, "oil": {"spacing": 0.1, "density": 800}},
        "bodies": [{"name": "first", "material": "own", "sphere": {"radius": 0.3})" +
                             body + R"(},
                   {"name": "pool", "material": "water", "block": {"min": [0, 0, 3], "max": [1, 1, 4]}},
                   {"name": "slick", "material": "oil", "block": {"min": [0, 2, 3], "max": [1, 3, 4]}}])" +
                             more + "}",
                         "s.json");
}
std::vector<std::string> hintsAt(const std::string& material, const std::string& body,
                                 const std::string& more = "") {
    return knownLimits(sceneOf(material, body, more));
}

// Under projective dynamics a free soft body loses the share of its spin that its hint names; where that is below a
// percent there is none, nor under the method position, which returns it.
TEST(KnownLimits, SoftBodiesLoseTheShareOfTheirSpinThatIsSaid) {
    const auto lost = [](const Scene& scene) {  // in a second
        Exec exec({.backend = "cpu"});
        World world(exec);
        buildWorld(scene, world);
        Solver solver(world);
        const double before = length(toDouble(bodyStates(world)[0].angularMomentum));
        while (world.frame < 60) solver.step();
        return 1 - length(toDouble(bodyStates(world)[0].angularMomentum)) / before;
    };
    const auto turning = [](int degrees, int substeps, const char* method = "projective") {
        return readSceneText(
            fmt::format(
                R"({{"materials": {{"own": {{"kind": "soft", "spacing": 0.1}}}}, "world": {{"gravity": [0, 0, 0]}},
                "bodies": [{{"name": "first", "material": "own", "sphere": {{"radius": 0.3}}, "angularVelocity": [0, {}, 0]}}],
                "solver": {{"substeps": {}, "method": "{}"}}}})",
                degrees, substeps, method),
            "s.json");
    };
    struct Case {
        int degrees, substeps;
        const char* hint;  // null: none
        double share;
    };
    for (const Case& c : {Case{229, 2, "loses 11 % of its spin", 0.111},
                          {458, 2, "loses 30 % of its spin", 0.304},
                          {229, 8, "loses 3.2 % of its spin", 0.032},
                          {57, 2, nullptr, 0.0083}}) {
        const Scene scene = turning(c.degrees, c.substeps);
        EXPECT_NEAR(lost(scene), c.share, 0.08 * c.share) << c.degrees;
        if (c.hint)
            EXPECT_THAT(knownLimits(scene), ElementsAre(HasSubstr(c.hint)));
        else
            EXPECT_THAT(knownLimits(scene), IsEmpty());
    }
    const Scene kept = turning(458, 2, "position");
    EXPECT_NEAR(lost(kept), 0, 1e-3);
    EXPECT_THAT(knownLimits(kept), IsEmpty());
}

TEST(KnownLimits, BodiesNearlyAsHeavyAsALiquidFloatTooDeep) {
    const auto hints = [](int density) {
        return hintsAt(fmt::format(R"("kind": "rigid", "density": {})", density), "");
    };
    EXPECT_THAT(hints(900), ElementsAre(HasSubstr("0.9 of the density of water: such bodies float too deep"),
                                        HasSubstr("of oil")));
    EXPECT_THAT(hintsAt(R"("kind": "soft", "density": 900)", ""),
                ElementsAre(HasSubstr("sinks and stays below"), HasSubstr("of oil")));
    EXPECT_THAT(hints(1100), ElementsAre(HasSubstr("stops on the last two layers")));
    EXPECT_THAT(hints(500), IsEmpty());
    EXPECT_THAT(hints(2000), IsEmpty());
}

TEST(KnownLimits, BallsAreHeldBackOnBodies) {
    const auto hints = [](const std::string& friction, float length) {
        return knownLimits(
            readSceneText(fmt::format(R"({{"materials": {{"own": {{"kind": "rigid", "spacing": 0.1, {}}}}},
            "bodies": [{{"name": "ball", "material": "own", "sphere": {{"radius": 0.3}}, "center": [0, 1, 0]}},
                       {{"name": "plank", "material": "own", "block": {{"size": [{}, 0.2, 0.4]}}}}]}})",
                                      friction, length),
                          "s.json"));
    };
    EXPECT_THAT(hints(R"("staticFriction": 0.5)", 3),
                ElementsAre(HasSubstr(
                    "body ball rolls on shapes with its true round surface; on bodies such as plank")));
    EXPECT_THAT(hints(R"("staticFriction": 0)", 3), IsEmpty());
    EXPECT_THAT(hints(R"("staticFriction": 0.5)", 1), IsEmpty()) << "too short to roll on";
}

TEST(KnownLimits, HeapsFlatten) {
    const std::string sand = R"("kind": "grains", "staticFriction": 0.3, "dynamicFriction": 0.3)";
    EXPECT_THAT(hintsAt(sand, ""), ElementsAre(HasSubstr("contacts.presliding")));
    EXPECT_THAT(hintsAt(sand, "", R"(, "contacts": {"presliding": 1})"), IsEmpty());
    EXPECT_THAT(hintsAt(sand, "", R"(, "duration": 1)"), IsEmpty());
    EXPECT_THAT(hintsAt(R"("kind": "grains")", ""), IsEmpty()) << "without friction there are no heaps";
}

TEST(KnownLimits, CratersHaveNoRim) {
    const auto hints = [](const char* kind, const char* pinned) {
        return knownLimits(readSceneText(
            fmt::format(R"({{"materials": {{"sand": {{"kind": "grains"}}, "stone": {{"kind": "{}"}}}},
            "bodies": [{{"name": "bed", "material": "sand", "block": {{"size": [1, 1, 1]}}, "center": [0, 0.5, 0]}},
                       {{"name": "ball", "material": "stone", "sphere": {{"radius": 0.2}}, "center": [0, 2, 0], "pinned": {}}}]}})",
                        kind, pinned),
            "s.json"));
    };
    EXPECT_THAT(hints("rigid", "false"), ElementsAre(HasSubstr("have no rim")));
    EXPECT_THAT(hints("rigid", "true"), IsEmpty());
    EXPECT_THAT(hints("grains", "false"), IsEmpty());
}

TEST(KnownLimits, PlaneLiquidsCrystallize) {
    const auto hints = [](const char* ratio, const char* planar) {
        return knownLimits(readSceneText(fmt::format(R"({{"solver": {{"planar": {}}}, "materials": {{
            "water": {{"spacing": 0.1, "supportRatio": {}}}, "oil": {{"spacing": 0.1, "supportRatio": {}}}}}, "bodies": [
            {{"name": "low", "material": "water", "block": {{"min": [0, 0, 0], "max": [1, 1, 0.1]}}}},
            {{"name": "high", "material": "oil", "block": {{"min": [0, 1, 0], "max": [1, 2, 0.1]}}}}]}})",
                                                     planar, ratio, ratio),
                                         "s.json"));
    };
    EXPECT_THAT(hints("2", "true"), ElementsAre(HasSubstr("crystallize")));
    EXPECT_THAT(hints("3", "true"), IsEmpty());
    EXPECT_THAT(hints("2", "false"), IsEmpty());
}

}  // namespace
}  // namespace coalesce::test
