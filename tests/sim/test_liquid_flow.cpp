// Liquids against exact solutions: viscosity of a vortex, pressure in a tank, the elliptical drop, the growth
// of Rayleigh-Taylor waves. docs/validation.md holds the tables that this prints.
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <numbers>

#include "sim/make_world.h"
#include "support/each_backend.h"
#include "support/plot_data.h"
#include "support/pressures.h"

namespace coalesce::test {
namespace {

using std::numbers::pi;

class LiquidFlow : public EachBackend {};

// Particles of a square or cubic lattice about the origin, where `inside` says so.
std::vector<Vec3> lattice(float d, float reach, bool planar, const std::function<bool(Vec3)>& inside) {
    const int n = static_cast<int>(std::ceil(reach / d));
    std::vector<Vec3> points;
    for (int z = planar ? 0 : -n; z < (planar ? 1 : n); ++z)
        for (int y = -n; y < n; ++y)
            for (int x = -n; x < n; ++x) {
                const Vec3 p{d * (x + 0.5f), d * (y + 0.5f), planar ? 0 : d * (z + 0.5f)};
                if (inside(p)) points.push_back(p);
            }
    return points;
}

// ---- viscosity ----

struct Vortex {
    bool planar;
    float radius;   // a [m] of the vortex
    float spacing;  // [m]
    int substeps;
    float viscosity;  // ν [m²/s]
    float angle;  // [rad] by which its middle would turn in the time that is looked at, if it kept its speed
    bool strain = false;  // by strainViscosity; else XSPH by kinematicViscosity
};

// A vortex v = Ω × x exp(−r²/2a²) decays as its heat kernel does: a² grows by 2 ν t, and v by (a₀/a)^2p, p =
// 2 in the plane (Taylor 1918) and 5/2 in space, where it is slow. What is left of the first profile is then
//     Σ v·v₀ / Σ v₀² = (2/(s + 1))^p,   s = a²/a₀² = 1 + 2 ν t/a₀²,
// which does not see the noise of particles that find their places. Gives ν from what is left when s should
// be 1.5.
double measuredViscosity(Exec& exec, const Vortex& of) {
    World world(exec);
    world.parameters.world.gravity = {0, 0, 0};
    world.parameters.solver.planar = of.planar;
    world.parameters.solver.substeps = of.substeps;
    MaterialProperties m = water(of.spacing);
    (of.strain ? m.strainViscosity : m.kinematicViscosity) = of.viscosity;
    if (of.strain) m.viscosity = 0;
    addMaterial(world, m);
    const float reach = (of.planar ? 4.0f : 3.2f) * of.radius, a = of.radius;
    Shape vessel;
    vessel.name = "vessel", vessel.kind = ShapeKind::sphere, vessel.container = true, vessel.radius = reach;
    world.shapes.push_back(vessel);
    const double end = 0.5 * a * a / (2.0 * of.viscosity);  // [s] s = 1.5
    const float turn = of.angle / static_cast<float>(end);  // [1/s]
    const auto profile = [&](Vec3 x) {
        return turn * std::exp(-(x.x * x.x + x.y * x.y + x.z * x.z) / (2 * a * a)) * Vec3{-x.y, x.x, 0};
    };
    std::vector<ParticleDef> births;
    for (const Vec3 p :
         lattice(of.spacing, reach, of.planar, [&](Vec3 x) { return length(x) < reach - 0.4f * of.spacing; }))
        births.push_back({.x = p, .v = profile(p)});
    world.addParticles(births);
    Solver solver(world);
    const auto left = [&] {
        const std::vector<Vec4> x = positions(world), v = velocities(world);
        double overlap = 0, whole = 0;
        for (size_t i = 0; i < x.size(); ++i) {
            const Vec3d first = toDouble(profile(xyz(x[i])));
            overlap += dot(toDouble(v[i]), first), whole += dot(first, first);
        }
        return overlap / whole;
    };
    while (world.time < end) solver.step();
    const double s = 2 * std::pow(left(), of.planar ? -1 / 2.0 : -1 / 2.5) - 1;
    return (s - 1) * a * a / (2 * world.time);
}

TEST_P(LiquidFlow, MeasuredViscosityEqualsTheParameter) {
    fmt::print(
        "| flow | d [mm] | substeps | turned [rad] | ν asked [m²/s] | XSPH share | ν measured | deviation "
        "|\n");
    std::vector<double> asked, measured;
    std::vector<Vortex> flows;
    for (const float nu : {0.001f, 0.01f, 0.1f, 0.3f}) flows.push_back({true, 0.3f, 0.05f, 2, nu, 0.5f});
    for (const int substeps : {1, 4, 16}) flows.push_back({true, 0.3f, 0.05f, substeps, 0.03f, 0.5f});
    for (const float d : {0.075f, 0.025f}) flows.push_back({true, 0.3f, d, 4, 0.03f, 0.5f});
    // until the particles have left their lattice
    flows.push_back({true, 0.3f, 0.05f, 4, 0.03f, 2});
    for (const auto& [d, nu] : {std::pair{0.06f, 0.03f}, {0.06f, 0.1f}, {0.05f, 0.1f}})
        flows.push_back({false, 0.3f, d, 4, nu, 0.5f});
    for (const Vortex& flow : flows) {
        const double nu = measuredViscosity(exec, flow);
        MaterialProperties m = water(flow.spacing);
        m.kinematicViscosity = flow.viscosity;
        const float share = materialConstants(m, flow.planar, 1.0 / 60 / flow.substeps).viscosity;
        fmt::print("| {} | {:g} | {} | {:g} | {:g} | {:.3g} | {:.4g} | {:+.1f} % |\n",
                   flow.planar ? "in a plane" : "in space", 1000 * flow.spacing, flow.substeps, flow.angle,
                   flow.viscosity, share, nu, 100 * (nu / double{flow.viscosity} - 1));
        std::fflush(stdout);
        asked.push_back(flow.viscosity), measured.push_back(nu);
        // particles that leave their lattice add a dissipation of the solver's own, which grows with their
        // way
        EXPECT_NEAR(nu / double{flow.viscosity}, 1, flow.angle < 1 ? 0.1 : 0.25)
            << (flow.planar ? "planar, d " : "d ") << flow.spacing << ", " << flow.substeps << " substeps, ν "
            << flow.viscosity;
    }
    PlotData("viscosity", "Viscosity of a decaying vortex", "ν asked for [m²/s]", "ν measured [m²/s]")
        .logarithmic()
        .measured("measured", asked, measured)
        .reference("equal", {0.001, 0.3}, {0.001, 0.3})
        .write();
}

// The same by strainViscosity. The lattice has less viscosity against shear along its axes and more at 45° to them,
// and the vortex sees the mean.
TEST_P(LiquidFlow, MeasuredStrainViscosityEqualsTheParameter) {
    fmt::print("| flow | d [mm] | substeps | turned [rad] | ν asked [m²/s] | ν measured | deviation |\n");
    std::vector<Vortex> flows;
    for (const float nu : {0.01f, 0.1f, 1.0f}) flows.push_back({true, 0.3f, 0.05f, 2, nu, 0.5f, true});
    for (const int substeps : {1, 16}) flows.push_back({true, 0.3f, 0.05f, substeps, 0.1f, 0.5f, true});
    flows.push_back({true, 0.3f, 0.025f, 4, 0.1f, 0.5f, true});
    for (const float nu : {0.03f, 0.3f}) flows.push_back({false, 0.3f, 0.06f, 4, nu, 0.5f, true});
    for (const Vortex& flow : flows) {
        const double nu = measuredViscosity(exec, flow);
        fmt::print("| {} | {:g} | {} | {:g} | {:g} | {:.4g} | {:+.1f} % |\n",
                   flow.planar ? "in a plane" : "in space", 1000 * flow.spacing, flow.substeps, flow.angle,
                   flow.viscosity, nu, 100 * (nu / double{flow.viscosity} - 1));
        std::fflush(stdout);
        EXPECT_NEAR(nu / double{flow.viscosity}, 1, 0.15)
            << (flow.planar ? "planar, d " : "d ") << flow.spacing << ", " << flow.substeps << " substeps, ν "
            << flow.viscosity;
    }
}

// ---- pressure at rest ----

// A tank of 2 x 0.9 m, g = 1 m/s² (Adami et al. 2012), in a plane: p = ρ g (H − y).
TEST_P(LiquidFlow, PressureAtRestIsHydrostatic) {
    fmt::print(
        "| setting | pressure, mean deviation / ρ g H | largest of a layer | twice the mean height |\n");
    PlotData plot("hydrostatic", "Pressure in a tank at rest", "height [m]", "p / (ρ g H) [-]");
    for (const auto& [name, method, substeps, iterations, limit] :
         {std::tuple{"real-time", Method::position, 2, 4, 0.05},
          {"quality", Method::position, 4, 40, 0.05},
          {"velocity", Method::velocity, 4, 10, 0.05},
          {"projective", Method::projective, 4, 10, 0.05}}) {
        World world(exec);
        world.parameters.world.gravity = {0, -1, 0};
        world.parameters.solver.planar = true;
        world.parameters.solver.method = method;
        world.parameters.solver.substeps = substeps;
        world.parameters.solver.iterations = world.parameters.projective.iterations = iterations;
        MaterialProperties m = water(0.05f);
        m.viscosity = 0.05f;
        addMaterial(world, m);
        Shape tank;
        tank.name = "tank", tank.kind = ShapeKind::box, tank.container = true;
        tank.halfExtents = {1, 1, 1}, tank.position = {1, 1, 0};
        world.shapes.push_back(tank);
        addBlock(world, {.low = {0, 0, -0.025f}, .nx = 40, .ny = 18, .nz = 1});
        Solver solver(world);
        solver.watchPressure();
        stepFrames(solver, 300);
        // the mean over a second, in layers of a spacing
        std::vector<double> sum(24), count(24);
        double top = 0;
        for (int frame = 0; frame < 60; ++frame) {
            solver.step();
            const std::vector<double> p = pressures(solver, world);
            const std::vector<Vec4> x = world.particles.x.download();
            for (size_t i = 0; i < x.size(); ++i) {
                const auto layer = static_cast<size_t>(std::clamp(x[i].y / 0.05, 0.0, 23.0));
                sum[layer] += p[i], count[layer] += 1;
                top += 2 * double{x[i].y} / (60 * static_cast<double>(x.size()));
            }
        }
        const double scale = 1000 * 0.9;  // ρ g H [Pa]
        double worst = 0, mean = 0, layers = 0;
        std::vector<double> height, share;
        for (size_t k = 0; k < sum.size(); ++k) {
            if (count[k] < 600) continue;  // less than a quarter of a layer
            const double y = 0.05 * (static_cast<double>(k) + 0.5), measured = sum[k] / count[k] / scale,
                         error = std::abs(measured - std::max(0.0, 1 - y / 0.9));
            height.push_back(y), share.push_back(measured);
            worst = std::max(worst, error), mean += error, layers += 1;
        }
        fmt::print("| {} | {:.1f} % | {:.1f} % | {:+.1f} % |\n", name, 100 * mean / layers, 100 * worst,
                   100 * (top / 0.9 - 1));
        plot.measured(name, height, share);
        EXPECT_LT(mean / layers, limit) << name;
        EXPECT_NEAR(top / 0.9, 1, 0.02) << name;
    }
    plot.reference("1 - y/H", {0, 0.9}, {1, 0}).write();
}

// ---- elliptical drop ----

// Monaghan 1994: a circle of liquid with v = (−A x, A y), free and without gravity, stays an ellipse of the
// axes a and 1/a: a' = −a A, A' = A² (a⁴ − 1)/(a⁴ + 1); R = 1 m, A₀ = 1/s. Runge and Kutta's fourth order.
std::pair<double, double> ellipse(double time) {
    const auto rate = [](double a, double A) {
        const double a4 = a * a * a * a;
        return std::pair{-a * A, A * A * (a4 - 1) / (a4 + 1)};
    };
    double a = 1, A = 1;
    const int steps = 2000;
    for (int k = 0; k < steps; ++k) {
        const double h = time / steps;
        const auto [a1, A1] = rate(a, A);
        const auto [a2, A2] = rate(a + h / 2 * a1, A + h / 2 * A1);
        const auto [a3, A3] = rate(a + h / 2 * a2, A + h / 2 * A2);
        const auto [a4, A4] = rate(a + h * a3, A + h * A3);
        a += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4), A += h / 6 * (A1 + 2 * A2 + 2 * A3 + A4);
    }
    return {a, 1 / a};
}

TEST_P(LiquidFlow, EllipticalDropMatchesTheory) {
    EXPECT_NEAR(ellipse(0.76).first, 0.51427, 1e-5);  // as published
    fmt::print("| setting | t A0 | minor axis | exact | major axis | exact | area |\n");
    PlotData plot("elliptical_drop", "Axes of a drop that is drawn out", "t A0 [-]", "axis [m]");
    std::vector<double> t, minor, major;
    for (int k = 0; k <= 40; ++k) {
        t.push_back(0.02 * k), minor.push_back(ellipse(0.02 * k).first), major.push_back(1 / minor.back());
    }
    for (const auto& [name, substeps, iterations] : {std::tuple{"real-time", 2, 4}, {"quality", 4, 20}}) {
        World world(exec);
        world.parameters.world.gravity = {0, 0, 0};
        world.parameters.solver.planar = true;
        world.parameters.solver.frameRate = 100;
        world.parameters.solver.substeps = substeps;
        world.parameters.solver.iterations = iterations;
        MaterialProperties m = water(0.04f);
        m.viscosity = 0.01f;
        addMaterial(world, m);
        std::vector<ParticleDef> births;
        for (const Vec3 p : lattice(0.04f, 1, true, [](Vec3 x) { return length(x) < 1; })) {
            // rows along the pull would stay rows, ever farther apart: the lattice stands aslant
            const Vec3 q{std::cos(0.4f) * p.x - std::sin(0.4f) * p.y,
                         std::sin(0.4f) * p.x + std::cos(0.4f) * p.y, 0};
            births.push_back({.x = q, .v = {-q.x, q.y, 0}});
        }
        world.addParticles(births);
        // an ellipse has ⟨x²⟩ = (its axis)²/4; the lattice of the start is not quite a circle
        const auto axes = [&] {
            double x2 = 0, y2 = 0;
            for (const Vec4& p : positions(world)) x2 += double{p.x} * p.x, y2 += double{p.y} * p.y;
            const auto n = static_cast<double>(world.count());
            return std::pair{2 * std::sqrt(x2 / n), 2 * std::sqrt(y2 / n)};
        };
        const auto [x0, y0] = axes();
        std::vector<double> at, small, large;
        Solver solver(world);
        for (const double until : {0.08, 0.2, 0.38, 0.57, 0.76}) {
            while (world.time < until - 1e-6) solver.step();
            const auto [a, b] = ellipse(world.time);
            const auto [x, y] = axes();
            at.push_back(world.time), small.push_back(x / x0), large.push_back(y / y0);
            fmt::print("| {} | {:.2f} | {:.4f} | {:.4f} | {:.4f} | {:.4f} | {:+.2f} % |\n", name, world.time,
                       x / x0, a, y / y0, b, 100 * (x * y / (x0 * y0) - 1));
            EXPECT_NEAR(x / x0 / a, 1, 0.02) << name << " at " << world.time;
            EXPECT_NEAR(y / y0 / b, 1, 0.02) << name << " at " << world.time;
            EXPECT_NEAR(x * y / (x0 * y0), 1, 0.01) << name << " at " << world.time;
        }
        plot.measured(fmt::format("minor, {}", name), at, small)
            .measured(fmt::format("major, {}", name), at, large);
    }
    plot.reference("exact", t, minor).reference("exact", t, major).write();
}

// ---- Rayleigh-Taylor ----

// ρ 1.8 above 1, g = 1 m/s², 1 x 2 m, one wave across, Re = √(g W³)/ν = 420 (PySPH's set-up), from rest: the
// wave grows as η₀ cosh(s t), with s = √(A g k + ν²k⁴) − ν k² (Chandrasekhar's estimate for two layers of one
// ν).
TEST_P(LiquidFlow, RayleighTaylorGrowthRateMatchesTheory) {
    fmt::print("| d [m] | h / d | rate [1/s] | theory | deviation |\n");
    const double k = 2 * pi, nu = 1.0 / 420, atwood = 0.8 / 2.8;
    const double inviscid = std::sqrt(atwood * k),
                 theory = std::sqrt(inviscid * inviscid + nu * nu * k * k * k * k) - nu * k * k;
    PlotData plot("rayleigh_taylor", "Rayleigh-Taylor wave, 1.8:1", "t [s]",
                  "height / height at the start [-]");
    for (const auto& [d, ratio] : {std::pair{0.04f, 2.0f}, {0.02f, 2.0f}, {0.04f, 4.0f}, {0.02f, 4.0f}}) {
        World world(exec);
        world.parameters.world.gravity = {0, -1, 0};
        world.parameters.solver.planar = true;
        world.parameters.solver.substeps = 4;
        world.parameters.solver.iterations = 8;
        MaterialProperties light = water(d);
        light.kinematicViscosity = static_cast<float>(nu);
        light.supportRatio = ratio;
        MaterialProperties heavy = light;
        heavy.density = 1800;
        addMaterial(world, light), addMaterial(world, heavy);
        Shape tank;
        tank.name = "tank", tank.kind = ShapeKind::box, tank.container = true;
        tank.halfExtents = {0.5f, 1.5f, 1}, tank.position = {0, 1.5f, 0};
        world.shapes.push_back(tank);
        std::vector<ParticleDef> births;
        const int across = static_cast<int>(std::lround(1 / d));
        for (int y = 0; y < 2 * across; ++y)
            for (int x = 0; x < across; ++x) {
                const Vec3 p{-0.5f + d * (x + 0.5f), d * (y + 0.5f), 0};
                const double border = 1 - 0.03 * std::cos(k * p.x);
                births.push_back({.x = p, .material = p.y > border});
            }
        world.addParticles(births);
        const std::vector<uint32_t> phase = byId(world, world.particles.phase);
        // the cosine in the thickness of the upper layer
        const auto wave = [&] {
            double sum = 0;
            const std::vector<Vec4> x = positions(world);
            for (size_t i = 0; i < x.size(); ++i)
                if (materialOf(phase[i]) == 1) sum += std::cos(k * x[i].x);
            return 2 * sum * d * d;
        };
        const double first = wave();
        Solver solver(world);
        std::vector<double> t, height;
        double rate = 0;
        while (world.time < 3) {
            solver.step();
            const double now = wave();
            if (now * k > 0.5) break;
            t.push_back(world.time), height.push_back(now / first);
            rate = std::acosh(std::max(1.0, now / first)) / world.time;
        }
        fmt::print("| {:g} | {:g} | {:.3f} | {:.3f} | {:+.0f} % |\n", d, ratio, rate, theory,
                   100 * (rate / theory - 1));
        std::fflush(stdout);
        plot.line(fmt::format("d = {:g} m, h = {:g} d", d, ratio), t, height);
        // at h = 2 d a layer at rest is a crystal, whose stiffness holds waves of so little buoyancy back
        EXPECT_NEAR(rate / theory, 1, ratio > 2 ? 0.25 : 0.8) << d << ", h = " << ratio << " d";
    }
    std::vector<double> t, exact;
    for (int n = 0; n <= 30; ++n) t.push_back(0.045 * n), exact.push_back(std::cosh(theory * t.back()));
    plot.reference("cosh(s t)", t, exact).write();
}

FOR_EACH_BACKEND(LiquidFlow);

}  // namespace
}  // namespace coalesce::test
