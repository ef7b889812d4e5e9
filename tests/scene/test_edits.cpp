// Values by path: setting, comparing, options of the command line, presets.
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <utility>
#include <wordexp.h>

#include "scene/build/validation_issue.h"
#include "scene/format/presets.h"
#include "scene/reader.h"
#include "support/every_value.h"

namespace coalesce::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// the arguments that a shell parses from a line
std::vector<std::string> shellWords(const std::string& line) {
    wordexp_t words{};
    EXPECT_EQ(wordexp(line.c_str(), &words, WRDE_NOCMD), 0) << line;
    std::vector<std::string> list(words.we_wordv, words.we_wordv + words.we_wordc);
    wordfree(&words);
    return list;
}

class Edits : public ::testing::Test {
protected:
    std::vector<Edit> differences(const Scene& now) const {
        return editsBetween(tunablesOf(scene), tunablesOf(std::as_const(now)));
    }
    TemporaryFolder folder;
    const Scene scene = readScene(sceneOfEverything(folder));
};

TEST_F(Edits, CoverAllManifestsAndShapes) {
    std::set<std::string> paths;
    for (const Tunable& t : listTunables(tunablesOf(scene))) EXPECT_TRUE(paths.insert(t.value.path).second);
    forEachParameter(scene.parameters, [&](auto&, const ParameterInfo& info) {
        EXPECT_TRUE(paths.contains(std::string(info.group) + "." + info.name)) << info.name;
    });
    forEachParameter(scene.materials[0].properties, [&](auto&, const ParameterInfo& info) {
        EXPECT_TRUE(paths.contains(std::string("materials.wet sand.") + info.name)) << info.name;
    });
    forEachParameter(scene.emitters[0].properties, [&](auto&, const ParameterInfo& info) {
        EXPECT_TRUE(paths.contains(std::string("emitters.tap.") + info.name)) << info.name;
    });
    for (const char* name :
         {"position", "rotation", "velocity", "angularVelocity", "friction", "visible", "color"})
        EXPECT_TRUE(paths.contains(std::string("shapes.gate.") + name)) << name;
    EXPECT_TRUE(paths.contains("shapes.lift.friction"));
    EXPECT_FALSE(paths.contains("shapes.lift.position")) << "it moves by its keys";
    EXPECT_TRUE(paths.contains("sinks.drain.position"));
    EXPECT_FALSE(paths.contains("sinks.old.position")) << "it is everywhere";
}

TEST_F(Edits, ChangeOnlyTheirOwnValue) {
    int tried = 0;
    for (const Tunable& t : listTunables(tunablesOf(scene))) {
        const Edit other = otherValue(t);
        if (other == t.value) continue;
        Scene changed = scene;
        ASSERT_EQ(applyEdit(tunablesOf(changed), other), "") << t.value.path;
        EXPECT_THAT(differences(changed), ElementsAre(other)) << t.value.path;
        EXPECT_EQ(editAt(tunablesOf(std::as_const(changed)), other.path), other);
        ASSERT_EQ(applyEdit(tunablesOf(changed), t.value), "") << t.value.path;
        EXPECT_TRUE(differences(changed).empty()) << t.value.path;
        ++tried;
    }
    EXPECT_GT(tried, 150);
}

TEST_F(Edits, AsSetOptionsGiveTheSameSceneBitwise) {
    std::vector<std::string> refused;
    for (const Tunable& t : listTunables(tunablesOf(scene))) {
        Scene changed = scene;
        applyEdit(tunablesOf(changed), otherValue(t));
        SceneChoice choice;
        choice.sets = asSets(changed, differences(changed));
        try {
            const Scene again = readScene(scene.file, choice);
            EXPECT_TRUE(editsBetween(tunablesOf(std::as_const(changed)), tunablesOf(again)).empty())
                << t.value.path << ": " << testing::PrintToString(choice.sets);
        } catch (const Error& error) {
            refused.push_back(t.value.path);
        }
    }
    EXPECT_TRUE(refused.empty()) << testing::PrintToString(refused);
}

TEST_F(Edits, SurviveAShellAsOptions) {
    Scene changed = scene;
    // only the method position accepts every other value
    for (const Tunable& t : listTunables(tunablesOf(scene)))
        if (t.value.path != "solver.method") applyEdit(tunablesOf(changed), otherValue(t));
    const std::vector<std::string> words = shellWords(asOptions(asSets(changed, differences(changed))));
    SceneChoice choice;
    for (size_t k = 0; k < words.size(); k += 2) {
        ASSERT_EQ(words[k], "--set");
        choice.sets.push_back(words[k + 1]);
    }
    const Scene again = readScene(scene.file, choice);
    EXPECT_TRUE(editsBetween(tunablesOf(std::as_const(changed)), tunablesOf(again)).empty());
}

TEST_F(Edits, AreQuotedOnlyWhereTheShellNeedsIt) {
    EXPECT_EQ(asOptions({"solver.substeps=4"}), "--set solver.substeps=4");
    EXPECT_EQ(asOptions({"world.gravity=[0,-1,0]", "a.b=c"}), "--set 'world.gravity=[0,-1,0]' --set a.b=c");
    EXPECT_THAT(shellWords(asOptions({"materials.Bob's.x=$HOME*"})),
                ElementsAre("--set", "materials.Bob's.x=$HOME*"));
    EXPECT_EQ(asSet({"fluid.relaxation", {0.1f}, ""}), "fluid.relaxation=0.1")
        << "no more digits than needed";
}

TEST_F(Edits, InvalidOnesReportWhyAndChangeNothing) {
    Scene changed = scene;
    const auto refusal = [&](const Edit& edit) { return applyEdit(tunablesOf(changed), edit); };
    EXPECT_THAT(refusal({"materials.water.viscocity", {1}, ""}), HasSubstr("materials.water.viscosity"));
    EXPECT_THAT(refusal({"solver.relaxation", {7}, ""}), HasSubstr("out of range"));
    EXPECT_THAT(refusal({"shapes.gate.position", {1}, ""}), HasSubstr("vector"));
    EXPECT_THAT(refusal({"shapes.gate.rotation", {1, 1, 1, 1}, ""}), HasSubstr("length 1"));
    EXPECT_THAT(refusal({"shapes.lift.position", {1, 2, 3}, ""}), HasSubstr("no such value"));
    EXPECT_TRUE(differences(changed).empty());
}

// What a method cannot do is refused by it, and by it alone, with the name of what can.
TEST_F(Edits, OfAMethodThatCannotDoItAreRefused) {
    struct Case {
        const char* words;  // of the refusal
        bool projectiveCan;
        void (*change)(Scene&);
    };
    static constexpr auto water = [](Scene& s) -> MaterialProperties& {
        const auto is = [](const Material& m) { return isFluid(m.properties); };
        return std::ranges::find_if(s.materials, is)->properties;
    };
    const Case cases[] = {
        {"fluid.constraint bilateral", false,
         [](Scene& s) { s.parameters.fluid.constraint = Density::bilateral; }},
        {"fluid.stiffness regularized", false,
         [](Scene& s) { s.parameters.fluid.stiffness = Stiffness::regularized; }},
        {".tension", false, [](Scene& s) { water(s).tension = 0.5f; }},
        {"four times its inertia", false,
         [](Scene& s) {
             s.materials.push_back({"oil", water(s)});
             s.materials.back().properties.density = 0.1f * water(s).density;
             s.parameters.fluid.massRatio = 20;
         }},
        {"contacts.stackScaling", true, [](Scene& s) { s.parameters.contacts.stackScaling = 0.5f; }},
        {"contacts.friction velocity", true,
         [](Scene& s) { s.parameters.contacts.friction = Friction::velocity; }},
        {".cohesion", true,
         [](Scene& s) {
             s.materials.push_back({"sand", {}});
             s.materials.back().properties.kind = MaterialKind::grains;
             s.materials.back().properties.cohesion = 0.1f;
         }},
    };
    for (const Case& c : cases)
        for (const Method method : {Method::position, Method::projective, Method::velocity}) {
            Scene changed = scene;
            c.change(changed);
            changed.parameters.solver.method = method;
            const auto issue = methodIssue(changed.parameters, changed.materials);
            const bool can = method == Method::position || (method == Method::projective && c.projectiveCan);
            EXPECT_EQ(!issue, can) << c.words << ", method " << int(method);
            if (!issue || can) continue;
            EXPECT_THAT(issue->what, HasSubstr(c.words));
            EXPECT_THAT(issue->what,
                        HasSubstr(c.projectiveCan ? "position or projective" : "solver.method position"));
        }
}

TEST_F(Edits, BoundaryParticlesAreRefusedInAPlanarScene) {
    Parameters parameters;
    parameters.fluid.boundary = FluidBoundary::particles;
    EXPECT_FALSE(boundaryIssue(parameters));
    parameters.solver.planar = true;
    ASSERT_TRUE(boundaryIssue(parameters));
    EXPECT_THAT(boundaryIssue(parameters)->what, HasSubstr("planar"));
    parameters.fluid.boundary = FluidBoundary::wallTerm;
    EXPECT_FALSE(boundaryIssue(parameters));
}

class Presets : public Edits {
protected:
    std::string complaint(const std::string& text) {
        writeText(folder / "p.json", text);
        try {
            valuesFor(scene, readPreset(folder / "p.json"));
        } catch (const Error& error) {
            return error.what();
        }
        return "none";
    }
};

TEST_F(Presets, RoundTripThroughAFile) {
    Scene changed = scene;
    for (const Tunable& t : listTunables(tunablesOf(scene))) applyEdit(tunablesOf(changed), otherValue(t));
    const std::vector<Edit> values = differences(changed);
    writePreset({{}, "All \"other\".", "everything", values, {}}, folder / "p.json");
    const Preset read = readPreset(folder / "p.json");
    EXPECT_EQ(read.about, "All \"other\".");
    EXPECT_EQ(read.scene, "everything");
    Scene again = scene;
    for (const Edit& edit : valuesFor(scene, read))
        ASSERT_EQ(applyEdit(tunablesOf(again), edit), "") << edit.path;
    EXPECT_TRUE(editsBetween(tunablesOf(std::as_const(changed)), tunablesOf(std::as_const(again))).empty());
}

TEST_F(Presets, ContainOnlyDifferencesFromDefaults) {
    const std::vector<Edit> edits = differencesFromDefaults(scene);
    const auto has = [&](const char* path) {
        return std::any_of(edits.begin(), edits.end(), [&](const Edit& e) { return e.path == path; });
    };
    EXPECT_TRUE(has("materials.water.spacing"));
    EXPECT_TRUE(has("fields.pull.strength"));
    EXPECT_FALSE(has("materials.water.density"));
    EXPECT_FALSE(has("shapes.gate.position"));
}

TEST_F(Presets, ErrorsNameLineAndNearestName) {
    EXPECT_EQ(complaint(R"({ "values": { "solver.substeps": 4 } })"), "none");
    const std::string unknown = complaint(
        "{ \"scene\": \"other\", \"values\": {\n \"solver.substepz\": 4,\n"
        "\"materials.watr.viscosity\": 1 } }");
    EXPECT_THAT(unknown, HasSubstr("p.json:2: values.solver.substepz"));
    EXPECT_THAT(unknown, HasSubstr("Did you mean \"solver.substeps\"?"));
    EXPECT_THAT(unknown, HasSubstr("p.json:3"));
    EXPECT_THAT(unknown, HasSubstr("materials.water.viscosity"));
    EXPECT_THAT(unknown, HasSubstr("made with the scene \"other\""));
    EXPECT_THAT(complaint(R"({ "value": {} })"), HasSubstr("Did you mean \"values\"?"));
    EXPECT_THAT(complaint(R"({ "values": { "solver.substeps": {} } })"), HasSubstr("expects a number"));
    EXPECT_THAT(complaint(R"({ "values": { "solver.substeps": 4000 } })"), HasSubstr("out of range"));
    EXPECT_THAT(complaint("[]"), HasSubstr("one object"));
    EXPECT_THAT(complaint("{ \"values\": "), HasSubstr("p.json:1"));
}

TEST_F(Presets, AreListedByNameWithTheirErrors) {
    writeText(folder / "presets" / "b.json", "");
    EXPECT_TRUE(listPresets(folder / "presets").empty()) << "no such folder";
    std::filesystem::create_directory(folder / "presets");
    writePreset({{}, "Slow.", "everything", {{"solver.substeps", {4}, ""}}, {}},
                presetFile(folder / "presets", "slow and steady"));
    writeText(folder / "presets" / "b.json", "{");
    const std::vector<PresetEntry> list = listPresets(folder / "presets");
    ASSERT_EQ(list.size(), 2u);
    EXPECT_EQ(list[1].name, "slow and steady");
    EXPECT_EQ(list[1].about, "Slow.");
    EXPECT_FALSE(list[0].error.empty());
    for (const char* name : {"", "a/b", "../x", ".hidden"})
        EXPECT_THROW(presetFile(folder.path(), name), Error);
}

}  // namespace
}  // namespace coalesce::test
