// A frame of a cache as bytes: header, table of blocks, blocks.
//
// A frame holds the state of the run (visit_state.h), one block per array. A block is the array, for
// particles as differences of consecutive elements, with its bytes transposed, so that those of equal
// significance are neighbors, and compressed by zstd. Blocks have checksums, and so have header and table.
//
// Full frames hold the state exactly, so that a run can go on from them. Draw frames, between them, hold the
// velocities and volume fractions of particles rounded to 11 significant bits (relative error at most 2^-11);
// everything else is exact. Tables of bodies that are equal to those of the full frame before are left out.
#pragma once

#include <optional>
#include <string>

#include "sim/state/state_file.h"
#include "sim/state/state_image.h"

namespace coalesce {

constexpr uint32_t kCacheVersion = 1;

struct CacheFrame {
    bool full = false;
    uint64_t frame = 0;
    uint64_t base = 0;  // the full frame that left out tables are taken from; of a full frame itself
    uint64_t step = 0;  // substeps done
    double time = 0;    // [s]
    uint64_t particles = 0;
    uint64_t hash = 0;  // of the exact state
    uint64_t run = 0;   // CacheInfo::key()
    StateOrigin origin;
    bool operator==(const CacheFrame&) const = default;
};

// base: the image of the full frame `header.base`, for draw frames. The same image gives the same bytes.
std::string encodeFrame(const CacheFrame& header, const StateImage& image, const StateImage* base);

// Reads the header, and checks that the file is whole: refuse() throws with the reason otherwise.
CacheFrame decodeHeader(const std::string& bytes, const RefuseState& refuse);
// Checks the blocks, too, without unpacking them.
void verifyFrame(const std::string& bytes, const RefuseState& refuse);
// base: as in encodeFrame.
StateImage decodeFrame(const std::string& bytes, const StateImage* base, const RefuseState& refuse);

}  // namespace coalesce
