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

SolidForm horse(const ShapeParameters&) {
    const Bead trunk[] = {
        {{0, .635, -.31}, .12}, {{0, .62, -.14}, .125}, {{0, .60, .08}, .13}, {{0, .62, .24}, .115}};
    const Bead neck[] = {{{0, .66, .27}, .105}, {{0, .79, .36}, .072}, {{0, .90, .42}, .056}};
    const Bead head[] = {
        {{0, .91, .42}, .055}, {{0, .86, .50}, .05}, {{0, .78, .565}, .035}, {{0, .75, .58}, .034}};
    const Bead mane[] = {{{0, .75, .235}, .02}, {{0, .86, .325}, .026}, {{0, .95, .39}, .024}};
    const Bead tail[] = {
        {{0, .69, -.44}, .026}, {{0, .58, -.51}, .04}, {{0, .42, -.52}, .034}, {{0, .30, -.50}, .012}};
    const Bead fore[] = {{{.085, .56, .20}, .08},  {{.082, .41, .215}, .05},  {{.08, .28, .235}, .034},
                         {{.08, .17, .225}, .024}, {{.08, .075, .215}, .027}, {{.08, .02, .23}, .036}};
    const Bead hind[] = {{{.08, .58, -.30}, .10},   {{.085, .43, -.29}, .07},   {{.08, .29, -.365}, .034},
                         {{.08, .17, -.345}, .026}, {{.08, .075, -.335}, .028}, {{.08, .02, -.315}, .037}};
    Skeleton skeleton;
    const auto bone = [&](Vec3d from, double fromRadius, Vec3d to, double toRadius) {
        skeleton.bones.push_back({from, to, fromRadius, toRadius});
        return skeleton.bones.size() - 1;
    };
    bone(trunk[0].at, .12, trunk[3].at, .12);
    skeleton.neck = bone(neck[0].at, .09, neck[2].at, .07);
    skeleton.head = bone(head[0].at, .055, head[3].at, .034);
    skeleton.tail = bone(tail[0].at, .026, tail[3].at, .04);
    // lateral sequence: left hind, left fore, right hind, right fore, a quarter of a period apart; left is +x
    for (const double side : {1.0, -1.0})
        for (const bool isFore : {false, true}) {
            const auto at = [&](int k) -> Vec3d {
                const Vec3d p = (isFore ? fore : hind)[k].at;
                return {side * p.x(), p.y(), p.z()};
            };
            const size_t upper = bone(at(0), .09, at(2), .034), lower = bone(at(2), .034, at(5), .03);
            skeleton.legs.push_back({upper, lower, (side > 0 ? 0 : 0.5) + (isFore ? 0.25 : 0)});
        }
    return {
        .distance =
            [trunk = spline(trunk, 4), neck = spline(neck, 4), head = spline(head, 4), mane = spline(mane, 4),
             tail = spline(tail, 4), fore = spline(fore, 4), hind = spline(hind, 4)](Vec3d p) {
                const Vec3d q = mirrored(p);
                double d = sweepDistance(p, trunk);
                const auto blend = [&](double part, double width) { d = smoothUnion(d, part, width); };
                blend(sweepDistance(p, neck), 0.08);
                blend(sweepDistance(p, head), 0.03);
                blend(sweepDistance(p, mane), 0.02);
                blend(sweepDistance(p, tail), 0.03);
                blend(ellipsoidDistance(q - Vec3d{.034, .975, .41}, {.015, .045, .019}), 0.015);  // ears
                blend(sweepDistance(q, fore), 0.03);
                blend(sweepDistance(q, hind), 0.03);
                return std::max(d, -p.y());  // hooves are flat
            },
        .bounds = {{-.24, -.02, -.58}, {.24, 1.04, .66}},
        .cell = 1.0 / 64,
        .skeleton = std::move(skeleton)};
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
