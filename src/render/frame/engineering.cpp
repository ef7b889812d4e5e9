#include "render/frame/engineering.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace coalesce {

MetricPrefix prefixFor(double largest, const std::string& unit) {
    static constexpr std::array<std::string_view, 9> kUnits = {"m",   "m/s", "m/s^2", "s", "N",
                                                               "N m", "Pa",  "J",     "W"};
    static constexpr MetricPrefix kPrefixes[] = {{1e9, "G"},  {1e6, "M"},  {1e3, "k"}, {1, ""},
                                                 {1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"}};
    largest = std::abs(largest);
    if (!std::isfinite(largest) || largest == 0 || (largest >= 0.01 && largest < 1e4) ||
        std::ranges::find(kUnits, unit) == kUnits.end())
        return {};
    for (const MetricPrefix& prefix : kPrefixes)
        if (largest >= prefix.factor * (1 - 1e-9)) return prefix;
    return kPrefixes[std::size(kPrefixes) - 1];
}

std::string engineering(double value, const std::string& unit) {
    const MetricPrefix prefix = prefixFor(value, unit);
    char number[32];
    std::snprintf(number, sizeof number, "%.4g", value / prefix.factor);
    if (unit.empty() || unit == "-") return number;
    return std::string(number) + " " + prefix.letter + unit;
}

}  // namespace coalesce
