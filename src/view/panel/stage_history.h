// Milliseconds of named stages over the last frames. A name that was not there before counts as nothing.
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
    // Another frame; the oldest is forgotten.
    void add(const std::vector<Sample>& samples);
    void clear();

    size_t frames() const { return m_frames; }
    // How long all stages of a frame took [ms]; 0 is the oldest.
    double total(size_t frame) const;

    // The stages that take longest on average, at most so many, and then the rest of them as one without a
    // name.
    struct Band {
        std::string name;
        double mean = 0;        // [ms]
        std::vector<float> ms;  // of each frame, the oldest first
    };
    std::vector<Band> bands(size_t most) const;

private:
    struct Stage {
        std::string name;
        float ms[kFrames] = {};  // a ring
    };
    size_t slot(size_t frame) const { return (m_next + kFrames - m_frames + frame) % kFrames; }

    std::vector<Stage> m_stages;
    size_t m_next = 0, m_frames = 0;
};

}  // namespace coalesce
