// Progress of a recording: a bar that redraws itself on a terminal, otherwise one line per second.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "render/renderer/renderer.h"

namespace coalesce {

struct Scene;

// Prints the notes and warnings about a scene that is going to be recorded.
void printRemarks(const Scene& scene);

// Wall time of a recording [s], by what it was spent on.
struct RecordTimes {
    double simulation = 0, drawing = 0, encoding = 0;
    double total() const { return simulation + drawing + encoding; }
    // "simulation 40 %, drawing 55 %, encoding 5 %"
    std::string shares() const;
};
// What the time of an image depends on, and how many there are.
struct RecordEffort {
    int width = 1280, height = 720;  // [px]
    Quality quality = Quality::Standard;
    double fps = 60;  // images per second of film
};
// What a recording of so many images will take, by the times of some of them, and which options would make it
// shorter than with the present ones; empty: less than a minute.
std::string estimate(uint64_t images, uint64_t measured, const RecordTimes& times,
                     const RecordEffort& present);

class Progress {
public:
    Progress(uint64_t total, bool quiet);
    void show(uint64_t done, const std::string& note);
    void finish();

    double seconds() const { return std::chrono::duration<double>(Clock::now() - m_start).count(); }
    // A line of its own, above the bar.
    void say(const std::string& text) const;

    // "[######      ]  50 %  60/120  12.3 fps  5 s left  note"; seconds: since the start
    static std::string line(uint64_t done, uint64_t total, double seconds, const std::string& note);

private:
    using Clock = std::chrono::steady_clock;
    uint64_t m_total;
    bool m_quiet, m_terminal;
    Clock::time_point m_start, m_shown;
};

}  // namespace coalesce
