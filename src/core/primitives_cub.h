// CUDA implementation of the primitives, without Thrust or CUB types in the interface. Only in CUDA builds.
#pragma once

#include "core/primitives.h"

namespace coalesce::cub_side {

void sortPairs(Exec& exec, View<uint32_t> keys, View<uint32_t> values, int bits);
void sortPairs(Exec& exec, View<uint64_t> keys, View<uint32_t> values, int bits);
void exclusiveScan(Exec& exec, View<const uint32_t> in, View<uint32_t> out);

}  // namespace coalesce::cub_side
