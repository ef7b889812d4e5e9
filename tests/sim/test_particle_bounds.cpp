// Bounds of particles, against a search over all particles.
#include <algorithm>
#include <gtest/gtest.h>

#include "sim/make_bodies.h"
#include "sim/stage/particle_bounds.h"
#include "support/each_backend.h"

namespace coalesce::test {
namespace {

class ParticleBounds : public EachBackend {};

TEST_P(ParticleBounds, ContainTheParticlesOfTheirGroupsOnly) {
    World world(exec);
    addMaterial(world, water(0.05f));
    const uint32_t rock = addMaterial(world, solid(MaterialKind::rigid, 0.05f));
    addBlock(world, {.low = {-1, -3, 0}, .nx = 6, .ny = 7, .nz = 8, .jitter = 0.3f});
    for (const Vec3 at : {Vec3{2, 1, -1}, Vec3{-2, -1, 3}, Vec3{0, 5, 0}})
        addBody(world, {.position = at, .nx = 4, .ny = 3, .nz = 2, .material = rock});
    shuffleStorage(world, 3);
    const std::vector<Vec4> x = world.particles.x.download();
    const std::vector<uint32_t> phase = world.particles.phase.download();
    uint32_t groups = 0;
    for (const uint32_t p : phase) groups = std::max(groups, groupOf(p) + 1);
    ASSERT_GE(groups, 4u);
    for (uint32_t first = 0; first < groups; ++first)
        for (uint32_t count = 1; first + count <= groups; ++count) {
            std::optional<Bounds> expected;
            for (size_t i = 0; i < x.size(); ++i) {
                if (groupOf(phase[i]) < first || groupOf(phase[i]) >= first + count) continue;
                const Vec3 p = xyz(x[i]);
                if (!expected) expected = Bounds{p, p};
                expected->low = min(expected->low, p), expected->high = max(expected->high, p);
            }
            const auto bounds = boundsOfGroups(world, first, count);
            ASSERT_EQ(bounds.has_value(), expected.has_value()) << first << ", " << count;
            if (!bounds) continue;
            EXPECT_EQ(bounds->low, expected->low) << first << ", " << count;
            EXPECT_EQ(bounds->high, expected->high) << first << ", " << count;
        }
    EXPECT_FALSE(boundsOfGroups(world, groups, 5)) << "no such group";
    EXPECT_FALSE(boundsOfGroups(World(exec), 0, 1)) << "no particles";
}

FOR_EACH_BACKEND(ParticleBounds);

}  // namespace
}  // namespace coalesce::test
