// The program writes a cache, is killed, and continues: files and hashes are those of an unbroken run.
#include <chrono>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <random>

#include "killed_program.h"
#include "program.h"
#include "support/as_nobody.h"
#include "support/small_scene.h"

namespace coalesce::test {

namespace fs = std::filesystem;

namespace {

std::map<std::string, std::string> filesIn(const fs::path& folder) {
    std::map<std::string, std::string> files;
    std::error_code missing;
    for (const auto& entry : fs::directory_iterator(folder, missing))
        files[entry.path().filename().string()] = readText(entry.path());
    return files;
}

void expectSameFiles(const fs::path& a, const fs::path& b) {
    const auto left = filesIn(a), right = filesIn(b);
    EXPECT_EQ(left.size(), right.size());
    for (const auto& [name, bytes] : left) {
        ASSERT_TRUE(right.contains(name)) << name << " is missing";
        EXPECT_TRUE(right.at(name) == bytes) << name << " differs";
    }
}

// The hash of the report's first line.
std::string hashOf(const Ran& ran) {
    const size_t at = ran.text.find("hash ");
    return at == std::string::npos ? ran.text : ran.text.substr(at, 21);
}

}  // namespace

// Runs of a liquid with emitters and sinks, of cloth that tears, and of foam, which must have formed.
class KilledRun : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Cache, KilledRun,
                         testing::Values("sewer_drain --size ci --case wide --frames 70",
                                         "cloth_tear --size ci --case weak --frames 70",
                                         "whitewater --size ci --case jet --frames 70"),
                         [](const auto& info) { return info.param.substr(0, info.param.find(' ')); });

TEST_P(KilledRun, ContinuesToTheSameHashesAndBytes) {
    const TemporaryFolder folder;
    const std::string common = "run " + GetParam() + " --quiet --backend cpu --cache-full-every 12 --cache ";
    const Ran whole = coalesceProgram(common + (folder / "whole").string());
    ASSERT_TRUE(whole.code == 0 || whole.code == 8) << whole.text;

    const std::string line = common + (folder / "broken").string() + " --resume";
    std::mt19937 random(20);
    int killed = 0;
    for (int k = 0; k < killsWanted(); ++k) {
        const size_t had = wholeFilesIn(folder / "broken"), all = wholeFilesIn(folder / "whole");
        const size_t wanted = had + 1 + random() % (all - had);
        const auto isDue = [&] { return wholeFilesIn(folder / "broken") >= wanted; };
        killed += runAndKill(line, isDue, std::chrono::microseconds(random() % 20000));
        // when nothing is left to do, the run begins anew
        if (filesIn(folder / "broken").size() == filesIn(folder / "whole").size() && k + 1 < killsWanted())
            fs::remove_all(folder / "broken");
    }
    EXPECT_GT(killed, 0);
    const Ran rest = coalesceProgram(line);
    ASSERT_TRUE(rest.code == 0 || rest.code == 8) << rest.text;
    EXPECT_EQ(hashOf(rest), hashOf(whole));
    expectSameFiles(folder / "whole", folder / "broken");
}

// Spray, foam and bubbles that `coalesce foam` makes of a cache with draw frames are those of the run, in every frame and
// every byte; of another preset they are not.
TEST(FoamOfACache, IsThatOfTheRun) {
    const TemporaryFolder folder;
    const auto path = [&](const char* name) { return (folder / name).string(); };
    const Ran run = coalesceProgram(
        "run whitewater --size ci --case jet --frames 45 --quiet --backend cpu --cache " + path("run"));
    ASSERT_TRUE(run.code == 0 || run.code == 8) << run.text;
    const auto passivesOf = [&](const char* cache) {
        const Ran exported = coalesceProgram("export --quiet --export ply --from-cache " + path(cache) +
                                             " --export-to " + path("ply"));
        EXPECT_EQ(exported.code, 0) << exported.text;
        std::map<std::string, std::string> files = filesIn(folder / "ply");
        std::erase_if(files,
                      [](const auto& file) { return file.first.find("passive") == std::string::npos; });
        fs::remove_all(folder / "ply");
        return files;
    };
    const auto made = passivesOf("run");
    ASSERT_EQ(made.size(), 46u);
    EXPECT_GT(made.rbegin()->second.size(), 20000u);
    const auto madeAnew = [&](const char* cache, const std::string& more) {
        const Ran foam =
            coalesceProgram("foam --quiet --from-cache " + path("run") + " --cache " + path(cache) + more);
        EXPECT_EQ(foam.code, 0) << foam.text;
        return passivesOf(cache);
    };
    EXPECT_TRUE(madeAnew("same", "") == made);
    EXPECT_FALSE(madeAnew("beer", " --set materials.water.foam=beer") == made);
}

class CacheProgram : public testing::Test {
protected:
    CacheProgram() : scene(smallScene(folder).string()), cache((folder / "cache").string()) {}
    Ran run(const std::string& more, const std::string& prefix = "") const {
        return coalesceProgram(
            "run " + scene + " --quiet --frames 20 --cache-full-every 5 --cache " + cache + " " + more,
            prefix);
    }
    TemporaryFolder folder;
    std::string scene, cache;
};

TEST_F(CacheProgram, TheSameCommandWritesTheSameBytes) {
    ASSERT_EQ(run("").code, 0);
    fs::rename(cache, folder / "first");
    ASSERT_EQ(run("--threads 1 --shuffle 3").code, 0);
    expectSameFiles(folder / "first", cache);
}

TEST_F(CacheProgram, DamagedAndMissingFramesAreMadeAgain) {
    ASSERT_EQ(run("").code, 0);
    fs::copy(cache, folder / "whole");
    const auto frame = [&](const char* number) { return cache + "/frame_0000" + number + ".frame"; };
    fs::resize_file(frame("07"), 100);
    fs::remove(frame("10"));
    writeText(frame("16"), "");
    writeText(frame("18") + ".part", "left by a run that was killed");
    const Ran again = run("--resume");
    EXPECT_EQ(again.code, 0) << again.text;
    EXPECT_TRUE(says(again, "3 frames written, 18 were there, 2 were damaged")) << again.text;
    expectSameFiles(folder / "whole", cache);
}

TEST_F(CacheProgram, ALongerRunContinuesAShorterOne) {
    ASSERT_EQ(run("").code, 0);
    fs::rename(cache, folder / "whole");
    ASSERT_EQ(run("--frames 7", "").code, 2) << "an option is given once";
    ASSERT_EQ(
        coalesceProgram("run " + scene + " --quiet --frames 7 --cache-full-every 5 --cache " + cache).code,
        0);
    ASSERT_EQ(run("--resume").code, 0);
    expectSameFiles(folder / "whole", cache);
}

// Also where the timeline adds bodies before and after the frame from which the run goes on.
TEST_F(CacheProgram, ARunWithLaterBodiesContinues) {
    const auto run = [&](const std::string& more) {
        return coalesceProgram(
            "run adhesion --size ci --case gun --quiet --backend cpu --cache-full-every 10 " + more);
    };
    const std::string whole = (folder / "whole").string();
    for (const auto& [frames, folderOf] : {std::pair{"45", whole}, std::pair{"31", cache}}) {
        const Ran ran = run(std::string("--frames ") + frames + " --cache " + folderOf);
        ASSERT_TRUE(ran.code == 0 || ran.code == 8) << ran.text;
    }
    const Ran rest = run("--frames 45 --resume --cache " + cache);
    ASSERT_TRUE(rest.code == 0 || rest.code == 8) << rest.text;
    expectSameFiles(whole, cache);
}

TEST_F(CacheProgram, AReplayIsCachedAndContinued) {
    ASSERT_EQ(
        coalesceProgram("run " + scene + " --quiet --frames 0 --hash-log " + (folder / "log").string()).code,
        0);
    const std::string log = readText(folder / "log"), start = log.substr(log.find_last_not_of('\n') - 15, 16);
    const auto writeReplay = [&](const char* name, const char* gravity) {
        // input before, at and after the full frames 10 and 15
        writeText(folder / name, std::string(R"({"scene": "small.json", "events": [
            {"frame": 3, "set": "world.gravity", "to": )") +
                                     gravity + R"(},
            {"frame": 10, "throw": [[0.3, 0.2, 2], [0, 0, -6]]},
            {"frame": 17, "set": "world.gravity", "to": [0, -4, 0]}],
            "hashes": [{"frame": 0, "hash": ")" +
                                     start + R"("}]})");
        return "run --quiet --frames 20 --cache-full-every 5 --replay " + (folder / name).string() +
               " --cache ";
    };
    const std::string played = writeReplay("played.json", "[3, -9.81, 0]"),
                      other = writeReplay("other.json", "[4, 0, 0]");
    const Ran whole = coalesceProgram(played + (folder / "whole").string());
    ASSERT_EQ(whole.code, 0) << whole.text;
    ASSERT_EQ(coalesceProgram(played + cache).code, 0);
    for (const char* number : {"12", "18", "19", "20"}) fs::remove(cache + "/frame_0000" + number + ".frame");
    const Ran rest = coalesceProgram(played + cache + " --resume");
    EXPECT_EQ(rest.code, 0) << rest.text;
    EXPECT_TRUE(says(rest, "4 frames written, 17 were there")) << rest.text;
    EXPECT_TRUE(says(rest, "not checked") && !says(rest, "passed")) << rest.text;
    EXPECT_EQ(hashOf(rest), hashOf(whole));
    expectSameFiles(folder / "whole", cache);
    // the input matters: without it the run is another one
    EXPECT_NE(hashOf(coalesceProgram("run " + scene + " --quiet --frames 20")), hashOf(whole));
    const Ran wrong = coalesceProgram(other + cache + " --resume");
    EXPECT_EQ(wrong.code, 2);
    EXPECT_TRUE(says(wrong, "another replay") && says(wrong, "replay.json")) << wrong.text;
    const Ran none = run("--resume");
    EXPECT_EQ(none.code, 2);
    EXPECT_TRUE(says(none, "with another replay, or with one")) << none.text;
}

TEST_F(CacheProgram, NothingIsOverwritten) {
    ASSERT_EQ(run("").code, 0);
    const Ran again = run("");
    EXPECT_EQ(again.code, 7);
    EXPECT_TRUE(says(again, "has a cache already") && says(again, "--resume")) << again.text;
    const Ran other = run("--resume --set solver.substeps=3");
    EXPECT_EQ(other.code, 2);
    EXPECT_TRUE(says(other, "with other values")) << other.text;
    const Ran another = coalesceProgram("run adhesion --size ci --case gun --resume --cache " + cache);
    EXPECT_EQ(another.code, 2);
    EXPECT_TRUE(says(another, "the cache is of small, and this run is of adhesion, case gun, size ci"))
        << another.text;
    const Ran coarser = coalesceProgram("run " + scene + " --resume --cache-full-every 6 --cache " + cache);
    EXPECT_TRUE(says(coarser, "--cache-full-every 5")) << coarser.text;
}

// A limit on the size of files ends like a full disk: write() fails in the middle of a file.
TEST_F(CacheProgram, AFullDiskLosesNothing) {
    const std::string fine = "--set materials.water.spacing=0.04";  // frames of 50 kB, scene.json has 10
    ASSERT_EQ(run(fine).code, 0);
    fs::rename(cache, folder / "whole");
    const Ran full = run(fine, "trap '' XFSZ; ulimit -f 60;");  // blocks of 512 bytes
    EXPECT_EQ(full.code, 7) << full.text;
    EXPECT_TRUE(says(full, "could not be written completely") && says(full, "--resume")) << full.text;
    for (const auto& [name, bytes] : filesIn(cache)) EXPECT_FALSE(name.ends_with(".part")) << name;
    EXPECT_EQ(run(fine + " --resume").code, 0);
    expectSameFiles(folder / "whole", cache);
}

TEST_F(CacheProgram, FoldersThatCannotBeWrittenAreRefusedBeforeTheRun) {
    writeText(folder / "file", "");
    const Ran below = coalesceProgram("run " + scene + " --cache " + (folder / "file").string() + "/cache");
    EXPECT_EQ(below.code, 7);
    EXPECT_TRUE(says(below, "cannot be created")) << below.text;
}

TEST_F(CacheProgram, ReadOnlyFoldersAreRefusedBeforeTheRun) {
    const bool root = geteuid() == 0;
    const std::string nobody = fmt::format("setpriv --reuid={0} --regid={0} --clear-groups", kNobody);
    if (root && std::system((nobody + " '" COALESCE_PROGRAM "' --version > /dev/null 2>&1").c_str()) != 0)
        GTEST_SKIP() << "root may write everywhere, and the program cannot be run as nobody";
    fs::permissions(folder.path(), fs::perms::all);
    fs::create_directory(cache);
    makeReadOnly(cache);
    const Ran readOnly = run("", root ? nobody : "");
    EXPECT_EQ(readOnly.code, 7);
    EXPECT_TRUE(says(readOnly, "cannot be written")) << readOnly.text;
    EXPECT_TRUE(filesIn(cache).empty());
    fs::permissions(cache, fs::perms::all);
    EXPECT_EQ(run("", root ? nobody : "").code, 0);
}

// Positions are exact, so the images of particles are, too. (The surface of a liquid is fitted to the
// neighbors of the last substep in a run, and to those at the shown positions in a cache.)
TEST_F(CacheProgram, ImagesOfACacheAreThoseOfTheRun) {
    const std::string common = " --quiet --resolution 320x180 --quality fast --images ";
    const Ran drawn = coalesceProgram("record " + scene + common + (folder / "simulated").string() +
                                      " --frames 21 --cache " + cache + " --cache-full-every 5");
    if (drawn.code == 4) GTEST_SKIP() << drawn.text;
    ASSERT_EQ(drawn.code, 0) << drawn.text;
    const Ran played =
        coalesceProgram("record --from-cache " + cache + common + (folder / "played").string());
    ASSERT_EQ(played.code, 0) << played.text;
    expectSameFiles(folder / "simulated", folder / "played");

    // a range, and another frame rate
    const Ran part = coalesceProgram("record --from-cache " + cache + " --cache-range 6:12 --fps 30" +
                                     common + (folder / "part").string());
    ASSERT_EQ(part.code, 0) << part.text;
    const auto all = filesIn(folder / "simulated"), some = filesIn(folder / "part");
    ASSERT_EQ(some.size(), 4u);
    EXPECT_TRUE(some.at("frame_000000.png") == all.at("frame_000006.png"));
    EXPECT_TRUE(some.at("frame_000003.png") == all.at("frame_000012.png"));
}

TEST_F(CacheProgram, ARangeCanBeSimulatedAgain) {
    ASSERT_EQ(run("").code, 0);
    const Ran same = coalesceProgram("cache " + cache + " --check --simulate-again 7:13");
    EXPECT_EQ(same.code, 0) << same.text;
    EXPECT_TRUE(says(same, "frames 7 to 13, simulated again from frame 5: all states are equal"))
        << same.text;
    // a frame of another run under the name of this one
    const std::string other = (folder / "other").string();
    ASSERT_EQ(
        coalesceProgram("run " + scene + " --quiet --frames 20 --set world.gravity=[0,-5,0] --cache " + other)
            .code,
        0);
    fs::copy_file(other + "/frame_000009.frame", cache + "/frame_000009.frame",
                  fs::copy_options::overwrite_existing);
    const Ran mixed = coalesceProgram("cache " + cache + " --check");
    EXPECT_EQ(mixed.code, 3);
    EXPECT_TRUE(says(mixed, "frame_000009.frame") && says(mixed, "20 of 21 frames are whole")) << mixed.text;
}

// One command converts what another simulated: the same files as from the run itself.
TEST_F(CacheProgram, ExportsOfACacheAreThoseOfTheRun) {
    const std::string formats = " --quiet --export vtp,usd --export-every 10 --export-to ";
    ASSERT_EQ(run("--cache-full-every 1" + formats + (folder / "live").string()).code, 2) << "given twice";
    ASSERT_EQ(coalesceProgram("run " + scene + " --frames 20 --cache-full-every 1 --cache " + cache +
                              formats + (folder / "live").string())
                  .code,
              0);
    const Ran later = coalesceProgram("export --from-cache " + cache + formats + (folder / "later").string());
    EXPECT_EQ(later.code, 0) << later.text;
    expectSameFiles(folder / "live", folder / "later");
    EXPECT_EQ(coalesceProgram("export --from-cache " + cache + " --export obj").code, 2);
}

TEST_F(CacheProgram, MistakesAreExplained) {
    const Ran none = coalesceProgram("record --images " + cache + " --from-cache " + folder.path().string());
    EXPECT_EQ(none.code, 3);
    EXPECT_TRUE(says(none, "there is no cache in this folder")) << none.text;
    const Ran cases = coalesceProgram("run dam_break --size ci --cache " + cache);
    EXPECT_EQ(cases.code, 2);
    EXPECT_TRUE(says(cases, "--case")) << cases.text;
    ASSERT_EQ(run("").code, 0);
    writeText(folder / "cache" / "scene.json", "{}");
    const Ran changed = run("--resume");
    EXPECT_EQ(changed.code, 3);
    EXPECT_TRUE(says(changed, "scene.json beside it was changed")) << changed.text;
}

}  // namespace coalesce::test
