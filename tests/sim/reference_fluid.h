// The density constraint of liquids by its formulas over all pairs, in double.
#pragma once

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "sim/fluid/density.h"
#include "sim/reference_kernel.h"
#include "support/each_backend.h"

namespace coalesce::test {

// What the reference knows of a material, from the definition: a filled lattice has volume fraction 1.
struct Rest {
    double h, volume, mass, denominator;
    double attraction;  // κ/denominator, [VFX15] 3.3
};
inline Rest restOf(const MaterialProperties& m) {
    const double d = m.spacing, h = d * m.supportRatio;
    double weights = 0, squares = 0;
    for (int z = -5; z <= 5; ++z)
        for (int y = -5; y <= 5; ++y)
            for (int x = -5; x <= 5; ++x) {
                const Vec3d p{d * x, d * y, d * z};
                weights += weight(length(p), h);
                squares += dot(weightGradient(p, h), weightGradient(p, h));
            }
    const double volume = 1 / weights, mass = m.density * std::pow(double{m.spacing}, 3);
    const double denominator = volume * volume * squares / mass;
    return {h, volume, mass, denominator, 0.03 * m.tension / denominator};
}

// One iteration for all particles at once, in the order of storage.
struct Iteration {
    std::vector<double> phi, lambda;
    std::vector<Vec3d> delta;
};
struct Particle {
    Vec3d x;
    double w;
    Rest rest;
    Vec3d wallGradient{};
    double wall = 0;
    bool solid = false;  // counts with its share in others' density and has none of its own
};
inline Iteration referenceIteration(const std::vector<Particle>& p, const Parameters::Fluid& fluid) {
    const size_t n = p.size();
    Iteration r{std::vector<double>(n), std::vector<double>(n), std::vector<Vec3d>(n)};
    double denominator = 0;  // of a filled neighborhood, the largest of all materials
    for (const Particle& a : p)
        if (!a.solid) denominator = std::max(denominator, a.rest.denominator);
    for (size_t i = 0; i < n; ++i) {
        if (p[i].solid) continue;
        double others = 0;
        Vec3d own = p[i].wallGradient;
        r.phi[i] = p[i].wall;
        for (size_t j = 0; j < n; ++j) {
            const double h = (p[i].rest.h + p[j].rest.h) / 2, V = p[j].rest.volume;
            const Vec3d d = p[i].x - p[j].x;
            r.phi[i] += V * weight(length(d), h);
            if (j == i) continue;
            const Vec3d g = V * weightGradient(d, h);
            own = own + g;
            others += p[j].w * dot(g, g);
        }
        const double c = r.phi[i] - 1;
        r.lambda[i] = fluid.stiffness == Stiffness::regularized
                          ? -double{fluid.regularization} * c / denominator
                          : -c / (p[i].w * (dot(own, own) + double{fluid.relaxation} * p[i].rest.denominator *
                                                                p[i].rest.mass) +
                                  others);
        if (fluid.constraint == Density::unilateral)
            r.lambda[i] = std::min(r.lambda[i], p[i].rest.attraction);
        r.lambda[i] *= fluid.overRelaxation;
    }
    for (size_t i = 0; i < n; ++i) {
        Vec3d sum = r.lambda[i] * p[i].wallGradient;
        for (size_t j = 0; j < n; ++j) {
            if (j == i) continue;
            const double h = (p[i].rest.h + p[j].rest.h) / 2;
            const Vec3d d = p[i].x - p[j].x;
            const double mean = (p[i].rest.volume + p[j].rest.volume) / 2;
            const double ratio = std::min(weight(length(d), h) / weight(fluid.tensileDistance * h, h), 1.0);
            const double correction = -(double{fluid.tensile} / denominator +
                                        0.25 / 0.03 * (p[i].rest.attraction + p[j].rest.attraction) / 2) *
                                      mean * std::pow(ratio, fluid.tensilePower);
            sum = sum + (r.lambda[i] * p[j].rest.volume + r.lambda[j] * p[i].rest.volume + correction) *
                            weightGradient(d, h);
        }
        r.delta[i] = p[i].w * sum;
    }
    return r;
}

class Liquid : public EachBackend {
protected:
    // one particle is pinned
    void addUneven(World& world, uint32_t materials) {
        std::vector<ParticleDef> births = unevenBlock(materials, 11);
        births[100].inverseMass = 0;
        world.addParticles(births);
    }
    std::vector<Particle> particlesOf(const OpenWorld& open) {
        const std::vector<Vec4> x = open.world.particles.x.download();
        const std::vector<uint32_t> phase = open.world.particles.phase.download();
        std::vector<Particle> p;
        for (size_t i = 0; i < x.size(); ++i)
            p.push_back(
                {toDouble(x[i]), x[i].w, restOf(open.world.materials[materialOf(phase[i])].properties)});
        return p;
    }
    void expectOneIteration(World& world) {
        OpenWorld open(world);
        DensityConstraint density(exec);
        density.prepare(open.step);
        density.solve(open.step);
        const std::vector<Particle> p = particlesOf(open);
        const Iteration expected = referenceIteration(p, world.parameters.fluid);
        const std::vector<Vec4> moved = open.device.xStar.download();
        double largest = 0;
        for (const Vec3d& d : expected.delta) largest = std::max(largest, length(d));
        ASSERT_GT(largest, 1e-4);
        // positions near 0.4 m have steps of 3e-8 m; sums of 40 terms in float lose some 1e-6 of the largest
        for (size_t i = 0; i < p.size(); ++i)
            ASSERT_LT(length(toDouble(moved[i]) - p[i].x - expected.delta[i]), 6e-8 + 4e-6 * largest)
                << "slot " << i;
    }
};

}  // namespace coalesce::test
