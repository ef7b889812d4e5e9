// Renamed keys: files with former names load as before, and a note names the current key.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scene/format/presets.h"
#include "scene/format/scene.h"
#include "scene/format/writer.h"
#include "scene/reader.h"
#include "support/small_scene.h"

namespace coalesce {
namespace {

using test::TemporaryFolder;
using test::writeText;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// A scene with the current or the former names of attributes, collision masks and the check of attributes.
std::string textWith(const std::string& attributes, const std::string& mask, const std::string& check) {
    return R"({
  "materials": { "water": {} },
  ")" + attributes +
           R"(": { "dye": { "low": 0.25, "diffusivity": 1e-4 } },
  "bodies": [ { "name": "cube", "block": { "size": [0.2, 0.2, 0.2] }, "values": { "dye": 1 }, ")" +
           mask + R"(": [1, 2] } ],
  "shapes": [ { "name": "floor", "plane": { "normal": [0, 1, 0] }, ")" +
           mask + R"(": [2] } ],
  "sizes": { "ci": { ")" +
           attributes + R"(.dye.low": 0.5, "bodies.cube.)" + mask + R"(": [3], "shapes[0]": { "name": "wall",
    "box": { "size": [1, 1, 1] }, ")" +
           mask + R"(": [4] } } },
  "expect": { "peak": { "check": ")" +
           check + R"(", ")" + check + R"(": "dye", "max": 1 } }
})";
}
const std::string kCurrent = textWith("attributes", "collisionMask", "attribute");
const std::string kFormer = textWith("channels", "channels", "channel");

TEST(FormerKeys, GiveTheSameScene) {
    for (const char* size : {"", "ci"}) {
        const Scene current = readSceneText(kCurrent, "t.json", {size, {}, {}, {}});
        const Scene former = readSceneText(kFormer, "t.json", {size, {}, {}, {}});
        EXPECT_EQ(former.text, current.text) << size;
        EXPECT_THAT(current.text, HasSubstr("\"attributes\""));
    }
    const Scene ci = readSceneText(kFormer, "t.json", {"ci", {}, {}, {}});
    EXPECT_EQ(ci.attributes.at(0).low, 0.5f);
    EXPECT_EQ(ci.bodies.at(0).collisionMask, 1u << 3);
    EXPECT_EQ(ci.shapes.at(0).collisionMask, 1u << 4);
}

TEST(FormerKeys, OfCasesChooseThem) {
    const std::string text = R"({ "materials": { "water": {} },
        "bodies": [{ "name": "cube", "block": { "size": [0.2, 0.2, 0.2] } }], "cases": {
        "thick": { "formerly": ["c2", "c3"], "materials.water.viscosity": 2 }, "c3": {} } })";
    const auto read = [&](const std::string& name) {
        return readSceneText(text, "t.json", {"", name, {}, {}});
    };
    const Scene thick = read("thick"), former = read("c2");
    EXPECT_EQ(former.caseName, "thick");
    EXPECT_EQ(former.text, thick.text);
    EXPECT_EQ(former.materials.at(0).properties.viscosity, 2);
    EXPECT_THAT(thick.notes, IsEmpty());
    EXPECT_THAT(former.notes, UnorderedElementsAre(HasSubstr(R"(case "c2" is now called "thick")")));
    EXPECT_EQ(read("c3").caseName, "c3") << "a present name comes first";
    EXPECT_THROW(read("c4"), Error);
    std::string wrong = text;
    wrong.replace(wrong.find(R"(["c2", "c3"])"), 12, "2");
    EXPECT_THROW(readSceneText(wrong, "t.json"), Error);
}

TEST(FormerKeys, AreNotedOncePerFile) {
    EXPECT_THAT(readSceneText(kCurrent, "t.json").notes, IsEmpty());
    EXPECT_THAT(readSceneText(kFormer, "t.json").notes,
                UnorderedElementsAre(HasSubstr("\"channels\" is now called \"attributes\""),
                                     HasSubstr("\"bodies.channels\" is now called \"bodies.collisionMask\""),
                                     HasSubstr("\"shapes.channels\" is now called \"shapes.collisionMask\""),
                                     HasSubstr("\"expect.channel\" is now called \"expect.attribute\""),
                                     HasSubstr("\"check channel\" is now called \"attribute\"")));
}

TEST(FormerKeys, WorkInSetOptions) {
    const auto set = [](const std::string& option) {
        return readSceneText(kCurrent, "t.json", {{}, {}, {option}, {}});
    };
    EXPECT_EQ(set("channels.dye.low=0.75").attributes.at(0).low, 0.75f);
    EXPECT_EQ(set("bodies.cube.channels=[5]").bodies.at(0).collisionMask, 1u << 5);
    EXPECT_EQ(set("bodies[0].channels=[6]").bodies.at(0).collisionMask, 1u << 6);
    EXPECT_EQ(set(R"(bodies.cube={"name": "cube", "points": [[0, 1, 0]], "channels": [7]})")
                  .bodies.at(0)
                  .collisionMask,
              1u << 7);
}

TEST(FormerKeys, AKindOfCheckAsItsKeyKeepsItsLabel) {
    const std::string text = R"({"materials": {"water": {}}, "attributes": {"dye": {}},
        "bodies": [{"points": [[0, 1, 0]]}], "expect": {"channel": {"channel": "dye", "max": 1}}})";
    const Scene scene = readSceneText(text, "t.json");
    ASSERT_EQ(scene.expect.size(), 1u);
    EXPECT_EQ(scene.expect[0].name, "channel");
    EXPECT_EQ(scene.expect[0].kind, "attribute");
    EXPECT_EQ(readSceneText(scene.text, "t.json").text, scene.text);
}

TEST(FormerKeys, BothNamesInOneObjectAreAnError) {
    try {
        readSceneText(
            R"({"materials": {"water": {}}, "attributes": {}, "channels": {}, "bodies": [{"points": [[0, 1, 0]]}]})",
            "t.json");
        FAIL();
    } catch (const SceneError& error) {
        EXPECT_THAT(error.what(), HasSubstr("channels: unknown key."));
    }
}

// ---- parameters ----

constexpr const char* kDrop = R"("materials": {"water": {}}, "bodies": [{"points": [[0, 1, 0]]}])";

bool isParameter(const std::string& group, const std::string& name) {
    bool found = false;
    const auto look = [&](const auto&, const ParameterInfo& info) {
        found |= info.group == group && info.name == name;
    };
    Parameters parameters;
    MaterialProperties material;
    ForceFieldProperties field;
    EmitterProperties emitter;
    SinkProperties sink;
    forEachParameter(parameters, look), forEachParameter(material, look), forEachParameter(field, look);
    forEachParameter(emitter, look), forEachParameter(sink, look);
    return found;
}

TEST(FormerParameters, NameExistingParametersAndHideNone) {
    ASSERT_FALSE(renamedParameters().empty());
    for (const RenamedParameter& renamed : renamedParameters()) {
        EXPECT_TRUE(isParameter(renamed.group, renamed.current)) << renamed.current;
        EXPECT_FALSE(isParameter(renamed.group, renamed.former)) << renamed.former;
    }
}

TEST(FormerParameters, WorkInScenesCasesTimelinesAndSetOptions) {
    const std::string text = std::string("{") + kDrop + R"(, "fluid": {"viscosityShare": 2},
        "cases": {"thick": {"fluid.viscosityShare": 3}},
        "timeline": [{"at": 1, "set": "fluid.viscosityShare", "to": 4}]})";
    const Scene plain = readSceneText(text, "t.json");
    EXPECT_EQ(plain.parameters.fluid.maxViscosityPerPass, 2);
    EXPECT_EQ(plain.timeline.at(0).set, "fluid.maxViscosityPerPass");
    EXPECT_THAT(plain.text, testing::Not(HasSubstr("viscosityShare")));
    EXPECT_EQ(readSceneText(text, "t.json", {{}, "thick", {}, {}}).parameters.fluid.maxViscosityPerPass, 3);
    EXPECT_EQ(readSceneText(text, "t.json", {{}, {}, {"fluid.viscosityShare=5"}, {}})
                  .parameters.fluid.maxViscosityPerPass,
              5);
    EXPECT_THAT(plain.notes, UnorderedElementsAre(HasSubstr(
                                 "\"fluid.viscosityShare\" is now called \"fluid.maxViscosityPerPass\"")))
        << "once, although it occurs three times";
}

TEST(FormerParameters, WorkInPresets) {
    const TemporaryFolder folder;
    const std::filesystem::path file = folder / "thick.json";
    writeText(file, R"({"values": {"fluid.viscosityShare": 6}})");
    const Scene scene = readSceneText(std::string("{") + kDrop + "}", "t.json");
    const std::vector<Edit> edits = valuesFor(scene, readPreset(file));
    ASSERT_EQ(edits.size(), 1u);
    EXPECT_EQ(edits[0].path, "fluid.maxViscosityPerPass");
    EXPECT_EQ(edits[0].numbers, std::vector<double>{6});
}

TEST(FormerKeys, TheFormOfASignedDistanceField) {
    const auto with = [](const char* key) {
        return readSceneText(std::string("{") + kDrop + R"(, "shapes": [{")" + key +
                                 R"(": {"shape": "sphere", "height": 1}}]})",
                             "t.json");
    };
    EXPECT_EQ(with("sdf").shapes.at(0).kind, ShapeKind::sdf);
    EXPECT_EQ(with("field").text, with("sdf").text);
}

TEST(FormerKeys, AreDeprecatedInTheSchema) {
    EXPECT_THAT(sceneSchema(), HasSubstr("Former name of `attributes`."));
    EXPECT_THAT(sceneSchema(), HasSubstr("Former name of `collisionMask`."));
}

}  // namespace
}  // namespace coalesce
