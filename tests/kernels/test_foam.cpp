// Potentials and births of spray, foam and bubbles against sums over all pairs in double. The formulas are
// retyped from [IAAT12] 3.1 and [MCG03], and share no header with the kernels.
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <numbers>
#include <vector>

#include "geometry/math/vec3d.h"
#include "kernels/fluid/xsph_viscosity.h"
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

// A cloud of particles with the lists of all pairs within the support.
struct FoamCloud {
    std::vector<Vec4> x, v, wall;
    std::vector<uint32_t> id, phase;
    std::vector<int> count, entries;

    FoamCloud() {
        for (int i = 0; i < kCount; ++i) {
            const Vec3 at = 0.12f * randomVec3(31, i, -1, 1);
            x.push_back(vec4(at, 1.0f));
            // an outward motion, as of a splash, and noise
            v.push_back(vec4(20.0f * at + randomVec3(32, i, -1, 1), 1.0f));
            wall.push_back(vec4(i % 10 == 0 ? Vec3{0, 3, 0} : Vec3{0, 0, 0}, 0.0f));
            id.push_back(uint32_t(1000 + i));
            phase.push_back(makePhase(0, 0));
        }
        count.assign(kCount, 0);
        entries.assign(size_t(kCount) * kCount, 0);
        for (int i = 0; i < kCount; ++i)
            for (int j = 0; j < kCount; ++j)
                if (i != j && length(at(i) - at(j)) < kSupport) entries[size_t(count[i]++) * kCount + i] = j;
    }
    Vec3d at(int i) const { return vectorOf(x[i]); }
    Vec3d velocity(int i) const { return vectorOf(v[i]); }
    NeighborLists lists() const {
        return {{count.data(), count.size()}, {entries.data(), entries.size()}, kCount};
    }
};

template <class T>
View<const T> viewOf(const std::vector<T>& values) {
    return {values.data(), values.size()};
}

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
    Vec3d gradient = vectorOf(cloud.wall[i]);
    for (int j = 0; j < kCount; ++j) {
        const Vec3d d = cloud.at(i) - cloud.at(j), u = cloud.velocity(i) - cloud.velocity(j);
        const double r = length(d);
        if (i == j || r >= kSupport) continue;
        gradient = gradient - (kVolume * slopeOf(r) / r) * d;
        p.vorticity = p.vorticity - (kVolume * slopeOf(r) / r) * cross(u, d);
        const double speed = length(u);
        if (speed > 0) p.trapped += kVolume * weightOf(r) * speed * (1 - dot(u, d) / (speed * r));
    }
    if (length(gradient) * kSupport > 0.5) p.normal = (-1 / length(gradient)) * gradient;
    return p;
}

TEST(Foam, PotentialsEqualTheSumsOverAllPairs) {
    const FoamCloud cloud;
    std::vector<Vec4> normal(kCount);
    std::vector<float> swirl(kCount);
    constexpr float kLeastEnergy = 1;
    std::vector<Vec4> blended(kCount), alone(kCount);
    const auto blend = [&]<class Potentials>(std::vector<Vec4>& vNew, const Potentials& potentials) {
        return BlendVelocities<true, Potentials>{.x = viewOf(cloud.x),
                                                 .v = viewOf(cloud.v),
                                                 .wall = viewOf(cloud.wall),
                                                 .neighbors = cloud.lists(),
                                                 .pairs = pairsOf(),
                                                 .vNew = {vNew.data(), vNew.size()},
                                                 .potentials = potentials};
    };
    const auto kernel = blend(blended, FoamPotentials{.normal = {normal.data(), normal.size()},
                                                      .swirl = {swirl.data(), swirl.size()},
                                                      .leastEnergy = kLeastEnergy});
    const auto blendAlone = blend(alone, NoPotentials{});
    int surface = 0, slow = 0;
    for (int i = 0; i < kCount; ++i) {
        kernel(i);
        blendAlone(i);
        // the liquid does not notice
        EXPECT_EQ(std::memcmp(&blended[i], &alone[i], sizeof(Vec4)), 0) << i;
        const Potential expected = potentialOf(cloud, i);
        // about 100 neighbors at up to 5 m/s: single precision adds up to 1e-6 of the sum
        if (0.5 * dot(cloud.velocity(i), cloud.velocity(i)) > kLeastEnergy) {
            EXPECT_NEAR(normal[i].w, expected.trapped, 3e-6 * (1 + expected.trapped)) << i;
            EXPECT_NEAR(swirl[i], length(expected.vorticity), 1e-5 * (10 + length(expected.vorticity))) << i;
            EXPECT_LT(length(vectorOf(normal[i]) - expected.normal), 2e-5) << i;
        } else {
            ++slow;
            EXPECT_EQ(length(vectorOf(normal[i])), 0) << i;
            EXPECT_EQ(normal[i].w, 0) << i;
            EXPECT_EQ(swirl[i], 0) << i;
        }
        surface += length(expected.normal) > 0;
    }
    EXPECT_GT(surface, kCount / 2);
    EXPECT_GT(slow, 0);
    EXPECT_LT(slow, kCount / 2);
}

TEST(Foam, BirthsFollowTheFormulas) {
    const FoamCloud cloud;
    std::vector<Vec4> normal(kCount);
    std::vector<float> swirl(kCount);
    for (int i = 0; i < kCount; ++i) {
        const Potential p = potentialOf(cloud, i);
        normal[i] = {float(p.normal.x()), float(p.normal.y()), float(p.normal.z()), float(p.trapped)};
        swirl[i] = 10 + 0.1f * float(i);
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
        const CountBirths<true> countBirths{.x = viewOf(cloud.x),
                                            .v = viewOf(cloud.v),
                                            .id = viewOf(cloud.id),
                                            .phase = viewOf(cloud.phase),
                                            .normal = viewOf(normal),
                                            .swirl = viewOf(swirl),
                                            .neighbors = cloud.lists(),
                                            .pairs = pairsOf(),
                                            .materials = viewOf(materials),
                                            .births = {births.data(), births.size()},
                                            .dt = kFrame,
                                            .frame = frame};
        for (int i = 0; i < kCount; ++i) {
            countBirths(i);
            const Vec3d v = cloud.velocity(i), n = vectorOf(normal[i]);
            double crest = 0;
            if (length(n) > 0 && dot(v, n) >= 0.6 * length(v))
                for (int j = 0; j < kCount; ++j) {
                    const Vec3d d = cloud.at(i) - cloud.at(j), other = vectorOf(normal[j]);
                    if (i != j && dot(d, n) > 0 && length(other) > 0)
                        crest += kVolume * weightOf(length(d)) * (1 - dot(n, other));
                }
            const double number = rampOf(0.5 * dot(v, v), 0.2, 4) *
                                  (300 * rampOf(normal[i].w, 0.2, 3) + 900 * rampOf(crest, 0.02, 0.5) +
                                   200 * rampOf(kSupport * swirl[i], 1, 4)) *
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
    const std::vector<Vec4> x{{1, 2, 3, 1}}, v{{0, 0, 4, 1}};
    const std::vector<uint32_t> id{7}, phase{makePhase(0, 0)}, first{0, kBirths};
    const std::vector<int> neighbors{12};
    const std::vector<uint32_t> foam{kBirths};
    PassiveConstants m{};
    m.spacing = 0.05f, m.sprayBelow = 6, m.bubbleAbove = 20, m.life = 2;
    const std::vector<PassiveConstants> materials{m};
    std::vector<Vec4> xNew(kBirths), vNew(kBirths);
    std::vector<uint32_t> idNew(kBirths), tagNew(kBirths);
    const WriteBirths write{.x = viewOf(x),
                            .v = viewOf(v),
                            .id = viewOf(id),
                            .phase = viewOf(phase),
                            .neighbors = viewOf(neighbors),
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
        const double rx = double(xNew[k].x) - 1, ry = double(xNew[k].y) - 2, rz = double(xNew[k].z) - 3;
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

}  // namespace

}  // namespace coalesce::test
