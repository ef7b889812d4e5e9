// The panel's page of how fast it goes: time by stage, counts, memory, and how near to what the machine can
// do.
#pragma once

#include <span>

#include "view/panel/stage_history.h"
#include "view/viewport/draw_facts.h"
#include "view/widgets/panel_rows.h"

namespace coalesce {

class PagePerformance {
public:
    // Every picture, also while another page is shown, so that the history has no gaps.
    void note(const Session& session, std::span<const PassTime> passes);
    void draw(Session& session, const DrawFacts& facts, PanelRows& rows) const;

private:
    StageHistory m_simulation, m_drawing;
    uint64_t m_generation = 0, m_frame = 0;
};

}  // namespace coalesce
