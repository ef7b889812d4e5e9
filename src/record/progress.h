// Progress of a recording: a bar that redraws itself on a terminal, otherwise one line per second.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace coalesce {

class Progress {
public:
    Progress(uint64_t total, bool quiet);
    void show(uint64_t done, const std::string& note);
    void finish();

    // "[######      ]  50 %  60/120  12.3 fps  5 s left  note"; seconds: since the start
    static std::string line(uint64_t done, uint64_t total, double seconds, const std::string& note);

private:
    using Clock = std::chrono::steady_clock;
    uint64_t m_total;
    bool m_quiet, m_terminal;
    Clock::time_point m_start, m_shown;
};

}  // namespace coalesce
