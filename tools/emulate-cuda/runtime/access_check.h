// The checked mode: which bytes were written, and which threads of the present launch touched a word. In the
// other mode all of this is empty.
#pragma once

#include <cstdint>

namespace emulated {

void reserveRange(uint64_t at, uint64_t bytes, int protection);  // memory.cpp
void reserveShadow();
void dropShadow(uint64_t from, uint64_t bytes);

}  // namespace emulated
