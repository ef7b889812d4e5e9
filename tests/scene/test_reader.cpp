// Reader of scene files: values, limits, and messages of errors.
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "scene/format/json_text.h"
#include "scene/format/read_fields.h"
#include "scene/format/scene.h"
#include "scene/reader.h"
#include "scene_text.h"

namespace coalesce {
namespace {

using test::complaint;
using test::count;
using test::paragraphs;
using test::scene;
using testing::AllOf;
using testing::HasSubstr;

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
    says(R"("sdf": {"shape": "cup", "shell": true}, "container": true)", "a shell has no inside");
    says(R"("sdf": {"shape": "cup", "animation": {}})",
         "needs a mesh whose name has a run of #, a wave or a walk");
    says(R"("sdf": {"mesh": "nothing_##.obj"})", "no file matches this pattern");
    says(R"("mesh": {"shape": "cup"}, "trigger": true)", "a mesh has no inside");
    says(R"("box": {"size": [1, 1, 1]}, "scale": [1, 2, 1])", "only a convex, sdf or mesh");
    says(R"("box": {"size": [1, 1, 1]}, "collisionMask": [8])", "8 is out of range");
    says(R"("box": {"size": [1, 1, 1]}, "collisionMask": 3)", "a list of bits");
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
          "test.json:3: duration: expects a number, got the string \"long\"\n    Allowed: ",
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

// A size changes values of a case; the others stay.
TEST(SceneReader, SizesChangeSingleValuesOfCases) {
    const std::string text = scene(R"("solver": { "substeps": 2, "iterations": 4 },
        "sizes": { "small": { "cases.fine": { "solver.iterations": 9, "duration": 3 } } },
        "cases": { "fine": { "control": ["speed"], "solver.substeps": 5, "solver.iterations": 7 }, "plain": {} },
        "expect": { "speed": { "max": 1 } })");
    const auto read = [&](const std::string& size, const std::string& caseName) {
        return readSceneText(text, "test.json", {size, caseName, {}, {}, {}});
    };
    const Scene fine = read("small", "fine");
    EXPECT_EQ(fine.parameters.solver.substeps, 5);
    EXPECT_EQ(fine.parameters.solver.iterations, 9);
    EXPECT_EQ(fine.duration, 3);
    EXPECT_EQ(fine.control, std::vector<std::string>{"speed"});
    // controls: without the size, and another case
    EXPECT_EQ(read("", "fine").parameters.solver.iterations, 7);
    EXPECT_EQ(read("small", "plain").parameters.solver.iterations, 4);
    EXPECT_TRUE(read("small", "plain").control.empty());
}

TEST(SceneReader, SuggestsOtherWordsAndPathsOfParameters) {
    EXPECT_THAT(complaint(R"({ "gravity": [0, -1, 0] })"),
                HasSubstr("unknown key. Did you mean \"world.gravity\"?"));
    EXPECT_THAT(complaint(R"({ "materials": { "pond": { "kind": "liquid" } } })"),
                HasSubstr("Did you mean \"fluid\"?"));
    EXPECT_THAT(complaint(R"({ "materials": { "pond": { "kind": "vapor" } } })"),
                Not(HasSubstr("Did you mean")));
    EXPECT_THAT(complaint(R"({ "world": { "substeps": 1 } })"),
                HasSubstr("Did you mean \"solver.substeps\"?"));
    EXPECT_THAT(complaint(R"({ "fluid": { "viscosity": 1 } })"),
                HasSubstr("Did you mean \"materials.NAME.viscosity\"?"));
    // control: no group has it
    EXPECT_THAT(complaint(R"({ "world": { "qqqqqqqq": 1 } })"), Not(HasSubstr("Did you mean")));
}

TEST(SceneReader, SyntaxErrorsHaveLineAndColumn) {
    EXPECT_THAT(complaint("{\n  \"about\": \"x\",\n  ]\n}"), HasSubstr("test.json:3:3: "));
    EXPECT_THAT(complaint("{\n  \"about\": \"x\"\n  \"seed\": 1\n}"),
                HasSubstr("A comma is missing before this."));
    for (const char* other : {"{\n  \"about\": \"x\", \n", "{ \"tags\": [1 } }", "{ \"seed\": 1 : 2 }"})
        EXPECT_THAT(complaint(other), Not(HasSubstr("comma"))) << other;
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
                AllOf(HasSubstr("1000000000 m/s is out of range"), HasSubstr("0.01 to 1000000 m/s")));
    EXPECT_THAT(complaint(scene(R"("solver": 3)")), HasSubstr("solver: expects an object, got the number 3"));
    EXPECT_THAT(complaint(scene("", R"("block": [1, 2, 1])")),
                HasSubstr(R"(Write "block": { "key": value })"));
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
    EXPECT_THAT(complaint(scene("", R"("block": {"min": [0, 3, 0], "max": [1, 2, 1]})")),
                HasSubstr("below min"));
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
    // one of the two would be ignored
    const std::string leaks = R"("expect": {"leaks": {"check": "pierced", "max": 0)";
    EXPECT_THAT(complaint(scene(leaks + R"(, "other": "water", "class": "smoke"}})")),
                AllOf(HasSubstr("expect.leaks: `other` and `class` exclude each other"),
                      HasSubstr("Give one of them: ")));
    for (const std::string one : {R"("other": "water")", R"("class": "smoke")"})
        EXPECT_EQ(complaint(scene(leaks + ", " + one + "}}")), "") << one;
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
    // a word for the same, which of bodies is another than of shapes
    one(R"({"materials": {"w": {}}, "bodies": [{"cube": {"size": [1, 1, 1]}}]})",
        "bodies.0.cube: there is no such kind of body. Did you mean \"block\"?");
    one(R"({"materials": {"w": {}}, "bodies": [{)" + block +
            R"(}], "shapes": [{"cube": {"size": [1, 1, 1]}}]})",
        "shapes.0.cube: there is no such kind of shape. Did you mean \"box\"?");
    one(R"({"materials": {"w": {}}, "bodies": [{)" + block + R"(}], "shapes": [{"name": "s"}]})",
        "shapes.s: a shape needs one of plane, box, sphere, capsule");
    one(scene(R"("expect": {"rest": {"max": "little"}})"), "expect.rest.max: expects a number");
    one(scene(R"("solver": {"substeps": "cfl"})"),
        "solver.substeps: expects a number, got the string \"cfl\"\n    Allowed: 1 to 100. \"cfl\" is a "
        "choice of "
        "solver.timeStep.");
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

// The limits are floats in the manifests: 0.1f is more than the 0.1 that `coalesce params` prints.
TEST(SceneReader, EveryParameterTakesItsDocumentedLimits) {
    std::vector<std::string> wrong;
    size_t tried = 0;
    const auto attempt = [&](const ParameterInfo& info, double number) {
        KeySpec spec{info.name, "", info.unit, info.min, info.max};
        Node root;
        std::vector<Diagnostic> diagnostics;
        EXPECT_TRUE(parseJson(fmt::format("{{\"{}\": {:.17g}}}", info.name, number), root, diagnostics));
        ReadFields fields(root, "", nullptr, diagnostics);
        float value = 0;
        fields.value(value, spec);
        return diagnostics.empty();
    };
    const auto judge = [&]<class T>(const T&, const ParameterInfo& info) {
        if constexpr (std::is_same_v<T, float>) {
            for (const double limit : {info.min, info.max}) {
                const double printed = std::strtod(fmt::format("{:g}", limit).c_str(), nullptr);
                const double outwards = (limit == info.max ? 1e-5 : -1e-5) * std::max(std::abs(limit), 1e-3);
                ++tried;
                if (!attempt(info, printed) || !attempt(info, double{float(printed)}))
                    wrong.push_back(fmt::format("{}.{} refuses {:g}", info.group, info.name, limit));
                if (attempt(info, limit + outwards))
                    wrong.push_back(fmt::format("{}.{} takes more than {:g}", info.group, info.name, limit));
            }
        }
    };
    forEachParameter(std::as_const(*std::make_unique<Parameters>()), judge);
    forEachParameter(std::as_const(*std::make_unique<MaterialProperties>()), judge);
    forEachParameter(std::as_const(*std::make_unique<ForceFieldProperties>()), judge);
    forEachParameter(std::as_const(*std::make_unique<EmitterProperties>()), judge);
    forEachParameter(std::as_const(*std::make_unique<SinkProperties>()), judge);
    EXPECT_GT(tried, 150u);
    EXPECT_THAT(wrong, testing::IsEmpty());
    // through the whole reader, and what it says beyond
    EXPECT_EQ(complaint(scene(R"("solver": {"timeScale": 0.01, "cfl": 0.05, "relaxation": 0.1})")), "");
    EXPECT_THAT(complaint(scene(R"("solver": {"cfl": 10.00001})")),
                AllOf(HasSubstr("10.00001 is out of range"), HasSubstr("Allowed: 0.05 to 10")));
}

// They are parts of the names of files.
TEST(SceneReader, NamesOfSizesAndCasesAreChecked) {
    for (const char* section : {"sizes", "cases"}) {
        const auto with = [&](const std::string& name) {
            return complaint(scene(fmt::format("\"{}\": {{\"{}\": {{}}}}", section, name)));
        };
        for (const char* name : {"", "a/b", "../../x", ".hidden", "a\\nb"})
            EXPECT_THAT(with(name), HasSubstr("is not a valid name")) << section << " " << name;
        for (const char* name : {"ci", "1.5 m", "with spaces", "ä", "v2.1"})
            EXPECT_EQ(with(name), "") << name;
    }
}

TEST(SceneReader, NamesOfTiersAreKnown) {
    EXPECT_EQ(complaint(scene(R"("tier": "regression")")), "");
    EXPECT_THAT(complaint(scene(R"("tier": "papper")")),
                AllOf(HasSubstr("papper"), HasSubstr("Did you mean \"paper\"?")));
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
    // vertices of a mesh are particles
    const std::string ball = R"("material": "silk", "shape": "icosphere", "height": 1, "subdivisions": )";
    EXPECT_EQ(complaint(ball + "3"), "");
    EXPECT_THAT(complaint(ball + "6"),
                AllOf(HasSubstr("bodies.it: the vertices of its mesh are 0.0088 m apart"),
                      HasSubstr("set materials.silk.spacing to 0.0088")));
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

// "#rrggbb" is sRGB: IEC 61966-2-1, of which 0x80 is 0.2158605 in linear light.
TEST(Reader, ColorsMayBeWrittenAsInProgramsForPictures) {
    const auto colorOf = [](const std::string& color, const std::vector<std::string>& sets = {}) {
        const std::string text = R"({"materials": {"water": {"color": )" + color + R"(}},
            "bodies": [{"name": "drop", "points": [[0, 0, 0]]}]})";
        const Scene scene = readSceneText(text, "test.json", {"", "", sets, {}});
        EXPECT_EQ(readSceneText(scene.text, "test.json").materials[0].properties.color,
                  scene.materials[0].properties.color)
            << "the written scene";
        return scene.materials[0].properties.color;
    };
    const auto near = [](Vec3 a, Vec3 b) { return length(a - b) < 1e-6f; };
    EXPECT_TRUE(near(colorOf(R"("#808080")"), {0.2158605f, 0.2158605f, 0.2158605f}));
    EXPECT_EQ(colorOf(R"("#ff0000")"), (Vec3{1, 0, 0}));
    EXPECT_TRUE(near(colorOf(R"("#0a0A0a")"), (10 / 255.0f / 12.92f) * Vec3{1, 1, 1})) << "the linear part";
    EXPECT_EQ(colorOf("[1, 0, 1]", {"materials.water.color=#00ff00"}), (Vec3{0, 1, 0}));
    for (const char* wrong : {R"("#ff00")", R"("red")", R"("#ff00zz")", R"("ff0000ff")"}) {
        try {
            colorOf(wrong);
            ADD_FAILURE() << wrong;
        } catch (const Error& error) {
            EXPECT_THAT(error.what(), AllOf(HasSubstr("is not a color"), HasSubstr("\"#c83219\"")));
        }
    }
    EXPECT_THROW(readSceneText(R"({"world": {"gravity": "#ff0000"}})", "test.json"), Error);
    const Scene dyed =
        readSceneText(R"({"materials": {"water": {}}, "bodies": [{"points": [[0, 0, 0]]}], "timeline": [
        {"at": 1, "set": "materials.water.color", "to": "#00ff00"}]})",
                      "test.json");
    EXPECT_EQ(dyed.timeline.at(0).to, (std::vector<double>{0, 1, 0}));
}

}  // namespace
}  // namespace coalesce
