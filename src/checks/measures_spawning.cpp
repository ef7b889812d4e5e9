// Who was born and who died, and how many there are.
#include <cmath>

#include "checks/measures.h"

namespace coalesce::measures {

namespace {

// The value itself; or by which share it differs from the first of the window, where `statistic` is change;
// or what it gained in a second since then, where it is rate.
Measured overWindow(const MeasureContext& s, double value) {
    const std::string statistic = s.word("statistic", "count");
    if (s.state.path.empty()) s.state.path.push_back({s.now.time, value});
    const auto [since, first] = s.state.path.front();
    if (statistic == "count") return value;
    if (statistic == "change") return first != 0 ? Measured((value - first) / first) : Measured();
    return s.now.time > since ? Measured((value - first) / (s.now.time - since)) : Measured();
}

}  // namespace

Measured count(const MeasureContext& s) {
    return overWindow(s, static_cast<double>(s.selected.size()));
}

Measured emitted(const MeasureContext& s) {
    const std::string name = s.word("emitter", "");
    double sum = 0;
    for (size_t k = 0; k < s.now.emitters.size(); ++k)
        if (name.empty() || s.scene.emitters[k].name == name)
            sum += static_cast<double>(s.now.emitters[k].emitted);
    return overWindow(s, sum);
}

Measured removedBySink(const MeasureContext& s) {
    const std::string name = s.word("sink", "");
    if (name.empty()) return overWindow(s, static_cast<double>(s.now.deaths));
    double sum = 0;
    for (size_t k = 0; k < s.now.removedBySink.size(); ++k)
        if (s.scene.sinks[k].name == name) sum += static_cast<double>(s.now.removedBySink[k]);
    return overWindow(s, sum);
}

Measured memory(const MeasureContext& s) {
    return overWindow(s, s.now.megabytes);
}

}  // namespace coalesce::measures
