// Reader, overrides and writer: messages of errors, limits, and round trips.
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "scene/format/json_text.h"
#include "scene/format/scene.h"
#include "scene/format/writer.h"
#include "scene/reader.h"

namespace coalesce {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Error message of the reader; "" for a valid text.
std::string complaint(const std::string& text, const SceneChoice& choice = {}) {
    try {
        readSceneText(text, "test.json", choice);
        return "";
    } catch (const Error& error) {
        EXPECT_EQ(error.code, Exit::Scene);
        return error.what();
    }
}
// Paragraphs of a message: an indented line belongs to the one above.
size_t paragraphs(const std::string& message) {
    size_t n = message.empty() ? 0 : 1;
    for (size_t at = 0; (at = message.find('\n', at)) != std::string::npos; ++at) n += message[at + 1] != ' ';
    return n;
}
size_t count(const std::string& text, const std::string& part) {
    size_t n = 0;
    for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++n;
    return n;
}

// A small valid scene; `more` is inserted at its end.
std::string scene(const std::string& more = "",
                  const std::string& body = R"("block": {"size": [0.2, 0.2, 0.2]})") {
    return R"({ "materials": { "water": { "spacing": 0.05 } },
  "bodies": [ { "name": "cube", )" +
           body + R"( } ],
  "shapes": [ { "name": "floor", "plane": { "normal": [0, 1, 0] } } ])" +
           (more.empty() ? "" : ",\n  " + more) + " }";
}

TEST(SceneReader, ReadsASmallScene) {
    const Scene s =
        readSceneText(scene(R"("solver": {"substeps": 3}, "fluid": {"constraint": "bilateral"}, "seed": 7)"),
                      "folder/small.json");
    EXPECT_EQ(s.name, "small");
    EXPECT_EQ(s.parameters.solver.substeps, 3);
    EXPECT_EQ(s.parameters.fluid.constraint, Density::bilateral);
    EXPECT_EQ(s.seed, 7u);
    ASSERT_EQ(s.materials.size(), 1u);
    EXPECT_EQ(s.materials[0].name, "water");
    EXPECT_EQ(s.materials[0].properties.spacing, 0.05f);
    ASSERT_EQ(s.bodies.size(), 1u);
    EXPECT_EQ(s.bodies[0].name, "cube");
    EXPECT_EQ(s.shapes[0].kind, ShapeKind::plane);
    EXPECT_EQ(s.cameras.size(), 1u) << "a scene without camera gets one";
}

TEST(SceneReader, BlockByCornersEqualsBlockBySize) {
    const Scene a = readSceneText(scene("", R"("block": {"min": [1, 2, 3], "max": [2, 4, 6]})"), "a.json");
    const Scene b =
        readSceneText(scene("", R"("block": {"size": [1, 2, 3]}, "center": [1.5, 3, 4.5])"), "b.json");
    EXPECT_EQ(a.bodies[0].size, b.bodies[0].size);
    EXPECT_EQ(a.bodies[0].center, b.bodies[0].center);
}

// With these shapes in addition to the floor.
std::string withShape(const std::string& shape) {
    return R"({ "materials": { "water": { "spacing": 0.05 } },
  "bodies": [ { "name": "cube", "block": {"size": [0.2, 0.2, 0.2]}, "collisionMask": [1, 2] } ],
  "shapes": [ { "name": "it", )" +
           shape + " } ] }";
}

TEST(SceneReader, ReadsShapesOfASolid) {
    const Scene hull = readSceneText(
        withShape(
            R"("convex": {"shape": "rock", "height": 0.5, "seed": 3}, "scale": [1, 2, 1], "collisionMask": [0, 7])"),
        "test.json");
    EXPECT_EQ(hull.shapes[0].kind, ShapeKind::convex);
    EXPECT_EQ(hull.shapes[0].solid.shape, "rock");
    EXPECT_EQ(hull.shapes[0].solid.seed, 3u);
    EXPECT_EQ(hull.shapes[0].scale, (Vec3{1, 2, 1}));
    EXPECT_EQ(hull.shapes[0].collisionMask, 0x81u);
    EXPECT_EQ(hull.bodies[0].collisionMask, 6u);
    const Scene field = readSceneText(
        withShape(
            R"("sdf": {"shape": "torus", "cell": 0.05}, "trigger": true, "sendTo": {"position": [0, 2, 0]})"),
        "test.json");
    EXPECT_EQ(field.shapes[0].cell, 0.05f);
    ASSERT_TRUE(field.shapes[0].sendTo.has_value());
    EXPECT_EQ(field.shapes[0].sendTo->position, (Vec3{0, 2, 0}));
    const Scene mesh =
        readSceneText(withShape(R"("mesh": {"triangles": [[0, 0, 0], [1, 0, 0], [0, 0, 1]]})"), "test.json");
    EXPECT_EQ(mesh.shapes[0].corners.size(), 3u);
    for (const Scene& s : {hull, field, mesh}) EXPECT_EQ(readSceneText(s.text, "test.json").text, s.text);
}

TEST(SceneReader, ErrorsOfShapesOfASolid) {
    const auto says = [](const std::string& shape, const char* what) {
        EXPECT_THAT(complaint(withShape(shape)), HasSubstr(what)) << shape;
    };
    says(R"("convex": {"shape": "bunni"})", "Did you mean \"bunny\"?");
    says(R"("sdf": {"height": 1})", "needs a shape");
    says(R"("mesh": {"shape": "bunny", "triangles": [[0, 0, 0], [1, 0, 0], [0, 0, 1]]})",
         "either shape or triangles");
    says(R"("mesh": {"triangles": [[0, 0, 0], [1, 0, 0]]})", "every triangle needs three corners");
    says(R"("mesh": {"shape": "cup"}, "container": true)", "a mesh has no inside");
    says(R"("mesh": {"shape": "cup"}, "trigger": true)", "a mesh has no inside");
    says(R"("box": {"size": [1, 1, 1]}, "scale": [1, 2, 1])", "only a convex, sdf or mesh");
    says(R"("box": {"size": [1, 1, 1]}, "collisionMask": [8])", "8 is out of range");
    says(R"("box": {"size": [1, 1, 1]}, "collisionMask": [])", "a list of bits");
    says(R"("box": {"size": [1, 1, 1]}, "sendTo": {"position": [0, 1, 0]})", "sendTo: needs a trigger");
    says(R"("sdf": {"shape": "sphere", "cell": 1e-5})", "shapes.it");
}

TEST(SceneReader, TenErrorsGiveTenMessagesAtTheirLines) {
    const std::string message = complaint(R"({
  "abuot": "misspelled",
  "duration": "long",
  "seed": -1,
  "solver": { "substeps": 0, "iteration": 4 },
  "fluid": { "constraint": "bilaterl" },
  "materials": { "water": { "spacing": 0.05, "viscocity": 1 } },
  "bodies": [ { "name": "cube", "material": "watr", "block": { "size": [1, 1, 1] } } ],
  "shapes": [ { "name": "tank", "box": { "size": [1, 1] } } ],
  "expect": { "rest": { "group": "kube", "max": 1 } }
})");
    EXPECT_EQ(paragraphs(message), 10u) << message;
    for (const char* part :
         {"test.json:2: abuot: unknown key. Did you mean \"about\"?",
          "test.json:3: duration: expects a number, got the string \"long\"",
          "test.json:4: seed: -1 is out of range", "test.json:5: solver.substeps: 0 is out of range",
          "Allowed: 1 to 100.", "test.json:5: solver.iteration: unknown key. Did you mean \"iterations\"?",
          "test.json:6: fluid.constraint: \"bilaterl\" is not a valid choice. Did you mean \"bilateral\"?",
          "test.json:7: materials.water.viscocity: unknown key. Did you mean \"viscosity\"?",
          "coalesce params",
          "test.json:8: bodies.cube.material: no material is called \"watr\". Did you mean \"water\"?",
          "test.json:9: shapes.tank.box.size: expects three numbers [x, y, z], got a list of 2",
          "test.json:10: expect.rest.group: no body or material is called \"kube\". Did you mean \"cube\"?"})
        EXPECT_THAT(message, HasSubstr(part));
}

TEST(SceneReader, SyntaxErrorsHaveLineAndColumn) {
    EXPECT_THAT(complaint("{\n  \"about\": \"x\",\n  ]\n}"), HasSubstr("test.json:3:3: "));
    EXPECT_THAT(complaint("{ \"duration\": NaN }"),
                AllOf(HasSubstr("test.json:1:"), HasSubstr("without NaN and Infinity")));
    EXPECT_THAT(complaint(""), HasSubstr("test.json:1"));
    EXPECT_THAT(complaint("[1, 2]"), HasSubstr("a scene file holds one object"));
    EXPECT_THAT(complaint("{ \"duration\": 1e999 }"), HasSubstr("test.json:1:"));
    EXPECT_EQ(complaint("// a comment\n" + scene("/* and another */ \"seed\": 2")), "");
}

TEST(SceneReader, ErrorsHaveTheLineOfTheValue) {
    // the parser sees the end of a number only at the next character, which may be on another line
    EXPECT_THAT(
        complaint("{\"solver\": {\"substeps\":\n0\n,\n\"iterations\"\n:\n0\n}}"),
        AllOf(HasSubstr("test.json:2: solver.substeps"), HasSubstr("test.json:6: solver.iterations")));
}

TEST(SceneReader, EachKindOfErrorHasItsMessage) {
    EXPECT_THAT(complaint(scene(R"("duration": "nan")")), HasSubstr("\"nan\" is not a finite number"));
    EXPECT_THAT(complaint(scene(R"("duration": "-Inf")")), HasSubstr("not a finite number"));
    EXPECT_THAT(complaint(scene(R"("solver": {"substeps": 2.5})")), HasSubstr("expects an integer, got 2.5"));
    EXPECT_THAT(complaint(scene(R"("solver": {"maxSpeed": 1e9})")),
                AllOf(HasSubstr("1e+09 m/s is out of range"), HasSubstr("0.01 to 1e+06 m/s")));
    EXPECT_THAT(complaint(scene(R"("solver": 3)")), HasSubstr("solver: expects an object, got the number 3"));
    EXPECT_THAT(complaint(scene(R"("bounds": {"min": [0, 0, 0]})")), HasSubstr("bounds.max: is missing"));
    EXPECT_THAT(complaint(scene(R"("bounds": {"min": [0, 0, 0], "max": [1, 0, 1]})")),
                HasSubstr("min must be less than max"));
    EXPECT_THAT(complaint(scene(R"("seed": 1, "seed": 2)")), HasSubstr("duplicate key"));
    EXPECT_THAT(complaint(scene(R"("timetable": {})")), HasSubstr("timetable: unknown key"));
    EXPECT_THAT(complaint(scene(R"("camera": {"eye": [1, 1, 1], "look": [1, 1, 1]})")),
                HasSubstr("the view has no direction"));
    EXPECT_THAT(complaint(scene(R"("sizes": {"demo": {}}, "poster": {"size": "dmeo"})")),
                AllOf(HasSubstr("poster.size: the scene has no size \"dmeo\""), HasSubstr("demo")));
    EXPECT_THAT(complaint(scene(R"("poster": {"camera": "above"})")), HasSubstr("It has none."));
    EXPECT_THAT(complaint(scene("", R"("block": {"size": [0.01, 1, 1]})")),
                HasSubstr("too small for a single particle"));
    EXPECT_THAT(complaint(scene("", R"("points": [])")), HasSubstr("the body has no particles"));
    EXPECT_THAT(complaint(scene("", R"("color": 1)")),
                HasSubstr("a body needs one of block, sphere, points"));
    EXPECT_THAT(complaint(scene("", R"("sphere": {"radius": 1}, "block": {"size": [1, 1, 1]})")),
                HasSubstr("can only be one of"));
    EXPECT_THAT(complaint(scene("", R"("block": {"min": [0, 0, 0]})")),
                HasSubstr("either size, or min and max"));
    EXPECT_THAT(complaint(scene("", R"("sphere": {"radius": 1}, "copies": {"count": [2, 1, 1]})")),
                HasSubstr("copies need either step or along"));
    EXPECT_THAT(complaint(scene(
                    "", R"("sphere": {"radius": 1}, "copies": {"count": [2, 1, 1], "along": [[0, 0, 0]]})")),
                HasSubstr("a curve needs two points or more"));
    EXPECT_THAT(
        complaint(scene(
            "",
            R"("sphere": {"radius": 1}, "copies": {"count": [2, 3, 1], "along": [[0, 0, 0], [1, 0, 0]]})")),
        HasSubstr("along a curve only the first number may exceed 1"));
    EXPECT_THAT(complaint(scene("", R"("block": {"size": [1e6, 1e6, 1e6]})")),
                HasSubstr("at most 2e+09 are possible"));
    EXPECT_THAT(complaint(scene("", R"("sphere": {"radius": 1e6})")),
                HasSubstr("at most 2e+09 are possible"));
    EXPECT_THAT(complaint(R"({"bodies": [{"block": {"size": [1, 1, 1]}}]})"),
                HasSubstr("the scene has no material"));
    EXPECT_THAT(complaint(R"({"materials": {"a": {}, "b": {}}, "bodies": [{"block": {"size": [1, 1, 1]}}]})"),
                HasSubstr("several materials"));
    EXPECT_THAT(complaint(R"({"materials": {"a": {}}})"), HasSubstr("the scene has no bodies"));
    EXPECT_THAT(complaint(R"({"materials": {"a.b": {}}, "bodies": []})"), HasSubstr("is not a valid name"));
    EXPECT_THAT(
        complaint(
            R"({"materials": {"a": {}}, "bodies": [{"name": "x", "sphere": {"radius": 1}}, {"name": "x", "sphere": {"radius": 1}}]})"),
        HasSubstr("two bodies are called \"x\""));
    EXPECT_THAT(complaint(scene(R"("expect": {"rest": {}})")), HasSubstr("the check has no limit"));
    EXPECT_THAT(complaint(scene(R"("expect": {"rset": {"max": 1}})")),
                HasSubstr("no check is called \"rset\". Did you mean \"rest\"?"));
    EXPECT_THAT(complaint(scene(R"("expect": {"rest": {"max": 1, "at": 1, "always": true}})")),
                HasSubstr("exclude each other"));
    EXPECT_THAT(complaint(scene(R"("expect": {"rest": {"max": 1, "statistic": "max"}})")),
                HasSubstr("statistic: unknown key"));
    EXPECT_THAT(
        complaint(scene(
            R"("expect": {"c": {"check": "compare", "measure": "rest", "relation": "<", "of": "a", "to": "b"}})")),
        AllOf(HasSubstr("no case is called \"a\""), HasSubstr("no check is called \"rest\"")));
    EXPECT_THAT(
        complaint(scene(
            R"("cases": {"a": {}, "b": {}}, "expect": {"rest": {"max": 1}, "c": {"check": "compare", "measure": "rest", "relation": "<"}})")),
        HasSubstr("needs `of` and `to`"));
    EXPECT_THAT(complaint(scene(R"("cases": {"a": {"control": ["rest"]}})")),
                HasSubstr("no check is called \"rest\""));
    EXPECT_THAT(complaint(R"({"materials": {"w": {}}, "bodies": [{"sphere": {"radius": 1}}],
        "shapes": [{"box": {"size": [1, 1, 1]}, "keys": [{"t": 1}, {"t": 1}]}]})"),
                HasSubstr("the times of keys must increase"));
    EXPECT_THAT(
        complaint(
            R"({"materials": {"w": {}}, "bodies": [{"sphere": {"radius": 1}}], "shapes": [{"plane": {"normal": [0, 0, 0]}}]})"),
        HasSubstr("must not have length 0"));
    EXPECT_THAT(
        complaint(
            R"({"materials": {"w": {}}, "bodies": [{"sphere": {"radius": 1}}], "shapes": [{"box": {"size": [1, 1, 1]}, "rotation": [1, 1, 1, 1]}]})"),
        HasSubstr("quaternion of a rotation has length 1"));
}

TEST(SceneReader, ACaseMayRemoveAControlCheckOfAnother) {
    const std::string text = scene(
        R"("expect": {"rest": {"max": 1}}, "cases": {"a": {"expect.rest": null}, "b": {"control": ["rest"]}})");
    for (const char* name : {"", "a", "b"}) EXPECT_EQ(complaint(text, {"", name, {}, {}}), "");
    EXPECT_THAT(
        complaint(
            scene(
                R"("expect": {"rest": {"max": 1}}, "cases": {"b": {"expect.rest": null, "control": ["rest"]}})"),
            {"", "b", {}, {}}),
        HasSubstr("no check is called \"rest\""));
}

// One error, one message: parts that could not be read are not validated.
TEST(SceneReader, AnErrorCausesNoFurtherErrors) {
    const auto one = [](const std::string& text, const std::string& message) {
        const std::string said = complaint(text);
        EXPECT_EQ(paragraphs(said), 1u) << said;
        EXPECT_THAT(said, HasSubstr(message));
    };
    const std::string block = R"("block": {"size": [0.2, 0.2, 0.2]})";
    for (const char* size : {R"("big")", "[1, 2]", "[1, 2, \"x\"]", "[1, 1, -1]"})
        one(scene("", R"("block": {"size": )" + std::string(size) + "}"), "bodies.cube.block.size");
    one(scene("", R"("sphere": {"radius": "big"})"), "bodies.cube.sphere.radius: expects a number");
    one(R"({"materials": 3, "bodies": [{)" + block + "}, {" + block + R"(}, {"material": "water", )" + block +
            "}]}",
        "materials: expects an object");
    one(R"({"materials": 3, "bodies": [{)" + block +
            R"(}], "expect": {"rest": {"max": 1, "group": "water"}}})",
        "materials: expects an object");
    one(R"({"materials": {"a": 3, "b": {}}, "bodies": [{"material": "a", )" + block +
            R"(}, {"material": "b", )" + block + "}]}",
        "materials.a: expects an object");
    one(R"({"materials": {"w": {"spacing": "fine"}}, "bodies": [{"block": {"size": [0.02, 0.02, 0.02]}}]})",
        "materials.w.spacing: expects a number");
    one(R"({"materials": {"w": {}}, "bodies": 3})", "bodies: expects a list");
    one(R"({"materials": {"w": {}}, "bodies": [3, {)" + block + "}]}", "bodies.0: expects an object");
    one(R"({"materials": {"w": {}}, "bodies": [{)" + block + R"(}], "shapes": [{"sphree": {"radius": 1}}]})",
        "shapes.0.sphree: there is no such kind of shape. Did you mean \"sphere\"?");
    one(R"({"materials": {"w": {}}, "bodies": [{"blokc": {"size": [1, 1, 1]}}]})",
        "bodies.0.blokc: there is no such kind of body. Did you mean \"block\"?");
    one(R"({"materials": {"w": {}}, "bodies": [{)" + block + R"(}], "shapes": [{"name": "s"}]})",
        "shapes.s: a shape needs one of plane, box, sphere, capsule");
    one(scene(R"("expect": {"rest": {"max": "little"}})"), "expect.rest.max: expects a number");
    one(scene(R"("bounds": {"min": [0, 0, "x"], "max": [-1, -1, -1]})"), "bounds.min.2: expects a number");
}

TEST(SceneReader, ErrorPathsAreValidForSet) {
    // elements without a name are addressed by index
    const std::string text = R"({"materials": {"w": {}}, "bodies": [{"block": {"size": [0.01, 1, 1]}}]})";
    EXPECT_THAT(complaint(text), HasSubstr("test.json:1: bodies.0: the body is too small"));
    EXPECT_EQ(complaint(text, {"", "", {"bodies.0.block.size=[1,1,1]"}, {}}), "");
    EXPECT_THAT(complaint(scene("", R"("block": {"size": [1, 1, 1], "size": [1, 1, 2]})")),
                HasSubstr("bodies.cube.block.size: duplicate key"));
    EXPECT_THAT(complaint(R"({"bodies": [{"jitter": 0}, {"jitter": 0, "jitter": 0}]})"),
                HasSubstr("bodies.1.jitter: duplicate key"));
}

TEST(SceneReader, ErrorsAreSortedByLine) {
    std::string text = "{";
    for (int i = 2; i < 15; ++i) text += (i > 2 ? ",\n" : "\n") + fmt::format("\"zz{}\": 0", i);
    try {
        readSceneText(text + "}", "test.json");
        FAIL() << "a scene of unknown keys was read";
    } catch (const SceneError& error) {
        ASSERT_GE(error.entries.size(), 13u);
        for (size_t i = 1; i < error.entries.size(); ++i)
            EXPECT_LE(error.entries[i - 1].line, error.entries[i].line);
        EXPECT_EQ(error.entries.back().line, 14);
    }
}

TEST(SceneReader, RejectsFilesBeyondTheLimits) {
    EXPECT_THAT(complaint(std::string(100000, '[')), HasSubstr("nested deeper than 64"));
    std::string deep;
    for (int i = 0; i < 100; ++i) deep += "{\"a\":";
    EXPECT_THAT(complaint(deep), HasSubstr("nested deeper than 64"));
    EXPECT_THAT(complaint(std::string(kMaxFileBytes + 1, ' ')), HasSubstr("at most 64 MB"));
    std::string many = "[";
    for (size_t i = 0; i < kMaxValues; ++i) many += "0,";
    EXPECT_THAT(complaint(many + "0]"), HasSubstr("more than 4000000 values"));
    // a thousand unknown keys: a hundred messages and a count
    std::string wrong;
    for (int i = 0; i < 1000; ++i)
        wrong += (i ? "," : "") + std::string("\"zz") + std::to_string(i) + "\": 0";
    const std::string message = complaint("{" + wrong + "}");
    EXPECT_EQ(count(message, "unknown key"), 100u);
    EXPECT_THAT(message, HasSubstr("more"));
}

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
    EXPECT_THAT(complaint(scene(), {"", "", {"materials[0].density=900"}, {}}),
                HasSubstr("by name, not by index: materials.water.density"));
    EXPECT_THAT(complaint(scene(), {"", "", {"bodies[].center=0"}, {}}),
                HasSubstr("bodies[]: unknown key. Did you mean \"bodies\"?"));
    EXPECT_THAT(complaint(scene(), {"", "", {"bodies[0.center=0"}, {}}),
                HasSubstr("bodies[0: unknown key. Did you mean \"bodies\"?"));
}

TEST(SceneOverrides, UnknownPathsAreErrors) {
    const auto with = [](const std::string& set) { return complaint(scene(), {"", "", {set}, {}}); };
    EXPECT_THAT(with("solver.substepz=4"),
                AllOf(HasSubstr("--set solver.substepz=4: unknown key"), HasSubstr("substeps")));
    EXPECT_THAT(with("solvr.substeps=4"), AllOf(HasSubstr("solvr: unknown key"), HasSubstr("solver")));
    EXPECT_THAT(with("bodies.cub.center=[0,0,0]"),
                AllOf(HasSubstr("there is no \"cub\" here"), HasSubstr("Did you mean \"cube\"?")));
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

TEST(SceneReader, ErrorsOfForceFieldsAreExplained) {
    const auto complaint = [](const std::string& fields) {
        try {
            readSceneText(R"({"materials": {"sand": {"kind": "grains"}}, "bodies": [{"points": [[0, 1, 0]]}],
                "fields": [)" +
                              fields + "]}",
                          "t.json");
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    EXPECT_EQ(complaint(R"({"kind": "vortex"})"), "none");
    EXPECT_THAT(
        complaint(R"({"kind": "vortx"})"),
        HasSubstr("t.json:2: fields.0.kind: \"vortx\" is not a valid choice. Did you mean \"vortex\"?"));
    EXPECT_THAT(complaint(R"({"name": "pull", "strenght": 1})"),
                HasSubstr("fields.pull.strenght: unknown key. Did you mean \"strength\"?"));
    EXPECT_THAT(complaint(R"({"name": "pull", "actsOn": ["snad"]})"), HasSubstr("Did you mean \"sand\"?"));
    EXPECT_THAT(complaint(R"({"actsOn": [""]})"), HasSubstr("a name is empty"));
    EXPECT_THAT(complaint(R"({"direction": [0, 0, 0]})"), HasSubstr("must not have length 0"));
    EXPECT_THAT(complaint(R"({"name": "a"}, {"name": "a"})"), HasSubstr("two fields are called \"a\""));
    std::string many = "{}";
    for (int k = 0; k < 32; ++k) many += ", {}";
    EXPECT_THAT(complaint(many), HasSubstr("33 force fields; at most 32"));
}

TEST(SceneReader, ErrorsOfClothAndRopesAreExplained) {
    // a body of each kind, then attachments and springs
    const auto complaint = [](const std::string& body, const std::string& more = "") {
        return coalesce::complaint(
            R"({"materials": {"silk": {"kind": "cloth", "spacing": 0.1}, "hemp": {"kind": "rope", "spacing": 0.1},
                "sand": {"kind": "grains", "spacing": 0.1}},
            "bodies": [{"name": "it", )" +
            body + R"(}, {"name": "line", "material": "hemp", "rope": {"points": [[0, 0, 0], [1, 0, 0]]}}])" +
            more + "}");
    };
    const std::string flag = R"("material": "silk", "grid": {"size": [1, 0, 1]})";
    const std::string tooSmall = "the body is too small";
    EXPECT_EQ(complaint(flag), "");
    EXPECT_THAT(complaint(R"("material": "silk", "block": {"size": [1, 1, 1]})"),
                HasSubstr("a cloth needs a grid, or the surface of a shape"));
    EXPECT_THAT(complaint(R"("material": "sand", "grid": {"size": [1, 0, 1]})"),
                HasSubstr("a grid needs a material of kind cloth"));
    // bodies without area or length have no mass
    for (const char* size : {"[0, 0, 0]", "[1, 0, 0]", "[1, 0, 0.04]"})
        EXPECT_THAT(complaint(std::string(R"("material": "silk", "grid": {"size": )") + size + "}"),
                    HasSubstr(tooSmall));
    EXPECT_THAT(complaint(R"("material": "silk", "grid": {"size": [-1, 0, 1]})"), HasSubstr("out of range"));
    EXPECT_THAT(complaint(R"("material": "hemp", "rope": {"points": [[0, 0, 0]]})"),
                HasSubstr("a rope needs two points"));
    EXPECT_THAT(complaint(R"("material": "hemp", "rope": {"points": [[1, 2, 3], [1, 2, 3], [1, 2, 3]]})"),
                HasSubstr(tooSmall));
    // bodies with too many particles are not built to find attached or joined particles
    const std::string join =
        R"(, "springs": [{"from": {"body": "it", "at": [0, 0, 0]}, "to": {"body": "line", "at": [0, 0, 0]}}])";
    for (const char* attach : {"", R"(, "attach": [{"point": [0, 0, 0]}])"}) {
        EXPECT_THAT(complaint(R"("material": "hemp", "rope": {"points": [[0, 0, 0], [1e6, 1e6, 1e6]]},
                                 "spacing": 1e-4)" +
                                  std::string(attach),
                              join),
                    HasSubstr("particles; at most"));
        EXPECT_THAT(
            complaint(R"("material": "silk", "grid": {"size": [1e6, 0, 1e6]})" + std::string(attach), join),
            HasSubstr("particles; at most"));
        EXPECT_THAT(
            complaint(R"("material": "silk", "grid": {"size": [0, 0, 0]})" + std::string(attach), join),
            HasSubstr(tooSmall));
    }
    EXPECT_THAT(complaint(flag + R"(, "attach": [{"point": [0, 0, 0], "min": [0, 0, 0], "max": [1, 1, 1]}])"),
                HasSubstr("needs either point, or min and max"));
    EXPECT_THAT(complaint(flag + R"(, "attach": [{"min": [8, 0, 0], "max": [9, 1, 1]}])"),
                HasSubstr("no particle of \"it\" starts between [8, 0, 0] and [9, 1, 1]"));
    EXPECT_THAT(complaint(flag + R"(, "attach": [{"point": [0, 0, 0], "shape": "mats"}])",
                          R"(, "shapes": [{"name": "mast", "plane": {}}])"),
                HasSubstr("Did you mean \"mast\"?"));
    EXPECT_THAT(complaint(R"("material": "sand", "points": [[0, 0, 0]])", join),
                HasSubstr("loose particles"));
    EXPECT_THAT(
        complaint(flag, R"(, "springs": [{"from": {"body": "it", "at": [0, 0, 0]}, "to": {"body": "it",
                                     "at": [0.01, 0, 0]}}])"),
        HasSubstr("both ends are the same particle"));
    EXPECT_THAT(
        complaint(flag, R"(, "springs": [{"from": {"body": "it", "at": [0, 0, 0]}, "to": {"body": "lines",
                                     "at": [0, 0, 0]}}])"),
        HasSubstr("Did you mean \"line\"?"));
}

}  // namespace
}  // namespace coalesce
