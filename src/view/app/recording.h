// Recording from the window: every simulated frame becomes an image of the file; the simulation waits until
// it is captured.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "render/renderer/renderer.h"
#include "session/session.h"
#include "view/app/glfw_window.h"

namespace coalesce {

// Writes images to a file. Destroyed without finish(): leaves no video.
class FrameSink {
public:
    virtual ~FrameSink() = default;
    virtual void take(const OutputTarget& image) = 0;
    virtual void finish() = 0;
};

struct RecordingFile {
    std::filesystem::path file;  // .mp4; without an extension a folder of images
    Size size;                   // [px]
    double frameRate = 60;       // [1/s] of the simulation
};
struct OpenedRecording {
    std::unique_ptr<FrameSink> sink;
    uint64_t framesPerImage = 1;  // simulated frames
};
// Throws why it cannot record.
using OpenRecording = std::function<OpenedRecording(const RecordingFile&)>;

class Recording {
public:
    explicit Recording(OpenRecording open) : m_open(std::move(open)) {}

    bool isRunning() const { return m_sink != nullptr; }
    // Starts a video, or a folder of images, of the session in this size. Throws why it cannot.
    void start(const Session& session, Size size, bool images);
    // Captures the present frame, if it is due. On an error throws and ends the recording.
    void take(Session& session, const OutputTarget& image);
    // Ends the recording; returns a message with the file. On an error throws and leaves no video.
    std::string finish();

    // [px] of the images that take() expects, independent of the window's size.
    Size size() const { return m_file.size; }
    // Number of frames to simulate before the next image.
    uint64_t framesToNext(const Session& session) const;
    uint64_t written() const { return m_written; }  // number of images
    double seconds() const {
        return double(m_written * m_framesPerImage) / m_file.frameRate;
    }  // [s] simulated
    const std::filesystem::path& file() const { return m_file.file; }
    // False after another scene, size or case, a restart, or a reload: a recording shows one continuous run,
    // so the next frame must not be captured.
    bool isOf(const Session& session) const { return m_run == session.worldGeneration(); }
    // Why seeking is disabled while it runs; empty: it does not run. Ending the recording instead would lose
    // the rest of it to one wrong key.
    std::string seekBlockedReason() const;

    // A red dot with the number of images and the simulated time that they show, at this corner of the viewport.
    // [ImGui's units]
    void drawIndicator(float right, float top) const;

private:
    OpenRecording m_open;
    std::unique_ptr<FrameSink> m_sink;
    RecordingFile m_file;
    uint64_t m_run = 0;  // Session::worlds()
    uint64_t m_framesPerImage = 1, m_written = 0;
    std::optional<uint64_t> m_taken;  // frame of the last image
};

}  // namespace coalesce
