// The page of changes, driven by synthetic input: lists of changes, presets, saved scenes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scene/format/presets.h"
#include "scene/reader.h"
#include "view/panel_driver.h"

namespace coalesce::test {
namespace {

TEST_F(Pages, ListChangesWithResetForEachAndForAll) {
    drag("solver.relaxation", 0.5f, 0.9f);
    drag("solver.iterations", 0.3f, 0.5f);
    click("page.changes");
    EXPECT_TRUE(shown("undo.solver.relaxation"));
    click("undo.solver.iterations");
    EXPECT_EQ(session.world().parameters.solver.iterations, session.scene().parameters.solver.iterations);
    EXPECT_FALSE(shown("undo.solver.iterations"));
    click("copy all");
    EXPECT_THAT(ImGui::GetClipboardText(), testing::HasSubstr("--set solver.relaxation="));
    click("reset all");
    EXPECT_TRUE(session.differences().empty());
    click("undo");
    EXPECT_EQ(session.differences().size(), 1u) << "that was a step, too";
}

TEST_F(Pages, CountAddedRemovedRenamedAndChangedElementsApart) {
    ASSERT_EQ(session.renameElement("shapes", "gate", "door"), "");
    ASSERT_EQ(session.removeElement("fields", "pull"), "");
    ASSERT_EQ(session.addElement("shapes", R"({ "name": "ball", "sphere": { "radius": 0.1 } })"), "");
    frame();
    const Vec3 start = session.scene().bodies[0].center;
    const std::string body = session.scene().bodies[0].name;
    ASSERT_EQ(session.placeBody(body, start + Vec3{0.1f, 0, 0}), "");
    frame();
    EXPECT_THAT(
        saveScene(session, folder / "copy.json"),
        testing::HasSubstr("1 added element, 1 removed element, 1 renamed element, 1 changed element to "
                           "copy.json"));
}

TEST_F(Pages, ListChangedElementsAndTakeThemBack) {
    click("page.changes");
    EXPECT_FALSE(shown("undo.shapes.door")) << "nothing has changed";
    const Vec3 start = session.scene().bodies[0].center;
    const std::string body = session.scene().bodies[0].name;
    ASSERT_EQ(session.renameElement("shapes", "gate", "door"), "");
    ASSERT_EQ(session.removeElement("fields", "pull"), "");
    ASSERT_EQ(session.addElement("shapes", R"({ "name": "ball", "sphere": { "radius": 0.1 } })"), "");
    ASSERT_EQ(session.placeBody(body, start + Vec3{0.1f, 0, 0}), "");
    frame();
    for (const std::string& element : {std::string("shapes.door"), std::string("fields.pull"),
                                       std::string("shapes.ball"), "bodies." + body})
        EXPECT_TRUE(shown("undo." + element)) << element;
    ASSERT_EQ(session.world().forceFields.size(), 1u);
    click("undo.fields.pull");
    ASSERT_EQ(session.world().forceFields.size(), 2u);
    EXPECT_EQ(session.world().forceFields[0].name, "pull");
    click("undo.shapes.door");
    EXPECT_EQ(session.world().shapes[1].name, "gate");
    EXPECT_TRUE(session.isChanged());
    click("undo.shapes.ball");
    EXPECT_FALSE(shown("undo.shapes.ball"));
    EXPECT_TRUE(session.isChanged());
    click("undo.bodies." + body);
    EXPECT_LT(length(session.scene().bodies[0].center - start), 1e-6f);
    EXPECT_FALSE(session.isChanged()) << "it is as in the file again";
}

// Dear ImGui knows the width of a column only after a frame, unless it is told.
TEST_F(Pages, TheTableOfChangesIsRightInItsFirstFrame) {
    drag("solver.relaxation", 0.5f, 0.9f);
    moveTo(find("page.changes"));
    press(0);
    ImGui::GetIO().MouseDown[0] = false;
    frame();
    const WidgetRect first = find("undo.solver.relaxation");
    frame(), frame();
    EXPECT_EQ(find("undo.solver.relaxation").left, first.left);
    EXPECT_EQ(find("undo.solver.relaxation").top, first.top);
}

TEST_F(Pages, AskForAComparisonWithTheScene) {
    click("page.changes");
    EXPECT_FALSE(shown("compare")) << "nothing to compare";
    EXPECT_FALSE(panel.takeComparisonRequest(false));
    ASSERT_EQ(session.edit({"solver.relaxation", {0.7}, ""}), "");
    frame();
    click("compare");
    EXPECT_TRUE(panel.takeComparisonRequest(false));
    EXPECT_FALSE(panel.takeComparisonRequest(true)) << "once";
}

TEST_F(Pages, SaveAndLoadPresets) {
    drag("solver.relaxation", 0.5f, 0.9f);
    const float wanted = session.world().parameters.solver.relaxation;
    click("page.changes");
    click("preset.name");
    type("bouncy");
    click("preset.save");
    ASSERT_TRUE(std::filesystem::exists(folder / "presets" / "bouncy.json"));
    click("reset all");
    click("preset.bouncy");
    EXPECT_EQ(session.world().parameters.solver.relaxation, wanted);
    click("undo");
    EXPECT_TRUE(session.differences().empty());
}

TEST_F(Pages, LoadPresetsThatComeWithTheScenes) {
    std::filesystem::create_directory(folder / "shipped");
    writeText(folder / "shipped" / "brief.json", R"({ "values": { "solver.substeps": 7 } })");
    click("page.changes");
    click("preset.brief");
    EXPECT_EQ(session.world().parameters.solver.substeps, 7);
    click("undo");
    EXPECT_TRUE(session.differences().empty());
}

TEST_F(Pages, AskForPresetsBesideTheScene) {
    std::filesystem::create_directory(folder / "shipped");
    const std::filesystem::path file = folder / "shipped" / "brief.json";
    writeText(file, R"({ "values": { "solver.substeps": 7 } })");
    click("page.changes");
    EXPECT_EQ(panel.takePresetRequest({}), std::nullopt);
    click("beside.brief");
    const auto wanted = panel.takePresetRequest({});
    ASSERT_TRUE(wanted);
    EXPECT_EQ(wanted->file, file);
    EXPECT_EQ(panel.takePresetRequest({file}), std::nullopt) << "once";
    EXPECT_TRUE(session.differences().empty()) << "it is not applied";
}

TEST_F(Pages, RejectAPresetWithUnknownPathsAndChangeNothing) {
    std::filesystem::create_directory(folder / "presets");
    writeText(folder / "presets" / "odd.json",
              R"({ "values": { "solver.substeps": 4, "solver.itterations": 4 } })");
    click("page.changes");
    click("preset.odd");
    EXPECT_TRUE(session.differences().empty());
    EXPECT_EQ(session.undoable(), "");
}

TEST_F(Pages, SaveTheScene) {
    const std::filesystem::path file = session.scene().file;
    drag("solver.relaxation", 0.5f, 0.9f);
    const float wanted = session.world().parameters.solver.relaxation;
    click("page.changes");
    click("scene.save");
    EXPECT_EQ(readScene(file).parameters.solver.relaxation, wanted);
    EXPECT_TRUE(session.differences().empty());
    EXPECT_EQ(saveScene(session, file), "No changes to save.");

    click("page.parameters");
    const std::string before = readText(file);
    drag("solver.relaxation", 0.9f, 0.3f);
    panel.saveAs(session);
    frame();
    ASSERT_TRUE(shown("scene.file")) << "the page of the changes is open";
    click("scene.save");
    EXPECT_EQ(session.scene().file, folder / "everything_2.json");
    EXPECT_NE(readScene(folder / "everything_2.json").parameters.solver.relaxation, wanted);
    EXPECT_EQ(readText(file), before);
    // the next name that is free
    panel.saveAs(session);
    frame();
    click("scene.save");
    EXPECT_EQ(session.scene().file.filename(), "everything_3.json");
}

TEST_F(Pages, SaveTheSceneUnderANameWithoutAnEnding) {
    drag("solver.relaxation", 0.5f, 0.9f);
    panel.saveAs(session);
    for (int k = 0; k < 3; ++k) frame();
    type("mine");  // over the proposed name, which is selected
    key(ImGuiKey_Enter, false);
    EXPECT_EQ(session.scene().file, folder / "mine.json");
    EXPECT_FALSE(std::filesystem::exists(folder / "mine"));
}

TEST_F(Pages, TheProposedNameIsInSight) {
    ImGui::GetIO().DisplaySize = {900, 560};
    ASSERT_EQ(session.edit({"solver.relaxation", {0.7}, ""}), "");
    ASSERT_EQ(session.edit({"solver.iterations", {7}, ""}), "");
    for (int k = 0; k < 12; ++k)
        ASSERT_EQ(session.addElement("shapes", R"({ "name": "ball)" + std::to_string(k) +
                                                   R"(", "sphere": { "radius": 0.1 } })"),
                  "");
    click("page.changes");
    const auto isInSight = [&] {
        const WidgetRect field = find("scene.file");
        return field.top > find("page.changes").bottom && field.bottom < 560;
    };
    frame();
    EXPECT_FALSE(isInSight()) << "control: it is far below";
    panel.saveAs(session);
    for (int k = 0; k < 4; ++k) frame();
    EXPECT_TRUE(isInSight());
    EXPECT_TRUE(ImGui::GetIO().WantTextInput) << "and has the keyboard";
}

TEST_F(Pages, AMessageAboutASceneEndsWithIt) {
    writeText(folder / "other.json", readText(smallScene(folder)));
    drag("solver.relaxation", 0.5f, 0.9f);
    click("page.changes");
    const auto room = [&] { return find("heading.presets").top - find("scene.file").bottom; };
    const float without = room();
    click("scene.save");
    frame();
    const float with = room();
    EXPECT_GT(with, without + 5) << "a line says what was saved";
    ASSERT_TRUE(session.open(folder / "other.json", {}));
    frame(), frame();
    EXPECT_EQ(room(), without);
}

}  // namespace
}  // namespace coalesce::test
