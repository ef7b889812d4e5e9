// Text of check results.
#pragma once

#include <string>

#include "checks/expect.h"

namespace coalesce {

// Five significant digits.
std::string shortNumber(double value);
// "level: ok, 0.667 m (0.63 … 0.7 m)"; the unit with a space before it, or "".
std::string resultLine(const CheckResult& result, const std::string& unit);

}  // namespace coalesce
