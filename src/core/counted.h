// Nouns after numbers, in messages.
#pragma once

#include <cstddef>
#include <string>

namespace coalesce {

// "image" of 1, else "images"
inline std::string plural(size_t n, const std::string& noun) {
    return n == 1 ? noun : noun + "s";
}

// "1 image", "2 images"
inline std::string counted(size_t n, const std::string& noun) {
    return std::to_string(n) + " " + plural(n, noun);
}

}  // namespace coalesce
