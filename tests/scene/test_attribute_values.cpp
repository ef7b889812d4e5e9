// Attributes in scene files: reading, errors, initial values of bodies.
#include <gtest/gtest.h>

#include "scene/build/attribute_values.h"
#include "scene/build/build.h"
#include "scene/reader.h"
#include "support/each_backend.h"

namespace coalesce::test {
namespace {

std::string sceneWith(const std::string& attributes, const std::string& body = "") {
    return R"({ "materials": { "water": { "spacing": 0.1 }, "sand": { "kind": "grains", "spacing": 0.1 } },
                "attributes": {)" +
           attributes + R"(}, "bodies": [{ "name": "pool", "material": "water",
                "block": { "min": [0, 0, 0], "max": [0.5, 0.5, 0.5] } )" +
           body + "}] }";
}

std::string refusal(const std::string& text) {
    try {
        readSceneText(text, "test.json");
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

constexpr const char* kAll =
    R"("dye": { "diffusivity": 1e-4, "default": 0.25, "materials": ["water"], "unit": "g/l", "low": -1, "high": 2,
                "colors": [[0, 0, 0], [1, 0, 0]] },
       "origin": { "type": "vec3", "default": [1, 2, 3] }, "batch": { "type": "int", "default": -7 })";

TEST(AttributeValues, RoundTripThroughAFile) {
    const Scene scene = readSceneText(
        sceneWith(
            kAll,
            R"(, "values": { "origin": [4, 5, 6] }, "gradient": { "axis": "x", "values": { "dye": 1 } })"),
        "test.json");
    ASSERT_EQ(scene.attributes.size(), 3u);
    EXPECT_EQ(scene.attributes[0].initial[0], 0.25);
    EXPECT_EQ(scene.attributes[1].type, AttributeType::vector);
    EXPECT_EQ(scene.attributes[1].initial, (AttributeValue{1, 2, 3}));
    EXPECT_EQ(scene.attributes[2].initial[0], -7);
    const Scene again = readSceneText(scene.text, "test.json");
    EXPECT_EQ(again.text, scene.text);
    EXPECT_EQ(again.attributes[0].materials, std::vector<std::string>{"water"});
    EXPECT_EQ(again.bodies[0].values, scene.bodies[0].values);
    EXPECT_EQ(again.bodies[0].gradient.axis, "x");
}

class AttributeWorlds : public EachBackend {};

TEST_P(AttributeWorlds, BodiesSetConstantsAndGradients) {
    const Scene scene = readSceneText(
        sceneWith(
            kAll,
            R"(, "values": { "origin": [4, 5, 6] }, "gradient": { "axis": "x", "values": { "dye": 1 } })"),
        "test.json");
    World world(exec);
    buildWorld(scene, world);
    const auto x = world.particles.x.download();
    const auto dye = download(world.particles.attributes[0]),
               origin = download(world.particles.attributes[1]),
               batch = download(world.particles.attributes[2]);
    ASSERT_EQ(dye.size(), 125u);
    for (size_t i = 0; i < x.size(); ++i) {
        EXPECT_NEAR(dye[i][0], 0.25 + 0.75 * (x[i].x - 0.05) / 0.4, 1e-5);
        EXPECT_EQ(origin[i], (AttributeValue{4, 5, 6}));
        EXPECT_EQ(batch[i][0], -7);
    }
}

TEST(AttributeValues, ErrorsNameTheRemedy) {
    const std::pair<std::string, std::vector<std::string>> cases[] = {
        {sceneWith(R"("dye": { "type": "flaot" })"), {"attributes.dye.type", "float"}},
        {sceneWith(R"("dye": { "default": [1, 2, 3] })"), {"attributes.dye.default", "one number"}},
        {sceneWith(R"("n": { "type": "int", "default": 0.5 })"), {"attributes.n.default", "does not fit"}},
        {sceneWith(R"("n": { "type": "int", "diffusivity": 1 })"), {"attributes.n.diffusivity", "float"}},
        {sceneWith(R"("dye": { "diffusivity": 9 } }, "solver": { "frameRate": 30 )"),
         {"attributes.dye.diffusivity", "passes", "are possible"}},
        {sceneWith(R"("dye": { "materials": ["sand"] })"),
         {"attributes.dye.materials", "no liquid", "water"}},
        {sceneWith(R"("dye": { "low": 2 })"), {"attributes.dye.high"}},
        {sceneWith(R"("my dye": {})"), {"attributes.my dye", "letters"}},
        {sceneWith(R"("phi": {})"), {"attributes.phi", "column"}},
        {sceneWith(R"("a": { "type": "vec3" }, "a_x": {})"), {"attributes.a_x", "column"}},
        {sceneWith(R"("dye": {})", R"(, "values": { "dey": 1 })"), {"bodies.pool.values", "dye"}},
        {sceneWith(R"("dye": {})", R"(, "values": { "dye": [1, 2, 3] })"),
         {"bodies.pool.values.dye", "float"}},
        {sceneWith(R"("dye": {})", R"(, "gradient": { "axis": "w", "values": { "dye": 1 } })"),
         {"bodies.pool.gradient.axis", "x, y, z"}},
    };
    for (const auto& [text, words] : cases) {
        const std::string said = refusal(text);
        for (const std::string& word : words)
            EXPECT_NE(said.find(word), std::string::npos) << word << "\n" << said;
    }
}

FOR_EACH_BACKEND(AttributeWorlds);

}  // namespace
}  // namespace coalesce::test
