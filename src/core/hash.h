// 64-bit mixing for state hashes. The same on both backends.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/math/hd.h"

namespace coalesce {

// The finalizer of splitmix64 (Steele, Lea, Flood 2014).
HD uint64_t mix(uint64_t z) {
    z += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

HD uint64_t mixIn(uint64_t hash, uint64_t word) {
    return mix(hash ^ mix(word));
}

// Hash of a text, for format versions (FNV-1a, then mixed).
constexpr uint64_t hashText(std::string_view text, uint64_t h = 0xcbf29ce484222325ull) {
    for (char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    return h;
}

}  // namespace coalesce
