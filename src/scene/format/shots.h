// Values of the keys of a shot: names of render qualities, image sizes.
#pragma once

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string>
#include <vector>

namespace coalesce {

// Names of render qualities in files, on the command line and in the window, in the order of the enum Quality
// of the renderer; and those of earlier versions, which are read, too.
inline constexpr const char* kQualityNames[] = {"points", "fast", "standard", "final"};
inline constexpr const char* kFormerQualityNames[] = {"points", "spheres", "ellipsoids", "record"};

inline std::vector<std::string> renderQualities() {
    return {std::begin(kQualityNames), std::end(kQualityNames)};
}
// The present name of a quality; any other word as it is.
inline std::string presentQuality(const std::string& word) {
    const auto* const former = std::ranges::find(kFormerQualityNames, word);
    return former == std::end(kFormerQualityNames) ? word : kQualityNames[former - kFormerQualityNames];
}

// The name of a quality in earlier versions, by which jobs of sweeps are still known.
inline std::string formerQuality(const std::string& word) {
    const auto* const present =
        std::ranges::find(kQualityNames, word, [](const char* name) { return std::string(name); });
    return present == std::end(kQualityNames) ? word : kFormerQualityNames[present - kQualityNames];
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
