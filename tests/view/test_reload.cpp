// Reloading of changed scene files, dropped files, and the scene browser.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui.h>
#include <limits>

#include "support/small_scene.h"
#include "view/app/file_drop.h"
#include "view/overlay/browser.h"
#include "view/viewport/case_grid.h"
#include "view/widgets/style.h"
#include "view/widgets/widget_recorder.h"

namespace coalesce::test {
namespace {

using testing::HasSubstr;

class Reloads : public ::testing::Test {
protected:
    // Rewrites the scene with a later time, as an editor does.
    void edit(const std::string& from, const std::string& to) {
        std::string text = readText(file);
        text.replace(text.find(from), from.size(), to);
        writeText(file, text);
        std::filesystem::last_write_time(
            file, std::filesystem::file_time_type::clock::now() + std::chrono::seconds(++m_edits));
    }

    TemporaryFolder folder;
    std::filesystem::path file = smallScene(folder);
    Session session{file, {}, {.backend = "cpu"}};

private:
    int m_edits = 0;
};

TEST_F(Reloads, AChangedFileIsReloadedAndEditsStay) {
    EXPECT_FALSE(session.pollFile()) << "nothing has changed";
    session.paused = true;
    session.speed = 0.25f;
    session.world().materials[0].properties.viscosity = 0.7f;
    session.step();
    edit("\"spacing\": 0.1", "\"spacing\": 0.2, \"damping\": 0.5");
    EXPECT_TRUE(session.pollFile());
    EXPECT_EQ(session.world().count(), 27u);
    EXPECT_EQ(session.world().frame, 0u);
    EXPECT_EQ(session.world().materials[0].properties.damping, 0.5f);
    EXPECT_EQ(session.world().materials[0].properties.viscosity, 0.7f);
    EXPECT_EQ(session.scene().materials[0].properties.viscosity, 0.01f);
    EXPECT_TRUE(session.paused);
    EXPECT_EQ(session.speed, 0.25f);
    EXPECT_FALSE(session.pollFile());

    // an edit whose path is gone is dropped
    edit("\"water\": {", "\"oil\": {");
    edit("\"material\": \"water\"", "\"material\": \"oil\"");
    EXPECT_TRUE(session.pollFile());
    EXPECT_EQ(session.fileProblem(), "");
    EXPECT_EQ(session.world().materials[0].properties.viscosity, 0.01f);
    std::vector<std::string> told = session.takeNotices();
    ASSERT_EQ(told.size(), 1u);
    EXPECT_THAT(told[0], HasSubstr("materials.water.viscosity was reset to the value of the file"));
    EXPECT_THAT(told[0], HasSubstr("materials.oil.viscosity"));
}

TEST_F(Reloads, UndoReturnsToTheFileOfBefore) {
    EXPECT_EQ(session.edit({"materials.water.viscosity", {0.5}, ""}), "");
    edit("\"water\": {", "\"oil\": {");
    edit("\"material\": \"water\"", "\"material\": \"oil\"");
    EXPECT_TRUE(session.pollFile());
    EXPECT_EQ(session.world().materials[0].name, "oil");
    ASSERT_TRUE(session.undo()) << "the reload";
    EXPECT_EQ(session.world().materials[0].name, "water");
    EXPECT_EQ(session.world().materials[0].properties.viscosity, 0.5f);
    ASSERT_TRUE(session.undo()) << "the edit";
    EXPECT_TRUE(session.differences().empty());
}

TEST_F(Reloads, AnErrorKeepsTheLastValidSceneUntilItIsFixed) {
    session.step();
    edit("\"spacing\"", "\"spacign\"");
    EXPECT_FALSE(session.pollFile());
    EXPECT_THAT(session.fileProblem(), HasSubstr(file.string() + ":"));
    EXPECT_THAT(session.fileProblem(), HasSubstr("Did you mean \"spacing\""));
    EXPECT_EQ(session.world().frame, 1u);
    session.step();
    EXPECT_EQ(session.world().frame, 2u);
    EXPECT_FALSE(session.pollFile());
    EXPECT_NE(session.fileProblem(), "") << "it stays as long as the file is broken";
    edit("\"spacign\"", "\"spacing\"");
    EXPECT_TRUE(session.pollFile());
    EXPECT_EQ(session.fileProblem(), "");
    EXPECT_EQ(session.world().frame, 0u);

    // missing for a moment, as when an editor replaces it: ignored
    std::filesystem::rename(file, folder / "away");
    EXPECT_FALSE(session.pollFile());
    EXPECT_EQ(session.fileProblem(), "");
}

// Meshes reload like the scene file.
TEST_F(Reloads, MeshesAreWatched) {
    const auto tetra = [&](const char* name, const char* height, int later) {
        const std::string h(height);
        writeText(folder / name,
                  "v 0 0 0\nv 1 0 0\nv 0 " + h + " 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
        std::filesystem::last_write_time(
            folder / name, std::filesystem::file_time_type::clock::now() + std::chrono::seconds(later));
    };
    tetra("body.obj", "1", 0), tetra("shape.obj", "1", 0);
    writeText(folder / "meshes.json", R"({ "materials": { "stone": { "kind": "rigid", "spacing": 0.1 } },
        "bodies": [{ "name": "b", "material": "stone", "shape": "sphere", "mesh": "body.obj", "height": 0.6, "center": [0, 2, 0] }],
        "shapes": [{ "name": "s", "mesh": { "shape": "sphere", "mesh": "shape.obj", "height": 0.5 } }] })");
    ASSERT_TRUE(session.open(folder / "meshes.json", {})) << session.problem();
    EXPECT_FALSE(session.pollFile());
    const size_t before = session.world().count();
    tetra("body.obj", "4", 10);
    EXPECT_TRUE(session.pollFile()) << session.fileProblem();
    EXPECT_NE(session.world().count(), before) << "it is read anew, not remembered";
    EXPECT_FALSE(session.pollFile());
    const auto extent = [&] { return boundsOf(session.world().shapes[0]).high.x; };
    const float wide = extent();
    tetra("shape.obj", "5", 20);
    EXPECT_TRUE(session.pollFile()) << session.fileProblem();
    EXPECT_LT(extent(), 0.5f * wide);

    // an error is reported until it is fixed
    writeText(folder / "shape.obj", "nonsense\n");
    std::filesystem::last_write_time(
        folder / "shape.obj", std::filesystem::file_time_type::clock::now() + std::chrono::seconds(30));
    session.step();
    EXPECT_FALSE(session.pollFile());
    EXPECT_THAT(session.fileProblem(), HasSubstr("shape.obj"));
    EXPECT_EQ(session.world().frame, 1u);
    std::filesystem::remove(folder / "body.obj");
    EXPECT_FALSE(session.pollFile()) << "gone for a moment";
    tetra("body.obj", "4", 40), tetra("shape.obj", "1", 40);
    EXPECT_TRUE(session.pollFile());
    EXPECT_EQ(session.fileProblem(), "");
}

// The scene is rejected because of a mesh that it did not name before.
TEST_F(Reloads, AMeshOfARejectedSceneIsWatched) {
    writeText(folder / "new.obj", "nonsense\n");
    edit(
        "\"bodies\": [",
        R"("bodies": [{ "name": "new", "material": "water", "shape": "sphere", "mesh": "new.obj", "height": 0.4, "center": [0, 2, 0] }, )");
    EXPECT_FALSE(session.pollFile());
    EXPECT_THAT(session.fileProblem(), HasSubstr("new.obj"));
    EXPECT_EQ(session.world().count(), 216u);
    EXPECT_FALSE(session.pollFile()) << "nothing has changed";
    writeText(folder / "new.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    std::filesystem::last_write_time(
        folder / "new.obj", std::filesystem::file_time_type::clock::now() + std::chrono::seconds(10));
    EXPECT_TRUE(session.pollFile()) << session.fileProblem();
    EXPECT_EQ(session.fileProblem(), "");
    EXPECT_GT(session.world().count(), 216u);
}

TEST_F(Reloads, CasesSideBySideAreAllReloaded) {
    edit(
        "{",
        R"({ "cases": { "thin": { "materials.water.viscosity": 0.5 }, "thick": { "materials.water.viscosity": 1 } },)");
    ASSERT_TRUE(session.pollFile());
    CaseGrid cases([](const std::string&) {});
    ASSERT_EQ(cases.open(session), "");
    for (int k = 0; k < 4; ++k) session.step(), cases.follow(session);
    edit("\"spacing\": 0.1", "\"spacing\": 0.2");
    EXPECT_TRUE(session.pollFile());
    EXPECT_EQ(cases.pollFiles(session), "");
    cases.follow(session);
    ASSERT_EQ(cases.others().size(), 2u);
    for (const Session* other : cases.others()) {
        EXPECT_EQ(other->world().count(), 27u) << other->choice().caseName;
        EXPECT_EQ(other->world().frame, 0u);
    }
    edit("\"thick\"", "\"thicker\": { \"materials.water.viscosity\": 2 }, \"thick\"");
    EXPECT_TRUE(session.pollFile());
    EXPECT_EQ(cases.pollFiles(session), "");
    EXPECT_EQ(cases.others().size(), 3u) << "there is one more";
}

// Control: with other values it is a case of its own.
TEST_F(Reloads, ACaseThatIsAsTheFileIsNotShownBesideIt) {
    edit("{", R"({ "cases": { "thin": {}, "thick": { "materials.water.viscosity": 1 } },)");
    ASSERT_TRUE(session.pollFile());
    CaseGrid cases([](const std::string&) {});
    ASSERT_EQ(cases.open(session), "");
    ASSERT_EQ(cases.others().size(), 1u);
    EXPECT_EQ(cases.others()[0]->choice().caseName, "thick");
    EXPECT_EQ(cases.firstName(), "thin");
    edit("\"thin\": {}", "\"thin\": { \"materials.water.viscosity\": 0.5 }");
    ASSERT_TRUE(session.pollFile());
    ASSERT_EQ(cases.open(session), "");
    EXPECT_EQ(cases.others().size(), 2u);
    EXPECT_EQ(cases.firstName(), "Default");
}

TEST_F(Reloads, TheSceneAsInItsFileRunsBesideTheEditedOne) {
    CaseGrid cases([](const std::string&) {});
    EXPECT_THAT(cases.openOriginal(session), testing::HasSubstr("no changes"));
    EXPECT_FALSE(cases.isShown());
    ASSERT_EQ(session.edit({"world.gravity", {0, 5, 0}, ""}), "");
    ASSERT_EQ(cases.openOriginal(session), "");
    EXPECT_TRUE(cases.showsOriginal());
    for (int k = 0; k < 6; ++k) session.step(), cases.follow(session);
    ASSERT_EQ(cases.others().size(), 1u);
    const World& original = cases.others()[0]->world();
    EXPECT_EQ(original.frame, session.world().frame);
    EXPECT_EQ(original.parameters.world.gravity.y, session.scene().parameters.world.gravity.y);
    EXPECT_LT(original.particles.x.download()[0].y, session.world().particles.x.download()[0].y - 0.01f);
    // a change of the file reaches it
    edit("\"spacing\": 0.1", "\"spacing\": 0.2");
    EXPECT_TRUE(session.pollFile());
    EXPECT_EQ(cases.pollFiles(session), "");
    EXPECT_EQ(cases.others()[0]->world().count(), 27u);
}

TEST_F(Reloads, PresetsRunBesideTheScene) {
    const auto preset = [&](const std::string& name, const std::string& values) {
        const std::filesystem::path file = folder / (name + ".json");
        writeText(file, "{ \"values\": { " + values + " } }");
        return PresetEntry{.file = file, .name = name, .about = "", .scene = "", .error = ""};
    };
    const PresetEntry up = preset("up", R"("world.gravity": [0, 5, 0])"),
                      calm = preset("calm", R"("world.gravity": [0, 0, 0])"),
                      odd = preset("odd", R"("world.grafity": [0, 0, 0])");
    CaseGrid cases([](const std::string&) {});
    EXPECT_THAT(cases.togglePreset(session, odd), testing::HasSubstr("gravity"));
    EXPECT_FALSE(cases.isShown());
    ASSERT_EQ(cases.togglePreset(session, up), "");
    ASSERT_EQ(cases.togglePreset(session, calm), "");
    for (int k = 0; k < 6; ++k) session.step(), cases.follow(session);
    ASSERT_EQ(cases.others().size(), 2u);
    const auto heightOf = [](const Session& s) { return s.world().particles.x.download()[0].y; };
    EXPECT_GT(heightOf(*cases.others()[0]), heightOf(*cases.others()[1]) + 0.01f);
    EXPECT_GT(heightOf(*cases.others()[1]), heightOf(session) + 0.01f) << "the scene itself falls";
    EXPECT_TRUE(session.differences().empty());
    // a change of the file reaches them
    edit("\"spacing\": 0.1", "\"spacing\": 0.2");
    EXPECT_TRUE(session.pollFile());
    EXPECT_EQ(cases.pollFiles(session), "");
    EXPECT_EQ(cases.others()[0]->world().count(), 27u);
    EXPECT_EQ(cases.others()[0]->world().parameters.world.gravity.y, 5);
    // again, each is taken away
    ASSERT_EQ(cases.togglePreset(session, up), "");
    EXPECT_THAT(cases.presets(), testing::ElementsAre(calm.file));
    ASSERT_EQ(cases.togglePreset(session, calm), "");
    EXPECT_FALSE(cases.isShown());
}

// Beyond the seek budget they catch up over several frames.
TEST_F(Reloads, CasesSideBySideSeekWithinTheBudget) {
    edit("{", R"({ "cases": { "thin": {}, "thick": { "materials.water.viscosity": 1 } },)");
    ASSERT_TRUE(session.pollFile());
    session.snapshots().setLimits({.perSecond = 1});
    CaseGrid cases([](const std::string&) {});
    ASSERT_EQ(cases.open(session), "");
    for (int k = 0; k < 50; ++k) session.step(), cases.follow(session);
    const auto framesAfter = [&](double seekBudget, uint64_t frame) {
        session.seekBudget = std::numeric_limits<double>::infinity();
        EXPECT_TRUE(session.seek(frame));
        session.seekBudget = seekBudget;
        cases.follow(session);
        return cases.others().at(0)->world().frame;
    };
    EXPECT_EQ(framesAfter(std::numeric_limits<double>::infinity(), 40), 40u);
    EXPECT_EQ(framesAfter(0, 30), 8u) << "from the start, as many as it may for a picture";
    for (int k = 0; k < 3; ++k) cases.follow(session);
    EXPECT_EQ(cases.others().at(0)->world().frame, 30u);
}

TEST_F(Reloads, NextCaseIsCyclic) {
    EXPECT_FALSE(openNextCase(session));
    ASSERT_TRUE(session.open(
        smallScene(folder, R"("cases": { "thin": {}, "thick": { "materials.water.viscosity": 1 } },)"), {}));
    EXPECT_TRUE(openNextCase(session));
    EXPECT_EQ(session.choice().caseName, "thin");
    EXPECT_TRUE(openNextCase(session));
    EXPECT_EQ(session.world().materials[0].properties.viscosity, 1);
    EXPECT_TRUE(openNextCase(session));
    EXPECT_EQ(session.choice().caseName, "");
}

TEST_F(Reloads, DroppedScenesAndMeshesOpen) {
    writeText(folder / "other.JSON", readText(file));
    EXPECT_EQ(openDropped(session, folder / "other.JSON", folder / "drops"), "Opened other.JSON");
    EXPECT_EQ(session.scene().file, folder / "other.JSON");

    writeText(folder / "tetra.obj",
              "v 0 0 0\nv 40 0 0\nv 0 30 0\nv 0 0 50\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    EXPECT_EQ(openDropped(session, folder / "tetra.obj", folder / "drops"), "Opened tetra.json");
    EXPECT_EQ(session.scene().notes, std::vector<std::string>());
    ASSERT_EQ(session.world().bodies.size(), 1u);
    for (int k = 0; k < 3; ++k) session.step();
    EXPECT_EQ(session.problem(), "");

    writeText(folder / "tetra.STL",
              "solid\n"
              "facet\nouter loop\nvertex 0 0 0\nvertex 0 3 0\nvertex 4 0 0\nendloop\nendfacet\n"
              "facet\nouter loop\nvertex 0 0 0\nvertex 4 0 0\nvertex 0 0 5\nendloop\nendfacet\n"
              "facet\nouter loop\nvertex 0 0 0\nvertex 0 0 5\nvertex 0 3 0\nendloop\nendfacet\n"
              "facet\nouter loop\nvertex 4 0 0\nvertex 0 3 0\nvertex 0 0 5\nendloop\nendfacet\n"
              "endsolid\n");
    EXPECT_EQ(openDropped(session, folder / "tetra.STL", folder / "drops"), "Opened tetra.json");
    ASSERT_EQ(session.world().bodies.size(), 1u);

    for (const char* name : {"holiday.jpg", "none"}) {
        EXPECT_THAT(openDropped(session, folder / name, folder / "drops"), HasSubstr("can be dropped here"));
        EXPECT_EQ(session.scene().name, "tetra");
    }
    writeText(folder / "broken.ply", "ply\nnonsense\n");
    EXPECT_THAT(openDropped(session, folder / "broken.ply", folder / "drops"), HasSubstr("broken.ply"));
    EXPECT_THAT(openDropped(session, folder / "missing.json", folder / "drops"), HasSubstr("missing.json"));
    EXPECT_EQ(session.scene().name, "tetra");
}

class Browsers : public Reloads {
protected:
    Browsers() {
        writeText(folder / "broken.json", "{");
        writeText(folder / "honey.json",
                  R"({ "about": "Slow.", "tags": ["sticky"], "materials": { "honey": { "spacing": 0.1 } },
                       "bodies": [{ "name": "drop", "material": "honey", "sphere": { "radius": 0.2 } }] })");
        ImGui::CreateContext();
        recordWidgets(&widgets);
        ImGui::GetIO().IniFilename = nullptr;
        ImGui::GetIO().DisplaySize = {1000, 700};
        for (int k = 0; k < ImGuiKey_COUNT; ++k) ImGui::GetIO().KeyMap[k] = k + 1;
        applyStyle(1);
        unsigned char* pixels = nullptr;
        int width = 0, height = 0;
        ImGui::GetIO().Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
    }
    ~Browsers() override {
        recordWidgets(nullptr);
        ImGui::DestroyContext();
    }
    void frame(Browser& browser) {
        ImGui::GetIO().DeltaTime = 1.0f / 60;
        ImGui::NewFrame();
        widgets.clear();
        browser.draw(
            session, [](const SceneEntry&) { return nullptr; }, 100, 900, 700);
        ImGui::Render();
    }
    std::vector<WidgetRect> widgets;
    static std::vector<std::string> namesOf(const Browser& browser) {
        std::vector<std::string> names;
        for (const SceneEntry* entry : browser.found()) names.push_back(entry->name);
        return names;
    }
};

TEST_F(Browsers, NamesThatBeginWithTheSearchComeFirst) {
    const TemporaryFolder scenes;
    for (const char* name : {"a_dam", "beach", "dam_break", "damp"})
        writeText(scenes / (std::string(name) + ".json"),
                  std::string("{\"about\": \"") + (name[0] == 'b' ? "A dam." : "Nothing.") + "\"}");
    Browser browser(listScenes(scenes.path()));
    using Names = std::vector<std::string>;
    EXPECT_EQ(namesOf(browser), (Names{"a_dam", "beach", "dam_break", "damp"})) << "by name without a search";
    browser.search = "Dam";
    EXPECT_EQ(namesOf(browser), (Names{"dam_break", "damp", "a_dam", "beach"}));
    browser.search = "am_";
    EXPECT_EQ(namesOf(browser), Names{"dam_break"});
}

// On a slow device a word is typed between two frames.
TEST_F(Browsers, WhatIsTypedBeforeTheFirstFrameIsSearched) {
    Browser browser(listScenes(folder.path()));
    browser.shown = true;
    for (const char letter : {'h', 'o'}) ImGui::GetIO().AddInputCharacter(unsigned(letter));
    frame(browser);
    EXPECT_EQ(browser.search, "ho");
    for (int k = 0; k < 3; ++k) frame(browser);
    ImGui::GetIO().AddInputCharacter('n');
    frame(browser);
    EXPECT_EQ(browser.search, "hon") << "the field has the keyboard now, and continues the word";
}

TEST_F(Browsers, SearchAndTagsFilterAndRecentScenesComeFirst) {
    Browser browser(listScenes(folder.path()));
    using Names = std::vector<std::string>;
    EXPECT_EQ(namesOf(browser), (Names{"broken", "honey", "small"}));
    browser.search = "SLOW";
    EXPECT_EQ(namesOf(browser), Names{"honey"});
    browser.search = "";
    browser.tag = "sticky";
    EXPECT_EQ(namesOf(browser), Names{"honey"});
    browser.tag = "";
    TemporaryFolder elsewhere;
    const std::filesystem::path other = elsewhere / "far.json";
    writeText(other, readText(file));
    browser.setRecent({folder / "small.json", other, folder / "gone.json"});
    EXPECT_EQ(namesOf(browser), (Names{"small", "far", "broken", "honey"}));
    browser.setRecent({other});
    EXPECT_EQ(namesOf(browser), (Names{"far", "broken", "honey", "small"}));
}

TEST_F(Browsers, KeysSelectAndOpen) {
    for (const char* name : {"a", "b", "c", "d", "e", "f"})
        writeText(folder / (std::string(name) + ".json"), readText(folder / "small.json"));
    Browser browser(listScenes(folder.path()));  // a … f, broken behind b, honey, small
    const auto press = [&](ImGuiKey key) {
        bool& down = ImGui::GetIO().KeysDown[ImGui::GetIO().KeyMap[key]];
        down = true;
        frame(browser);
        down = false;
        frame(browser);
    };
    const auto mark = [&] { return browser.selected() ? browser.selected()->name : ""; };
    browser.shown = true;
    frame(browser), frame(browser), frame(browser);
    EXPECT_EQ(mark(), "small") << "what is played";
    press(ImGuiKey_RightArrow);
    EXPECT_EQ(mark(), "small") << "the last one";
    press(ImGuiKey_LeftArrow);
    EXPECT_EQ(mark(), "honey");
    press(ImGuiKey_UpArrow);
    const std::string above = mark();
    EXPECT_NE(above, "honey");
    press(ImGuiKey_DownArrow);
    EXPECT_EQ(mark(), "honey");
    // after typing, the first match is selected
    for (const char c : std::string("brok")) ImGui::GetIO().AddInputCharacter(unsigned(c));
    frame(browser), frame(browser);
    EXPECT_EQ(mark(), "broken");
    press(ImGuiKey_Enter);
    EXPECT_TRUE(browser.shown) << "it has mistakes";
    frame(browser), frame(browser);
    EXPECT_TRUE(ImGui::GetIO().WantTextInput) << "one can go on typing";
    for (int k = 0; k < 4; ++k) press(ImGuiKey_Backspace);
    for (const char c : std::string("slow")) ImGui::GetIO().AddInputCharacter(unsigned(c));
    frame(browser), frame(browser);
    EXPECT_EQ(browser.search, "slow");
    EXPECT_EQ(mark(), "honey");
    press(ImGuiKey_Enter);
    EXPECT_FALSE(browser.shown);
    EXPECT_EQ(session.scene().name, "honey");
    browser.search = "no such words";
    EXPECT_EQ(browser.selected(), nullptr);
}

TEST_F(Browsers, AClickOpensOrReportsTheError) {
    Browser browser(listScenes(folder.path()));
    frame(browser);
    EXPECT_TRUE(widgets.empty()) << "it is not shown";
    browser.shown = true;
    frame(browser), frame(browser), frame(browser);
    const auto click = [&](const std::string& name) {
        for (const WidgetRect& p : std::vector<WidgetRect>(widgets)) {
            if (p.name != name) continue;
            ImGui::GetIO().MousePos = {(p.left + p.right) / 2, (p.top + p.bottom) / 2};
            frame(browser);
            ImGui::GetIO().MouseDown[0] = true;
            frame(browser);
            ImGui::GetIO().MouseDown[0] = false;
            frame(browser);
            return;
        }
        ADD_FAILURE() << name << " has no tile";
    };
    click("broken");
    EXPECT_TRUE(browser.shown);
    EXPECT_THAT(session.problem(), HasSubstr("broken.json"));
    EXPECT_EQ(session.scene().name, "small");
    click("honey");
    EXPECT_FALSE(browser.shown);
    EXPECT_EQ(session.scene().name, "honey");
}

}  // namespace
}  // namespace coalesce::test
