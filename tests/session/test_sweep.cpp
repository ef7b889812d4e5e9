// Sweep files: combinations, ranges, keys of jobs, and errors with line, key and nearest name.
#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "scene/reader.h"
#include "session/sweep.h"
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

namespace fs = std::filesystem;

class Sweeps : public ::testing::Test {
protected:
    TemporaryFolder folder;
    fs::path scene = smallScene(folder);

    Sweep read(const std::string& text) {
        const fs::path file = folder / "sweep.json";
        writeText(file, text);
        return readSweep(file);
    }
    std::vector<SweepJob> jobs(const std::string& text) {
        return jobsOf(read(text), [&](const std::string&) { return scene; });
    }
    // The errors of a sweep, or "" when it is valid.
    std::string errors(const std::string& text) {
        try {
            jobs(text);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    }
};

TEST_F(Sweeps, EveryCombinationIsAJob) {
    const auto all = jobs(R"({ "scenes": ["small"], "frames": 7, "values": {
        "solver.substeps": [2, 3],
        "seed": [1, 2, 3],
        "world.gravity": [[0, -9.81, 0], [0, -1.6, 0]] } })");
    ASSERT_EQ(all.size(), 12u);
    std::set<uint64_t> keys;
    std::set<std::vector<std::string>> sets;
    for (const SweepJob& job : all) {
        keys.insert(job.key);
        sets.insert(job.choice.sets);
        EXPECT_EQ(job.frames, 7u);
        EXPECT_EQ(job.values.size(), 3u);
    }
    EXPECT_EQ(keys.size(), 12u);
    EXPECT_EQ(sets.size(), 12u);
    // the last axis is the fastest
    EXPECT_EQ(all[1].choice.sets[0], "solver.substeps=2");
    EXPECT_EQ(all[1].choice.sets[1], "seed=1");
    EXPECT_EQ(all[1].choice.sets[2], "world.gravity=[0,-1.6,0]");
}

TEST_F(Sweeps, RangesHaveEqualDifferencesOrRatios) {
    const Sweep sweep = read(R"({ "scenes": ["small"], "values": {
        "a": { "from": 1, "to": 2, "count": 5 },
        "b": { "from": 0.001, "to": 1, "count": 4, "scale": "log" },
        "c": { "from": 1, "to": 32, "count": 6, "scale": "log" },
        "d": ["velocity", "4", true, 2.5] } })");
    const auto values = [&](size_t k) { return sweep.axes.at(k).values; };
    EXPECT_EQ(values(0), (std::vector<std::string>{"1", "1.25", "1.5", "1.75", "2"}));
    EXPECT_EQ(values(1), (std::vector<std::string>{"0.001", "0.01", "0.1", "1"}));
    EXPECT_EQ(values(2), (std::vector<std::string>{"1", "2", "4", "8", "16", "32"}));
    // a word that reads as a number stays a word
    EXPECT_EQ(values(3), (std::vector<std::string>{"velocity", "\"4\"", "true", "2.5"}));
}

TEST_F(Sweeps, KeysIdentifyTheRun) {
    const std::string text =
        R"({ "scenes": ["small"], "frames": 5, "values": { "solver.substeps": [2, 3] } })";
    const auto key = [&](const std::string& other) { return jobs(other).front().key; };
    EXPECT_EQ(key(text), key(text));
    const auto changed = [&](const std::string& from, const std::string& to) {
        std::string other = text;
        other.replace(other.find(from), from.size(), to);
        return key(other);
    };
    EXPECT_NE(key(text), changed("\"frames\": 5", "\"frames\": 6"));
    EXPECT_NE(key(text), changed("[2, 3]", "[4]"));
    EXPECT_NE(key(text), changed("\"frames\": 5", "\"frames\": 5, \"outputs\": { \"picture\": {} }"));
    // further values do not change the keys of those that were there; nor do words for people
    EXPECT_EQ(key(text), changed("[2, 3]", "[2, 3, 4]"));
    EXPECT_EQ(key(text), changed("\"frames\": 5", "\"frames\": 5, \"about\": \"text\""));
    // the scene itself
    const uint64_t before = key(text);
    std::string content = readText(scene);
    const std::string duration = "\"duration\"";
    ASSERT_NE(content.find(duration), std::string::npos) << content;
    content.insert(content.find(duration), "\"seed\": 77, ");
    writeText(scene, content);
    EXPECT_NE(before, key(text));
}

TEST_F(Sweeps, ErrorsNameLineKeyAndTheNearestName) {
    struct Wrong {
        const char *text, *said;
    };
    const Wrong all[] = {
        {"{\n \"scene\": [\"small\"] }", "sweep.json:2: scene: unknown key. Did you mean \"scenes\"?"},
        {"{ \"scenes\": [] }", "the list is empty"},
        {"{ \"scenes\": [\"small\"],\n \"sizes\": [\"tiny\"] }",
         "sweep.json:2: sizes: the scene small has no such size"},
        {"{ \"scenes\": [\"small\"],\n\n \"values\": { \"solver.substep\": [2] } }",
         "sweep.json:3: values.solver.substep: 2: unknown key. Did you mean \"substeps\"?"},
        {"{ \"scenes\": [\"small\"], \"values\": { \"solver.substeps\": [2,\n 0.5] } }",
         "sweep.json:2: values.solver.substeps: 0.5:"},
        {"{ \"scenes\": [\"small\"], \"values\": { \"solver.substeps\": { \"from\": 0, \"to\": 4, \"count\": "
         "3,\n "
         "\"scale\": \"log\" } } }",
         "sweep.json:2: values.solver.substeps.scale: a logarithmic range needs two values above 0"},
        {"{ \"scenes\": [\"small\"], \"values\": { \"solver.substeps\": { \"from\": 1, \"to\": 4, \"cuont\": "
         "3 } } }",
         "Did you mean \"count\"?"},
        {"{ \"scenes\": [\"small\"], \"values\": { \"solver.substeps\": 4 } }",
         "expects a list of values or a range"},
        {"{ \"scenes\": [\"small\"], \"values\": { \"solver.substeps\": [2, 2] } }", "two jobs are the same"},
        {"{ \"scenes\": [\"small\"], \"frames\": 3, \"duration\": 1 }", "either frames or duration"},
        {"{ \"scenes\": [\"small\"],\n \"outputs\": { \"picture\": { \"quality\": \"finl\" } } }",
         "sweep.json:2: outputs.picture.quality: \"finl\" is no render quality. Did you mean \"final\"?"},
        {"{ \"scenes\": [\"small\"], \"frames\": 6,\n \"outputs\": { \"picture\": {\n \"at\": 9 } } }",
         "sweep.json:3: outputs.picture.at: is after the last frame"},
        {"{ \"scenes\": [\"small\"], \"outputs\": { \"picture\": { \"camera\": \"nowhere\" } } }",
         "has no camera \"nowhere\""},
    };
    for (const Wrong& wrong : all) {
        const std::string said = errors(wrong.text);
        EXPECT_NE(said.find(wrong.said), std::string::npos) << wrong.text << "\n" << said;
    }
}

// More jobs than there may be, but for the cases: refused before any is made.
TEST_F(Sweeps, CasesCountAmongTheJobs) {
    scene = smallScene(folder, R"("cases": { "a": { "duration": 1 }, "b": { "duration": 2 } },)");
    const std::string said = errors(R"({ "scenes": ["small"],
        "values": { "materials.water.viscosity": { "from": 0, "to": 1, "count": 300 },
                    "materials.water.damping": { "from": 0, "to": 1, "count": 300 } } })");
    EXPECT_NE(said.find("the sweep has more than 100000 jobs"), std::string::npos) << said;
}

TEST_F(Sweeps, FormerNamesOfCasesChooseThem) {
    scene = smallScene(folder, R"("cases": { "thick": { "formerly": ["c2"], "solver.substeps": 3 } },)");
    const auto all = jobs(R"({ "scenes": ["small"], "cases": ["c2"], "frames": 7 })");
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(readScene(all[0].scene, all[0].choice).parameters.solver.substeps, 3);
    EXPECT_NE(errors(R"({ "scenes": ["small"], "cases": ["c3"], "frames": 7 })"), "");
}

// All errors of a file are reported together.
TEST_F(Sweeps, ErrorsAreReportedTogether) {
    const std::string said = errors(R"({ "scenes": ["small"], "frame": 3,
        "values": { "solver.substeps": 3, "x": [] } })");
    EXPECT_NE(said.find("\"frames\""), std::string::npos) << said;
    EXPECT_NE(said.find("values.solver.substeps"), std::string::npos) << said;
    EXPECT_NE(said.find("values.x"), std::string::npos) << said;
}

}  // namespace
}  // namespace coalesce::test
