// What translated kernels call: memory accesses, atomics, barriers and warp operations of one device thread.
//
// One host thread runs all device threads. Threads of kernels without barriers run one after the other; those
// of a block that wait for each other are fibers (launch.cpp).
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "arithmetic.h"

namespace emulated {

// One device thread; grids and blocks have one dimension.
struct Thread {
    uint32_t tid, ntid, ctaid, nctaid;  // thread in block, block size, block in grid, grid size
    const uint8_t* params;
    uint8_t* shared;
    uint32_t sharedBytes;
    uint32_t index;  // in the launch
};

struct Parameter {
    uint32_t offset, bytes;
};
struct Kernel {
    const char* name;  // mangled
    void (*run)(const Thread&);
    uint32_t paramBytes, sharedBytes;
    uint32_t maxThreads;  // of __launch_bounds__; 0: none
    bool fibers;          // has barriers or warp operations
    std::vector<Parameter> params;
};
// Made by each translated file as it is loaded.
struct Registrar {
    Registrar(const Kernel* kernels, size_t count);
};

// Device address d is stored at host address d + kAlias, and d itself is never mapped: a host that
// dereferences a device pointer faults, and so does a kernel that dereferences a host pointer.
constexpr uint64_t kHeap = 0x100000000000, kHeapBytes = 0x4000000000, kAlias = 0x080000000000;

// Mode counted (counts.cpp): COUNT stands before every instruction, COUNTER at the start of a thread. A
// predicated instruction counts also where its condition is false.
enum class Traffic { load, store, atomic };
#ifdef EMULATE_COUNTED
struct InstructionCounter {
    uint64_t n = 0;
    ~InstructionCounter();
};
void countAccess(const Thread& c, Traffic kind, uint64_t address, uint32_t bytes, uint32_t line);
#define COUNTER InstructionCounter executed
#define COUNT ++executed.n
#define COUNT_ACCESS(kind, bytes) countAccess(c, Traffic::kind, a, bytes, line)
#define LINE , uint32_t line = __builtin_LINE()  // of the call: tells the accesses of a kernel apart
#else
#define COUNTER
#define COUNT
#define COUNT_ACCESS(kind, bytes)
#define LINE
#endif

template <class T>
inline T readParam(const uint8_t* p) {
    T t;
    std::memcpy(&t, p, sizeof t);
    return t;
}
template <class T, int N>
struct Pack {  // of a vector access
    T v[N];
};

// ---- global and shared memory ----

enum class Access { load, store, atomic, relaxedLoad, relaxedStore };
// Alignment, initialization and races of one access (access_check.cpp). stored: the bytes to be stored, or
// null.
void checkAccess(const Thread& c, uint64_t address, uint32_t bytes, Access access, const void* stored);
[[noreturn]] void badAccess(const Thread& c, const char* what, uint64_t address, uint32_t bytes);

template <class T, int N, bool relaxed>
inline Pack<T, N> loadGlobal(const Thread& c, uint64_t a LINE) {
#ifdef EMULATE_CHECKED
    checkAccess(c, a, sizeof(T) * N, relaxed ? Access::relaxedLoad : Access::load, nullptr);
#endif
    COUNT_ACCESS(load, sizeof(T) * N);
    Pack<T, N> p;
    std::memcpy(&p, reinterpret_cast<const void*>(a + kAlias), sizeof p);
    return p;
}
template <class T, int N, bool relaxed>
inline void storeGlobal(const Thread& c, uint64_t a, Pack<T, N> p LINE) {
#ifdef EMULATE_CHECKED
    checkAccess(c, a, sizeof(T) * N, relaxed ? Access::relaxedStore : Access::store, &p);
#endif
    COUNT_ACCESS(store, sizeof(T) * N);
    std::memcpy(reinterpret_cast<void*>(a + kAlias), &p, sizeof p);
}
template <class T, int N, bool relaxed>
inline Pack<T, N> loadShared(const Thread& c, uint32_t a) {
    if (a + sizeof(T) * N > c.sharedBytes || a % (sizeof(T) * N))
        badAccess(c, "shared load", a, sizeof(T) * N);
    Pack<T, N> p;
    std::memcpy(&p, c.shared + a, sizeof p);
    return p;
}
template <class T, int N, bool relaxed>
inline void storeShared(const Thread& c, uint32_t a, Pack<T, N> p) {
    if (a + sizeof(T) * N > c.sharedBytes || a % (sizeof(T) * N))
        badAccess(c, "shared store", a, sizeof(T) * N);
    std::memcpy(c.shared + a, &p, sizeof p);
}

enum class Atomic { add, or_, and_, xor_, min, max, exch };
template <class T>
inline T combined(Atomic operation, T a, T b) {
    switch (operation) {
        case Atomic::add:
            return T(a + b);
        case Atomic::or_:
            return T(a | b);
        case Atomic::and_:
            return T(a & b);
        case Atomic::xor_:
            return T(a ^ b);
        case Atomic::min:
            return b < a ? b : a;
        case Atomic::max:
            return a < b ? b : a;
        default:
            return b;
    }
}
template <class T>
inline T atomicGlobal(const Thread& c, uint64_t a, Atomic operation, T b LINE) {
#ifdef EMULATE_CHECKED
    checkAccess(c, a, sizeof(T), Access::atomic, nullptr);
#endif
    COUNT_ACCESS(atomic, sizeof(T));
    void* place = reinterpret_cast<void*>(a + kAlias);
    T old;
    std::memcpy(&old, place, sizeof old);
    const T now = combined(operation, old, b);
    std::memcpy(place, &now, sizeof now);
    return old;
}
template <class T>
inline T atomicShared(const Thread& c, uint32_t a, Atomic operation, T b) {
    const T old = loadShared<T, 1, true>(c, a).v[0];
    storeShared<T, 1, true>(c, a, {{combined(operation, old, b)}});
    return old;
}

// ---- waiting for other threads ----

// bar.sync and bar.red.or: waits for all threads of the block; true when `mine` was true of any.
bool blockBarrier(bool mine);
struct WarpValues {
    uint32_t mask;       // lanes that took part
    uint32_t value[32];  // of those lanes
};
// Waits for the lanes of `mask` and gives the values that they brought.
const WarpValues& exchangeInWarp(uint32_t mine, uint32_t mask);
// nanosleep: lets the other threads of the block run.
void yieldThread();

inline uint32_t voteBallot(const WarpValues& v) {
    uint32_t set = 0;
    for (int k = 0; k < 32; ++k)
        if (v.mask >> k & 1 && v.value[k]) set |= 1u << k;
    return set;
}
inline bool voteAny(const WarpValues& v) {
    return voteBallot(v) != 0;
}
inline bool voteAll(const WarpValues& v) {
    return voteBallot(v) == v.mask;
}

// shfl.sync: the value of another lane of the segment, and whether that lane exists. b: distance or lane;
// c: clamp in bits 0-4, mask of the segment in bits 8-12.  [PTX ISA, shfl.sync]
struct Shuffled {
    uint32_t value;
    bool inside;
};
struct Segment {
    uint32_t mask, clamp, top;
    Segment(uint32_t lane, uint32_t c)
        : mask(c >> 8 & 31), clamp(c & 31), top((lane & mask) | (clamp & ~mask & 31)) {}
};
inline Shuffled shuffled(const WarpValues& v, uint32_t lane, uint32_t from, bool inside) {
    return {v.value[(inside ? from : lane) & 31], inside};
}
inline Shuffled shuffle_up(const WarpValues& v, uint32_t lane, uint32_t b, uint32_t c) {
    const int from = int(lane) - int(b & 31);
    return shuffled(v, lane, uint32_t(from), from >= int(Segment(lane, c).top));
}
inline Shuffled shuffle_down(const WarpValues& v, uint32_t lane, uint32_t b, uint32_t c) {
    const uint32_t from = lane + (b & 31);
    return shuffled(v, lane, from, from <= Segment(lane, c).top);
}
inline Shuffled shuffle_idx(const WarpValues& v, uint32_t lane, uint32_t b, uint32_t c) {
    const Segment s(lane, c);
    const uint32_t from = (lane & s.mask) | (b & 31 & ~s.mask);
    return shuffled(v, lane, from, from <= s.top);
}
inline Shuffled shuffle_bfly(const WarpValues& v, uint32_t lane, uint32_t b, uint32_t c) {
    const uint32_t from = lane ^ (b & 31);
    return shuffled(v, lane, from, from <= Segment(lane, c).top);
}

}  // namespace emulated
