// Checksums of stored bytes: they detect corruption, not tampering.
#pragma once

#include <cstddef>
#include <cstring>

#include "core/hash.h"

namespace coalesce {

inline uint64_t checksum(const void* data, size_t bytes) {
    const auto* p = static_cast<const unsigned char*>(data);
    uint64_t h = bytes;
    for (; bytes >= 8; p += 8, bytes -= 8) {
        uint64_t word;
        std::memcpy(&word, p, 8);
        h = mixIn(h, word);
    }
    uint64_t rest = 0;
    if (bytes > 0) std::memcpy(&rest, p, bytes);  // nullptr, when there are none, is no argument of memcpy
    return mixIn(h, rest);
}

}  // namespace coalesce
