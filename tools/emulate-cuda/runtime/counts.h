// Mode counted: what the threads of a kernel execute. In the other modes all of this is empty.
#pragma once

#include <cstdint>

namespace emulated {

// Around a launch.
void beginCounting();
void endCounting(const char* kernel, uint64_t threads);
// Writes EMULATE_COUNTS=FILE.
void writeCounts();

}  // namespace emulated
