// How far the constraints were solved in the last frames: curves of the performance page.
#pragma once

#include <vector>

#include "sim/world/world.h"

namespace coalesce {

class ConvergenceHistory {
public:
    static constexpr size_t kFrames = 240;

    // Adds the last frame of the world, if it was watched; drops the oldest.
    void add(const World& world);
    void clear();

    // A quantity that the method of the last frame knows.
    struct Curve {
        const char *name, *unit, *tooltip;
        std::vector<float>
            values;  // by frame, the oldest first; NaN where the method of then did not know it
    };
    std::vector<Curve> curves() const;

private:
    struct Frame {
        ConvergenceReport convergence;
        LinearCounts globalStep, strainViscosity;
        bool liquid;
    };
    std::vector<Frame> m_frames;  // the oldest first
};

}  // namespace coalesce
