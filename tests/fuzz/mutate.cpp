#include "fuzz/mutate.h"

#include <cctype>
#include <iterator>
#include <string_view>
#include <utility>

namespace coalesce::fuzz {

namespace {

using Range = std::pair<size_t, size_t>;  // begin, end

template <class IsPart>
std::vector<Range> runsOf(const std::string& text, IsPart&& isPart) {
    std::vector<Range> runs;
    for (size_t k = 0; k < text.size();) {
        if (!isPart(text[k])) {
            ++k;
            continue;
        }
        const size_t begin = k;
        while (k < text.size() && isPart(text[k])) ++k;
        runs.emplace_back(begin, k);
    }
    return runs;
}

std::vector<Range> numbersOf(const std::string& text) {
    return runsOf(text, [](unsigned char c) { return std::isdigit(c) || c == '.' || c == '-'; });
}

std::vector<Range> wordsOf(const std::string& text) {
    return runsOf(text, [](unsigned char c) { return std::isalpha(c) || c == '_'; });
}

constexpr std::string_view kNumbers[] = {"0",     "-1",         "1e-30",       "1e30",  "-1e300", "1e-320",
                                         "1e400", "4294967296", "-2147483649", "1e18",  "0.001",  "1e6",
                                         "null",  "[]",         "{}",          "\"x\"", "NaN",    "true"};

void changeOnce(std::string& text, Random& random) {
    if (text.empty()) text = "0";
    const auto range = [&] {
        const size_t begin = random.below(text.size());
        return Range{begin, std::min(text.size(), begin + 1 + random.below(40))};
    };
    switch (random.below(7)) {
        case 0:
        case 1:
            if (const auto numbers = numbersOf(text); !numbers.empty()) {
                const auto [begin, end] = numbers[random.below(numbers.size())];
                text.replace(begin, end - begin, kNumbers[random.below(std::size(kNumbers))]);
            }
            break;
        case 2:
            if (const auto words = wordsOf(text); !words.empty()) {
                const auto [begin, end] = words[random.below(words.size())];
                const auto [from, to] = words[random.below(words.size())];
                text.replace(begin, end - begin, text.substr(from, to - from));
            }
            break;
        case 3: {
            const auto [begin, end] = range();
            text.erase(begin, end - begin);
            break;
        }
        case 4: {
            const auto [begin, end] = range();
            text.insert(begin, text.substr(begin, end - begin));
            break;
        }
        case 5: {
            const auto [begin, end] = range();
            const std::string part = text.substr(begin, end - begin);
            text.insert(random.below(text.size()), part);
            break;
        }
        default:
            text[random.below(text.size())] ^= char(1 << random.below(8));
    }
}

}  // namespace

std::string mutate(std::string text, Random& random) {
    for (size_t k = 1 + random.below(4); k > 0; --k) changeOnce(text, random);
    return text;
}

}  // namespace coalesce::fuzz
