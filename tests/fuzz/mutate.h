// Changes of inputs for tests without a fuzzer: as likely mistakes of people and programs, not of coverage.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace coalesce::fuzz {

// splitmix64 [SLF14]
class Random {
public:
    explicit Random(uint64_t seed) : m_state(seed) {}
    uint64_t next() {
        uint64_t z = m_state += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    size_t below(size_t n) { return size_t(next() % n); }

private:
    uint64_t m_state;
};

// One to four changes: a number becomes an extreme one, a word another word of the text, a range is cut out,
// doubled or moved, a byte flips.
std::string mutate(std::string text, Random& random);

}  // namespace coalesce::fuzz
