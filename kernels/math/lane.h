// SIMD on the CPU: sixteen particles per call of a kernel that is written once for both backends.
//
// A kernel written as `template <class I> void operator()(I i)` is called with I = int on CUDA, and with
// I = LaneIndex (particles first .. first + 15) on the CPU. Each lane executes the operations of the scalar
// code in the same order, correctly rounded: the results are equal bit for bit.
//
// Implemented with GCC vector extensions, which clang supports too; with AVX2, but without AVX-512, by two
// registers, because GCC compares vectors wider than a register element by element and keeps them in memory.
// CUDA's device pass does not support vector types, so there the same names are only declared, for code that
// is never emitted.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/math/hd.h"

#if !defined(__CUDA_ARCH__) && (defined(__AVX512F__) || (defined(__AVX2__) && defined(__FMA__)))
#include <immintrin.h>
#ifndef __AVX512F__
#define COALESCE_AVX2
#endif
#endif

namespace coalesce {

constexpr int kLanes = 16;

// The particles first .. first + 15; first is a multiple of 16.
struct LaneIndex {
    int first;
};

#ifndef __CUDA_ARCH__

#define LANE inline __attribute__((always_inline))

#ifdef COALESCE_AVX2

// Sixteen numbers in two registers; may_alias: they are read and written as numbers, and arrays of numbers as these.
typedef int32_t AliasedInt __attribute__((may_alias));
typedef float AliasedFloat __attribute__((may_alias));

struct [[gnu::may_alias]] alignas(64) IntHalves {
    __m256i low, high;

    LANE AliasedInt& operator[](int lane) { return reinterpret_cast<AliasedInt*>(this)[lane]; }
    LANE int32_t operator[](int lane) const { return reinterpret_cast<const AliasedInt*>(this)[lane]; }
};
struct [[gnu::may_alias]] alignas(64) FloatHalves {
    __m256 low, high;

    LANE AliasedFloat& operator[](int lane) { return reinterpret_cast<AliasedFloat*>(this)[lane]; }
    LANE float operator[](int lane) const { return reinterpret_cast<const AliasedFloat*>(this)[lane]; }
};

struct LaneInt {
    typedef IntHalves Bits;
    Bits bits;

    LaneInt() = default;
    LANE LaneInt(Bits b) : bits(b) {}
    LANE LaneInt(__m256i low, __m256i high) : bits{low, high} {}
    LANE LaneInt(int32_t value) : bits{_mm256_set1_epi32(value), _mm256_set1_epi32(value)} {}

    friend LANE LaneInt operator+(LaneInt a, LaneInt b) {
        return {_mm256_add_epi32(a.bits.low, b.bits.low), _mm256_add_epi32(a.bits.high, b.bits.high)};
    }
    friend LANE LaneInt operator-(LaneInt a, LaneInt b) {
        return {_mm256_sub_epi32(a.bits.low, b.bits.low), _mm256_sub_epi32(a.bits.high, b.bits.high)};
    }
    friend LANE LaneInt operator>>(LaneInt a, int shift) {
        return {_mm256_srai_epi32(a.bits.low, shift), _mm256_srai_epi32(a.bits.high, shift)};
    }
};

// Comparison results: all bits set where true.
struct LaneMask {
    LaneInt::Bits bits;
    friend LANE LaneMask operator&(LaneMask a, LaneMask b) {
        return {{_mm256_and_si256(a.bits.low, b.bits.low), _mm256_and_si256(a.bits.high, b.bits.high)}};
    }
    friend LANE LaneMask operator|(LaneMask a, LaneMask b) {
        return {{_mm256_or_si256(a.bits.low, b.bits.low), _mm256_or_si256(a.bits.high, b.bits.high)}};
    }
};

struct LaneFloat {
    typedef FloatHalves Bits;
    Bits bits;

    LaneFloat() = default;
    LANE LaneFloat(Bits b) : bits(b) {}
    LANE LaneFloat(__m256 low, __m256 high) : bits{low, high} {}
    LANE LaneFloat(float value) : bits{_mm256_set1_ps(value), _mm256_set1_ps(value)} {}

    friend LANE LaneFloat operator+(LaneFloat a, LaneFloat b) {
        return {a.bits.low + b.bits.low, a.bits.high + b.bits.high};
    }
    friend LANE LaneFloat operator-(LaneFloat a, LaneFloat b) {
        return {a.bits.low - b.bits.low, a.bits.high - b.bits.high};
    }
    friend LANE LaneFloat operator*(LaneFloat a, LaneFloat b) {
        return {a.bits.low * b.bits.low, a.bits.high * b.bits.high};
    }
    friend LANE LaneFloat operator/(LaneFloat a, LaneFloat b) {
        return {a.bits.low / b.bits.low, a.bits.high / b.bits.high};
    }
    friend LANE LaneFloat operator-(LaneFloat a) { return {-a.bits.low, -a.bits.high}; }
    friend LANE LaneMask operator<(LaneFloat a, LaneFloat b) {
        return {{_mm256_castps_si256(_mm256_cmp_ps(a.bits.low, b.bits.low, _CMP_LT_OQ)),
                 _mm256_castps_si256(_mm256_cmp_ps(a.bits.high, b.bits.high, _CMP_LT_OQ))}};
    }
    friend LANE LaneMask operator>(LaneFloat a, LaneFloat b) { return b < a; }
    LANE LaneFloat& operator+=(LaneFloat b) { return *this = *this + b; }
    LANE LaneFloat& operator-=(LaneFloat b) { return *this = *this - b; }
    LANE LaneFloat& operator*=(LaneFloat b) { return *this = *this * b; }
};

LANE LaneMask operator<(LaneInt a, LaneInt b) {
    return {{_mm256_cmpgt_epi32(b.bits.low, a.bits.low), _mm256_cmpgt_epi32(b.bits.high, a.bits.high)}};
}
LANE LaneMask operator<(int a, LaneInt b) {
    return LaneInt(a) < b;
}
LANE LaneMask operator==(LaneInt a, LaneInt b) {
    return {{_mm256_cmpeq_epi32(a.bits.low, b.bits.low), _mm256_cmpeq_epi32(a.bits.high, b.bits.high)}};
}

// first, first + 1, …
LANE LaneInt numbersFrom(int first) {
    return LaneInt(first) + LaneInt(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
                                    _mm256_setr_epi32(8, 9, 10, 11, 12, 13, 14, 15));
}

// Lanes whose particle is stored before j.
LANE LaneMask isBefore(LaneIndex i, LaneInt j) {
    return numbersFrom(i.first) < j;
}

LANE LaneFloat select(LaneMask m, LaneFloat a, LaneFloat b) {
    return {_mm256_blendv_ps(b.bits.low, a.bits.low, _mm256_castsi256_ps(m.bits.low)),
            _mm256_blendv_ps(b.bits.high, a.bits.high, _mm256_castsi256_ps(m.bits.high))};
}
LANE LaneInt select(LaneMask m, LaneInt a, LaneInt b) {
    return {_mm256_blendv_epi8(b.bits.low, a.bits.low, m.bits.low),
            _mm256_blendv_epi8(b.bits.high, a.bits.high, m.bits.high)};
}

LANE bool any(LaneMask m) {
    const __m256i set = _mm256_or_si256(m.bits.low, m.bits.high);
    return _mm256_testz_si256(set, set) == 0;
}

// a b + c with one rounding, as fmaf
LANE LaneFloat fma(LaneFloat a, LaneFloat b, LaneFloat c) {
    return {_mm256_fmadd_ps(a.bits.low, b.bits.low, c.bits.low),
            _mm256_fmadd_ps(a.bits.high, b.bits.high, c.bits.high)};
}

LANE LaneFloat sqrt(LaneFloat a) {
    return {_mm256_sqrt_ps(a.bits.low), _mm256_sqrt_ps(a.bits.high)};
}

LANE LaneInt asInt(LaneFloat a) {
    return {_mm256_castps_si256(a.bits.low), _mm256_castps_si256(a.bits.high)};
}
LANE LaneFloat asFloat(LaneInt a) {
    return {_mm256_castsi256_ps(a.bits.low), _mm256_castsi256_ps(a.bits.high)};
}
LANE LaneFloat toFloat(LaneInt a) {
    return {_mm256_cvtepi32_ps(a.bits.low), _mm256_cvtepi32_ps(a.bits.high)};
}

#else

struct LaneInt {
    typedef int32_t Bits __attribute__((vector_size(4 * kLanes)));
    Bits bits;

    LaneInt() = default;
    LANE LaneInt(Bits b) : bits(b) {}
    LANE LaneInt(int32_t value) : bits(value - Bits{}) {}

    friend LANE LaneInt operator+(LaneInt a, LaneInt b) { return LaneInt(a.bits + b.bits); }
    friend LANE LaneInt operator-(LaneInt a, LaneInt b) { return LaneInt(a.bits - b.bits); }
    friend LANE LaneInt operator>>(LaneInt a, int shift) { return LaneInt(a.bits >> shift); }
};

// Comparison results: all bits set where true.
struct LaneMask {
    LaneInt::Bits bits;
    friend LANE LaneMask operator&(LaneMask a, LaneMask b) { return {a.bits & b.bits}; }
    friend LANE LaneMask operator|(LaneMask a, LaneMask b) { return {a.bits | b.bits}; }
};

struct LaneFloat {
    typedef float Bits __attribute__((vector_size(4 * kLanes)));
    Bits bits;

    LaneFloat() = default;
    LANE LaneFloat(Bits b) : bits(b) {}
    LANE LaneFloat(float value) : bits(value - Bits{}) {}

    friend LANE LaneFloat operator+(LaneFloat a, LaneFloat b) { return LaneFloat(a.bits + b.bits); }
    friend LANE LaneFloat operator-(LaneFloat a, LaneFloat b) { return LaneFloat(a.bits - b.bits); }
    friend LANE LaneFloat operator*(LaneFloat a, LaneFloat b) { return LaneFloat(a.bits * b.bits); }
    friend LANE LaneFloat operator/(LaneFloat a, LaneFloat b) { return LaneFloat(a.bits / b.bits); }
    friend LANE LaneFloat operator-(LaneFloat a) { return LaneFloat(-a.bits); }
    friend LANE LaneMask operator<(LaneFloat a, LaneFloat b) { return {a.bits < b.bits}; }
    friend LANE LaneMask operator>(LaneFloat a, LaneFloat b) { return {a.bits > b.bits}; }
    LANE LaneFloat& operator+=(LaneFloat b) { return bits += b.bits, *this; }
    LANE LaneFloat& operator-=(LaneFloat b) { return bits -= b.bits, *this; }
    LANE LaneFloat& operator*=(LaneFloat b) { return bits *= b.bits, *this; }
};

LANE LaneMask operator<(int a, LaneInt b) {
    return {LaneInt(a).bits < b.bits};
}
LANE LaneMask operator==(LaneInt a, LaneInt b) {
    return {a.bits == b.bits};
}

// Lanes whose particle is stored before j.
LANE LaneMask isBefore(LaneIndex i, LaneInt j) {
    constexpr LaneInt::Bits lanes{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return {lanes + i.first < j.bits};
}

LANE LaneFloat select(LaneMask m, LaneFloat a, LaneFloat b) {
    return LaneFloat(m.bits ? a.bits : b.bits);
}
LANE LaneInt select(LaneMask m, LaneInt a, LaneInt b) {
    return LaneInt(m.bits ? a.bits : b.bits);
}

LANE bool any(LaneMask m) {
#if defined(__AVX512F__)
    return _mm512_test_epi32_mask((__m512i)m.bits, (__m512i)m.bits) != 0;
#else
    int32_t set = 0;
    for (int lane = 0; lane < kLanes; ++lane) set |= m.bits[lane];
    return set != 0;
#endif
}

// a b + c with one rounding, as fmaf
LANE LaneFloat fma(LaneFloat a, LaneFloat b, LaneFloat c) {
#if defined(__AVX512F__)
    return LaneFloat((LaneFloat::Bits)_mm512_fmadd_ps((__m512)a.bits, (__m512)b.bits, (__m512)c.bits));
#else
    LaneFloat r;
    for (int lane = 0; lane < kLanes; ++lane)
        r.bits[lane] = __builtin_fmaf(a.bits[lane], b.bits[lane], c.bits[lane]);
    return r;
#endif
}

LANE LaneFloat sqrt(LaneFloat a) {
#if defined(__AVX512F__)
    return LaneFloat((LaneFloat::Bits)_mm512_maskz_sqrt_ps(0xffff, (__m512)a.bits));
#else
    LaneFloat r;
    for (int lane = 0; lane < kLanes; ++lane) r.bits[lane] = __builtin_sqrtf(a.bits[lane]);
    return r;
#endif
}

LANE LaneInt asInt(LaneFloat a) {
    return LaneInt((LaneInt::Bits)a.bits);
}
LANE LaneFloat asFloat(LaneInt a) {
    return LaneFloat((LaneFloat::Bits)a.bits);
}
LANE LaneFloat toFloat(LaneInt a) {
    return LaneFloat(__builtin_convertvector(a.bits, LaneFloat::Bits));
}

#endif

// Sixteen consecutive elements; the address is a multiple of 64 bytes.
LANE LaneFloat load(const float* p, LaneIndex i) {
    return LaneFloat(*(const LaneFloat::Bits*)(p + i.first));
}
LANE LaneInt load(const int32_t* p, LaneIndex i) {
    return LaneInt(*(const LaneInt::Bits*)(p + i.first));
}
LANE LaneInt load(const uint32_t* p, LaneIndex i) {
    return LaneInt(*(const LaneInt::Bits*)(p + i.first));
}
LANE void store(float* p, LaneIndex i, LaneFloat a) {
    *(LaneFloat::Bits*)(p + i.first) = a.bits;
}
LANE void store(int32_t* p, LaneIndex i, LaneInt a) {
    *(LaneInt::Bits*)(p + i.first) = a.bits;
}

// Sixteen consecutive elements from any address.
LANE LaneFloat loadFrom(const float* p) {
#ifdef COALESCE_AVX2
    return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)};
#else
    typedef LaneFloat::Bits Unaligned __attribute__((aligned(4)));
    return LaneFloat(*(const Unaligned*)p);
#endif
}

// Bit `lane` is set where the mask is true.
LANE uint32_t bitsOf(LaneMask m) {
#if defined(__AVX512F__)
    return _mm512_test_epi32_mask((__m512i)m.bits, (__m512i)m.bits);
#elif defined(COALESCE_AVX2)
    return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(m.bits.low)) |
                                 _mm256_movemask_ps(_mm256_castsi256_ps(m.bits.high)) << 8);
#else
    uint32_t set = 0;
    for (int lane = 0; lane < kLanes; ++lane) set |= (m.bits[lane] & 1u) << lane;
    return set;
#endif
}

// Gathers sixteen elements.
#ifdef COALESCE_AVX2
LANE LaneInt load(const int32_t* p, LaneInt j) {
    return {_mm256_i32gather_epi32(p, j.bits.low, 4), _mm256_i32gather_epi32(p, j.bits.high, 4)};
}
LANE LaneFloat load(const float* p, LaneInt j) {
    return {_mm256_i32gather_ps(p, j.bits.low, 4), _mm256_i32gather_ps(p, j.bits.high, 4)};
}
#else
LANE LaneFloat load(const float* p, LaneInt j) {
    LaneFloat r;
    for (int lane = 0; lane < kLanes; ++lane) r.bits[lane] = p[j.bits[lane]];
    return r;
}
LANE LaneInt load(const int32_t* p, LaneInt j) {
    LaneInt r;
    for (int lane = 0; lane < kLanes; ++lane) r.bits[lane] = p[j.bits[lane]];
    return r;
}
#endif
LANE LaneInt load(const uint32_t* p, LaneInt j) {
    return load((const int32_t*)p, j);
}

#ifdef COALESCE_AVX2
// The places of the bits that are set, a byte each, from the lowest.
struct PlacesOfBits {
    uint64_t of[256];

    constexpr PlacesOfBits() : of() {
        for (unsigned bits = 0; bits < 256; ++bits)
            for (unsigned place = 0, count = 0; place < 8; ++place)
                if (bits >> place & 1) of[bits] |= uint64_t{place} << 8 * count++;
    }
};
inline constexpr PlacesOfBits kPlacesOfBits;
#endif

// Writes first + lane of every bit that is set, in order, and returns how many there are. Writes up to kLanes
// elements at `to`, those after the last are of any value.
LANE int appendSet(uint32_t bits, int first, int32_t* to) {
#if defined(__AVX512F__)
    constexpr LaneInt::Bits lanes{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(__mmask16(bits), (__m512i)(lanes + first)));
    return __builtin_popcount(bits);
#elif defined(COALESCE_AVX2)
    const auto append = [&](uint32_t half, int firstOfHalf, int32_t* at) {
        const __m256i places =
            _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<int64_t>(kPlacesOfBits.of[half])));
        _mm256_storeu_si256((__m256i*)at, _mm256_add_epi32(places, _mm256_set1_epi32(firstOfHalf)));
        return __builtin_popcount(half);
    };
    const int low = append(bits & 0xff, first, to);
    return low + append(bits >> 8, first + 8, to + low);
#else
    int count = 0;
    for (; bits != 0; bits &= bits - 1) to[count++] = first + __builtin_ctz(bits);
    return count;
#endif
}

// Sixteen numbers in memory, to be read one by one: faster than taking them out of a register.
struct LaneNumbers {
    alignas(64) int32_t of[kLanes];
    LANE LaneNumbers(LaneInt a) {
        *(LaneInt::Bits*)of = a.bits;
        asm volatile("" : "+m"(of));  // else the compiler reads the register
    }
};

// Gathers sixteen records of four floats and transposes them. `at(lane)` returns the address of a record.
template <class At>
LANE void loadFours(At at, LaneFloat& x, LaneFloat& y, LaneFloat& z, LaneFloat& w) {
#if defined(__AVX512F__)
    // rows[g] holds the records g, 4 + g, 8 + g, 12 + g in its four quarters, followed by 4x4 transposes
    __m512 rows[4];
    for (int g = 0; g < 4; ++g) {
        rows[g] = _mm512_castps128_ps512(_mm_load_ps(at(g)));
        rows[g] = _mm512_mask_broadcast_f32x4(rows[g], 0x00f0, _mm_load_ps(at(4 + g)));
        rows[g] = _mm512_mask_broadcast_f32x4(rows[g], 0x0f00, _mm_load_ps(at(8 + g)));
        rows[g] = _mm512_mask_broadcast_f32x4(rows[g], 0xf000, _mm_load_ps(at(12 + g)));
    }
    constexpr __mmask16 kAll = 0xffff;  // GCC 12 warns about the unmasked forms of these
    const __m512 xy01 = _mm512_maskz_unpacklo_ps(kAll, rows[0], rows[1]),
                 zw01 = _mm512_maskz_unpackhi_ps(kAll, rows[0], rows[1]);
    const __m512 xy23 = _mm512_maskz_unpacklo_ps(kAll, rows[2], rows[3]),
                 zw23 = _mm512_maskz_unpackhi_ps(kAll, rows[2], rows[3]);
    x = LaneFloat((LaneFloat::Bits)_mm512_shuffle_ps(xy01, xy23, 0x44));
    y = LaneFloat((LaneFloat::Bits)_mm512_shuffle_ps(xy01, xy23, 0xee));
    z = LaneFloat((LaneFloat::Bits)_mm512_shuffle_ps(zw01, zw23, 0x44));
    w = LaneFloat((LaneFloat::Bits)_mm512_shuffle_ps(zw01, zw23, 0xee));
#elif defined(COALESCE_AVX2)
    // rows[g] holds the records g and 4 + g of a half, followed by 4x4 transposes
    __m256 halves[4][2];
    for (int half = 0; half < 2; ++half) {
        __m256 rows[4];
        for (int g = 0; g < 4; ++g)
            rows[g] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(at(8 * half + g))),
                                           _mm_load_ps(at(8 * half + 4 + g)), 1);
        const __m256 xy01 = _mm256_unpacklo_ps(rows[0], rows[1]), zw01 = _mm256_unpackhi_ps(rows[0], rows[1]);
        const __m256 xy23 = _mm256_unpacklo_ps(rows[2], rows[3]), zw23 = _mm256_unpackhi_ps(rows[2], rows[3]);
        halves[0][half] = _mm256_shuffle_ps(xy01, xy23, 0x44);
        halves[1][half] = _mm256_shuffle_ps(xy01, xy23, 0xee);
        halves[2][half] = _mm256_shuffle_ps(zw01, zw23, 0x44);
        halves[3][half] = _mm256_shuffle_ps(zw01, zw23, 0xee);
    }
    x = {halves[0][0], halves[0][1]}, y = {halves[1][0], halves[1][1]};
    z = {halves[2][0], halves[2][1]}, w = {halves[3][0], halves[3][1]};
#else
    for (int lane = 0; lane < kLanes; ++lane) {
        const float* four = at(lane);
        x.bits[lane] = four[0], y.bits[lane] = four[1], z.bits[lane] = four[2], w.bits[lane] = four[3];
    }
#endif
}

#undef LANE

#else  // device pass: declarations only

struct LaneInt {
    int32_t bits[kLanes];
    HD LaneInt() {}
    HD LaneInt(int32_t) {}
};
struct LaneMask {
    int32_t bits[kLanes];
};
struct LaneFloat {
    float bits[kLanes];
    HD LaneFloat() {}
    HD LaneFloat(float) {}
    __device__ LaneFloat& operator+=(LaneFloat);
    __device__ LaneFloat& operator-=(LaneFloat);
    __device__ LaneFloat& operator*=(LaneFloat);
};
__device__ LaneInt operator+(LaneInt, LaneInt);
__device__ LaneInt operator-(LaneInt, LaneInt);
__device__ LaneInt operator>>(LaneInt, int);
__device__ LaneMask operator&(LaneMask, LaneMask);
__device__ LaneMask operator|(LaneMask, LaneMask);
__device__ LaneMask operator<(int, LaneInt);
__device__ LaneMask operator==(LaneInt, LaneInt);
__device__ LaneFloat operator+(LaneFloat, LaneFloat);
__device__ LaneFloat operator-(LaneFloat, LaneFloat);
__device__ LaneFloat operator*(LaneFloat, LaneFloat);
__device__ LaneFloat operator/(LaneFloat, LaneFloat);
__device__ LaneFloat operator-(LaneFloat);
__device__ LaneMask operator<(LaneFloat, LaneFloat);
__device__ LaneMask operator>(LaneFloat, LaneFloat);
__device__ LaneMask isBefore(LaneIndex, LaneInt);
__device__ LaneFloat select(LaneMask, LaneFloat, LaneFloat);
__device__ LaneInt select(LaneMask, LaneInt, LaneInt);
__device__ bool any(LaneMask);
__device__ LaneFloat fma(LaneFloat, LaneFloat, LaneFloat);
__device__ LaneFloat sqrt(LaneFloat);
__device__ LaneInt asInt(LaneFloat);
__device__ LaneFloat asFloat(LaneInt);
__device__ LaneFloat toFloat(LaneInt);
__device__ LaneFloat loadFrom(const float*);
__device__ uint32_t bitsOf(LaneMask);
__device__ LaneFloat load(const float*, LaneIndex);
__device__ LaneInt load(const int32_t*, LaneIndex);
__device__ LaneInt load(const uint32_t*, LaneIndex);
__device__ void store(float*, LaneIndex, LaneFloat);
__device__ void store(int32_t*, LaneIndex, LaneInt);
__device__ LaneFloat load(const float*, LaneInt);
__device__ LaneInt load(const int32_t*, LaneInt);
__device__ LaneInt load(const uint32_t*, LaneInt);
template <class At>
__device__ void loadFours(At, LaneFloat&, LaneFloat&, LaneFloat&, LaneFloat&);

#endif

}  // namespace coalesce
