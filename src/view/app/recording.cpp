#include "view/app/recording.h"

#include <fmt/format.h>
#include <imgui.h>

#include "core/counted.h"
#include "view/widgets/format.h"
#include "view/widgets/free_name.h"

namespace coalesce {

void Recording::start(const Session& session, Size size, bool images) {
    // video codecs need an even width and height
    const RecordingFile file{freeName(session.scene().name, images ? "" : ".mp4"),
                             images ? size : Size{size.width & ~1, size.height & ~1},
                             session.scene().parameters.solver.frameRate};
    if (file.size.width < 2 || file.size.height < 2)
        fail(Exit::Output, file.file.string(), "the viewport is too small to record",
             "Make the window larger, or the panel narrower.");
    OpenedRecording opened = m_open(file);
    m_sink = std::move(opened.sink);
    m_framesPerImage = opened.framesPerImage;
    m_file = file;
    m_run = session.worldGeneration();
    m_written = 0;
    m_taken.reset();
}

void Recording::take(Session& session, const OutputTarget& image) {
    if (m_taken && framesToNext(session) > 0) return;
    try {
        m_sink->take(image);
    } catch (...) {
        m_sink.reset();
        throw;
    }
    m_taken = session.world().frame;
    ++m_written;
}

uint64_t Recording::framesToNext(const Session& session) const {
    const uint64_t frame = session.world().frame;
    // frames stepped by the user count, so that images stay equally spaced
    return m_taken && frame < *m_taken + m_framesPerImage ? *m_taken + m_framesPerImage - frame : 0;
}

std::string Recording::seekBlockedReason() const {
    return isRunning() ? "Stop recording (F9) before rewinding." : "";
}

std::string Recording::finish() {
    const std::unique_ptr<FrameSink> sink = std::move(m_sink);
    sink->finish();
    std::error_code unknown;
    return fmt::format("Saved {} ({}×{}): {}", counted(m_written, "frame"), m_file.size.width,
                       m_file.size.height, std::filesystem::absolute(m_file.file, unknown).string());
}

void Recording::drawIndicator(float right, float top) const {
    const std::string text =
        fmt::format("{}   {}   {:.1f} s", m_file.file.string(), counted(m_written, "image"), seconds());
    const float em = ImGui::GetFontSize(), width = ImGui::CalcTextSize(text.c_str()).x + 2.2f * em;
    ImDrawList* list = ImGui::GetForegroundDrawList();
    const ImVec2 at{right - width - 0.8f * em, top + 0.8f * em};
    list->AddRectFilled(at, {at.x + width, at.y + 1.8f * em}, IM_COL32(20, 20, 20, 200), 0.4f * em);
    list->AddCircleFilled({at.x + 0.9f * em, at.y + 0.9f * em}, 0.4f * em, IM_COL32(235, 50, 40, 255));
    list->AddText({at.x + 1.6f * em, at.y + 0.4f * em}, IM_COL32(255, 255, 255, 255), text.c_str());
}

}  // namespace coalesce
