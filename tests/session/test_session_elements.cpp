// Elements of a scene that are added, duplicated, renamed and removed while it runs.
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "scene/format/file_elements.h"
#include "scene/format/writer.h"
#include "scene/reader.h"
#include "session/session.h"
#include "sim/state/state_hash.h"
#include "support/every_value.h"

namespace coalesce::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string refusal(const auto& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(FileElements, ChangeTheirListAndNothingElse) {
    const std::string text = R"({
    // all of them
    "shapes": [
        { "name": "floor", "plane": {} }, // flat
        { "sphere": { "radius": 1 } },
        { "name": "gate", "box": {} }
    ]
})";
    EXPECT_EQ(withCopy(text, "shapes", "floor", "wall"), R"({
    // all of them
    "shapes": [
        { "name": "floor", "plane": {} }, // flat
        { "name": "wall", "plane": {} },
        { "sphere": { "radius": 1 } },
        { "name": "gate", "box": {} }
    ]
})");
    EXPECT_EQ(withName(text, "shapes", "shapes1", "ball"), R"({
    // all of them
    "shapes": [
        { "name": "floor", "plane": {} }, // flat
        { "sphere": { "radius": 1 }, "name": "ball" },
        { "name": "gate", "box": {} }
    ]
})");
    EXPECT_EQ(withoutElement(text, "shapes", "gate"), R"({
    // all of them
    "shapes": [
        { "name": "floor", "plane": {} }, // flat
        { "sphere": { "radius": 1 } }
    ]
})");
    EXPECT_EQ(withElement("{ \"a\": 1 }", "fields", "{}"), "{ \"a\": 1, \"fields\": [{}] }");
    EXPECT_EQ(freeElementName(text, "shapes", "gate"), "gate_2");
    EXPECT_EQ(freeElementName(text, "shapes", "dam"), "dam");
    EXPECT_EQ(freeElementName(text, "fields", "gate"), "gate");
    EXPECT_THAT(refusal([&] { withCopy(text, "shapes", "dam", "x"); }),
                HasSubstr("is not in the list of the file"));
    EXPECT_THAT(refusal([&] { withCopy("{ \"shapes\": ", "shapes", "dam", "x"); }),
                HasSubstr("Correct the file"));
}

TEST(FileElements, DoNotBreakEntriesOfSizesAndCases) {
    const std::string text = R"({ "shapes": [{ "name": "a" }, { "name": "b" }, { "name": "c" }],
        "sizes": { "ci": { "shapes.1.position": [0, 0, 0] } }, "cases": { "x": { "shapes.c.visible": false } } })";
    EXPECT_THAT(refusal([&] { withoutElement(text, "shapes", "a"); }),
                HasSubstr("\"shapes.1.position\" of sizes.ci would no longer fit"));
    EXPECT_THAT(refusal([&] { withoutElement(text, "shapes", "b"); }), HasSubstr("sizes.ci"));
    EXPECT_THAT(refusal([&] { withoutElement(text, "shapes", "c"); }), HasSubstr("cases.x"));
    EXPECT_THAT(refusal([&] { withCopy(text, "shapes", "a", "d"); }), HasSubstr("sizes.ci"));
    EXPECT_EQ(refusal([&] { withCopy(text, "shapes", "b", "d"); }), "");
    EXPECT_THAT(refusal([&] { withName(text, "shapes", "c", "d"); }), HasSubstr("cases.x"));
    EXPECT_EQ(refusal([&] { withName(text, "shapes", "b", "d"); }), "") << "a number stays";
}

class SessionElements : public ::testing::Test {
protected:
    std::vector<std::string> shapes() const {
        std::vector<std::string> names;
        for (const Shape& shape : session.world().shapes) names.push_back(shape.name);
        return names;
    }
    TemporaryFolder folder;
    const std::filesystem::path file = sceneOfEverything(folder);
    const std::string before = readText(file);
    Session session{file, {}, {.backend = "cpu"}};
};

TEST_F(SessionElements, ACopyIsLikeItsOriginalAndIsSaved) {
    const Edit moved{"shapes.gate.position", {-2, 0.5, 0.25}, ""};
    ASSERT_EQ(session.edit(moved), "");
    for (int k = 0; k < 5; ++k) session.step();
    const uint64_t hash = stateHash(session.world());
    ASSERT_EQ(session.duplicateElement("shapes", "gate", session.freeName("shapes", "gate")), "");
    EXPECT_THAT(shapes(), ElementsAre("floor", "gate", "gate_2", "wheel", "lift"));
    EXPECT_EQ(session.world().frame, 0u);
    EXPECT_THAT(session.differences(),
                ElementsAre(moved, Edit{"shapes.gate_2.position", {-2, 0.5, 0.25}, ""}))
        << "edits stay, and the copy has them";
    EXPECT_EQ(session.world().shapes[2].position.x, -2);
    EXPECT_EQ(readText(file), before) << "the file is as it was";
    EXPECT_TRUE(session.isChanged());
    EXPECT_FALSE(session.pollFile());
    ASSERT_EQ(session.edit({"shapes.gate_2.position", {-3, 0.5, 0.3}, ""}), "");
    for (int k = 0; k < 3; ++k) session.step();

    EXPECT_EQ(session.save(file), 2u);
    EXPECT_FALSE(session.isChanged());
    const Scene saved = readScene(file);
    EXPECT_EQ(writeScene(saved), writeScene(session.scene()));
    ASSERT_EQ(saved.shapes.size(), 5u);
    EXPECT_EQ(saved.shapes[2].position.x, -3);

    // back: the edit of the copy, then the copy
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(session.undoable(), "Duplicating gate");
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(stateHash(session.world()), hash);
    EXPECT_THAT(shapes(), ElementsAre("floor", "gate", "wheel", "lift"));
}

TEST_F(SessionElements, CanBeAddedRenamedAndRemoved) {
    ASSERT_EQ(session.addElement("shapes", R"({ "name": "ball", "sphere": { "radius": 0.1 } })"), "");
    EXPECT_THAT(shapes(), ElementsAre("floor", "gate", "wheel", "lift", "ball"));
    ASSERT_EQ(session.renameElement("shapes", "gate", "door"), "");
    ASSERT_EQ(session.removeElement("shapes", "wheel"), "");
    ASSERT_EQ(session.removeElement("bodies", "block"), "");
    EXPECT_THAT(session.removeElement("emitters", "tap"), HasSubstr("no bodies and no emitters"));
    EXPECT_THAT(shapes(), ElementsAre("floor", "door", "lift", "ball"));
    EXPECT_EQ(session.world().count(), 0u);
    for (int k = 0; k < 3; ++k) session.step();
    EXPECT_EQ(session.problem(), "");
    session.save(folder / "other.json");
    EXPECT_EQ(readScene(folder / "other.json").shapes.size(), 4u);
    int undone = 0;
    while (session.undo()) ++undone;
    EXPECT_EQ(undone, 4);
    EXPECT_THAT(shapes(), ElementsAre("floor", "gate", "wheel", "lift"));
    EXPECT_GT(session.world().count(), 0u);
}

TEST_F(SessionElements, ListWhatTheFileDoesNotHave) {
    const auto listed = [&] {
        std::vector<std::string> all;
        for (const ElementChange& change : session.elementChanges())
            all.push_back(change.section + ": " + change.before + " > " + change.element);
        return all;
    };
    EXPECT_THAT(listed(), IsEmpty());
    ASSERT_EQ(session.renameElement("shapes", "gate", "door"), "");
    ASSERT_EQ(session.removeElement("shapes", "wheel"), "");
    ASSERT_EQ(session.addElement("shapes", R"({ "name": "ball", "sphere": { "radius": 0.1 } })"), "");
    ASSERT_EQ(session.edit({"world.gravity", {0, 3, 0}, ""}), "") << "values are another list";
    EXPECT_THAT(listed(), ElementsAre("shapes: gate > door", "shapes: wheel > ", "shapes:  > ball"));

    // one after the other, in any order, at their places and with the edits of the others
    ASSERT_EQ(session.undoElementChange(session.elementChanges()[1]), "");
    EXPECT_THAT(shapes(), ElementsAre("floor", "door", "wheel", "lift", "ball"));
    ASSERT_EQ(session.undoElementChange(session.elementChanges()[1]), "");
    ASSERT_EQ(session.undoElementChange(session.elementChanges()[0]), "");
    EXPECT_THAT(shapes(), ElementsAre("floor", "gate", "wheel", "lift"));
    EXPECT_FALSE(session.hasChangedElements());
    EXPECT_THAT(session.differences(), ElementsAre(Edit{"world.gravity", {0, 3, 0}, ""}));

    ASSERT_EQ(session.removeElement("shapes", "wheel"), "");
    EXPECT_EQ(session.save(file), 1u);
    EXPECT_THAT(listed(), IsEmpty()) << "saved";
}

TEST_F(SessionElements, KeepTheirEditsWhenTheyAreRenamed) {
    ASSERT_EQ(session.edit({"shapes.gate.position", {-2, 0.5, 0.25}, ""}), "");
    ASSERT_EQ(session.renameElement("shapes", "gate", "door"), "");
    EXPECT_THAT(session.differences(), ElementsAre(Edit{"shapes.door.position", {-2, 0.5, 0.25}, ""}));
    EXPECT_EQ(session.targetPose(1).position.x, -2);
    ASSERT_EQ(session.removeElement("shapes", "door"), "");
    EXPECT_THAT(session.differences(), IsEmpty());
    EXPECT_THAT(session.takeNotices(), IsEmpty());
}

// A name changes nothing that is simulated.
TEST_F(SessionElements, ANewNameDoesNotRestart) {
    Session control(file, {}, {.backend = "cpu"});
    const Edit moved{"shapes.gate.position", {-2, 0.5, 0.25}, ""};
    for (Session* each : {&session, &control}) {
        each->step();
        ASSERT_EQ(each->edit(moved), "");
        for (int k = 0; k < 20; ++k) each->step();
    }
    const uint64_t world = session.worldGeneration();
    ASSERT_EQ(session.renameElement("shapes", "gate", "door"), "");
    ASSERT_EQ(session.renameElement("bodies", "block", "pool"), "");
    EXPECT_EQ(session.worldGeneration(), world);
    EXPECT_EQ(session.world().frame, 21u);
    EXPECT_EQ(session.world().shapes[1].name, "door");
    const auto isCalled = [&](const char* name) {
        return std::ranges::count(session.world().groups, name, &Group::name) == 1;
    };
    EXPECT_TRUE(isCalled("pool"));
    EXPECT_FALSE(isCalled("block"));
    EXPECT_THAT(session.differences(), ElementsAre(Edit{"shapes.door.position", {-2, 0.5, 0.25}, ""}));
    EXPECT_TRUE(session.isChanged());
    EXPECT_EQ(session.undoable(), "Renaming block");
    for (int k = 0; k < 10; ++k) session.step(), control.step();
    EXPECT_EQ(stateHash(session.world()), stateHash(control.world()));

    // frames before it have the new name, and their edits
    ASSERT_TRUE(session.seek(5)) << session.problem();
    EXPECT_EQ(session.world().shapes[1].name, "door");
    EXPECT_TRUE(isCalled("pool"));
    EXPECT_THAT(session.differences(), ElementsAre(Edit{"shapes.door.position", {-2, 0.5, 0.25}, ""}));
    ASSERT_TRUE(session.seek(31)) << session.problem();
    EXPECT_EQ(stateHash(session.world()), stateHash(control.world()));

    // undo takes back the names, then the edit; the run goes on
    ASSERT_TRUE(session.undo());
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(session.world().shapes[1].name, "gate");
    EXPECT_TRUE(isCalled("block"));
    EXPECT_EQ(session.text(), before);
    EXPECT_EQ(session.world().frame, 31u);
    ASSERT_TRUE(session.undo());
    EXPECT_THAT(session.differences(), IsEmpty());
    for (int k = 0; k < 3; ++k) ASSERT_TRUE(session.redo());
    EXPECT_EQ(session.world().shapes[1].name, "door");
    EXPECT_THAT(session.differences(), ElementsAre(Edit{"shapes.door.position", {-2, 0.5, 0.25}, ""}));

    // also where the values of the edits were saved in between
    EXPECT_EQ(session.save(file), 1u);
    EXPECT_FALSE(session.isChanged());
    EXPECT_EQ(readScene(file).shapes[1].name, "door");
    ASSERT_TRUE(session.undo()) << testing::PrintToString(session.takeNotices());
    ASSERT_TRUE(session.undo()) << testing::PrintToString(session.takeNotices());
    EXPECT_EQ(session.world().shapes[1].name, "gate");
    EXPECT_EQ(session.scene().shapes[1].position.x, -2) << "the value was saved";
    EXPECT_TRUE(session.isChanged());
    EXPECT_EQ(session.save(file), 0u);
    EXPECT_EQ(readScene(file).shapes[1].name, "gate");
}

TEST_F(SessionElements, ACopyOfABodyIsBesideIt) {
    const std::vector<Body>& bodies = session.scene().bodies;
    const auto find = [&](const std::string& name) { return *std::ranges::find(bodies, name, &Body::name); };
    const Body block = find("block");
    ASSERT_EQ(session.duplicateElement("bodies", "block", "copy"), "");
    const Body copy = find("copy");
    EXPECT_NEAR(length(copy.size - block.size), 0, 1e-6);
    EXPECT_GE(copy.center.x - block.center.x, block.size.x) << "they do not overlap";
    EXPECT_LT(copy.center.x - block.center.x, block.size.x + 0.5f);
    EXPECT_EQ(copy.center.y, block.center.y);
    ASSERT_EQ(session.placeBody("copy", {1, 2, 3}), "");
    EXPECT_NEAR(length(find("copy").center - Vec3{1, 2, 3}), 0, 1e-5);
    EXPECT_EQ(session.undoable(), "Moving copy");
    EXPECT_NE(session.placeBody("none", {1, 2, 3}), "");

    // where a size gives the position, the text of the body does not
    writeText(folder / "sized.json", R"({ "materials": { "water": { "spacing": 0.1 } },
        "bodies": [{ "name": "pool", "sphere": { "radius": 0.2 } }],
        "sizes": { "ci": { "bodies.pool.center": [0, 1, 0] } } })");
    Session sized(folder / "sized.json", {.size = "ci", .caseName = {}, .sets = {}, .seed = {}},
                  {.backend = "cpu"});
    EXPECT_THAT(sized.placeBody("pool", {1, 2, 3}), HasSubstr("by a size, a case or --set"));
    EXPECT_EQ(sized.scene().bodies[0].center.y, 1);
    Session whole(folder / "sized.json", {}, {.backend = "cpu"});
    EXPECT_EQ(whole.placeBody("pool", {1, 2, 3}), "");
    EXPECT_EQ(whole.scene().bodies[0].center, (Vec3{1, 2, 3}));
}

// They are called by their numbers, which change.
TEST_F(SessionElements, WithoutANameKeepTheirEdits) {
    const std::string text = R"({ "materials": { "water": { "spacing": 0.1 } },
        "bodies": [{ "material": "water", "block": { "min": [0, 0.2, 0], "max": [0.4, 0.6, 0.4] } }],
        "shapes": [{ "sphere": { "radius": 1 }, "position": [5, 0, 0] }, { "sphere": { "radius": 1 }, "position": [6, 0, 0] },
                   { "sphere": { "radius": 1 }, "position": [7, 0, 0] }])";
    writeText(file, text + "}");
    ASSERT_TRUE(session.reload()) << session.fileProblem();
    ASSERT_EQ(session.edit({"shapes.shapes2.position", {9, 0, 0}, ""}), "");
    ASSERT_EQ(session.edit({"shapes.shapes0.position", {8, 0, 0}, ""}), "");
    ASSERT_EQ(session.removeElement("shapes", "shapes0"), "");
    EXPECT_THAT(session.differences(), ElementsAre(Edit{"shapes.shapes1.position", {9, 0, 0}, ""}));
    EXPECT_EQ(session.world().shapes.at(0).position.x, 6);
    EXPECT_EQ(session.world().shapes.at(1).position.x, 9);
    ASSERT_EQ(session.duplicateElement("shapes", "shapes0", "copy"), "");
    EXPECT_EQ(session.world().shapes.at(1).name, "copy");
    EXPECT_EQ(session.world().shapes.at(2).position.x, 9);

    // a size and --set that name them so refer to a number
    const std::string sized = text + R"(, "sizes": { "ci": { "shapes.shapes1.position": [0, 0, 0] } } })";
    EXPECT_THAT(refusal([&] { withoutElement(sized, "shapes", "shapes0"); }), HasSubstr("sizes.ci"));
    EXPECT_EQ(refusal([&] { withoutElement(sized, "shapes", "shapes2"); }), "");
    writeText(folder / "set.json", text + "}");
    Session other(folder / "set.json",
                  {.size = {}, .caseName = {}, .sets = {"shapes.1.position=[0,0,0]"}, .seed = {}},
                  {.backend = "cpu"});
    EXPECT_THAT(other.removeElement("shapes", "shapes0"), HasSubstr("--set shapes.1.position"));
    EXPECT_EQ(other.removeElement("shapes", "shapes2"), "");
}

TEST_F(SessionElements, SurviveReloadsAndAreNotWrittenOverAChangedFile) {
    ASSERT_EQ(session.addElement("shapes", R"({ "name": "ball", "sphere": { "radius": 0.1 } })"), "");
    EXPECT_TRUE(session.hasChangedElements());
    // the file is written with the same text
    ASSERT_TRUE(session.reload()) << session.fileProblem();
    EXPECT_EQ(shapes().back(), "ball");
    EXPECT_TRUE(session.hasChangedElements());
    // somebody else changes it
    std::string changed = before;
    changed.replace(changed.find("0.6, 0.4"), 3, "0.9");
    writeText(file, changed);
    EXPECT_FALSE(session.reload());
    EXPECT_THAT(session.fileProblem(), HasSubstr("the file has changed on disk"));
    EXPECT_EQ(shapes().back(), "ball");
    EXPECT_THAT(refusal([&] { session.save(file); }), HasSubstr("has changed since it was read"));
    EXPECT_EQ(readText(file), changed);
    // a file that cannot be read does not end the session
    writeText(file, "{ \"shapes\": 5, ");
    EXPECT_EQ(session.freeName("shapes", "ball"), "ball_2");
    EXPECT_EQ(session.duplicateElement("shapes", "ball", "ball_2"), "");
    session.save(folder / "other.json");
    EXPECT_EQ(readScene(folder / "other.json").shapes.size(), 6u);
    EXPECT_FALSE(session.hasChangedElements());
}

TEST_F(SessionElements, EditsFollowAnElementThatTheFileRenames) {
    ASSERT_EQ(session.edit({"shapes.gate.position", {-2, 0.5, 0.25}, ""}), "");
    std::string changed = before;
    changed.replace(changed.find("\"gate\""), 6, "\"door\"");
    writeText(file, changed);
    ASSERT_TRUE(session.reload()) << session.fileProblem();
    const Edit moved{"shapes.door.position", {-2, 0.5, 0.25}, ""};
    EXPECT_THAT(session.differences(), ElementsAre(moved));
    ASSERT_TRUE(session.undo());
    EXPECT_THAT(session.differences(), IsEmpty());
    ASSERT_TRUE(session.redo());
    EXPECT_THAT(session.differences(), ElementsAre(moved));
    EXPECT_THAT(session.takeNotices(), IsEmpty());
}

// A camera in the file replaces the text that an earlier step would put back: that step is forgotten, and those before
// it can be undone.
TEST_F(SessionElements, UndoGoesOnWhenTheFileHasReplacedAText) {
    ASSERT_EQ(session.edit({"shapes.gate.position", {-2, 0.5, 0.25}, ""}), "");
    session.closeStep();
    std::string with = before;
    with.insert(with.find('{') + 1,
                R"("cameras": [{ "name": "mine", "eye": [1, 2, 3], "look": [0, 0, 0] }],)");
    ASSERT_EQ(session.changeText("Adding a camera", with), "");
    session.save(file);
    std::string theirs = readText(file);
    writeText(file, theirs.replace(theirs.find("mine"), 4, "theirs"));
    ASSERT_TRUE(session.reload()) << session.fileProblem();
    ASSERT_TRUE(session.undo());
    EXPECT_THAT(session.differences(), testing::SizeIs(1));  // the file has the edit
    EXPECT_THAT(session.takeNotices(), IsEmpty());
    EXPECT_FALSE(session.undo());
}

TEST(FileElements, OfSomethingElseThanAListAreRefused) {
    for (const std::string section : {"5", "{ \"a\": {} }", "\"x\""}) {
        const std::string text = "{ \"shapes\": " + section + " }";
        EXPECT_NE(refusal([&] { withElement(text, "shapes", "{}"); }), "") << text;
        EXPECT_NE(refusal([&] { withoutElement(text, "shapes", "a"); }), "") << text;
    }
}

TEST_F(SessionElements, AnInvalidSceneIsRefusedAndNothingChanges) {
    writeText(file, R"({ "materials": { "water": { "spacing": 0.1 } },
        "bodies": [{ "name": "block", "block": { "min": [0, 0.2, 0], "max": [0.4, 0.6, 0.4] } }],
        "emitters": [{ "name": "tap", "disc": { "radius": 0.1 }, "position": [2, 2, 2], "on": "gate" }],
        "shapes": [{ "name": "gate", "box": { "size": [1, 1, 1] }, "position": [9, 0, 0] }, { "name": "dam", "box": { "size": [1, 1, 1] }, "position": [9, 0, 0] }],
        "expect": { "all": { "check": "count", "group": "block", "min": 1 } } })");
    ASSERT_TRUE(session.reload()) << session.fileProblem();
    session.step();
    session.takeNotices();
    EXPECT_THAT(session.removeElement("shapes", "gate"), HasSubstr("gate"));
    EXPECT_THAT(session.renameElement("bodies", "block", "cube"), HasSubstr("block"));
    EXPECT_THAT(session.renameElement("shapes", "gate", "dam"), HasSubstr("there is another one called dam"));
    EXPECT_NE(session.renameElement("shapes", "dam", "a.b"), "");
    EXPECT_NE(session.addElement("shapes", "{ \"name\": \"x\", \"cube\": {} }"), "");
    EXPECT_NE(session.removeElement("shapes", "none"), "");
    EXPECT_EQ(session.takeNotices().size(), 6u);
    EXPECT_EQ(session.world().frame, 1u);
    EXPECT_FALSE(session.isChanged());
    session.startRecording();
    EXPECT_THAT(session.removeElement("shapes", "dam"), HasSubstr("a replay is being recorded"));
}

}  // namespace
}  // namespace coalesce::test
