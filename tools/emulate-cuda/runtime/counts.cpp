#include "counts.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <sys/mman.h>
#include <unordered_map>
#include <vector>

#include "device.h"
#include "findings.h"
#include "launch.h"

namespace emulated {

#ifndef EMULATE_COUNTED

void beginCounting() {}
void endCounting(const char*, uint64_t) {}
void writeCounts() {}

#else

namespace {

constexpr uint64_t kSector = 32;  // bytes

struct Counts {
    uint64_t launches = 0, threads = 0, instructions = 0;
    uint64_t loaded = 0, stored = 0, atomics = 0;  // bytes, bytes, operations
    uint64_t warpAccesses = 0, sectors = 0;        // of loads and stores
    uint64_t moved = 0;  // bytes of all sectors that a launch reads or writes, each counted once for either
};
Counts now;
std::map<std::string, Counts>& kernels() {
    static auto* made = new std::map<std::string, Counts>;
    return *made;
}

// Sectors of 32 bytes that a warp touches with one access. The threads of a warp run one
// after the other here, or in turns between barriers; their accesses belong together
// when they are the k-th of the same instruction.
class Warps {
public:
    void access(const Thread& c, uint64_t address, uint32_t bytes, uint32_t line) {
        if (c.ctaid != m_block) flush(), m_block = c.ctaid;
        const uint32_t occurrence = m_occurrences[uint64_t{c.tid} << 32 | line]++;
        auto& sectors = m_accesses[{c.tid / 32, line, occurrence}];
        for (uint64_t s = address / kSector; s <= (address + bytes - 1) / kSector; ++s)
            if (std::find(sectors.begin(), sectors.end(), s) == sectors.end()) sectors.push_back(s);
    }
    void flush() {
        now.warpAccesses += m_accesses.size();
        for (const auto& [key, sectors] : m_accesses) now.sectors += sectors.size();
        m_accesses.clear();
        m_occurrences.clear();
        m_block = ~0u;
    }

private:
    struct Key {
        uint32_t warp, line, occurrence;
        bool operator==(const Key&) const = default;
    };
    struct Hash {
        size_t operator()(const Key& k) const {
            return (uint64_t{k.line} << 32 | k.occurrence << 5 | k.warp) * 0x9e3779b97f4a7c15u;
        }
    };
    uint32_t m_block = ~0u;
    std::unordered_map<uint64_t, uint32_t> m_occurrences;  // of a thread and line
    std::unordered_map<Key, std::vector<uint64_t>, Hash> m_accesses;
};
Warps warps;

// Which sectors a launch has touched: for each sector the number of the last launch that did.
class Touched {
public:
    // The number of sectors of the access that the launch had not touched.
    uint64_t add(uint64_t address, uint32_t bytes) {
        uint64_t added = 0;
        for (uint64_t s = (address - kHeap) / kSector; s <= (address + bytes - 1 - kHeap) / kSector; ++s)
            if (m_launch[s] != launchNumber()) m_launch[s] = launchNumber(), ++added;
        return added;
    }

private:
    // memory is used only where device memory is
    uint32_t* m_launch =
        static_cast<uint32_t*>(mmap(nullptr, kHeapBytes / kSector * sizeof(uint32_t), PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
};
Touched read, written;

}  // namespace

InstructionCounter::~InstructionCounter() {
    now.instructions += n;
}

void countAccess(const Thread& c, Traffic kind, uint64_t address, uint32_t bytes, uint32_t line) {
    if (kind != Traffic::store) now.moved += kSector * read.add(address, bytes);
    if (kind != Traffic::load) now.moved += kSector * written.add(address, bytes);
    if (kind == Traffic::atomic) {
        now.atomics += 1;
        return;
    }
    (kind == Traffic::load ? now.loaded : now.stored) += bytes;
    warps.access(c, address, bytes, line);
}

void beginCounting() {
    now = {};
}

void endCounting(const char* kernel, uint64_t threads) {
    warps.flush();
    Counts& sum = kernels()[kernel];
    sum.launches += 1, sum.threads += threads, sum.instructions += now.instructions;
    sum.loaded += now.loaded, sum.stored += now.stored, sum.atomics += now.atomics;
    sum.warpAccesses += now.warpAccesses, sum.sectors += now.sectors;
    sum.moved += now.moved;
}

void writeCounts() {
    const char* where = std::getenv("EMULATE_COUNTS");
    FILE* out = where ? std::fopen(where, "w") : nullptr;
    if (!out) return;
    const char* comma = "";
    std::fprintf(out, "{\"calls\": {");
    for (const auto& [what, n] : notedCalls()) {
        std::string line = what;
        for (size_t k; (k = line.find(kCaller)) != std::string::npos;)
            line.replace(k, std::strlen(kCaller), " < ");
        std::fprintf(out, "%s\n    \"%s\": %lu", comma, line.c_str(), n);
        comma = ", ";
    }
    std::fprintf(out, "},\n\"kernels\": [");
    comma = "";
    for (const auto& [name, c] : kernels()) {
        std::fprintf(
            out,
            "%s\n    {\"kernel\": \"%s\", \"launches\": %lu, \"threads\": %lu, \"instructions\": %lu, "
            "\"bytesLoaded\": %lu, \"bytesStored\": %lu, \"atomics\": %lu, \"warpAccesses\": %lu, "
            "\"sectors\": %lu, \"bytesMoved\": %lu}",
            comma, demangled(name.c_str()).c_str(), c.launches, c.threads, c.instructions, c.loaded, c.stored,
            c.atomics, c.warpAccesses, c.sectors, c.moved);
        comma = ",";
    }
    std::fprintf(out, "\n]}\n");
    std::fclose(out);
}

#endif

}  // namespace emulated
