#include <algorithm>
#include <csignal>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

#include "program.h"
#include "support/as_nobody.h"

namespace coalesce::test {
namespace {

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

TEST_F(Program, ListNamesItsTagsWhereNoneFits) {
    const Ran ran = coalesceProgram("list --tag gass");
    EXPECT_NE(ran.code, 0);
    EXPECT_TRUE(says(ran, "There is no tag \"gass\". Did you mean \"gas\"?")) << ran.text;
    EXPECT_TRUE(says(ran, "fluid, foam, friction")) << ran.text;
    EXPECT_FALSE(says(coalesceProgram("list --tag gas --tag sdf --tag rope"), "no tag"));
}

TEST_F(Program, ValidateReportsInsufficientMemory) {
    const Ran fits = coalesceProgram("validate " + small);
    EXPECT_FALSE(says(fits, "not enough memory")) << fits.text;
    // 1.7e9 particles
    const Ran tooLarge = coalesceProgram("validate " + small + " --set materials.water.spacing=0.0005");
    EXPECT_EQ(tooLarge.code, 0) << tooLarge.text;
    EXPECT_TRUE(says(tooLarge, "not enough memory")) << tooLarge.text;
    EXPECT_TRUE(says(tooLarge, "available on CPU")) << tooLarge.text;
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
    const auto replay = [&](const std::string& last, const std::string& event) {
        writeText(folder / "r.json", R"({"scene": "small.json", "letters": [)" + event +
                                         R"(], "hashes": [{"frame": 0, "hash": ")" + hashes[0] +
                                         R"("}, {"frame": 9, "hash": ")" + last + R"("}]})");
        return coalesceProgram("run --backend cpu --quiet --replay " + (folder / "r.json").string());
    };
    const Ran leaks = replay(hashes[9], "");
    EXPECT_EQ(leaks.code, 8) << leaks.text;
    EXPECT_TRUE(says(leaks, "replay: ok; 2 state hashes") && says(leaks, "inside: FAILED")) << leaks.text;
    const std::string thrown = R"({"frame": 2, "throw": [[2, 1, 0.3], [0, 0, -6]]})",
                      found = "the state hash is ";
    const Ran other = replay(hashes[9], thrown);
    EXPECT_EQ(other.code, 8) << other.text;
    ASSERT_TRUE(says(other, "frame 9: " + found)) << other.text;
    const Ran same = replay(other.text.substr(other.text.find(found) + found.size(), 16), thrown);
    EXPECT_EQ(same.code, 0) << same.text;
    EXPECT_TRUE(says(same, "replay: ok; 2 state hashes")) << same.text;
    EXPECT_FALSE(says(same, "inside")) << same.text;
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

TEST_F(Program, UsageErrorsSayWhatWouldBeRight) {
    const auto refused = [](const std::string& arguments, const std::string& words) {
        const Ran ran = coalesceProgram(arguments);
        EXPECT_EQ(ran.code, 2) << arguments;
        EXPECT_TRUE(says(ran, words)) << arguments << "\n" << ran.text;
    };
    refused("run " + small + " --frames 3 --duration 1", "--frames cannot be combined with --duration");
    refused("run " + small + " --resume", "--resume needs --cache");
    refused("run " + small + " --export-to out", "--export-to needs --export");
    refused("record " + small + " --split 0.3 --poster p.png", "--split needs --buffer");
    refused("record " + small + " --passes normal --poster p.png",
            "--passes cannot be combined with --poster");
    refused("params viscosty", "Did you mean \"viscosity\"?");
    EXPECT_TRUE(says(coalesceProgram("params kinematic"), "material.kinematicViscosity"));
    EXPECT_FALSE(says(coalesceProgram("params kinematic"), "solver.substeps"));
    const Ran opacity = coalesceProgram("params opacity");
    EXPECT_TRUE(says(opacity, "shapes[].opacity") && says(opacity, "material.smokeOpacity")) << opacity.text;
    EXPECT_TRUE(says(coalesceProgram("params submerged"), "Checks of expect"));
    const Ran both = coalesceProgram("params friction");
    EXPECT_TRUE(says(both, "material.staticFriction") && says(both, "Keys of scene files")) << both.text;
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
    expectWords("simulate", "there is no command simulate. Did you mean \"run\"?");
    expectWords("valdate x.json", "Did you mean \"validate\"?");
    expectWords("nonsense", "Commands: view, record, run, export, cache, bench");
    expectWords("run --farmes 3", "coalesce run: there is no option --farmes. Did you mean \"--frames\"?");
    expectWords("record dam_break -o out.mp4", "Give --video FILE.mp4, --images DIR or --poster FILE.png.");
    expectWords("run dam_break --set solver.substeps=4 solver.iterations=8", "Write --set before each value");
    expectWords("mesh dam_break --export usd",
                "coalesce mesh: there is no option --export. It is one of coalesce ");
    expectWords("bench --warmpu=3", "there is no option --warmpu. Did you mean \"--warmup\"?");
    expectWords("run a.json b.json", "unexpected argument b.json");
    expectWords("dam_break", "Did you mean \"coalesce view dam_break\"?");
    expectWords("scenes/dam_break.json", "Did you mean \"coalesce view scenes/dam_break.json\"?");
    expectWords("run --stats", "--stats needs a FILE");
}

TEST_F(Program, HelpDescribesAnOptionBeforeWhatItExcludes) {
    const Ran ran = coalesceProgram("run --help");
    EXPECT_EQ(ran.code, 0);
    EXPECT_TRUE(says(ran, "but for slow motion; overrides the scene's duration (not with --frames"))
        << ran.text;
    EXPECT_FALSE(says(ran, "Excludes:")) << ran.text;
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
    EXPECT_TRUE(says(chosen, "no CUDA")) << chosen.text;
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

// As nobody in a folder of root; before the simulation: 100 000 frames would time out.
TEST_F(Program, FoldersThatCannotBeWrittenAreRefusedAtOnce) {
    const bool root = geteuid() == 0;
    if (root && shell("setpriv --reuid 65534 --clear-groups true").code != 0)
        GTEST_SKIP() << "root may write everywhere, and no other user could be taken on";
    std::filesystem::create_directory(folder / "ours");
    for (const std::filesystem::path& path : {folder.path(), folder / "ours"}) makeReadOnly(path);
    const std::string user = root ? "setpriv --reuid 65534 --clear-groups" : "";
    for (const std::string option : {"--stats", "--hash-log", "--save-state"}) {
        const Ran ran = coalesceProgram("run " + small + " --frames 100000 --backend cpu " + option + " " +
                                            (folder / "ours" / "file").string(),
                                        user);
        EXPECT_EQ(ran.code, 7) << ran.text;
        EXPECT_TRUE(says(ran, "cannot be written to: Permission denied")) << ran.text;
    }
    // a device in such a folder can be
    const Ran ran =
        coalesceProgram("run " + small + " --frames 1 --quiet --backend cpu --stats /dev/null", user);
    EXPECT_NE(ran.code, 7) << ran.text;
    for (const std::filesystem::path& path : {folder / "ours", folder.path()})
        std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

TEST_F(Program, OtherKindsOfFilesAreNamed) {
    const std::string scenes = COALESCE_SCENES;
    EXPECT_TRUE(
        says(coalesceProgram("sweep " + scenes + "/wedge.json --to x"), "it is a scene, not a sweep"));
    EXPECT_TRUE(says(coalesceProgram("validate " + scenes + "/films/fly_through.json"),
                     "If it is a film: coalesce validate SCENE --film FILE."));
    EXPECT_TRUE(says(coalesceProgram("cache " + small), "it is not a folder, and so no cache"));
}

// Those that come with the scenes, as scenes themselves.
TEST_F(Program, FilmsAndSweepsAreFoundByName) {
    const std::string out = (folder / "jobs").string(), validate = "validate all_together --size ci ";
    EXPECT_EQ(coalesceProgram("sweep wedge --to " + out).code, 0);
    EXPECT_TRUE(std::filesystem::exists(folder / "jobs" / "jobs.jsonl"));
    EXPECT_EQ(coalesceProgram(validate + "--film fly_through").code, 0);
    EXPECT_EQ(coalesceProgram("run all_together --size ci --frames 0 --quiet --film fly_through").code, 0);
    for (const std::string& command : {"sweep wedeg --to " + out, validate + "--film fly_thruogh",
                                       std::string("run all_together --frames 0 --film fly_thruogh")}) {
        const Ran ran = coalesceProgram(command);
        EXPECT_EQ(ran.code, 3) << ran.text;
        EXPECT_TRUE(says(ran, "Did you mean")) << ran.text;
    }
}

// A folder of results may bear the name of its scene.
TEST_F(Program, AFolderDoesNotHideTheSceneOfItsName) {
    std::filesystem::create_directories(folder / "dam_break");
    std::filesystem::create_directories(folder / "results");
    const std::string here = "cd '" + folder.path().string() + "';";
    const Ran ran = coalesceProgram("validate dam_break", here);
    EXPECT_EQ(ran.code, 0) << ran.text;
    const Ran none = coalesceProgram("validate results", here);
    EXPECT_EQ(none.code, 3) << none.text;
    EXPECT_TRUE(says(none, "it is a folder, not a file")) << none.text;
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

TEST_F(Program, AStateIsThatOfOneCase) {
    const std::string state = (folder / "state").string();
    const std::string run = "run dam_break --size ci --frames 1 --backend cpu --save-state " + state;
    const Ran all = coalesceProgram(run);
    EXPECT_NE(all.code, 0);
    EXPECT_TRUE(says(all, "a state holds one case; the scene has cm5, cm10, cm15")) << all.text;
    EXPECT_FALSE(std::filesystem::exists(state));
    EXPECT_EQ(coalesceProgram(run + " --case cm15").code, 0);
    EXPECT_TRUE(std::filesystem::exists(state));
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

// Ctrl+C, as soon as there are a few frames.
TEST_F(Program, ARunThatIsStoppedKeepsWhatItHasDone) {
    const std::string stats = (folder / "stats.json").string(), cache = (folder / "cache").string(),
                      state = (folder / "state").string();
    const Ran ran = interruptedProgram("run " + small + " --frames 1000000 --backend cpu --quiet --stats " +
                                           stats + " --cache " + cache + " --save-state " + state,
                                       cache + "/frame_000003.frame");
    EXPECT_EQ(ran.code, 1) << ran.text;
    EXPECT_TRUE(says(ran, "stopped")) << ran.text;
    const auto report = nlohmann::json::parse(readText(stats));
    EXPECT_EQ(report.at("stopped"), true) << report;
    EXPECT_EQ(coalesceProgram("run " + small + " --frames 1 --backend cpu --load-state " + state).code, 0);
    const Ran converted =
        coalesceProgram("export --from-cache " + cache + " --cache-range 0:3 --export ply --export-to " +
                        (folder / "out").string());
    EXPECT_EQ(converted.code, 0) << converted.text;
}

// A limit on the size of files, at which the system kills: in the middle of a write, wherever that is.
TEST_F(Program, ARunThatIsKilledWhileItSavesLeavesTheOldState) {
    const auto file = folder / "state";
    const std::string run = "run " + small + " --frames 3 --backend cpu --save-state " + file.string();
    ASSERT_EQ(coalesceProgram(run).code, 0);
    const std::string whole = readText(file);
    for (size_t blocks = 0, killed = 0;; blocks += 9) {  // of 512 bytes
        writeText(file, "an older state");
        const Ran ran = coalesceProgram(run, "ulimit -c 0; ulimit -f " + std::to_string(blocks) + ";");
        if (ran.code == 0) {
            EXPECT_EQ(readText(file), whole);
            EXPECT_EQ(killed, (whole.size() / 512 + 9) / 9);
            break;
        }
        ++killed;
        EXPECT_EQ(ran.code, 128 + SIGXFSZ) << ran.text;
        EXPECT_EQ(readText(file), "an older state") << blocks;
        ASSERT_LT(blocks, whole.size());
    }
}

}  // namespace
}  // namespace coalesce::test
