#include "core/primitives.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/error.h"
#include "core/for_each.h"
#include "core/scratch.h"

#ifdef COALESCE_CUDA
#include "core/primitives_cub.h"
#endif

namespace coalesce {

namespace {

// ---- CPU: radix sort and scan over fixed chunks ----

constexpr int64_t kSortChunk = 16384;
constexpr int kDigitBits = 11;  // 2048 counters fit in the L1 cache
constexpr int kDigits = 1 << kDigitBits;

// Least significant digit first: per chunk a histogram, a scan over (digit, chunk), a stable scatter.
template <class Key>
void sortPairsCpu(Exec& exec, View<Key> keys, View<uint32_t> values, int bits) {
    const auto n = int64_t(keys.size);
    const int64_t chunks = (n + kSortChunk - 1) / kSortChunk;
    Scratch::Scope scratch(exec);
    View<Key> keysFrom = keys, keysTo = scratch.take<Key>("sort.keys", keys.size);
    View<uint32_t> valuesFrom = values, valuesTo = scratch.take<uint32_t>("sort.values", keys.size);
    const View<uint32_t> counts = scratch.take<uint32_t>("sort.counts", chunks * kDigits);

    for (int shift = 0; shift < bits; shift += kDigitBits) {
        const auto digitOf = [shift](Key key) { return uint32_t(key >> shift) & (kDigits - 1); };
        exec.parallelFor(n, kSortChunk, [&](int64_t begin, int64_t end) {
            uint32_t* count = counts.data + begin / kSortChunk * kDigits;
            std::fill(count, count + kDigits, 0u);
            for (int64_t i = begin; i < end; ++i) ++count[digitOf(keysFrom.data[i])];
        });
        uint32_t sum = 0;
        for (int digit = 0; digit < kDigits; ++digit)
            for (int64_t c = 0; c < chunks; ++c) {
                uint32_t& count = counts.data[c * kDigits + digit];
                const uint32_t here = count;
                count = sum;
                sum += here;
            }
        exec.parallelFor(n, kSortChunk, [&](int64_t begin, int64_t end) {
            uint32_t* next = counts.data + begin / kSortChunk * kDigits;
            for (int64_t i = begin; i < end; ++i) {
                const uint32_t to = next[digitOf(keysFrom.data[i])]++;
                keysTo.data[to] = keysFrom.data[i];
                valuesTo.data[to] = valuesFrom.data[i];
            }
        });
        std::swap(keysFrom, keysTo);
        std::swap(valuesFrom, valuesTo);
    }
    if (keysFrom.data != keys.data) {
        exec.copyWithin(keys.data, keysFrom.data, n * sizeof(Key));
        exec.copyWithin(values.data, valuesFrom.data, n * sizeof(uint32_t));
    }
}

void exclusiveScanCpu(Exec& exec, View<const uint32_t> in, View<uint32_t> out) {
    constexpr int64_t kScanChunk = 32768;
    const auto n = int64_t(in.size);
    std::vector<uint32_t> sums((n + kScanChunk - 1) / kScanChunk);
    exec.parallelFor(n, kScanChunk, [&](int64_t begin, int64_t end) {
        uint32_t sum = 0;
        for (int64_t i = begin; i < end; ++i) sum += in.data[i];
        sums[begin / kScanChunk] = sum;
    });
    uint32_t total = 0;
    for (uint32_t& s : sums) {
        const uint32_t here = s;
        s = total;
        total += here;
    }
    exec.parallelFor(n, kScanChunk, [&](int64_t begin, int64_t end) {
        uint32_t sum = sums[begin / kScanChunk];
        for (int64_t i = begin; i < end; ++i) {
            out.data[i] = sum;
            sum += in.data[i];
        }
    });
    out.data[n] = total;
}

template <class Key>
void sortPairsOf(Exec& exec, const char* name, View<Key> keys, View<uint32_t> values, int bits) {
    CHECK_EQ(keys.size, values.size);
    CHECK_LE(bits, int(sizeof(Key) * 8));
    if (keys.size < 2 || bits == 0) return;
    Exec::Timer timer(exec, name);
#ifdef COALESCE_CUDA
    if (exec.onCuda()) return cub_side::sortPairs(exec, keys, values, bits);
#endif
    sortPairsCpu(exec, keys, values, bits);
}

// ---- reductions: over a fixed tree, the same on both backends ----

struct Sum {
    template <class T>
    HD T operator()(T a, T b) const {
        return a + b;
    }
    template <class T>
    static T identity() {
        return T(0);
    }
};
struct Min {
    template <class T>
    HD T operator()(T a, T b) const {
        return b < a ? b : a;
    }
    template <class T>
    static T identity() {
        return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                    : std::numeric_limits<T>::max();
    }
};
constexpr int kTree = 1024;  // elements of one tree

#ifdef __CUDACC__
template <class T, class Op>
__global__ void __launch_bounds__(kTree / 2) reduceKernel(const T* in, int64_t n, T identity, Op op, T* out) {
    __shared__ T values[kTree];
    const int64_t first = int64_t{blockIdx.x} * kTree;
    for (int t = threadIdx.x; t < kTree; t += kTree / 2) values[t] = first + t < n ? in[first + t] : identity;
    __syncthreads();
    for (int half = kTree / 2; half > 0; half /= 2) {
        if (int(threadIdx.x) < half)
            values[threadIdx.x] = op(values[threadIdx.x], values[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = values[0];
}
#endif

template <class T, class Op>
void reduceLevel(Exec& exec, const char* name, View<const T> in, View<T> out, Op op) {
    const auto n = int64_t(in.size);
    const T identity = Op::template identity<T>();
    Exec::Timer timer(exec, name);
#ifdef __CUDACC__
    if (exec.onCuda()) {
        reduceKernel<<<unsigned(out.size), kTree / 2, 0, cudaStream_t(exec.stream())>>>(in.data, n, identity,
                                                                                        op, out.data);
        cudaCheckLaunch(exec, name);
        return;
    }
#endif
    exec.parallelFor(int64_t(out.size), 16, [&](int64_t begin, int64_t end) {
        T values[kTree];
        for (int64_t block = begin; block < end; ++block) {
            const int64_t first = block * kTree, count = std::min<int64_t>(kTree, n - first);
            for (int64_t t = 0; t < kTree; ++t) values[t] = t < count ? in.data[first + t] : identity;
            for (int half = kTree / 2; half > 0; half /= 2)
                for (int t = 0; t < half; ++t) values[t] = op(values[t], values[t + half]);
            out.data[block] = values[0];
        }
    });
}

template <class T, class Op>
void reduceOf(Exec& exec, const char* name, View<const T> in, View<T> result, Op op) {
    Scratch::Scope scratch(exec);
    View<const T> level = in;
    while (level.size > kTree) {
        const View<T> next = scratch.take<T>("reduce.level", (level.size + kTree - 1) / kTree);
        reduceLevel(exec, name, level, next, op);
        level = next;
    }
    reduceLevel(exec, name, level, result.subview(0, 1), op);
}

// ---- runs, compaction, gather ----

struct MarkRunStarts {
    View<const uint64_t> in;
    View<uint32_t> isStart;  // written
    HD void operator()(int i) const { isStart[i] = i == 0 || in[i] != in[i - 1]; }
};

struct WriteRuns {
    View<const uint64_t> in;
    View<const uint32_t> startsBefore;    // exclusive scan of the marks, and their number
    View<uint32_t> runOf, starts, count;  // written
    View<uint64_t> keys;                  // written
    HD void operator()(int i) const {
        const uint32_t run = startsBefore[i + 1] - 1;
        runOf[i] = run;
        if (startsBefore[i] <= run) {
            keys[run] = in[i];
            starts[run] = uint32_t(i);
        }
        if (i + 1 == int(in.size)) {
            starts[run + 1] = uint32_t(in.size);
            count[0] = run + 1;
        }
    }
};

struct WriteKept {
    View<const uint32_t> keep, before;
    View<uint32_t> indices, count;  // written
    HD void operator()(int i) const {
        if (keep[i]) indices[before[i]] = uint32_t(i);
        if (i + 1 == int(keep.size)) count[0] = before[i] + (keep[i] ? 1 : 0);
    }
};

struct ToFlag {
    View<const uint32_t> in;
    View<uint32_t> out;  // written
    HD void operator()(int i) const { out[i] = in[i] != 0; }
};

template <class T>
struct Gather {
    View<const T> in;
    View<const uint32_t> from;
    View<T> out;  // written
    HD void operator()(int i) const { out[i] = in[from[i]]; }
};

template <class T>
struct Scatter {
    View<const T> in;
    View<const uint32_t> to;
    View<T> out;  // written
    HD void operator()(int i) const { out[to[i]] = in[i]; }
};

struct CopyArrays {
    static constexpr size_t kMost = 16;
    ArrayCopy copies[kMost];
    int count;

    // the i-th 16 bytes of each array, or what is left there
    HD void operator()(int i) const {
        const size_t begin = size_t(i) * sizeof(Vec4);
        for (int k = 0; k < count; ++k) {
            const ArrayCopy& copy = copies[k];
            const char* from = static_cast<const char*>(copy.from) + begin;
            char* to = static_cast<char*>(copy.to) + begin;
            if (begin + sizeof(Vec4) <= copy.bytes)
                *reinterpret_cast<Vec4*>(to) = *reinterpret_cast<const Vec4*>(from);
            else
                for (size_t rest = begin; rest < copy.bytes; ++rest) *to++ = *from++;
        }
    }
};

}  // namespace

void sortPairs(Exec& exec, const char* name, View<uint32_t> keys, View<uint32_t> values, int bits) {
    sortPairsOf(exec, name, keys, values, bits);
}
void sortPairs(Exec& exec, const char* name, View<uint64_t> keys, View<uint32_t> values, int bits) {
    sortPairsOf(exec, name, keys, values, bits);
}

void exclusiveScan(Exec& exec, const char* name, View<const uint32_t> in, View<uint32_t> out) {
    CHECK_EQ(in.size + 1, out.size);
    Exec::Timer timer(exec, name);
#ifdef COALESCE_CUDA
    if (exec.onCuda()) return cub_side::exclusiveScan(exec, in, out);
#endif
    exclusiveScanCpu(exec, in, out);
}

void reduceSum(Exec& e, const char* name, View<const float> in, View<float> r) {
    reduceOf(e, name, in, r, Sum{});
}
void reduceSum(Exec& e, const char* name, View<const double> in, View<double> r) {
    reduceOf(e, name, in, r, Sum{});
}
void reduceSum(Exec& e, const char* name, View<const uint64_t> in, View<uint64_t> r) {
    reduceOf(e, name, in, r, Sum{});
}
void reduceMin(Exec& e, const char* name, View<const float> in, View<float> r) {
    reduceOf(e, name, in, r, Min{});
}
void reduceMin(Exec& e, const char* name, View<const int32_t> in, View<int32_t> r) {
    reduceOf(e, name, in, r, Min{});
}

namespace {

void countRunsBefore(Exec& exec, const char* name, View<const uint64_t> in, View<uint32_t> before) {
#ifdef COALESCE_CUDA
    if (exec.onCuda()) {
        Exec::Timer timer(exec, name);
        return cub_side::countRunsBefore(exec, in, before);
    }
#endif
    Scratch::Scope scratch(exec);
    const View<uint32_t> isStart = scratch.take<uint32_t>("runs.isStart", in.size);
    forEach(exec, name, in.size, MarkRunStarts{in, isStart});
    exclusiveScan(exec, name, isStart, before);
}

}  // namespace

void runLengthEncode(Exec& exec, const char* name, View<const uint64_t> in, View<uint32_t> runOf,
                     View<uint64_t> keys, View<uint32_t> starts, View<uint32_t> count) {
    const size_t n = in.size;
    if (n == 0) {
        exec.fillBytes(count.data, 0, sizeof(uint32_t));
        exec.fillBytes(starts.data, 0, sizeof(uint32_t));
        return;
    }
    Scratch::Scope scratch(exec);
    const View<uint32_t> before = scratch.take<uint32_t>("runs.before", n + 1);
    countRunsBefore(exec, name, in, before);
    forEach(exec, name, n, WriteRuns{in, before, runOf, starts, count, keys});
}

void compact(Exec& exec, const char* name, View<const uint32_t> keep, View<uint32_t> indices,
             View<uint32_t> count) {
    const size_t n = keep.size;
    if (n == 0) return exec.fillBytes(count.data, 0, sizeof(uint32_t));
#ifdef COALESCE_CUDA
    if (exec.onCuda()) {
        Exec::Timer timer(exec, name);
        return cub_side::compact(exec, keep, indices, count);
    }
#endif
    Scratch::Scope scratch(exec);
    const View<uint32_t> flags = scratch.take<uint32_t>("compact.flags", n);
    const View<uint32_t> before = scratch.take<uint32_t>("compact.before", n + 1);
    forEach(exec, name, n, ToFlag{keep, flags});
    exclusiveScan(exec, name, flags, before);
    forEach(exec, name, n, WriteKept{keep, before, indices, count});
}

template <class T>
void gather(Exec& exec, const char* name, View<const T> in, View<const uint32_t> from, View<T> out) {
    forEach(exec, name, from.size, Gather<T>{in, from, out});
}
template <class T>
void scatter(Exec& exec, const char* name, View<const T> in, View<const uint32_t> to, View<T> out) {
    forEach(exec, name, to.size, Scatter<T>{in, to, out});
}

std::vector<ArraySet> arraySets(std::span<const ArrayPair> pairs) {
    std::vector<ArraySet> sets;
    for (const size_t bytes : {sizeof(Vec4), sizeof(uint32_t)})
        for (const ArrayPair& pair : pairs) {
            CHECK(pair.bytes == sizeof(Vec4) || pair.bytes == sizeof(uint32_t));
            if (pair.bytes != bytes) continue;
            if (sets.empty() || sets.back().count == ArraySet::kMost) sets.emplace_back();
            ArraySet& set = sets.back();
            set.arrays[set.count++] = {pair.from, pair.to};
            if (bytes == sizeof(Vec4)) set.wide = set.count;
        }
    return sets;
}

void gatherArrays(Exec& exec, const char* name, View<const uint32_t> source,
                  std::span<const ArrayPair> pairs) {
    for (const ArraySet& set : arraySets(pairs)) forEach(exec, name, source.size, GatherArrays{source, set});
}

void copyArrays(Exec& exec, const char* name, std::span<const ArrayCopy> copies) {
    for (; !copies.empty(); copies = copies.subspan(std::min(copies.size(), CopyArrays::kMost))) {
        CopyArrays next{.copies = {}, .count = int(std::min(copies.size(), CopyArrays::kMost))};
        size_t most = 0;
        for (int k = 0; k < next.count; ++k) {
            next.copies[k] = copies[size_t(k)];
            most = std::max(most, copies[size_t(k)].bytes);
        }
        if (exec.onCuda()) {
            forEach(exec, name, (most + sizeof(Vec4) - 1) / sizeof(Vec4), next);
            continue;
        }
        const Exec::Timer timer(exec, name);  // both backends have the same launches
        for (int k = 0; k < next.count; ++k)
            exec.copyWithin(next.copies[k].to, next.copies[k].from, next.copies[k].bytes);
    }
}

#define INSTANTIATE(T)                                                                         \
    template void gather<T>(Exec&, const char*, View<const T>, View<const uint32_t>, View<T>); \
    template void scatter<T>(Exec&, const char*, View<const T>, View<const uint32_t>, View<T>);
INSTANTIATE(uint32_t)
INSTANTIATE(float)
INSTANTIATE(uint64_t)
INSTANTIATE(Vec4)
#undef INSTANTIATE

}  // namespace coalesce
