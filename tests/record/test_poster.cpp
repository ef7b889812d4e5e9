// Poster images: choices of the scene file, of the command line, and defaults.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cache/cache_folder.h"
#include "cache/cache_writer.h"
#include "core/error.h"
#include "decode.h"
#include "record/poster.h"
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

RecordOptions smallPicture(const std::filesystem::path& scene) {
    RecordOptions o;
    o.scene = scene;
    o.exec.backend = "cpu";
    o.width = 160, o.height = 90;
    o.quiet = true;
    return o;
}

TEST(Poster, DefaultsToTwoThirdsOfTheDurationAndTheFirstCamera) {
    const TemporaryFolder folder;
    const PosterChoice plain = posterOf(smallScene(folder), {}, {}, "");
    EXPECT_NEAR(plain.time, 4 / 60.0, 1e-9) << "of 0.1 s, at the nearest frame of 1/60 s";
    EXPECT_EQ(plain.choice.size, "");
    EXPECT_EQ(plain.camera.eye, glm::vec3(1.6f, 1.1f, 1.8f));
    EXPECT_EQ(plain.fill, 0);
    // size demo if the scene has it, with its duration; what fills the image only under the poster's own camera
    const auto sized = smallScene(
        folder, R"("sizes": { "ci": {}, "demo": { "duration": 0.05 } }, "poster": { "fill": 0.7 },)");
    const PosterChoice demo = posterOf(sized, {}, {}, "top");
    EXPECT_EQ(demo.choice.size, "demo");
    EXPECT_NEAR(demo.time, 2 / 60.0, 1e-9);
    EXPECT_EQ(demo.camera.eye, glm::vec3(0.3f, 3, 0.5f));
    EXPECT_EQ(demo.fill, 0);
    EXPECT_EQ(posterOf(sized, {}, {}, "").fill, 0.7);
}

TEST(Poster, CommandLineOverridesTheScene) {
    const TemporaryFolder folder;
    const auto file = smallScene(folder, R"("sizes": { "ci": {}, "demo": {} }, "cases": { "a": {}, "b": {} },
        "poster": { "time": 0.05, "size": "demo", "case": "b", "color": "speed", "view": { "eye": [3, 2, 1], "look": [0, 0, 0], "fov": 30 } },)");
    const PosterChoice poster = posterOf(file, {}, {}, "");
    EXPECT_NEAR(poster.time, 0.05, 1e-9);
    EXPECT_EQ(poster.choice.size, "demo");
    EXPECT_EQ(poster.choice.caseName, "b");
    EXPECT_EQ(poster.camera.eye, glm::vec3(3, 2, 1));
    EXPECT_EQ(poster.camera.fov, 30);
    EXPECT_EQ(poster.color, "speed");
    const PosterChoice other =
        posterOf(file, {.size = "ci", .caseName = "a", .sets = {}, .seed = {}}, 0.02, "top");
    EXPECT_NEAR(other.time, 1 / 60.0, 1e-9);
    EXPECT_EQ(other.choice.size, "ci");
    EXPECT_EQ(other.choice.caseName, "a");
    EXPECT_EQ(other.camera.eye, glm::vec3(0.3f, 3, 0.5f));
    EXPECT_THROW(posterOf(file, {}, {}, "above"), Error);
}

TEST(Poster, EqualsTheRecordedFrameAtThatTime) {
    const TemporaryFolder folder;
    RecordOptions o = smallPicture(smallScene(folder, R"("poster": { "time": 0.05 },)"));
    const RecordReport once = recordPoster(o, posterOf(o.scene, {}, {}, ""), folder / "poster.png");
    EXPECT_EQ(once.images, 1u);
    o.frames = 4;
    o.images = folder / "images";
    EXPECT_EQ(record(o).hash, once.hash);
    const std::string poster = readText(folder / "poster.png");
    ASSERT_FALSE(poster.empty());
    EXPECT_TRUE(poster == readText(folder / "images" / "frame_000003.png"));
    EXPECT_FALSE(poster == readText(folder / "images" / "frame_000002.png"));
    // failing to write is an error and leaves nothing behind
    try {
        recordPoster(o, posterOf(o.scene, {}, 0.0, ""), folder / "nowhere" / "poster.png");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code, Exit::Output);
    }
}

TEST(Poster, OfACacheShowsOneOfItsFrames) {
    const TemporaryFolder folder;
    RecordOptions o = smallPicture(smallScene(folder, R"("poster": { "time": 0.05 },)"));
    o.draw.mode = DrawMode::Particles;
    o.frames = 5;
    o.images = folder / "images";
    const std::filesystem::path cache = folder / "cache";
    std::optional<CacheWriter> writer;
    o.onFrame = [&](const Scene& scene, const World& world) {
        if (!writer) writer.emplace(CacheOptions{.folder = cache}, scene);
        writer->take(world);
    };
    record(o);
    writer->finish();
    RecordOptions cached = o;
    cached.scene.clear(), cached.images.clear(), cached.onFrame = {}, cached.fromCache = cache;
    const auto drawn = [&](std::optional<uint64_t> frame) {
        recordPoster(cached, posterOfCache(cache, frame, ""), folder / "poster.png");
        return readText(folder / "poster.png");
    };
    const auto recorded = [&](int frame) {
        return readText(folder / "images" / fmt::format("frame_{:06}.png", frame));
    };
    EXPECT_TRUE(drawn({}) == recorded(3)) << "at the time of the scene's poster";
    EXPECT_TRUE(drawn(1) == recorded(1));
    EXPECT_FALSE(drawn(1) == recorded(2));
    // also its surface, for which the neighbors of the frame are searched again
    cached.draw.mode = DrawMode::Surface;
    const std::string surface = drawn(3);
    EXPECT_FALSE(surface == recorded(3));
    RecordOptions simulated = cached;
    simulated.scene = o.scene, simulated.fromCache.clear();
    recordPoster(simulated, posterOf(o.scene, {}, 0.05, ""), folder / "simulated.png");
    int apart = 0;
    const Decoded a = decodePng(folder / "poster.png"), b = decodePng(folder / "simulated.png");
    for (int y = 0; y < 90; ++y)
        for (int x = 0; x < 160; ++x) apart += std::abs(a.at(x, y)[1] - b.at(x, y)[1]) > 8;
    EXPECT_LT(apart, 20);
    EXPECT_EQ(posterOfCache(cache, {}, "top").camera.eye, glm::vec3(0.3f, 3, 0.5f));
    // the nearest to that time that there is
    std::filesystem::remove(frameFile(cache, 3)), std::filesystem::remove(frameFile(cache, 4));
    EXPECT_NEAR(posterOfCache(cache, {}, "").time, 2 / 60.0, 1e-9);
    EXPECT_THROW(posterOfCache(cache, 3, ""), Error);
}

TEST(Poster, PressureIsAvailable) {
    const TemporaryFolder folder;
    RecordOptions o = smallPicture(smallScene(folder));
    o.draw.mode = DrawMode::Particles;
    o.draw.colorBy = ColorBy::Scalar;
    o.quantity = Quantity::Mass;  // all equal
    recordPoster(o, posterOf(o.scene, {}, 0.4, ""), folder / "even.png");
    o.quantity = Quantity::Pressure;
    recordPoster(o, posterOf(o.scene, {}, 0.4, ""), folder / "pressure.png");
    const Decoded even = decodePng(folder / "even.png"), pressure = decodePng(folder / "pressure.png");
    int greener = 0;  // than the lowest color of viridis
    for (int y = 0; y < 90; ++y)
        for (int x = 0; x < 110; ++x) greener += pressure.at(x, y)[1] > even.at(x, y)[1] + 40;
    EXPECT_GT(greener, 30);
}

}  // namespace
}  // namespace coalesce::test
