// Quantities of the simulation over time, for the page Plots.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "session/session.h"

namespace coalesce {

struct SeriesInfo {
    const char* name;
    const char* label;
    const char* unit;
    const char* about;
};
inline constexpr std::array<SeriesInfo, 8> kSeries = {{
    {"mechanical", "Kinetic + potential energy", "J",
     "Without the energy of springs and other constraints. It falls by friction, viscosity and impacts."},
    {"particles", "Particles", "", "Number of particles."},
    {"kinetic", "Kinetic energy", "J", "Σ ½ m v² over all particles that are not held."},
    {"potential", "Potential energy", "J", "−Σ m g·x over all particles that are not held; 0 at the origin."},
    {"density", "Density error", "%",
     "Mean compression of liquids, max(0, φ − 1), φ: density / rest density at the end of the frame."},
    {"speed", "Maximum speed", "m/s", "Of the fastest particle."},
    {"residual", "Residual", "-",
     "Largest |r|/|b| at the end of a linear solve in the frame; projective dynamics with cg only."},
    {"substeps", "Substeps", "", "Per frame; chosen in every frame with solver.timeStep cfl."},
}};
inline constexpr size_t kSeriesCount = kSeries.size();

struct SeriesSample {
    uint64_t frame = 0;
    double time = 0;                         // [s]
    std::array<double, kSeriesCount> value;  // NaN: there is none
};
// Of the present state of a world; reads positions and velocities back from the device.
SeriesSample sampleOf(const World& world, const Status& status);

// Samples of a run in the order of its frames. When there are too many, every other one is dropped.
class TimeSeries {
public:
    static constexpr size_t kMost = 4096;

    // Drops the samples of this frame and later ones: the run has gone back in time.
    void add(const SeriesSample& sample);
    void clear();
    bool wants(uint64_t frame) const;  // whether a sample of this frame would be kept
    const std::vector<SeriesSample>& samples() const { return m_samples; }
    // Text file with a column for the time and one for each series that has values.
    std::string csv() const;

private:
    std::vector<SeriesSample> m_samples;
    uint64_t m_stride = 1;  // [frames] between samples
};

}  // namespace coalesce
