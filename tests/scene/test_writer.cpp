// Overrides of scene files, and the writer: round trips and the schema.
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "scene/format/scene.h"
#include "scene/format/writer.h"
#include "scene/reader.h"
#include "scene_text.h"

namespace coalesce {
namespace {

using test::complaint;
using test::scene;
using testing::AllOf;
using testing::HasSubstr;

TEST(SceneOverrides, ApplySizeThenCaseThenSet) {
    const std::string text = scene(R"("solver": {"substeps": 1},
        "sizes": {"ci": {"solver.substeps": 2, "solver.iterations": 2, "materials.water.spacing": 0.1}},
        "cases": {"a": {"solver.iterations": 3, "control": []}, "b": {}})");
    Scene s = readSceneText(text, "t.json", {"ci", "a", {"solver.relaxation=1.5"}, {}});
    EXPECT_EQ(s.parameters.solver.substeps, 2);
    EXPECT_EQ(s.parameters.solver.iterations, 3);
    EXPECT_EQ(s.parameters.solver.relaxation, 1.5f);
    EXPECT_EQ(s.materials[0].properties.spacing, 0.1f);
    EXPECT_EQ(s.sizes, (std::vector<std::string>{"ci"}));
    EXPECT_EQ(s.cases, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(readSceneText(text, "t.json").parameters.solver.substeps, 1);
    EXPECT_EQ(readSceneText(text, "t.json", {"", "", {}, 9}).seed, 9u);
}

TEST(SceneOverrides, PathsByNameAndIndex) {
    const auto with = [](const std::string& set) {
        return readSceneText(scene(), "t.json", {"", "", {set}, {}});
    };
    EXPECT_EQ(with("bodies.cube.center=[1, 2, 3]").bodies[0].center, (Vec3{1, 2, 3}));
    EXPECT_EQ(with("bodies.0.center=[1,2,3]").bodies[0].center, (Vec3{1, 2, 3}));
    EXPECT_EQ(with("bodies.cube.block.size.1=0.4").bodies[0].size, (Vec3{0.2f, 0.4f, 0.2f}));
    EXPECT_EQ(with("shapes.floor.plane.normal=[1, 0, 0]").shapes.size(), 1u);
    EXPECT_EQ(with("fluid.constraint=bilateral").parameters.fluid.constraint, Density::bilateral)
        << "a bare word is a string";
    EXPECT_EQ(with("world.gravity=[0,0,0]").parameters.world.gravity, (Vec3{0, 0, 0}))
        << "adds a missing section";
    EXPECT_EQ(with("shapes.floor=null").shapes.size(), 0u) << "null removes";
    EXPECT_EQ(with("about=a sentence of words").about, "a sentence of words");
}

TEST(SceneOverrides, BracketsAddressIndices) {
    const auto with = [](const std::string& set) {
        return readSceneText(scene(), "t.json", {"", "", {set}, {}});
    };
    EXPECT_EQ(with("bodies[0].center=[1,2,3]").bodies[0].center, (Vec3{1, 2, 3}));
    EXPECT_EQ(with("bodies[0].block.size[1]=0.4").bodies[0].size, (Vec3{0.2f, 0.4f, 0.2f}));
    EXPECT_EQ(with(" bodies[0].block.size[1] = 0.4 ").bodies[0].size, (Vec3{0.2f, 0.4f, 0.2f}));
    EXPECT_THAT(complaint(scene(), {"", "", {"materials[0].density=900"}, {}}),
                HasSubstr("by name, not by index: materials.water.density"));
    EXPECT_THAT(complaint(scene(), {"", "", {"bodies[].center=0"}, {}}),
                HasSubstr("bodies[]: unknown key. Did you mean \"bodies\"?"));
    EXPECT_THAT(complaint(scene(), {"", "", {"bodies[0.center=0"}, {}}),
                HasSubstr("bodies[0: unknown key. Did you mean \"bodies\"?"));
}

TEST(SceneOverrides, DemoIsTheDefaultSize) {
    const auto read = [](const std::string& sizes, const std::string& size) {
        return readSceneText(scene("\"duration\": 1, \"sizes\": " + sizes), "t.json", {size, "", {}, {}});
    };
    const std::string both = R"({"ci": {"duration": 2}, "demo": {"duration": 3}})";
    EXPECT_EQ(read(both, "").duration, 3);
    EXPECT_EQ(read(both, "").size, "demo");
    EXPECT_EQ(read(both, "").text, read(both, "demo").text);
    EXPECT_EQ(read(both, "ci").duration, 2);
    const Scene plain = read(R"({"ci": {"duration": 2}})", "");
    EXPECT_EQ(plain.duration, 1) << "there is no demo";
    EXPECT_EQ(plain.size, "");
}

TEST(SceneOverrides, VectorsMayBeGivenWithCommas) {
    EXPECT_EQ(
        readSceneText(scene(), "t.json", {"", "", {"bodies.cube.center=1,-2.5, 3e-1"}, {}}).bodies[0].center,
        (Vec3{1, -2.5f, 0.3f}));
}

TEST(SceneOverrides, UnknownPathsAreErrors) {
    const auto with = [](const std::string& set) { return complaint(scene(), {"", "", {set}, {}}); };
    EXPECT_THAT(with("material.density=1"), HasSubstr("Did you mean \"materials.water.density\"?"));
    EXPECT_THAT(with("water.density=1"), HasSubstr("Did you mean \"materials.water.density\"?"));
    EXPECT_THAT(with("cube.center=0,1,0"), HasSubstr("Did you mean \"bodies.cube.center\"?"));
    EXPECT_THAT(with("viscosity=1"), HasSubstr("Did you mean \"materials.NAME.viscosity\"?"));
    EXPECT_THAT(with("world.gravity.y=-1"), HasSubstr("'world.gravity=[0, 1, 0]'"));
    EXPECT_THAT(with("bodies.cube.position=0,1,0"), HasSubstr("Did you mean \"center\"?"));
    EXPECT_THAT(with("solver.substepz=4"),
                AllOf(HasSubstr("--set solver.substepz=4: unknown key"), HasSubstr("substeps")));
    EXPECT_THAT(with("solvr.substeps=4"), AllOf(HasSubstr("solvr: unknown key"), HasSubstr("solver")));
    EXPECT_THAT(with("bodies.cub.center=[0,0,0]"),
                AllOf(HasSubstr("there is no \"cub\" here"), HasSubstr("Did you mean \"cube\"?")));
    EXPECT_THAT(with("material.water.spacing=0.1"), HasSubstr("Did you mean \"materials.water.spacing\"?"));
    EXPECT_THAT(with("bodies.7.center=[0,0,0]"), HasSubstr("there is no \"7\" here"));
    EXPECT_THAT(with("materials.watr.spacing=0.1"), HasSubstr("Did you mean \"water\"?"));
    EXPECT_THAT(with("materials.water.spacing.x=0.1"), HasSubstr("there is no \"x\" here"));
    EXPECT_THAT(with("nothing"), HasSubstr("expects path=value"));
    EXPECT_THAT(with("=3"), HasSubstr("expects path=value"));
    EXPECT_THAT(with("bodies.cube.center=[0,0"), HasSubstr("The value is JSON"));
    EXPECT_THAT(with("a..b=1"), HasSubstr("there is no"));
    EXPECT_THAT(with("shapes.wall=null"), HasSubstr("there is no \"wall\" here"));
    EXPECT_THAT(complaint(scene(R"("sizes": {"demo": {}})"), {"dmeo", "", {}, {}}),
                AllOf(HasSubstr("--size dmeo"), HasSubstr("Did you mean \"demo\"?")));
    EXPECT_THAT(complaint(scene(), {"", "x", {}, {}}), HasSubstr("It has no cases."));
    EXPECT_THAT(
        complaint(scene("\"sizes\": {\n\"ci\": {\n\"materials.wtr.spacing\": 1}}"), {"ci", "", {}, {}}),
        HasSubstr("test.json:6: materials.wtr.spacing"));
}

// Compares all keys of the two scenes by their resolved text.
void expectSame(const Scene& a, const Scene& b) {
    EXPECT_EQ(a.text, b.text);
    forEachParameter(a.parameters, [&, i = 0](const auto& value, const ParameterInfo& info) mutable {
        int k = 0;
        forEachParameter(b.parameters, [&](const auto& other, const ParameterInfo&) {
            if constexpr (std::is_same_v<decltype(value), decltype(other)>)
                if (k == i) {
                    EXPECT_TRUE(value == other) << info.group << "." << info.name;
                }
            ++k;
        });
        ++i;
    });
    ASSERT_EQ(a.bodies.size(), b.bodies.size());
    for (size_t i = 0; i < a.bodies.size(); ++i) {
        EXPECT_EQ(a.bodies[i].kind, b.bodies[i].kind);
        EXPECT_EQ(a.bodies[i].center, b.bodies[i].center);
        EXPECT_EQ(a.bodies[i].size, b.bodies[i].size);
        EXPECT_EQ(a.bodies[i].radius, b.bodies[i].radius);
        EXPECT_EQ(a.bodies[i].points, b.bodies[i].points);
        EXPECT_EQ(a.bodies[i].velocity, b.bodies[i].velocity);
        EXPECT_EQ(a.bodies[i].jitter, b.bodies[i].jitter);
    }
    ASSERT_EQ(a.shapes.size(), b.shapes.size());
    for (size_t i = 0; i < a.shapes.size(); ++i) {
        const Shape &s = a.shapes[i], &t = b.shapes[i];
        EXPECT_EQ(s.kind, t.kind);
        EXPECT_EQ(s.position, t.position);
        EXPECT_EQ(s.halfExtents, t.halfExtents);
        EXPECT_EQ(s.angularVelocity, t.angularVelocity);
        EXPECT_TRUE(s.rotation.x == t.rotation.x && s.rotation.y == t.rotation.y &&
                    s.rotation.z == t.rotation.z && s.rotation.w == t.rotation.w);
        ASSERT_EQ(s.keys.size(), t.keys.size());
        for (size_t k = 0; k < s.keys.size(); ++k)
            EXPECT_TRUE(s.keys[k].t == t.keys[k].t && s.keys[k].position == t.keys[k].position);
    }
    ASSERT_EQ(a.expect.size(), b.expect.size());
    for (size_t i = 0; i < a.expect.size(); ++i) {
        EXPECT_EQ(a.expect[i].kind, b.expect[i].kind);
        EXPECT_EQ(a.expect[i].numbers, b.expect[i].numbers);
        EXPECT_EQ(a.expect[i].words, b.expect[i].words);
        EXPECT_EQ(a.expect[i].lists, b.expect[i].lists);
        EXPECT_EQ(a.expect[i].min, b.expect[i].min);
        EXPECT_EQ(a.expect[i].at, b.expect[i].at);
    }
    EXPECT_EQ(a.control, b.control);
    EXPECT_EQ(a.sizes, b.sizes);
    EXPECT_EQ(a.cases, b.cases);
}

TEST(SceneWriter, RoundTripsEveryKey) {
    const std::string text = R"({
      "about": "all", "tier": "paper", "tags": ["x", "y"], "source": "s", "duration": 3.3, "seed": 12345678901,
      "solver": {"relaxation": 1.1, "overflow": "clamp"}, "world": {"gravity": [0.1, -9.8, 0.3]},
      "materials": {"water": {"spacing": 0.07, "color": [0.1, 0.2, 0.3]}, "oil": {"density": 870.5}},
      "bodies": [{"name": "a", "material": "water", "block": {"size": [0.3, 0.7, 1.1]}, "center": [0.1, 0.2, 0.3], "velocity": [1, 2, 3], "jitter": 0.1},
                 {"material": "oil", "sphere": {"radius": 0.33}, "copies": {"count": [4, 1, 1], "along": [[0, 0, 0], [9, 0, 0.5], [9, 0, 9.25]], "turn": 3}},
                 {"name": "c", "material": "oil", "points": [[0.1, 0.2, 0.3], [1e-7, 123456.789, -3]]}],
      "shapes": [{"plane": {"normal": [1, 2, 3], "offset": -0.4}},
                 {"name": "box", "box": {"size": [0.1, 0.2, 0.3]}, "rotation": [10, 20, 30], "container": true, "velocity": [0, 1, 0], "angularVelocity": [33, -77, 1]},
                 {"name": "ball", "sphere": {"radius": 0.2}, "color": [0.9, 0.1, 0], "visible": false, "friction": 0.3, "opacity": 0.25},
                 {"name": "pill", "capsule": {"radius": 0.2, "length": 1.7}, "keys": [{"t": 0, "position": [0, 0, 0]}, {"t": 0.1, "position": [1, 0.1, 0], "rotation": [0, 90, 0]}]}],
      "bounds": {"min": [-5, -5, -5], "max": [5, 5, 5]},
      "cameras": [{"name": "one", "eye": [1, 1, 1], "look": [0, 0, 0], "fov": 33}, {"name": "two", "eye": [2, 1, 1], "look": [0, 0, 0]}],
      "poster": {"time": 1.25, "size": "ci", "case": "y", "view": {"eye": [3, 1, 1], "look": [0, 0, 0.5]}, "color": "speed"},
      "sizes": {"ci": {"materials.water.spacing": 0.1}}, "cases": {"x": {}, "y": {"control": ["still"], "solver.iterations": 7}},
      "expect": {"still": {"check": "rest", "group": "a", "at": 2, "max": 0.1}, "level": {"expected": 1, "tolerance": 0.1, "regionMin": [0, 0, 0]},
                 "splash": {"from": 0, "to": 1, "min": 0.2, "unit": "d"},
                 "same": {"check": "compare", "measure": "still", "relation": "~", "cases": ["x", "y"], "tolerance": 0.2}}})";
    const Scene first = readSceneText(text, "all.json", {"ci", "y", {}, {}});
    const Scene second = readSceneText(writeScene(first), "all.json", {"ci", "y", {}, {}});
    expectSame(first, second);
    EXPECT_EQ(second.control, (std::vector<std::string>{"still"}));
}

TEST(SceneWriter, SchemaContainsEveryParameter) {
    const nlohmann::json schema = nlohmann::json::parse(sceneSchema());
    const Parameters parameters;
    forEachParameter(parameters, [&](const auto&, const ParameterInfo& info) {
        EXPECT_TRUE(schema["properties"][info.group]["properties"].contains(info.name))
            << info.group << "." << info.name;
    });
    const MaterialProperties material;
    forEachParameter(material, [&](const auto&, const ParameterInfo& info) {
        EXPECT_TRUE(
            schema["properties"]["materials"]["additionalProperties"]["properties"].contains(info.name))
            << info.name;
    });
    const ForceFieldProperties field;
    forEachParameter(field, [&](const auto&, const ParameterInfo& info) {
        EXPECT_TRUE(schema["properties"]["fields"]["items"]["properties"].contains(info.name)) << info.name;
    });
    EXPECT_EQ(schema["properties"]["solver"]["properties"]["substeps"]["type"], "integer");
    EXPECT_EQ(schema["properties"]["bodies"]["type"], "array");
    EXPECT_EQ(schema["additionalProperties"], false);
}

// What the reader refuses is not offered by an editor that reads the schema.
TEST(SceneWriter, SchemaHasTheFormsThatEachMayBe) {
    const nlohmann::json schema = nlohmann::json::parse(sceneSchema());
    for (const auto& [list, absent] :
         {std::pair{"shapes", std::vector<std::string>{}},
          std::pair{"sinks", std::vector<std::string>{"mesh"}},
          std::pair{"markers", std::vector<std::string>{"plane", "convex", "sdf", "mesh"}}})
        for (const std::string form : {"plane", "box", "sphere", "capsule", "convex", "sdf", "mesh"})
            EXPECT_EQ(schema["properties"][list]["items"]["properties"].contains(form),
                      std::ranges::find(absent, form) == absent.end())
                << list << " " << form;
}

TEST(SceneReader, ForceFieldsRoundTripAndOverride) {
    const std::string text = R"({"materials": {"sand": {"kind": "grains", "spacing": 0.1}},
        "bodies": [{"name": "heap", "points": [[0, 1, 0]]}],
        "fields": [{"name": "pull", "kind": "radial", "strength": -30, "mode": "force", "radius": 0.5,
                    "falloff": "inverseSquare", "center": [1, 2, 3], "actsOn": ["sand", "heap"]},
                   {"name": "breeze", "kind": "wind", "gust": [3, 1, 0], "gustTime": 0.25, "seed": 9, "enabled": false}]})";
    const Scene first = readSceneText(text, "t.json", {"", "", {"fields.pull.strength=-12"}, {}});
    const Scene second = readSceneText(writeScene(first), "t.json");
    EXPECT_EQ(first.text, second.text);
    for (const Scene& scene : {first, second}) {
        ASSERT_EQ(scene.forceFields.size(), 2u);
        const ForceFieldProperties& pull = scene.forceFields[0].properties;
        EXPECT_EQ(pull.kind, FieldKind::radial);
        EXPECT_EQ(pull.mode, FieldMode::force);
        EXPECT_EQ(pull.falloff, Falloff::inverseSquare);
        EXPECT_EQ(pull.strength, -12);
        EXPECT_EQ(pull.center, (Vec3{1, 2, 3}));
        EXPECT_EQ(scene.forceFields[0].actsOn, (std::vector<std::string>{"sand", "heap"}));
        EXPECT_EQ(scene.forceFields[1].properties.seed, 9);
        EXPECT_FALSE(scene.forceFields[1].properties.enabled);
        EXPECT_TRUE(scene.forceFields[1].actsOn.empty());
    }
}

}  // namespace
}  // namespace coalesce
