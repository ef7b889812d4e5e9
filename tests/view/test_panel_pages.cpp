// The pages of the panel, driven by synthetic input.
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "scene/format/presets.h"
#include "scene/reader.h"
#include "sim/state/state_hash.h"
#include "sim/world/method_parameters.h"
#include "support/each_method.h"
#include "view/panel_driver.h"
#include "view/widgets/format.h"

namespace coalesce::test {
namespace {

using testing::HasSubstr;

class Pages : public PanelDriver {
protected:
    Pages() : PanelDriver(true) {}
};

TEST_F(Pages, ShowTheirValues) {
    EXPECT_TRUE(shown("solver.substeps")) << "the first page";
    click("page.materials");
    EXPECT_TRUE(shown("materials.water.viscosity"));
    EXPECT_TRUE(shown("material.water"));
    EXPECT_TRUE(shown("materials.water.surfaceTension"));
    for (const char* other :
         {"shearStiffness", "clusterSpacing", "plasticYield", "tetherSlack", "areaDensity", "pressure",
          "drag", "lift", "stiffness", "cohesion", "rollingResistance"})
        EXPECT_FALSE(shown(std::string("materials.water.") + other))
            << other << ": other kinds are folded away where the material is a liquid";
    EXPECT_TRUE(shown("heading.material.water.3")) << "at the end";
    click("heading.material.water.3");
    EXPECT_GT(find("materials.water.clusterSpacing").top, find("materials.water.surfaceTension").top);
    click("page.objects");
    for (const char* thing : {"fields.pull", "emitters.tap", "sinks.drain", "shapes.floor", "shapes.gate"})
        EXPECT_TRUE(shown(std::string("element.") + thing)) << thing;
    EXPECT_TRUE(shown("world.gravity"));
    click("page.display");
    EXPECT_TRUE(shown("display.show"));
    click("page.changes");
    EXPECT_TRUE(shown("preset.save"));
    click("page.performance");
    EXPECT_TRUE(shown("performance.simulation"));
    EXPECT_TRUE(shown("performance.memory"));
}

// Curves of what the method measures; none where nothing watches.
TEST_F(Pages, ShowConvergence) {
    click("page.performance");
    session.step();
    frame();
    EXPECT_FALSE(shown("performance.curve.density error"));
    session.world().watchConvergence = true;
    session.step();
    frame();
    EXPECT_TRUE(shown("performance.curve.density error"));
    EXPECT_FALSE(shown("performance.curve.objective"));
    EXPECT_EQ(session.edit({"solver.method", {}, "projective"}), "");
    // a falling liquid has no energy of constraints; it has some when it meets the floor
    double most = 0;
    for (int k = 0; k < 60; ++k) {
        session.step();
        most = std::max(most, double(session.world().convergence.objectiveLast));
    }
    frame();
    EXPECT_TRUE(shown("performance.curve.objective"));
    EXPECT_GT(most, 0);
    EXPECT_TRUE(panel.showsConvergence());
    click("performance.convergence");
    frame();
    EXPECT_FALSE(panel.showsConvergence()) << "folded away";
}

TEST_F(Pages, CurvesHaveGapsWhereTheMethodDidNotKnowTheQuantity) {
    World& world = session.world();
    world.watchConvergence = true;
    ConvergenceHistory history;
    session.step();
    history.add(world);
    EXPECT_EQ(session.edit({"solver.method", {}, "projective"}), "");
    session.step();
    history.add(world);
    int gaps = 0;
    for (const ConvergenceHistory::Curve& curve : history.curves()) {
        ASSERT_EQ(curve.values.size(), 2u);
        EXPECT_TRUE(std::isfinite(curve.values[1])) << curve.name;
        EXPECT_EQ(std::isnan(curve.values[0]),
                  std::string(curve.name) != "density error" && std::string(curve.name) != "largest")
            << curve.name;
        gaps += std::isnan(curve.values[0]);
    }
    EXPECT_GT(gaps, 0);
}

TEST_F(Pages, FoldGroupsAway) {
    EXPECT_TRUE(shown("solver.substeps"));
    click("heading.solver");
    EXPECT_FALSE(shown("solver.substeps"));
    EXPECT_FALSE(shown("contacts.margin"));
    click("heading.contacts");
    EXPECT_TRUE(shown("contacts.margin"));
}

TEST_F(Pages, HideWhatTheMethodDoesNotRead) {
    click("heading.fluid");
    EXPECT_TRUE(shown("solver.iterations"));
    EXPECT_TRUE(shown("fluid.overRelaxation"));
    EXPECT_FALSE(shown("heading.projective"));
    EXPECT_EQ(session.edit({"solver.method", {}, "projective"}), "");
    frame();
    EXPECT_TRUE(shown("solver.method"));
    EXPECT_FALSE(shown("solver.iterations"));
    EXPECT_FALSE(shown("fluid.overRelaxation"));
    EXPECT_TRUE(shown("fluid.wallDensity")) << "read by every method";
    EXPECT_TRUE(shown("projective.iterations"));
    click("page.materials");
    EXPECT_TRUE(shown("materials.water.bulkModulus"));
    EXPECT_FALSE(shown("materials.water.tension"));
    for (int k = 0; k < 3; ++k) session.step();
    EXPECT_EQ(session.edit({"solver.method", {}, "position"}), "") << "while the scene runs";
    session.step();
    frame();
    EXPECT_FALSE(shown("materials.water.bulkModulus"));
    EXPECT_TRUE(shown("materials.water.tension"));
    search("bulkModulus");
    EXPECT_TRUE(shown("materials.water.bulkModulus")) << "a search finds every value";
}

// The group of a method is shown with all of its parameters under that method, and not at all under others.
TEST_F(Pages, ShowTheGroupOfTheMethodOnly) {
    for (const Method method : kMethods) {
        EXPECT_EQ(session.edit({"solver.method", {}, std::string(nameOf(method))}), "");
        frame();
        int ofMethod = 0;
        forEachParameter(session.world().parameters, [&](const auto&, const ParameterInfo& info) {
            for (const Method owner : {Method::projective, Method::velocity}) {
                if (info.group != nameOf(owner)) continue;
                const std::string path = std::string(info.group) + "." + std::string(info.name);
                EXPECT_EQ(shown(path), owner == method) << path << " under " << nameOf(method);
                EXPECT_EQ(shown("heading." + std::string(info.group)), owner == method);
                ofMethod += owner == method;
            }
        });
        if (method != Method::position) {
            EXPECT_GE(ofMethod, 7) << nameOf(method);
        }
    }
}

// A changed value that a method does not read changes no bit of its result; one that it reads does.
TEST(MethodParameters, AreReadByTheirMethodsOnly) {
    TemporaryFolder folder;
    const std::filesystem::path file = folder / "mixed.json";
    writeText(file, R"({
        "about": "Liquid, cohesive grains and a soft body that touch.", "duration": 1,
        "materials": {
            "water": { "spacing": 0.1, "tension": 0.5 },
            "sand": { "kind": "grains", "spacing": 0.1, "cohesion": 5 },
            "jelly": { "kind": "soft", "spacing": 0.1, "stiffness": 0.5 } },
        "bodies": [
            { "name": "pool", "material": "water", "block": { "min": [0, 0, 0], "max": [0.5, 0.5, 0.5] } },
            { "name": "heap", "material": "sand", "block": { "min": [0.5, 0, 0], "max": [0.8, 0.4, 0.4] } },
            { "name": "cube", "material": "jelly", "block": { "min": [0, 0.5, 0], "max": [0.3, 0.8, 0.3] } } ],
        "shapes": [{ "name": "floor", "plane": { "normal": [0, 1, 0], "offset": 0 } }]
    })");
    const auto hashAfter = [&](const std::string& method, const std::vector<Edit>& edits) {
        Session session(file, {}, {.backend = "cpu"});
        // what the other methods refuse
        std::vector<Edit> refused;
        if (method != "position") refused.push_back({"materials.water.tension", {0}, ""});
        if (method == "velocity") refused.push_back({"materials.sand.cohesion", {0}, ""});
        EXPECT_EQ(session.edit(refused), "");
        EXPECT_EQ(session.edit({"solver.method", {}, method}), "");
        for (const Edit& edit : edits) {
            // a method that does not read a value may refuse it
            const std::string issue = session.edit(edit);
            EXPECT_TRUE(issue.empty() || issue.find("needs solver.method") != std::string::npos) << issue;
        }
        for (int k = 0; k < 3; ++k) session.step();
        return stateHash(session.world());
    };
    const std::vector<Tunable> all = Session(file, {}, {.backend = "cpu"}).tunables();
    const auto& methods = choiceNames<Method>();
    for (size_t m = 0; m < methods.size(); ++m) {
        const std::string method(methods[m]);
        const uint64_t hash = hashAfter(method, {});
        int foreign = 0;
        for (const Tunable& t : all) {
            if (isUsedBy(Method(m), t.info.group, t.info.name)) continue;
            ++foreign;
            EXPECT_EQ(hashAfter(method, {otherValue(t)}), hash) << method << " reads " << t.value.path;
        }
        EXPECT_GE(foreign, 10) << method;
        int controls = 0;
        for (const Tunable& t : all) {
            const std::string& path = t.value.path;
            const bool control =
                (method == "position" && (path == "solver.iterations" || path == "fluid.overRelaxation" ||
                                          path == "materials.water.tension")) ||
                (method == "projective" &&
                 (path == "projective.iterations" || path == "materials.water.bulkModulus")) ||
                (method == "velocity" && (path == "velocity.relaxIterations" || path == "solver.iterations" ||
                                          path == "fluid.overRelaxation"));
            if (!control) continue;
            ++controls;
            EXPECT_NE(hashAfter(method, {otherValue(t)}), hash) << method << ", " << path;
        }
        EXPECT_GE(controls, 2) << method;
    }
}

TEST(MethodParameters, Exist) {
    for (const MethodParameter& entry : methodParameters()) {
        int found = 0;
        const auto count = [&](const auto&, const ParameterInfo& info) {
            found += entry.group == info.group && entry.name == info.name;
        };
        const Parameters parameters;
        const MaterialProperties material;
        forEachParameter(parameters, count);
        forEachParameter(material, count);
        EXPECT_EQ(found, 1) << entry.group << "." << entry.name;
    }
}

TEST_F(Pages, EditsOfAnElementReachTheRunningWorld) {
    click("page.objects");
    click("element.emitters.tap");
    click("emitters.tap.enabled");
    EXPECT_TRUE(session.world().emitters[0].properties.enabled);
    click("element.emitters.tap");
    click("element.shapes.gate");
    const Vec3 before = session.targetPose(1).position;
    drag("shapes.gate.position", 0.15f, 0.3f);  // the first of three numbers
    const Vec3 wanted = session.targetPose(1).position;
    EXPECT_GT(wanted.x, before.x + 0.05f);
    EXPECT_EQ(wanted.y, before.y);
    for (int k = 0; k < 60; ++k) session.step();
    EXPECT_EQ(session.world().shapes[1].position, wanted);
    click("undo");
    EXPECT_EQ(session.targetPose(1).position, before);
}

TEST_F(Pages, AnglesOfARotationStayAsTheyAreDragged) {
    click("page.objects");
    click("element.shapes.gate");
    // in the scene 10, 20 and 30 degrees; the first is dragged, past the quarter turn and on
    const double degree = 3.14159265358979 / 180;
    const Quat others = quatFromEuler(0, 20 * degree, 30 * degree);
    const Quat back{-others.x, -others.y, -others.z, others.w};
    for (int k = 0; k < 30; ++k) {
        drag("shapes.gate.rotation", 0.15f, 0.3f);
        const Quat first = back * session.targetPose(1).rotation;
        EXPECT_NEAR(first.y, 0, 1e-5);
        EXPECT_NEAR(first.z, 0, 1e-5);
    }
    EXPECT_NE(session.targetPose(1).rotation.x, session.scene().shapes[1].rotation.x);
}

TEST_F(Pages, AnElementGetsAGizmo) {
    click("page.objects");
    click("element.shapes.gate");
    click("gizmo.shapes.gate");
    EXPECT_EQ(view.selection, (Selection{"shapes", "gate"}));
    click("gizmo.shapes.gate");
    EXPECT_TRUE(view.selection.isEmpty());
}

TEST_F(Pages, OfferARestartForValuesFixedAtSpawn) {
    click("page.materials");
    EXPECT_FALSE(shown("waits for restart"));
    const float before = find("materials.water.spacing").top;
    drag("materials.water.spacing", 0.6f, 0.64f);
    const float wanted = session.edited().materials[0].properties.spacing;
    ASSERT_NE(wanted, 0.1f);
    EXPECT_EQ(session.world().materials[0].properties.spacing, 0.1f);
    EXPECT_TRUE(shown("waits for restart"));
    EXPECT_EQ(find("materials.water.spacing").top, before) << "nothing moves under the pointer";
    click("restart");
    EXPECT_EQ(session.problem(), "");
    EXPECT_EQ(session.world().materials[0].properties.spacing, wanted);
    EXPECT_FALSE(shown("waits for restart"));
}

TEST_F(Pages, TypedValuesOutOfRangeAreRefusedAtTheField) {
    session.takeNotices();
    const float before = session.world().parameters.solver.relaxation;
    ctrlClick("solver.relaxation");
    // 1 is in range, 15 and 159 are not
    for (const char* letter : {"1", "5", "9"}) {
        type(letter);
        EXPECT_EQ(session.world().parameters.solver.relaxation, before) << "not before Enter: " << letter;
    }
    EXPECT_FALSE(shown("refused.solver.relaxation"));
    key(ImGuiKey_Enter, false);
    EXPECT_EQ(session.world().parameters.solver.relaxation, before);
    EXPECT_EQ(session.undoable(), "");
    const WidgetRect* message = widget("refused.solver.relaxation", "##message at item");
    ASSERT_TRUE(message) << "where the value is";
    EXPECT_NEAR(message->top, find("solver.relaxation").top, 30);
    EXPECT_GE(message->left, panel.width());
    EXPECT_TRUE(session.takeNotices().empty()) << "and not at a second place";
    for (int k = 0; k < 9 * 60; ++k) frame();
    EXPECT_FALSE(shown("refused.solver.relaxation")) << "it goes by itself";
}

TEST_F(Pages, TypedValuesApplyWhenTheFieldIsLeft) {
    const Parameters& now = session.world().parameters;
    ctrlClick("solver.relaxation");
    type("0.7");
    key(ImGuiKey_Enter, false);
    EXPECT_EQ(now.solver.relaxation, 0.7f);
    EXPECT_FALSE(shown("refused.solver.relaxation"));

    ctrlClick("solver.relaxation");
    type("0.9");
    EXPECT_EQ(now.solver.relaxation, 0.7f);
    click("help");  // anything else
    EXPECT_EQ(now.solver.relaxation, 0.9f);
    click("help");

    ctrlClick("solver.relaxation");
    type("0.4");
    key(ImGuiKey_Escape, false);
    frame();
    EXPECT_EQ(now.solver.relaxation, 0.9f) << "Esc gives the text up";
    click("undo");
    EXPECT_EQ(now.solver.relaxation, 0.7f) << "each is one step";
}

// One of three numbers: -1e9 passes through -1.
TEST_F(Pages, TypedNumbersOfAVectorDoNotStayHalfTyped) {
    click("page.objects");
    const Vec3 before = session.world().parameters.world.gravity;
    ctrlClick("world.gravity");
    for (const char* letter : {"-", "1", "e", "9"}) type(letter);
    key(ImGuiKey_Enter, false);
    EXPECT_EQ(session.world().parameters.world.gravity, before);
    EXPECT_TRUE(widget("refused.world.gravity", "##message at item"));
    ctrlClick("world.gravity");
    type("-3");
    key(ImGuiKey_Enter, false);
    EXPECT_EQ(session.world().parameters.world.gravity, (Vec3{before.x, -3, before.z}));
}

TEST_F(Pages, KeepTheirScrollPosition) {
    ImGui::GetIO().DisplaySize.y = 900;
    frame();
    const float top = find("heading.solver").top;
    ImGui::GetIO().MousePos = {200, 600};
    frame();
    ImGui::GetIO().MouseWheel = -3;
    frame();
    frame();
    const float scrolled = find("heading.solver").top;
    EXPECT_LT(scrolled, top);
    click("page.display");
    EXPECT_GT(find("display.show").top, find("page.display").bottom) << "at its beginning";
    click("page.parameters");
    EXPECT_EQ(find("heading.solver").top, scrolled);
}

TEST_F(Pages, ListChangesWithResetForEachAndForAll) {
    drag("solver.relaxation", 0.5f, 0.9f);
    drag("solver.iterations", 0.3f, 0.5f);
    click("page.changes");
    EXPECT_TRUE(shown("undo.solver.relaxation"));
    click("undo.solver.iterations");
    EXPECT_EQ(session.world().parameters.solver.iterations, session.scene().parameters.solver.iterations);
    EXPECT_FALSE(shown("undo.solver.iterations"));
    click("copy all");
    EXPECT_THAT(ImGui::GetClipboardText(), HasSubstr("--set solver.relaxation="));
    click("reset all");
    EXPECT_TRUE(session.differences().empty());
    click("undo");
    EXPECT_EQ(session.differences().size(), 1u) << "that was a step, too";
}

TEST_F(Pages, ListChangedElementsAndTakeThemBack) {
    click("page.changes");
    EXPECT_FALSE(shown("undo.shapes.door")) << "nothing has changed";
    ASSERT_EQ(session.renameElement("shapes", "gate", "door"), "");
    ASSERT_EQ(session.removeElement("fields", "pull"), "");
    ASSERT_EQ(session.addElement("shapes", R"({ "name": "ball", "sphere": { "radius": 0.1 } })"), "");
    frame();
    for (const char* element : {"shapes.door", "fields.pull", "shapes.ball"})
        EXPECT_TRUE(shown(std::string("undo.") + element)) << element;
    ASSERT_EQ(session.world().forceFields.size(), 1u);
    click("undo.fields.pull");
    ASSERT_EQ(session.world().forceFields.size(), 2u);
    EXPECT_EQ(session.world().forceFields[0].name, "pull");
    click("undo.shapes.door");
    EXPECT_EQ(session.world().shapes[1].name, "gate");
    EXPECT_TRUE(session.isChanged());
    click("undo.shapes.ball");
    EXPECT_FALSE(shown("undo.shapes.ball"));
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

TEST_F(Pages, ChangeTheElementsOfTheScene) {
    click("page.objects");
    click("element.shapes.gate");
    click("duplicate.shapes.gate");
    ASSERT_EQ(session.world().shapes.size(), 5u);
    EXPECT_EQ(session.world().shapes[2].name, "gate_2");
    EXPECT_EQ(view.selection, (Selection{"shapes", "gate_2"}));
    frame();
    click("name.shapes.gate");
    type("door");
    key(ImGuiKey_Enter, false);
    EXPECT_EQ(session.world().shapes[1].name, "door");
    frame();
    click("element.shapes.gate_2");
    click("remove.shapes.gate_2");
    EXPECT_EQ(session.world().shapes.size(), 4u);
    EXPECT_TRUE(view.selection.isEmpty());
    for (const char* added : {"box", "sphere", "emitter", "sink", "wind", "radial"}) {
        frame();
        click("add");
        click(std::string("add.") + added);
        EXPECT_EQ(view.selection.element, added) << session.problem();
    }
    EXPECT_EQ(session.takeNotices().size(), 0u);
    EXPECT_EQ(session.world().shapes.size(), 6u);
    for (int k = 0; k < 3; ++k) session.step();
    EXPECT_EQ(session.problem(), "");
    for (int k = 0; k < 9; ++k) click("undo");
    EXPECT_EQ(session.world().shapes.size(), 4u);
    EXPECT_EQ(session.world().shapes[1].name, "gate");
}

TEST_F(Pages, ShowHideDuplicateAndPlaceBodies) {
    for (int k = 0; k < 5; ++k) session.step();
    click("page.objects");
    click("heading.bodies");
    click("element.bodies.block");
    click("gizmo.bodies.block");
    EXPECT_EQ(view.selection, (Selection{"bodies", "block"}));
    const auto box = boundsOf(session, "block");
    ASSERT_TRUE(box);
    EXPECT_LT(box->high.x, 0.6f);
    EXPECT_GT(box->high.x, box->low.x);
    EXPECT_FALSE(boundsOf(session, "none"));

    click("hide.bodies.block");
    EXPECT_TRUE(view.hiddenBodies.contains("block"));
    EXPECT_EQ(groupsOf(session.scene(), view.hiddenBodies).size(), 1u);
    EXPECT_EQ(session.world().frame, 5u);
    click("name.bodies.block");
    type("pool");
    key(ImGuiKey_Enter, false);
    EXPECT_EQ(session.world().frame, 5u) << "a new name does not restart";
    EXPECT_TRUE(view.hiddenBodies.contains("pool"));
    EXPECT_EQ(view.selection.element, "pool");
    frame();
    click("element.bodies.pool");
    click("hide.bodies.pool");
    EXPECT_TRUE(view.hiddenBodies.empty());

    const size_t particles = session.world().count();
    click("duplicate.bodies.pool");
    EXPECT_EQ(view.selection, (Selection{"bodies", "pool_2"}));
    EXPECT_EQ(session.scene().bodies.size(), 2u);
    EXPECT_LE(session.world().count(), 2 * particles);
    EXPECT_GT(session.world().count(), particles);
    EXPECT_GT(boundsOf(session, "pool_2")->low.x, boundsOf(session, "pool")->high.x) << "beside it";
    frame();
    click("element.bodies.pool_2");
    const float x = session.scene().bodies[1].center.x;
    drag("place.bodies.pool_2", 0.15f, 0.3f);
    EXPECT_GT(session.scene().bodies[1].center.x, x);
    EXPECT_EQ(session.scene().bodies[1].center.y, session.scene().bodies[0].center.y);
    click("undo");
    EXPECT_EQ(session.scene().bodies[1].center.x, x);
    frame();
    click("remove.bodies.pool_2");
    EXPECT_EQ(session.scene().bodies.size(), 1u);
    EXPECT_TRUE(view.selection.isEmpty());
    EXPECT_THAT(session.takeNotices(), testing::Each(HasSubstr("everything at")));
}

TEST_F(Pages, AddBodiesOfEveryMaterial) {
    click("page.objects");
    click("add");
    std::vector<std::string> names;
    for (const WidgetRect& w : widgets)
        for (const char* form : {"add.block.", "add.ball.", "add.sheet.", "add.rope."})
            if (w.name.starts_with(form)) names.push_back(w.name);
    std::set<std::string> kinds;
    for (size_t k = 0; k < names.size(); ++k) {
        if (k > 0) click("add");
        const size_t bodies = session.scene().bodies.size();
        click(names[k]);
        ASSERT_EQ(session.scene().bodies.size(), bodies + 1)
            << names[k] << testing::PrintToString(session.takeNotices());
        const Body& added = session.scene().bodies.back();
        EXPECT_TRUE(names[k].ends_with("." + session.scene().materials[added.material].name)) << names[k];
        EXPECT_EQ(view.selection, (Selection{"bodies", added.name}));
        EXPECT_NEAR(added.center.x, view.camera.look.x, 1e-2);
        EXPECT_TRUE(boundsOf(session, added.name)) << names[k];
        kinds.insert(names[k].substr(4, names[k].find('.', 4) - 4));
        click("undo");
    }
    EXPECT_TRUE(kinds.contains("block") && kinds.contains("ball"));
}

TEST_F(Pages, HideShapes) {
    click("page.objects");
    click("element.shapes.gate");
    EXPECT_TRUE(session.world().shapes[1].visible);
    click("hide.shapes.gate");
    EXPECT_FALSE(session.world().shapes[1].visible);
    click("undo");
    EXPECT_TRUE(session.world().shapes[1].visible);
}

TEST_F(Pages, SayWhatBoundsTheFrameRate) {
    click("page.performance");
    EXPECT_TRUE(shown("performance.bound"));
    EXPECT_LT(find("performance.bound").top, find("performance.simulation").top);
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

TEST_F(Pages, WarningsMoveNothingAndLinkToTheRecommendedValue) {
    const float before = find("solver.substeps").top;
    session.edit({"solver.maxSpeed", {0.01f}, ""});
    session.step();
    session.step();
    frame();
    frame();
    const WidgetRect advice = find("advice.solver.maxSpeed");
    EXPECT_EQ(find("solver.substeps").top, before) << "nothing moves under the pointer";
    EXPECT_GT(advice.top, find("solver.substeps").bottom) << "below the page";
    EXPECT_LE(advice.bottom, ImGui::GetIO().DisplaySize.y);
    click("advice.solver.maxSpeed");
    EXPECT_TRUE(shown("solver.maxSpeed"));
    EXPECT_FALSE(shown("solver.substeps"));
    click("clear search");
    EXPECT_TRUE(shown("solver.substeps"));
}

TEST_F(Pages, WarningsCanBeClosed) {
    session.edit({"solver.maxSpeed", {0.01f}, ""});
    for (int k = 0; k < 2; ++k) session.step(), frame();
    frame();
    ASSERT_TRUE(shown("advice.solver.maxSpeed"));
    click("close warning");
    EXPECT_FALSE(shown("advice.solver.maxSpeed"));
    session.step();
    frame(), frame();
    EXPECT_FALSE(shown("advice.solver.maxSpeed")) << "nor while it goes on";
}

TEST_F(Pages, WarningsLeaveRoomForThePage) {
    ImGui::GetIO().DisplaySize.y = 600;
    session.edit({"solver.maxSpeed", {0.01f}, ""});
    session.edit({"solver.timeStep", {}, "adaptive"});
    for (int k = 0; k < 40; ++k) session.step();
    ASSERT_GE(session.warnings().list().size(), 1u);
    for (int k = 0; k < 4; ++k) frame();
    float bottom = 600;
    for (const WidgetRect& w : widgets)
        if (w.name == "close warning") bottom = std::min(bottom, w.top);
    ASSERT_LT(bottom, 600) << "a warning is shown";
    const float top = find("page.settings").bottom;
    EXPECT_GT(bottom - top, 0.6f * (600 - top));
}

TEST_F(Pages, SearchFindsTheValuesOfDisplayAndSettings) {
    search("clip");
    EXPECT_TRUE(shown("display.clip"));
    EXPECT_FALSE(shown("display.exposure"));
    EXPECT_FALSE(shown("settings.recordingSize"));
    click("clear search");
    search("EXPOSURE");
    EXPECT_TRUE(shown("display.exposure"));
    const float before = view.draw.exposure;
    drag("display.exposure", 0.3f, 0.8f);
    EXPECT_NE(view.draw.exposure, before) << "and they can be changed there";
    click("clear search");
    search("record");
    EXPECT_TRUE(shown("settings.recordingSize"));
    EXPECT_TRUE(shown("settings.recordingLength"));
    EXPECT_FALSE(shown("settings.fontScale"));
    click("clear search");
    search("ambient");
    EXPECT_TRUE(shown("display.occlusion"));
    EXPECT_FALSE(shown("display.shapes"));
}

TEST_F(Pages, ArrowKeysChooseInACombo) {
    click("page.settings");
    click("settings.recordingSize");
    key(ImGuiKey_DownArrow, false);
    key(ImGuiKey_DownArrow, false);
    EXPECT_EQ(settings.recordingSize, RecordingSize::Viewport) << "not before Enter";
    key(ImGuiKey_Enter, false);
    EXPECT_EQ(settings.recordingSize, RecordingSize::FullHd);
    frame();
    key(ImGuiKey_DownArrow, false);
    key(ImGuiKey_Enter, false);
    EXPECT_EQ(settings.recordingSize, RecordingSize::FullHd) << "while no combo is open they are other keys";
}

TEST_F(Pages, LongLabelsAreNotCutOff) {
    click("page.settings");
    // it takes two lines, so its row is higher
    const float step = find("settings.rewindMegabytes").top - find("settings.rewindPerSecond").top;
    EXPECT_GT(step, 1.3f * (find("settings.rewindPerSecond").top - find("settings.rewindSeconds").top));
}

TEST_F(Pages, SettingsApplyAtOnceAndCanBeReset) {
    click("page.settings");
    for (const char* value : {"rewindSeconds", "rewindPerSecond", "rewindMegabytes", "fontScale"})
        EXPECT_TRUE(shown(std::string("settings.") + value)) << value;
    EXPECT_FALSE(shown("reset.settings.rewindSeconds"));
    drag("settings.rewindSeconds", 0.5f, 2.0f);
    EXPECT_EQ(settings.rewind.seconds, 3600);
    click("reset.settings.rewindSeconds");
    EXPECT_EQ(settings.rewind.seconds, RewindLimits().seconds);

    moveTo(find("settings.fontScale"), 0.5f);
    press(0);
    moveTo(find("settings.fontScale"), 2.0f);
    EXPECT_EQ(settings.fontScale, 1) << "letters do not grow under the mouse";
    release(0);
    EXPECT_EQ(settings.fontScale, 4);
}

TEST_F(Pages, ParseMaterialKindsFromTheDescription) {
    EXPECT_THAT(kindsOf("Cloth, rope: share of the bend."),
                testing::ElementsAre(MaterialKind::cloth, MaterialKind::rope));
    EXPECT_THAT(kindsOf("Liquid: tension."), testing::ElementsAre(MaterialKind::fluid));
    EXPECT_TRUE(kindsOf("Rest density.").empty());
    EXPECT_TRUE(kindsOf("XSPH viscosity coefficient c per substep: 0 none").empty());
}

// A misspelled kind in a description would move the property to the general ones.
TEST_F(Pages, EveryDescriptionThatBeginsWithAKindNamesOnlyKinds) {
    int ofKinds = 0;
    const MaterialProperties properties;
    forEachParameter(properties, [&](const auto&, const ParameterInfo& info) {
        const std::string about = info.about;
        const std::string first = lowercase(about.substr(0, about.find_first_of(" ,:")));
        const auto& names = choiceNames<MaterialKind>();
        const bool named = first == "liquid" || std::find(names.begin(), names.end(), first) != names.end();
        const bool list = about.find(": ") < about.find_first_of(".;");
        if (!named || !list) return;
        EXPECT_FALSE(kindsOf(info.about).empty()) << info.name << ": " << about;
        ++ofKinds;
    });
    EXPECT_GT(ofKinds, 20);
}

TEST(StageHistories, KeepTheSlowestBandsAndSumTheOthers) {
    StageHistory history;
    for (size_t frame = 0; frame < StageHistory::kFrames + 5; ++frame)
        history.add({{"a", 1}, {"b", 5}, {"c", 0.5}, {"d", 2}, {"b", 1}});
    EXPECT_EQ(history.frames(), StageHistory::kFrames);
    const std::vector<StageHistory::Band> bands = history.bands(2);
    ASSERT_EQ(bands.size(), 3u);
    EXPECT_EQ(bands[0].name, "b");
    EXPECT_DOUBLE_EQ(bands[0].ms.back(), 6) << "twice in a frame";
    EXPECT_EQ(bands[1].name, "d");
    EXPECT_EQ(bands[2].name, "");
    EXPECT_DOUBLE_EQ(bands[2].ms.back(), 1.5);
    EXPECT_DOUBLE_EQ(history.total(StageHistory::kFrames - 1), 9.5);
    history.clear();
    EXPECT_EQ(history.frames(), 0u);
}

}  // namespace
}  // namespace coalesce::test
