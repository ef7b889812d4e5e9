// Text and numbers as the interface formats them.
#pragma once

#include <cstddef>
#include <string>

namespace coalesce {

std::string lowercase(std::string text);  // ASCII letters
// "12 345 678"
std::string withThousands(size_t n);
// "12 345 particles"
std::string particleCount(size_t n);

}  // namespace coalesce
