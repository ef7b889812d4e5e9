// The panel, driven by synthetic mouse and keyboard input.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "scene/reader.h"
#include "view/panel_driver.h"

namespace coalesce::test {
namespace {

class Panels : public PanelDriver {};

TEST_F(Panels, SearchFindsEveryFieldOfTheManifests) {
    search(".");  // is in every path
    forEachParameter(session.world().parameters, [&](auto&, const ParameterInfo& info) {
        EXPECT_TRUE(shown(std::string(info.group) + "." + info.name)) << info.name;
    });
    forEachParameter(session.world().materials[0].properties, [&](auto&, const ParameterInfo& info) {
        EXPECT_TRUE(shown(std::string("materials.water.") + info.name)) << info.name;
    });
    forEachParameter(session.world().forceFields[0].properties, [&](auto&, const ParameterInfo& info) {
        EXPECT_TRUE(shown(std::string("fields.pull.") + info.name)) << info.name;
    });
}

TEST_F(Panels, DraggingASliderChangesTheValueTheSolverReads) {
    float& relaxation = session.world().parameters.solver.relaxation;  // linear, 0.1 to 2
    drag("solver.relaxation", 0.3f, 0.75f);
    EXPECT_NEAR(relaxation, 0.1 + 0.75 * 1.9, 0.08);
    drag("solver.relaxation", 0.5f, 2.0f);
    EXPECT_FLOAT_EQ(relaxation, 2) << "stops at the end of its range";

    int& iterations = session.world().parameters.solver.iterations;  // logarithmic, 1 to 1000
    drag("solver.iterations", 0.3f, 0.5f);
    EXPECT_NEAR(std::log10(iterations), 1.5, 0.15);
}

TEST_F(Panels, SlidersOfForceFieldsChangeThatField) {
    search("strength");
    drag("fields.pull.strength", 0.5f, 1.5f);
    EXPECT_EQ(session.world().forceFields[0].properties.strength, 1000);
    session.step();
    EXPECT_GT(session.world().particles.v.download()[0].y, 5) << "the next frame feels it";
    session.restart(true);
    EXPECT_EQ(session.world().forceFields[0].properties.strength, 1000) << "kept";
    session.restart(false);
    EXPECT_EQ(session.world().forceFields[0].properties.strength, 0);
}

TEST_F(Panels, SlidersOfMaterialsChangeThatMaterial) {
    click("page.materials");
    const float before = session.world().materials[0].properties.staticFriction;
    drag("materials.water.staticFriction", 0.1f, 0.6f);
    EXPECT_GT(session.world().materials[0].properties.staticFriction, before + 3);
}

TEST_F(Panels, ContextMenuRestoresTheSceneValue) {
    const float original = session.scene().parameters.solver.relaxation;
    drag("solver.relaxation", 0.5f, 0.9f);
    ASSERT_NE(session.world().parameters.solver.relaxation, original);
    click("solver.relaxation", 1);
    click("reset");
    EXPECT_EQ(session.world().parameters.solver.relaxation, original);
}

TEST_F(Panels, ResetButtonRestoresTheSceneValue) {
    const float original = session.scene().parameters.solver.relaxation;
    EXPECT_FALSE(shown("reset.solver.relaxation")) << "nothing to reset";
    drag("solver.relaxation", 0.5f, 0.9f);
    ASSERT_NE(session.world().parameters.solver.relaxation, original);
    click("reset.solver.relaxation");
    EXPECT_EQ(session.world().parameters.solver.relaxation, original);
    EXPECT_FALSE(shown("reset.solver.relaxation"));
}

TEST_F(Panels, ADragIsOneStepOfUndoByButtonAndByKeys) {
    const float original = session.scene().parameters.solver.relaxation;
    moveTo(find("solver.relaxation"), 0.3f);
    press(0);
    for (const float share : {0.5f, 0.7f, 0.9f}) moveTo(find("solver.relaxation"), share);
    release(0);
    drag("solver.iterations", 0.3f, 0.5f);
    const float dragged = session.world().parameters.solver.relaxation;
    ASSERT_GT(dragged, 1.5f);
    click("undo");
    EXPECT_EQ(session.world().parameters.solver.iterations, session.scene().parameters.solver.iterations);
    EXPECT_EQ(session.world().parameters.solver.relaxation, dragged);
    key(ImGuiKey_Z, true);
    EXPECT_EQ(session.world().parameters.solver.relaxation, original);
    key(ImGuiKey_Z, true, true);
    EXPECT_EQ(session.world().parameters.solver.relaxation, dragged);
    key(ImGuiKey_Z, true);
    key(ImGuiKey_Y, true);
    EXPECT_EQ(session.world().parameters.solver.relaxation, dragged);
    click("undo");
    click("redo");
    EXPECT_EQ(session.world().parameters.solver.relaxation, dragged);
    key(ImGuiKey_Z, false);
    EXPECT_EQ(session.world().parameters.solver.relaxation, dragged) << "without Ctrl it is a letter";
}

TEST_F(Panels, CopiedSetOptionReproducesTheValue) {
    drag("solver.relaxation", 0.5f, 0.9f);
    click("solver.relaxation", 1);
    click("copy");
    const std::string copied = ImGui::GetClipboardText();
    ASSERT_TRUE(copied.starts_with("--set solver.relaxation=")) << copied;
    SceneChoice choice;
    choice.sets = {copied.substr(6)};
    EXPECT_EQ(readScene(session.scene().file, choice).parameters.solver.relaxation,
              session.world().parameters.solver.relaxation);
}

TEST_F(Panels, SearchMatchesPathAndDescription) {
    search("VISCO");
    EXPECT_TRUE(shown("materials.water.viscosity"));
    EXPECT_FALSE(shown("solver.substeps"));
    EXPECT_FALSE(shown("materials.water.spacing"));
    type("zzz");
    EXPECT_FALSE(shown("materials.water.viscosity"));
    EXPECT_TRUE(shown("search"));
}

TEST_F(Panels, EscClearsTheSearchAndReleasesTheKeyboard) {
    search("VISCO");
    EXPECT_TRUE(ImGui::GetIO().WantTextInput);
    key(ImGuiKey_Escape, false);
    frame();
    EXPECT_TRUE(shown("solver.substeps")) << "the page again";
    EXPECT_FALSE(ImGui::GetIO().WantTextInput);
    EXPECT_FALSE(panel.clearSearch()) << "nothing is left of it";
}

TEST_F(Panels, ChoosingAPageClearsTheSearch) {
    search("VISCO");
    click("page.materials");
    EXPECT_TRUE(shown("materials.water.spacing"));
    EXPECT_FALSE(shown("clear search"));
}

TEST_F(Panels, PauseButtonPauses) {
    click("pause");
    EXPECT_TRUE(session.paused);
    click("pause");
    EXPECT_FALSE(session.paused);
}

TEST_F(Panels, NextSceneIsCyclic) {
    const uint64_t generation = session.generation();
    panel.openNeighbor(session, 1);  // the only one: itself
    EXPECT_GT(session.generation(), generation);
    EXPECT_EQ(session.scene().name, "small");
}

TEST_F(Panels, TheNextSceneKeepsTheSizeWhenItHasIt) {
    const std::string sized = readText(folder / "small.json");
    writeText(folder / "a.json",
              R"({ "sizes": { "ci": { "materials.water.spacing": 0.2 } },)" + sized.substr(1));
    writeText(folder / "b.json",
              R"({ "sizes": { "ci": { "materials.water.spacing": 0.2 } },)" + sized.substr(1));
    Panel list(listScenes(folder.path()));  // a, b, small
    SceneChoice ci;
    ci.size = "ci";
    ASSERT_TRUE(session.open(folder / "a.json", ci));
    list.openNeighbor(session, 1);
    EXPECT_EQ(session.scene().name, "b");
    EXPECT_EQ(session.scene().size, "ci");
    list.openNeighbor(session, 1);  // small has no such size
    EXPECT_EQ(session.scene().name, "small");
    EXPECT_EQ(session.scene().size, "");
}

// A scene without a given size has the values of demo; without that size, those outside of all sizes.
TEST_F(Panels, TheListOfSizesHasNoDefaultBesideDemo) {
    const std::string scene = readText(folder / "small.json");
    const auto openSized = [&](const std::string& sizes) {
        writeText(folder / "sized.json", R"({ "sizes": )" + sizes + "," + scene.substr(1));
        ASSERT_TRUE(session.open(folder / "sized.json", {}));
        frame();
        click("size");
    };
    openSized(R"({ "ci": { "materials.water.spacing": 0.2 }, "demo": {} })");
    EXPECT_EQ(session.scene().size, "demo");
    EXPECT_TRUE(shown("ci") && shown("demo"));
    EXPECT_FALSE(shown("Default"));
    click("ci");
    EXPECT_EQ(session.scene().size, "ci");

    openSized(R"({ "ci": { "materials.water.spacing": 0.2 } })");
    EXPECT_EQ(session.scene().size, "");
    EXPECT_TRUE(shown("ci") && shown("Default"));
}

TEST(Help, ListsEveryKeyAndGesture) {
    std::string labels;
    size_t lines = 0;
    for (const HelpSection& section : helpSections()) {
        EXPECT_FALSE(section.lines.empty()) << section.title;
        lines += section.lines.size();
        for (const HelpLine& line : section.lines) labels += line.keys + ", ";
    }
    std::set<std::string> texts;
    for (const KeyBinding& binding : keyBindings()) {
        EXPECT_NE(labels.find(std::string(binding.label) + ", "), std::string::npos) << binding.label;
        texts.insert(binding.help);
    }
    for (const Gesture& gesture : gestures()) EXPECT_NE(labels.find(gesture.label), std::string::npos);
    EXPECT_EQ(lines, texts.size() + gestures().size());
}

TEST(Keys, HaveOneHelpTextPerHandler) {
    std::map<std::string, void (*)(AppContext&)> handlers;
    for (const KeyBinding& binding : keyBindings()) {
        ASSERT_TRUE(binding.run) << binding.label;
        const auto [known, isNew] = handlers.try_emplace(binding.help, binding.run);
        EXPECT_EQ(known->second, binding.run) << binding.label << ": " << binding.help;
    }
}

TEST(Keys, AreBoundOnce) {
    std::set<std::tuple<int, bool, bool>> keys;
    for (const KeyBinding& binding : keyBindings()) {
        EXPECT_TRUE(keys.insert({binding.key, binding.shift, binding.ctrl}).second) << binding.label;
        EXPECT_EQ(findBinding(binding.key, binding.shift, binding.ctrl), &binding);
    }
    EXPECT_EQ(findBinding(-1, false), nullptr);
}

}  // namespace
}  // namespace coalesce::test
