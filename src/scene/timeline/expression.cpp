#include "scene/timeline/expression.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>

#include "scene/format/json_text.h"
#include "scene/format/overrides.h"

namespace coalesce {

namespace {

// x − k π/2 for the nearest k, with π/2 in three parts of 33 bits, so that k times the first two is exact
// (Cody and Waite, Software Manual for the Elementary Functions, 1980). quarter: k mod 4
double reduceByQuarterTurns(double x, int& quarter) {
    constexpr double kHalfPi = 1.5707963267948966;
    constexpr double kPart1 = 1.57079632673412561417, kPart2 = 6.07710050630396597660e-11,
                     kPart3 = 2.02226624879595063154e-21;
    if (std::abs(x) > 1e5) x = std::fmod(x, 4 * kHalfPi);
    const double k = std::floor(x / kHalfPi + 0.5);
    quarter = std::isfinite(x) ? int(k - 4 * std::floor(k / 4)) : 0;
    return ((x - k * kPart1) - k * kPart2) - k * kPart3;
}

// Taylor series for |x| ≤ π/4; the first omitted term is below 1e-19.
double sinSeries(double x) {
    double sum = 0, term = x;
    const double square = x * x;
    for (int n = 1; n <= 17; n += 2) {
        sum += term;
        term *= -square / ((n + 1) * (n + 2));
    }
    return sum;
}
double cosSeries(double x) {
    double sum = 0, term = 1;
    const double square = x * x;
    for (int n = 0; n <= 18; n += 2) {
        sum += term;
        term *= -square / ((n + 1) * (n + 2));
    }
    return sum;
}

// Gradient at a whole number: uniform in [−1, 1); NaN beyond 2^62. Mixing function of SplitMix64 (Steele, Lea, Flood
// 2014).
double gradientAt(double whole) {
    if (!(std::abs(whole) < 0x1p62)) return std::numeric_limits<double>::quiet_NaN();
    uint64_t z = uint64_t(int64_t(whole)) + 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    z ^= z >> 31;
    return double(int64_t(z)) * 0x1p-63;
}

}  // namespace

double portableSin(double x) {
    int quarter = 0;
    const double r = reduceByQuarterTurns(x, quarter);
    const double value = quarter % 2 == 0 ? sinSeries(r) : cosSeries(r);
    return quarter < 2 ? value : -value;
}

double portableCos(double x) {
    int quarter = 0;
    const double r = reduceByQuarterTurns(x, quarter);
    const double value = quarter % 2 == 0 ? cosSeries(r) : sinSeries(r);
    return quarter == 0 || quarter == 3 ? value : -value;
}

double portableExp(double x) {
    if (!(x > -745)) return x == x ? 0 : x;
    if (x > 710) return HUGE_VAL;
    // exp(x) = 2^k exp(r), |r| ≤ ln(2)/2, with ln 2 in two parts
    constexpr double kLn2 = 0.69314718055994531, kPart1 = 6.93147180369123816490e-01,
                     kPart2 = 1.90821492927058770002e-10;
    const double k = std::floor(x / kLn2 + 0.5), r = (x - k * kPart1) - k * kPart2;
    double sum = 0, term = 1;
    for (int n = 1; n <= 15; ++n) {
        sum += term;
        term *= r / n;
    }
    return std::ldexp(sum, int(k));
}

double gradientNoise(double x) {
    const double whole = std::floor(x), u = x - whole;
    const double fade = u * u * u * (u * (u * 6 - 15) + 10);
    const double left = gradientAt(whole) * u, right = gradientAt(whole + 1) * (u - 1);
    // |left|, |right| ≤ 1 and their blend is at most 1/2
    return 2 * (left + fade * (right - left));
}

// Recursive descent; each function parses one level of precedence and appends its instructions.
class ExpressionParser {
public:
    ExpressionParser(std::string_view text, Expression& out) : m_text(text), m_out(out) {}

    std::string parse() {
        either();
        skipSpace();
        if (m_error.empty() && m_at < m_text.size())
            failAt(m_at, fmt::format("\"{}\" is not expected here", printable(m_text.substr(m_at), 20)));
        return m_error;
    }

private:
    using Op = Expression::Op;
    struct Function {
        const char* name;
        Op op;
    };
    static constexpr Function kFunctions[] = {{"sin", Op::sin},
                                              {"cos", Op::cos},
                                              {"exp", Op::exp},
                                              {"sqrt", Op::sqrt},
                                              {"abs", Op::abs},
                                              {"sign", Op::sign},
                                              {"floor", Op::floor},
                                              {"round", Op::round},
                                              {"min", Op::min},
                                              {"max", Op::max},
                                              {"mod", Op::mod},
                                              {"clamp", Op::clamp},
                                              {"smoothstep", Op::smoothstep},
                                              {"mix", Op::mix},
                                              {"if", Op::choose},
                                              {"noise", Op::noise}};
    static constexpr const char* kMeasures[] = {"x", "y", "z", "speed", "top", "count"};  // as the enum
    static constexpr int kMostNested = 64;
    static constexpr size_t kMostInstructions = 1000;

    void failAt(size_t place, const std::string& what) {
        if (m_error.empty()) m_error = fmt::format("{} (character {})", what, place + 1);
        m_at = m_text.size();
    }
    void emit(Op op, double number = 0, int index = 0) {
        m_out.m_program.push_back({op, number, index});
        if (m_out.m_program.size() > kMostInstructions) failAt(m_at, "the expression is too long");
    }
    void skipSpace() {
        while (m_at < m_text.size() && std::isspace(static_cast<unsigned char>(m_text[m_at]))) ++m_at;
    }
    bool take(std::string_view symbol) {
        skipSpace();
        if (!m_text.substr(m_at).starts_with(symbol)) return false;
        m_at += symbol.size();
        return true;
    }
    template <class Parse>
    void binary(std::initializer_list<std::pair<const char*, Op>> operators, Parse&& operand) {
        operand();
        for (bool more = true; more && m_error.empty();) {
            more = false;
            for (const auto& [symbol, op] : operators)
                if (take(symbol)) {
                    operand();
                    emit(op);
                    more = true;
                    break;
                }
        }
    }
    void either() {
        if (++m_nested > kMostNested) failAt(m_at, "parentheses are nested too deeply");
        binary({{"||", Op::either}}, [this] {
            binary({{"&&", Op::both}}, [this] {
                binary({{"<=", Op::lessEqual},
                        {">=", Op::greaterEqual},
                        {"==", Op::equal},
                        {"!=", Op::unequal},
                        {"<", Op::less},
                        {">", Op::greater}},
                       [this] { sum(); });
            });
        });
        --m_nested;
    }
    void sum() {
        binary({{"+", Op::add}, {"-", Op::subtract}}, [this] {
            binary({{"*", Op::multiply}, {"/", Op::divide}}, [this] { unary(); });
        });
    }
    void unary() {
        if (++m_nested > kMostNested) failAt(m_at, "parentheses are nested too deeply");
        if (take("-")) {
            unary();
            emit(Op::negate);
        } else if (take("!")) {
            unary();
            emit(Op::invert);
        } else {
            power();
        }
        --m_nested;
    }
    void power() {
        primary();
        if (!take("^")) return;
        skipSpace();
        const size_t place = m_at;
        double exponent = 0;
        if (!number(exponent) || exponent != std::floor(exponent) || exponent > 64)
            return failAt(place, "the exponent is a whole number from 0 to 64; sqrt(x) gives a root");
        emit(Op::power, exponent);
    }
    bool number(double& out) {
        skipSpace();
        if (m_at >= m_text.size() ||
            !(std::isdigit(static_cast<unsigned char>(m_text[m_at])) || m_text[m_at] == '.'))
            return false;
        const std::string rest(m_text.substr(m_at, 40));
        size_t length = rest.find_first_not_of("0123456789.");
        if (length == std::string::npos) length = rest.size();
        // 1e-3
        if (length < rest.size() && (rest[length] == 'e' || rest[length] == 'E')) {
            size_t digits = length + 1;
            if (digits < rest.size() && (rest[digits] == '-' || rest[digits] == '+')) ++digits;
            const size_t stop = rest.find_first_not_of("0123456789", digits);
            const size_t end = stop == std::string::npos ? rest.size() : stop;
            if (end > digits) length = end;
        }
        const std::string text = rest.substr(0, length);
        char* end = nullptr;
        out = std::strtod(text.c_str(), &end);
        if (end != text.c_str() + text.size()) {
            failAt(m_at, fmt::format("\"{}\" is not a number", text));
            return false;
        }
        m_at += length;
        return true;
    }
    std::string word() {
        skipSpace();
        const size_t begin = m_at;
        const auto isLetter = [&](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
        while (m_at < m_text.size() && isLetter(m_text[m_at])) ++m_at;
        return std::string(m_text.substr(begin, m_at - begin));
    }
    // Name of a group: ball, bunny.17, 'name with spaces'.
    std::string groupName() {
        if (take("'")) {
            const size_t end = m_text.find('\'', m_at);
            if (end == std::string_view::npos) {
                failAt(m_at, "the quote ' is not closed");
                return "";
            }
            const std::string name(m_text.substr(m_at, end - m_at));
            m_at = end + 1;
            return name;
        }
        std::string name = word();
        if (m_at < m_text.size() && m_text[m_at] == '.') {
            ++m_at;
            name += "." + word();
        }
        return name;
    }
    void expectClose(size_t place, const std::string& name) {
        if (m_error.empty() && !take(")"))
            failAt(place, fmt::format("the parenthesis of \"{}\" is not closed", name));
    }
    void primary() {
        double value = 0;
        skipSpace();
        const size_t place = m_at;
        if (number(value)) return emit(Op::number, value);
        if (!m_error.empty()) return;
        if (take("(")) {
            either();
            return expectClose(place, "(");
        }
        const std::string name = word();
        if (name.empty())
            return failAt(place, place >= m_text.size() ? "a value is missing at the end"
                                                        : fmt::format("\"{}\" is not expected here",
                                                                      printable(m_text.substr(place), 20)));
        if (!take("(")) return variable(name, place);
        for (size_t m = 0; m < std::size(kMeasures); ++m)
            if (name == kMeasures[m]) return measure(name, static_cast<Measure>(m), place);
        for (const Function& f : kFunctions)
            if (name == f.name) return call(f, place);
        std::vector<std::string> names;
        for (const Function& f : kFunctions) names.emplace_back(f.name);
        for (const char* m : kMeasures) names.emplace_back(m);
        failAt(place, fmt::format("there is no function \"{}\".{}", name, didYouMean(name, names)));
    }
    void variable(const std::string& name, size_t place) {
        if (name == "t") return emit(Op::t);
        if (name == "film") return emit(Op::film);
        if (name == "frame") return emit(Op::frame);
        if (name == "pi") return emit(Op::number, 3.141592653589793);
        failAt(place,
               fmt::format("there is no name \"{}\"; there are t, film, frame and pi, and measures such as "
                           "y(ball)",
                           name));
    }
    void measure(const std::string& name, Measure measure, size_t place) {
        const std::string of = groupName();
        if (m_error.empty() && of.empty())
            return failAt(place,
                          fmt::format("\"{}\" needs the name of a body, material, emitter or shape", name));
        expectClose(place, name);
        const MeasureCall wanted{measure, of};
        std::vector<MeasureCall>& all = m_out.m_measures;
        const auto found = std::find(all.begin(), all.end(), wanted);
        const int index = int(found - all.begin());
        if (found == all.end()) all.push_back(wanted);
        emit(Op::measure, 0, index);
    }
    void call(const Function& f, size_t place) {
        const int wanted = Expression::arguments(f.op);
        int count = 0;
        do {
            either();
            ++count;
        } while (m_error.empty() && take(","));
        expectClose(place, f.name);
        if (m_error.empty() && count != wanted)
            failAt(place, fmt::format("{} takes {} argument{}, not {}", f.name, wanted,
                                      wanted == 1 ? "" : "s", count));
        emit(f.op);
    }

    std::string_view m_text;
    Expression& m_out;
    std::string m_error;
    size_t m_at = 0;
    int m_nested = 0;
};

Expression::Expression(std::string_view text, std::string& error) {
    error = ExpressionParser(text, *this).parse();
    if (!error.empty()) m_program.clear(), m_measures.clear();
}

int Expression::arguments(Op op) {
    switch (op) {
        case Op::number:
        case Op::t:
        case Op::film:
        case Op::frame:
        case Op::measure:
            return 0;
        case Op::negate:
        case Op::invert:
        case Op::power:
        case Op::sin:
        case Op::cos:
        case Op::exp:
        case Op::sqrt:
        case Op::abs:
        case Op::sign:
        case Op::floor:
        case Op::round:
        case Op::noise:
            return 1;
        case Op::clamp:
        case Op::smoothstep:
        case Op::mix:
        case Op::choose:
            return 3;
        default:
            return 2;
    }
}

double Expression::apply(const Instruction& instruction, const double* a) {
    switch (instruction.op) {
        case Op::negate:
            return -a[0];
        case Op::invert:
            return a[0] == 0;
        case Op::add:
            return a[0] + a[1];
        case Op::subtract:
            return a[0] - a[1];
        case Op::multiply:
            return a[0] * a[1];
        case Op::divide:
            return a[0] / a[1];
        case Op::power: {
            double product = 1;
            for (int k = 0; k < int(instruction.number); ++k) product *= a[0];
            return product;
        }
        case Op::less:
            return a[0] < a[1];
        case Op::lessEqual:
            return a[0] <= a[1];
        case Op::greater:
            return a[0] > a[1];
        case Op::greaterEqual:
            return a[0] >= a[1];
        case Op::equal:
            return a[0] == a[1];
        case Op::unequal:
            return a[0] != a[1];
        case Op::both:
            return a[0] != 0 && a[1] != 0;
        case Op::either:
            return a[0] != 0 || a[1] != 0;
        case Op::sin:
            return portableSin(a[0]);
        case Op::cos:
            return portableCos(a[0]);
        case Op::exp:
            return portableExp(a[0]);
        case Op::sqrt:
            return std::sqrt(a[0]);
        case Op::abs:
            return std::abs(a[0]);
        case Op::sign:
            return double(a[0] > 0) - double(a[0] < 0);
        case Op::floor:
            return std::floor(a[0]);
        case Op::round:
            return std::floor(a[0] + 0.5);
        case Op::min:
            return a[1] < a[0] ? a[1] : a[0];
        case Op::max:
            return a[1] > a[0] ? a[1] : a[0];
        case Op::mod:  // with the sign of the divisor
            return a[0] - a[1] * std::floor(a[0] / a[1]);
        case Op::clamp:
            return a[0] < a[1] ? a[1] : a[0] > a[2] ? a[2] : a[0];
        case Op::smoothstep: {
            const double share = (a[2] - a[0]) / (a[1] - a[0]), u = share < 0 ? 0 : share > 1 ? 1 : share;
            return u * u * (3 - 2 * u);
        }
        case Op::mix:
            return a[0] + a[2] * (a[1] - a[0]);
        case Op::choose:
            return a[0] != 0 ? a[1] : a[2];
        case Op::noise:
            return gradientNoise(a[0]);
        default:
            return 0;
    }
}

double Expression::evaluate(const ExpressionTime& time,
                            const std::function<double(const MeasureCall&)>& measured) const {
    std::vector<double> stack;
    for (const Instruction& instruction : m_program) {
        double value = 0;
        switch (instruction.op) {
            case Op::number:
                value = instruction.number;
                break;
            case Op::t:
                value = time.t;
                break;
            case Op::film:
                value = time.film;
                break;
            case Op::frame:
                value = time.frame;
                break;
            case Op::measure:
                value = measured(m_measures[size_t(instruction.index)]);
                break;
            default: {
                const size_t count = size_t(arguments(instruction.op));
                value = apply(instruction, stack.data() + stack.size() - count);
                stack.resize(stack.size() - count);
            }
        }
        stack.push_back(value);
    }
    return stack.empty() ? 0 : stack.back();
}

}  // namespace coalesce
