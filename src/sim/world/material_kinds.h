// Which kinds of materials have a property, as its description in materials.def says.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "sim/world/parameters.h"

namespace coalesce {

// "Liquid, gas: …" gives fluid and gas. Empty: the description begins without kinds, all have it.
inline std::vector<MaterialKind> kindsOf(std::string_view about) {
    const size_t colon = about.find(": ");
    if (colon == std::string_view::npos) return {};
    const auto& names = choiceNames<MaterialKind>();
    std::vector<MaterialKind> kinds;
    std::string_view words = about.substr(0, colon);
    while (!words.empty()) {
        const size_t comma = words.find(", ");
        std::string word(words.substr(0, comma));
        words = comma == std::string_view::npos ? std::string_view() : words.substr(comma + 2);
        std::ranges::transform(word, word.begin(), [](unsigned char c) { return char(std::tolower(c)); });
        if (word == "liquid") word = names[size_t(MaterialKind::fluid)];
        const auto found = std::ranges::find(names, word);
        if (found == names.end()) return {};
        kinds.push_back(static_cast<MaterialKind>(found - names.begin()));
    }
    return kinds;
}

}  // namespace coalesce
