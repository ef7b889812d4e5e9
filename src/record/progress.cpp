#include "record/progress.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>
#include <vector>

#include "checks/scene_warnings.h"

namespace coalesce {

namespace {

std::string duration(double seconds) {
    const auto s = static_cast<long long>(seconds + 0.5);
    if (s < 60) return fmt::format("{} s", s);
    return s < 3600 ? fmt::format("{} min {:02} s", s / 60, s % 60)
                    : fmt::format("{} h {:02} min", s / 3600, s / 60 % 60);
}

constexpr double kLongRecording = 60;  // [s]

}  // namespace

std::string RecordTimes::shares() const {
    const auto percent = [&](double part) { return 100 * part / std::max(total(), 1e-9); };
    return fmt::format("simulation {:.0f} %, drawing {:.0f} %, encoding {:.0f} %", percent(simulation),
                       percent(drawing), percent(encoding));
}

std::string estimate(uint64_t images, uint64_t measured, const RecordTimes& times,
                     const RecordEffort& present) {
    if (measured == 0 || measured >= images) return "";
    const double seconds = times.total() * double(images) / double(measured);
    if (seconds < kLongRecording) return "";
    std::string text = fmt::format("About {} for {} images: {}.", duration(seconds), images, times.shares());
    std::vector<std::string> shorter;
    if (times.drawing > 0.3 * times.total()) {
        if (present.width * present.height > 640 * 360) shorter.emplace_back("--resolution 640x360");
        if (present.quality > Quality::Fast) shorter.emplace_back("--quality fast");
        if (present.fps > 30) shorter.emplace_back("--fps 30");
    }
    if (!shorter.empty()) text += fmt::format(" Shorter: {}.", fmt::join(shorter, ", "));
    return text;
}

void printRemarks(const Scene& scene) {
    for (const std::string& note : scene.notes) fmt::print(stderr, "note: {}\n", note);
    for (const std::string& warning : briefWarningsOf(scene)) fmt::print(stderr, "warning: {}\n", warning);
}

void Progress::say(const std::string& text) const {
    if (!m_quiet && !text.empty()) fmt::print(stderr, "{}{}\n", m_terminal ? "\r\x1b[K" : "", text);
}

Progress::Progress(uint64_t total, bool quiet)
    : m_total(total),
      m_quiet(quiet),
      m_terminal(isatty(STDERR_FILENO)),
      m_start(Clock::now()),
      m_shown(m_start) {}

std::string Progress::line(uint64_t done, uint64_t total, double seconds, const std::string& note) {
    constexpr int kWidth = 24;
    const double share = total == 0 ? 1 : double(done) / double(total);
    const auto filled = size_t(std::clamp(share, 0.0, 1.0) * kWidth);
    const double rate = seconds > 0 ? double(done) / seconds : 0;
    std::string text = fmt::format("[{}{}] {:3.0f} %  {}/{}", std::string(filled, '#'),
                                   std::string(kWidth - filled, ' '), 100 * share, done, total);
    if (rate > 0 && done < total)
        text += fmt::format("  {:.1f} fps  {} left", rate, duration(double(total - done) / rate));
    return text + (note.empty() ? "" : "  " + note);
}

void Progress::show(uint64_t done, const std::string& note) {
    if (m_quiet) return;
    const auto now = Clock::now();
    const auto pause = m_terminal ? std::chrono::milliseconds(100) : std::chrono::milliseconds(1000);
    if (now - m_shown < pause && done < m_total) return;
    m_shown = now;
    const std::string text = line(done, m_total, std::chrono::duration<double>(now - m_start).count(), note);
    // return to the start of the line and clear it
    fmt::print(stderr, "{}{}{}", m_terminal ? "\r\x1b[K" : "", text, m_terminal ? "" : "\n");
    std::fflush(stderr);
}

void Progress::finish() {
    if (!m_quiet && m_terminal) fmt::print(stderr, "\n");
}

}  // namespace coalesce
