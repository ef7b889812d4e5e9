// Memory runs out while a recording is written.
#include "allocation_faults.h"
#include "record/frame_writer.h"

namespace coalesce::test {

// A video is encoded by another program; it has no name before it is whole.
TEST_F(AllocationFaults, RecordedFilesAreWholeOrAbsent) {
    const auto record = [&](Outputs outputs, size_t bytesPerPixel) {
        outputs.width = outputs.height = 16;
        FrameWriter writer(outputs);
        for (int frame = 0; frame < 2; ++frame)
            writer.push({std::vector<uint8_t>(16 * 16 * bytesPerPixel, uint8_t(60 * frame)), nullptr});
        writer.finish();
    };
    const auto half = halfFilesOf([&](const std::filesystem::path& to) {
        record({.video = to / "film.mp4", .images = to}, 4);
        record({.video = {}, .images = to, .format = ImageFormat::Exr}, 16);
    });
    EXPECT_TRUE(half.empty()) << *half.begin();
}

}  // namespace coalesce::test
