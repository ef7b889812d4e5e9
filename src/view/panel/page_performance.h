// The panel's performance page: time by stage, convergence, counts, memory, roofline.
#pragma once

#include <span>

#include "session/session.h"
#include "view/panel/convergence_history.h"
#include "view/panel/frame_bound.h"
#include "view/panel/stage_history.h"
#include "view/viewport/draw_facts.h"

namespace coalesce {

class PagePerformance {
public:
    // Adds the times and the convergence of the last frame; call once per drawn frame. Launches are timed
    // only while the profiler is enabled; their history then starts again.
    void record(const Session& session, std::span<const PassTime> passes);
    void draw(const Session& session, const DrawFacts& facts);
    bool showsConvergence() const { return m_showsConvergence; }  // when last drawn

private:
    FrameShares shares(const Session& session, const DrawFacts& facts) const;

    StageHistory m_simulation, m_drawing;
    ConvergenceHistory m_convergence;
    uint64_t m_generation = 0, m_frame = 0;
    bool m_showsConvergence = true;
};

}  // namespace coalesce
