// Tracks, time scale, tools in the timeline, cameras, shots.
#include <cmath>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "scene/build/build.h"
#include "scene/format/writer.h"
#include "scene/reader.h"
#include "scene/timeline/film_camera.h"
#include "scene/timeline/measurements.h"
#include "scene/timeline/timeline.h"
#include "sim/solver/solver.h"
#include "sim/state/state_file.h"
#include "sim/state/state_hash.h"
#include "sim/world/time_step.h"
#include "support/small_scene.h"

namespace coalesce {
namespace {

using testing::HasSubstr;

// ---- the timeline ----

Scene sceneWith(const std::string& more, const std::string& solver = R"("substeps": 2)") {
    return readSceneText(
        R"({"duration": 2, "solver": {)" + solver + R"(},
        "materials": {"sand": {"kind": "grains", "spacing": 0.1}, "water": {"spacing": 0.1}},
        "shapes": [{"name": "floor", "plane": {"normal": [0, 1, 0]}}, {"name": "gate", "box": {"size": [0.2, 0.2, 0.2]}, "position": [2, 2, 2]}],
        "bodies": [{"name": "heap", "material": "sand", "block": {"min": [0, 0.1, 0], "max": [0.4, 0.5, 0.4]}},
                   {"name": "pool", "material": "water", "block": {"min": [0.8, 0, 0], "max": [1.2, 0.3, 0.4]}}],)" +
            (more.find("\"cameras\"") == std::string::npos && more.find("\"camera\": {") == std::string::npos
                 ? R"("camera": {"name": "wide", "eye": [3, 2, 3], "look": [0, 0, 0]})" +
                       std::string(more.empty() ? "" : ",")
                 : "") +
            "\n" + more + "}",
        "f.json");
}

struct FilmRun {
    Scene scene;
    Exec exec{{.backend = "cpu", .threads = 1}};
    World world{exec};
    Solver solver{world};
    Timeline timeline;
    explicit FilmRun(const Scene& s) : scene(s), timeline(s) { buildWorld(scene, world); }
    void frames(int count) {
        for (int k = 0; k < count; ++k) timeline.advance(world), solver.step();
    }
    uint64_t hash() { return stateHash(world); }
};

TEST(Tracks, SetNumbersVectorsSwitchesAndChoices) {
    FilmRun run(sceneWith(R"("tracks": [
        {"set": "world.gravity", "expr": ["0", "-9.81 * (1 - t) ", "0"]},
        {"set": "materials.sand.damping", "keys": [{"t": 0, "value": 0}, {"t": 1, "value": 1, "ease": "smooth"}]},
        {"set": "solver.iterations", "keys": [{"t": 0, "value": 2}, {"t": 1, "value": 8}]},
        {"set": "solver.method", "keys": [{"t": 0, "word": "position"}, {"t": 0.5, "word": "velocity"}]}])"));
    const auto at = [&](double t) {
        run.world.time = t;
        run.timeline.advance(run.world);
    };
    at(0.25);
    EXPECT_FLOAT_EQ(run.world.parameters.world.gravity.y, -9.81f * 0.75f);
    EXPECT_FLOAT_EQ(run.world.materials[0].properties.damping, 0.15625f);
    EXPECT_EQ(run.world.parameters.solver.iterations, 4) << "3.5, rounded";
    EXPECT_EQ(run.world.parameters.solver.method, Method::position);
    at(0.5);
    EXPECT_EQ(run.world.parameters.solver.method, Method::velocity);
    at(0.25);
    EXPECT_EQ(run.world.parameters.solver.method, Method::position) << "a function of time alone";
}

TEST(Tracks, ACommandSetsAChoiceByItsWord) {
    FilmRun run(sceneWith(R"("timeline": [{"at": 0.02, "set": "solver.method", "word": "velocity"}])"));
    run.frames(1);
    EXPECT_EQ(run.world.parameters.solver.method, Method::position);
    run.frames(2);
    EXPECT_EQ(run.world.parameters.solver.method, Method::velocity);
}

TEST(Tracks, MoveShapesEvenlyWithinFrames) {
    FilmRun run(
        sceneWith(R"("tracks": [{"set": "shapes.gate.position", "expr": ["t", "1 + sin(2 * t) ", "0"]}])"));
    run.frames(1);
    for (int k = 0; k < 40; ++k) {
        const Vec3 p = poseAt(run.world.shapes[1], run.world.time).position;
        EXPECT_NEAR(p.x, run.world.time, 1e-5);
        EXPECT_NEAR(p.y, 1 + std::sin(2 * run.world.time), 1e-5);
        run.frames(1);
        EXPECT_GT(length(run.world.shapes[1].velocity), 0.9f) << "collisions see a motion";
    }
}

TEST(Tracks, MeasuresAreMeansInDouble) {
    FilmRun run(sceneWith(""));
    run.frames(7);
    const std::vector<Vec4> x = run.world.particles.x.download(), v = run.world.particles.v.download();
    const std::vector<uint32_t> phase = run.world.particles.phase.download();
    const GroupNames names(run.scene);
    double count = 0, sum[3] = {}, speed[3] = {}, top = -1e9;
    for (size_t i = 0; i < x.size(); ++i) {
        if (!names.find("pool")->has(phase[i])) continue;
        count += 1, sum[0] += double(x[i].x), sum[1] += double(x[i].y), sum[2] += double(x[i].z);
        speed[0] += double(v[i].x), speed[1] += double(v[i].y), speed[2] += double(v[i].z);
        top = std::max(top, double(x[i].y));
    }
    Measurements m(names, run.world);
    EXPECT_EQ(m.valueOf({Measure::count, "pool"}), count);
    EXPECT_NEAR(m.valueOf({Measure::x, "pool"}), sum[0] / count, 4e-6);
    EXPECT_NEAR(m.valueOf({Measure::y, "pool"}), sum[1] / count, 4e-6);
    EXPECT_NEAR(m.valueOf({Measure::z, "pool"}), sum[2] / count, 4e-6);
    EXPECT_NEAR(m.valueOf({Measure::speed, "pool"}), std::hypot(speed[0], speed[1], speed[2]) / count, 4e-6);
    EXPECT_EQ(m.valueOf({Measure::top, "pool"}), top);
    EXPECT_EQ(m.valueOf({Measure::x, "gate"}), 2);
}

TEST(Tracks, ALoadedStateContinuesWithTheSameBits) {
    const Scene scene = sceneWith(R"("tracks": [
        {"set": "solver.timeScale", "keys": [{"t": 0, "value": 1}, {"t": 0.3, "value": 0.3, "ease": "spline"}, {"t": 0.6, "value": 1}]},
        {"set": "world.gravity", "expr": ["speed(pool) ", "-9.81 + noise(5 * film) ", "y(heap) "]},
        {"set": "shapes.gate.position", "keys": [{"t": 0, "value": [-1, 0.1, 0.2]}, {"t": 0.5, "value": [1, 0.1, 0.2], "ease": "smooth"}]}],
        "timeline": [{"at": 0.1, "throw": {"from": [0.2, 1.5, 0.2], "velocity": [0, -3, 0]}, "every": 0.15, "until": 0.45},
                     {"at": 0.2, "until": 0.4, "pour": {"material": "water", "from": [1, 1.5, 0.2], "velocity": [0, -2, 0]}},
                     {"at": 0.1, "gust": {"from": [-1, 0.3, 0.2], "velocity": [5, 0, 0]}, "until": 0.3, "clock": "film"}])");
    FilmRun whole(scene);
    test::TemporaryFolder folder;
    std::vector<uint64_t> hashes;
    for (int frame = 1; frame <= 40; ++frame) {
        whole.frames(1);
        hashes.push_back(whole.hash());
        if (frame == 1 || frame == 9 || frame == 22)
            saveState(whole.world, folder / (std::to_string(frame) + ".state"));
    }
    for (const int from : {1, 9, 22}) {
        FilmRun resumed(scene);
        loadState(resumed.world, folder / (std::to_string(from) + ".state"));
        resumed.timeline.catchUp(resumed.world);
        for (int frame = from + 1; frame <= 40; ++frame) {
            resumed.frames(1);
            ASSERT_EQ(resumed.hash(), hashes[size_t(frame - 1)]) << "frame " << frame << " from " << from;
        }
    }
    FilmRun again(scene);
    again.frames(40);
    EXPECT_EQ(again.hash(), hashes.back());
}

// Bodies that the timeline adds are in saved states, with all that their groups, tables and springs say, also where a ball
// was thrown after them and where a sink has taken the first of them.
TEST(LaterBodies, ALoadedStateContinuesWithTheSameBits) {
    const Scene scene = readSceneText(R"({"duration": 2, "solver": {"substeps": 2},
        "materials": {"sand": {"kind": "grains", "spacing": 0.1}, "iron": {"kind": "rigid", "spacing": 0.1},
                      "jelly": {"kind": "soft", "spacing": 0.1}, "linen": {"kind": "cloth", "spacing": 0.1}},
        "shapes": [{"name": "floor", "plane": {"normal": [0, 1, 0]}}],
        "sinks": [{"name": "hole", "box": {"size": [0.1, 2, 0.1]}, "position": [1.05, 0, 0.05], "actsOn": ["sand"]}],
        "bodies": [{"name": "heap", "material": "sand", "block": {"min": [0, 0.1, 0], "max": [0.4, 0.5, 0.4]}},
                   {"name": "ghost", "material": "sand", "block": {"min": [1, 0.1, 0], "max": [1.2, 0.3, 0.2]},
                    "collisionMask": [], "at": 0.1},
                   {"name": "anvil", "material": "iron", "block": {"size": [0.3, 0.3, 0.3]}, "center": [0.2, 0.9, 0.2], "at": 0.12},
                   {"name": "hung", "material": "sand", "block": {"min": [2, 0.6, 0], "max": [2.2, 0.8, 0.2]},
                    "pinned": true, "at": 0.2},
                   {"name": "pudding", "material": "jelly", "block": {"size": [0.3, 0.3, 0.3]}, "center": [3, 0.4, 0], "at": 0.2,
                    "copies": {"count": [2, 1, 1], "step": [0.5, 0, 0]}},
                   {"name": "flag", "material": "linen", "grid": {"size": [0.4, 0, 0.4]}, "center": [0.2, 1.4, 0.2], "at": 0.25}],
        "springs": [{"name": "leash", "from": {"body": "anvil", "at": [0.2, 1, 0.2]}, "to": {"body": "pudding.1", "at": [3.4, 0.4, 0]},
                     "material": "linen"}],
        "timeline": [{"at": 0.3, "throw": {"from": [0.2, 1.5, 0.2], "velocity": [0, -3, 0]}},
                     {"at": 0.45, "release": "hung"}, {"at": 0.5, "grab": "hung", "index": 3},
                     {"at": 0.5, "until": 0.6, "drag": [2, 2, 0]}]})",
                                      "l.json");
    FilmRun whole(scene);
    test::TemporaryFolder folder;
    for (int frame = 1; frame <= 40; ++frame) {
        whole.frames(1);
        if (frame % 3 == 0) saveState(whole.world, folder / (std::to_string(frame) + ".state"));
    }
    ASSERT_EQ(whole.world.mouseConstraints.size(), 1u);
    EXPECT_GT(whole.world.spawning.removedBySink[0], 0u);
    float lowest = 0, highest = 0;  // of the ghost, which the floor does not hold, and of what was dragged
    for (const Vec4& x : whole.world.particles.x.download())
        lowest = std::min(lowest, x.y), highest = std::max(highest, x.y);
    EXPECT_LT(lowest, -0.5f);
    EXPECT_GT(highest, 1.2f);
    for (int from = 3; from < 40; from += 3) {
        FilmRun resumed(scene);
        loadState(resumed.world, folder / (std::to_string(from) + ".state"));
        resumed.frames(40 - from);
        EXPECT_EQ(resumed.hash(), whole.hash()) << "from frame " << from;
        EXPECT_EQ(resumed.world.groups.size(), whole.world.groups.size());
    }
}

// What is refused leaves the world as it was, also where bodies had to be added first.
TEST(LaterBodies, ARefusedStateChangesNothing) {
    const auto scene = [](const char* size) {
        return readSceneText(R"({"materials": {"iron": {"kind": "rigid", "spacing": 0.1}},
            "bodies": [{"name": "a", "material": "iron", "block": {"size": [0.3, 0.3, 0.3]}},
                       {"name": "b", "material": "iron", "block": {"size": )" +
                                 std::string(size) + R"(}, "center": [1, 0, 0], "at": 0.1}]})",
                             "r.json");
    };
    test::TemporaryFolder folder;
    FilmRun saved(scene("[0.3, 0.3, 0.3]")), other(scene("[0.4, 0.3, 0.3]"));
    saved.frames(12);
    ASSERT_EQ(saved.world.bodies.size(), 2u);
    saveState(saved.world, folder / "s.state");
    const uint64_t before = other.hash();
    EXPECT_THROW(loadState(other.world, folder / "s.state"), Error);
    EXPECT_EQ(other.hash(), before);
    EXPECT_EQ(other.world.bodies.size(), 1u);
    EXPECT_EQ(other.world.groups.size(), 1u);
    other.frames(12);
    EXPECT_EQ(other.world.bodies.size(), 2u);
}

// ---- time scale ----

TEST(TimeScale, OneChangesNoBit) {
    FilmRun plain(sceneWith("")),
        scaled(sceneWith(R"("tracks": [{"set": "solver.timeScale", "keys": [{"t": 0, "value": 1}]}])"));
    for (int k = 0; k < 20; ++k) {
        plain.frames(1), scaled.frames(1);
        ASSERT_EQ(plain.hash(), scaled.hash());
    }
}

TEST(TimeScale, AHalfIsTheRunWithTwiceTheFrames) {
    FilmRun slow(sceneWith(R"("tracks": [{"set": "solver.timeScale", "keys": [{"t": 0, "value": 0.5}]}])"));
    FilmRun fine(sceneWith("", R"("substeps": 1, "frameRate": 120)"));
    for (int k = 0; k < 20; ++k) {
        slow.frames(1), fine.frames(1);
        ASSERT_EQ(slow.world.time, fine.world.time);
        ASSERT_EQ(slow.hash(), fine.hash());
    }
}

TEST(TimeScale, SubstepsAreNeverLongerThanInRealTime) {
    Parameters::Solver solver;
    solver.substeps = 6;
    const double real = longestSubstep(solver);
    for (const float scale : {0.01f, 0.1f, 0.25f, 0.3f, 0.5f, 0.99f, 1.0f, 2.0f, 10.0f}) {
        solver.timeScale = scale;
        EXPECT_LE(longestSubstep(solver), real * (1 + 1e-4)) << scale;
        EXPECT_NEAR(frameLength(solver), double(scale) / 60, 1e-12);
    }
    solver.timeScale = 0.5f;
    EXPECT_EQ(fixedSubsteps(solver), 3);
}

TEST(TimeScale, SimulatedTimeIsItsSumOverFrames) {
    FilmRun run(sceneWith(
        R"("tracks": [{"set": "solver.timeScale", "keys": [{"t": 0, "value": 1}, {"t": 0.5, "value": 0.2}]}])"));
    double expected = 0;
    for (int k = 0; k < 40; ++k) {
        run.frames(1);
        expected += (k < 30 ? 1 - 0.8 * (k / 60.0) / 0.5 : 0.2) / 60;
        EXPECT_NEAR(run.world.time, expected, 1e-8);
    }
}

// ---- commands ----

TEST(FilmCommands, ThrowRepeatsAtItsTimes) {
    FilmRun run(sceneWith(
        R"("timeline": [{"at": 0.1, "every": 0.1, "until": 0.35, "throw": {"from": [0, 3, 0], "velocity": [0, 30, 0]}}])"));
    const size_t groups = run.world.groups.size();
    std::vector<int> thrown;  // frames
    size_t before = groups;
    for (int k = 0; k < 40; ++k) {
        run.frames(1);
        if (run.world.groups.size() > before) thrown.push_back(k);
        before = run.world.groups.size();
    }
    EXPECT_EQ(thrown, (std::vector<int>{6, 12, 18}));
}

TEST(FilmCommands, EveryFewFramesOfFilmInSlowMotionToo) {
    FilmRun run(sceneWith(R"("tracks": [{"set": "solver.timeScale", "keys": [{"t": 0, "value": 0.25}]}],
        "timeline": [{"at": 0, "everyFrames": 10, "clock": "film", "throw": {"from": [0, 3, 0], "velocity": [0, 90, 0]}}])"));
    const size_t groups = run.world.groups.size();
    run.frames(35);
    EXPECT_EQ(run.world.groups.size() - groups, 4u) << "frames 0, 10, 20, 30";
}

TEST(FilmCommands, PourLastsUntilItsEnd) {
    FilmRun run(sceneWith(
        R"("timeline": [{"at": 0.1, "until": 0.2, "pour": {"material": "water", "from": [1, 2, 0.2], "velocity": [0, -3, 0]}}])"));
    const size_t start = run.world.count();
    run.frames(6);
    EXPECT_EQ(run.world.count(), start);
    run.frames(6);
    const size_t poured = run.world.count();
    EXPECT_GT(poured, start);
    run.frames(10);
    EXPECT_EQ(run.world.count(), poured);
}

TEST(FilmCommands, APresetSetsItsValues) {
    test::TemporaryFolder folder;
    test::writeText(folder / "moon.json",
                    R"({"values": {"world.gravity": [0, -1.6, 0], "materials.sand.damping": 2}})");
    const std::string scene =
        R"({"materials": {"sand": {"kind": "grains", "spacing": 0.1}}, "bodies": [{"points": [[0, 1, 0]]}],
        "timeline": [{"at": 0.05, "preset": "moon.json"}]})";
    test::writeText(folder / "s.json", scene);
    FilmRun run(readScene(folder / "s.json", {}));
    run.frames(3);
    EXPECT_FLOAT_EQ(run.world.parameters.world.gravity.y, -9.81f);
    run.frames(1);
    EXPECT_FLOAT_EQ(run.world.parameters.world.gravity.y, -1.6f);
    EXPECT_EQ(run.world.materials[0].properties.damping, 2);
    test::writeText(folder / "moon.json", R"({"values": {"materials.sand.spacing": 0.2}})");
    try {
        readScene(folder / "s.json", {});
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(),
                    HasSubstr("s.json:2: timeline.0.preset: it sets materials.sand.spacing, which is fixed"));
    }
}

// ---- cameras ----

TEST(FilmCamera, CutsBlendsFollowsAndAims) {
    FilmRun run(sceneWith(R"("cameras": [
            {"name": "wide", "eye": [4, 0, 0], "look": [0, 0, 0], "fov": 40},
            {"name": "aim", "eye": [0, 5, 0], "look": [9, 9, 9], "target": "gate"},
            {"name": "chase", "eye": [0, 1, 3], "look": [0, 0, 0], "follow": "pool"},
            {"name": "round", "eye": [2, 1, 0], "look": [0, 1, 0], "orbit": 90}],
        "timeline": [{"at": 0.5, "camera": "aim"}, {"at": 1, "camera": "chase", "blend": 0.5}])"));
    const FilmCamera film(run.scene);
    const auto at = [&](uint64_t frame, std::optional<size_t> camera = {}) {
        run.world.frame = frame;
        return film.at(run.world, camera);
    };
    EXPECT_TRUE(film.moves());
    EXPECT_EQ(at(29).eye, (Vec3d{4, 0, 0}));
    EXPECT_EQ(at(29).fov, 40);
    EXPECT_EQ(at(30).eye, (Vec3d{0, 5, 0}));
    EXPECT_EQ(at(30).look, (Vec3d{2, 2, 2}));
    const FilmView chase = at(0, 2);
    EXPECT_NEAR(chase.look[0], 1.0, 0.06) << "the pool's center";
    EXPECT_NEAR(chase.eye[2] - chase.look[2], 3, 1e-6);
    EXPECT_NEAR(at(75).eye[1], 0.5 * (5 + at(75, 2).eye[1]), 1e-9) << "half way";
    EXPECT_EQ(at(90).eye, at(90, 2).eye);
    EXPECT_LT(length(at(60, 3).eye - Vec3d{0, 1, -2}), 1e-6) << "a quarter turn";
    EXPECT_LT(length(at(120, 3).eye - Vec3d{-2, 1, 0}), 1e-6);
}

TEST(FilmCamera, AKeyWithACutStartsANewPath) {
    const Scene scene =
        sceneWith(R"("cameras": [{"name": "fly", "eye": [1, 1, 1], "look": [0, 0, 0], "keys": [
        {"t": 0, "eye": [0, 1, 5], "look": [0, 0, 0]}, {"t": 1, "eye": [2, 1, 5], "look": [0, 0, 0]},
        {"t": 2, "eye": [9, 1, 5], "look": [0, 0, 0], "cut": true}, {"t": 3, "eye": [9, 3, 5], "look": [0, 0, 0]}]}])");
    const CameraMotion motion(scene.cameras[0]);
    const auto at = [&](double t) {
        return motion.at(t, [](const std::string&) { return std::nullopt; }).eye;
    };
    EXPECT_LT(length(at(0.5) - Vec3d{1, 1, 5}), 1e-9) << "the cut does not bend the path before";
    EXPECT_EQ(at(1.99), (Vec3d{2, 1, 5}));
    EXPECT_EQ(at(2), (Vec3d{9, 1, 5}));
    EXPECT_LT(length(at(2.5) - Vec3d{9, 2, 5}), 1e-9);
}

// ---- files ----

TEST(FilmFormat, WritesWhatItReads) {
    const std::string more = R"("tracks": [
        {"set": "solver.timeScale", "keys": [{"t": 0, "value": 1}, {"t": 1, "value": 0.25, "ease": "smooth"}]},
        {"set": "world.gravity", "clock": "film", "expr": ["0", "-9.81", "noise(t) "]},
        {"set": "solver.method", "keys": [{"t": 0, "word": "position"}]}],
        "cameras": [{"name": "fly", "eye": [1, 1, 1], "look": [0, 0, 0], "roll": 3, "spline": "hermite", "constantSpeed": true,
            "target": "heap", "follow": "gate", "keys": [{"t": 0, "eye": [0, 1, 5], "look": [0, 0, 0], "fov": 30, "roll": 2, "ease": "easeIn"},
            {"t": 1, "eye": [2, 1, 5], "look": [0, 0, 0], "cut": true}]}, {"name": "round", "eye": [2, 1, 0], "look": [0, 1, 0], "orbit": 90},
            {"name": "plan", "eye": [0, 9, 0], "look": [0, 0, 0], "orthographicHeight": 3, "keys": [{"t": 1, "eye": [0, 9, 0],
            "look": [0, 0, 0], "orthographicHeight": 2}]}],
        "timeline": [{"at": 1, "throw": {"from": [0, 3, 0], "velocity": [0, 3, 0]}, "every": 0.5, "until": 2},
            {"at": 1, "brush": {"from": [0, 1, 0], "to": [1, 0, 0]}, "everyFrames": 3, "clock": "film"},
            {"at": 1, "place": {"shape": "gate", "position": [0, 1, 0], "rotation": [0, 30, 0]}},
            {"at": 1, "pour": {"material": "sand", "from": [0, 3, 0], "velocity": [0, -3, 0]}, "until": 2},
            {"at": 1, "gust": {"from": [0, 3, 0], "velocity": [0, -3, 0]}}, {"at": 1, "camera": "fly", "blend": 1},
            {"at": 1, "marker": "slow"}, {"at": 1, "set": "contacts.friction", "word": "velocity"}],
        "shots": [{"name": "one", "from": 0, "to": 1, "camera": "fly", "resolution": "320x180", "fps": 30, "quality": "record", "output": "one.mp4"}])";
    const Scene scene = sceneWith(more);
    EXPECT_EQ(scene.shots[0].fps, 30);
    EXPECT_EQ(scene.timeline[2].place->shape, "gate");
    EXPECT_EQ(scene.timeline[3].pour->material, 0u);
    EXPECT_EQ(scene.cameras.size(), 3u);
    EXPECT_EQ(scene.cameras[2].orthographicHeight, 3);
    EXPECT_EQ(scene.cameras[2].keys[0].orthographicHeight, 2);
    EXPECT_EQ(scene.cameras[0].keys[0].ease, Ease::easeIn);
    EXPECT_EQ(scene.cameras[0].keys[1].ease, Ease::spline);
    EXPECT_EQ(readSceneText(scene.text, "f.json").text, scene.text);
}

TEST(FilmFormat, ErrorsHaveALineAndAdvice) {
    const auto complaint = [](const std::string& more) {
        try {
            sceneWith(more);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    const auto track = [&](const std::string& text) { return complaint("\"tracks\": [\n" + text + "]"); };
    EXPECT_THAT(track(R"({"set": "materials.snd.damping", "keys": [{"t": 0, "value": 1}]})"),
                testing::AllOf(HasSubstr("f.json:7: tracks.0.keys.0"), HasSubstr("Did you mean \"sand\"?")));
    // with what is wrong in the expressions, and without advice on their values
    EXPECT_THAT(
        track(R"({"set": "world.gravty", "expr": ["0", "-9.81", "2 * sin(tt) "]})"),
        testing::AllOf(HasSubstr("f.json:7: tracks.0.set: world.gravty: there is no \"gravty\". Did you "
                                 "mean \"gravity\"?"),
                       HasSubstr("tracks.0.expr.2"), testing::Not(HasSubstr("clamp"))));
    EXPECT_THAT(track(R"({"set": "solver.relaxation"})"), HasSubstr("needs either keys or expr"));
    EXPECT_THAT(track("{\"set\": \"solver.relaxation\", \"keys\": [{\"t\": 1, \"value\": 1},\n{\"t\": 1, "
                      "\"value\": 2}]}"),
                HasSubstr("f.json:8: tracks.0.keys.1.t: 1 s is not later than the key before, at 1 s"));
    EXPECT_THAT(track(R"({"set": "solver.relaxation", "keys": [{"t": 1}]})"),
                HasSubstr("either value or word"));
    EXPECT_THAT(track(R"({"set": "solver.relaxation", "keys": [{"t": 1, "value": 7}]})"),
                HasSubstr("7 is out of range: 0.1 to 2"));
    EXPECT_THAT(
        track(
            R"({"set": "solver.relaxation", "keys": [{"t": 1, "value": 1}, {"t": 2, "value": [1, 1, 1]}]})"),
        HasSubstr("another kind"));
    EXPECT_THAT(track(R"({"set": "solver.relaxation", "keys": [{"t": 1, "value": 1, "ease": "smoth"}]})"),
                HasSubstr("Did you mean \"smooth\"?"));
    EXPECT_THAT(track(R"({"set": "solver.method", "keys": [{"t": 1, "word": "velocty"}]})"),
                HasSubstr("Did you mean \"velocity\"?"));
    EXPECT_THAT(track(R"({"set": "solver.method", "keys": [{"t": 1, "value": 1}]})"),
                HasSubstr("set by a word: position, projective, velocity"));
    EXPECT_THAT(track(R"({"set": "solver.relaxation", "keys": [{"t": 1, "word": "x"}]})"),
                HasSubstr("takes numbers, no word"));
    EXPECT_THAT(track(R"({"set": "materials.sand.spacing", "keys": [{"t": 1, "value": 1}]})"),
                HasSubstr("fixed when particles are spawned"));
    EXPECT_THAT(track(R"({"set": "solver.frameRate", "keys": [{"t": 1, "value": 1}]})"),
                HasSubstr("use solver.timeScale"));
    EXPECT_THAT(track(R"({"set": "solver.timeScale", "expr": ["1"]})"), HasSubstr("takes keys only"));
    EXPECT_THAT(track(R"({"set": "solver.relaxation", "expr": ["1", "2"]})"),
                HasSubstr("one expression, or three"));
    EXPECT_THAT(track(R"({"set": "solver.relaxation", "expr": ["1 + sn(t) "]})"),
                HasSubstr("f.json:7: tracks.0.expr.0: \"1 + sn(t) \": there is no function"));
    EXPECT_THAT(track(R"({"set": "solver.relaxation", "expr": ["1 + 2 * t"]})"),
                HasSubstr("at 0.508 s 2.0166667 is out of range"));
    EXPECT_THAT(track(R"({"set": "solver.relaxation", "expr": ["y(hep) "]})"),
                HasSubstr("Did you mean \"heap\"?"));
    EXPECT_THAT(track(R"({"set": "shapes.gate.velocity", "expr": ["y(heap) ", "0", "0"]})"),
                HasSubstr("cannot depend on measures"));
    EXPECT_THAT(track("{\"set\": \"solver.relaxation\", \"expr\": [\"1\"]},\n{\"set\": "
                      "\"solver.relaxation\", \"expr\": [\"1\"]}"),
                HasSubstr("f.json:8: tracks.1.set: solver.relaxation has a track already, in line 7"));
    EXPECT_THAT(track("{\"set\": \"shapes.gate.position\", \"expr\": [\"1\", \"1\", \"1\"]},\n{\"set\": "
                      "\"shapes.gate.velocity\", \"expr\": [\"1\", \"1\", \"1\"]}"),
                HasSubstr("moves the shape already, in line 7"));
    EXPECT_THAT(
        complaint(
            R"("tracks": [{"set": "solver.relaxation", "expr": ["1"]}], "timeline": [{"at": 3, "set": "solver.relaxation", "to": 1}])"),
        HasSubstr("set by the timeline too, at 3 s"));

    const auto command = [&](const std::string& text) { return complaint("\"timeline\": [\n" + text + "]"); };
    EXPECT_THAT(
        command(R"({"at": 1, "camera": "wid"})"),
        HasSubstr("f.json:7: timeline.0.camera: no camera is called \"wid\". Did you mean \"wide\"?"));
    EXPECT_THAT(command(R"({"at": 1, "place": {"shape": "gaet", "position": [0, 1, 0]}})"),
                HasSubstr("timeline.0.place.shape: no shape is called \"gaet\". Did you mean \"gate\"?"));
    EXPECT_THAT(command(R"({"at": 1, "marker": "a", "blend": 1})"),
                HasSubstr("only a cut to a camera can blend"));
    EXPECT_THAT(command(R"({"at": 1, "every": 1, "marker": "a"})"),
                HasSubstr("only throw, cut and brush can be repeated"));
    EXPECT_THAT(
        command(R"({"at": 1, "everyFrames": 3, "throw": {"from": [0, 1, 0], "velocity": [0, 0, 1]}})"),
        HasSubstr("Add \"clock\": \"film\""));
    EXPECT_THAT(command(R"({"at": 1, "until": 2, "throw": {"from": [0, 1, 0], "velocity": [0, 0, 1]}})"),
                HasSubstr("have a duration"));
    EXPECT_THAT(command(R"({"at": 1, "throw": {"from": [0, 1, 0]}})"),
                HasSubstr("throw.velocity: is missing"));
    EXPECT_THAT(command(R"({"at": 1, "preset": "no.json"})"), HasSubstr("no.json"));
    EXPECT_THAT(command(R"({"at": 1, "set": "solver.method", "word": "velocity", "to": 1})"),
                HasSubstr("a choice changes at once"));
    EXPECT_THAT(
        command(R"({"at": 1, "pour": {"material": "watr", "from": [0, 1, 0], "velocity": [0, 0, 1]}})"),
        HasSubstr("Did you mean \"water\"?"));

    const auto camera = [&](const std::string& text) {
        return complaint("\"tracks\": [], \"camera\": {\"eye\": [1, 1, 1], \"look\": [0, 0, 0],\n" + text +
                         "}");
    };
    EXPECT_THAT(
        camera(R"("target": "hep")"),
        HasSubstr(
            "f.json:7: camera.target: no body, material or shape is called \"hep\". Did you mean \"heap\"?"));
    EXPECT_THAT(camera(R"("orbit": 3, "keys": [{"t": 0, "eye": [1, 1, 1], "look": [0, 0, 0]}])"),
                HasSubstr("by keys or on an orbit"));
    EXPECT_THAT(camera(R"("constantSpeed": true)"), HasSubstr("the camera has no keys"));
    EXPECT_THAT(camera(R"("keys": [{"t": 0, "eye": [1, 1, 1], "look": [1, 1, 1]}])"),
                HasSubstr("the same point"));
    EXPECT_THAT(
        camera(
            R"("keys": [{"t": 1, "eye": [1, 1, 1], "look": [0, 1, 1]}, {"t": 0, "eye": [1, 1, 1], "look": [0, 1, 1]}])"),
        HasSubstr("not later than the key before"));

    const auto shot = [&](const std::string& text) {
        return complaint("\"shots\": [\n{\"name\": \"a\", " + text + "}]");
    };
    EXPECT_THAT(shot(R"("from": 2, "to": 1)"),
                HasSubstr("f.json:7: shots.a.to: it must be later than `from`, 2 s"));
    EXPECT_THAT(shot(R"("to": 1, "camera": "wde")"), HasSubstr("Did you mean \"wide\"?"));
    EXPECT_THAT(shot(R"("to": 1, "size": "huge")"), HasSubstr("no size is called \"huge\""));
    EXPECT_THAT(shot(R"("to": 1, "quality": "standart")"), HasSubstr("Did you mean \"standard\"?"));
    EXPECT_THAT(shot(R"("to": 1, "resolution": "320")"), HasSubstr("not an image size"));
    EXPECT_THAT(shot(R"("to": 1, "preset": "no.json")"), HasSubstr("no.json"));
}

}  // namespace
}  // namespace coalesce
