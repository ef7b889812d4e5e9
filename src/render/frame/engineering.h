// Metric prefixes, so that values read as numbers between 1 and 1000: 12 500 Pa as 12.5 kPa.
#pragma once

#include <string>

namespace coalesce {

struct MetricPrefix {
    double factor = 1;        // values are divided by it
    const char* letter = "";  // before the unit
};
// For values up to `largest` in this unit. None between 0.01 and 10 000, or where the unit takes no prefix
// ("kg/m^3", "%").
MetricPrefix prefixFor(double largest, const std::string& unit);
// "12.5 kPa"; units "" and "-" are left out.
std::string engineering(double value, const std::string& unit);

}  // namespace coalesce
