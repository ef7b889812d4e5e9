#include "record/join_images.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "core/counted.h"
#include "core/error.h"
#include "record/png.h"
#include "record/video.h"

namespace coalesce {

namespace fs = std::filesystem;

namespace {

// Of the images in a folder, sorted.
std::vector<uint64_t> numbersIn(const fs::path& folder, ImageFormat format, std::error_code& failed) {
    std::vector<uint64_t> numbers;
    for (const auto& entry : fs::directory_iterator(folder, failed)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with("frame_")) continue;
        uint64_t number = 0;
        std::from_chars(name.data() + 6, name.data() + name.size(), number);
        if (imageFile(folder, number, format).filename() == name) numbers.push_back(number);
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

}  // namespace

void requireNoFurtherImages(const fs::path& folder, ImageFormat format, uint64_t count) {
    std::error_code none;
    const std::vector<uint64_t> numbers = numbersIn(folder, format, none);
    if (numbers.empty() || numbers.back() < count) return;
    const auto others = numbers.end() - std::ranges::lower_bound(numbers, count);
    fail(Exit::Usage, "--images " + folder.string(),
         fmt::format("the folder has {} of a longer recording, up to {}; this one has {}",
                     counted(size_t(others), "image"),
                     imageFile(folder, numbers.back(), format).filename().string(), counted(count, "image")),
         "Choose another folder, or delete them.");
}

uint64_t encodeImages(const fs::path& folder, const fs::path& file, double fps) {
    std::error_code failed;
    const std::vector<uint64_t> numbers = numbersIn(folder, ImageFormat::Png, failed);
    if (numbers.empty())
        fail(Exit::Usage, "--from-images " + folder.string(),
             failed ? "the folder cannot be read: " + failed.message()
                    : "there are no images frame_000000.png, …",
             "Draw them: coalesce record SCENE --images DIR.");
    std::string missing;
    for (uint64_t expected = 0; const uint64_t number : numbers) {
        if (number > expected)
            missing += fmt::format("{}{} to {}", missing.empty() ? "" : ", ", expected, number - 1);
        expected = number + 1;
    }
    if (!missing.empty())
        fail(Exit::Usage, "--from-images " + folder.string(), "images are missing: " + missing,
             "Draw them with --image-range FIRST:LAST.");
    Image image = readPng(imageFile(folder, 0), Rows::BottomUp);
    VideoEncoder video({file, image.width, image.height, fps});
    for (const uint64_t number : numbers) {
        Image next = number ? readPng(imageFile(folder, number), Rows::BottomUp) : image;
        if (next.width != image.width || next.height != image.height)
            fail(Exit::Usage, imageFile(folder, number).string(),
                 fmt::format("has {}x{} pixels, the first image has {}x{}", next.width, next.height,
                             image.width, image.height),
                 "Draw all images with one --resolution.");
        video.write(next.rgba);
    }
    video.finish();
    return numbers.size();
}

}  // namespace coalesce
