#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/stat.h>

#include "geometry/mesh/mesh_vdb.h"
#include "program.h"
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

class Program : public ::testing::Test {
protected:
    TemporaryFolder folder;
    std::string small = smallScene(folder).string();
};

TEST_F(Program, SuccessExitsWith0) {
    const Ran run = coalesceProgram("run " + small + " --frames 3 --backend cpu --quiet");
    EXPECT_EQ(run.code, 0) << run.text;
    EXPECT_TRUE(says(run, "small")) << run.text;
    for (const std::string command :
         {"--help", "--version", "list", "params", "params --schema", "run --help", "bench --help"}) {
        const Ran ran = coalesceProgram(command);
        EXPECT_EQ(ran.code, 0) << command << "\n" << ran.text;
        EXPECT_FALSE(ran.text.empty()) << command;
    }
    EXPECT_EQ(coalesceProgram("validate " + small).code, 0);
    EXPECT_TRUE(says(coalesceProgram("params"), "substeps"));
}

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
    for (const int frame : {2, 3, 4}) EXPECT_GT(bytes("b", frame).size(), 1000u) << frame;
    EXPECT_EQ(bytes("b", 5), "");
    EXPECT_EQ(bytes("b", 2).size(), bytes("run", 2).size()) << "only velocities are rounded";

    const Ran both = coalesceProgram("mesh " + small + " --from-cache " + out + "/cache");
    EXPECT_EQ(both.code, 2) << both.text;
    EXPECT_TRUE(says(both, "scene excludes --from-cache")) << both.text;
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

TEST_F(Program, ValidateReportsInsufficientMemory) {
    const Ran fits = coalesceProgram("validate " + small);
    EXPECT_FALSE(says(fits, "not enough memory")) << fits.text;
    // 1.7e9 particles
    const Ran tooLarge = coalesceProgram("validate " + small + " --set materials.water.spacing=0.0005");
    EXPECT_EQ(tooLarge.code, 0) << tooLarge.text;
    EXPECT_TRUE(says(tooLarge, "not enough memory")) << tooLarge.text;
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

TEST_F(Program, ReplaysRunAndDifferencesAreReported) {
    // the block falls out of the bounds: what a user has thrown may
    smallScene(folder, R"("bounds": {"min": [0, 0.15, 0], "max": [0.6, 0.8, 0.6]},)");
    const std::string run = "run " + small + " --frames 9 --backend cpu --quiet --hash-log ";
    const Ran without = coalesceProgram(run + (folder / "log").string());
    EXPECT_TRUE(says(without, "inside: FAILED")) << without.text;
    // "small - FRAME HASH" on every line
    std::istringstream log(readText(folder / "log"));
    std::vector<std::string> hashes;
    for (std::string name, word, frame, hash; log >> name >> word >> frame >> hash;) hashes.push_back(hash);
    ASSERT_EQ(hashes.size(), 10u);
    const auto replay = [&](const std::string& last) {
        writeText(folder / "r.json",
                  R"({"scene": "small.json", "letters": [], "hashes": [{"frame": 0, "hash": ")" + hashes[0] +
                      R"("}, {"frame": 9, "hash": ")" + last + R"("}]})");
        return coalesceProgram("run --backend cpu --quiet --replay " + (folder / "r.json").string());
    };
    const Ran same = replay(hashes[9]);
    EXPECT_EQ(same.code, 0) << same.text;
    EXPECT_TRUE(says(same, "replay: ok; 2 state hashes")) << same.text;
    EXPECT_TRUE(says(same, hashes[9])) << same.text;
    EXPECT_FALSE(says(same, "inside")) << same.text;
    const Ran other = replay(hashes[8]);
    EXPECT_EQ(other.code, 8) << other.text;
    EXPECT_TRUE(says(other, "frame 9: the state hash is " + hashes[9])) << other.text;
    EXPECT_EQ(coalesceProgram("run " + small + " --replay " + (folder / "r.json").string()).code, 2);
    EXPECT_EQ(coalesceProgram("run --size ci --replay " + (folder / "r.json").string()).code, 2);
}

TEST_F(Program, UsageErrorsExitWith2) {
    for (const std::string arguments : {"nonsense", "run --nonsense", "run", "run --backend cpu",
                                        "run dam_break --size=", "bench --frames 0", "bench --frames many",
                                        "run x.json --frames 3 --duration 1"})
        EXPECT_EQ(coalesceProgram(arguments).code, 2) << arguments;
    EXPECT_EQ(coalesceProgram("run " + small + " --all").code, 2);
    EXPECT_EQ(coalesceProgram("run " + small + " --backend gpu").code, 2);
    EXPECT_EQ(coalesceProgram("run " + small + " --threads -1").code, 2);
    EXPECT_EQ(coalesceProgram("run " + small + " --backend cpu --device 0").code, 2);
    EXPECT_EQ(coalesceProgram("run " + small + " --stage-values 3").code, 2);  // without --hash-stages
}

TEST_F(Program, NumbersOutOfRangeAreReportedWithTheRange) {
    for (const std::string& arguments :
         {"run " + small + " --frames -5", "run " + small + " --frames 1.5", "run " + small + " --frames 1e3",
          "run " + small + " --seed -1", "run " + small + " --seed 99999999999999999999",
          "run " + small + " --shuffle -1", "run " + small + " --device -1",
          "bench " + small + " --frames -5", "bench " + small + " --frames 0",
          "bench " + small + " --warmup -5"}) {
        const Ran ran = coalesceProgram(arguments);
        EXPECT_EQ(ran.code, 2) << arguments;
        EXPECT_TRUE(says(ran, "expects a whole number from ")) << arguments << "\n" << ran.text;
    }
    EXPECT_EQ(coalesceProgram("run " + small + " --frames 1 --seed 9000000000000000 --backend cpu").code, 0);
}

TEST_F(Program, NumbersThatAreNotFiniteAreUsageErrors) {
    // as CLI11 reads them, NaN is within all limits
    for (const std::string number : {"nan", "-nan", "inf", "1e999", "0x1p3", ""}) {
        const Ran ran = coalesceProgram("run " + small + " --duration '" + number + "'");
        EXPECT_EQ(ran.code, 2) << number << "\n" << ran.text;
    }
    EXPECT_TRUE(says(coalesceProgram("run " + small + " --duration 1e7"), "from 0 to 1000000, got 1e7"));
    EXPECT_EQ(coalesceProgram("run " + small + " --duration +1e-2 --backend cpu").code, 0);
}

TEST_F(Program, OutputsAreWrittenThroughOrRefusedBeforeTheRun) {
    const std::string run = "run " + small + " --frames 2 --backend cpu --quiet ";
    std::filesystem::create_symlink("real.state", folder / "link.state");
    EXPECT_EQ(coalesceProgram(run + "--save-state " + (folder / "link.state").string()).code, 0);
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.state"));
    EXPECT_TRUE(std::filesystem::is_regular_file(folder / "real.state"));
    // the program's own output, which is a pipe here
    const Ran out = coalesceProgram(run + "--stats /dev/stdout");
    EXPECT_EQ(out.code, 0) << out.text;
    EXPECT_TRUE(says(out, "\"particles\": 216")) << out.text;
    EXPECT_EQ(coalesceProgram(run + "--stats /dev/null").code, 0);
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
    // 1e9 frames would take months: the folder is noticed before them
    const Ran full = coalesceProgram("run " + small + " --frames 1000000000 --backend cpu --stats " +
                                     folder.path().string() + "/.");
    EXPECT_EQ(full.code, 7) << full.text;
    EXPECT_TRUE(says(full, "it is a folder")) << full.text;
}

TEST_F(Program, StatesAreReadFromFilesOnly) {
    ASSERT_EQ(mkfifo((folder / "fifo").c_str(), 0600), 0);
    const std::string run = "run " + small + " --frames 1 --backend cpu --load-state ";
    const Ran fifo = coalesceProgram(run + (folder / "fifo").string());
    EXPECT_EQ(fifo.code, 3) << fifo.text;
    EXPECT_TRUE(says(fifo, "it is a FIFO")) << fifo.text;
    const Ran folderAsState = coalesceProgram(run + folder.path().string());
    EXPECT_EQ(folderAsState.code, 3) << folderAsState.text;
    EXPECT_TRUE(says(folderAsState, "it is a folder")) << folderAsState.text;
}

TEST_F(Program, UnknownScenesGetTheClosestName) {
    for (const std::string command : {"run", "validate", "bench", "view"}) {
        const Ran ran = coalesceProgram(command + " dam_brake");
        EXPECT_EQ(ran.code, 3) << ran.text;
        EXPECT_TRUE(says(ran, "Did you mean \"dam_break\"?")) << command << "\n" << ran.text;
    }
    writeText(folder / "my_pool.json", "{}");
    const Ran own = coalesceProgram("validate " + (folder / "my_pol.json").string());
    EXPECT_EQ(own.code, 3) << own.text;
    EXPECT_TRUE(says(own, "Did you mean \"my_pool.json\"?")) << own.text;
    // a name that lacks the extension of a file in the working folder
    const Ran bare = coalesceProgram("validate my_pool", "cd '" + folder.path().string() + "' &&");
    EXPECT_EQ(bare.code, 3) << bare.text;
    EXPECT_TRUE(says(bare, "Did you mean \"my_pool.json\"?")) << bare.text;
    // a file that is there, but no scene, is not its own suggestion
    std::filesystem::create_directory(folder / "pool.json");
    const Ran ran = coalesceProgram("run " + (folder / "pool.json").string());
    EXPECT_EQ(ran.code, 3) << ran.text;
    EXPECT_TRUE(says(ran, "it is a folder")) << ran.text;
    EXPECT_FALSE(says(ran, "Did you mean \"pool.json\"")) << ran.text;
}

TEST_F(Program, MisspelledWordsGetTheClosestName) {
    const auto expectWords = [](const std::string& arguments, const std::string& words) {
        const Ran ran = coalesceProgram(arguments);
        EXPECT_EQ(ran.code, 2) << arguments;
        EXPECT_TRUE(says(ran, words)) << arguments << "\n" << ran.text;
    };
    expectWords("benhc", "there is no command benhc. Did you mean \"bench\"?");
    expectWords("valdate x.json", "Did you mean \"validate\"?");
    expectWords("nonsense", "Commands: view, record, run, export, cache, bench");
    expectWords("run --farmes 3", "coalesce run: there is no option --farmes. Did you mean \"--frames\"?");
    expectWords("bench --warmpu=3", "there is no option --warmpu. Did you mean \"--warmup\"?");
    expectWords("run a.json b.json", "unexpected argument b.json");
}

TEST_F(Program, HelpDescribesAnOptionBeforeWhatItExcludes) {
    const Ran ran = coalesceProgram("run --help");
    EXPECT_EQ(ran.code, 0);
    EXPECT_TRUE(says(ran, "Simulated seconds; overrides the scene's duration (not with --frames"))
        << ran.text;
    EXPECT_FALSE(says(ran, "Excludes:")) << ran.text;
}

TEST_F(Program, ValidateReportsEachErrorOnceByLine) {
    std::string text = "{";
    for (int line = 2; line <= 12; ++line) text += "\n\"zz" + std::to_string(line) + "\": 0,";
    text += "\n\"sizes\": {\"ci\": {}}}";
    writeText(folder / "many.json", text);
    const Ran ran = coalesceProgram("validate " + (folder / "many.json").string());
    EXPECT_EQ(ran.code, 3);
    size_t before = 0;
    for (int line = 2; line <= 12; ++line) {
        const size_t at = ran.text.find("many.json:" + std::to_string(line) + ": zz");
        ASSERT_NE(at, std::string::npos) << ran.text;
        EXPECT_GE(at, before) << ran.text;
        EXPECT_EQ(ran.text.find("many.json:" + std::to_string(line) + ": zz", at + 1), std::string::npos);
        before = at;
    }
}

// a box meant as a vessel, without "container": its water would be pushed out
TEST_F(Program, ValidateWarnsOfParticlesInsideShapes) {
    const auto validated = [&](const std::string& container) {
        writeText(folder / "tank.json",
                  R"({"materials": {"water": {"spacing": 0.1}},
                      "bodies": [{"name": "pool", "block": {"min": [0, 0, 0], "max": [1, 0.5, 1]}}],
                      "shapes": [{"name": "tank", "box": {"size": [1, 2, 1]}, "position": [0.5, 1, 0.5])" +
                      container + "}]}");
        return coalesceProgram("validate " + (folder / "tank.json").string());
    };
    const Ran solid = validated("");
    EXPECT_EQ(solid.code, 0);
    // 10 x 5 x 10 particles; the layers at its four sides and its floor do not count: 8 x 4 x 8 are left
    EXPECT_TRUE(says(solid, "body pool: 256 of its 500 particles start inside shape tank")) << solid.text;
    EXPECT_TRUE(says(solid, "\"container\": true")) << solid.text;
    EXPECT_FALSE(says(validated(R"(, "container": true)"), "start inside shape"));
}

TEST_F(Program, ValidateWarnsOfCoincidentParticles) {
    writeText(
        folder / "twice.json",
        R"({"materials": {"water": {}}, "bodies": [{"name": "pair", "points": [[0, 1, 0], [0, 1, 0]]}]})");
    const Ran ran = coalesceProgram("validate " + (folder / "twice.json").string());
    EXPECT_EQ(ran.code, 0);
    EXPECT_TRUE(says(ran, "warning: body pair: 1 of its particles")) << ran.text;
    EXPECT_FALSE(says(coalesceProgram("validate " + small), "coincide"));
}

TEST_F(Program, ValidateWarnsOfScaledMassesUnderFrictionThatRemembers) {
    const auto validated = [&](const std::string& contacts) {
        writeText(folder / "pile.json", R"({"materials": {"sand": {"kind": "grains"}}, "contacts": )" +
                                            contacts +
                                            R"(, "bodies": [{"name": "pile", "material": "sand",
                                                "block": {"size": [0.2, 3, 0.2]}}]})");
        return coalesceProgram("validate " + (folder / "pile.json").string());
    };
    const Ran tall = validated(R"({"presliding": 0.1, "stackScaling": 6})");
    EXPECT_EQ(tall.code, 0);
    EXPECT_TRUE(says(tall, "tears piles of 3 m apart")) << tall.text;
    EXPECT_FALSE(says(validated(R"({"presliding": 0.1, "stackScaling": 3})"), "tears piles"));
    EXPECT_FALSE(says(validated(R"({"stackScaling": 6})"), "tears piles"));
}

// The particles of the water have 0.125 kg; a square meter of the skin, of 642 particles on 2 m², has 1 or 10 kg.
TEST_F(Program, ValidateWarnsOfLightClothThatIsFilled) {
    const auto validated = [&](double areaDensity, const std::string& center,
                               const std::string& solver = R"("substeps": 8)") {
        writeText(folder / "balloon.json",
                  R"({"materials": {"skin": {"kind": "cloth", "spacing": 0.07, "areaDensity": )" +
                      std::to_string(areaDensity) + R"(}, "water": {"spacing": 0.05}},
                      "solver": {)" +
                      solver + R"(},
                      "bodies": [{"name": "skin", "material": "skin", "shape": "icosphere", "subdivisions": 3,
                                  "height": 0.8, "center": [0, 1, 0]},
                                 {"name": "fill", "material": "water", "sphere": {"radius": 0.3}, "center": )" +
                      center + "}]}");
        return coalesceProgram("validate " + (folder / "balloon.json").string());
    };
    const Ran light = validated(1, "[0, 1, 0]");
    EXPECT_EQ(light.code, 0);
    EXPECT_TRUE(says(light, "cloth skin cannot hold fill, whose particles are 40.1 times as heavy"))
        << light.text;
    EXPECT_TRUE(says(light, "Use 18 substeps, 11 with solver.method projective")) << light.text;
    EXPECT_FALSE(says(validated(10, "[0, 1, 0]"), "cannot hold"));
    EXPECT_FALSE(says(validated(1, "[2, 1, 0]"), "cannot hold")) << "beside it";
    const Ran slow = validated(1, "[0, 1, 0]", R"("substeps": 8, "frameRate": 30)");
    EXPECT_TRUE(says(slow, "Use 36 substeps, 21 with solver.method projective"))
        << "frames are twice as long" << slow.text;
}

TEST_F(Program, ValidateWarnsOfHeatWithoutTemperature) {
    const auto validated = [&](const std::string& attributes) {
        writeText(folder / "warm.json",
                  R"({"materials": {"air": {"kind": "gas", "thermalExpansion": 0.003}}, )" + attributes +
                      R"("bodies": [{"name": "air", "material": "air", "block": {"size": [1, 1, 1]}}]})");
        return coalesceProgram("validate " + (folder / "warm.json").string());
    };
    EXPECT_TRUE(says(validated(""), "thermalExpansion has no effect without an attribute \"temperature\""));
    const Ran warm = validated(R"("attributes": {"temperature": {"default": 293, "unit": "K"}}, )");
    EXPECT_EQ(warm.code, 0) << warm.text;
    EXPECT_FALSE(says(warm, "temperature")) << warm.text;
}

// Every table printed by the program is in the page, line by line.
TEST_F(Program, SceneDocumentationHasTheTablesOfTheProgram) {
    const Ran ran = coalesceProgram("params --markdown");
    ASSERT_EQ(ran.code, 0);
    const std::string page = readText(COALESCE_SCENE_PAGE);
    std::vector<std::string> tables;
    for (size_t begin = 0, end; begin < ran.text.size(); begin = end + 2) {
        end = std::min(ran.text.find("\n\n", begin), ran.text.size() - 1);
        tables.push_back(ran.text.substr(begin, end + 1 - begin));
    }
    ASSERT_EQ(tables.size(), 3u);
    for (const std::string& table : tables) {
        const size_t begin = page.find(table.substr(0, table.find('\n') + 1));
        ASSERT_NE(begin, std::string::npos) << table.substr(0, table.find('\n'));
        size_t end = begin;
        while (page[end] == '|') end = page.find('\n', end) + 1;
        EXPECT_EQ(page.substr(begin, end - begin), table)
            << "put the output of `coalesce params --markdown` into docs/scenes.md";
    }
}

TEST_F(Program, SceneErrorsExitWith3) {
    writeText(folder / "bad.json", "{\n  \"materials\": { \"water\": { \"viscocity\": 1 } }\n}\n");
    const Ran ran = coalesceProgram("run " + (folder / "bad.json").string());
    EXPECT_EQ(ran.code, 3);
    EXPECT_TRUE(says(ran, "bad.json:2")) << ran.text;
    EXPECT_TRUE(says(ran, "viscosity")) << ran.text;
    EXPECT_EQ(coalesceProgram("run " + (folder / "missing.json").string()).code, 3);
    EXPECT_EQ(coalesceProgram("run " + small + " --set solver.supsteps=3").code, 3);
    EXPECT_EQ(coalesceProgram("run " + small + " --case none").code, 3);
    writeText(folder / "state", "not a state");
    EXPECT_EQ(coalesceProgram("run " + small + " --load-state " + (folder / "state").string()).code, 3);
}

// CUDA_VISIBLE_DEVICES hides the devices of this computer.
TEST_F(Program, CudaWithoutADeviceExitsWith5AndAutoFallsBackToTheCpu) {
    const std::string hidden = "CUDA_VISIBLE_DEVICES=";
    const Ran asked = coalesceProgram("bench " + small + " --frames 1 --warmup 0 --backend cuda", hidden);
    EXPECT_EQ(asked.code, 5);
    EXPECT_TRUE(says(asked, "--backend cpu")) << asked.text;
    for (const std::string command : {"run", "bench"}) {
        const Ran named = coalesceProgram(command + " " + small + " --frames 1 --device 1", hidden);
        EXPECT_EQ(named.code, 5) << named.text;
        EXPECT_TRUE(says(named, "--device 1: ")) << named.text;
    }
    const Ran chosen = coalesceProgram("bench " + small + " --frames 1 --warmup 0 --backend auto", hidden);
    EXPECT_EQ(chosen.code, 0) << chosen.text;
    EXPECT_TRUE(says(chosen, "CPU")) << chosen.text;
    EXPECT_TRUE(says(chosen, "not CUDA")) << chosen.text;
}

TEST_F(Program, SimulationErrorsExitWith6) {
    const Ran ran = coalesceProgram("run " + small +
                                    " --backend cpu --set solver.overflow=fail --set neighbors.capacity=2");
    EXPECT_EQ(ran.code, 6);
    EXPECT_TRUE(says(ran, "neighbors.capacity")) << ran.text;
}

TEST_F(Program, OutputErrorsExitWith7) {
    for (const std::string option : {"--stats", "--hash-log", "--hash-stages", "--save-state"})
        EXPECT_EQ(
            coalesceProgram("run " + small + " --frames 1 --backend cpu " + option + " /dev/null/file").code,
            7)
            << option;
    EXPECT_EQ(coalesceProgram("bench " + small + " --frames 1 --backend cpu --json /dev/null/file").code, 7);
    // before the simulation: 100 000 frames would time out
    const std::string missing = (folder / "missing" / "file").string();
    for (const std::string& arguments :
         {"run " + small + " --stats ", "run " + small + " --hash-log ", "run " + small + " --save-state ",
          "bench " + small + " --save-state ", "bench " + small + " --json "}) {
        const Ran ran = coalesceProgram(arguments + missing + " --frames 100000 --backend cpu");
        EXPECT_EQ(ran.code, 7) << arguments;
        EXPECT_TRUE(says(ran, "there is no folder")) << ran.text;
    }
}

TEST_F(Program, FailedExpectationsExitWith8) {
    const std::string scene =
        smallScene(folder, R"("expect": { "calm": { "check": "rest", "at": 0.05, "max": 0.001 } },)")
            .string();
    const Ran ran = coalesceProgram("run " + scene + " --backend cpu");
    EXPECT_EQ(ran.code, 8) << ran.text;
    EXPECT_TRUE(says(ran, "calm")) << ran.text;
}

TEST_F(Program, BenchWritesItsResults) {
    const std::string file = (folder / "bench.json").string();
    const Ran ran = coalesceProgram("bench " + small + " --frames 5 --warmup 1 --backend cpu --json " + file);
    ASSERT_EQ(ran.code, 0) << ran.text;
    const auto json = nlohmann::json::parse(readText(file));
    EXPECT_EQ(json["particles"], 216);
    EXPECT_EQ(json["frames"], 5);
    EXPECT_GT(json["median_ms"], 0);
    EXPECT_GE(json["p95_ms"], json["median_ms"]);
    EXPECT_GT(json["mean_neighbors"], 10);
    EXPECT_TRUE(says(ran, json["hash"].get<std::string>()));
    EXPECT_GT(json["stages"].size(), 8u);
    for (const auto& stage : json["stages"]) EXPECT_GE(stage["launches"], 1) << stage;
}

// The state after n frames depends only on the scene: not on threads, order, or an interruption by a state
// file.
TEST_F(Program, HashLogsOfEqualRunsAreEqual) {
    const auto log = [&](const std::string& name, const std::string& options) {
        const std::string file = (folder / name).string();
        const Ran ran = coalesceProgram("run " + small + " --frames 6 --backend cpu --quiet --hash-log " +
                                        file + " " + options);
        EXPECT_EQ(ran.code, 0) << ran.text;
        return readText(file);
    };
    const std::string first = log("a", "--threads 1");
    EXPECT_GE(std::count(first.begin(), first.end(), '\n'), 6);
    EXPECT_EQ(first, log("b", "--threads 2 --shuffle 5"));
    EXPECT_NE(first, log("c", "--set materials.water.viscosity=0.3"));
}

// A preset is equivalent to --set, from a file or by name; --set takes precedence.
TEST_F(Program, PresetsSetTheirValues) {
    std::filesystem::create_directories(folder / "settings" / "coalesce" / "presets");
    writeText(folder / "settings" / "coalesce" / "presets" / "thick one.json",
              R"({ "values": { "materials.water.viscosity": 0.3, "world.gravity": [0, -5, 0] } })");
    const std::string home = "XDG_CONFIG_HOME=" + (folder / "settings").string();
    const auto hash = [&](const std::string& options) {
        const std::string file = (folder / "log").string();
        const Ran ran = coalesceProgram(
            "run " + small + " --frames 3 --backend cpu --quiet --hash-log " + file + " " + options, home);
        EXPECT_EQ(ran.code, 0) << ran.text;
        return readText(file);
    };
    const std::string byHand = hash("--set materials.water.viscosity=0.3 --set 'world.gravity=[0,-5,0]'");
    EXPECT_NE(hash(""), byHand);
    EXPECT_EQ(hash("--preset 'thick one'"), byHand);
    EXPECT_EQ(hash("--set materials.water.viscosity=0.01 --preset 'thick one'"),
              hash("--set 'world.gravity=[0,-5,0]'"));
    writeText(folder / "odd.json", "{ \"values\": {\n\"world.gravty\": [0, -5, 0] } }");
    const Ran odd = coalesceProgram("run " + small + " --preset " + (folder / "odd.json").string());
    EXPECT_EQ(odd.code, 3);
    EXPECT_TRUE(says(odd, "odd.json:2")) << odd.text;
    EXPECT_TRUE(says(odd, "world.gravity")) << odd.text;
    const Ran none = coalesceProgram("run " + small + " --preset position_fst", home);
    EXPECT_EQ(none.code, 3);
    EXPECT_TRUE(says(none, "Did you mean \"position_fast\"?")) << none.text;
    EXPECT_TRUE(says(none, "thick one")) << none.text;
    EXPECT_TRUE(
        says(coalesceProgram("run " + small + " --preset presets/none.json", home), "does not exist"));
    const Ran unfit = coalesceProgram("run glug --preset projective_fast", home);
    EXPECT_EQ(unfit.code, 3);
    EXPECT_TRUE(says(unfit, "--preset projective_fast")) << unfit.text;
    // those of scenes/presets, unless the user has one of that name
    EXPECT_EQ(hash("--preset position_fast"),
              hash("--set solver.method=position --set solver.substeps=2 --set solver.iterations=2"));
    writeText(folder / "settings" / "coalesce" / "presets" / "position_fast.json",
              R"({ "values": { "world.gravity": [0, -5, 0] } })");
    EXPECT_EQ(hash("--preset position_fast"), hash("--set 'world.gravity=[0,-5,0]'"));
}

TEST_F(Program, SavedStatesContinueExactly) {
    const std::string half = (folder / "half").string(), whole = (folder / "whole").string(),
                      both = (folder / "both").string();
    ASSERT_EQ(coalesceProgram("run " + small + " --frames 6 --backend cpu --save-state " + whole).code, 0);
    ASSERT_EQ(coalesceProgram("run " + small + " --frames 3 --backend cpu --save-state " + half).code, 0);
    ASSERT_EQ(coalesceProgram("run " + small + " --frames 3 --backend cpu --load-state " + half +
                              " --save-state " + both)
                  .code,
              0);
    const auto hash = [&](const std::string& state) {
        const Ran ran =
            coalesceProgram("bench " + small + " --frames 1 --warmup 0 --backend cpu --load-state " + state);
        EXPECT_EQ(ran.code, 0) << ran.text;
        const size_t at = ran.text.find("hash ");
        return at == std::string::npos ? ran.text : ran.text.substr(at, 21);
    };
    EXPECT_EQ(hash(whole), hash(both));
}

}  // namespace
}  // namespace coalesce::test
