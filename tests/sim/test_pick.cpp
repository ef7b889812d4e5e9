// Picking, against a search over all particles in double.
#include <gtest/gtest.h>

#include "sim/interaction/pick.h"
#include "sim/make_bodies.h"
#include "sim/make_cloth_meshes.h"
#include "support/each_backend.h"

namespace coalesce::test {
namespace {

class Picking : public EachBackend {
protected:
    // one of every kind, of different sizes, and the same place taken twice
    void build(World& world) {
        for (const MaterialKind kind :
             {MaterialKind::fluid, MaterialKind::grains, MaterialKind::rigid, MaterialKind::soft})
            addMaterial(world, solid(kind, 0.05f + 0.01f * static_cast<float>(world.materials.size())));
        addBlock(world, {.low = {0, 0, 0}, .nx = 6, .ny = 6, .nz = 6, .jitter = 0.3f});
        addBlock(world, {.low = {0.5f, 0, 0}, .nx = 5, .ny = 5, .nz = 5, .material = 1, .jitter = 0.3f});
        addBody(world, {.position = {0.2f, 0.6f, 0}, .nx = 4, .ny = 4, .nz = 4, .material = 2});
        addBody(
            world,
            {.position = {0.7f, 0.6f, 0}, .nx = 4, .ny = 4, .nz = 4, .material = 3, .clusterSpacing = 0.15f});
        addMaterial(world, cloth(0.05f));
        addMaterial(world, rope(0.04f));
        // sheets keep ids for tearing: ids and slots differ from here on
        addCloth(world, makeGrid(9, 6, 0.05f), 0.3f, 4, {}, {0.4f, 0.95f, 0.05f});
        addCloth(world, makeRope(straight(14, 0.04f)), 0.3f, 5, {}, {0.15f, 0.75f, 0.3f});
        addAt(world, {0.4f, 0.9f, 0});
        addAt(world, {0.4f, 0.9f, 0}, {}, 1);
        shuffleStorage(world, 3);
    }
};

TEST_P(Picking, FindsTheFirstParticleOfAnyMaterial) {
    World world(exec);
    build(world);
    const std::vector<Vec4> x = positions(world);
    const std::vector<uint32_t> phase = byId(world, world.particles.phase);
    const std::vector<uint32_t> ids = byId(world, world.particles.id);
    std::vector<int> hits(6, 0);
    int missed = 0;
    for (uint64_t k = 0; k < 900; ++k) {
        const Vec3 eye = Vec3{0.4f, 0.4f, 0} + randomVec3(1, k, -2, 2), at = randomVec3(2, k, 0, 1);
        const Vec3 direction = at - eye;
        const Vec3d o = toDouble(eye), d = 1 / length(toDouble(direction)) * toDouble(direction);
        // the two best, and how near any particle is to the limit of being hit
        int best = -1;
        double first = 1e30, second = 1e30, doubt = 1;
        for (size_t i = 0; i < x.size(); ++i) {
            const double reach = 0.4 * double{world.materials[materialOf(phase[i])].properties.spacing};
            const Vec3d r = toDouble(x[i]) - o;
            const double t = dot(r, d), off = length(r - t * d);
            doubt = std::min(doubt, std::abs(off - reach));
            if (t <= 0 || off >= reach) continue;
            if (t < first)
                second = first, first = t, best = static_cast<int>(i);
            else
                second = std::min(second, t);
        }
        if (doubt < 1e-5 || (second - first < 1e-5 && second != first))
            continue;  // floats may see it otherwise
        const auto picked = pick(world, eye, 3.0f * direction);
        ASSERT_EQ(picked.has_value(), best >= 0) << k;
        if (!picked) {
            ++missed;
            continue;
        }
        EXPECT_EQ(picked->id, ids[best]) << k;
        EXPECT_NEAR(picked->distance, first, 1e-5);
        ++hits[materialOf(phase[best])];
    }
    for (const int count : hits) EXPECT_GT(count, 5);
    EXPECT_GT(missed, 20);
}

TEST_P(Picking, LowestIdWinsAtEqualDistanceAndNothingBehindTheRay) {
    World world(exec);
    build(world);
    const auto picked = pick(world, {0.4f, 0.9f, 2}, {0, 0, -1});
    ASSERT_TRUE(picked);
    EXPECT_EQ(picked->id, byId(world, world.particles.id)[world.count() - 2]);
    EXPECT_EQ(*placeOf(world, picked->id), (Vec3{0.4f, 0.9f, 0}));
    EXPECT_FALSE(pick(world, {0.4f, 0.9f, 2}, {0, 0, 1}));
    EXPECT_FALSE(placeOf(world, world.nextId));
    World empty(exec);
    EXPECT_FALSE(pick(empty, {}, {0, 0, 1}));
}

FOR_EACH_BACKEND(Picking);

}  // namespace
}  // namespace coalesce::test
