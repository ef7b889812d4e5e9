// Readers of files meet files that people and programs damaged. tools/fuzz searches for hours; here its
// earlier finds and a fixed set of mutations run.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "fuzz/mutate.h"
#include "fuzz/targets.h"
#include "support/small_scene.h"

namespace coalesce::fuzz {

static void PrintTo(const Target& target, std::ostream* out) {
    *out << target.name;
}

}  // namespace coalesce::fuzz

namespace coalesce::test {
namespace {

using fuzz::Target;

class Fuzz : public ::testing::TestWithParam<Target> {};

std::vector<std::filesystem::path> filesIn(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    if (std::filesystem::is_directory(folder))
        for (const auto& entry : std::filesystem::directory_iterator(folder))
            if (entry.is_regular_file()) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

// Earlier finds, and sound files, whose names begin with "sound".
std::vector<std::filesystem::path> inputsOf(const char* target) {
    return filesIn(std::filesystem::path(COALESCE_FUZZ_INPUTS) / target);
}

// What is mutated: the inputs, and the files of the project.
std::vector<std::string> seedsOf(const std::string& target) {
    std::vector<std::string> seeds;
    for (const std::filesystem::path& file : inputsOf(target.c_str())) seeds.push_back(readText(file));
    const std::filesystem::path scenes = COALESCE_SCENES;
    if (target == "scene")
        for (const std::filesystem::path& file : filesIn(scenes)) seeds.push_back(readText(file));
    if (target == "mesh")  // the first byte is the format
        for (const std::filesystem::path& file : filesIn(scenes / "meshes"))
            if (file.extension() == ".obj") seeds.push_back('\0' + readText(file));
    return seeds;
}

TEST_P(Fuzz, ReadsSoundFilesAndRefusesEarlierFinds) {
    const std::vector<std::filesystem::path> inputs = inputsOf(GetParam().name);
    ASSERT_FALSE(inputs.empty());
    for (const std::filesystem::path& file : inputs) {
        bool read = false;
        EXPECT_NO_THROW(read = GetParam().read(readText(file))) << file;
        if (file.filename().string().starts_with("sound")) {
            EXPECT_TRUE(read) << file << " is sound, and was refused";
        }
    }
    EXPECT_NO_THROW(GetParam().read(""));
}

TEST_P(Fuzz, ReadsOrRefusesMutations) {
    const char* mutations = std::getenv("COALESCE_FUZZ_MUTATIONS");  // for longer searches
    const char* seed = std::getenv("COALESCE_FUZZ_SEED");
    const std::vector<std::string> seeds = seedsOf(GetParam().name);
    fuzz::Random random(seed ? std::strtoull(seed, nullptr, 10) : 2024);
    for (int k = 0; k < (mutations ? std::atoi(mutations) : 150); ++k) {
        const std::string mutated = fuzz::mutate(seeds[random.below(seeds.size())], random);
        ASSERT_NO_THROW(GetParam().read(mutated)) << "mutation " << k << ":\n" << mutated;
    }
}

std::string nameOf(const ::testing::TestParamInfo<Target>& info) {
    return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(Readers, Fuzz, ::testing::ValuesIn(fuzz::targets().begin(), fuzz::targets().end()),
                         nameOf);

// The proof that these tests can fail.
TEST(FuzzTargets, NoticeABrokenPromise) {
    const auto bad = [](std::string_view bytes) {
        if (bytes.find("1e400") != std::string_view::npos) throw fuzz::BrokenPromise("found");
    };
    fuzz::Random random(2024);
    int found = 0;
    for (int k = 0; k < 400; ++k) {
        try {
            bad(fuzz::mutate("{ \"a\": 1, \"b\": [2, 3.5] }", random));
        } catch (const fuzz::BrokenPromise&) {
            ++found;
        }
    }
    EXPECT_GT(found, 2);
}

}  // namespace
}  // namespace coalesce::test
