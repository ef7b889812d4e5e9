#include <gtest/gtest.h>

#include "core/error.h"
#include "decode.h"
#include "record/frame_writer.h"
#include "record/progress.h"
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

TEST(FrameWriter, KeepsOrderAndDropsNothing) {
    const TemporaryFolder folder;
    FrameWriter writer({.video = {}, .images = folder / "images", .width = 8, .height = 4, .fps = 60});
    for (int k = 0; k < 30; ++k) writer.push({std::vector<uint8_t>(8 * 4 * 4, uint8_t(8 * k)), nullptr});
    writer.finish();
    for (int k = 0; k < 30; ++k) {
        const Decoded image = decodePng(folder / "images" / fmt::format("frame_{:06}.png", k));
        ASSERT_EQ(image.width, 8) << k;
        EXPECT_EQ(image.at(3, 2)[0], 8 * k);
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "images" / "frame_000030.png"));
}

TEST(FrameWriter, ErrorsOfItsThreadAreRethrown) {
    const TemporaryFolder folder;
    FrameWriter writer({.video = {}, .images = folder / "images", .width = 8, .height = 4, .fps = 60});
    // the name of the third image is taken by a non-empty folder
    std::filesystem::create_directories(folder / "images" / "frame_000002.png" / "inside");
    EXPECT_THROW(
        {
            for (int k = 0; k < 100; ++k) writer.push({std::vector<uint8_t>(8 * 4 * 4), nullptr});
            writer.finish();
        },
        Error);
    EXPECT_FALSE(std::filesystem::exists(folder / "images" / "frame_000003.png"));
}

TEST(FrameWriter, FolderThatCannotBeCreatedIsAnError) {
    EXPECT_THROW(FrameWriter({.video = {}, .images = "/dev/null/images", .width = 8, .height = 4, .fps = 60}),
                 Error);
}

// 5 images of 360 took 10 s: 12 minutes.
TEST(Progress, SaysWhatALongRecordingWillTake) {
    const RecordTimes drawn{.simulation = 2, .drawing = 7.5, .encoding = 0.5};
    const std::string time = "About 12 min 00 s for 360 images: simulation 20 %, drawing 75 %, encoding 5 %.";
    EXPECT_EQ(estimate(360, 5, drawn, {}),
              time + " Shorter: --resolution 640x360, --quality fast, --fps 30.");
    // only what lowers the present value is advised
    EXPECT_EQ(estimate(360, 5, drawn, {.width = 640, .height = 360}),
              time + " Shorter: --quality fast, --fps 30.");
    EXPECT_EQ(estimate(360, 5, drawn, {.quality = Quality::Fast}),
              time + " Shorter: --resolution 640x360, --fps 30.");
    EXPECT_EQ(estimate(360, 5, drawn, {.fps = 30}), time + " Shorter: --resolution 640x360, --quality fast.");
    EXPECT_EQ(estimate(360, 5, drawn, {.width = 320, .height = 180, .quality = Quality::Points, .fps = 24}),
              time);
    // what makes no difference is not advised
    const RecordTimes simulated{.simulation = 9, .drawing = 1};
    EXPECT_EQ(estimate(360, 5, simulated, {}),
              "About 12 min 00 s for 360 images: simulation 90 %, drawing 10 %, encoding 0 %.");
    EXPECT_EQ(estimate(29, 5, drawn, {}), "") << "less than a minute";
    EXPECT_NE(estimate(31, 5, drawn, {}), "");
}

TEST(Progress, ShowsFractionRateAndTimeLeft) {
    EXPECT_EQ(Progress::line(60, 120, 5, "note"),
              "[############            ]  50 %  60/120  12.0 fps  5 s left  note");
    EXPECT_EQ(Progress::line(120, 120, 10, ""), "[########################] 100 %  120/120");
    EXPECT_EQ(Progress::line(0, 10, 0, ""), "[                        ]   0 %  0/10");
    EXPECT_NE(Progress::line(1, 7300, 1, "").find("2 h 01 min left"), std::string::npos);
}

}  // namespace
}  // namespace coalesce::test
