// Device memory: blocks that the host cannot reach outside of copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace emulated {

// Reserves the address ranges and installs the handler of faults; called by every entry of the runtime.
void setUp();

// A block of device memory; nullptr when there is no room. Ends with its last page and is followed by an
// unmapped one, so that overruns fault; filled with 0xcd; its address is never used again.
void* allocate(size_t bytes);
// False when p is no block.
bool release(void* p);
uint64_t bytesInUse();

// Like release(), but the bytes stay reserved for the memory pool until it is trimmed. The pool hands out new
// addresses all the same, so that a use after the release is found.
bool releaseIntoPool(void* p);
void takeFromPool(size_t bytes);  // as far as there are
void trimPool();
uint64_t bytesInPool();  // reserved, not in use

bool isDevice(const void* p);
// "block 12 of 400 bytes, byte 396", for messages.
std::string describeAddress(uint64_t address);
// All that are in use, the largest first, a line for each.
std::string describeBlocks();
// Stops the program unless [p, p + bytes) lies in one block.
void requireInside(const char* what, const void* p, size_t bytes);

// Pinned host memory.
void addPinned(void* p, size_t bytes);
void removePinned(void* p);
bool isPinned(const void* p);

// The bytes of device memory as the emulator itself reads and writes them.
inline char* bytesAt(void* device);
inline const char* bytesAt(const void* device);

// ---- initialization (checked mode; empty otherwise) ----
void markWritten(uint64_t address, size_t bytes);
void copyWritten(uint64_t to, uint64_t from, size_t bytes);
// The first byte in the range that nothing has written, or `bytes`.
size_t firstUnwritten(uint64_t address, size_t bytes);

}  // namespace emulated

#include "device.h"

inline char* emulated::bytesAt(void* device) {
    return static_cast<char*>(device) + kAlias;
}
inline const char* emulated::bytesAt(const void* device) {
    return static_cast<const char*>(device) + kAlias;
}
