// Changes of inputs for tests without a fuzzer: as likely mistakes of people and programs, not of coverage.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/random_values.h"

namespace coalesce::fuzz {

class Random {
public:
    explicit Random(uint64_t seed) : m_seed(seed) {}
    uint64_t next() { return test::randomBits(m_seed, m_index++); }
    size_t below(size_t n) { return size_t(next() % n); }

private:
    uint64_t m_seed, m_index = 0;
};

// One to four changes: a number becomes an extreme one, a word another word of the text, a range is cut out,
// doubled or moved, a byte flips.
std::string mutate(std::string text, Random& random);

}  // namespace coalesce::fuzz
