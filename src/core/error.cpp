#include "core/error.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <new>
#include <numeric>

namespace coalesce {

void fail(Exit code, const std::string& where, const std::string& what, const std::string& hint) {
    std::string message = where.empty() ? what : where + ": " + what;
    if (!hint.empty()) message += "\n    " + hint;
    throw Error(code, message);
}

std::string messageOf(const std::exception& error) {
    if (dynamic_cast<const std::bad_alloc*>(&error))
        return "Out of memory.\n    Use a smaller size of the scene (--size), or a coarser spacing.";
    return error.what();
}

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
    std::string best;
    size_t bestDistance = std::max<size_t>(2, (word.size() + 1) / 2);
    for (const std::string& c : candidates) {
        // Levenshtein distance, one row at a time; letters that differ only in case cost nothing
        std::vector<size_t> row(c.size() + 1);
        std::iota(row.begin(), row.end(), size_t{0});
        for (size_t i = 0; i < word.size(); ++i) {
            size_t diagonal = row[0];
            row[0] = i + 1;
            for (size_t j = 0; j < c.size(); ++j) {
                const bool same = std::tolower(static_cast<unsigned char>(word[i])) ==
                                  std::tolower(static_cast<unsigned char>(c[j]));
                const size_t replace = diagonal + (same ? 0 : 1);
                diagonal = row[j + 1];
                row[j + 1] = std::min({replace, row[j] + 1, row[j + 1] + 1});
            }
        }
        // the beginning of a name counts as one error
        constexpr size_t kLeastStart = 3;
        const bool starts =
            word.size() >= kLeastStart && c.size() > word.size() &&
            std::equal(word.begin(), word.end(), c.begin(),
                       [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
        const size_t distance = starts ? std::min<size_t>(row[c.size()], 1) : row[c.size()];
        if (distance < bestDistance) best = c, bestDistance = distance;
    }
    return best;
}

void checkFailed(const char* file, int line, const char* expression, const std::string& values) {
    fmt::print(stderr,
               "{}:{}: internal check failed: {}{}{}\n    This is a bug in Coalesce: please report it with "
               "the scene.\n",
               file, line, expression, values.empty() ? "" : "; ", values);
    std::abort();
}

}  // namespace coalesce
