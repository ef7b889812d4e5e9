#include "view/widgets/format.h"

#include <cctype>

#include "core/counted.h"

namespace coalesce {

std::string lowercase(std::string text) {
    for (char& c : text) c = char(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

std::string withThousands(size_t n) {
    std::string digits = std::to_string(n);
    for (int k = int(digits.size()) - 3; k > 0; k -= 3) digits.insert(size_t(k), 1, ' ');
    return digits;
}

std::string particleCount(size_t n) {
    return withThousands(n) + " " + plural(n, "particle");
}

}  // namespace coalesce
