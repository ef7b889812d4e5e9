// Errors. CHECK: a bug in this program. fail: a problem of the user's files or system; the message says what,
// where, and what to do.
#pragma once

#include <exception>
#include <fmt/format.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace coalesce {

// Exit codes of the program; every Error carries one.
enum class Exit : int {
    Success = 0,
    Failure = 1,
    Usage = 2,
    Scene = 3,        // scene or timeline file
    Graphics = 4,     // no usable GL or EGL
    Device = 5,       // CUDA requested but not available
    Simulation = 6,   // non-finite values, or overflow that the policy does not handle
    Output = 7,       // encoder or output file
    Expect = 8,       // the scene's `expect` was not met
    Unavailable = 9,  // needs a library that this program was built without
};

// A problem of the user's files or system.
struct Error : std::runtime_error {
    Exit code;
    Error(Exit c, const std::string& message) : std::runtime_error(message), code(c) {}
};

// where: file, line, path or option; may be empty. hint: what to do; may be empty.
[[noreturn]] void fail(Exit code, const std::string& where, const std::string& what,
                       const std::string& hint = {});

// What an error says to the user; memory that ran out says so, with advice.
std::string messageOf(const std::exception& error);

// The candidate with the smallest edit distance, or "" when none is close.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

[[noreturn]] void checkFailed(const char* file, int line, const char* expression, const std::string& values);

template <class A, class B>
std::string bothSides(const A& a, const B& b) {
    if constexpr (fmt::is_formattable<A>::value && fmt::is_formattable<B>::value)
        return fmt::format("left {}, right {}", a, b);
    else
        return {};
}

#define CHECK(condition)                                                               \
    do {                                                                               \
        if (!(condition)) ::coalesce::checkFailed(__FILE__, __LINE__, #condition, {}); \
    } while (0)
#define CHECK_OP(a, op, b)                                                  \
    do {                                                                    \
        const auto& checkA = (a);                                           \
        const auto& checkB = (b);                                           \
        if (!(checkA op checkB))                                            \
            ::coalesce::checkFailed(__FILE__, __LINE__, #a " " #op " " #b,  \
                                    ::coalesce::bothSides(checkA, checkB)); \
    } while (0)
#define CHECK_EQ(a, b) CHECK_OP(a, ==, b)
#define CHECK_LE(a, b) CHECK_OP(a, <=, b)
#define CHECK_LT(a, b) CHECK_OP(a, <, b)

}  // namespace coalesce
