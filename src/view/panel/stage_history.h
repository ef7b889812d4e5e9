// Times of named stages over the last frames. A stage that did not run in a frame counts as 0 ms.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace coalesce {

class StageHistory {
public:
    static constexpr size_t kFrames = 240;

    struct Sample {
        std::string_view name;
        double ms;
    };
    // Adds a frame; drops the oldest.
    void add(const std::vector<Sample>& samples);
    void clear();

    size_t frames() const { return m_frames; }
    // [ms] sum of all stages of a frame; 0 is the oldest frame.
    double total(size_t frame) const;

    // The stages with the longest mean times, at most `most`, followed by the sum of the others as a band
    // without a name.
    struct Band {
        std::string name;
        double mean = 0;        // [ms]
        std::vector<float> ms;  // per frame, the oldest first
    };
    std::vector<Band> bands(size_t most) const;

private:
    struct Stage {
        std::string name;
        float ms[kFrames] = {};  // ring buffer
    };
    size_t slot(size_t frame) const { return (m_next + kFrames - m_frames + frame) % kFrames; }

    std::vector<Stage> m_stages;
    size_t m_next = 0, m_frames = 0;
};

}  // namespace coalesce
