#include <cstdlib>
#include <gtest/gtest.h>
#include <set>

#include "core/error.h"
#include "decode.h"
#include "record/recorder.h"
#include "scene/build/build.h"
#include "scene/reader.h"
#include "sim/solver/solver.h"
#include "sim/state/state_hash.h"
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

RecordOptions small(const TemporaryFolder& folder) {
    RecordOptions o;
    o.scene = smallScene(folder);
    o.exec.backend = "cpu";
    o.width = 160;
    o.height = 90;
    o.frames = 4;
    o.quiet = true;
    return o;
}

Exit codeOf(const RecordOptions& options) {
    try {
        record(options);
    } catch (const Error& error) {
        return error.code;
    }
    return Exit::Success;
}

TEST(Recorder, EqualCommandsGiveEqualBytes) {
    const TemporaryFolder folder;
    RecordOptions o = small(folder);
    o.images = folder / "a";
    const RecordReport first = record(o);
    o.images = folder / "b";
    o.exec.threads = 1;  // nor does the number of threads matter
    const RecordReport second = record(o);
    EXPECT_EQ(first.hash, second.hash);
    EXPECT_EQ(first.images, 4u);
    std::string earlier;
    for (int k = 0; k < 4; ++k) {
        const std::string name = fmt::format("frame_{:06}.png", k);
        const std::string a = readText(folder / "a" / name), b = readText(folder / "b" / name);
        ASSERT_FALSE(a.empty()) << name;
        EXPECT_TRUE(a == b) << name << " differs";
        EXPECT_FALSE(a == earlier) << name << " shows what the one before shows";
        earlier = a;
    }
}

// Images of a longer recording would look like the end of this one.
TEST(Recorder, DoesNotMixTwoRecordingsInAFolder) {
    const TemporaryFolder folder;
    RecordOptions o = small(folder);
    o.images = folder / "images";
    record(o);
    record(o);  // again, over its own images
    const std::string last = readText(o.images / "frame_000003.png");
    o.frames = 2;
    try {
        record(o);
        ADD_FAILURE() << "it was recorded";
    } catch (const Error& error) {
        EXPECT_EQ(error.code, Exit::Usage);
        EXPECT_NE(std::string(error.what())
                      .find("2 images of a longer recording, up to frame_000003.png; this one has 2 images"),
                  std::string::npos)
            << error.what();
    }
    EXPECT_EQ(readText(o.images / "frame_000003.png"), last);
    // several programs may draw one recording, but not parts of two
    o.firstImage = 0, o.lastImage = 0;
    EXPECT_EQ(codeOf(o), Exit::Usage);
    o.frames = 4;
    EXPECT_EQ(record(o).images, 1u);
}

TEST(Recorder, ImageKShowsTheStateAtKOverFps) {
    const TemporaryFolder folder;
    RecordOptions o = small(folder);
    o.images = folder / "images";
    o.fps = 30;  // every second simulation frame
    std::vector<uint64_t> recorded;
    o.onHash = [&](const Scene&, uint64_t, uint64_t hash) { recorded.push_back(hash); };
    record(o);

    const Scene scene = readScene(o.scene);
    Exec exec(o.exec);
    World world(exec);
    buildWorld(scene, world);
    Solver solver(world);
    std::vector<uint64_t> simulated = {stateHash(world)};
    for (int k = 1; k < 4; ++k) {
        solver.step();
        solver.step();
        simulated.push_back(stateHash(world));
    }
    EXPECT_EQ(recorded, simulated);
}

TEST(Recorder, VideosHaveTheRequestedNumberOfFrames) {
    const TemporaryFolder folder;
    RecordOptions o = small(folder);
    o.frames.reset();
    o.duration = 0.15;  // 9 frames of 1/60 s
    o.video = folder / "out.mp4";
    EXPECT_EQ(record(o).images, 9u);
    const std::string facts = outputOf(
        "ffprobe -v error -count_frames -select_streams v -show_entries "
        "stream=nb_read_frames,width,height -of default=nw=1 '" +
        o.video.string() + "'");
    EXPECT_NE(facts.find("nb_read_frames=9"), std::string::npos) << facts;
    EXPECT_NE(facts.find("width=160"), std::string::npos) << facts;
    EXPECT_NE(facts.find("height=90"), std::string::npos) << facts;
}

// The levels of the background of an image come out of the renderer, not out of 8 bits.
TEST(Recorder, TenBitVideosHaveMoreLevelsThanImages) {
    const TemporaryFolder folder;
    RecordOptions o = small(folder);
    o.frames = 1;
    o.width = 640, o.height = 480;
    o.choice.sets.push_back("cameras.main.fov=10");  // many pixels per level
    o.draw.background = Background::Sunset;
    o.draw.ground = Ground::None;
    o.images = folder / "images";
    record(o);
    const Decoded image = decodePng(o.images / "frame_000000.png");
    o.videoDepth = 10;
    EXPECT_EQ(codeOf(o), Exit::Usage) << "images have 8 bits";
    o.images.clear();
    o.video = folder / "deep.mp4";
    record(o);
    const std::string bytes = outputOf("ffmpeg -v error -i '" + o.video.string() +
                                       "' -frames:v 1 -f rawvideo -pix_fmt yuv420p10le - 2>&1");
    ASSERT_EQ(bytes.size(), size_t{3} * image.width * image.height);
    std::set<int> few, many;
    double error = 0;
    for (int y = 0; y < image.height; ++y) {
        // the sky in the left column; luma of BT.709, limited range
        const auto [r, g, b] = image.at(0, y);
        const size_t k = 2 * size_t(y) * size_t(image.width);
        const int luma = uint8_t(bytes[k]) | uint8_t(bytes[k + 1]) << 8;
        error += std::abs(64 + 876 * (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255 - luma) / image.height;
        few.insert(g), many.insert(luma);
    }
    EXPECT_LT(error, 2) << "the same picture";
    EXPECT_GT(many.size(), 2 * few.size());
}

TEST(Recorder, EveryQuantityAndQualityDraws) {
    const TemporaryFolder folder;
    RecordOptions o = small(folder);
    o.frames = 2;
    std::vector<std::string> seen;
    const auto drawImage = [&](const std::string& name) {
        o.images = folder / name;
        record(o);
        const std::string bytes = readText(o.images / "frame_000001.png");
        EXPECT_FALSE(bytes.empty()) << name;
        EXPECT_EQ(std::count(seen.begin(), seen.end(), bytes), 0) << name << " looks like another one";
        seen.push_back(bytes);
    };
    for (const Quality quality : {Quality::Fast, Quality::Standard, Quality::Final}) {
        o.draw.quality = quality;
        drawImage("quality" + std::to_string(int(quality)));
    }
    o.draw.quality = Quality::Fast;
    o.draw.mode = DrawMode::Particles;
    for (const auto& [quantity, by] : {std::pair{Quantity::Material, ColorBy::Phase},
                                       {Quantity::Speed, ColorBy::Speed},
                                       {Quantity::DensityError, ColorBy::Diverging},
                                       {Quantity::Id, ColorBy::Scalar}}) {
        o.quantity = quantity;
        o.draw.colorBy = by;
        drawImage(infoOf(quantity).word);
    }
    o.camera = "top";
    drawImage("top");
}

TEST(Recorder, InvalidOptionsFailBeforeSimulating) {
    const TemporaryFolder folder;
    RecordOptions o = small(folder);
    EXPECT_EQ(codeOf(o), Exit::Usage) << "no output";
    o.images = folder / "images";
    o.camera = "mian";
    EXPECT_EQ(codeOf(o), Exit::Usage);
    o.camera.clear();
    o.fps = 45;
    EXPECT_EQ(codeOf(o), Exit::Usage);
    o.fps.reset();
    o.gl = parseGlChoice("egl:99");
    EXPECT_EQ(codeOf(o), Exit::Graphics);
    o.gl = {};
    o.video = folder / "out.mp4";
    o.width = 161;
    EXPECT_EQ(codeOf(o), Exit::Usage);
    EXPECT_FALSE(std::filesystem::exists(o.images));
}

TEST(Recorder, FpsMustDivideTheFrameRate) {
    EXPECT_EQ(framesPerImage(60, std::nullopt), 1u);
    EXPECT_EQ(framesPerImage(60, 60), 1u);
    EXPECT_EQ(framesPerImage(60, 20), 3u);
    EXPECT_EQ(framesPerImage(240, 60), 4u);
    EXPECT_THROW(framesPerImage(60, 120), Error);
    EXPECT_THROW(framesPerImage(60, 25), Error);
}

}  // namespace
}  // namespace coalesce::test
