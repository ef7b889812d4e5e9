// Saving edited scenes: the text of the file changes where a value does, and reads back to the edited scene.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "core/error.h"
#include "scene/format/file_values.h"
#include "scene/format/writer.h"
#include "scene/reader.h"
#include "session/session.h"
#include "support/every_value.h"

namespace coalesce::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string valuesIn(const std::string& text, const std::vector<std::string>& sets,
                     const SceneChoice& choice = {}) {
    return withValues(text, "scene.json", sets, choice);
}

TEST(FileValues, ChangeTheirPlaceAndNothingElse) {
    const std::string text = R"(// A dam break.
{
    "solver": { "substeps": 4 /* enough */, "method": "position" },
    "materials": {
        "water": { "spacing": 0.1, // fine
                   "color": [0, 0.5, 1] }
    },
    "shapes": [
        { "name": "floor", "plane": { "normal": [0, 1, 0] } },
        { "name": "gate", "box": { "size": [1, 1, 1] }, "position": [0, 1, 0] } // lifted later
    ]
}
)";
    const auto with = [&](const std::string& was, const std::string& now) {
        std::string changed = text;
        changed.replace(changed.find(was), was.size(), now);
        return changed;
    };
    EXPECT_EQ(valuesIn(text, {"solver.substeps=6"}), with("4 /*", "6 /*"));
    EXPECT_EQ(valuesIn(text, {"solver.method=velocity"}), with("\"position\"", "\"velocity\""));
    EXPECT_EQ(valuesIn(text, {"shapes.gate.position=[1,2,3]"}), with("[0, 1, 0] } //", "[1, 2, 3] } //"));
    EXPECT_EQ(valuesIn(text, {"shapes[1].position=[1,2,3]"}), with("[0, 1, 0] } //", "[1, 2, 3] } //"));
    EXPECT_EQ(valuesIn(text, {"materials.water.viscosity=0.5"}),
              with("[0, 0.5, 1]", "[0, 0.5, 1],\n                   \"viscosity\": 0.5"));
    EXPECT_EQ(valuesIn(text, {"world.gravity=[0,-1,0]"}),
              with("    ]\n}", "    ],\n    \"world\": { \"gravity\": [0, -1, 0] }\n}"));
    EXPECT_EQ(valuesIn(text, {"solver.method=null"}), with(", \"method\": \"position\"", ""));
    EXPECT_EQ(valuesIn(text, {}), text);
}

TEST(FileValues, OfASizeOrACaseChangeThere) {
    const std::string text = R"({
    "solver": { "substeps": 4 },
    "shapes": [{ "name": "gate", "position": [0, 0, 0] }],
    "materials": { "water": { "spacing": 0.1 } },
    "sizes": { "ci": { "solver.substeps": 2, "shapes[0].position": [1, 0, 0] }, "demo": { "solver.substeps": 8 } },
    "cases": { "thick": { "materials.water": { "spacing": 0.2 } } }
})";
    const auto with = [&](const std::string& was, const std::string& now) {
        std::string changed = text;
        changed.replace(changed.find(was), was.size(), now);
        return changed;
    };
    SceneChoice ci;
    ci.size = "ci";
    SceneChoice thick = ci;
    thick.caseName = "thick";
    const std::vector<std::string> six{"solver.substeps=6"};
    EXPECT_EQ(valuesIn(text, six), with("substeps\": 8", "substeps\": 6")) << "demo, the default";
    EXPECT_EQ(valuesIn(text, six, ci), with("substeps\": 2", "substeps\": 6"));
    EXPECT_EQ(valuesIn(text, six, thick), with("substeps\": 2", "substeps\": 6"));
    EXPECT_EQ(valuesIn(text, {"shapes.gate.position=[5,0,0]"}, ci), with("[1, 0, 0]", "[5, 0, 0]"));
    EXPECT_EQ(valuesIn(text, {"materials.water.spacing=0.3"}, thick), with("0.2", "0.3"));
    EXPECT_EQ(valuesIn(text, {"materials.water.density=900"}, thick), with("0.2", "0.2, \"density\": 900"));
    EXPECT_EQ(valuesIn(text, {"materials.water.spacing=0.3"}, ci), with("0.1", "0.3"));
}

TEST(FileValues, KeepFormerNamesOfKeys) {
    EXPECT_EQ(valuesIn(R"({ "fluid": { "viscosityShare": 0.1 } })", {"fluid.maxViscosityPerPass=0.2"}),
              R"({ "fluid": { "viscosityShare": 0.2 } })");
    SceneChoice ci;
    ci.size = "ci";
    EXPECT_EQ(valuesIn(R"({ "sizes": { "ci": { "fluid.viscosityShare": 0.1 } } })",
                       {"fluid.maxViscosityPerPass=0.2"}, ci),
              R"({ "sizes": { "ci": { "fluid.viscosityShare": 0.2 } } })");
}

std::string failureOf(const auto& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(FileValues, WithoutAPlaceAreRefused) {
    const std::string text = R"({ "materials": { "water": { "spacing": 0.1 } },
        "shapes": [{ "name": "gate", "position": [0, 0, 0] }], "sizes": { "ci": { "shapes.gate.position.1": 2 } } })";
    EXPECT_THAT(failureOf([&] { valuesIn(text, {"materials.oil.viscosity=1"}); }),
                HasSubstr("materials.oil.viscosity cannot be written"));
    SceneChoice ci;
    ci.size = "ci";
    EXPECT_THAT(failureOf([&] { valuesIn(text, {"shapes.gate.position=[0,1,0]"}, ci); }),
                HasSubstr("\"shapes.gate.position.1\" of ci sets a part of it"));
    EXPECT_NE(failureOf([&] { valuesIn("{ \"solver\": ", {"solver.substeps=2"}); }), "");
}

// Random values of all scenes: what was written reads back to the last bit.
TEST(FileValues, OfAllScenesReadBack) {
    std::mt19937 random(7);
    int written = 0;
    for (const SceneEntry& entry : listScenes(COALESCE_SCENES)) {
        SceneChoice choice;
        if (!entry.sizes.empty()) choice.size = entry.sizes[random() % entry.sizes.size()];
        if (!entry.cases.empty()) choice.caseName = entry.cases[random() % entry.cases.size()];
        const Scene scene = readScene(entry.file, choice);
        Scene edited = scene;
        const std::vector<Tunable> all = listTunables(tunablesOf(scene));
        std::vector<Edit> edits;
        for (int k = 0; k < 6; ++k) {
            const Edit edit = otherValue(all[random() % all.size()]);
            Scene tried = edited;
            if (!applyEdit(tunablesOf(tried), edit).empty()) continue;
            // only scenes that are valid can be read back
            SceneChoice asSet = choice;
            asSet.sets = asSets(scene, {edit});
            if (!failureOf([&] { readScene(entry.file, asSet); }).empty()) continue;
            edited = tried;
            edits.push_back(edit);
        }
        SceneChoice asSet = choice;
        asSet.sets = asSets(scene, edits);
        if (!failureOf([&] { readScene(entry.file, asSet); }).empty()) continue;
        SCOPED_TRACE(entry.name + " " + choice.size + " " + choice.caseName + ": " + asOptions(asSet.sets));
        const std::string text = withValues(readText(entry.file), entry.file, asSets(scene, edits), choice);
        const Scene saved = readSceneText(text, entry.file, choice);
        for (const Edit& edit : editsBetween(tunablesOf(scene), tunablesOf(std::as_const(edited))))
            EXPECT_EQ(editAt(tunablesOf(saved), edit.path), edit);
        EXPECT_THAT(editsBetween(tunablesOf(saved), tunablesOf(std::as_const(edited))), IsEmpty());
        ++written;
    }
    EXPECT_GT(written, 60);
}

class SessionSave : public ::testing::Test {
protected:
    TemporaryFolder folder;
    const std::filesystem::path file = sceneOfEverything(folder);
    Session session{file, {}, {.backend = "cpu"}};
};

TEST_F(SessionSave, WritesEveryValue) {
    const std::filesystem::path copy = folder / "copy.json";
    const std::string before = readText(file);
    int tried = 0;
    for (const Tunable& t : session.tunables()) {
        const Edit other = otherValue(t);
        session.closeStep();
        if (other == t.value || session.edit(other) != "") continue;
        ++tried;
    }
    EXPECT_GT(tried, 150);
    const std::vector<Edit> edits = session.differences();
    session.step();
    const uint64_t frame = session.world().frame;
    session.save(copy);
    EXPECT_EQ(session.world().frame, frame) << "the simulation goes on";
    EXPECT_THAT(session.differences(), IsEmpty());
    const Scene saved = readScene(copy);
    for (const Edit& edit : edits) EXPECT_EQ(editAt(tunablesOf(saved), edit.path), edit);
    EXPECT_EQ(session.scene().file, copy);
    EXPECT_EQ(session.scene().name, "copy");
    EXPECT_FALSE(session.pollFile()) << "its own write is no change";
    EXPECT_TRUE(session.undo());
    EXPECT_EQ(session.differences().size(), 1u) << "undo goes on beyond a save";
    EXPECT_EQ(readText(file), before) << "the first file is as it was";
}

TEST_F(SessionSave, TakesTheValuesOfSet) {
    SceneChoice choice;
    choice.sets = {"bodies.block.block.max=[0.5,0.6,0.4]", "solver.substeps=5"};
    Session other(file, choice, {.backend = "cpu"});
    other.edit({"solver.substeps", {7}, ""});
    EXPECT_EQ(other.save(file), 3u);
    EXPECT_TRUE(other.choice().sets.empty());
    const Scene saved = readScene(file);
    EXPECT_EQ(saved.parameters.solver.substeps, 7);
    EXPECT_EQ(writeScene(saved), writeScene(other.scene()));
    EXPECT_THAT(readText(file), HasSubstr(R"("max": [0.5, 0.6, 0.4])"));
}

TEST_F(SessionSave, KeepsAnOlderFileOnErrors) {
    session.edit({"solver.substeps", {7}, ""});
    const std::string before = readText(file);
    EXPECT_THAT(failureOf([&] { session.save(folder / "missing" / "scene.json"); }), HasSubstr("missing"));
    // changed by somebody else, not read again yet
    std::string changed = before;
    changed.replace(changed.find("0.6, 0.4"), 3, "0.9");
    writeText(file, changed);
    EXPECT_THAT(failureOf([&] { session.save(file); }), HasSubstr("the file has changed since it was read"));
    EXPECT_EQ(readText(file), changed);
    EXPECT_EQ(session.differences().size(), 1u);
    session.startRecording();
    EXPECT_THAT(failureOf([&] { session.save(file); }),
                HasSubstr("a replay of this scene is being recorded"));
}

// What a snapshot has is compared with the scene that was saved after it.
TEST_F(SessionSave, SeeksBackToTheValuesOfThen) {
    for (int k = 0; k < 12; ++k) session.step();
    ASSERT_EQ(session.edit({"solver.substeps", {5}, ""}), "");
    for (int k = 0; k < 12; ++k) session.step();
    session.save(file);
    EXPECT_FALSE(session.isChanged());
    ASSERT_TRUE(session.seek(4));
    EXPECT_EQ(session.world().parameters.solver.substeps, 2);
    EXPECT_EQ(session.edited().parameters.solver.substeps, 2);
    EXPECT_THAT(session.differences(), testing::ElementsAre(Edit{"solver.substeps", {2}, ""}));
    ASSERT_TRUE(session.seek(20));
    EXPECT_EQ(session.world().parameters.solver.substeps, 5);
    EXPECT_THAT(session.differences(), IsEmpty());
}

TEST_F(SessionSave, LeavesOutAThrownBall) {
    session.send(Throw{{0.3f, 3, 0.3f}, {}});
    session.step();
    ASSERT_EQ(session.world().materials.size(), 3u);
    session.edit({"solver.substeps", {7}, ""});
    EXPECT_EQ(session.save(file), 1u);
    EXPECT_EQ(readScene(file).materials.size(), 2u);
}

}  // namespace
}  // namespace coalesce::test
