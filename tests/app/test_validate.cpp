// What coalesce validate reports and warns of.
#include <gtest/gtest.h>

#include "program.h"

namespace coalesce::test {
namespace {

TEST_F(Program, ValidateReportsEachErrorOnceByLine) {
    std::string text = "{";
    for (int line = 2; line <= 12; ++line) text += "\n\"zz" + std::to_string(line) + "\": 0,";
    text += "\n\"sizes\": {\"ci\": {}}}";
    writeText(folder / "many.json", text);
    const Ran ran = coalesceProgram("validate " + (folder / "many.json").string());
    EXPECT_EQ(ran.code, 3);
    size_t before = 0;
    for (int line = 2; line <= 12; ++line) {
        const size_t at = ran.text.find("many.json:" + std::to_string(line) + ": zz");
        ASSERT_NE(at, std::string::npos) << ran.text;
        EXPECT_GE(at, before) << ran.text;
        EXPECT_EQ(ran.text.find("many.json:" + std::to_string(line) + ": zz", at + 1), std::string::npos);
        before = at;
    }
}

// a box meant as a vessel, without "container": its water would be pushed out
TEST_F(Program, ValidateWarnsOfParticlesInsideShapes) {
    const auto validated = [&](const std::string& container) {
        writeText(folder / "tank.json",
                  R"({"materials": {"water": {"spacing": 0.1}},
                      "bodies": [{"name": "pool", "block": {"min": [0, 0, 0], "max": [1, 0.5, 1]}}],
                      "shapes": [{"name": "tank", "box": {"size": [1, 2, 1]}, "position": [0.5, 1, 0.5])" +
                      container + "}]}");
        return coalesceProgram("validate " + (folder / "tank.json").string());
    };
    const Ran solid = validated("");
    EXPECT_EQ(solid.code, 0);
    // 10 x 5 x 10 particles; the layers at its four sides and its floor do not count: 8 x 4 x 8 are left
    EXPECT_TRUE(says(solid, "body pool: 256 of its 500 particles start inside shape tank")) << solid.text;
    EXPECT_TRUE(says(solid, "\"container\": true")) << solid.text;
    EXPECT_FALSE(says(validated(R"(, "container": true)"), "start inside shape"));
}

TEST_F(Program, ValidateWarnsOfParticlesOutsideContainers) {
    const auto validated = [&](double width) {
        writeText(folder / "tank.json", fmt::format(R"({{"materials": {{"water": {{"spacing": 0.1}}}},
                      "bodies": [{{"name": "pool", "block": {{"min": [0, 0, 0], "max": [1, 0.5, 1]}}}}],
                      "shapes": [{{"name": "tank", "box": {{"size": [{}, 2, 1]}}, "position": [0.5, 1, 0.5],
                                  "container": true}}]}})",
                                                    width));
        return coalesceProgram("validate " + (folder / "tank.json").string());
    };
    // 0.4 m wide: of ten layers the middle ones, at 0.35 to 0.65 m, are inside; those at 0.25 and 0.75 m are
    // outside by half a spacing, as particles at a wall may be
    const Ran narrow = validated(0.4);
    EXPECT_EQ(narrow.code, 0);
    EXPECT_TRUE(says(narrow, "body pool: 200 of its 500 particles start outside container tank"))
        << narrow.text;
    EXPECT_FALSE(says(validated(1), "start outside"));
}

// What is not in a box is pulled in as well: cloth, ropes, what nozzles emit.
TEST_F(Program, ValidateWarnsOfClothRopesAndNozzlesOutsideContainers) {
    const auto validated = [&](double x) {
        writeText(folder / "beside.json", fmt::format(R"({{
            "materials": {{"linen": {{"kind": "cloth", "spacing": 0.1}}, "cord": {{"kind": "rope", "spacing": 0.1}},
                           "water": {{"spacing": 0.1}}}},
            "bodies": [
                {{"name": "towel", "material": "linen", "grid": {{"size": [0.4, 0, 0.4]}}, "center": [{0}, 1, 0]}},
                {{"name": "line", "material": "cord", "rope": {{"points": [[{0}, 1, 0], [{0}, 1, 0.5]]}},
                  "attach": [{{"point": [{0}, 1, 0]}}]}}],
            "emitters": [{{"name": "tap", "material": "water", "disc": {{"radius": 0.1}}, "position": [{0}, 1, 0]}}],
            "shapes": [{{"name": "tank", "box": {{"size": [2, 2, 2]}}, "position": [0, 1, 0], "container": true}}]}})",
                                                      x));
        return coalesceProgram("validate " + (folder / "beside.json").string());
    };
    const Ran beside = validated(3);
    EXPECT_EQ(beside.code, 0) << beside.text;
    for (const char* text : {"body towel: 25 of its 25 particles start outside container tank",
                             "body line: 6 of its 6 particles start outside container tank",
                             "emitter tap: its nozzle is outside container tank"})
        EXPECT_TRUE(says(beside, text)) << beside.text;
    EXPECT_FALSE(says(validated(0), "outside container"));
}

TEST_F(Program, ValidateWarnsOfCoincidentParticles) {
    writeText(
        folder / "twice.json",
        R"({"materials": {"water": {}}, "bodies": [{"name": "pair", "points": [[0, 1, 0], [0, 1, 0]]}]})");
    const Ran ran = coalesceProgram("validate " + (folder / "twice.json").string());
    EXPECT_EQ(ran.code, 0);
    EXPECT_TRUE(says(ran, "warning: body pair: 1 of its particles")) << ran.text;
    EXPECT_FALSE(says(coalesceProgram("validate " + small), "coincide"));
}

// run says it before its first frame, on stderr, and in its reports; a gas around a stone is only a hint of validate.
TEST_F(Program, RunsSayWhatIsWrongWithTheScene) {
    const auto overlapping = [&](const std::string& kind) {
        const std::string file = (folder / (kind + ".json")).string(),
                          report = (folder / "report.json").string();
        writeText(file, R"({"materials": {"air": {"kind": ")" + kind +
                            R"(", "spacing": 0.1}, "stone": {"kind": "rigid", "spacing": 0.1}},
            "bodies": [{"name": "room", "material": "air", "block": {"size": [1, 1, 1]}},
                       {"name": "block", "material": "stone", "block": {"size": [0.4, 0.4, 0.4]}}]})");
        Ran ran = coalesceProgram("run " + file + " --frames 1 --stats " + report);
        EXPECT_EQ(ran.code, 0) << ran.text;
        ran.text += readText(report);
        return std::pair(ran, coalesceProgram("validate " + file));
    };
    const std::string overlap = "bodies room and block overlap at the start: ";
    const auto [liquid, validated] = overlapping("fluid");
    EXPECT_TRUE(says(liquid, "fluid  warning: " + overlap)) << liquid.text;
    EXPECT_TRUE(says(liquid, "\n  warning: " + overlap)) << liquid.text;
    EXPECT_TRUE(says(liquid, "\"warnings\": [")) << liquid.text;
    EXPECT_TRUE(says(validated, "warning: " + overlap)) << validated.text;
    const auto [gas, validatedGas] = overlapping("gas");
    EXPECT_FALSE(says(gas, overlap)) << gas.text;
    EXPECT_TRUE(says(validatedGas, "hint: " + overlap)) << validatedGas.text;
}

TEST_F(Program, ValidateWarnsOfScaledMassesUnderFrictionThatRemembers) {
    const auto validated = [&](const std::string& contacts) {
        writeText(folder / "pile.json", R"({"materials": {"sand": {"kind": "grains"}}, "contacts": )" +
                                            contacts +
                                            R"(, "bodies": [{"name": "pile", "material": "sand",
                                                "block": {"size": [0.2, 3, 0.2]}}]})");
        return coalesceProgram("validate " + (folder / "pile.json").string());
    };
    const Ran tall = validated(R"({"presliding": 0.1, "stackScaling": 6})");
    EXPECT_EQ(tall.code, 0);
    EXPECT_TRUE(says(tall, "tears piles of 3 m apart")) << tall.text;
    EXPECT_FALSE(says(validated(R"({"presliding": 0.1, "stackScaling": 3})"), "tears piles"));
    EXPECT_FALSE(says(validated(R"({"stackScaling": 6})"), "tears piles"));
}

// The particles of the water have 0.125 kg; a square meter of the skin, of 642 particles on 2 m², has 1 or 10 kg.
TEST_F(Program, ValidateWarnsOfLightClothThatIsFilled) {
    const auto validated = [&](double areaDensity, const std::string& center,
                               const std::string& solver = R"("substeps": 8)") {
        writeText(folder / "balloon.json",
                  R"({"materials": {"skin": {"kind": "cloth", "spacing": 0.07, "areaDensity": )" +
                      std::to_string(areaDensity) + R"(}, "water": {"spacing": 0.05}},
                      "solver": {)" +
                      solver + R"(},
                      "bodies": [{"name": "skin", "material": "skin", "shape": "icosphere", "subdivisions": 3,
                                  "height": 0.8, "center": [0, 1, 0]},
                                 {"name": "fill", "material": "water", "sphere": {"radius": 0.3}, "center": )" +
                      center + "}]}");
        return coalesceProgram("validate " + (folder / "balloon.json").string());
    };
    const Ran light = validated(1, "[0, 1, 0]");
    EXPECT_EQ(light.code, 0);
    EXPECT_TRUE(says(light, "cloth skin cannot hold fill, whose particles are 40.1 times as heavy"))
        << light.text;
    EXPECT_TRUE(says(light, "Use 18 substeps, 11 with solver.method projective")) << light.text;
    EXPECT_FALSE(says(validated(10, "[0, 1, 0]"), "cannot hold"));
    EXPECT_FALSE(says(validated(1, "[2, 1, 0]"), "cannot hold")) << "beside it";
    const Ran slow = validated(1, "[0, 1, 0]", R"("substeps": 8, "frameRate": 30)");
    EXPECT_TRUE(says(slow, "Use 36 substeps, 21 with solver.method projective"))
        << "frames are twice as long" << slow.text;
}

// Each with a control that is as it should be.
TEST_F(Program, ValidateWarnsOfOpacityOnContainersAndOfOtherUnits) {
    const auto validated = [&](const std::string& solver, const std::string& density,
                               const std::string& shapes) {
        writeText(folder / "units.json",
                  R"({"world": {"gravity": )" + solver +
                      R"(}, "materials": {"stone": {"kind": "rigid", "density": )" + density +
                      R"(}}, "bodies": [{"name": "block", "material": "stone", "block": {"size": [1, 1, 1]}}],
                      "shapes": [)" +
                      shapes + R"(]})");
        return coalesceProgram("validate " + (folder / "units.json").string());
    };
    const std::string tank = R"({"name": "tank", "box": {"size": [4, 4, 4]}, "container": true)";
    const std::string pane = R"({"name": "pane", "box": {"size": [4, 4, 0.01]}, "position": [0, 0, 3])";
    const Ran right =
        validated("[0, -1.62, 0]", "2500", tank + "}, " + pane + R"(, "collisionMask": [], "opacity": 0.2})");
    const Ran wrong = validated("[0, 0, -981]", "2.5", tank + R"(, "opacity": 0.2}, )" + pane + "}");
    for (const char* words :
         {"shape tank: opacity has no effect on a container", "gravity is 981 m/s2",
          "does not point downwards", "material stone has a density of 2.5", "shape pane is 0.01 m thick"}) {
        EXPECT_TRUE(says(wrong, words)) << words << "\n" << wrong.text;
        EXPECT_FALSE(says(right, words)) << words;
    }
}

// A check at a time that one case at least reaches is right.
TEST_F(Program, ValidateWarnsOfWhatARunDoesNotReach) {
    const auto validated = [&](const std::string& shapes, const std::string& cases) {
        writeText(folder / "late.json",
                  R"({"materials": {"stone": {"kind": "rigid", "spacing": 0.1}}, "duration": 4,
                      "bodies": [{"name": "block", "material": "stone", "block": {"size": [1, 1, 1]}, "center": [0, 2, 0]}],
                      "timeline": [{"at": 30, "set": "world.gravity", "to": [0, 0, 0]}],
                      "expect": {"speed": {"at": 5, "max": 1}, "late": {"check": "speed", "at": 99, "max": 1}})" +
                      cases + R"(, "shapes": [)" + shapes + "]}");
        return coalesceProgram("validate " + (folder / "late.json").string());
    };
    const Ran wrong = validated("", "");
    const Ran right = validated(R"({"name": "floor", "plane": {}})",
                                R"(, "cases": {"short": {}, "long": {"duration": 99}})");
    for (const char* words : {"the check speed is judged at 5 s, after the end of the scene",
                              "the check late is judged at 99 s, after the end of the scene",
                              "an event of the timeline happens at 30 s, after the end of the scene",
                              "nothing holds body block: the scene has no shapes"}) {
        EXPECT_TRUE(says(wrong, words)) << words << "\n" << wrong.text;
        EXPECT_FALSE(says(right, words)) << words << "\n" << right.text;
    }
}

TEST_F(Program, ValidateWarnsOfHeatWithoutTemperature) {
    const auto validated = [&](const std::string& attributes) {
        writeText(folder / "warm.json",
                  R"({"materials": {"air": {"kind": "gas", "thermalExpansion": 0.003}}, )" + attributes +
                      R"("bodies": [{"name": "air", "material": "air", "block": {"size": [1, 1, 1]}}]})");
        return coalesceProgram("validate " + (folder / "warm.json").string());
    };
    EXPECT_TRUE(says(validated(""), "thermalExpansion has no effect without an attribute \"temperature\""));
    const Ran warm = validated(R"("attributes": {"temperature": {"default": 293, "unit": "K"}}, )");
    EXPECT_EQ(warm.code, 0) << warm.text;
    EXPECT_FALSE(says(warm, "temperature")) << warm.text;
}

// A few iterations carry the weight of few layers: what is said of liquids and cloth is what a run has.
TEST_F(Program, ValidateSaysHowFarLiquidsAndClothGiveWay) {
    const std::string file = (folder / "soft.json").string();
    const auto validated = [&](const std::string& solver, const std::string& more) {
        writeText(file, R"({"duration": 3, "solver": )" + solver +
                            R"(, "materials": {"water": {"spacing": 0.0625},
            "linen": {"kind": "cloth", "spacing": 0.05, "areaDensity": 0.5}}, )" +
                            more + "}");
        return coalesceProgram("validate " + file);
    };
    const std::string pool =
        R"("bodies": [{"name": "pool", "material": "water", "block": {"size": [0.5, 1, 0.5]}, "center": [0, 0.5, 0]}],
        "shapes": [{"name": "tank", "box": {"size": [0.5, 4, 0.5]}, "position": [0, 2, 0], "container": true}],
        "expect": {"density_error": {"statistic": "max", "from": 2.5, "to": 3, "min": 0.13, "max": 0.25}})";
    const std::string towel =
        R"("bodies": [{"name": "towel", "material": "linen", "grid": {"size": [0.4, 0, 0.4]}, "center": [0, 1, 0],
        "attach": [{"point": [-0.2, 1, -0.2]}, {"point": [0.2, 1, -0.2]}]}],
        "expect": {"stretch": {"group": "towel", "from": 2.5, "to": 3, "min": 0.4, "max": 1.4}})";
    const Ran deep = validated(R"({"frameRate": 24})", pool), held = validated(R"({"frameRate": 24})", towel);
    EXPECT_TRUE(
        says(deep, "body pool: while this liquid is 1 m deep, its lowest layers are compressed by 19 %"))
        << deep.text;
    EXPECT_TRUE(says(held, "body towel is held, and 8 cells long")) << held.text;
    EXPECT_TRUE(says(held, "stretch by about 1.4 times their length. Use 8 substeps")) << held.text;
    for (const std::string& scene : {pool, towel}) {
        validated(R"({"frameRate": 24})", scene);
        const Ran run = coalesceProgram("run " + file);
        EXPECT_EQ(run.code, 0) << run.text;
        const Ran fine = validated(R"({"frameRate": 24, "substeps": 8})", scene);
        EXPECT_FALSE(says(fine, "compressed") || says(fine, "is held")) << fine.text;
    }
}

// Points that hold a body, far from it; names that mean two things; what holds nothing, or is no sheet.
TEST_F(Program, ValidateWarnsOfDistantPointsAndOfNamesOfMaterials) {
    const auto validated = [&](const std::string& towel, const std::string& more = "") {
        writeText(
            folder / "towel.json",
            R"({"materials": {"linen": {"kind": "cloth", "spacing": 0.05}, "wood": {"kind": "rigid", "spacing": 0.05}},
                      "bodies": [{"name": "towel", "material": "linen", "grid": {"size": [0.4, 0, 0.4]})" +
                towel +
                R"(}, {"name": "crate", "material": "wood", "block": {"size": [0.2, 0.2, 0.2]}, "center": [0, 1, 0]}])" +
                more + "}");
        return coalesceProgram("validate " + (folder / "towel.json").string());
    };
    EXPECT_TRUE(says(validated(R"(, "attach": [{"point": [0.2, 3, 0.2]}])"),
                     "attach.point [0.2, 3, 0.2] is 3 m from the nearest particle of towel"));
    EXPECT_FALSE(says(validated(R"(, "attach": [{"point": [0.21, 0, 0.2]}])"), "attach.point"));
    const Ran spring = validated("", R"(, "springs": [{"from": {"body": "crate", "at": [0, 9, 0]},
                                      "to": {"body": "towel", "at": [0, 0, 0]}}])");
    EXPECT_TRUE(says(spring, "springs.from.at [0, 9, 0] is 7.93 m from the nearest particle of crate"))
        << spring.text;
    EXPECT_FALSE(says(spring, "springs.to.at"));
    const Ran pin = validated(R"(, "pin": {"min": [5, 5, 5], "max": [6, 6, 6]})");
    EXPECT_EQ(pin.code, 3);
    EXPECT_TRUE(says(pin, "no particle of \"towel\" starts between [5, 5, 5] and [6, 6, 6]")) << pin.text;
    EXPECT_EQ(validated(R"(, "pin": {"min": [-1, -1, -1], "max": [0, 1, 1]})").code, 0);
    const Ran level = validated("", R"(, "expect": {"center": {"group": "crate", "min": 2, "max": 1}})");
    EXPECT_TRUE(says(level, "min 2 is above max 1, so the check cannot pass")) << level.text;
    writeText(folder / "upright.json", R"({"materials": {"linen": {"kind": "cloth"}}, "bodies": [
        {"name": "towel", "material": "linen", "grid": {"size": [0.4, 0.4, 0]}}]})");
    EXPECT_TRUE(says(coalesceProgram("validate " + (folder / "upright.json").string()),
                     "a grid lies in the xz plane"));
    writeText(folder / "names.json", R"({"materials": {"linen": {}, "oil": {}}, "bodies": [
        {"name": "linen", "material": "oil", "block": {"size": [1, 1, 1]}, "center": [0, 0, 0]}]})");
    EXPECT_TRUE(says(coalesceProgram("validate " + (folder / "names.json").string()),
                     "body linen has the name of a material that it is not of"));
}

}  // namespace
}  // namespace coalesce::test
