#include "view/widgets/format.h"

#include <cctype>

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

std::string counted(size_t n, const std::string& noun) {
    return withThousands(n) + " " + noun + (n == 1 ? "" : "s");
}

}  // namespace coalesce
