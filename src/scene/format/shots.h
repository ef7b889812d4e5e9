// Values of the keys of a shot: names of render qualities, image sizes.
#pragma once

#include <charconv>
#include <string>
#include <vector>

namespace coalesce {

// Render qualities by name, in the order of the enum Quality of the renderer.
inline const std::vector<std::string>& renderQualities() {
    static const std::vector<std::string> names = {"points", "spheres", "ellipsoids", "record"};
    return names;
}

// 1280, 720 from "1280x720"; false: malformed, or not from 1 to 16384.
inline bool parseImageSize(const std::string& text, int& width, int& height) {
    const char *begin = text.data(), *end = begin + text.size();
    const auto first = std::from_chars(begin, end, width);
    if (first.ec != std::errc() || first.ptr == end || *first.ptr != 'x') return false;
    const auto second = std::from_chars(first.ptr + 1, end, height);
    return second.ec == std::errc() && second.ptr == end && width >= 1 && height >= 1 && width <= 16384 &&
           height <= 16384;
}

}  // namespace coalesce
