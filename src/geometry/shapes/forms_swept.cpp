// Balls swept along curves, and blends of them with ellipsoids: knots, fruit, animals, a teapot.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "geometry/math/curve.h"
#include "geometry/shapes/solid_forms.h"

namespace coalesce::forms {

namespace {

// Subdivides control beads by a Catmull-Rom spline through them.
std::vector<Bead> spline(std::span<const Bead> control, int pieces) {
    std::vector<Bead> beads;
    const int last = static_cast<int>(control.size()) - 1;
    const auto bead = [&](int k) { return control[std::clamp(k, 0, last)]; };
    for (int k = 0; k < last; ++k)
        for (int piece = 0; piece < pieces; ++piece) {
            const auto w = splineWeights(static_cast<double>(piece) / pieces);
            Bead sum{{}, 0};
            for (int j = 0; j < 4; ++j) {
                sum.at = sum.at + w[j] * bead(k - 1 + j).at;
                sum.radius += w[j] * bead(k - 1 + j).radius;
            }
            beads.push_back(sum);
        }
    beads.push_back(control.back());
    return beads;
}

}  // namespace

SolidForm torusKnot(const ShapeParameters& parameters) {
    const double tube = parameters["tube"], ring = 0.34, coil = 0.14;
    std::vector<Bead> beads;
    constexpr int kPieces = 120;
    for (int k = 0; k <= kPieces; ++k) {
        const double t = 2 * std::numbers::pi * (k % kPieces) / kPieces, r = ring + coil * std::cos(3 * t);
        beads.push_back({{r * std::cos(2 * t), r * std::sin(2 * t), coil * std::sin(3 * t)}, tube});
    }
    const double reach = ring + coil + tube;
    return {.distance = [beads](Vec3d p) { return sweepDistance(p, beads); },
            .bounds = around(reach, -reach, reach, coil + tube),
            .cell = std::clamp(tube / 3, 1.0 / 60, 1.0 / 30)};
}

SolidForm banana(const ShapeParameters& parameters) {
    const double bend = parameters["bend"] * std::numbers::pi / 180, radius = parameters["radius"];
    const double arc = 0.45 / std::sin(bend / 2);  // radius of the center line [over the height]
    std::vector<Bead> beads;
    constexpr int kPieces = 24;
    for (int k = 0; k <= kPieces; ++k) {
        const double u = static_cast<double>(k) / kPieces, angle = (u - 0.5) * bend;
        beads.push_back({{0, arc * std::sin(angle), arc * (std::cos(angle) - 1)},
                         radius * (0.3 + 0.7 * std::sin(std::numbers::pi * u))});
    }
    return {.distance = [beads](Vec3d p) { return sweepDistance(p, beads); },
            .bounds = {{-radius, -0.5 - radius, -0.5 - radius}, {radius, 0.5 + radius, radius}},
            .cell = 1.0 / 32};
}

SolidForm serpent(const ShapeParameters&) {
    const Bead control[] = {{{.55, .04, -.35}, .02}, {{.20, .06, -.45}, .05},  {{-.30, .08, -.30}, .075},
                            {{-.42, .09, .10}, .09}, {{-.10, .10, .40}, .095}, {{.32, .10, .25}, .10},
                            {{.36, .16, -.10}, .10}, {{.05, .28, -.22}, .10},  {{-.22, .42, -.02}, .095},
                            {{-.08, .58, .16}, .09}, {{.10, .72, .06}, .08},   {{.03, .85, -.02}, .075},
                            {{0, .92, .12}, .085},   {{0, .89, .28}, .05}};
    return {
        .distance =
            [beads = spline(control, 6)](Vec3d p) {
                const double wing = ellipsoidDistance(mirrored(p) - Vec3d{.30, .66, -.02}, {.28, .13, .03});
                return smoothUnion(sweepDistance(p, beads), wing, 0.03);
            },
        .bounds = {{-.62, -.05, -.55}, {.65, 1.05, .55}},
        .cell = 1.0 / 44};
}

SolidForm bunny(const ShapeParameters&) {
    struct Part {
        bool pair;
        Vec3d center, radii;
    };
    static const Part parts[] = {
        {false, {0, .30, -.08}, {.25, .27, .33}},   // body
        {false, {0, .40, .14}, {.18, .20, .18}},    // chest
        {false, {0, .62, .27}, {.15, .14, .17}},    // head
        {false, {0, .58, .40}, {.08, .07, .07}},    // muzzle
        {true, {.20, .20, -.14}, {.11, .19, .21}},  // haunches
        {true, {.17, .05, .08}, {.07, .05, .17}},   // hind feet
        {true, {.09, .14, .23}, {.055, .15, .07}},  // fore legs
        {false, {0, .24, -.42}, {.09, .09, .09}},   // tail
    };
    const TurnX upright(18 * std::numbers::pi / 180);  // the ears lean back
    return {.distance =
                [upright](Vec3d p) {
                    const Vec3d q = mirrored(p);
                    double d = ellipsoidDistance(upright(q - Vec3d{.07, .85, .17}), {.045, .20, .065});
                    for (const Part& part : parts)
                        d = smoothUnion(d, ellipsoidDistance((part.pair ? q : p) - part.center, part.radii),
                                        0.05);
                    return d;
                },
            .bounds = {{-.36, -.04, -.56}, {.36, 1.10, .52}},
            .cell = 1.0 / 44};
}

SolidForm figure(const ShapeParameters&) {
    const Bead arm[] = {
        {{.12, .62, 0}, .065}, {{.27, .62, .04}, .055}, {{.35, .76, .10}, .045}, {{.36, .84, .13}, .05}};
    const Bead leg[] = {
        {{.08, .32, 0}, .095}, {{.14, .18, .05}, .07}, {{.14, .06, .01}, .055}, {{.16, .045, .13}, .045}};
    const Bead tail[] = {{{0, .32, -.12}, .07}, {{0, .18, -.26}, .05}, {{0, .07, -.42}, .022}};
    return {.distance =
                [arm = spline(arm, 4), leg = spline(leg, 4), tail = spline(tail, 4)](Vec3d p) {
                    const Vec3d q = mirrored(p);
                    double d = ellipsoidDistance(p - Vec3d{0, .48, 0}, {.17, .24, .15});
                    const auto blend = [&](double part) { d = smoothUnion(d, part, 0.04); };
                    blend(ellipsoidDistance(p - Vec3d{0, .80, .05}, {.09, .10, .11}));     // head
                    blend(ellipsoidDistance(p - Vec3d{0, .77, .16}, {.045, .04, .08}));    // snout
                    blend(ellipsoidDistance(q - Vec3d{.08, .91, .01}, {.03, .09, .025}));  // ears
                    for (const double y : {.34, .45, .56, .66})                            // shell
                        blend(torusDistance(Vec3d{p.x(), p.z(), p.y()} - Vec3d{0, -.055, y}, .125, .028));
                    blend(sweepDistance(q, arm));
                    blend(sweepDistance(q, leg));
                    blend(sweepDistance(p, tail));
                    return d;
                },
            .bounds = {{-.46, -.05, -.48}, {.46, 1.05, .30}},
            .cell = 1.0 / 48};
}

SolidForm octopus(const ShapeParameters&) {
    // one of eight arms, in the plane at 22.5 degrees; the reflections below map every point to it
    const double c = std::cos(std::numbers::pi / 8), s = std::sin(std::numbers::pi / 8);
    const ProfilePoint path[] = {{.10, .42}, {.24, .28}, {.38, .12}, {.55, .06}, {.70, .10}, {.78, .20}};
    const double radius[] = {.11, .09, .075, .055, .038, .018};
    std::vector<Bead> arm;
    for (int k = 0; k < 6; ++k) arm.push_back({{c * path[k].r, path[k].y, s * path[k].r}, radius[k]});
    return {.distance =
                [arm = spline(arm, 4)](Vec3d p) {
                    Vec3d q{std::abs(p.x()), p.y(), std::abs(p.z())};
                    if (q.z() > q.x()) q = {q.z(), q.y(), q.x()};
                    double d = ellipsoidDistance(p - Vec3d{0, .68, 0}, {.25, .32, .25});
                    d = smoothUnion(d, sweepDistance(q, arm), 0.08);
                    return smoothUnion(d, sphereDistance(mirrored(p) - Vec3d{.10, .62, .22}, .06), 0.02);
                },
            .bounds = around(.8, -.03, 1.04, .8),
            .cell = 1.0 / 40};
}

SolidForm teapot(const ShapeParameters&) {
    const Bead spout[] = {
        {{.36, .28, 0}, .12}, {{.55, .38, 0}, .085}, {{.64, .54, 0}, .06}, {{.76, .66, 0}, .05}};
    const Bead handle[] = {{{-.36, .60, 0}, .045},
                           {{-.58, .64, 0}, .045},
                           {{-.72, .52, 0}, .045},
                           {{-.66, .34, 0}, .045},
                           {{-.42, .20, 0}, .045}};
    return {.distance =
                [spout = spline(spout, 5), handle = spline(handle, 5)](Vec3d p) {
                    double d = ellipsoidDistance(p - Vec3d{0, .38, 0}, {.48, .36, .48});
                    d = smoothUnion(d, ellipsoidDistance(p - Vec3d{0, .70, 0}, {.27, .09, .27}), 0.02);
                    d = smoothUnion(d, sphereDistance(p - Vec3d{0, .85, 0}, .07), 0.06);
                    d = smoothUnion(d, sweepDistance(p, spout), 0.05);
                    d = smoothUnion(d, sweepDistance(p, handle), 0.03);
                    return std::max(d, 0.06 - p.y());  // flat base
                },
            .bounds = {{-.82, .04, -.52}, {.86, .95, .52}},
            .cell = 1.0 / 40};
}

}  // namespace coalesce::forms
