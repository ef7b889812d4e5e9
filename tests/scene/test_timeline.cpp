// The timeline: later bodies, releases, changes of values, errors. Also copies and forms of solids.
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numbers>

#include "checks/expect.h"
#include "core/error.h"
#include "scene/build/body_form.h"
#include "scene/build/build.h"
#include "scene/build/groups.h"
#include "scene/build/overlap_check.h"
#include "scene/format/scene.h"
#include "scene/reader.h"
#include "scene/timeline/timeline.h"
#include "sim/solver/solver.h"
#include "sim/state/state_file.h"
#include "support/small_scene.h"

namespace coalesce {
namespace {

using testing::HasSubstr;

Scene sceneOf(const std::string& bodies, const std::string& more = "") {
    return readSceneText(
        R"({"materials": {"water": {"spacing": 0.1, "damping": 1}, "stone": {"kind": "rigid", "spacing": 0.1}},
        "shapes": [{"name": "gate", "box": {"size": [1, 1, 1]}}], "bodies": [)" +
            bodies + "]" + more + "}",
        "t.json");
}
const std::string kDrop = R"({"name": "drop", "material": "water", "points": [[0, 5, 0]]})";

struct Played {
    Scene scene;
    Exec exec{{.backend = "cpu", .threads = 1}};
    World world{exec};
    Timeline timeline;
    explicit Played(const Scene& s) : scene(s), timeline(s) { buildWorld(scene, world); }
    void at(double time) {
        world.time = time;
        timeline.advance(world);
    }
};

TEST(Timeline, ValuesChangeLinearlyThenStay) {
    Played p(sceneOf(kDrop, R"(, "timeline": [
        {"at": 2, "until": 4, "set": "materials.water.damping", "from": 1, "to": 0},
        {"at": 3, "set": "world.gravity", "to": [0, -1, 0]},
        {"at": 1, "until": 2, "set": "solver.iterations", "from": 2, "to": 6},
        {"at": 1, "set": "shapes.gate.velocity", "to": [0, 2, 0]}])"));
    p.at(0);
    EXPECT_EQ(p.world.materials[0].properties.damping, 1);
    EXPECT_EQ(p.world.shapes[0].velocity.y, 0);
    p.at(1.5);
    EXPECT_EQ(p.world.parameters.solver.iterations, 4);
    EXPECT_EQ(p.world.shapes[0].velocity.y, 2);
    p.at(2.5);
    EXPECT_FLOAT_EQ(p.world.materials[0].properties.damping, 0.75f);
    EXPECT_EQ(p.world.parameters.solver.iterations, 6);
    EXPECT_FLOAT_EQ(p.world.parameters.world.gravity.y, -9.81f);
    p.at(5);
    EXPECT_EQ(p.world.materials[0].properties.damping, 0);
    EXPECT_EQ(p.world.parameters.world.gravity.y, -1);
    p.world.parameters.world.gravity.y = -3;
    p.at(6);
    EXPECT_EQ(p.world.parameters.world.gravity.y, -3) << "a hand may change it afterwards";
}

TEST(Timeline, ValuesOscillateUntilTheEndOfTheSwing) {
    const Scene scene = sceneOf(kDrop, R"(, "fields": [{"name": "pull", "kind": "radial"}], "timeline": [
        {"at": 1, "set": "fields.pull.center", "to": [0, 0.5, 0], "swing": [2, 0, 1], "period": 4},
        {"at": 0, "until": 2.5, "set": "materials.water.damping", "to": 1, "swing": -0.5, "period": 2},
        {"at": 3, "set": "fields.pull.enabled", "to": 0}])");
    Played p(scene);
    const ForceFieldProperties& pull = p.world.forceFields[0].properties;
    const auto near = [](Vec3 a, Vec3 b) { return length(a - b) < 1e-5f; };
    p.at(0);
    EXPECT_EQ(pull.center, (Vec3{0, 0, 0})) << "not yet";
    p.at(1);
    EXPECT_PRED2(near, pull.center, (Vec3{0, 0.5f, 0}));
    p.at(1.5);
    EXPECT_PRED2(near, pull.center, (Vec3{std::sqrt(2.0f), 0.5f, std::sqrt(0.5f)}));
    EXPECT_NEAR(p.world.materials[0].properties.damping, 1.5, 1e-6);
    p.at(4);
    EXPECT_PRED2(near, pull.center, (Vec3{-2, 0.5f, -1}));
    EXPECT_NEAR(p.world.materials[0].properties.damping, 0.5, 1e-6) << "where it was at the end";
    EXPECT_FALSE(pull.enabled);
    p.at(1001.5);
    EXPECT_PRED2(near, pull.center, (Vec3{std::sqrt(2.0f), 0.5f, std::sqrt(0.5f)})) << "for ever";
}

TEST(Timeline, AnOscillatingShapeFollowsItsSineBetweenFrames) {
    Played p(sceneOf(kDrop, R"(, "timeline": [
        {"at": 0, "until": 3, "set": "shapes.gate.position", "to": [0, 1, 0], "swing": [0, 2, 0], "period": 2}])"));
    for (int frame = 0; frame < 240; ++frame) {
        p.timeline.advance(p.world);
        const double t = p.world.time, after = t + 1.0 / 60;
        const auto height = [](double s) { return 1 + 2 * std::sin(std::numbers::pi * std::min(s, 3.0)); };
        EXPECT_NEAR(poseAt(p.world.shapes[0], t).position.y, height(t), 1e-4) << t;
        EXPECT_NEAR(poseAt(p.world.shapes[0], after).position.y, height(after), 1e-4)
            << "led there within the frame";
        p.world.time = after;
    }
}

TEST(Timeline, AReleaseBuildsTheFormOfABodyOnce) {
    // 16,000 particles; forms of blocks are not cached
    Played p(sceneOf(
        R"({"name": "it", "material": "stone", "block": {"size": [2, 2, 2]}, "center": [0, 5, 0], "pinned": true, "copies": {"count": [2, 1, 1], "step": [3, 0, 0]}})",
        R"(, "timeline": [{"at": 0, "release": "it.1"}])"));
    const uint64_t before = builtForms();
    p.at(0);
    EXPECT_EQ(builtForms() - before, 1u);
    const auto x = p.world.particles.x.download();
    ASSERT_EQ(x.size(), 16000u);
    for (size_t i = 0; i < x.size(); ++i)
        ASSERT_FLOAT_EQ(x[i].w, i < 8000 ? 0 : 1.0f / (1000 * 0.001f)) << "of the second copy alone";
}

// Advances frame by frame without a solver; sums up the time as the solver does.
void play(Played& p, int frames, const std::function<void(const Pose& before, const Pose& after)>& see = {}) {
    for (int frame = 0; frame < frames; ++frame) {
        const Pose before = poseAt(p.world.shapes[0], p.world.time);
        p.timeline.advance(p.world);
        if (see) see(before, poseAt(p.world.shapes[0], p.world.time));
        p.world.time += 1.0 / 120 * 2;
    }
}

TEST(Timeline, ANewVelocityStartsAtTheCurrentPosition) {
    Played p(sceneOf(kDrop, R"(, "timeline": [
        {"at": 0, "set": "shapes.gate.velocity", "to": [1, 0, 0]},
        {"at": 1, "set": "shapes.gate.angularVelocity", "to": [0, 0, 90]},
        {"at": 2, "set": "shapes.gate.velocity", "to": [0, -2, 0]},
        {"at": 3, "until": 4, "set": "shapes.gate.velocity", "from": [0, 0, 0], "to": [0, 0, 4]},
        {"at": 5, "set": "shapes.gate.velocity", "to": [0, 0, 0]}])"));
    play(p, 600, [](const Pose& before, const Pose& after) {
        EXPECT_LT(length(after.position - before.position), 1e-5f) << "it does not jump";
        EXPECT_NEAR(after.rotation.z, before.rotation.z, 1e-5f);
    });
    const Pose end = poseAt(p.world.shapes[0], p.world.time);
    EXPECT_NEAR(end.position.x, 2, 1e-4);
    EXPECT_NEAR(end.position.y, -2, 1e-4);
    EXPECT_NEAR(end.position.z, 2 + 4, 1e-4) << "the mean of the ramp, then a second at its end";
    // nine seconds at a quarter turn
    EXPECT_NEAR(std::abs(rotate(end.rotation, {1, 0, 0}).y), 1, 1e-3);
}

TEST(Timeline, AGradualPositionMovesTheShapeEvenly) {
    Played p(sceneOf(kDrop, R"(, "timeline": [
        {"at": 0.995, "until": 2.005, "set": "shapes.gate.position", "from": [0, 0, 0], "to": [0, 6, 0]},
        {"at": 3, "until": 4, "set": "shapes.gate.position", "from": [5, 6, 0], "to": [5, 0, 0]}])"));
    float fastest = 0;
    play(p, 178, [&](const Pose& before, const Pose& after) {
        EXPECT_LT(length(after.position - before.position), 1e-5f) << "it does not jump";
        fastest = std::max(fastest, p.world.shapes[0].velocity.y);
    });
    EXPECT_EQ(p.world.shapes[0].position.y, 6);
    EXPECT_EQ(p.world.shapes[0].velocity.y, 0) << "it stands there";
    EXPECT_LT(fastest, 2 * 6 / 1.01f) << "the first and last frames are begun and ended where the others are";
    play(p, 62);
    EXPECT_EQ(p.world.shapes[0].position.x, 5) << "a way that begins elsewhere begins with a jump";
    EXPECT_NEAR(poseAt(p.world.shapes[0], p.world.time).position.y, 0, 1e-5);
}

TEST(Timeline, ALoadedWorldRestoresThePosesOfShapes) {
    const Scene scene = sceneOf(kDrop, R"(, "timeline": [
        {"at": 4, "set": "world.gravity", "to": [0, -4, 0]},
        {"at": 3, "set": "world.gravity", "to": [0, -3, 0]},
        {"at": 0.5, "set": "shapes.gate.angularVelocity", "to": [10, 0, 90]},
        {"at": 1, "until": 2, "set": "shapes.gate.velocity", "from": [1, 0, 0], "to": [0, 1, 0]},
        {"at": 4, "until": 6, "set": "shapes.gate.position", "from": [0, 3, 0], "to": [3, 3, 3]}])");
    for (const int frames : {45, 90, 200, 300, 400}) {
        Played whole(scene), resumed(scene);
        play(whole, frames);
        resumed.world.time = whole.world.time;
        test::TemporaryFolder folder;
        Played loaded(scene);
        saveState(whole.world, folder / "it.state");
        loadState(loaded.world, folder / "it.state");
        whole.timeline.advance(whole.world);
        for (Played* other : {&resumed, &loaded}) {
            other->timeline.advance(other->world);
            const Shape &a = whole.world.shapes[0], &b = other->world.shapes[0];
            EXPECT_EQ(a.since, b.since);
            EXPECT_EQ(a.position, b.position) << "to the last bit";
            EXPECT_EQ(a.velocity, b.velocity);
            EXPECT_EQ(a.rotation.x, b.rotation.x);
            EXPECT_EQ(a.rotation.z, b.rotation.z);
            EXPECT_EQ(whole.world.parameters.world.gravity, other->world.parameters.world.gravity)
                << "what is later in time has the last word, wherever it stands in the file";
        }
    }
}

TEST(Timeline, ARisingPlateCarriesBodiesOnIt) {
    const Scene scene = readSceneText(
        R"({"materials": {"sand": {"kind": "grains", "spacing": 0.1}},
        "bodies": [{"points": [[0, 0.1, 0]]}], "shapes": [{"name": "plate", "box": {"size": [1, 0.1, 1]}}],
        "timeline": [{"at": 0.5, "until": 1.5, "set": "shapes.plate.position", "from": [0, 0, 0], "to": [0, 6, 0]}]})",
        "t.json");
    Played p(scene);
    Solver solver(p.world);
    for (int frame = 0; frame < 90; ++frame) {
        p.timeline.advance(p.world);
        solver.step();
        const double plate = poseAt(p.world.shapes[0], p.world.time).position.y;
        ASSERT_NEAR(p.world.particles.x.download()[0].y, plate + 0.1, 1e-3) << "frame " << frame;
    }
    EXPECT_NEAR(p.world.particles.v.download()[0].y, 6, 0.1) << "it has the speed of the plate";
}

TEST(Timeline, BodiesAreAddedAtTheirTimeAndNumberedInThatOrder) {
    Played p(sceneOf(
        R"({"name": "late", "material": "stone", "block": {"size": [0.2, 0.2, 0.2]}, "at": 1, "velocity": [1, 0, 0]}, )" +
        kDrop));
    EXPECT_EQ(p.world.count(), 1u);
    EXPECT_EQ(countParticles(p.scene), 9u) << "memory is planned for all";
    p.at(0);
    EXPECT_EQ(p.world.count(), 1u);
    p.at(1);
    ASSERT_EQ(p.world.count(), 9u);
    p.at(2);
    EXPECT_EQ(p.world.count(), 9u) << "once";
    ASSERT_EQ(p.world.groups.size(), 2u);
    EXPECT_EQ(p.world.groups[1].name, "late");
    EXPECT_EQ(p.world.bodies.size(), 1u);
    const GroupNames names(p.scene);
    EXPECT_EQ(names.find("late")->first, 1u);
    EXPECT_EQ(names.bodyOf(1).body, 0u);
    EXPECT_EQ(names.bodyOf(0).body, 1u);
}

TEST(Timeline, APinnedBodyDoesNotMoveUntilReleased) {
    const Scene scene = sceneOf(
        R"({"name": "it", "material": "stone", "block": {"size": [0.2, 0.2, 0.2]}, "center": [0, 5, 0], "pinned": true})",
        R"(, "timeline": [{"at": 0.5, "release": "it"}])");
    Played p(scene);
    Solver solver(p.world);
    const auto height = [&] { return p.world.particles.x.download()[0].y; };
    const float start = height();
    for (int frame = 0; frame < 60; ++frame) {
        p.timeline.advance(p.world);
        solver.step();
        if (frame == 28) {
            EXPECT_EQ(height(), start);
        }
    }
    // half a second of fall
    EXPECT_NEAR(start - height(), 0.5 * 9.81 * 0.25, 0.06);
}

TEST(Timeline, ErrorsAreExplained) {
    const auto complaint = [](const std::string& command) {
        try {
            sceneOf(kDrop, R"(, "timeline": [)" + command + "]");
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    EXPECT_THAT(complaint(R"({"at": 1, "set": "materials.watre.damping", "to": 0})"),
                HasSubstr("no material is called \"watre\". Did you mean \"water\"?"));
    EXPECT_THAT(complaint(R"({"at": 1, "set": "materials.water.dampin", "to": 0})"),
                HasSubstr("Did you mean \"damping\"?"));
    EXPECT_THAT(complaint(R"({"at": 1, "set": "materials.water.spacing", "to": 1})"),
                HasSubstr("fixed when particles are spawned"));
    EXPECT_THAT(complaint(R"({"at": 1, "set": "wrld.gravity", "to": 1})"),
                HasSubstr("Did you mean \"world\"?"));
    EXPECT_THAT(complaint(R"({"at": 1, "set": "world.gravity", "to": 1})"), HasSubstr("three numbers"));
    for (const char* fixed : {"solver.planar", "neighbors.capacity"})
        EXPECT_THAT(complaint(R"({"at": 1, "to": 1, "set": ")" + std::string(fixed) + "\"}"),
                    HasSubstr("fixed when particles are spawned"));
    EXPECT_THAT(complaint(R"({"at": 1, "set": "solver.overflow", "to": 1})"),
                HasSubstr("set by a word: grow, fail, clamp"));
    EXPECT_THAT(complaint(R"({"at": 1, "set": "solver.substeps", "to": 1e6})"), HasSubstr("out of range"));
    EXPECT_THAT(complaint(R"({"at": 1, "set": "shapes.gate.size", "to": 1})"),
                HasSubstr("position, velocity"));
    EXPECT_THAT(complaint(R"({"at": 1, "until": 0.5, "set": "solver.substeps", "from": 1, "to": 2})"),
                HasSubstr("later than `at`"));
    EXPECT_THAT(complaint(R"({"at": 1, "until": 2, "set": "solver.substeps", "to": 2})"),
                HasSubstr("until and from must be given together"));
    EXPECT_THAT(complaint(R"({"at": 1, "release": "dorp"})"), HasSubstr("Did you mean \"drop\"?"));
    EXPECT_THAT(complaint(R"({"at": 1, "set": "fields.pull.strength", "to": 1})"),
                HasSubstr("no force field is called \"pull\""));
    EXPECT_THAT(complaint(R"({"at": 1, "set": "world.gravity", "to": [0, 0, 0], "swing": 1})"),
                HasSubstr("swing needs `to`"));
    EXPECT_THAT(complaint(R"({"at": 1, "set": "solver.substeps", "to": 2, "swing": 5})"),
                HasSubstr("-3 is out of range"));
    EXPECT_THAT(complaint(R"({"at": 1})"),
                HasSubstr("exactly one of set, release, grab, drag, letGo and cut"));
}

TEST(Timeline, CommandsWithoutEffectAreErrors) {
    const auto complaint = [](const std::string& command) {
        try {
            readSceneText(
                R"({"materials": {"stone": {"kind": "rigid", "spacing": 0.1}, "water": {"spacing": 0.1}},
                "shapes": [{"name": "lid", "box": {"size": [1, 1, 1]},
                    "keys": [{"t": 0, "position": [0, 0, 0]}, {"t": 1, "position": [0, 1, 0]}]}],
                "bodies": [{"name": "drop", "material": "water", "points": [[0, 5, 0]]},
                    {"name": "held", "material": "stone", "block": {"size": [0.2, 0.2, 0.2]}, "pinned": true, "copies": {"count": [2, 1, 1], "step": [1, 1, 1]}},
                    {"name": "late", "material": "stone", "block": {"size": [0.2, 0.2, 0.2]}, "at": 2, "pin": {"min": [-1, -1, -1], "max": [1, 1, 1]}}],
                "timeline": [
)" + command + "]}",
                "t.json");
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    for (const char* name : {"position", "velocity", "angularVelocity"}) {
        const std::string said =
            complaint(R"({"at": 1, "set": "shapes.lid.)" + std::string(name) + R"(", "to": [0, 1, 0]})");
        EXPECT_THAT(said, HasSubstr("t.json:8: timeline.0.set: shapes.lid."));
        EXPECT_THAT(said, HasSubstr("moves by its keys"));
    }
    EXPECT_EQ(complaint(R"({"at": 1, "set": "shapes.lid.friction", "to": 0})"), "none");

    EXPECT_THAT(complaint(R"({"at": 1, "release": "drop"})"),
                HasSubstr("t.json:8: timeline.0.release: \"drop\" is not pinned"));
    EXPECT_THAT(complaint(R"({"at": 1, "release": "water"})"), HasSubstr("not pinned"));
    EXPECT_THAT(complaint(R"({"at": 1, "release": "late"})"),
                HasSubstr("\"late\" is added at 2 s, after its release at 1 s"));
    for (const char* name : {"held", "held.1", "stone"})
        EXPECT_EQ(complaint(R"({"at": 1, "release": ")" + std::string(name) + "\"}"), "none");
    EXPECT_EQ(complaint(R"({"at": 2, "release": "late"})"), "none");
}

TEST(Copies, EachIsASeparateBody) {
    const Scene scene = sceneOf(
        R"({"name": "bunny", "material": "stone", "shape": "bunny", "height": 0.6, "center": [0, 3, 0],
            "copies": {"count": [3, 2, 2], "step": [1, 1.5, 2], "turn": 180}}, )" +
            kDrop,
        R"(, "expect": {"pose": {"group": "bunny.7", "max": 1}, "all": {"check": "pose", "group": "bunny", "max": 1}})");
    Exec exec({.backend = "cpu", .threads = 1});
    World world(exec);
    buildWorld(scene, world);
    ASSERT_EQ(world.bodies.size(), 12u);
    ASSERT_EQ(world.groups.size(), 13u);
    EXPECT_EQ(world.groups[7].name, "bunny.7");
    EXPECT_EQ(world.bodies[0].skin, world.bodies[11].skin) << "made once";
    EXPECT_EQ(world.count(), countParticles(scene));
    const auto form = formOf(scene, scene.bodies[0]);
    EXPECT_EQ(form, formOf(scene, scene.bodies[0])) << "sampled once";
    // the mass is that of the volume
    EXPECT_NEAR(form->particleMass * double(form->points.size()), 1000 * form->solid->volume(), 0.01);
    const GroupNames names(scene);
    EXPECT_EQ(names.find("bunny")->count, 12u);
    EXPECT_EQ(names.find("bunny.7")->first, 7u);
    EXPECT_FALSE(names.find("bunny.12").has_value());
    EXPECT_FALSE(names.find("drop.1").has_value());
    // the lattice: copy 7 is (1, 0, 1) of 3 × 2 × 2
    const BodyPose pose = poseOf(scene, 0, 7);
    EXPECT_NEAR(pose.center[0], 0, 1e-12);
    EXPECT_NEAR(pose.center[1], 3 - 0.75, 1e-12);
    EXPECT_NEAR(pose.center[2], 1, 1e-12);
    EXPECT_NE(pose.rotation, poseOf(scene, 0, 8).rotation);
    EXPECT_EQ(pose.rotation, poseOf(scene, 0, 7).rotation) << "by the seed alone";
    Scene other = scene;
    other.seed = 2;
    EXPECT_NE(pose.rotation, poseOf(other, 0, 7).rotation);
}

TEST(Copies, RotationsAreBoundedOrUniform) {
    Scene scene = sceneOf(
        R"({"name": "a", "material": "water", "points": [[0, 0, 0]], "copies": {"count": [4096, 1, 1], "step": [1, 1, 1], "turn": 30}})");
    double most = 0;
    for (uint32_t copy = 0; copy < 4096; ++copy)
        most = std::max(most, angleOf(poseOf(scene, 0, copy).rotation));
    const double degree = std::numbers::pi / 180;
    EXPECT_LE(most, 30 * degree + 1e-9);
    EXPECT_GT(most, 29 * degree);
    scene.bodies[0].copies.turn = 180;
    Vec3d mean{};
    double angle = 0;
    for (uint32_t copy = 0; copy < 4096; ++copy) {
        const Quatd q = poseOf(scene, 0, copy).rotation;
        const Vec3d up = rotate(q, {0, 1, 0});
        for (int k = 0; k < 3; ++k) mean[k] += up[k] / 4096;
        angle += angleOf(q) / 4096;
    }
    for (const double c : mean) EXPECT_NEAR(c, 0, 0.03) << "no direction is preferred";
    EXPECT_NEAR(angle, std::numbers::pi / 2 + 2 / std::numbers::pi, 0.03)
        << "mean angle of a uniform rotation";
}

TEST(OverlapCheck, OverlapOfSolidsIsFoundByParticles) {
    const auto overlaps = [](const std::string& place) {
        return startOverlaps(sceneOf(
            R"({"name": "a", "material": "stone", "shape": "torus", "height": 2}, {"name": "b", "material": "stone", "block": {"size": [0.3, 0.3, 0.3]}, "center": )" +
            place + "}"));
    };
    EXPECT_TRUE(overlaps("[0, 0, 0]").empty())
        << "in the hole of the ring: the boxes overlap, the bodies do not";
    const auto found = overlaps("[0, 0.75, 0]");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].name, "b");
    EXPECT_EQ(found[0].otherName, "a");
    EXPECT_TRUE(overlaps("[0, 5, 0]").empty());
}

TEST(Bodies, AMissingMeshIsReplacedByTheShapeWithANote) {
    const Scene scene = sceneOf(
        R"({"name": "a", "material": "stone", "shape": "bunny", "mesh": "not_there.ply", "height": 0.6})");
    ASSERT_EQ(scene.notes.size(), 1u);
    EXPECT_THAT(scene.notes[0], HasSubstr("not_there.ply not found; using the shape bunny instead"));
    const Scene plain = sceneOf(R"({"name": "a", "material": "stone", "shape": "bunny", "height": 0.6})");
    EXPECT_EQ(countParticles(scene), countParticles(plain));
    EXPECT_TRUE(plain.notes.empty());
}

TEST(Bodies, ReadingASceneDoesNotSampleItsMeshes) {
    // 35 million particles: sampling them takes minutes
    const uint64_t before = builtForms();
    const Scene scene = sceneOf(
        R"({"name": "a", "material": "stone", "shape": "cube", "mesh": "not_there.ply", "height": 1, "spacing": 0.00305})");
    ASSERT_EQ(scene.notes.size(), 1u);
    EXPECT_NEAR(double(countParticles(scene)), 1 / std::pow(0.00305, 3), 1e5);
    EXPECT_EQ(builtForms(), before);
}

TEST(Bodies, ABodyWithTooManyParticlesIsAnErrorWithItsLine) {
    const auto complaint = [](const std::string& more) {
        try {
            sceneOf(
                "\n"
                R"({"name": "a", "material": "stone", "shape": "cube", "height": 1, )" +
                more + "}");
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    EXPECT_THAT(
        complaint(R"("spacing": 0.0019)"),
        HasSubstr("t.json:3: bodies.a: a solid of 1 by 1 by 1 m has too many particles at a spacing"));
    EXPECT_EQ(complaint(R"("spacing": 0.0021)"), "none");
    EXPECT_THAT(complaint(R"("surface": true, "spacing": 0.0016)"),
                HasSubstr("t.json:3: bodies.a: a surface of 6 m² has too many particles at a spacing"));
    EXPECT_EQ(complaint(R"("surface": true, "spacing": 0.0018)"), "none");
}

TEST(Bodies, ErrorsOfSolidsAreExplained) {
    const auto complaint = [](const std::string& body) {
        try {
            sceneOf(R"({"name": "a", "material": "stone", )" + body + "}");
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    EXPECT_THAT(complaint(R"("shape": "bunnny")"), HasSubstr("Did you mean \"bunny\"?"));
    EXPECT_THAT(complaint(R"("shape": "torus", "tub": 0.1)"), HasSubstr("tub: unknown key"));
    EXPECT_THAT(complaint(R"("shape": "bunny", "tube": 0.1)"), HasSubstr("tube: unknown key"));
    EXPECT_THAT(complaint(R"("shape": "torus", "tube": 50)"), HasSubstr("out of range"));
    EXPECT_THAT(complaint(R"("shape": "bunny", "block": {"size": [1, 1, 1]})"),
                HasSubstr("can only be one of"));
    EXPECT_THAT(complaint(R"("block": {"size": [1, 1, 1]}, "height": 2)"), HasSubstr("height: unknown key"));
    EXPECT_THAT(complaint(R"("shape": "cube", "copies": {"count": [1.5, 1, 1], "step": [1, 1, 1]})"),
                HasSubstr("must be integers"));
    EXPECT_THAT(complaint(R"("shape": "cube", "copies": {"count": [2000, 2000, 1], "step": [2, 2, 2]})"),
                HasSubstr("bodies with all copies"));
}

TEST(Bodies, RotationAngularVelocityAndFormsOfSolids) {
    const Scene scene = sceneOf(
        R"({"name": "a", "material": "water", "points": [[1, 0, 0]], "center": [0, 3, 0], "rotation": [0, 0, 90], "angularVelocity": [0, 0, 180]})");
    Exec exec({.backend = "cpu", .threads = 1});
    World world(exec);
    buildWorld(scene, world);
    const Vec4 x = world.particles.x.download()[0], v = world.particles.v.download()[0];
    EXPECT_NEAR(x.x, 0, 1e-6);
    EXPECT_NEAR(x.y, 4, 1e-6);
    EXPECT_NEAR(v.x, -std::numbers::pi, 1e-5) << "half a turn a second, one meter above the center";
    EXPECT_NEAR(v.y, 0, 1e-5);

    // the particles of a solid block have signed distances
    const Scene block = sceneOf(R"({"name": "a", "material": "stone", "block": {"size": [0.4, 0.4, 0.4]}})");
    const auto form = formOf(block, block.bodies[0]);
    ASSERT_EQ(form->samples.size(), 64u);
    for (const BodySample& s : form->samples) {
        const float deep = 0.2f - std::max({std::abs(s.x.x), std::abs(s.x.y), std::abs(s.x.z)});
        EXPECT_NEAR(s.distance, -deep, 1e-4f);
    }
    // on the surface only: fewer particles, the same mass
    const Scene hollow =
        sceneOf(R"({"name": "a", "material": "stone", "shape": "sphere", "height": 1.5, "surface": true})");
    const auto shell = formOf(hollow, hollow.bodies[0]);
    for (const BodySample& s : shell->samples) EXPECT_NEAR(length(s.x), 0.75, 0.01);
    EXPECT_NEAR(shell->particleMass * double(shell->points.size()),
                1000 * 4.0 / 3 * std::numbers::pi * 0.421875, 20);
}

}  // namespace
}  // namespace coalesce
