// A video file, encoded by the program ffmpeg that reads raw pictures from a pipe.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <sys/types.h>

namespace coalesce {

struct VideoOptions {
    std::filesystem::path file;      // .mp4 or .mov
    int width = 1280, height = 720;  // [px] even
    double fps = 60;                 // pictures per second
};

// What can be said before any work is done: the name, the size, and whether ffmpeg is there. Exit::Usage,
// Exit::Output.
void checkVideo(const VideoOptions& options);

// The file appears only when finish() has returned; whatever goes wrong before leaves nothing behind.
class VideoEncoder {
public:
    explicit VideoEncoder(const VideoOptions& options);
    ~VideoEncoder();
    VideoEncoder(const VideoEncoder&) = delete;
    VideoEncoder& operator=(const VideoEncoder&) = delete;

    // RGBA8, rows from the bottom up. Exit::Output when the encoder has gone.
    void write(std::span<const uint8_t> rgba);
    void finish();

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    int closeAndWait();  // the encoder's wait status
    [[noreturn]] void refuse(const std::string& what);
    std::string complaints();

    VideoOptions m_options;
    std::filesystem::path m_part;
    std::unique_ptr<std::FILE, Close> m_complaints;  // what the encoder says on its error stream
    int m_pipe = -1;
    pid_t m_process = -1;
};

}  // namespace coalesce
