// Expressions of tracks: "2 * sin(t)", "if(y(ball) < 0.5, 1, 0.2)". Evaluated in double on the host.
//
//   expression:  ||, &&, comparisons, + −, * /, unary − and !, x^n with a whole number n, parentheses
//   names:       t [s] simulated, film [s], frame, pi
//   functions:   sin cos exp sqrt abs sign floor round min max mod clamp smoothstep mix if noise
//   measures:    x(body), y(body), z(body) [m] center, speed(body) [m/s], top(body) [m], count(body)
//
// A library was considered: muParser (Debian) has no copies for scenes with dots in names, no positions with
// suggestions, and calls sin, exp and pow of the C library, whose last bits differ between machines; its
// package for arm64 is also compiled with contraction of a·b + c. Here every operation is exactly rounded, or
// a polynomial of such operations, so that a track has the same bits on every machine.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace coalesce {

// What an expression is evaluated for.
struct ExpressionTime {
    double t = 0;     // [s] simulated
    double film = 0;  // [s] of film
    double frame = 0;
};

// A quantity of a group of particles or of a shape.
enum class Measure { x, y, z, speed, top, count };
struct MeasureCall {
    Measure measure;
    std::string of;  // name of the group or shape

    bool operator==(const MeasureCall&) const = default;
};

class Expression {
public:
    Expression() = default;
    // On an error the expression is empty, and `error` says what is wrong and where.
    Expression(std::string_view text, std::string& error);

    // measured: value of a measure; called only if the expression has any.
    double evaluate(const ExpressionTime& time,
                    const std::function<double(const MeasureCall&)>& measured) const;
    const std::vector<MeasureCall>& measures() const { return m_measures; }

private:
    friend class ExpressionParser;
    enum class Op {
        number,
        t,
        film,
        frame,
        measure,
        negate,
        invert,
        add,
        subtract,
        multiply,
        divide,
        power,
        less,
        lessEqual,
        greater,
        greaterEqual,
        equal,
        unequal,
        both,
        either,
        sin,
        cos,
        exp,
        sqrt,
        abs,
        sign,
        floor,
        round,
        min,
        max,
        mod,
        clamp,
        smoothstep,
        mix,
        choose,
        noise,
    };
    struct Instruction {
        Op op;
        double number = 0;  // of a number; of power: the exponent
        int index = 0;      // of a measure
    };
    static double apply(const Instruction& instruction, const double* arguments);
    static int arguments(Op op);

    std::vector<Instruction> m_program;  // in postfix order
    std::vector<MeasureCall> m_measures;
};

// The functions of expressions, in double from exactly rounded operations only; errors below 2e-15 for
// |x| ≤ 1e5, relative for exp.
double portableSin(double x);
double portableCos(double x);
double portableExp(double x);
// Smooth noise in [−1, 1], 0 at whole x, by gradients at whole x. [Per85]
double gradientNoise(double x);

}  // namespace coalesce
