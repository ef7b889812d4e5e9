// How results of checks are written for people.
#pragma once

#include <string>

#include "checks/expect.h"

namespace coalesce {

// Five digits.
std::string shortNumber(double value);
// "level: ok, 0.667 m (0.63 … 0.7 m)"; the unit with a space before it, or "".
std::string resultLine(const CheckResult& result, const std::string& unit);

}  // namespace coalesce
