// Recording from the window: every simulated frame becomes a picture of the file, and the simulation waits
// until it has been taken.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "render/renderer/renderer.h"
#include "session/session.h"
#include "view/app/glfw_window.h"

namespace coalesce {

// Writes pictures to a file. Not finished: no video is left behind.
class PictureSink {
public:
    virtual ~PictureSink() = default;
    virtual void take(const OutputTarget& picture) = 0;
    virtual void finish() = 0;
};

struct RecordingFile {
    std::filesystem::path file;  // .mp4; without an ending a folder of images
    Size size;                   // [px]
    double frameRate = 60;       // [1/s] of the simulation
};
struct OpenedRecording {
    std::unique_ptr<PictureSink> sink;
    uint64_t framesPerPicture = 1;  // of the simulation
};
// Throws what cannot be recorded, and why.
using OpenRecording = std::function<OpenedRecording(const RecordingFile&)>;

class Recording {
public:
    explicit Recording(OpenRecording open) : m_open(std::move(open)) {}

    bool isRunning() const { return m_sink != nullptr; }
    // Of the scene that the session plays, as large as the window shows it; images instead of a video. Throws
    // what cannot be recorded; then nothing runs.
    void start(const Session& session, Size shown, bool images);
    // The picture of the present frame, if it is the turn of one. Throws what went wrong; then the recording
    // is over.
    void take(Session& session, const OutputTarget& picture);
    // Ends it; the answer says what was written. Throws what went wrong; then there is no video.
    std::string finish();

    // Of the picture that take() wants, whatever the window's is [px].
    Size size() const { return m_file.size; }
    // Frames that the simulation is to do before the next picture.
    uint64_t framesToNext(const Session& session) const;
    uint64_t written() const { return m_written; }  // pictures
    const std::filesystem::path& file() const { return m_file.file; }
    // A recording shows one run without a break. Another scene, size or case, a reset, or a file that is read
    // again begin another run, which is not of it any more; so the next frame must not be taken.
    bool isOf(const Session& session) const { return m_run == session.worlds(); }
    // Why nobody may go back in time while it runs: the pictures of a run follow each other. Refused rather
    // than the end of the recording, as a slip on a key would cut it short.
    std::string seekBlockedReason() const;

    // A red mark with the number of pictures, at this corner of the picture. [ImGui's units]
    void drawMark(float right, float top) const;

private:
    OpenRecording m_open;
    std::unique_ptr<PictureSink> m_sink;
    RecordingFile m_file;
    uint64_t m_run = 0;  // Session::worlds()
    uint64_t m_framesPerPicture = 1, m_written = 0;
    std::optional<uint64_t> m_taken;  // frame of the last picture
};

}  // namespace coalesce
