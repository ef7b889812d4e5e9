#include "counts.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
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

struct Counts {
    uint64_t launches = 0, threads = 0, instructions = 0;
    uint64_t loaded = 0, stored = 0, atomics = 0;  // bytes, bytes, operations
    uint64_t warpAccesses = 0, sectors = 0;        // of loads and stores
};
Counts now;
std::map<std::string, Counts>& kernels() {
    static auto* made = new std::map<std::string, Counts>;
    return *made;
}

// Sectors of 32 bytes that a warp touches with one access. The threads of a warp run one after the other
// here; their accesses belong together when they are the k-th of the same instruction. Kernels with barriers
// are left out, because their threads are interleaved.
class Warp {
public:
    void access(const Thread& c, uint64_t address, uint32_t bytes, uint32_t line) {
        if (c.index / 32 != m_warp) flush(), m_warp = c.index / 32;
        if (c.index != m_thread) m_occurrences.clear(), m_thread = c.index;
        auto& sectors = m_accesses[uint64_t{line} << 32 | m_occurrences[line]++];
        for (uint64_t s = address / 32; s <= (address + bytes - 1) / 32; ++s)
            if (std::find(sectors.begin(), sectors.end(), s) == sectors.end()) sectors.push_back(s);
    }
    void flush() {
        now.warpAccesses += m_accesses.size();
        for (const auto& [key, sectors] : m_accesses) now.sectors += sectors.size();
        m_accesses.clear();
        m_occurrences.clear();
        m_warp = m_thread = ~0u;
    }

private:
    uint32_t m_warp = ~0u, m_thread = ~0u;
    std::unordered_map<uint32_t, uint32_t> m_occurrences;  // of this thread, by line
    std::unordered_map<uint64_t, std::vector<uint64_t> > m_accesses;
};
Warp warp;

}  // namespace

InstructionCounter::~InstructionCounter() {
    now.instructions += n;
}

void countAccess(const Thread& c, Traffic kind, uint64_t address, uint32_t bytes, uint32_t line) {
    if (kind == Traffic::atomic) {
        now.atomics += 1;
        return;
    }
    (kind == Traffic::load ? now.loaded : now.stored) += bytes;
    if (!runningKernel()->fibers) warp.access(c, address, bytes, line);
}

void beginCounting() {
    now = {};
}

void endCounting(const char* kernel, uint64_t threads) {
    warp.flush();
    Counts& sum = kernels()[kernel];
    sum.launches += 1, sum.threads += threads, sum.instructions += now.instructions;
    sum.loaded += now.loaded, sum.stored += now.stored, sum.atomics += now.atomics;
    sum.warpAccesses += now.warpAccesses, sum.sectors += now.sectors;
}

void writeCounts() {
    const char* where = std::getenv("EMULATE_COUNTS");
    FILE* out = where ? std::fopen(where, "w") : nullptr;
    if (!out) return;
    std::fprintf(out, "[");
    const char* comma = "";
    for (const auto& [name, c] : kernels()) {
        std::fprintf(
            out,
            "%s\n    {\"kernel\": \"%s\", \"launches\": %lu, \"threads\": %lu, \"instructions\": %lu, "
            "\"bytesLoaded\": %lu, \"bytesStored\": %lu, \"atomics\": %lu, \"warpAccesses\": %lu, "
            "\"sectors\": %lu}",
            comma, demangled(name.c_str()).c_str(), c.launches, c.threads, c.instructions, c.loaded, c.stored,
            c.atomics, c.warpAccesses, c.sectors);
        comma = ",";
    }
    std::fprintf(out, "\n]\n");
    std::fclose(out);
}

#endif

}  // namespace emulated
