// Files that the program exports.
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sstream>

#include "geometry/mesh/mesh_vdb.h"
#include "program.h"

namespace coalesce::test {
namespace {

TEST_F(Program, MeshesOfACacheAreThoseOfTheRun) {
    const std::string out = folder.path().string();
    const auto works = [&](const std::string& command) {
        const Ran run = coalesceProgram(command);
        EXPECT_EQ(run.code, 0) << command << "\n" << run.text;
    };
    const auto bytes = [&](const char* to, int frame) {
        return readText(folder / to / fmt::format("small_water_{:06}.ply", frame));
    };
    works("mesh " + small + " --frames 6 --quiet --export-every 2 --export-to " + out + "/run");
    works("run " + small + " --frames 6 --quiet --cache " + out + "/full --cache-full-every 1");
    works("run " + small + " --frames 6 --quiet --cache " + out + "/cache");
    works("mesh --from-cache " + out + "/full --quiet --export-every 2 --export-to " + out + "/a");
    works("mesh --from-cache " + out + "/cache --cache-range 2:4 --quiet --export-to " + out + "/b");
    for (const int frame : {0, 2, 4, 6}) {
        EXPECT_GT(bytes("run", frame).size(), 1000u);
        EXPECT_TRUE(bytes("a", frame) == bytes("run", frame)) << frame;
    }
    EXPECT_EQ(bytes("a", 1), "");
    const Ran exported = coalesceProgram("export --from-cache " + out +
                                         "/cache --export usd,bgeo,vtp --export-to " + out + "/c");
    for (const char* file : {"small.usda", "small.pvd", "small_000000.bgeo"}) {
        EXPECT_TRUE(says(exported, out + "/c/" + file)) << exported.text;
        EXPECT_TRUE(std::filesystem::exists(folder / "c" / file)) << file;
    }
    for (const int frame : {2, 3, 4}) EXPECT_GT(bytes("b", frame).size(), 1000u) << frame;
    EXPECT_EQ(bytes("b", 5), "");
    EXPECT_EQ(bytes("b", 2).size(), bytes("run", 2).size()) << "only velocities are rounded";

    const Ran both = coalesceProgram("mesh " + small + " --from-cache " + out + "/cache");
    EXPECT_EQ(both.code, 2) << both.text;
    EXPECT_TRUE(says(both, "scene cannot be combined with --from-cache")) << both.text;
    EXPECT_NE(coalesceProgram("mesh --from-cache " + out + "/none").code, 0);
    const Ran dry = coalesceProgram("mesh friction_ramp --export-to " + out + "/dry");
    EXPECT_EQ(dry.code, 2);
    EXPECT_TRUE(says(dry, "no liquid")) << dry.text;
    EXPECT_FALSE(std::filesystem::exists(folder / "dry"));
    writeText(folder / "sand.json",
              R"({ "materials": { "sand": { "kind": "grains", "spacing": 0.1 } }, "duration": 0.1,
        "bodies": [{ "name": "block", "block": { "min": [0, 0, 0], "max": [0.3, 0.3, 0.3] } }] })");
    works("run " + out + "/sand.json --quiet --cache " + out + "/sand");
    EXPECT_TRUE(says(coalesceProgram("mesh --from-cache " + out + "/sand"), "the scene has no liquid"));
}

// A limit on the size of files ends like a full disk: write() fails in the middle of a file.
TEST_F(Program, MeshesOnAFullDiskLeaveNoPartialFiles) {
    const std::string command =
        "mesh " + small + " --set materials.water.spacing=0.05 --frames 3 --quiet --export-to ";
    ASSERT_EQ(coalesceProgram(command + (folder / "whole").string()).code, 0);
    const std::string name = "small_water_000000.ply", whole = readText(folder / "whole" / name);
    ASSERT_GT(whole.size(), 60 * 512u);
    const std::string to = (folder / "full").string();
    const Ran full = coalesceProgram(command + to, "trap '' XFSZ; ulimit -f 60;");  // blocks of 512 bytes
    EXPECT_EQ(full.code, 7) << full.text;
    EXPECT_TRUE(says(full, name) && says(full, "could not be written completely")) << full.text;
    EXPECT_TRUE(std::filesystem::is_empty(to));
    EXPECT_EQ(coalesceProgram(command + to).code, 0);
    EXPECT_TRUE(readText(to + "/" + name) == whole);
}

// Frames that a longer run left in the folder would be read as the last ones of this run.
TEST_F(Program, ExportsNameTheFramesOfALongerRun) {
    const auto run = [&](int frames, const std::string& formats) {
        return coalesceProgram(fmt::format("run {} --frames {} --backend cpu --export {} --export-to {}",
                                           small, frames, formats, (folder / "out").string()));
    };
    EXPECT_FALSE(says(run(4, "ply,vtk,vtp"), "there already"));
    EXPECT_FALSE(says(run(4, "ply,vtk,vtp"), "there already")) << "the same frames again";
    const Ran shorter = run(2, "ply,vtp");
    EXPECT_EQ(shorter.code, 0);
    EXPECT_TRUE(says(shorter, "small_000003.ply to small_000004.ply (2 files) were there already"))
        << shorter.text;
    EXPECT_FALSE(says(shorter, "small_000003.vtk")) << "of another format, which is not written now";
    EXPECT_TRUE(std::filesystem::exists(folder / "out" / "small_000004.ply")) << "nothing is deleted";
}

TEST_F(Program, ExportsDoNotDependOnThreads) {
    const auto run = [&](const std::string& more) {
        return coalesceProgram("run " + small + " --frames 5 --backend cpu --quiet " + more);
    };
    for (const std::string threads : {"1", "3"}) {
        const std::string to = (folder / ("of" + threads)).string();
        const Ran ran = run("--threads " + threads + " --export ply,bgeo,usd --export-liquids mesh " +
                            "--export-every 2 --export-to " + to);
        EXPECT_EQ(ran.code, 0) << ran.text;
    }
    for (const std::string file : {"small_000000.ply", "small_000002.ply", "small_000004.ply",
                                   "small_000004.bgeo", "small.000004.usda"}) {
        const std::string one = readText(folder / "of1" / file);
        EXPECT_GT(one.size(), 1000u) << file;
        EXPECT_EQ(one, readText(folder / "of3" / file)) << file;
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "of1" / "small_000001.ply"));

    const Ran unknown = run("--export plx");
    EXPECT_EQ(unknown.code, 2);
    EXPECT_TRUE(says(unknown, "\"ply\"")) << unknown.text;
    for (const std::string others : {"", "--export ply "}) {
        const Ran unstaged = run(others + "--export-liquids mesh");
        EXPECT_EQ(unstaged.code, 2);
        EXPECT_TRUE(says(unstaged, "--export usd")) << unstaged.text;
    }
    const Ran coarse = run("--export usd --export-liquids mesh --mesh-cell 9");
    EXPECT_EQ(coarse.code, 2);
    EXPECT_TRUE(says(coarse, "--mesh-cell")) << coarse.text;
    const Ran nowhere = run("--export ply --export-to " + small + "/inside");
    EXPECT_EQ(nowhere.code, 7);
    EXPECT_TRUE(says(nowhere, "--export-to")) << nowhere.text;
    // a disk that becomes full
    std::filesystem::create_symlink("/dev/full", folder / "of1" / "small_000002.vtk");
    const Ran full = run("--export vtk --export-to " + (folder / "of1").string());
    EXPECT_EQ(full.code, 7);
    EXPECT_TRUE(says(full, "small_000002.vtk")) << full.text;
    EXPECT_FALSE(std::filesystem::exists(folder / "of1" / "small_000002.vtk.part"));
}

// What a frame of a stage has of a camera, from its attribute on: up to `count` numbers.
std::vector<double> ofCamera(const std::string& stage, const std::string& camera,
                             const std::string& attribute, size_t count) {
    const size_t from = stage.find("over \"" + camera + "\"");
    const size_t at = stage.find(attribute + ".timeSamples = { ", from);
    if (from == std::string::npos || at >= stage.find("over \"", from + 1)) return {};
    std::string text = stage.substr(stage.find(':', at + attribute.size()) + 1);
    for (char& c : text)
        if (c == '(' || c == ')' || c == ',') c = ' ';
    std::istringstream in(text);
    std::vector<double> numbers;
    for (double number; numbers.size() < count && in >> number;) numbers.push_back(number);
    return numbers;
}

// A film of six frames, whose cameras are computed here: "chase" follows a grain whose place is in the same file.
TEST_F(Program, CamerasOfAStageFollowTheFilm) {
    const std::string scene = (folder / "film.json").string(), out = folder.path().string();
    writeText(scene, R"({ "materials": { "sand": { "kind": "grains", "spacing": 0.1 } }, "duration": 0.1,
        "bodies": [{ "name": "drop", "material": "sand", "points": [[0, 3, 0]] }],
        "cameras": [{ "name": "wide", "eye": [4, 1, 0], "look": [0, 1, 0], "fov": 40 },
            { "name": "round", "eye": [2, 1, 0], "look": [0, 1, 0], "orbit": 90 },
            { "name": "zoom", "eye": [0, 1, 5], "look": [0, 1, 0], "keys": [
                { "t": 0, "eye": [0, 1, 5], "look": [0, 1, 0], "fov": 60, "roll": 0 },
                { "t": 0.1, "eye": [0, 1, 3], "look": [0, 1, 0], "fov": 30, "roll": 90, "ease": "linear" }] },
            { "name": "plan", "eye": [0, 9, 0], "look": [0, 0, 0], "orthographicHeight": 4, "keys": [
                { "t": 0, "eye": [0, 9, 0], "look": [0, 0, 0] },
                { "t": 0.1, "eye": [0, 9, 0], "look": [0, 0, 0], "orthographicHeight": 2 }] },
            { "name": "chase", "eye": [0, 1, 3], "look": [0, 0, 0], "follow": "drop" }],
        "timeline": [{ "at": 0.05, "camera": "zoom" }, { "at": 0.1, "camera": "plan" }] })");
    const auto works = [](const std::string& command) {
        const Ran run = coalesceProgram(command);
        EXPECT_EQ(run.code, 0) << command << "\n" << run.text;
    };
    const std::string formats = " --quiet --export usd --export-every 3 --export-to ";
    works("run " + scene + " --cache " + out + "/cache --cache-full-every 1" + formats + out + "/run");
    works("export --from-cache " + out + "/cache" + formats + out + "/cached");

    const std::string transform = "matrix4d xformOp:transform", focal = "float focalLength",
                      height = "float verticalAperture";
    const auto expectNear = [](const std::vector<double>& is, const std::vector<double>& wanted,
                               double within) {
        ASSERT_EQ(is.size(), wanted.size());
        for (size_t k = 0; k < is.size(); ++k) EXPECT_NEAR(is[k], wanted[k], within) << k;
    };
    const auto focalOf = [](double fov) { return 0.12 / std::tan(fov * M_PI / 360); };  // of 24 mm in height
    for (const int frame : {0, 3, 6}) {
        SCOPED_TRACE(frame);
        const std::string name = fmt::format("film.{:06}.usda", frame),
                          stage = readText(folder / "run" / name);
        EXPECT_TRUE(stage == readText(folder / "cached" / name));
        expectNear(ofCamera(stage, "wide", transform, 16), {0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 4, 1, 0, 1},
                   1e-6);
        const double share = frame / 6.0, a = 1.5 * frame * M_PI / 180;  // [rad] at 60 frames/s
        const double c = std::cos(a), s = std::sin(a);
        expectNear(ofCamera(stage, "round", transform, 16),
                   {-s, 0, -c, 0, 0, 1, 0, 0, c, 0, -s, 0, 2 * c, 1, -2 * s, 1}, 1e-5);
        // rolled to the right: its right side sinks
        const double roll = share * M_PI / 2, x = std::cos(roll), y = std::sin(roll);
        expectNear(ofCamera(stage, "zoom", transform, 16),
                   {x, -y, 0, 0, y, x, 0, 0, 0, 0, 1, 0, 0, 1, 5 - 2 * share, 1}, 1e-5);
        expectNear(ofCamera(stage, "zoom", focal, 1), {focalOf(60 - 30 * share)}, 1e-5);
        expectNear(ofCamera(stage, "plan", transform, 16), {1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 9, 0, 1},
                   1e-6);
        if (frame != 3)
            expectNear(ofCamera(stage, "plan", height, 1), {frame == 0 ? 40.0 : 20.0}, 1e-5);  // [dm]
        const size_t grain = stage.find("point3f[] points.timeSamples");
        ASSERT_NE(grain, std::string::npos);
        double at[3];
        ASSERT_EQ(std::sscanf(stage.c_str() + stage.find('(', grain), "(%lf, %lf, %lf)", at, at + 1, at + 2),
                  3);
        EXPECT_LT(at[1], frame == 0 ? 3.1 : 2.9999) << "it falls";
        const std::vector<double> chase = ofCamera(stage, "chase", transform, 16);
        ASSERT_EQ(chase.size(), 16u);
        for (int k = 0; k < 3; ++k) EXPECT_NEAR(chase[12 + k], at[k] + (k == 1 ? 1 : k == 2 ? 3 : 0), 1e-5);
        // the camera that the film shows
        const std::string shown = frame == 0 ? "wide" : frame == 3 ? "zoom" : "plan";
        EXPECT_EQ(ofCamera(stage, "Film", transform, 16), ofCamera(stage, shown, transform, 16));
        expectNear(ofCamera(stage, "Film", focal, 1), {focalOf(frame == 0 ? 40 : 45)}, 1e-5);
        EXPECT_NE(stage.find(fmt::format("{}: \"{}\"", frame, frame == 6 ? "orthographic" : "perspective")),
                  std::string::npos);
    }
    // a lens that stands still is in the root; values there would hide those of frames
    const std::string root = readText(folder / "run" / "film.usda");
    const auto rootOf = [&](const std::string& camera) {
        const size_t from = root.find("def Camera \"" + camera + "\"");
        return root.substr(from, root.find('}', from) - from);
    };
    for (const std::string camera : {"wide", "round", "chase"})
        EXPECT_NE(rootOf(camera).find("focalLength = "), std::string::npos) << rootOf(camera);
    for (const std::string camera : {"Film", "zoom", "plan"})
        EXPECT_EQ(rootOf(camera).find("focalLength"), std::string::npos) << rootOf(camera);
    // without cuts there is no camera of the film
    works("run " + small + formats + out + "/small");
    EXPECT_NE(readText(folder / "small" / "small.usda").find("def Camera \"top\""), std::string::npos);
    EXPECT_EQ(readText(folder / "small" / "small.usda").find("Film"), std::string::npos);
}

TEST_F(Program, VolumesOfACacheAreThoseOfTheRun) {
    const std::string out = folder.path().string(), run = "run " + small + " --frames 4 --quiet --threads ";
    const Ran first = coalesceProgram(run + "1 --export vdb --export-every 2 --export-to " + out + "/one");
    if (!hasVdb()) {
        EXPECT_EQ(first.code, 9);
        EXPECT_TRUE(says(first, "libopenvdb-dev")) << first.text;
        return;
    }
    EXPECT_EQ(first.code, 0) << first.text;
    for (const std::string& command :
         {run + "3 --export vdb --export-every 2 --export-to " + out + "/three",
          run + "3 --cache " + out + "/cache --cache-full-every 1",
          "export --from-cache " + out + "/cache --quiet --export vdb --export-to " + out + "/cached"}) {
        const Ran ran = coalesceProgram(command);
        EXPECT_EQ(ran.code, 0) << command << "\n" << ran.text;
    }
    for (const std::string file : {"small_000000.vdb", "small_000002.vdb", "small_000004.vdb"}) {
        const std::string one = readText(folder / "one" / file);
        EXPECT_GT(one.size(), 1000u) << file;
        for (const char* other : {"three", "cached"})
            EXPECT_TRUE(one == readText(folder / other / file)) << other << " " << file;
    }
}

}  // namespace
}  // namespace coalesce::test
