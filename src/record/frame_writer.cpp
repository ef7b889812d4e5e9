#include "record/frame_writer.h"

#include "core/error.h"
#include "record/exr.h"
#include "record/png.h"

namespace coalesce {

namespace {
constexpr size_t kQueueLength = 4;  // frames; bounds the memory when the encoder is the bottleneck
}

FrameWriter::FrameWriter(const Outputs& outputs) : m_outputs(outputs), m_frame(outputs.firstNumber) {
    if (outputs.format == ImageFormat::Exr && !outputs.video.empty())
        fail(Exit::Usage, "--image-format exr",
             "a video shows display colors, these images have linear light",
             "Record the video by itself, or images as png.");
    if (!outputs.passes.empty() && (outputs.format != ImageFormat::Exr || outputs.images.empty()))
        fail(Exit::Usage, "--passes", "only EXR images have passes", "Give --images DIR --image-format exr.");
    if (!outputs.images.empty()) {
        if (outputs.depth != 8)
            fail(Exit::Usage, fmt::format("--video-depth {}", outputs.depth), "images have 8 bits",
                 "Record the video by itself, or without this option.");
        std::error_code failed;
        std::filesystem::create_directories(outputs.images, failed);
        if (failed)
            fail(Exit::Output, "--images " + outputs.images.string(),
                 "the folder cannot be created: " + failed.message(),
                 "Choose a folder in a writable location.");
    }
    if (!outputs.video.empty())
        m_video = std::make_unique<VideoEncoder>(VideoOptions{outputs.video, outputs.width, outputs.height,
                                                              outputs.fps, outputs.depth, outputs.stop});
    m_queue.emplace(kQueueLength, [this](const DrawnFrame& frame) { write(frame); });
}

void FrameWriter::write(const DrawnFrame& frame) {
    const std::vector<uint8_t>& rgba = frame.rgba;
    const Outputs& o = m_outputs;
    const std::filesystem::path file = imageFile(o.images, m_frame, o.format);
    if (!o.images.empty() && o.format == ImageFormat::Exr) {
        const std::span rgbz{reinterpret_cast<const float*>(rgba.data()), rgba.size() / sizeof(float)};
        std::vector<PassValues> passes;
        if (!o.passes.empty()) passes = frame.scene->evaluate(o.passes, rgbz, o.width, o.height);
        writeExr(file, rgbz, o.width, o.height, Rows::BottomUp, o.fps, passes);
    } else if (!o.images.empty())
        writePng(file, rgba, o.width, o.height, Rows::BottomUp);
    if (m_video) m_video->write(rgba);
    ++m_frame;
}

void FrameWriter::finish() {
    m_queue->finish();
    if (m_video) m_video->finish();
    m_video.reset();
}

std::filesystem::path FrameWriter::keepVideo() {
    if (!m_video) return {};
    try {
        m_queue->finish();
    } catch (const Error&) {  // what broke off the recording is told, not this
        return {};
    }
    return m_video->keep();
}

void rethrowWith(const Error& error, const std::filesystem::path& video) {
    if (video.empty()) throw;
    throw Error(error.code,
                fmt::format("{}\n    The images so far are a video: {}", error.what(), video.string()));
}

}  // namespace coalesce
