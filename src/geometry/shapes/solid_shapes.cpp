#include "geometry/shapes/solid_shapes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <vector>

#include "core/error.h"
#include "core/hash.h"
#include "geometry/math/curve.h"
#include "geometry/math/random.h"
#include "geometry/query/hull.h"

namespace coalesce {

namespace {

struct Wishes {
    const SolidNumbers& numbers;
    uint64_t seed;
    Vec3d size;

    double operator[](const char* name) const { return numbers.at(name); }
    Vec3d sizeOr(Vec3d natural) const { return size.x() > 0 ? size : natural; }
};

// The box [-x, x] × [low, high] × [-z, z].
Box3d around(double x, double low, double high, double z) {
    return {{-x, low, -z}, {x, high, z}};
}

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

Vec3d mirrored(Vec3d p) {
    return {std::abs(p.x()), p.y(), p.z()};
}

// ---- boxes and simple solids ----

SolidForm box(const Wishes& wishes, Vec3d natural) {
    const Vec3d half = 0.5 * wishes.sizeOr(natural);
    const double shortest = 2 * half.minCoeff(), longest = 2 * half.maxCoeff();
    return {.distance = [half](Vec3d p) { return boxDistance(p, half); },
            .bounds = {-1.0 * half, half},
            .tight = true,
            .exact = true,
            .crease = 37,
            .cell = std::max(shortest / 2, longest / 8)};
}
SolidForm brick(const Wishes& wishes) {
    return box(wishes, {2, 1, 1});
}
SolidForm cube(const Wishes& wishes) {
    return box(wishes, {1, 1, 1});
}
SolidForm rod(const Wishes& wishes) {
    return box(wishes, {1.0 / 8, 1, 1.0 / 8});
}
SolidForm cloth(const Wishes& wishes) {
    return box(wishes, {1, 1, 1.0 / 12});
}

SolidForm sphere(const Wishes&) {
    return {.distance = [](Vec3d p) { return sphereDistance(p, 0.5); },
            .bounds = around(0.5, -0.5, 0.5, 0.5),
            .tight = true,
            .exact = true,
            .cell = 1.0 / 20};
}

// A recursively subdivided icosahedron with corners on the sphere: edges of nearly equal length, for
// balloons.
TriangleMesh icosphereMesh(int subdivisions) {
    const auto t = static_cast<float>((1 + std::sqrt(5.0)) / 2);
    TriangleMesh mesh{{{-1, t, 0},
                       {1, t, 0},
                       {-1, -t, 0},
                       {1, -t, 0},
                       {0, -1, t},
                       {0, 1, t},
                       {0, -1, -t},
                       {0, 1, -t},
                       {t, 0, -1},
                       {t, 0, 1},
                       {-t, 0, -1},
                       {-t, 0, 1}},
                      {},
                      {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                       {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                       {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}}};
    for (int level = 0; level < subdivisions; ++level) {
        std::map<std::array<uint32_t, 2>, uint32_t> middles;
        const auto middle = [&](uint32_t a, uint32_t b) {
            const auto [it, fresh] = middles.try_emplace({std::min(a, b), std::max(a, b)},
                                                         static_cast<uint32_t>(mesh.vertices.size()));
            if (fresh) mesh.vertices.push_back(0.5f * (mesh.vertices[a] + mesh.vertices[b]));
            return it->second;
        };
        std::vector<Triangle> finer;
        for (const auto& [a, b, c] : mesh.triangles) {
            const uint32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
            finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
        }
        mesh.triangles = std::move(finer);
    }
    for (Vec3& p : mesh.vertices) {
        const Vec3d q = toDouble(p);
        p = toFloat((0.5 / length(q)) * q);
    }
    mesh.normals = mesh.vertices;
    for (Vec3& n : mesh.normals) n = 2.0f * n;
    return mesh;
}
SolidForm icosphere(const Wishes& wishes) {
    SolidForm form = sphere(wishes);
    form.mesh = icosphereMesh(static_cast<int>(wishes["subdivisions"]));
    return form;
}

SolidForm disc(const Wishes& wishes) {
    const double thickness = wishes["thickness"];
    return {.distance =
                [thickness](Vec3d p) {
                    return cylinderDistance({p.x(), p.z() + thickness / 2, p.y()}, 0.5, thickness);
                },
            .bounds = around(0.5, -0.5, 0.5, thickness / 2),
            .tight = true,
            .exact = true,
            .crease = 37,
            .cell = std::clamp(thickness / 2, 1.0 / 40, 1.0 / 20)};
}

// Circles around the tube, every second one rotated by half a step: triangles are nearly equilateral at the
// mean distance from the axis, narrower inside and wider outside.
TriangleMesh torusMesh(double ring, double tube, uint32_t circles) {
    const auto steps =
        std::max(6u, static_cast<uint32_t>(std::lround(std::sqrt(0.75) * circles * tube / ring)));
    TriangleMesh mesh;
    for (uint32_t k = 0; k < circles; ++k)
        for (uint32_t j = 0; j < steps; ++j) {
            const double around = 2 * std::numbers::pi * k / circles,
                         about = 2 * std::numbers::pi * (j + 0.5 * (k % 2)) / steps;
            const Vec3d n{std::cos(about) * std::cos(around), std::cos(about) * std::sin(around),
                          std::sin(about)};
            const Vec3d middle{ring * std::cos(around), ring * std::sin(around), 0};
            mesh.vertices.push_back(toFloat(middle + tube * n));
            mesh.normals.push_back(toFloat(n));
            const auto at = [&](uint32_t circle, uint32_t step) {
                return circle % circles * steps + step % steps;
            };
            if (k % 2 == 0) {
                mesh.triangles.push_back({at(k, j), at(k + 1, j), at(k, j + 1)});
                mesh.triangles.push_back({at(k, j + 1), at(k + 1, j), at(k + 1, j + 1)});
            } else {
                mesh.triangles.push_back({at(k, j), at(k + 1, j + 1), at(k, j + 1)});
                mesh.triangles.push_back({at(k, j), at(k + 1, j), at(k + 1, j + 1)});
            }
        }
    return mesh;
}
SolidForm torus(const Wishes& wishes) {
    const double tube = wishes["tube"];
    SolidForm form{.distance = [tube](Vec3d p) { return torusDistance(p, 0.5 - tube, tube); },
                   .bounds = around(0.5, -0.5, 0.5, tube),
                   .tight = true,
                   .exact = true,
                   .cell = std::clamp(tube / 4, 1.0 / 60, 1.0 / 20)};
    // rotated circles close only after an even number
    if (const auto circles = static_cast<uint32_t>(wishes["circles"]); circles > 0)
        form.mesh = torusMesh(0.5 - tube, tube, std::max(8u, circles / 2 * 2));
    return form;
}

SolidForm uShape(const Wishes& wishes) {
    const double t = wishes["thickness"];
    const Vec3d foot{0.5, t / 2, t / 2}, arm{t / 2, 0.5, t / 2};
    return {.distance =
                [=](Vec3d p) {
                    return std::min(boxDistance(p - Vec3d{0, t / 2 - 0.5, 0}, foot),
                                    boxDistance(mirrored(p) - Vec3d{0.5 - t / 2, 0, 0}, arm));
                },
            .bounds = around(0.5, -0.5, 0.5, t / 2),
            .tight = true,
            .crease = 37,
            .cell = std::clamp(t / 3, 1.0 / 40, 1.0 / 12)};
}

// ---- sweeps ----

SolidForm torusKnot(const Wishes& wishes) {
    const double tube = wishes["tube"], ring = 0.34, coil = 0.14;
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

SolidForm banana(const Wishes& wishes) {
    const double bend = wishes["bend"] * std::numbers::pi / 180, radius = wishes["radius"];
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

SolidForm serpent(const Wishes&) {
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

// ---- blends ----

SolidForm bunny(const Wishes&) {
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

SolidForm figure(const Wishes&) {
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

SolidForm octopus(const Wishes&) {
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

SolidForm teapot(const Wishes&) {
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

// ---- surfaces of revolution ----

SolidForm cup(const Wishes& wishes) {
    const double wall = wishes["wall"], foot = 0.34, rim = 0.44;
    const std::array<ProfilePoint, 6> profile{
        {{0, 0}, {foot, 0}, {rim, 1}, {rim - wall, 1}, {foot + (rim - foot) * wall - wall, wall}, {0, wall}}};
    return {.distance = [profile](Vec3d p) { return revolvedDistance(p, profile); },
            .bounds = around(rim, 0, 1, rim),
            .tight = true,
            .exact = true,
            .crease = 37,
            .cell = std::clamp(wall / 1.5, 1.0 / 64, 1.0 / 24)};
}

SolidForm bowl(const Wishes& wishes) {
    const double wall = wishes["wall"];
    std::vector<ProfilePoint> profile;
    for (int k = 0; k <= 32; ++k) {
        const double angle = std::numbers::pi / 2 * k / 32;
        profile.push_back({std::sin(angle), 1 - std::cos(angle)});
    }
    const double r = 1 + wall / 2;
    return {.distance = [=](Vec3d p) { return revolvedWallDistance(p, profile, wall); },
            .bounds = around(r, -wall / 2, 1 + wall / 2, r),
            .exact = true,
            .cell = std::clamp(wall / 1.5, 1.0 / 48, 1.0 / 16)};
}

// A wine glass: a bowl of constant wall thickness, solid stem and foot.
SolidForm glass(const Wishes& wishes) {
    const double wall = wishes["wall"], belly = 0.30, nozzle = 0.25, bottom = 0.38, waist = 0.66;
    // center line of the bowl, from the axis to the rim
    std::vector<ProfilePoint> bowl;
    for (int k = 0; k <= 16; ++k) {
        const double angle = std::numbers::pi / 2 * k / 16;
        bowl.push_back({belly * std::sin(angle), waist - (waist - bottom) * std::cos(angle)});
    }
    for (int k = 1; k <= 8; ++k) {
        const double u = k / 8.0;
        bowl.push_back({belly + (nozzle - belly) * u * u, waist + (1 - wall / 2 - waist) * u});
    }
    const std::array<ProfilePoint, 7> foot{
        {{0, 0}, {.27, 0}, {.27, .03}, {.08, .06}, {.045, .12}, {.045, bottom}, {0, bottom}}};
    return {.distance =
                [=](Vec3d p) {
                    return smoothUnion(revolvedDistance(p, foot), revolvedWallDistance(p, bowl, wall), .03);
                },
            .bounds = around(belly + wall / 2, 0, 1, belly + wall / 2),
            .tight = true,
            .crease = 50,
            .cell = std::clamp(wall / 1.5, 1.0 / 64, 1.0 / 32)};
}

SolidForm hourglass(const Wishes& wishes) {
    const double wall = wishes["wall"], neck = wishes["neck"] / 2, bulb = 0.30, top = 0.5 - wall / 2;
    // center line of the glass, from the center of the floor to that of the lid
    std::vector<ProfilePoint> profile{{0, -top}};
    for (int k = -16; k <= 16; ++k) {
        const double u = k / 16.0, y = u * top, share = std::min(std::abs(y) / 0.38, 1.0);
        profile.push_back(
            {neck + wall / 2 + (bulb - neck) * (1 - std::cos(std::numbers::pi * share)) / 2, y});
    }
    profile.push_back({0, top});
    const double r = bulb + wall;
    return {.distance = [=](Vec3d p) { return revolvedWallDistance(p, profile, wall); },
            .bounds = around(r, -0.5, 0.5, r),
            .exact = true,
            .cell = std::clamp(wall / 1.5, 1.0 / 64, 1.0 / 32)};
}

// ---- planes and boxes ----

SolidForm rock(const Wishes& wishes) {
    uint64_t state = mix(wishes.seed);
    const auto random = [&] { return static_cast<double>((state = mix(state)) >> 11) * 0x1p-53; };
    const int count = 6 + static_cast<int>(random() * 7);
    // evenly distributed directions on the sphere
    const auto direction = [](int k, int n) {
        const double y = 1 - (2 * k + 1.0) / n, r = std::sqrt(1 - y * y),
                     turn = std::numbers::pi * (3 - std::sqrt(5.0)) * k;
        return Vec3d{r * std::cos(turn), y, r * std::sin(turn)};
    };
    std::vector<std::pair<Vec3d, double>> planes;
    double facing = 0;  // cosine: every direction has a plane within this angle, which avoids long tips
    const auto closed = [&] {
        for (int k = 0; k < 400; ++k) {
            double most = 0;
            for (const auto& [n, offset] : planes) most = std::max(most, dot(n, direction(k, 400)));
            if (most < facing) return false;
        }
        return true;
    };
    // reduce the perturbation and the requirement until the planes enclose a volume
    double shake = 1;
    for (facing = 0.6; planes.empty() || !closed(); shake *= 0.9, facing = std::max(0.98 * facing, 0.3)) {
        planes.clear();
        for (int k = 0; k < count; ++k) {
            const Vec3d offset{random() - 0.5, random() - 0.5, random() - 0.5};
            planes.push_back(
                {normalizeOr(direction(k, count) + shake * offset, {0, 1, 0}), 0.35 + 0.15 * random()});
        }
    }
    const auto distance = [planes](Vec3d p) {
        double d = -1e30;
        for (const auto& [n, offset] : planes) d = std::max(d, dot(n, p) - offset);
        return d;
    };
    // corners: intersections of three planes that no other plane cuts off
    std::vector<Vec3> corners;
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < i; ++j)
            for (int k = 0; k < j; ++k) {
                const auto& [a, u] = planes[i];
                const auto& [b, v] = planes[j];
                const auto& [c, w] = planes[k];
                const double volume = dot(a, cross(b, c));
                if (std::abs(volume) < 1e-9) continue;
                const Vec3d p = (1 / volume) * (u * cross(b, c) + v * cross(c, a) + w * cross(a, b));
                if (distance(p) < 1e-9) corners.push_back(toFloat(p));
            }
    TriangleMesh mesh = convexHull(corners).mesh;
    const Box box = boundsOf(mesh);
    return {.distance = distance,
            .bounds = {toDouble(box.low), toDouble(box.high)},
            .tight = true,
            .mesh = std::move(mesh)};
}

SolidForm castle(const Wishes&) {
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
SolidForm idol(const Wishes&) {
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

// ---- landscapes ----

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

// A canyon along x: river bed, waterfall, basin, sill, outlet; closed upstream, open at +x.
SolidForm riverbed(const Wishes& wishes) {
    const double rough = wishes["rough"], sill = wishes["sill"];
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
    const auto distance = [=, seed = wishes.seed](Vec3d p) {
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
SolidForm street(const Wishes& wishes) {
    const double gap = wishes["opening"] / 2, bars = wishes["bars"];
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

// ---- the table ----

constexpr SolidNumberInfo kIcosphere[] = {
    {"subdivisions", 3, 0, 7, "each divides every triangle into four; 0: an icosahedron"}};
constexpr SolidNumberInfo kDisc[] = {{"thickness", 0.1f, 0.01f, 1, "thickness over the height"}};
constexpr SolidNumberInfo kTorus[] = {
    {"tube", 0.15f, 0.02f, 0.24f, "radius of the tube over the height"},
    {"circles", 0, 0, 1024,
     "number of circles of nearly equal triangles around the tube, for inflatables; 0: polygonized"}};
constexpr SolidNumberInfo kKnot[] = {
    {"tube", 0.075f, 0.02f, 0.12f, "approximate radius of the tube over the height"}};
constexpr SolidNumberInfo kBanana[] = {
    {"bend", 100, 10, 180, "angle from end to end [degrees]"},
    {"radius", 0.11f, 0.03f, 0.2f, "approximate radius at the middle over the height"}};
constexpr SolidNumberInfo kU[] = {
    {"thickness", 0.28f, 0.05f, 0.45f, "thickness of its three bars over the height"}};
constexpr SolidNumberInfo kBowl[] = {{"wall", 0.1f, 0.02f, 0.4f, "approximate thickness over the height"}};
constexpr SolidNumberInfo kCup[] = {{"wall", 0.06f, 0.01f, 0.2f, "thickness over the height"}};
constexpr SolidNumberInfo kWineGlass[] = {
    {"wall", 0.04f, 0.02f, 0.1f, "thickness of the bowl over the height"}};
constexpr SolidNumberInfo kRiverbed[] = {
    {"rough", 0.012f, 0, 0.03f, "height of the bumps over the height"},
    {"sill", 0.3f, 0.2f, 0.45f, "height of the basin's sill over the height"}};
constexpr SolidNumberInfo kStreet[] = {{"opening", 0.25f, 0.1f, 0.5f, "width of the opening over the length"},
                                       {"bars", 2, 0, 8, "number of bars of the grate"}};
constexpr SolidNumberInfo kGlass[] = {
    {"neck", 0.08f, 0.01f, 0.4f, "inner diameter of the neck over the height"},
    {"wall", 0.04f, 0.02f, 0.1f, "thickness over the height"}};

struct Entry {
    SolidShapeInfo info;
    SolidForm (*make)(const Wishes&);
};
constexpr Entry kEntries[] = {
    {{"brick", "a box, 2:1:1 unless a size is given", {}}, brick},
    {{"cube", "a box, 1:1:1 unless a size is given", {}}, cube},
    {{"rod", "an upright box, 1:8:1 unless a size is given", {}}, rod},
    {{"sheet", "an upright box, 12:12:1 unless a size is given", {}}, cloth},
    {{"sphere", "a ball; with a size, an ellipsoid", {}}, sphere},
    {{"icosphere", "a ball with triangle edges of nearly equal length, for balloons", kIcosphere}, icosphere},
    {{"disc", "a thin cylinder, its axis forward", kDisc}, disc},
    {{"torus", "a ring, its axis forward", kTorus}, torus},
    {{"torus_knot", "a trefoil knot, its axis forward", kKnot}, torusKnot},
    {{"banana", "a tapered arc, upright", kBanana}, banana},
    {{"u_shape", "three bars, open at the top", kU}, uShape},
    {{"rock", "convex, bounded by 6 to 12 random planes; depends on the seed", {}}, rock},
    {{"cup", "a thin-walled open cup", kCup}, cup},
    {{"bowl", "half a hollow ball, open at the top", kBowl}, bowl},
    {{"hourglass", "a closed hollow glass with a neck", kGlass}, hourglass},
    {{"glass", "a wine glass", kWineGlass}, glass},
    {{"teapot", "body, lid, spout and handle; solid", {}}, teapot},
    {{"bunny", "thirteen blended ellipsoids", {}}, bunny},
    {{"octopus", "a head on eight arms", {}}, octopus},
    {{"figure", "an armored animal on two legs", {}}, figure},
    {{"serpent", "a coiled body with two wings", {}}, serpent},
    {{"castle", "four towers, walls with a gate, a keep", {}}, castle},
    {{"idol", "a stone head on a squat body, with an open mouth", {}}, idol},
    {{"riverbed", "a canyon along x with a waterfall, a basin and a sill; rocks depend on the seed",
      kRiverbed},
     riverbed},
    {{"street", "cobbles between kerbs, with a grated opening in the middle", kStreet}, street},
};

}  // namespace

std::span<const SolidShapeInfo> solidShapes() {
    static const auto infos = [] {
        std::array<SolidShapeInfo, std::size(kEntries)> all;
        std::transform(std::begin(kEntries), std::end(kEntries), all.begin(),
                       [](const Entry& e) { return e.info; });
        return all;
    }();
    return infos;
}

SolidForm solidForm(const std::string& name, const SolidNumbers& numbers, uint64_t seed, Vec3d size) {
    const Entry* entry = std::find_if(std::begin(kEntries), std::end(kEntries),
                                      [&](const Entry& e) { return name == e.info.name; });
    CHECK(entry != std::end(kEntries));
    return entry->make({numbers, seed, size});
}

}  // namespace coalesce
