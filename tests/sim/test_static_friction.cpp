// Static friction over many substeps (contacts.presliding): heaps and blocks that rest, also on what moves.
// References: Coulomb's law, and rest itself.
#include <gtest/gtest.h>

#include "sim/state_suite.h"
#include "support/body_states.h"

namespace coalesce::test {
namespace {

class StaticFriction : public State {
protected:
    static constexpr float kSpacing = 0.05f;  // [m]

    // A loose block of grains falls apart on a floor that moves with `speed` along x, and the grains with it.
    static void buildHeap(World& world, float presliding, float speed = 0) {
        addMaterial(world, solid(MaterialKind::grains, kSpacing, 0.3f));
        world.parameters.solver.substeps = 4;
        world.parameters.solver.iterations = 8;
        world.parameters.contacts.presliding = presliding;
        addFloor(world).velocity = {speed, 0, 0};
        addBlock(world, {.low = {-0.25f, 0.02f, -0.25f},
                         .nx = 9,
                         .ny = 10,
                         .nz = 9,
                         .velocity = {speed, 0, 0},
                         .jitter = 0.2f});
    }
    // Mean displacement of the grains relative to the floor from 2 s to 6 s, in spacings.
    double creepOf(float presliding, float speed) {
        World world(exec);
        buildHeap(world, presliding, speed);
        Solver solver(world);
        stepFrames(solver, 120);
        const std::vector<Vec4> before = positions(world);
        stepFrames(solver, 240);
        const std::vector<Vec4> after = positions(world);
        double sum = 0, top = 0;
        for (size_t i = 0; i < after.size(); ++i) {
            sum += length(xyz(after[i]) - xyz(before[i]) - Vec3{4 * speed, 0, 0});
            top = std::max(top, double(after[i].y));
        }
        EXPECT_GT(top, 2 * kSpacing) << "a heap";
        return sum / double(after.size()) / kSpacing;
    }
    // Slope [degrees] of the cone that has the same moments as a heap: its mean height is H/4, its mean
    // distance from the axis R/2.
    static double slopeOf(const std::vector<Vec4>& x) {
        double cx = 0, cz = 0, height = 0, far = 0;
        for (const Vec4& p : x) cx += double(p.x), cz += double(p.z), height += double(p.y) - 0.5 * kSpacing;
        cx /= double(x.size()), cz /= double(x.size());
        for (const Vec4& p : x) far += std::hypot(double(p.x) - cx, double(p.z) - cz);
        return std::atan(2 * height / far) * 180 / M_PI;
    }
    // Way of a block of grains of a rigid body down a slope in 3
    // s [m]; gravity is tilted instead of the floor.
    double wayOf(Method method, float mu, float tangent) {
        World world(exec);
        addMaterial(world, solid(MaterialKind::rigid, kSpacing, mu));
        const float cosine = 1 / std::sqrt(1 + tangent * tangent);
        world.parameters.world.gravity = 9.81f * cosine * Vec3{tangent, -1, 0};
        world.parameters.solver.method = method;
        world.parameters.solver.substeps = 4;
        world.parameters.contacts.presliding = 0.1f;
        addFloor(world);
        addBody(world, {.position = {0, 0.05f, 0}, .nx = 6, .ny = 2, .nz = 6});
        Solver solver(world);
        stepFrames(solver, 180);
        return bodyStates(world)[0].center.x;
    }
};

// The control forgets: it creeps on.
TEST_P(StaticFriction, HeapRests) {
    EXPECT_LT(creepOf(0.1f, 0), 0.05);
    EXPECT_GT(creepOf(0, 0), 0.1);
}

// A heap at rest stays as it is for a minute: no grain has crept, and the slope is the same.
TEST_P(StaticFriction, HeapRestsForAMinute) {
    const auto movedIn = [&](float presliding, int frames, double& turned) {
        World world(exec);
        buildHeap(world, presliding);
        Solver solver(world);
        stepFrames(solver, 360);
        const std::vector<Vec4> before = positions(world);
        stepFrames(solver, frames);
        const std::vector<Vec4> after = positions(world);
        turned = slopeOf(after) - slopeOf(before);
        double sum = 0;
        for (size_t i = 0; i < after.size(); ++i) sum += length(xyz(after[i]) - xyz(before[i]));
        return sum / double(after.size()) / kSpacing;
    };
    double turned = 0;
    EXPECT_LT(movedIn(0.1f, 3600, turned), 0.05);
    EXPECT_LT(std::abs(turned), 1);
    EXPECT_GT(movedIn(0, 600, turned), 0.05) << "control: friction without memory";
    EXPECT_LT(turned, -1) << "control";
}

TEST_P(StaticFriction, HeapRestsOnAMovingBelt) {
    EXPECT_LT(creepOf(0.1f, 0.5f), 0.05);
    EXPECT_GT(creepOf(0, 0.5f), 0.1);
}

// Below the angle of friction a block moves by less than the presliding displacement, above it slides:
// way = g (sin θ − μ cos θ) t²/2.
TEST_P(StaticFriction, BlockHoldsBelowTheAngleOfFrictionAndSlidesAbove) {
    for (const Method method : {Method::position, Method::projective, Method::velocity})
        for (const float mu : {0.2f, 0.5f}) {
            EXPECT_LT(std::abs(wayOf(method, mu, 0.9f * mu)), 0.1 * kSpacing)
                << "method " << int(method) << " friction " << mu;
            const double steep = 1.2 * mu, cosine = 1 / std::sqrt(1 + steep * steep);
            const double way = 9.81 * cosine * (steep - mu) * 9 / 2;
            EXPECT_NEAR(wayOf(method, mu, float(steep)), way, 0.05 * way)
                << "method " << int(method) << " friction " << mu;
        }
}

// A column of boxes, each held by those below it.
TEST_P(StaticFriction, StackOfBoxesRests) {
    World world(exec);
    addMaterial(world, solid(MaterialKind::rigid, kSpacing, 0.5f));
    world.parameters.world.gravity = 9.81f * normalizeOr(Vec3{0.1f, -1, 0}, {});
    world.parameters.solver.substeps = 4;
    world.parameters.solver.iterations = 10;
    world.parameters.contacts.presliding = 0.1f;
    addFloor(world);
    for (int k = 0; k < 3; ++k)
        addBody(world, {.position = {0, 0.1f + 0.2f * float(k), 0}, .nx = 4, .ny = 4, .nz = 4});
    Solver solver(world);
    stepFrames(solver, 120);
    const auto before = bodyStates(world);
    stepFrames(solver, 240);
    const auto after = bodyStates(world);
    for (size_t k = 0; k < after.size(); ++k)
        EXPECT_LT(length(after[k].center - before[k].center), 0.05 * kSpacing) << "box " << k;
}

// The slip is part of the state: saved, hashed, and reordered with the particles.
TEST_P(StaticFriction, StateContinuesBitByBit) {
    World world(exec);
    buildHeap(world, 0.1f);
    Solver solver(world);
    stepFrames(solver, 40);
    saveState(world, folder / "heap.state");
    const uint64_t saved = stateHash(world);

    World other(exec);
    buildHeap(other, 0.1f);
    loadState(other, folder / "heap.state");
    EXPECT_EQ(stateHash(other), saved);
    shuffleStorage(other, 3);
    EXPECT_EQ(stateHash(other), saved);
    Solver continued(other);
    stepFrames(solver, 20);
    stepFrames(continued, 20);
    EXPECT_EQ(stateHash(other), stateHash(world));

    // without it the run goes on otherwise
    World without(exec);
    buildHeap(without, 0.1f);
    loadState(without, folder / "heap.state");
    without.particles.slip.fillZero();
    EXPECT_NE(stateHash(without), saved);
    Solver forgets(without);
    stepFrames(forgets, 20);
    EXPECT_NE(stateHash(without), stateHash(world));
}

// Particles that come, and that go, keep or get their slip; switched off, it is gone.
TEST_P(StaticFriction, SlipFollowsParticles) {
    World world(exec);
    buildHeap(world, 0.1f);
    Solver solver(world);
    EXPECT_EQ(world.particles.slip.size(), 0u);
    stepFrames(solver, 20);
    ASSERT_EQ(world.particles.slip.size(), world.count());
    const std::vector<Vec4> before = byId(world, world.particles.slip);
    const uint32_t gone[] = {3, 4, 50};
    world.removeParticles(gone);
    addAt(world, {0, 3, 0});
    const std::vector<Vec4> after = byId(world, world.particles.slip);
    ASSERT_EQ(after.size(), world.count());
    EXPECT_EQ(xyz(after[2]), xyz(before[2]));
    EXPECT_EQ(xyz(after[3]), xyz(before[5]));
    EXPECT_EQ(xyz(after.back()), (Vec3{0, 0, 0}));
    float most = 0;
    for (const Vec4& s : after) most = std::max(most, length(xyz(s)));
    EXPECT_GT(most, 0.5f * 0.1f * kSpacing);
    EXPECT_LT(most, 1.001f * 0.1f * kSpacing);
    world.parameters.contacts.presliding = 0;
    stepFrames(solver, 1);
    EXPECT_EQ(world.particles.slip.size(), 0u);
}

FOR_EACH_BACKEND(StaticFriction);

}  // namespace
}  // namespace coalesce::test
