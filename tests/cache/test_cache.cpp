// Frames of a cache: what is exact and what is rounded, damage, and playing.
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <random>

#include "cache/cache_writer.h"
#include "scene/build/build.h"
#include "scene/reader.h"
#include "scene/timeline/timeline.h"
#include "session/run_scene.h"
#include "session/session.h"
#include "sim/solver/solver.h"
#include "sim/state/state_hash.h"
#include "support/small_scene.h"

namespace coalesce::test {

namespace fs = std::filesystem;

namespace {

const RefuseState kRefuse = [](const std::string& why) { throw std::runtime_error(why); };

// Runs a scene and writes a cache; keeps the states of all frames.
std::map<uint64_t, StateImage> runWithCache(const fs::path& scene, const SceneChoice& choice,
                                            const fs::path& cache, uint64_t frames, uint64_t every) {
    std::map<uint64_t, StateImage> states;
    RunOptions options;
    options.size = choice.size;
    if (!choice.caseName.empty()) options.caseName = choice.caseName;
    options.exec = {.backend = "cpu"};
    options.frames = frames;
    options.cache = CacheOptions{cache, every, false};
    options.onFrame = [&](const RunFrame& frame) { states[frame.frame] = captureState(frame.world); };
    runScene(scene, options);
    return states;
}

float at(const StateArray& array, size_t k) {
    float value;
    std::memcpy(&value, array.bytes.data() + 4 * k, 4);
    return value;
}

// Equal, except for velocities, whose relative error may be 2^-11 (rounding to 11 significant bits).
void expectShown(const StateImage& shown, const StateImage& exact, bool full) {
    ASSERT_EQ(shown.sections.size(), exact.sections.size());
    for (size_t s = 0; s < exact.sections.size(); ++s) {
        ASSERT_EQ(shown.sections[s].arrays.size(), exact.sections[s].arrays.size());
        for (size_t a = 0; a < exact.sections[s].arrays.size(); ++a) {
            const StateArray &is = shown.sections[s].arrays[a], &was = exact.sections[s].arrays[a];
            ASSERT_EQ(is.name, was.name);
            ASSERT_EQ(is.count, was.count) << was.name;
            if (full || was.name != "v") {
                EXPECT_EQ(is.bytes, was.bytes) << exact.sections[s].name << " " << was.name;
                continue;
            }
            for (size_t k = 0; k < was.bytes.size() / 4; ++k)
                ASSERT_LE(std::abs(at(is, k) - at(was, k)), 0x1p-11f * std::abs(at(was, k)) + 1e-38f);
        }
    }
}

}  // namespace

struct PlayedScene {
    const char *scene, *size, *caseName;
    uint64_t frames;
};
void PrintTo(const PlayedScene& s, std::ostream* out) {
    *out << s.scene;
}

// Scenes with emitted bodies, torn cloth, a timeline, shape matching, later bodies and attributes.
class EveryFrame : public testing::TestWithParam<PlayedScene> {};
INSTANTIATE_TEST_SUITE_P(
    Cache, EveryFrame,
    testing::Values(PlayedScene{"dam_break", "ci", "cm15", 20}, PlayedScene{"shape_rain", "ci", "", 60},
                    PlayedScene{"cloth_tear", "ci", "weak", 60},
                    PlayedScene{"all_together", "ci", "room", 24}, PlayedScene{"adhesion", "ci", "gun", 40},
                    PlayedScene{"crater", "ci", "v1", 66}, PlayedScene{"dye", "ci", "spreads", 20}),
    [](const auto& info) { return std::string(info.param.scene); });

TEST_P(EveryFrame, IsShownAsItWasInAnyOrder) {
    const TemporaryFolder folder;
    const PlayedScene& p = GetParam();
    const fs::path file = fs::path(COALESCE_SCENES) / (std::string(p.scene) + ".json");
    const SceneChoice choice{p.size, p.caseName, {}, {}};
    const auto states = runWithCache(file, choice, folder / "cache", p.frames, 8);

    CacheReader reader(folder / "cache");
    EXPECT_EQ(reader.frames().size(), p.frames + 1);
    const Scene scene = sceneOf(reader.info());
    Exec exec({.backend = "cpu"});
    World world(exec);
    buildWorld(scene, world);
    CachePlayer player(reader, scene, world);
    std::vector<uint64_t> order = reader.frames();
    std::shuffle(order.begin(), order.end(), std::mt19937(5));
    for (const uint64_t frame : order) {
        const CacheFrame header = player.show(frame);
        EXPECT_EQ(header.full, frame % 8 == 0);
        EXPECT_EQ(world.frame, frame);
        if (header.full) {
            EXPECT_EQ(stateHash(world), header.hash) << "frame " << frame;
        }
        expectShown(captureState(world), states.at(frame), header.full);
        if (HasFatalFailure()) FAIL() << "frame " << frame;
    }
}

TEST_P(EveryFrame, CanBeTheStartOfTheRestOfTheRun) {
    const TemporaryFolder folder;
    const PlayedScene& p = GetParam();
    const fs::path file = fs::path(COALESCE_SCENES) / (std::string(p.scene) + ".json");
    const auto states = runWithCache(file, {p.size, p.caseName, {}, {}}, folder / "cache", p.frames, 8);

    CacheReader reader(folder / "cache");
    const Scene scene = sceneOf(reader.info());
    Exec exec({.backend = "cpu"});
    World world(exec);
    buildWorld(scene, world);
    CachePlayer player(reader, scene, world);
    player.show(reader.fullFrameBefore(p.frames - 1).value());
    Solver solver(world);
    Timeline timeline(scene);
    while (world.frame < p.frames) timeline.advance(world), solver.step();
    expectShown(captureState(world), states.at(p.frames), true);
    EXPECT_EQ(stateHash(world), reader.header(p.frames).hash);
}

class CacheDamage : public testing::Test {
protected:
    CacheDamage() {
        runWithCache(smallScene(folder), {}, folder / "cache", 6, 3);
        bytes = readText(frameFile(folder / "cache", 4));
        base = CacheReader(folder / "cache").image(3);
    }
    TemporaryFolder folder;
    std::string bytes;  // of a draw frame
    StateImage base;
};

TEST_F(CacheDamage, EveryTruncationIsRefused) {
    for (size_t size = 0; size < bytes.size(); size += 1 + size / 50) {
        EXPECT_THROW(decodeFrame(bytes.substr(0, size), &base, kRefuse), std::runtime_error) << size;
        EXPECT_THROW(verifyFrame(bytes.substr(0, size), kRefuse), std::runtime_error) << size;
    }
    EXPECT_THROW(verifyFrame(bytes + "x", kRefuse), std::runtime_error);
}

TEST_F(CacheDamage, EveryChangedByteIsFound) {
    verifyFrame(bytes, kRefuse);
    std::mt19937 random(1);
    for (int trial = 0; trial < 500; ++trial) {
        std::string damaged = bytes;
        damaged[random() % damaged.size()] ^= char(1 << random() % 8);
        EXPECT_THROW(verifyFrame(damaged, kRefuse), std::runtime_error);
        EXPECT_THROW(decodeFrame(damaged, &base, kRefuse), std::runtime_error);
    }
}

TEST_F(CacheDamage, ReasonsAreNamed) {
    const auto reasonOf = [&](const std::string& file) -> std::string {
        writeText(frameFile(folder / "cache", 4), file);
        return CacheReader(folder / "cache").problemOf(4);
    };
    EXPECT_EQ(reasonOf(bytes), "");
    EXPECT_NE(reasonOf("").find("shorter than a header"), std::string::npos);
    EXPECT_NE(reasonOf(std::string(200, 'x')).find("not a frame of a cache"), std::string::npos);
    std::string other = bytes;
    other[8] = 7;  // the version
    EXPECT_NE(reasonOf(other).find("of cache version 7, and this program reads version 1"),
              std::string::npos);
    EXPECT_NE(reasonOf(readText(frameFile(folder / "cache", 5))).find("it is frame 5"), std::string::npos);
    fs::remove(frameFile(folder / "cache", 4));
    EXPECT_NE(CacheReader(folder / "cache").problemOf(4).find("it is missing"), std::string::npos);
    EXPECT_THROW(CacheReader(folder / "cache").range(0, UINT64_MAX), Error) << "frame 4 is missing";
    EXPECT_EQ(CacheReader(folder / "cache").range(5, 6), (std::vector<uint64_t>{5, 6}));
}

TEST_F(CacheDamage, FramesOfAnotherRunAreRefused) {
    runWithCache(smallScene(folder, R"("seed": 9,)"), {}, folder / "other", 6, 3);
    fs::copy_file(frameFile(folder / "other", 4), frameFile(folder / "cache", 4),
                  fs::copy_options::overwrite_existing);
    EXPECT_NE(CacheReader(folder / "cache").problemOf(4).find("another scene"), std::string::npos);
}

TEST_F(CacheDamage, ADamagedFullFrameIsNotContinuedFrom) {
    CacheReader reader(folder / "cache");
    EXPECT_EQ(reader.fullFrameBefore(5), 3u);
    writeText(frameFile(folder / "cache", 3), "damaged");
    EXPECT_EQ(reader.fullFrameBefore(5), 0u);
}

// Rounding by the definition: the nearest number of 11 significant bits.
TEST_F(CacheDamage, VelocitiesAreRoundedToTheNearest) {
    StateImage image = base;
    StateArray& v = image.sections[0].arrays[1];
    ASSERT_EQ(v.name, "v");
    std::mt19937 random(3);
    std::uniform_real_distribution<float> mantissa(-1, 1), exponent(-30, 30);
    for (size_t k = 0; k < v.bytes.size() / 4; ++k) {
        const float value = mantissa(random) * std::exp2(exponent(random));
        std::memcpy(v.bytes.data() + 4 * k, &value, 4);
    }
    CacheFrame header;
    header.frame = 4, header.base = 3;
    const StateImage read = decodeFrame(encodeFrame(header, image, &base), &base, kRefuse);
    const StateArray& rounded = read.sections[0].arrays[1];
    for (size_t k = 0; k < v.bytes.size() / 4; ++k) {
        int scale;
        const double fraction = std::frexp(double(at(v, k)), &scale);  // in [1/2, 1)
        EXPECT_EQ(double(at(rounded, k)), std::ldexp(std::nearbyint(fraction * 2048) / 2048, scale));
    }
}

TEST_F(CacheDamage, PlayingRepeatsBetweenInAndOutPoint) {
    const CacheInfo info = readCacheInfo(folder / "cache");
    Session session(sceneOf(info), {}, {.backend = "cpu"});
    session.play(folder / "cache");
    std::vector<uint64_t> seen;
    for (int k = 0; k < 9; ++k) seen.push_back(session.world().frame), session.step();
    EXPECT_EQ(seen, (std::vector<uint64_t>{0, 1, 2, 3, 4, 5, 6, 0, 1}));
    session.setInPoint(2), session.setOutPoint(3);
    seen.clear();
    for (int k = 0; k < 5; ++k) session.step(), seen.push_back(session.world().frame);
    EXPECT_EQ(seen, (std::vector<uint64_t>{3, 2, 3, 2, 3}));
    EXPECT_TRUE(session.seek(6)) << "outside of them, too";
    EXPECT_EQ(session.world().frame, 6u);
    EXPECT_FALSE(session.seek(7));
    EXPECT_EQ(session.frameAt(2.2 / info.frameRate), 2u);
    EXPECT_NE(session.edit(Edit{"solver.substeps", {2}, {}}), "") << "a cache cannot be edited";
}

TEST_F(CacheDamage, ADamagedFrameStopsPlayingAndIsNamed) {
    writeText(frameFile(folder / "cache", 2), "damaged");
    Session session(sceneOf(readCacheInfo(folder / "cache")), {}, {.backend = "cpu"});
    session.play(folder / "cache");
    session.step(), session.step();
    EXPECT_EQ(session.world().frame, 1u);
    EXPECT_TRUE(session.paused);
    EXPECT_NE(session.problem().find("frame_000002.frame"), std::string::npos) << session.problem();
    EXPECT_TRUE(session.seek(5)) << "the others can still be seen";
}

}  // namespace coalesce::test
