// The panel's page of plots: energy, density error, residual and counts over time.
#pragma once

#include <string>
#include <vector>

#include "view/panel/time_series.h"

namespace coalesce {

// Round numbers of an axis from lowest to highest, about as many, with as many digits as tell them apart.
struct AxisTick {
    double value;
    std::string label;  // with the unit
};
std::vector<AxisTick> axisTicks(double lowest, double highest, int about, const std::string& unit);

class PagePlots {
public:
    // Samples the present frame; to be called while the page is shown, since particles are read back for it.
    void record(const Session& session);
    void draw(const Session& session);
    const TimeSeries& series() const { return m_series; }

private:
    void drawPlot(size_t series, double now) const;

    TimeSeries m_series;
    uint64_t m_generation = 0;  // of the world
    uint64_t m_frame = 0;       // sampled last
    std::string m_saved;        // what came of saving
};

}  // namespace coalesce
