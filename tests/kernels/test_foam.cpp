// Potentials and births of spray, foam and bubbles against sums over all pairs in double. The formulas are
// retyped from [IAAT12] 3.1 and [MCG03], and share no header with the kernels.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

#include "geometry/math/vec3d.h"
#include "kernels/passive/foam_generation.h"
#include "support/random_values.h"

namespace coalesce::test {

namespace {

constexpr double kSupport = 0.1, kVolume = 1e-4;
constexpr int kCount = 300;

Vec3d vectorOf(Vec4 a) {
    return {a.x, a.y, a.z};
}
double weightOf(double r) {
    return r < kSupport ? 15 / (std::numbers::pi * std::pow(kSupport, 6)) * std::pow(kSupport - r, 3) : 0;
}
double slopeOf(double r) {  // −dW/dr
    return r < kSupport ? 45 / (std::numbers::pi * std::pow(kSupport, 6)) * std::pow(kSupport - r, 2) : 0;
}
double rampOf(double value, double least, double full) {
    return (std::min(std::max(value, least), full) - least) / (full - least);
}

// A cloud of particles in a grid of cells, and a floor whose half space counts as filled.
struct FoamCloud {
    std::vector<Vec4> x, v;
    std::vector<uint32_t> id, phase;

    explicit FoamCloud(int count = kCount) {
        for (int i = 0; i < count; ++i) {
            const Vec3 at = 0.12f * randomVec3(31, i, -1, 1);
            x.push_back(vec4(at, 1.0f));
            // an outward motion, as of a splash, and noise
            v.push_back(vec4(quantizedVelocity(vec4(20.0f * at + randomVec3(32, i, -1, 1), 0.0f)), 1.0f));
            id.push_back(uint32_t(1000 + i));
            phase.push_back(makePhase(0, 0));
        }
    }
    Vec3d at(int i) const { return vectorOf(x[i]); }
    Vec3d velocity(int i) const { return vectorOf(v[i]); }
};
constexpr double kFloor = -0.04, kCeiling = 0.05;  // [m] their heights

template <class T>
View<const T> viewOf(const std::vector<T>& values) {
    return {values.data(), values.size()};
}
template <class T>
View<T> viewOf(std::vector<T>& values) {
    return {values.data(), values.size()};
}

// The grid of a cloud, built by sorting the keys on the host.
struct HostGrid {
    std::vector<uint32_t> order, cellStart, buckets;
    std::vector<uint64_t> cellKey;
    std::vector<float> x, y, z;
    std::vector<Vec4> v;
    uint32_t cells = 0;
    FluidGrid view;

    explicit HostGrid(const FoamCloud& cloud) {
        const size_t n = cloud.x.size();
        CellKeyLayout plan;
        for (int k = 0; k < 3; ++k) plan.origin[k] = -4, plan.size[k] = 8;
        const float inverseCell = float(1 / (1.05 * kSupport));
        const auto keyOf = [&](uint32_t i) { return keyOfPoint(plan, inverseCell, xyz(cloud.x[i])); };
        order.resize(n);
        std::iota(order.begin(), order.end(), 0u);
        std::ranges::stable_sort(order, {}, keyOf);
        x.resize(n + kLanes), y.resize(n + kLanes), z.resize(n + kLanes), v.resize(n);
        MaterialConstants water{};
        water.fluid = 1;
        const SortFluid sort{.samples = {viewOf(cloud.x), viewOf(cloud.v), 0},
                             .phase = viewOf(cloud.phase),
                             .materials = {&water, 1},
                             .order = viewOf(order),
                             .x = viewOf(x),
                             .y = viewOf(y),
                             .z = viewOf(z),
                             .xOfAll = {},
                             .v = viewOf(v),
                             .isGas = {}};
        for (size_t i = 0; i < n; ++i) {
            sort(int(i));
            if (i > 0 && keyOf(order[i]) == cellKey.back()) continue;
            cellKey.push_back(keyOf(order[i])), cellStart.push_back(uint32_t(i));
        }
        cells = uint32_t(cellKey.size());
        cellStart.push_back(uint32_t(n));
        buckets = {0, cells};
        view = {.x = viewOf(std::as_const(x)),
                .y = viewOf(std::as_const(y)),
                .z = viewOf(std::as_const(z)),
                .xOfAll = {},
                .v = viewOf(std::as_const(v)),
                .isGas = {},
                .source = viewOf(std::as_const(order)),
                .cells = {viewOf(std::as_const(cellKey)), viewOf(std::as_const(cellStart)), &cells,
                          viewOf(std::as_const(buckets)), 40},
                .plan = plan,
                .inverseCell = inverseCell};
    }
};

PairTraits<true> pairsOf() {
    PairTraits<true> pairs{};
    pairs.support = float(kSupport), pairs.volume = float(kVolume), pairs.gradientScale = 1;
    pairs.filledGradients = 1;
    pairs.kernel = smoothing(pairs.support);
    return pairs;
}

struct Potential {
    Vec3d normal{0, 0, 0};
    double trapped = 0;
    Vec3d vorticity{0, 0, 0};  // Σ_j V_j (v_j − v_i) × ∇_jW_ij
};
Potential potentialOf(const FoamCloud& cloud, int i) {
    Potential p;
    Vec3d gradient{0, 0, 0};
    for (int j = 0; j < kCount; ++j) {
        const Vec3d d = cloud.at(i) - cloud.at(j), u = cloud.velocity(i) - cloud.velocity(j);
        const double r = length(d);
        if (i == j || r >= kSupport) continue;
        gradient = gradient - (kVolume * slopeOf(r) / r) * d;
        p.vorticity = p.vorticity - (kVolume * slopeOf(r) / r) * cross(u, d);
        const double speed = length(u);
        if (speed > 0) p.trapped += kVolume * weightOf(r) * speed * (1 - dot(u, d) / (speed * r));
    }
    if (length(gradient) * kSupport <= 0.5) return p;
    // what lies behind floor and ceiling: dΦ/dq of Φ = 3/2 (1 − q)⁵ − (1 − q)⁶
    const auto slope = [](double gap) {
        const double a = 1 - std::clamp(gap / kSupport, 0.0, 1.0);
        return (7.5 * std::pow(a, 4) - 6 * std::pow(a, 5)) / kSupport;
    };
    gradient = gradient - Vec3d{0, slope(cloud.at(i).y() - kFloor) - slope(kCeiling - cloud.at(i).y()), 0};
    if (length(gradient) * kSupport > 0.5) p.normal = (-1 / length(gradient)) * gradient;
    return p;
}

TEST(Foam, PotentialsEqualTheSumsOverAllPairs) {
    const FoamCloud cloud;
    const HostGrid grid(cloud);
    std::vector<Vec4> potential(kCount);
    std::vector<float> swirl(kCount);
    constexpr float kLeastEnergy = 1;
    const FindFoamPotentials<true> find{.grid = grid.view,
                                        .pairs = pairsOf(),
                                        .widest = float(kSupport),
                                        .potential = viewOf(potential),
                                        .swirl = viewOf(swirl),
                                        .leastEnergy = kLeastEnergy};
    MaterialConstants water{};
    water.fluid = 1, water.support = float(kSupport), water.spacing = 0.05f, water.wallShift = 0;
    const GroupConstants group{};
    ShapeState floor{};
    floor.kind = ShapeKind::plane, floor.scale = {1, 1, 1};
    floor.previous = floor.present = {{0, float(kFloor), 0}, {0, 0, 0, 1}};
    ShapeState ceiling = floor;
    ceiling.previous = ceiling.present = {{0, float(kCeiling), 0}, {1, 0, 0, 0}};
    const std::vector<ShapeState> states{floor, floor, ceiling};  // given twice, it counts once
    const std::vector<uint32_t> everywhere{0, 1, 2};
    const FindSurfaceNormals finish{.grid = grid.view,
                                    .phase = viewOf(cloud.phase),
                                    .materials = {&water, 1},
                                    .groups = {&group, 1},
                                    .shapes = {viewOf(states), viewOf(everywhere), {}, {}},
                                    .potential = viewOf(potential),
                                    .wallShare = 1,
                                    .planar = false};
    for (int i = 0; i < kCount; ++i) find(i);
    int surface = 0, slow = 0, walled = 0;
    for (int i = 0; i < kCount; ++i) {
        finish(i);
        const auto mine = int(grid.order[size_t(i)]);
        const Potential expected = potentialOf(cloud, mine);
        // about 100 neighbors at up to 5 m/s: single precision adds up to 1e-6 of the sum
        if (0.5 * dot(cloud.velocity(mine), cloud.velocity(mine)) > kLeastEnergy) {
            EXPECT_NEAR(potential[i].w, expected.trapped, 3e-6 * (1 + expected.trapped)) << i;
            EXPECT_NEAR(swirl[i], length(expected.vorticity), 1e-5 * (10 + length(expected.vorticity))) << i;
            EXPECT_LT(length(vectorOf(potential[i]) - expected.normal), 2e-5) << i;
            walled += length(expected.normal) > 0 && cloud.at(mine).y() < kFloor + kSupport;
        } else {
            ++slow;
            EXPECT_EQ(length(vectorOf(potential[i])), 0) << i;
            EXPECT_EQ(potential[i].w, 0) << i;
            EXPECT_EQ(swirl[i], 0) << i;
        }
        surface += length(expected.normal) > 0;
    }
    EXPECT_GT(surface, kCount / 2);
    EXPECT_GT(walled, kCount / 4);
    EXPECT_GT(slow, 0);
    EXPECT_LT(slow, kCount / 2);
}

TEST(Foam, BirthsFollowTheFormulas) {
    const FoamCloud cloud;
    const HostGrid grid(cloud);
    std::vector<Vec4> potential(kCount);  // by sorted position
    std::vector<float> swirl(kCount);
    std::vector<size_t> sortedAt(kCount);
    for (int k = 0; k < kCount; ++k) {
        const auto i = int(grid.order[size_t(k)]);
        const Potential p = potentialOf(cloud, i);
        potential[k] = {float(p.normal.x()), float(p.normal.y()), float(p.normal.z()), float(p.trapped)};
        swirl[k] = 10 + 0.1f * float(i);
        sortedAt[size_t(i)] = size_t(k);
    }
    PassiveConstants m{};
    m.support = float(kSupport), m.spacing = 0.05f;
    m.trappedAir = 300, m.leastTrappedAir = 0.2f, m.fullTrappedAir = 3;
    m.waveCrest = 900, m.leastCrest = 0.02f, m.fullCrest = 0.5f;
    m.vorticity = 200, m.leastSwirl = 1, m.fullSwirl = 4;
    m.leastEnergy = 0.2f, m.fullEnergy = 4;
    const std::vector<PassiveConstants> materials{m};
    std::vector<uint32_t> births(kCount);
    constexpr float kFrame = 1.0f / 60;
    double wanted = 0, crests = 0;
    size_t made = 0;
    constexpr uint32_t kFrames = 40;
    for (uint32_t frame = 0; frame < kFrames; ++frame) {
        const CountBirths<true> countBirths{.grid = grid.view,
                                            .id = viewOf(cloud.id),
                                            .phase = viewOf(cloud.phase),
                                            .potential = viewOf(std::as_const(potential)),
                                            .swirl = viewOf(std::as_const(swirl)),
                                            .pairs = pairsOf(),
                                            .widest = float(kSupport),
                                            .materials = viewOf(materials),
                                            .births = viewOf(births),
                                            .most = mostBirths(kCount),
                                            .dt = kFrame,
                                            .frame = frame};
        for (int k = 0; k < kCount; ++k) countBirths(k);
        for (int i = 0; i < kCount; ++i) {
            const size_t mine = sortedAt[size_t(i)];
            const Vec3d v = cloud.velocity(i), n = vectorOf(potential[mine]);
            double crest = 0;
            if (length(n) > 0 && dot(v, n) >= 0.6 * length(v))
                for (int j = 0; j < kCount; ++j) {
                    const Vec3d d = cloud.at(i) - cloud.at(j),
                                other = vectorOf(potential[sortedAt[size_t(j)]]);
                    if (i != j && dot(d, n) > 0 && length(other) > 0)
                        crest += kVolume * weightOf(length(d)) * (1 - dot(n, other));
                }
            const double number = rampOf(0.5 * dot(v, v), 0.2, 4) *
                                  (300 * rampOf(potential[mine].w, 0.2, 3) + 900 * rampOf(crest, 0.02, 0.5) +
                                   200 * rampOf(kSupport * swirl[mine], 1, 4)) *
                                  kFrame;
            // rounded up or down; 1e-4: single precision at a whole number
            EXPECT_GE(births[i], std::floor(number - 1e-4)) << i;
            EXPECT_LE(births[i], std::ceil(number + 1e-4)) << i;
            wanted += number, made += births[i], crests += crest > 0.02;
        }
    }
    EXPECT_GT(crests, 0);
    EXPECT_GT(wanted, 1000);
    // the variance of each rounding is at most 1/4: four standard deviations
    EXPECT_NEAR(double(made), wanted, 2 * std::sqrt(double(kCount) * kFrames));
}

// Evenly in the cylinder about the path: mean and variance of the radius, mean of the way.
TEST(Foam, BirthsFillTheCylinderAboutThePath) {
    constexpr uint32_t kBirths = 20000;
    // twelve neighbors, and one beyond the support: foam
    FoamCloud cloud(14);
    for (size_t i = 0; i < cloud.x.size(); ++i) cloud.x[i] = vec4(0.005f * randomVec3(9, i, -1, 1), 1.0f);
    cloud.x[0] = {0, 0, 0, 1}, cloud.v[0] = {0, 0, 4, 1}, cloud.x[13] = {0.12f, 0, 0, 1};
    const HostGrid grid(cloud);
    const std::vector<uint32_t> id{7}, phase{makePhase(0, 0)}, first{0, kBirths};
    const std::vector<uint32_t> foam{kBirths};
    PassiveConstants m{};
    m.support = float(kSupport), m.spacing = 0.05f, m.sprayBelow = 12, m.bubbleAbove = 12, m.life = 2;
    const std::vector<PassiveConstants> materials{m};
    std::vector<Vec4> xNew(kBirths), vNew(kBirths);
    std::vector<uint32_t> idNew(kBirths), tagNew(kBirths);
    const WriteBirths write{.samples = {viewOf(cloud.x), viewOf(cloud.v), 0},
                            .id = viewOf(id),
                            .phase = viewOf(phase),
                            .grid = grid.view,
                            .foam = viewOf(foam),
                            .first = viewOf(first),
                            .materials = viewOf(materials),
                            .xNew = {xNew.data(), xNew.size()},
                            .vNew = {vNew.data(), vNew.size()},
                            .idNew = {idNew.data(), idNew.size()},
                            .tagNew = {tagNew.data(), tagNew.size()},
                            .skip = 0,
                            .at = 0,
                            .firstId = 100,
                            .dt = 0.01f,
                            .frame = 3,
                            .planar = false};
    write(0);
    double square = 0, way = 0, life = 0, sideways = 0;
    for (uint32_t k = 0; k < kBirths; ++k) {
        const double rx = double(xNew[k].x), ry = double(xNew[k].y), rz = double(xNew[k].z);
        EXPECT_LE(rx * rx + ry * ry, 0.025 * 0.025 * 1.0001);
        EXPECT_LE(rz, 1e-6);
        EXPECT_GE(rz, -0.04 - 1e-6);
        EXPECT_EQ(idNew[k], 100 + k);
        EXPECT_EQ(classOf(tagNew[k]), PassiveClass::foam);
        EXPECT_GE(vNew[k].w, 1);
        EXPECT_LE(vNew[k].w, 3);
        square += rx * rx + ry * ry, way += rz, life += vNew[k].w, sideways += rx;
    }
    // evenly in a disc: mean of r² is R²/2. 1 %: three standard deviations of 20,000 samples
    EXPECT_NEAR(square / kBirths, 0.5 * 0.025 * 0.025, 0.02 * 0.5 * 0.025 * 0.025);
    EXPECT_NEAR(way / kBirths, -0.02, 0.0003);
    EXPECT_NEAR(life / kBirths, 2, 0.015);
    EXPECT_NEAR(sideways / kBirths, 0, 0.0004);
}

// New particles of which each would bring along a thousand markers: those of a frame are counted in 32 bits.
TEST(Foam, BirthsOfAFrameFitIntoTheirCounters) {
    const uint64_t range = uint64_t{1} << 32;
    for (const uint64_t n :
         {1ull, 1000ull, 214'748ull, 214'749ull, 4'300'000ull, 10'000'000ull, 2'000'000'000ull}) {
        const auto most = uint64_t(mostBirths(n));
        EXPECT_LT(2 * n * most, range) << n;  // foam and markers
        EXPECT_GE(most, std::min<uint64_t>(10'000, range / (2 * n) - 1)) << n << ": no less than fits";
    }

    PassiveConstants m{};
    m.smokeSeeds = 1000;
    const std::vector<PassiveConstants> materials{m};
    const std::vector<uint32_t> id{1, 2, 3}, phase(3, makePhase(0, 0)), foam{0, 5, 9};
    std::vector<uint32_t> births(3);
    const auto count = [&](float most) {
        const CountMarkers kernel{.id = viewOf(id),
                                  .phase = viewOf(phase),
                                  .materials = viewOf(materials),
                                  .foam = viewOf(foam),
                                  .births = {births.data(), births.size()},
                                  .newFrom = 0,
                                  .most = most,
                                  .dt = 0.01f,
                                  .frame = 3};
        for (int i = 0; i < 3; ++i) kernel(i);
        return births;
    };
    EXPECT_EQ(count(mostBirths(3)), (std::vector<uint32_t>{1000, 1005, 1009}));
    EXPECT_EQ(count(mostBirths(10'000'000)), (std::vector<uint32_t>{214, 219, 223}));
}

}  // namespace

}  // namespace coalesce::test
