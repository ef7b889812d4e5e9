// The page of objects, driven by synthetic input: elements and bodies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "view/panel_driver.h"

namespace coalesce::test {
namespace {

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
    session.step();
    const auto typePlace = [&](ImGuiKey end) {
        ctrlClick("place.bodies.pool_2", 0.15f);
        type("2.5");
        key(end, false);
        frame();
    };
    typePlace(ImGuiKey_Escape);
    EXPECT_EQ(session.scene().bodies[1].center.x, x) << "Esc gives the text up";
    EXPECT_EQ(session.world().frame, 1u) << "and does not restart";
    typePlace(ImGuiKey_Enter);
    EXPECT_EQ(session.scene().bodies[1].center.x, 2.5f);
    EXPECT_EQ(session.world().frame, 0u);
    click("undo");
    EXPECT_EQ(session.scene().bodies[1].center.x, x);
    frame();
    click("remove.bodies.pool_2");
    EXPECT_EQ(session.scene().bodies.size(), 1u);
    EXPECT_TRUE(view.selection.isEmpty());
    EXPECT_THAT(session.takeNotices(), testing::Each(testing::HasSubstr("everything at")));
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

TEST_F(Pages, MaterialsMayHaveQuotationMarks) {
    const std::string name = R"(the "wet" one \o/)";
    writeText(folder / "quoted.json", R"({ "about": "Water falls.", "duration": 1,
        "materials": { "the \"wet\" one \\o/": { "spacing": 0.1 } },
        "bodies": [{ "material": "the \"wet\" one \\o/", "block": { "min": [0, 0, 0], "max": [0.3, 0.3, 0.3] } }] })");
    ASSERT_TRUE(session.open(folder / "quoted.json", {})) << session.problem();
    click("page.objects");
    for (const std::string& added : {"add.ball." + name, std::string("add.emitter")}) {
        click("add");
        click(added);
        frame();
    }
    EXPECT_EQ(session.scene().bodies.size(), 2u) << testing::PrintToString(session.takeNotices());
    EXPECT_EQ(session.scene().emitters.size(), 1u) << testing::PrintToString(session.takeNotices());
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

}  // namespace
}  // namespace coalesce::test
