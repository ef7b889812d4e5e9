// How kinds of checks declare their options, and options that several kinds share.
#pragma once

#include <utility>
#include <vector>

#include "scene/format/check_kind.h"

namespace coalesce {

inline CheckOption numberOption(const char* name, const char* about) {
    return {.name = name, .type = CheckOption::Type::Number, .about = about};
}
inline CheckOption wordOption(const char* name, const char* about, std::vector<const char*> choices = {}) {
    return {.name = name, .type = CheckOption::Type::Word, .about = about, .choices = std::move(choices)};
}
inline CheckOption wordListOption(const char* name, const char* about) {
    return {.name = name, .type = CheckOption::Type::Words, .about = about};
}
inline CheckOption pointOption(const char* name, const char* about) {
    return {.name = name, .type = CheckOption::Type::Point, .about = about};
}
inline CheckOption required(CheckOption option) {
    option.required = true;
    return option;
}

inline CheckOption regionMin() {
    return pointOption("regionMin", "Lower corner of the region that counts [m].");
}
inline CheckOption regionMax() {
    return pointOption("regionMax", "Upper corner of the region that counts [m].");
}
inline CheckOption unitSpacings() {
    return wordOption("unit", "\"d\": in particle spacings instead of meters.", {"d"});
}
inline CheckOption axisOption(const char* about = "Direction; x when omitted.") {
    return wordOption("axis", about, {"x", "y", "z"});
}
inline CheckOption signedAxis() {
    return axisOption("Only the component along this axis, with its sign.");
}
inline CheckOption displacementDirection() {
    return pointOption("direction",
                       "Component of the displacement along this direction; its length when omitted.");
}
inline CheckOption planeDirection() {
    return pointOption("direction", "Direction through the plane; downward when omitted.");
}
inline CheckOption sinceTime() {
    return numberOption("since", "Reference time [s]; the start when omitted.");
}
inline CheckOption statisticOverBodies() {
    return wordOption("statistic", "max (default), mean or min over the bodies.", {"max", "mean", "min"});
}
inline CheckOption shapeOption() {
    return required(wordOption("shape", "Name of the shape."));
}

}  // namespace coalesce
