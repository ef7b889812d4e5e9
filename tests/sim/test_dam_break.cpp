// The collapse of a water column against measurements: docs/validation.md holds the table that this prints.
// References: Martin & Moyce 1952 and Koshizuka & Oka 1996, as digitized in PySPH (db_exp_data.py); the table
// of the square column is the one used by JAX-SPH.
#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>

#include "sim/make_world.h"
#include "support/each_backend.h"

namespace coalesce::test {
namespace {

struct Point {
    double T, Z;
};
using Series = std::vector<Point>;

// n² = 2: T = t √(2g/a), Z = front/a. Column width a = 2.25 in.
const Series kMartinMoyce = {{0.832, 1.217}, {1.219, 1.474}, {1.997, 2.292}, {2.547, 2.995}, {3.345, 4.134},
                             {4.034, 4.944}, {4.418, 5.881}, {5.091, 6.980}, {5.685, 7.945}, {6.306, 8.966}};
const Series kMartinMoyceSmall = {{0.849, 1.245}, {1.212, 1.443}, {1.602, 1.884}, {2.283, 2.689},
                                  {2.950, 3.728}, {3.598, 4.528}, {3.905, 4.999}, {4.592, 5.841},
                                  {4.961, 6.271}, {5.316, 6.717}};
const Series kKoshizuka = {{0, 1},         {0.381, 1.111}, {0.769, 1.252}, {1.153, 1.505}, {1.537, 1.892},
                           {1.935, 2.241}, {2.323, 2.615}, {2.719, 3.003}, {3.096, 3.624}};
// n² = 1: T = t √(g/a)
const Series kSquareFront = {{0.43, 1.11}, {0.62, 1.22}, {0.80, 1.44}, {0.97, 1.67}, {1.14, 1.89},
                             {1.29, 2.11}, {1.45, 2.33}, {1.62, 2.56}, {1.76, 2.78}, {1.93, 3.00},
                             {2.07, 3.22}, {2.24, 3.44}, {2.40, 3.67}, {2.54, 3.89}, {2.71, 4.11},
                             {2.87, 4.33}, {3.04, 4.56}, {3.21, 4.78}, {3.29, 4.89}, {3.32, 5.00}};
const Series kSquareHeight = {{0, 1},       {0.80, 0.89}, {1.29, 0.78}, {1.74, 0.67},
                              {2.15, 0.56}, {2.57, 0.44}, {3.08, 0.33}, {4.27, 0.22}};

double valueAt(const Series& s, double T) {
    for (size_t k = 1; k < s.size(); ++k)
        if (T <= s[k].T) return s[k - 1].Z + (s[k].Z - s[k - 1].Z) * (T - s[k - 1].T) / (s[k].T - s[k - 1].T);
    return s.back().Z;
}
double timeOf(const Series& s, double Z) {
    for (size_t k = 1; k < s.size(); ++k)
        if (Z <= s[k].Z) return s[k - 1].T + (s[k].T - s[k - 1].T) * (Z - s[k - 1].Z) / (s[k].Z - s[k - 1].Z);
    return s.back().T;
}
// least squares
double slopeOf(const Series& s, double from, double to) {
    double n = 0, t = 0, z = 0, tt = 0, tz = 0;
    for (const Point& p : s)
        if (p.T > from && p.T < to) n += 1, t += p.T, z += p.Z, tt += p.T * p.T, tz += p.T * p.Z;
    return (n * tz - t * z) / (n * tt - t * t);
}

struct Setting {
    const char* name;
    int substeps, iterations;
    Method method = Method::position;
};
constexpr Setting kSettings[] = {{"real-time", 2, 4},
                                 {"quality", 4, 20},
                                 {"projective", 4, 10, Method::projective},
                                 {"velocity", 4, 10, Method::velocity}};

constexpr int kAcross = 8;  // particles across the tank

// A column of width 1 m and this height, `resolution` particles wide, in a tank as narrow as eight particles,
// without friction at its walls. Gives front and height at the left wall [m] by frame.
struct Collapse {
    Series front, height;  // over T
};
Collapse collapse(Exec& exec, int rows, int resolution, double duration, const Setting& setting,
                  double timeUnit) {
    World world(exec);
    world.parameters.solver.substeps = setting.substeps;
    world.parameters.solver.method = setting.method;
    world.parameters.solver.iterations = world.parameters.projective.iterations = setting.iterations;
    const float d = 1.0f / static_cast<float>(resolution), width = kAcross * d;
    MaterialProperties m = water(d);
    addMaterial(world, m);
    Shape tank;
    tank.name = "tank", tank.kind = ShapeKind::box, tank.container = true;
    tank.halfExtents = {8, 4, width / 2}, tank.position = {8, 4, width / 2};
    world.shapes.push_back(tank);
    addBlock(world, {.nx = resolution, .ny = rows, .nz = kAcross});
    Solver solver(world);
    Collapse result;
    for (int frame = 0;; ++frame) {
        std::vector<float> x;
        float top = 0;
        for (const Vec4& p : world.particles.x.download()) {
            x.push_back(p.x);
            if (p.x < 2 * d) top = std::max(top, p.y);
        }
        // the front is where a whole row of particles has come; a spray of fewer is none
        std::nth_element(x.begin(), x.begin() + kAcross - 1, x.end(), std::greater<>());
        const double T = world.time * timeUnit;
        result.front.push_back({T, x[kAcross - 1] + 0.5 * d});
        result.height.push_back({T, top + 0.5 * d});
        if (world.time >= duration) return result;
        solver.step();
    }
}

struct Deviation {
    double mean, worst, slope, slopeOfReference, shift;
};
// Both aligned where the front is at 1.5; compared at the reference's points between these times.
Deviation compare(const Series& ours, const Series& reference, double from, double to) {
    const double shift = timeOf(reference, 1.5) - timeOf(ours, 1.5);
    Series aligned;
    for (const Point& p : ours) aligned.push_back({p.T + shift, p.Z});
    Deviation result{0, 0, slopeOf(aligned, from, to), slopeOf(reference, from, to), shift};
    int n = 0;
    for (const Point& p : reference) {
        if (p.T <= from || p.T >= to) continue;
        const double error = std::abs(valueAt(aligned, p.T) / p.Z - 1);
        result.mean += error, result.worst = std::max(result.worst, error), ++n;
    }
    result.mean /= n;
    return result;
}

void print(const char* reference, const char* setting, const Deviation& d) {
    fmt::print("| {} | {} | {:.1f} % | {:.1f} % | {:.2f} | {:.2f} | {:+.2f} |\n", reference, setting,
               100 * d.mean, 100 * d.worst, d.slope, d.slopeOfReference, d.shift);
}

// 2 t √(g h): how fast water of this height can run out over a dry floor (Ritter 1892). In T it is 2 T in
// both scalings.
void expectNotFasterThanRitter(const Series& front, double spacing) {
    // the first row of particles is half a spacing wide from the start
    for (const Point& p : front) EXPECT_LT(p.Z, 1 + 2 * p.T + spacing) << "T = " << p.T;
}

class DamBreak : public EachBackend {};

TEST_P(DamBreak, TallColumnFrontMatchesExperiment) {
    const int resolution = 24;
    const double unit = std::sqrt(2 * 9.81);  // T = t √(2g/a), a = 1 m
    for (const Setting& setting : kSettings) {
        const Series front = collapse(exec, 2 * resolution, resolution, 6.3 / unit, setting, unit).front;
        const Deviation large = compare(front, kMartinMoyce, 1.5, 6),
                        small = compare(front, kMartinMoyceSmall, 1.5, 5.4),
                        short_ = compare(front, kKoshizuka, 1.15, 3.1);
        print("Martin & Moyce, 2.25 in", setting.name, large);
        print("Martin & Moyce, 1.125 in", setting.name, small);
        print("Koshizuka & Oka", setting.name, short_);
        EXPECT_LT(large.worst, 0.10) << setting.name;
        EXPECT_LT(small.worst, 0.15) << setting.name;
        EXPECT_LT(short_.worst, 0.15) << setting.name;
        EXPECT_GT(large.slope, 1.3) << setting.name;
        EXPECT_LT(large.slope, 1.7) << setting.name;
        expectNotFasterThanRitter(front, 1.0 / resolution);
    }
}

TEST_P(DamBreak, SquareColumnFrontMatchesExperiment) {
    const int resolution = 34;
    const double unit = std::sqrt(9.81);  // T = t √(g/a)
    for (const Setting& setting : kSettings) {
        const Collapse c = collapse(exec, resolution, resolution, 3.6 / unit, setting, unit);
        // later the measured tongue, a few particles thick, slows down on its floor; this floor has no
        // friction
        const Deviation front = compare(c.front, kSquareFront, 0.8, 2.6);
        print("square column, front up to Z = 4", setting.name, front);
        print("square column, front up to Z = 5", setting.name, compare(c.front, kSquareFront, 0.8, 3.4));
        EXPECT_LT(front.worst, 0.12) << setting.name;
        double worst = 0;
        for (const Point& p : kSquareHeight)
            if (p.T + front.shift < 3.4)
                worst = std::max(worst, std::abs(valueAt(c.height, p.T - front.shift) - p.Z));
        fmt::print("| square column, height | {} | | {:.1f} % of a | | | |\n", setting.name, 100 * worst);
        EXPECT_LT(worst, 0.15) << setting.name;
        expectNotFasterThanRitter(c.front, 1.0 / resolution);
    }
}

FOR_EACH_BACKEND(DamBreak);

}  // namespace
}  // namespace coalesce::test
