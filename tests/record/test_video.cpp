// Videos encoded by the real ffmpeg, and by stand-ins on the PATH that fail in various ways.
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <set>
#include <sys/stat.h>

#include "core/error.h"
#include "decode.h"
#include "record/video.h"
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

std::vector<uint8_t> plainFrame(int width, int height, std::array<uint8_t, 3> color) {
    std::vector<uint8_t> rgba;
    for (int k = 0; k < width * height; ++k) rgba.insert(rgba.end(), {color[0], color[1], color[2], 255});
    return rgba;
}

// Restores the PATH.
class Path {
public:
    explicit Path(const std::string& value) : m_before(std::getenv("PATH")) {
        setenv("PATH", value.c_str(), 1);
    }
    ~Path() { setenv("PATH", m_before.c_str(), 1); }
    const std::string& before() const { return m_before; }

private:
    std::string m_before;
};

void putStandIn(const TemporaryFolder& folder, const std::string& script) {
    writeText(folder / "ffmpeg", "#!/bin/sh\n" + script);
    std::filesystem::permissions(folder / "ffmpeg", std::filesystem::perms::owner_all);
}

// Writes 60 frames with the ffmpeg on the PATH; returns the message of the expected error.
std::string messageOfFailure(const std::filesystem::path& file) {
    try {
        VideoEncoder encoder({.file = file, .width = 320, .height = 240, .fps = 60});
        const std::vector<uint8_t> frame = plainFrame(320, 240, {10, 20, 30});
        for (int k = 0; k < 60; ++k) encoder.write(frame);
        encoder.finish();
    } catch (const Error& error) {
        EXPECT_EQ(error.code, Exit::Output);
        return error.what();
    }
    ADD_FAILURE() << "a failing encoder went unnoticed";
    return {};
}

size_t filesIn(const std::filesystem::path& folder) {
    size_t count = 0;
    for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator(folder)) ++count;
    return count;
}

// BT.709, limited range: Y = 16 + 219·0.2126, Cb = 128 − 224·0.2126/1.8556, Cr = 240 for red. BT.601 would
// give 81, 90, 240, which detects files that are only labeled BT.709.
TEST(Video, RedIsEncodedInTheLabeledColorSpace) {
    const TemporaryFolder folder;
    {
        VideoEncoder encoder({.file = folder / "red.mp4", .width = 64, .height = 48, .fps = 30});
        for (int k = 0; k < 5; ++k) encoder.write(plainFrame(64, 48, {255, 0, 0}));
        encoder.finish();
    }
    const std::string file = (folder / "red.mp4").string();
    const std::string planes =
        outputOf("ffmpeg -v error -i '" + file + "' -frames:v 1 -f rawvideo -pix_fmt yuv420p - 2>&1");
    ASSERT_EQ(planes.size(), 64u * 48 * 3 / 2) << planes.substr(0, 200);
    const auto value = [&](size_t at) { return uint8_t(planes[at]); };
    EXPECT_NEAR(value(0), 62.6, 2);
    EXPECT_NEAR(value(64 * 48), 102.3, 2);
    EXPECT_NEAR(value(64 * 48 + 32 * 24), 240, 2);
    const std::string facts = outputOf(
        "ffprobe -v error -count_frames -select_streams v -show_entries "
        "stream=nb_read_frames,color_space,color_transfer,color_primaries,color_range,r_frame_rate -of "
        "default=nw=1 '" +
        file + "'");
    EXPECT_NE(facts.find("nb_read_frames=5"), std::string::npos) << facts;
    EXPECT_NE(facts.find("color_space=bt709"), std::string::npos) << facts;
    EXPECT_NE(facts.find("color_transfer=iec61966-2-1"), std::string::npos) << "sRGB: " << facts;
    EXPECT_NE(facts.find("color_primaries=bt709"), std::string::npos) << facts;
    EXPECT_NE(facts.find("color_range=tv"), std::string::npos) << facts;
    EXPECT_NE(facts.find("r_frame_rate=30/1"), std::string::npos) << facts;
    EXPECT_EQ(filesIn(folder.path()), 1u) << "the part file is gone";
}

// Decoded as its tags say, a frame has the colors of the picture: no channel is paler, darker or shifted.
TEST(Video, DecodedFramesEqualThePictures) {
    constexpr int kWidth = 192, kHeight = 128;
    const TemporaryFolder folder;
    std::vector<uint8_t> picture;  // all of a face of the color cube, in several shades
    for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x)
            for (const int value : {4 * (x % 64), 2 * y, 40 + 80 * (x / 64), 255})
                picture.push_back(uint8_t(value));
    VideoEncoder encoder({.file = folder / "colors.mp4", .width = kWidth, .height = kHeight, .fps = 30});
    for (int k = 0; k < 3; ++k) encoder.write(picture);
    encoder.finish();
    const std::string rgb = outputOf(
        "ffmpeg -v error -i '" + (folder / "colors.mp4").string() +
        "' -frames:v 1 -vf scale=flags=accurate_rnd+full_chroma_int,vflip -f rawvideo -pix_fmt rgb24 - 2>&1");
    ASSERT_EQ(rgb.size(), size_t{3} * kWidth * kHeight);
    for (int c = 0; c < 3; ++c) {
        double sum = 0, squares = 0;
        int count = 0;
        for (int k = 0; k < kWidth * kHeight; ++k) {
            if ((k % kWidth + 4) % 64 < 8)
                continue;  // colors are stored at half the resolution: not at the steps
            const double error =
                double(uint8_t(rgb[3 * size_t(k) + size_t(c)])) - picture[4 * size_t(k) + size_t(c)];
            sum += error, squares += error * error;
            ++count;
        }
        EXPECT_LT(std::abs(sum / count), 0.4) << c;
        EXPECT_LT(std::sqrt(squares / count), 2.5) << c;
    }
}

// The luma plane of the first frame, in units of 10 bits.
std::vector<int> lumaOf(const std::filesystem::path& file) {
    const std::string bytes = outputOf("ffmpeg -v error -i '" + file.string() +
                                       "' -frames:v 1 -vf vflip -f rawvideo -pix_fmt yuv420p10le - 2>&1");
    std::vector<int> luma;
    for (size_t k = 0; k + 1 < bytes.size() * 2 / 3; k += 2)
        luma.push_back(uint8_t(bytes[k]) | uint8_t(bytes[k + 1]) << 8);
    return luma;
}

// A gray ramp of 16 bits over a tenth of the range: Y = 64 + 876 v, 88 steps of 10 bits where 8 bits have 22.
TEST(Video, TenBitsHaveFourTimesTheSteps) {
    constexpr int kWidth = 512, kHeight = 64;
    const TemporaryFolder folder;
    const auto valueAt = [](int x) { return 0.4 + 0.1 * x / (kWidth - 1); };
    std::vector<uint8_t> ramp;
    for (int k = 0; k < kWidth * kHeight; ++k)
        for (int c = 0; c < 4; ++c) {
            const auto value = uint16_t(std::lround(65535 * (c == 3 ? 1 : valueAt(k % kWidth))));
            ramp.insert(ramp.end(), {uint8_t(value & 0xff), uint8_t(value >> 8)});
        }
    const std::filesystem::path file = folder / "ramp.mp4";
    VideoEncoder encoder({.file = file, .width = kWidth, .height = kHeight, .fps = 30, .depth = 10});
    for (int k = 0; k < 3; ++k) encoder.write(ramp);
    encoder.finish();
    const std::vector<int> luma = lumaOf(file);
    ASSERT_EQ(luma.size(), size_t(kWidth) * kHeight);
    std::set<int> steps;
    double mean = 0;
    for (int x = 0; x < kWidth; ++x) {
        const int y = luma[size_t(kHeight / 2 * kWidth + x)];
        const double error = y - (64 + 876 * valueAt(x));
        EXPECT_NEAR(error, 0, 2) << x;
        mean += error / kWidth;
        steps.insert(y);
    }
    EXPECT_NEAR(mean, 0, 0.5);
    EXPECT_GT(steps.size(), 70u);
    const std::string facts = outputOf(
        "ffprobe -v error -select_streams v -show_entries "
        "stream=codec_tag_string,pix_fmt,color_transfer,color_range,"
        "color_space -of default=nw=1 '" +
        file.string() + "'");
    for (const char* fact : {"codec_tag_string=hvc1", "pix_fmt=yuv420p10le", "color_transfer=iec61966-2-1",
                             "color_range=tv", "color_space=bt709"})
        EXPECT_NE(facts.find(fact), std::string::npos) << fact << "\n" << facts;
}

TEST(Video, BottomUpRowsAreUpright) {
    const TemporaryFolder folder;
    std::vector<uint8_t> frame = plainFrame(64, 48, {0, 0, 0});
    std::fill(frame.begin(), frame.begin() + 64 * 24 * 4, uint8_t{255});  // the lower half is white
    VideoEncoder encoder({.file = folder / "half.mp4", .width = 64, .height = 48, .fps = 30});
    encoder.write(frame);
    encoder.finish();
    const std::string gray = outputOf("ffmpeg -v error -i '" + (folder / "half.mp4").string() +
                                      "' -frames:v 1 -f rawvideo -pix_fmt gray - 2>&1");
    ASSERT_EQ(gray.size(), 64u * 48);
    EXPECT_LT(uint8_t(gray[64 * 4]), 30);
    EXPECT_GT(uint8_t(gray[64 * 44]), 220);
}

TEST(Video, KilledEncodersLeaveNoFile) {
    const TemporaryFolder folder, output;
    putStandIn(folder,
               "for last; do :; done\necho half > \"$last\"\nhead -c 500000 > /dev/null\nkill -9 $$\n");
    const Path path(folder.path().string() + ":" + std::getenv("PATH"));
    const std::string message = messageOfFailure(output / "out.mp4");
    EXPECT_NE(message.find("signal 9"), std::string::npos) << message;
    EXPECT_EQ(filesIn(output.path()), 0u);
}

TEST(Video, EncoderErrorsAreQuoted) {
    const TemporaryFolder folder, output;
    putStandIn(folder, "cat > /dev/null\necho 'no space left on the moon' >&2\nexit 3\n");
    const Path path(folder.path().string() + ":" + std::getenv("PATH"));
    const std::string message = messageOfFailure(output / "out.mp4");
    EXPECT_NE(message.find("exit code 3"), std::string::npos) << message;
    EXPECT_NE(message.find("no space left on the moon"), std::string::npos) << message;
    EXPECT_EQ(filesIn(output.path()), 0u);
}

TEST(Video, ErrorOutputCountsWhateverTheExitCode) {
    const TemporaryFolder folder, output;
    putStandIn(
        folder,
        "for last; do :; done\ncat > /dev/null\necho half > \"$last\"\necho 'No space left' >&2\nexit 0\n");
    const Path path(folder.path().string() + ":" + std::getenv("PATH"));
    EXPECT_NE(messageOfFailure(output / "out.mp4").find("No space left"), std::string::npos);
    EXPECT_EQ(filesIn(output.path()), 0u);
}

TEST(Video, MissingFoldersAreReported) {
    const TemporaryFolder output;
    EXPECT_NE(messageOfFailure(output / "missing" / "out.mp4").find("No such file"), std::string::npos);
}

// An encoder that reads nothing, and one that does not end, hold the program until the user stops it.
TEST(Video, HangingEncodersCanBeStopped) {
    for (const char* script : {"exec sleep 1000\n", "cat > /dev/null\nexec sleep 1000\n"}) {
        const TemporaryFolder folder, output;
        putStandIn(folder, script);
        const Path path(folder.path().string() + ":" + std::getenv("PATH"));
        int asked = 0;
        try {
            VideoEncoder encoder({.file = output / "out.mp4",
                                  .width = 320,
                                  .height = 240,
                                  .fps = 60,
                                  .stop = [&] { return ++asked == 3; },
                                  .patience = std::chrono::milliseconds(10)});
            const std::vector<uint8_t> frame = plainFrame(320, 240, {10, 20, 30});
            for (int k = 0; k < 60; ++k) encoder.write(frame);
            encoder.finish();
            ADD_FAILURE() << "a hanging encoder went unnoticed";
        } catch (const Error& error) {
            EXPECT_EQ(error.code, Exit::Failure) << error.what();
        }
        EXPECT_EQ(asked, 3) << "it waits as long as the user does";
        EXPECT_EQ(filesIn(output.path()), 0u);
    }
}

TEST(Video, LinksStayAndOtherFilesAreRefused) {
    const TemporaryFolder output;
    std::filesystem::create_directory(output / "disk");
    std::filesystem::create_symlink("disk/film.mp4", output / "out.mp4");
    VideoEncoder encoder({.file = output / "out.mp4", .width = 64, .height = 48, .fps = 30});
    encoder.write(plainFrame(64, 48, {1, 2, 3}));
    encoder.finish();
    EXPECT_TRUE(std::filesystem::is_symlink(output / "out.mp4"));
    EXPECT_GT(std::filesystem::file_size(output / "disk" / "film.mp4"), 500u);
    EXPECT_EQ(filesIn(output / "disk"), 1u) << "the part was beside it";
    ASSERT_EQ(mkfifo((output / "fifo.mp4").c_str(), 0600), 0);
    EXPECT_NE(messageOfFailure(output / "fifo.mp4").find("a FIFO"), std::string::npos);
}

TEST(Video, UnfinishedVideosLeaveNoFile) {
    const TemporaryFolder output;
    {
        VideoEncoder encoder({.file = output / "out.mp4", .width = 64, .height = 48, .fps = 30});
        encoder.write(plainFrame(64, 48, {1, 2, 3}));
    }
    EXPECT_EQ(filesIn(output.path()), 0u);
}

// What a recording that is broken off keeps: all frames so far, under a name of its own.
TEST(Video, KeptVideosHaveTheFramesSoFar) {
    const TemporaryFolder output;
    bool stopped = false;  // a slow encoder is not given up
    VideoEncoder encoder({.file = output / "out.mp4", .width = 640, .height = 480, .fps = 30, .stop = [&] {
                              return stopped;
                          }});
    for (int k = 0; k < 40; ++k) {
        stopped = k == 20;
        encoder.write(plainFrame(640, 480, {uint8_t(6 * k), 0, 0}));
    }
    EXPECT_EQ(encoder.keep(), output / "out.part.mp4");
    EXPECT_EQ(filesIn(output.path()), 1u);
    EXPECT_EQ(outputOf("ffprobe -v error -count_frames -select_streams v -show_entries stream=nb_read_frames "
                       "-of csv=p=0 '" +
                       (output / "out.part.mp4").string() + "'"),
              "40\n");
}

TEST(Video, NothingIsKeptOfAFailedEncoderOrWithoutFrames) {
    const TemporaryFolder folder, output;
    {
        VideoEncoder encoder({.file = output / "out.mp4", .width = 64, .height = 48, .fps = 30});
        EXPECT_EQ(encoder.keep(), "");
    }
    putStandIn(folder, "for last; do :; done\ncat > /dev/null\necho half > \"$last\"\nexit 3\n");
    const Path path(folder.path().string() + ":" + std::getenv("PATH"));
    {
        VideoEncoder encoder({.file = output / "out.mp4", .width = 64, .height = 48, .fps = 30});
        encoder.write(plainFrame(64, 48, {1, 2, 3}));
        EXPECT_EQ(encoder.keep(), "");
    }
    EXPECT_EQ(filesIn(output.path()), 0u);
}

TEST(Video, MissingFfmpegGivesAdvice) {
    const TemporaryFolder empty;
    const Path path(empty.path().string());
    try {
        checkVideo({.file = "out.mp4", .width = 64, .height = 48, .fps = 60});
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code, Exit::Output);
        EXPECT_NE(std::string(error.what()).find("apt install ffmpeg"), std::string::npos) << error.what();
    }
}

TEST(Video, RefusesOddSizesAndUnknownNames) {
    const auto codeOf = [](const VideoOptions& options) {
        try {
            checkVideo(options);
        } catch (const Error& error) {
            return error.code;
        }
        return Exit::Success;
    };
    EXPECT_EQ(codeOf({.file = "a.mp4", .width = 63, .height = 48, .fps = 60}), Exit::Usage);
    EXPECT_EQ(codeOf({.file = "a.mp4", .width = 64, .height = 47, .fps = 60}), Exit::Usage);
    EXPECT_EQ(codeOf({.file = "a.gif", .width = 64, .height = 48, .fps = 60}), Exit::Usage);
    EXPECT_EQ(codeOf({.file = "a.mov", .width = 64, .height = 48, .fps = 60}), Exit::Success);
}

}  // namespace
}  // namespace coalesce::test
