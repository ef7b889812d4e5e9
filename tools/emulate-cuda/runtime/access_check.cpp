#include "access_check.h"

#include <cstring>
#include <string>
#include <sys/mman.h>

#include "findings.h"
#include "launch.h"
#include "memory.h"

namespace emulated {

void badAccess(const Thread& c, const char* what, uint64_t address, uint32_t bytes) {
    stop("bad " + std::string(what) + " of " + std::to_string(bytes) + " bytes at " +
         std::to_string(address) + " in " + demangled(runningKernel()->name) + ", thread " +
         std::to_string(c.tid) + " of block " + std::to_string(c.ctaid));
}

#ifndef EMULATE_CHECKED

void reserveShadow() {}
void dropShadow(uint64_t, uint64_t) {}
void markWritten(uint64_t, size_t) {}
void copyWritten(uint64_t, uint64_t, size_t) {}
size_t firstUnwritten(uint64_t, size_t bytes) {
    return bytes;
}
void checkAccess(const Thread&, uint64_t, uint32_t, Access, const void*) {}

#else

namespace {

// Who touched a word of four bytes last, and in which launch: threads or blocks, see Unordered.
struct Shadow {
    uint32_t writeLaunch, writer, readLaunch, reader;
};
constexpr uint32_t kMany = 0xffffffff;                                   // more than one
constexpr uint32_t kByAtomic = 0x80000000;                               // the write was atomic
constexpr uint64_t kShadow = 0x200000000000, kWritten = 0x300000000000;  // four bytes and one byte per byte

Shadow* shadowOf(uint64_t a) {
    return reinterpret_cast<Shadow*>(kShadow + (a - kHeap) / 4 * sizeof(Shadow));
}
uint8_t* writtenOf(uint64_t a) {
    return reinterpret_cast<uint8_t*>(kWritten + (a - kHeap));
}

// Two threads or blocks of a launch at one word, one of them writing, is a race unless both accesses are atomic.
class Races {
public:
    Races(const Thread& c, uint64_t address)
        : m_who(unordered() == Unordered::threads ? "threads " : "blocks "),
          m_self(unordered() == Unordered::threads ? c.index : c.ctaid),
          m_address(address),
          m_launch(launchNumber()) {}

    void atomic(Shadow& s, bool writes) const {
        if (otherWrote(s) && !(s.writer & kByAtomic)) race("plain write, then atomic", s.writer);
        if (!writes) return;
        if (s.readLaunch == m_launch && s.reader != m_self) race("plain read, then atomic", s.reader);
        s.writer = s.writeLaunch == m_launch && s.writer != (m_self | kByAtomic) ? kMany : m_self | kByAtomic;
        s.writeLaunch = m_launch;
    }
    void read(Shadow& s) const {
        if (otherWrote(s))
            race(s.writer & kByAtomic ? "atomic, then plain read" : "write, then read", s.writer);
        s.reader = s.readLaunch == m_launch && s.reader != m_self ? kMany : m_self;
        s.readLaunch = m_launch;
    }
    void write(Shadow& s, bool sameValue) const {
        if (otherWrote(s))
            race(s.writer & kByAtomic ? "atomic, then plain write"
                 : sameValue          ? "write, then write of the same value"
                                      : "write, then write",
                 s.writer);
        if (s.readLaunch == m_launch && s.reader != m_self)
            race(sameValue ? "read, then write of the same value" : "read, then write", s.reader);
        s.writeLaunch = m_launch, s.writer = m_self;
    }

private:
    bool otherWrote(const Shadow& s) const {
        return s.writeLaunch == m_launch && (s.writer == kMany || (s.writer & ~kByAtomic) != m_self);
    }
    void race(const char* kind, uint32_t other) const {
        addFinding(std::string("RACE ") + kind + ": " + runningKernel()->name, [&] {
            return describeAddress(m_address) + ", " + m_who + std::to_string(other & ~kByAtomic) + " and " +
                   std::to_string(m_self);
        });
    }

    const char* m_who;
    uint32_t m_self;
    uint64_t m_address;
    uint32_t m_launch;
};

}  // namespace

void reserveShadow() {
    reserveRange(kShadow, kHeapBytes * 4, PROT_READ | PROT_WRITE);
    reserveRange(kWritten, kHeapBytes, PROT_READ | PROT_WRITE);
}
void dropShadow(uint64_t from, uint64_t bytes) {
    madvise(shadowOf(from), bytes * 4, MADV_DONTNEED);
    madvise(writtenOf(from), bytes, MADV_DONTNEED);
}
void markWritten(uint64_t address, size_t bytes) {
    std::memset(writtenOf(address), 1, bytes);
}
void copyWritten(uint64_t to, uint64_t from, size_t bytes) {
    std::memmove(writtenOf(to), writtenOf(from), bytes);
}
size_t firstUnwritten(uint64_t address, size_t bytes) {
    const void* found = std::memchr(writtenOf(address), 0, bytes);
    return found ? size_t(static_cast<const uint8_t*>(found) - writtenOf(address)) : bytes;
}

void checkAccess(const Thread& c, uint64_t a, uint32_t bytes, Access access, const void* stored) {
    if (a % bytes) badAccess(c, "alignment", a, bytes);
    if (a < kHeap || a + bytes > kHeap + kHeapBytes) return;  // faults by itself
    const bool reads = access == Access::load || access == Access::relaxedLoad || access == Access::atomic;
    const bool writes = access != Access::load && access != Access::relaxedLoad;
    if (reads)
        if (const size_t k = firstUnwritten(a, bytes); k < bytes)
            addFinding(std::string("read of bytes that nothing wrote: ") + runningKernel()->name,
                       [&] { return describeAddress(a + k) + ", thread " + std::to_string(c.index); });
    if (writes) markWritten(a, bytes);
    if (unordered() == Unordered::none) return;
    const Races races(c, a);
    const bool sameValue =
        stored && std::memcmp(reinterpret_cast<const void*>(a + kAlias), stored, bytes) == 0;
    const auto words = uint32_t((a + bytes - 1) / 4 - a / 4 + 1);
    for (uint32_t k = 0; k < words; ++k) {
        Shadow& s = shadowOf(a)[k];
        if (access == Access::load)
            races.read(s);
        else if (access == Access::store)
            races.write(s, sameValue);
        else
            races.atomic(s, writes);
    }
}

#endif

}  // namespace emulated
