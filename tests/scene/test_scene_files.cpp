// Every file of scenes/: valid in every size and case, within the limits of its sizes. Damaged texts are read
// or rejected, never crash the reader.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

#include "core/error.h"
#include "core/hash.h"
#include "scene/build/build.h"
#include "scene/format/json_edit.h"
#include "scene/format/scene.h"
#include "scene/format/writer.h"
#include "scene/reader.h"

namespace coalesce {
namespace {

std::vector<std::filesystem::path> sceneFiles() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(COALESCE_SCENE_FOLDER))
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

std::string textOf(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

class SceneFile : public testing::TestWithParam<std::filesystem::path> {};
INSTANTIATE_TEST_SUITE_P(, SceneFile, testing::ValuesIn(sceneFiles()),
                         [](const auto& info) { return info.param.stem().string(); });

// `run` runs the cases, or the plain scene where there is none: a size that changes the plain scene, but that
// every case overrides, would have no effect.
TEST_P(SceneFile, ReadsInEverySizeAndCaseAndSizesMatter) {
    const Scene plain = readScene(GetParam());
    EXPECT_FALSE(plain.about.empty()) << "a scene needs `about`";
    EXPECT_FALSE(plain.source.empty()) << "and where it comes from";
    EXPECT_FALSE(plain.expect.empty()) << "and what must hold";
    for (const char* size : {"ci", "demo", "paper"})
        EXPECT_NE(std::find(plain.sizes.begin(), plain.sizes.end(), size), plain.sizes.end()) << size;
    std::vector<std::string> sizes{""}, cases{""};
    sizes.insert(sizes.end(), plain.sizes.begin(), plain.sizes.end());
    cases.insert(cases.end(), plain.cases.begin(), plain.cases.end());
    // "": the values outside of all sizes; a scene read without a size has those of demo, which a poster may name
    const std::string text = textOf(GetParam());
    const std::optional<std::string> unsized =
        removeKey(removeKey(text, {}, "poster").value_or(text), {"sizes"}, "demo");
    ASSERT_TRUE(unsized);
    std::map<std::pair<std::string, std::string>, size_t> count;
    for (const std::string& size : sizes)
        for (const std::string& name : cases) {
            const SceneChoice choice{size, name, {}, {}};
            const Scene scene =
                size.empty() ? readSceneText(*unsized, GetParam(), choice) : readScene(GetParam(), choice);
            const size_t particles = countParticles(scene);
            count[{size, name}] = particles;
            EXPECT_TRUE(particles > 0 || !scene.emitters.empty()) << size << " " << name;
            if (size == "ci") {
                // gases fill their box
                EXPECT_LE(particles, 18000u) << name;
            }
            for (const std::string& check : scene.control)
                EXPECT_TRUE(std::any_of(scene.expect.begin(), scene.expect.end(),
                                        [&](const Check& c) { return c.name == check; }) ||
                            check == "inside" || check == "no_overflow")
                    << name << " must fail " << check;
            // the written scene reads back to the same scene
            const Scene again = readSceneText(writeScene(scene), GetParam(), choice);
            EXPECT_EQ(again.text, scene.text) << size << " " << name;
        }
    const std::vector<std::string> runs = plain.cases.empty() ? std::vector<std::string>{""} : plain.cases;
    for (const std::string& size : plain.sizes) {
        const bool changesScene = count[{size, ""}] != count[{"", ""}];
        const bool changesRun = std::any_of(runs.begin(), runs.end(), [&](const std::string& name) {
            return count[{size, name}] != count[{"", name}];
        });
        EXPECT_TRUE(changesRun || !changesScene) << "size " << size << " has no effect in any case";
    }
}

// Damages a text: flips, cuts, swaps, copies and fills, one to eight of them, by the seed.
std::string damage(std::string text, uint64_t seed) {
    uint64_t state = seed;
    const auto random = [&](size_t n) {
        return size_t(mix(state++ * 0x9e3779b97f4a7c15ull + seed) % std::max<size_t>(n, 1));
    };
    const size_t edits = 1 + random(8);
    for (size_t e = 0; e < edits && !text.empty(); ++e) {
        const size_t a = random(text.size()), b = random(text.size()), length = 1 + random(40);
        switch (random(7)) {
            case 0:
                text[a] = char(text[a] ^ (1 << random(8)));
                break;
            case 1:
                text.resize(a);
                break;
            case 2:
                std::swap(text[a], text[b]);
                break;
            case 3:
                text.erase(a, length);
                break;
            case 4:
                text.insert(b, text.substr(a, length));
                break;
            case 5:
                text[a] = char(random(256));
                break;
            case 6: {
                // a number becomes another one, of any size
                static const char* const kNumbers[] = {
                    "-1",         "0",    "1e300", "1e-300", "99999999999999999999", "-0", "1e999", "0.00001",
                    "4294967296", "null", "[]",    "{}"};
                const size_t digit = text.find_first_of("0123456789", a);
                if (digit != std::string::npos) text.replace(digit, 1, kNumbers[random(12)]);
                break;
            }
        }
    }
    return text;
}

TEST_P(SceneFile, DamagedFilesNeverCrashTheReader) {
    const std::string text = textOf(GetParam());
    int refused = 0;
    for (uint64_t seed = 1; seed <= 200; ++seed) {
        const std::string damaged = damage(text, mix(seed));
        try {
            const Scene scene = readSceneText(damaged, GetParam(), {"ci", "", {}, {}});
            EXPECT_LE(countParticles(scene), 2000000000u) << seed;
            EXPECT_GE(estimateMemory(scene).total(), countParticles(scene) * World::stateBytesPerParticle())
                << seed;
        } catch (const Error& error) {
            ++refused;
            EXPECT_EQ(error.code, Exit::Scene) << seed;
            EXPECT_GT(std::string(error.what()).size(), 20u) << seed;
        }
    }
    EXPECT_GT(refused, 50) << "most damages break a file; if hardly any is refused, the reader does not look";
}

}  // namespace
}  // namespace coalesce
