// Encodes a video file by piping raw frames to ffmpeg.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <sys/types.h>

namespace coalesce {

struct VideoOptions {
    std::filesystem::path file;      // .mp4 or .mov
    int width = 1280, height = 720;  // [px] even
    double fps = 60;                 // frames per second
    int depth = 8;                   // bits per channel: 8 (H.264), or 10 (H.265) of frames with 16 bits
    // Asked, on any thread, while the encoder keeps this program waiting. After true an encoder that does nothing for
    // so long is given up: Exit::Failure.
    std::function<bool()> stop = {};
    std::chrono::milliseconds patience{10000};
};

// Bytes of a pixel of frames for a video of this depth: RGBA8, or RGBA16 in the byte order of this machine.
constexpr size_t bytesPerPixel(int depth) {
    return depth == 8 ? 4 : 8;
}

// Checks the name, the size, and whether ffmpeg is installed. Exit::Usage, Exit::Output.
void checkVideo(const VideoOptions& options);

// The file appears only after finish(); without it and keep() nothing is left behind.
class VideoEncoder {
public:
    explicit VideoEncoder(const VideoOptions& options);
    ~VideoEncoder();
    VideoEncoder(const VideoEncoder&) = delete;
    VideoEncoder& operator=(const VideoEncoder&) = delete;

    // RGBA8, or RGBA16 for a depth of 10; rows from bottom to top. Exit::Output if the encoder has exited.
    void write(std::span<const uint8_t> rgba);
    void finish();
    // In place of finish(), of a recording that was broken off: the frames so far are a video beside the file, such as
    // out.part.mp4. Its path; empty where there is none: no frame, or the encoder has failed.
    std::filesystem::path keep();

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    int closeAndWait();  // wait status of the encoder
    void send(std::span<const uint8_t> bytes);
    void end();
    void giveUpIfStopped();
    [[noreturn]] void refuse(const std::string& what);
    std::string complaints();

    VideoOptions m_options;
    std::filesystem::path m_place, m_part;           // the file behind symbolic links, and beside it
    std::unique_ptr<std::FILE, Close> m_complaints;  // error output of the encoder
    int m_pipe = -1;
    pid_t m_process = -1;
    bool m_hasFrames = false, m_stopped = false;
    uintmax_t m_partBytes = 0;                               // when it was last looked at
    std::chrono::steady_clock::time_point m_lastSignOfLife;  // of the encoder
};

}  // namespace coalesce
