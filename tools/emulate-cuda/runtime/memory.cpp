#include "memory.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <span>
#include <sys/mman.h>
#include <vector>

#include "access_check.h"
#include "findings.h"

namespace emulated {

void installReports();  // findings.cpp

namespace {

constexpr uint64_t kPage = 4096, kAlignment = 256;  // as cudaMalloc aligns

struct Block {
    uint64_t bytes;
    uint64_t mappedFrom, mappedBytes;
    uint32_t number;
    std::string from;  // the host's stack, with EMULATE_CALLERS
};
// by address; never destroyed, because destructors of the program may still free
std::map<uint64_t, Block>& blocks() {
    static auto* made = new std::map<uint64_t, Block>;
    return *made;
}
std::map<uint64_t, uint64_t>& pinned() {
    static auto* made = new std::map<uint64_t, uint64_t>;
    return *made;
}
uint64_t nextAddress = kHeap, inUse = 0, inPool = 0;
uint32_t blockCount = 0;

void* aliasOf(uint64_t address) {
    return reinterpret_cast<void*>(address + kAlias);
}

const Block* blockOf(uint64_t address, uint64_t& start) {
    auto it = blocks().upper_bound(address);
    if (it == blocks().begin()) return nullptr;
    --it;
    if (address >= it->first + it->second.bytes) return nullptr;
    start = it->first;
    return &it->second;
}

}  // namespace

void reserveRange(uint64_t at, uint64_t bytes, int protection) {
    void* wanted = reinterpret_cast<void*>(at);
    if (mmap(wanted, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
             0) != wanted)
        stop("cannot reserve addresses for device memory");
}

void setUp() {
    static const bool once = [] {
        reserveRange(kHeap, kHeapBytes, PROT_NONE);
        reserveRange(kHeap + kAlias, kHeapBytes, PROT_NONE);
        reserveShadow();
        installReports();
        return true;
    }();
    (void)once;
}

void* allocate(size_t bytes) {
    if (bytes > options().memory - inUse) return nullptr;
    const uint64_t padded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    const uint64_t pages = (padded + kPage - 1) / kPage * kPage, from = nextAddress,
                   start = from + pages - padded;
    if (from + pages + kPage > kHeap + kHeapBytes) return nullptr;
    if (mprotect(aliasOf(from), pages, PROT_READ | PROT_WRITE)) return nullptr;
    nextAddress += pages + kPage;
    std::memset(aliasOf(start), 0xcd, padded);
    blocks()[start] = {bytes, from, pages, blockCount++, options().callers ? hostSymbols() : ""};
    inUse += bytes;
    return reinterpret_cast<void*>(start);
}

bool release(void* p) {
    const auto it = blocks().find(reinterpret_cast<uint64_t>(p));
    if (it == blocks().end()) return false;
    const Block& b = it->second;
    madvise(aliasOf(b.mappedFrom), b.mappedBytes, MADV_DONTNEED);
    mprotect(aliasOf(b.mappedFrom), b.mappedBytes, PROT_NONE);
    dropShadow(b.mappedFrom, b.mappedBytes);
    inUse -= b.bytes;
    blocks().erase(it);
    return true;
}

uint64_t bytesInUse() {
    return inUse;
}

bool releaseIntoPool(void* p) {
    const uint64_t before = inUse;
    if (!release(p)) return false;
    inPool += before - inUse;
    return true;
}
void takeFromPool(size_t bytes) {
    inPool -= std::min<uint64_t>(inPool, bytes);
}
void trimPool() {
    inPool = 0;
}
uint64_t bytesInPool() {
    return std::min(inPool, options().memory - inUse);
}

bool isDevice(const void* p) {
    const auto a = reinterpret_cast<uint64_t>(p);
    return a >= kHeap && a < kHeap + kHeapBytes;
}

std::string describeAddress(uint64_t a) {
    char text[160];
    uint64_t start = 0;
    if (const Block* b = blockOf(a, start)) {
        std::snprintf(text, sizeof text, "block %u of %lu bytes, byte %lu", b->number, b->bytes, a - start);
        return text;
    }
    auto it = blocks().upper_bound(a);
    if (it == blocks().begin()) return "an address below every block";
    --it;
    std::snprintf(text, sizeof text, "%lu bytes behind the end of block %u of %lu bytes, or freed memory",
                  a - it->first - it->second.bytes, it->second.number, it->second.bytes);
    return text;
}

std::string describeBlocks() {
    constexpr size_t kShown = 8;
    std::vector<Block> largest;
    for (const auto& [start, block] : blocks()) largest.push_back(block);
    std::ranges::sort(largest, std::greater(), &Block::bytes);
    std::string text =
        std::to_string(largest.size()) + " blocks, " + std::to_string(inUse) + " bytes together";
    for (const Block& block : std::span(largest).first(std::min(largest.size(), kShown)))
        text += "\n        block " + std::to_string(block.number) + " of " + std::to_string(block.bytes) +
                " bytes" + block.from;
    return text;
}

void requireInside(const char* what, const void* p, size_t bytes) {
    uint64_t start = 0;
    const auto a = reinterpret_cast<uint64_t>(p);
    const Block* b = blockOf(a, start);
    if (!b || a + bytes > start + b->bytes)
        stop(std::string(what) + " of " + std::to_string(bytes) +
             " bytes leaves its block: " + describeAddress(a));
}

void addPinned(void* p, size_t bytes) {
    pinned()[reinterpret_cast<uint64_t>(p)] = bytes;
}
void removePinned(void* p) {
    pinned().erase(reinterpret_cast<uint64_t>(p));
}
bool isPinned(const void* p) {
    const auto a = reinterpret_cast<uint64_t>(p);
    auto it = pinned().upper_bound(a);
    if (it == pinned().begin()) return false;
    --it;
    return a < it->first + it->second;
}

}  // namespace emulated
