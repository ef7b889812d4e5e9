// Buildings and landscapes.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/hash.h"
#include "geometry/math/random.h"
#include "geometry/shapes/solid_forms.h"

namespace coalesce::forms {

SolidForm castle(const ShapeParameters&) {
    return {.distance =
                [](Vec3d p) {
                    const Vec3d q{std::abs(p.x()), p.y(), std::abs(p.z())}, tower = q - Vec3d{.48, 0, .48};
                    double d = std::min(cylinderDistance(tower, .16, .60),
                                        coneDistance(tower - Vec3d{0, .60, 0}, .24, .40));
                    // curtain walls, with a gate in the front one
                    const double side = boxDistance(q - Vec3d{.48, .20, 0}, {.07, .20, .48});
                    const double front = boxDistance(q - Vec3d{0, .20, .48}, {.48, .20, .07});
                    const double gate =
                        std::min(boxDistance(p - Vec3d{0, .06, .48}, {.10, .10, .2}),
                                 cylinderDistance({p.x(), p.z() - .28, p.y() - .16}, .10, .4));
                    d = std::min(d, std::min(side, std::max(front, -gate)));
                    return std::min(d, boxDistance(p - Vec3d{0, .30, 0}, {.20, .30, .20}));  // keep
                },
            .bounds = around(.72, 0, 1, .72),
            .tight = true,
            .crease = 37,
            .cell = 1.0 / 40};
}

// A stone head on a squat body, hands on its belly; the mouth is a hole that fits an emitter.
SolidForm idol(const ShapeParameters&) {
    return {.distance =
                [](Vec3d p) {
                    const Vec3d q = mirrored(p);
                    const auto block = [&](Vec3d at, Vec3d radii, double n) {
                        return superquadricDistance(q - at, radii, n);
                    };
                    double d = block({0, .06, 0}, {.30, .06, .27}, 8);  // plinth
                    const auto join = [&](double part) { d = smoothUnion(d, part, .03); };
                    join(block({0, .31, 0}, {.23, .25, .18}, 4));             // body
                    join(block({.15, .30, .16}, {.09, .06, .06}, 3));         // hands
                    join(block({.22, .36, .04}, {.06, .16, .09}, 3));         // arms
                    join(block({0, .75, 0}, {.25, .25, .20}, 3.5));           // head
                    join(block({.26, .75, 0}, {.035, .13, .06}, 4));          // ears
                    join(block({0, .875, .16}, {.20, .03, .07}, 4));          // brow
                    join(block({0, .79, .20}, {.04, .085, .06}, 2.5));        // nose
                    join(torusDistance(p - Vec3d{0, .64, .185}, .085, .03));  // lips
                    const double eye = sphereDistance(q - Vec3d{.11, .82, .185}, .04);
                    d = std::min(std::max(d, -sphereDistance(q - Vec3d{.11, .82, .21}, .055)), eye);
                    const double nozzle = cylinderDistance({p.x(), p.z() - .06, p.y() - .64}, .065,
                                                           1);  // cylindrical hole, forward
                    return std::max(d, -nozzle);
                },
            .bounds = around(.31, 0, 1, .28),
            .crease = 50,
            .cell = 1.0 / 48};
}

namespace {

// Value noise in −1 … 1 of mean 0 on the unit lattice.
double noise(uint64_t seed, Vec3d p) {
    const double cell[] = {std::floor(p.x()), std::floor(p.y()), std::floor(p.z())};
    const double part[] = {p.x() - cell[0], p.y() - cell[1], p.z() - cell[2]};
    double sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
        double weight = 1;
        uint64_t key = seed;
        for (int k = 0; k < 3; ++k) {
            const int up = corner >> k & 1;
            const double t = part[k], smooth = t * t * (3 - 2 * t);
            weight *= up ? smooth : 1 - smooth;
            key = mixIn(key, static_cast<uint64_t>(static_cast<int64_t>(cell[k]) + up));
        }
        sum += weight * randomShift(key, 0, 0);
    }
    return sum;
}

}  // namespace

// A canyon along x: river bed, waterfall, basin, sill, outlet; closed upstream, open at +x.
SolidForm riverbed(const ShapeParameters& parameters) {
    const double rough = parameters["rough"], sill = parameters["sill"];
    // profile of the bed as a closed polygon; r is x + 1, because revolved polygons need r >= 0
    const std::array<ProfilePoint, 11> bed{{{0, 0},
                                            {2, 0},
                                            {2, .12},
                                            {1.75, .16},
                                            {1.60, sill},
                                            {1.48, sill},
                                            {1.28, .10},
                                            {.74, .08},
                                            {.66, .20},
                                            {.62, .58},
                                            {0, .66}}};
    const auto distance = [=, seed = parameters.seed](Vec3d p) {
        const double x = p.x(), across = std::abs(p.z());
        // half the width: river, basin, outlet
        const double toBasin = std::clamp((x + .44) / .2, 0.0, 1.0),
                     toOut = std::clamp((.62 - x) / .3, 0.0, 1.0);
        const double half =
            .17 + .13 * std::min(toBasin * toBasin * (3 - 2 * toBasin), toOut * toOut * (3 - 2 * toOut));
        const double floor = revolvedDistance({std::max(x + 1, 0.0), p.y(), 0}, bed);
        // the front bank is lower downstream; scaled, because a slope would shorten the distance
        const double lower = p.z() > 0 ? 1 - std::clamp((x + .7) / .5, 0.0, 1.0) * .56 : 1;
        const double banks = std::max(.75 * (half + .12 * p.y() - .06 - across), .75 * (p.y() - lower));
        const double back = std::max(x + .92, p.y() - 1);
        const double rock = smoothUnion(smoothUnion(floor, banks, .05), back, .05);
        const double bumps = rough * (noise(seed, 6.0 * p) + .4 * noise(seed + 1, 14.0 * p));
        return std::max(rock + bumps, boxDistance(p - Vec3d{0, .5, 0}, {1, .5, .42}));
    };
    return {.distance = distance,
            .bounds = {{-1, 0, -.42}, {1, 1, .42}},
            .tight = true,
            .crease = 60,
            .cell = 1.0 / 40};
}

// Rows of cobbles on a slab between kerbs, a square opening in the middle with bars across.
SolidForm street(const ShapeParameters& parameters) {
    const double gap = parameters["opening"] / 2, bars = parameters["bars"];
    const auto distance = [=](Vec3d p) {
        constexpr double kPitch = 0.125;
        const auto folded = [](double v) { return v - kPitch * (std::floor(v / kPitch) + 0.5); };
        const double slab = boxDistance(p - Vec3d{0, .05, 0}, {.5, .05, .5});
        const double cobble =
            superquadricDistance({folded(p.x()), p.y() - .10, folded(p.z())}, {.060, .035, .060}, 4);
        const double stones =
            std::max(smoothUnion(slab, cobble, .01), std::max(std::abs(p.x()), std::abs(p.z())) - .5);
        const double road = std::max(stones, gap - std::max(std::abs(p.x()), std::abs(p.z())));
        const double pitch = 2 * gap / (bars + 1);
        double grate = 1;
        for (int k = 1; k <= static_cast<int>(bars); ++k)
            grate = std::min(grate, boxDistance(p - Vec3d{k * pitch - gap, .07, 0}, {.0175, .03, gap + .02}));
        const double kerb = std::max(boxDistance(p - Vec3d{0, .1, 0}, {.5, .1, .5}),
                                     .47 - std::max(std::abs(p.x()), std::abs(p.z())));
        return std::min({road, grate, kerb});
    };
    return {.distance = distance, .bounds = around(.5, 0, .2, .5), .crease = 30, .cell = 1.0 / 80};
}

}  // namespace coalesce::forms
