// Attributes of particles: reordering, spawning, removal, state and diffusion.
#include <filesystem>
#include <gtest/gtest.h>
#include <limits>

#include "sim/make_world.h"
#include "support/each_backend.h"
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

class ParticleAttributes : public EachBackend {
protected:
    // Water with a number, a vector and a whole number on each particle, which tell who it is.
    void build(World& world, float diffusivity = 0) {
        addMaterial(world, water(0.05f));
        addFloor(world);
        world.addAttribute({.name = "dye", .diffusivity = diffusivity});
        world.addAttribute({.name = "origin", .type = AttributeType::vector});
        world.addAttribute({.name = "label", .type = AttributeType::whole, .initial = {-7, 0, 0}});
        std::vector<ParticleDef> births;
        std::vector<std::array<AttributeValue, 3>> values(6 * 6 * 6);
        for (int i = 0; i < 216; ++i) {
            const Vec3 x{0.05f * (i % 6) + 0.02f, 0.05f * (i / 6 % 6) + 0.1f, 0.05f * (i / 36)};
            values[i] = {AttributeValue{i * 0.5, 0, 0}, {x.x, x.y, x.z}, {i - 100.0, 0, 0}};
            births.push_back({.x = x, .values = values[i]});
        }
        world.addParticles(births);
    }
    template <class T>
    std::vector<T> values(const World& world, size_t attribute) {
        return byId(world, std::get<Buffer<T>>(world.particles.attributes[attribute].values));
    }
    TemporaryFolder folder;
};

TEST_P(ParticleAttributes, FollowTheirParticleThroughStepsSpawnsAndRemovals) {
    World world(exec);
    build(world);
    Solver solver(world);
    stepFrames(solver, 20);
    std::vector<uint32_t> gone;
    for (uint32_t id = 0; id < 216; id += 3) gone.push_back(id);
    world.removeParticles(gone);
    addAt(world, {0.1f, 1, 0.1f});  // takes the defaults
    stepFrames(solver, 5);
    const auto id = byId(world, world.particles.id);
    const auto dye = values<float>(world, 0);
    const auto origin = values<Vec4>(world, 1);
    const auto label = values<uint32_t>(world, 2);
    ASSERT_EQ(dye.size(), 145u);
    for (size_t k = 0; k + 1 < id.size(); ++k) {
        EXPECT_EQ(dye[k], 0.5f * float(id[k]));
        EXPECT_EQ(origin[k].y, 0.05f * float(id[k] / 6 % 6) + 0.1f);
        EXPECT_EQ(int32_t(label[k]), int32_t(id[k]) - 100);
    }
    EXPECT_EQ(id.back(), 216u);
    EXPECT_EQ(dye.back(), 0);
    EXPECT_EQ(int32_t(label.back()), -7);
}

TEST_P(ParticleAttributes, AreHashedSavedAndLoaded) {
    World world(exec);
    build(world, 1e-3f);
    Solver solver(world);
    stepFrames(solver, 5);
    saveState(world, folder / "state");
    const uint64_t hash = stateHash(world);
    auto& dye = std::get<Buffer<float>>(world.particles.attributes[0].values);
    const std::vector<float> kept = dye.download();
    std::vector<float> changed = kept;
    changed[17] = std::nextafter(changed[17], 1e9f);
    dye.upload(changed);
    EXPECT_NE(stateHash(world), hash);
    changed[17] = std::numeric_limits<float>::infinity();
    dye.upload(changed);
    EXPECT_THROW(stateHash(world), Error);

    World other(exec);
    build(other, 1e-3f);
    loadState(other, folder / "state");
    EXPECT_EQ(stateHash(other), hash);
    dye.upload(kept);
    stepFrames(solver, 5);
    Solver fresh(other);
    stepFrames(fresh, 5);
    EXPECT_EQ(stateHash(other), stateHash(world));

    // a world without channels does not take it
    World plain(exec);
    addMaterial(plain, water(0.05f));
    addFloor(plain);
    const uint64_t before = stateHash(plain);
    EXPECT_THROW(loadState(plain, folder / "state"), Error);
    EXPECT_EQ(stateHash(plain), before);
}

TEST_P(ParticleAttributes, DoNotAffectTheSimulation) {
    World with(exec), without(exec);
    build(with, 1e-3f);
    build(without);
    Solver a(with), b(without);
    stepFrames(a, 10);
    stepFrames(b, 10);
    const auto x = positions(with), y = positions(without);
    for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(x[i].x, y[i].x);
    EXPECT_NE(values<float>(with, 0), values<float>(without, 0));
}

TEST_P(ParticleAttributes, RedoneFrameDiffusesOnce) {
    World roomy(exec), tight(exec);
    build(roomy, 1e-3f);
    build(tight, 1e-3f);
    tight.parameters.neighbors.capacity = 2;
    Solver a(roomy), b(tight);
    stepFrames(a, 1);
    EXPECT_GT(b.step().redone, 0);
    EXPECT_EQ(stateHash(roomy), stateHash(tight));
}

// Two liquids of other density and spacing side by side: what one gives the other receives, each counted by
// its volume, and nothing goes where the channel does not diffuse.
TEST_P(ParticleAttributes, DiffusionConservesVolumeTimesValue) {
    for (const bool onlyWater : {false, true}) {
        World world(exec);
        addMaterial(world, water(0.05f));
        MaterialProperties oil = water(0.04f);
        oil.density = 700;
        addMaterial(world, oil);
        addFloor(world);
        AttributeInfo info{.name = "dye", .type = AttributeType::vector, .diffusivity = 1e-3f};
        if (onlyWater) info.materials = {world.materials[0].name};
        world.addAttribute(info);
        std::vector<ParticleDef> births;
        std::vector<AttributeValue> values;
        for (int i = 0; i < 512; ++i)
            values.push_back({randomBits(1, i) % 1000 * 1e-3, i % 8 < 4 ? 1.0 : 0, 2});
        for (int i = 0; i < 512; ++i) {
            const bool first = i % 8 < 4;
            const float d = first ? 0.05f : 0.04f;
            births.push_back(
                {.x = {first ? (i % 8 - 4) * d : (i % 8 - 3.5f) * d, (i / 8 % 8 + 0.5f) * d, (i / 64) * d},
                 .material = first ? 0u : 1u,
                 .values = {&values[i], 1}});
        }
        world.addParticles(births);
        const std::vector<double> volume = {materialConstants(world.materials[0].properties).volume,
                                            materialConstants(world.materials[1].properties).volume};
        const auto sums = [&] {
            const auto phase = byId(world, world.particles.phase);
            const auto c = this->values<Vec4>(world, 0);
            std::array<Vec3d, 2> sum;
            for (size_t i = 0; i < c.size(); ++i) {
                const uint32_t m = materialOf(phase[i]);
                sum[m] = sum[m] + volume[m] * toDouble(c[i]);
            }
            return sum;
        };
        const auto before = sums();
        Solver solver(world);
        stepFrames(solver, 60);
        const auto after = sums();
        const Vec3d all = before[0] + before[1], now = after[0] + after[1];
        EXPECT_NEAR(now.x(), all.x(), 2e-6 * all.x());
        EXPECT_NEAR(now.y(), all.y(), 2e-6 * all.y());
        EXPECT_NEAR(now.z(), all.z(), 2e-6 * all.z());
        if (onlyWater)
            EXPECT_EQ(after[1].y(), 0);
        else
            EXPECT_GT(after[1].y(), 1e-3 * all.y());
    }
}

// No value beyond those that were there, also in many passes and among clumped particles.
TEST_P(ParticleAttributes, DiffusionCreatesNoNewExtrema) {
    World world(exec);
    build(world, 0.2f);  // some 30 passes
    // two pairs at one spot
    std::vector<Vec4> x = world.particles.x.download();
    x[100] = vec4(xyz(x[101]), x[100].w);
    x[30] = vec4(xyz(x[31]) + Vec3{1e-4f, 0, 0}, x[30].w);
    world.particles.x.upload(x);
    Solver solver(world);
    stepFrames(solver, 1);
    for (const float c : values<float>(world, 0)) {
        EXPECT_GE(c, 0);
        EXPECT_LE(c, 107.5f);
    }
    stepFrames(solver, 20);
    const auto mixed = values<float>(world, 0);
    const auto [low, high] = std::minmax_element(mixed.begin(), mixed.end());
    EXPECT_LT(*high - *low, 40.0f);
}

TEST_P(ParticleAttributes, InvalidDefinitionsAreRejectedWithoutSideEffects) {
    World world(exec);
    build(world);
    const uint64_t before = stateHash(world);
    EXPECT_THROW(world.addAttribute({.name = "dye"}), Error);
    EXPECT_THROW(world.addAttribute({.name = "half", .type = AttributeType::whole, .initial = {0.5, 0, 0}}),
                 Error);
    const std::array<AttributeValue, 3> huge = {AttributeValue{1e39, 0, 0}, {}, {}},
                                        fraction = {AttributeValue{}, {}, {1.5, 0, 0}};
    for (const auto* values : {&huge, &fraction}) {
        const ParticleDef birth{.x = {0, 2, 0}, .values = *values};
        EXPECT_THROW(world.addParticles({&birth, 1}), Error);
    }
    EXPECT_EQ(stateHash(world), before);
    EXPECT_EQ(world.particles.attributes.size(), 3u);
}

FOR_EACH_BACKEND(ParticleAttributes);

}  // namespace
}  // namespace coalesce::test
