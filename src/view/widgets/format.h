// Words and numbers as the interface writes them.
#pragma once

#include <cstddef>
#include <string>

namespace coalesce {

std::string lowercase(std::string text);  // of ASCII
// "12 345 678"
std::string withThousands(size_t n);

}  // namespace coalesce
