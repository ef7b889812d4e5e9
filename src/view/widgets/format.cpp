#include "view/widgets/format.h"

#include <cctype>

namespace coalesce {

std::string lowercase(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

std::string withThousands(size_t n) {
    std::string digits = std::to_string(n);
    for (int k = static_cast<int>(digits.size()) - 3; k > 0; k -= 3)
        digits.insert(static_cast<size_t>(k), 1, ' ');
    return digits;
}

}  // namespace coalesce
