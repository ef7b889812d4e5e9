// Arithmetic of PTX where C++ differs from it or leaves it undefined. [PTX ISA 8.x, "Instruction Set"]
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace emulated {

// the same bytes as another type of the same size
template <class To, class From>
inline To bits(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}

template <class T>
inline bool ordered(T a, T b) {
    return a == a && b == b;
}

// min, max: of NaN and a number the number; −0 < +0
inline float max_of(float a, float b) {
    if (a != a) return b != b ? bits<float>(0x7fffffffu) : b;
    if (b != b) return a;
    if (a == b) return std::signbit(a) ? b : a;
    return a > b ? a : b;
}
inline float min_of(float a, float b) {
    if (a != a) return b != b ? bits<float>(0x7fffffffu) : b;
    if (b != b) return a;
    if (a == b) return std::signbit(a) ? a : b;
    return a < b ? a : b;
}
template <class T>
inline T max_of(T a, T b) {
    return a < b ? b : a;
}
template <class T>
inline T min_of(T a, T b) {
    return b < a ? b : a;
}
template <class T>
inline T abs_of(T a) {
    return a < 0 ? T(0 - std::make_unsigned_t<T>(a)) : a;
}
inline float fused(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
}
inline double fused(double a, double b, double c) {
    return __builtin_fma(a, b, c);
}

// cvt.rzi: saturates; NaN becomes 0
template <class I, class F>
inline I to_int(F x) {
    if (x != x) return 0;
    constexpr I least = std::is_signed_v<I> ? I(I(1) << (sizeof(I) * 8 - 1)) : I(0), most = I(~least);
    if (x <= F(least)) return least;
    if (x >= F(most)) return most;
    return I(x);
}

// shifts by more than the width are defined
template <class T>
inline T shl_of(T a, uint32_t n) {
    return n < sizeof(T) * 8 ? T(a << n) : T(0);
}
template <class T>
inline T shr_of(T a, uint32_t n) {
    if (n < sizeof(T) * 8) return T(a >> n);
    return std::is_signed_v<T> && a < 0 ? T(-1) : T(0);
}
// shf.wrap
inline uint32_t funnel_left(uint32_t low, uint32_t high, uint32_t n) {
    n &= 31;
    return n ? high << n | low >> (32 - n) : high;
}
inline uint32_t funnel_right(uint32_t low, uint32_t high, uint32_t n) {
    n &= 31;
    return n ? low >> n | high << (32 - n) : low;
}

// division by zero and of the least number by −1 as GPUs have them
template <class T>
inline T rem_of(T a, T b) {
    if (b == 0) return a;
    if (std::is_signed_v<T> && b == T(-1)) return 0;
    return a % b;
}
template <class T>
inline T div_of(T a, T b) {
    if (b == 0) return T(-1);
    if (std::is_signed_v<T> && b == T(-1)) return T(0 - std::make_unsigned_t<T>(a));
    return a / b;
}

inline uint32_t clz_of(uint32_t a) {
    return a ? uint32_t(__builtin_clz(a)) : 32;
}
inline uint32_t clz_of(uint64_t a) {
    return a ? uint32_t(__builtin_clzll(a)) : 64;
}
// bmsk.clamp: `width` ones from bit `from` on
inline uint32_t bit_mask(uint32_t from, uint32_t width) {
    const uint32_t a = from < 32 ? ~0u << from : 0, end = from > 32 || width > 32 ? 32 : from + width;
    return a & (end >= 32 ? ~0u : (1u << end) - 1);
}
// bfi: `count` bits of a placed into b from bit `from` on
template <class T>
inline T bfi_of(T a, T b, uint32_t from, uint32_t count) {
    from &= 255, count &= 255;
    T r = b;
    for (uint32_t i = 0; i < count && from + i < sizeof(T) * 8; ++i) {
        const T bit = T(1) << (from + i);
        r = a >> i & 1 ? r | bit : r & ~bit;
    }
    return r;
}
// bfe of unsigned kinds: `count` bits from bit `from` on
template <class T>
inline T bfe_of(T a, uint32_t from, uint32_t count) {
    static_assert(!std::is_signed_v<T>);
    from &= 255, count &= 255;
    if (from >= sizeof(T) * 8 || count == 0) return 0;
    const T shifted = a >> from;
    return count >= sizeof(T) * 8 ? shifted : T(shifted & ((T(1) << count) - 1));
}

}  // namespace emulated
