// Text and numbers as the interface formats them.
#pragma once

#include <cstddef>
#include <string>

namespace coalesce {

std::string lowercase(std::string text);  // ASCII letters
// "12 345 678"
std::string withThousands(size_t n);
// "1 plane", "2 planes"
std::string counted(size_t n, const std::string& noun);

}  // namespace coalesce
