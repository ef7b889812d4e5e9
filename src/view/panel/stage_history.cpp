#include "view/panel/stage_history.h"

#include <algorithm>
#include <numeric>

namespace coalesce {

void StageHistory::add(const std::vector<Sample>& samples) {
    for (Stage& stage : m_stages) stage.ms[m_next] = 0;
    for (const Sample& sample : samples) {
        auto stage = std::find_if(m_stages.begin(), m_stages.end(),
                                  [&](const Stage& s) { return s.name == sample.name; });
        if (stage == m_stages.end()) {
            m_stages.push_back({std::string(sample.name), {}});
            stage = m_stages.end() - 1;
        }
        stage->ms[m_next] += float(sample.ms);
    }
    m_next = (m_next + 1) % kFrames;
    m_frames = std::min(m_frames + 1, kFrames);
}

void StageHistory::clear() {
    m_stages.clear();
    m_next = m_frames = 0;
}

double StageHistory::total(size_t frame) const {
    double sum = 0;
    for (const Stage& stage : m_stages) sum += stage.ms[slot(frame)];
    return sum;
}

std::vector<StageHistory::Band> StageHistory::bands(size_t most) const {
    std::vector<Band> all;
    for (const Stage& stage : m_stages) {
        Band band{stage.name, 0, {}};
        for (size_t k = 0; k < m_frames; ++k) band.ms.push_back(stage.ms[slot(k)]);
        const double sum = std::accumulate(band.ms.begin(), band.ms.end(), 0.0);
        band.mean = m_frames > 0 ? sum / double(m_frames) : 0;
        all.push_back(std::move(band));
    }
    std::stable_sort(all.begin(), all.end(), [](const Band& a, const Band& b) { return a.mean > b.mean; });
    if (all.size() <= most + 1) return all;
    Band rest{"", 0, std::vector<float>(m_frames, 0)};
    for (size_t k = most; k < all.size(); ++k) {
        rest.mean += all[k].mean;
        for (size_t f = 0; f < m_frames; ++f) rest.ms[f] += all[k].ms[f];
    }
    all.resize(most);
    all.push_back(std::move(rest));
    return all;
}

}  // namespace coalesce
