// CUDA implementation of the primitives, without Thrust or CUB types in the interface. Only in CUDA builds.
#pragma once

#include "core/primitives.h"

namespace coalesce::cub_side {

void sortPairs(Exec& exec, View<uint32_t> keys, View<uint32_t> values, int bits);
void sortPairs(Exec& exec, View<uint64_t> keys, View<uint32_t> values, int bits);
void exclusiveScan(Exec& exec, View<const uint32_t> in, View<uint32_t> out);
// out[i]: runs that start before element i; one element more than in, the last one the number of all.
void countRunsBefore(Exec& exec, View<const uint64_t> in, View<uint32_t> out);
void compact(Exec& exec, View<const uint32_t> keep, View<uint32_t> indices, View<uint32_t> count);

}  // namespace coalesce::cub_side
