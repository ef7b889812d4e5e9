// Contacts of particles with each other. Reference: [UPP14] eq. 22-24 over all pairs in double, by hand where
// there are two.
#include <cmath>
#include <gtest/gtest.h>

#include "sim/contact/particle_contacts.h"
#include "sim/make_bodies.h"
#include "support/body_states.h"
#include "support/each_backend.h"

namespace coalesce::test {
namespace {

class ParticleContacts : public EachBackend {
protected:
    static constexpr float kDt = 1.0f / 100;

    // one substep of one iteration, and nothing but contacts
    static void bare(World& world) {
        world.parameters.world.gravity = {0, 0, 0};
        world.parameters.solver.frameRate = 100;
        world.parameters.solver.substeps = 1;
        world.parameters.solver.iterations = 1;
        world.parameters.solver.prestabilize = 0;
    }
    // grains that may be pushed out of any overlap
    static MaterialProperties grains(float spacing, float friction = 0) {
        MaterialProperties m = solid(MaterialKind::grains, spacing, friction);
        m.maxDepenetration = 1e4f;
        return m;
    }
};

// ---- one pair, by hand ----

// Two grains of 0.1 m, masses 1 and 3 kg, whose ways end 0.09 m apart: 0.01 m too near. The first slides
// along y by `slide` against the second.
struct TwoGrains {
    double x0, y0, x1, y1;  // [m] where they end
};
TwoGrains endsOf(Exec& exec, float staticFriction, float dynamicFriction, float slide,
                 float otherFriction = -1) {
    World world(exec);
    world.parameters.world.gravity = {0, 0, 0};
    world.parameters.solver.frameRate = 100;
    world.parameters.solver.substeps = 1;
    world.parameters.solver.iterations = 1;
    MaterialProperties m = solid(MaterialKind::grains, 0.1f);
    m.staticFriction = staticFriction, m.dynamicFriction = dynamicFriction;
    addMaterial(world, m);
    if (otherFriction >= 0) m.staticFriction = m.dynamicFriction = otherFriction;
    addMaterial(world, m);
    addAt(world, {0, 0, 0}, {1, 100 * slide, 0}, 0, 1.0f);
    addAt(world, {0.1f, slide, 0}, {0, 0, 0}, 1, 1 / 3.0f);  // at the end they are side by side
    Solver solver(world);
    solver.step();
    const std::vector<Vec4> x = positions(world);
    return {x[0].x, x[0].y, x[1].x, x[1].y};
}

TEST_P(ParticleContacts, SeparateInverselyToMass) {
    const TwoGrains e = endsOf(exec, 0, 0, 0);
    EXPECT_NEAR(e.x0, 0.01 - 0.75 * 0.01, 1e-8);
    EXPECT_NEAR(e.x1, 0.1 + 0.25 * 0.01, 2e-8);
    EXPECT_EQ(e.y0, 0);
    EXPECT_EQ(e.y1, 0);
}

TEST_P(ParticleContacts, StickBelowTheFrictionConeAndSlideBeyondIt) {
    // depth δ = 0.01 m, μ_s = 0.5: sticks below 0.005 m
    for (const float slide : {0.001f, 0.0049f}) {
        const TwoGrains e = endsOf(exec, 0.5f, 0.3f, slide);
        EXPECT_NEAR(e.y0, slide - 0.75 * slide, 2e-8) << "all of it is taken back";
        EXPECT_NEAR(e.y1, slide + 0.25 * slide, 2e-8);
    }
    for (const float slide : {0.0051f, 0.02f, 0.05f}) {
        // [UPP14] eq. 24: a share min(μ_k δ / |Δx⊥|, 1)
        const double drag = 0.3 * 0.01;
        const TwoGrains e = endsOf(exec, 0.5f, 0.3f, slide);
        EXPECT_NEAR(e.y0, slide - 0.75 * drag, 3e-8) << slide;
        EXPECT_NEAR(e.y1, slide + 0.25 * drag, 3e-8) << slide;
    }
    // dynamic above static friction never drags backwards
    const TwoGrains e = endsOf(exec, 0.1f, 2.0f, 0.004f);
    EXPECT_NEAR(e.y0, 0.25 * 0.004, 2e-8);
}

TEST_P(ParticleContacts, FrictionIsTheGeometricMean) {
    const double drag = std::sqrt(0.9 * 0.1) * 0.01;
    EXPECT_NEAR(endsOf(exec, 0.9f, 0.9f, 0.03f, 0.1f).y0, 0.03 - 0.75 * drag, 3e-8);
    EXPECT_NEAR(endsOf(exec, 0.9f, 0.9f, 0.03f, 0.0f).y0, 0.03, 3e-8);
}

TEST_P(ParticleContacts, CoincidentParticlesSeparateAlongX) {
    World world(exec);
    bare(world);
    addMaterial(world, grains(0.1f));
    addAt(world, {0.5f, 0.5f, 0.5f});
    addAt(world, {0.5f, 0.5f, 0.5f});
    Solver solver(world);
    solver.step();
    const std::vector<Vec4> x = positions(world);
    EXPECT_NEAR(std::abs(x[0].x - x[1].x), 0.1, 1e-6);
    EXPECT_NEAR(x[0].x + x[1].x, 1, 1e-6);
    EXPECT_EQ(x[0].y, 0.5f);
}

// ---- many pairs ----

// One iteration over all pairs, in the order of ids. `split`: masses are split among contacts.
std::vector<Vec3d> referenceIteration(const std::vector<Vec3d>& start, const std::vector<Vec3d>& at,
                                      const std::vector<double>& w, const std::vector<MaterialProperties>& m,
                                      double limit, bool split, double omega) {
    const auto depthOf = [&](size_t i, size_t j) {
        const double contact = 0.5 * (double{m[i].spacing} + m[j].spacing);
        return std::min(contact, length(start[i] - start[j]) + limit) - length(at[i] - at[j]);
    };
    std::vector<double> n(at.size(), 1);
    for (size_t i = 0; split && i < at.size(); ++i) {
        double touched = 0;
        for (size_t j = 0; j < at.size(); ++j) touched += j != i && depthOf(i, j) > 0;
        n[i] = std::max(touched, 1.0);
    }
    std::vector<Vec3d> moved = at;
    for (size_t i = 0; i < at.size(); ++i)
        for (size_t j = 0; j < at.size(); ++j) {
            if (j == i || w[i] + w[j] == 0) continue;
            const double depth = depthOf(i, j);
            if (depth <= 0) continue;
            const Vec3d d = at[i] - at[j], along = (1 / length(d)) * d;
            const Vec3d way = d - (start[i] - start[j]), slide = way - dot(way, along) * along;
            const double stick = std::sqrt(double{m[i].staticFriction} * m[j].staticFriction) * depth,
                         drag = std::sqrt(double{m[i].dynamicFriction} * m[j].dynamicFriction) * depth;
            const double share = length(slide) < stick ? 1 : std::min(drag / length(slide), 1.0);
            const double ratio = omega * w[i] / (n[i] * w[i] + n[j] * w[j]);
            moved[i] = moved[i] + ratio * (depth * along - share * slide);
        }
    return moved;
}

// Particles of two sizes and masses, with friction, bounces and cohesion: whatever number of others each of
// them touches, the sum of their momenta is that of the start.
TEST_P(ParticleContacts, ConserveMomentum) {
    World world(exec);
    world.parameters.world.gravity = {0, 0, 0};
    MaterialProperties sand = solid(MaterialKind::grains, 0.05f), gravel = solid(MaterialKind::grains, 0.09f);
    sand.staticFriction = sand.dynamicFriction = 0.5f;
    sand.cohesion = 5;
    sand.restitution = gravel.restitution = 0.3f;
    gravel.density = 4000;
    addMaterial(world, sand);
    addMaterial(world, gravel);
    std::vector<ParticleDef> births;
    for (int i = 0; i < 500; ++i)
        births.push_back({.x = randomVec3(15, i, 0, 0.4f),
                          .v = randomVec3(16, i, -2, 2) + Vec3{1, 0, 0},
                          .material = static_cast<uint32_t>(i % 5 == 0)});
    world.addParticles(births);
    addBody(world, {.position = {0.2f, 0.6f, 0.2f}, .nx = 4, .ny = 2, .nz = 3, .velocity = {0, -3, 0}});
    const Momenta before = momentaOf(world);
    Solver solver(world);
    stepFrames(solver, 30);
    const Momenta after = momentaOf(world);
    EXPECT_LT(after.speed, 0.98 * before.speed) << "they must meet";
    EXPECT_LT(length(after.linear - before.linear), 2e-5 * before.speed);
}

TEST_P(ParticleContacts, OneIterationEqualsTheFormulasOverAllPairs) {
    for (const bool average : {true, false})
        for (const float limit : {10.0f, 0.5f}) {
            World world(exec);
            bare(world);
            world.parameters.solver.relaxationMode = average ? Relaxation::local : Relaxation::global;
            world.parameters.solver.relaxation = average ? 1.2f : 0.3f;
            MaterialProperties sand = solid(MaterialKind::grains, 0.05f), gravel = sand;
            sand.maxDepenetration = gravel.maxDepenetration = limit;
            sand.staticFriction = 0.6f, sand.dynamicFriction = 0.4f;
            gravel.spacing = 0.08f, gravel.density = 2500, gravel.staticFriction = 0.3f;
            addMaterial(world, sand);
            addMaterial(world, gravel);
            std::vector<ParticleDef> births;
            for (int i = 0; i < 400; ++i)
                births.push_back({.x = randomVec3(5, i, 0, 0.4f),
                                  .v = randomVec3(6, i, -1, 1),
                                  .material = static_cast<uint32_t>(i % 4 == 0)});
            births[17].inverseMass = 0;
            world.addParticles(births);
            const std::vector<Vec4> x = positions(world);
            std::vector<Vec3d> start, at;
            std::vector<double> w;
            std::vector<MaterialProperties> m;
            for (size_t i = 0; i < x.size(); ++i) {
                start.push_back(toDouble(x[i]));
                w.push_back(x[i].w);
                at.push_back(start[i] + (w[i] > 0 ? 0.01 : 0.0) * toDouble(births[i].v));
                m.push_back(world.materials[births[i].material].properties);
            }
            const std::vector<Vec3d> expected =
                referenceIteration(start, at, w, m, limit * 0.01, average, average ? 1.2f : 0.3f);
            Solver solver(world);
            solver.step();
            const std::vector<Vec4> moved = positions(world);
            double pushed = 0, worst = 0;
            for (size_t i = 0; i < x.size(); ++i) {
                pushed = std::max(pushed, length(expected[i] - at[i]));
                worst = std::max(worst, length(toDouble(moved[i]) - expected[i]));
            }
            EXPECT_GT(pushed, 0.005);
            // positions of 0.4 m have steps of 3e-8 m
            EXPECT_LT(worst, 4e-7) << "average " << average << " limit " << limit;
        }
}

// ---- lists ----

TEST_P(ParticleContacts, ListsHoldExactlyThePossibleContacts) {
    World world(exec);
    world.parameters.contacts.pairMargin = 0.25f;
    const uint32_t liquid = addMaterial(world, water(0.05f));
    const uint32_t sand = addMaterial(world, solid(MaterialKind::grains, 0.04f));
    const uint32_t rigid = addMaterial(world, solid(MaterialKind::rigid, 0.06f));
    const uint32_t soft = addMaterial(world, solid(MaterialKind::soft, 0.05f));
    std::vector<ParticleDef> births;
    for (int i = 0; i < 500; ++i)
        births.push_back({.x = randomVec3(31, i, 0, 0.5f), .material = i % 2 ? liquid : sand});
    world.addParticles(births);
    const auto place = [](int k) { return randomVec3(32, k, 0.1f, 0.4f); };
    addBody(world, {.position = place(0), .rotation = randomRotation(33, 0), .material = rigid});
    addBody(world, {.position = place(1), .rotation = randomRotation(33, 1), .material = rigid});
    addBody(world, {.position = place(2), .material = soft, .selfCollide = true, .clusterSpacing = 0.1f});
    addBody(world, {.position = place(3), .material = soft, .clusterSpacing = 0.1f});
    // squeezed to nothing in one direction: what is far apart at rest meets
    for (const uint32_t body : {2u, 3u})
        for (uint32_t k = 0; k < world.bodies[body].rows; ++k) {
            const uint32_t id = world.groups[world.bodies[body].group].first + k;
            Vec4 x = positions(world)[id];
            x.y = 0.25f + 0.1f * (x.y - 0.25f);
            setById(world, world.particles.x, id, x);
        }

    OpenWorld open(world);
    const NeighborLists lists = open.neighbors.pairs();
    std::vector<int> count(lists.count.size), entries(lists.entries.size);
    exec.copyToHost(count.data(), lists.count.data, count.size() * sizeof(int));
    exec.copyToHost(entries.data(), lists.entries.data, entries.size() * sizeof(int));
    const std::vector<Vec4> x = world.particles.x.download();
    const std::vector<uint32_t> id = world.particles.id.download(), phase = world.particles.phase.download();
    const std::vector<BodySample> rest = samplesOf({.material = soft}, 0.05f);
    int within = 0, inside = 0, liquids = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        std::vector<int> listed(x.size(), 0);
        for (int k = 0; k < count[i]; ++k) ++listed.at(entries[k * lists.stride + i]);
        const MaterialProperties& a = world.materials[materialOf(phase[i])].properties;
        for (size_t j = 0; j < x.size(); ++j) {
            const MaterialProperties& b = world.materials[materialOf(phase[j])].properties;
            const double reach = 0.5 * (double{a.spacing} + b.spacing) * 1.25;
            const double r = length(toDouble(x[i]) - toDouble(x[j]));
            if (std::abs(r - reach) < 2e-6 * reach) continue;
            bool expected = r < reach && i != j;
            if (expected && a.kind == MaterialKind::fluid && b.kind == MaterialKind::fluid)
                expected = false, ++liquids;
            const Group* group = groupOf(phase[i]) == groupOf(phase[j]) && groupOf(phase[i]) > 0
                                     ? &world.groups[groupOf(phase[i])]
                                     : nullptr;
            if (expected && group) {
                // all four bodies have 27 particles in a lattice; two that touch at rest do not meet
                const Vec3d apart =
                    toDouble(rest[id[i] - group->first].x) - toDouble(rest[id[j] - group->first].x);
                expected = group->selfCollide && length(apart) > 0.051;
                (expected ? within : inside) += 1;
            }
            ASSERT_EQ(listed[j], expected) << "slots " << i << " and " << j;
        }
    }
    EXPECT_GT(within, 0);
    EXPECT_GT(inside, 0);
    EXPECT_GT(liquids, 0);
}

TEST_P(ParticleContacts, ClampedListsKeepTheNearest) {
    World world(exec);
    world.parameters.solver.overflow = Overflow::clamp;
    world.parameters.neighbors.pairCapacity = 4;
    addMaterial(world, solid(MaterialKind::grains, 0.05f));
    std::vector<ParticleDef> births;
    for (int i = 0; i < 400; ++i) births.push_back({.x = randomVec3(41, i, 0, 0.25f)});
    world.addParticles(births);
    OpenWorld open(world);
    EXPECT_TRUE(open.status.truncated);
    EXPECT_NE(open.status.message().find("were truncated"), std::string::npos);
    const NeighborLists lists = open.neighbors.pairs();
    std::vector<int> count(lists.count.size), entries(lists.entries.size);
    exec.copyToHost(count.data(), lists.count.data, count.size() * sizeof(int));
    exec.copyToHost(entries.data(), lists.entries.data, entries.size() * sizeof(int));
    const std::vector<Vec4> x = world.particles.x.download();
    for (size_t i = 0; i < x.size(); ++i) {
        std::vector<std::pair<double, int>> all;
        for (size_t j = 0; j < x.size(); ++j)
            if (j != i && length(toDouble(x[i]) - toDouble(x[j])) < 0.06)
                all.push_back({length(toDouble(x[i]) - toDouble(x[j])), static_cast<int>(j)});
        std::sort(all.begin(), all.end());
        ASSERT_EQ(count[i], std::min<int>(4, static_cast<int>(all.size())));
        std::vector<int> nearest, list;
        for (int k = 0; k < count[i]; ++k)
            nearest.push_back(all[k].second), list.push_back(entries[k * lists.stride + i]);
        std::sort(nearest.begin(), nearest.end());
        ASSERT_EQ(list, nearest) << "slot " << i;
    }
}

TEST_P(ParticleContacts, OverflowErrorNamesCountsAndRestoresTheWorld) {
    World world(exec);
    world.parameters.solver.overflow = Overflow::fail;
    world.parameters.neighbors.pairCapacity = 2;
    addMaterial(world, solid(MaterialKind::grains, 0.05f));
    addBlock(world, {.nx = 4, .ny = 4, .nz = 4});
    const uint64_t before = stateHash(world);
    Solver solver(world);
    try {
        solver.step();
        FAIL() << "grains in a lattice have six neighbors";
    } catch (const Error& error) {
        EXPECT_EQ(error.code, Exit::Simulation);
        const std::string text = error.what();
        EXPECT_NE(text.find("has 6 contacts with other particles; the lists hold 2"), std::string::npos)
            << text;
        EXPECT_NE(text.find("neighbors.pairCapacity to 6"), std::string::npos) << text;
    }
    EXPECT_EQ(stateHash(world), before);
}

// Particles that name a group which nobody described, and then a body: it must not become theirs.
TEST_P(ParticleContacts, EachBodyHasItsOwnCollisionGroup) {
    World world(exec);
    addMaterial(world, solid(MaterialKind::grains, 0.05f));
    addMaterial(world, solid(MaterialKind::rigid, 0.05f));
    addBlock(world, {.nx = 2, .ny = 2, .nz = 2});
    const uint32_t body = addBody(world, {.position = {1, 0, 0}, .material = 1});
    EXPECT_EQ(world.bodies[body].group, 1u);
    Solver solver(world);
    stepFrames(solver, 5);
    EXPECT_NEAR(bodyStates(world)[0].velocity.y, -9.81 * 5 / 60, 1e-4);
    // and a body that joins later
    const uint32_t later = addBody(world, {.position = {2, 0, 0}, .material = 1});
    EXPECT_EQ(world.bodies[later].group, 2u);
    stepFrames(solver, 5);
    EXPECT_NEAR(bodyStates(world)[0].velocity.y, -9.81 * 10 / 60, 2e-4);
    EXPECT_NEAR(bodyStates(world)[1].velocity.y, -9.81 * 5 / 60, 1e-4);
}

// ---- what contacts do over time ----

TEST_P(ParticleContacts, RestitutionIsTheMinimum) {
    World world(exec);
    world.parameters.world.gravity = {0, 0, 0};
    MaterialProperties m = solid(MaterialKind::grains, 0.1f);
    m.restitution = 0.9f;
    addMaterial(world, m);
    m.restitution = 0.5f;
    addMaterial(world, m);
    // masses 1 and 2 kg, 2 m/s towards each other
    addAt(world, {0, 0, 0}, {2, 0, 0}, 0, 1.0f);
    addAt(world, {0.3f, 0, 0}, {0, 0, 0}, 1, 0.5f);
    Solver solver(world);
    stepFrames(solver, 30);
    const std::vector<Vec4> v = velocities(world);
    // v' of both from momentum 2 = v0 + 2 v1 and v1 − v0 = 0.5 · 2
    EXPECT_NEAR(v[0].x, 0, 2e-3);
    EXPECT_NEAR(v[1].x, 1, 1e-3);
    EXPECT_NEAR(v[0].x + 2 * v[1].x, 2, 1e-5);
    EXPECT_EQ(v[0].y, 0);
}

TEST_P(ParticleContacts, NoBounceBelowTheThresholdSpeed) {
    World world(exec);
    world.parameters.world.gravity = {0, 0, 0};
    MaterialProperties m = solid(MaterialKind::grains, 0.1f);
    m.restitution = 0.9f;
    addMaterial(world, m);
    addAt(world, {0, 0, 0}, {0.15f, 0, 0});
    addAt(world, {0.11f, 0, 0});
    Solver solver(world);
    stepFrames(solver, 30);
    const std::vector<Vec4> v = velocities(world);
    EXPECT_NEAR(v[0].x, 0.075, 1e-4);
    EXPECT_NEAR(v[1].x, 0.075, 1e-4);
}

// A grain that hangs under a fixed one is held while cohesion is more than its weight.
TEST_P(ParticleContacts, CohesionHoldsUpToItsLimit) {
    for (const float cohesion : {0.0f, 5.0f, 9.0f, 11.0f, 50.0f}) {
        World world(exec);
        MaterialProperties m = solid(MaterialKind::grains, 0.1f);
        m.cohesion = cohesion;
        addMaterial(world, m);
        addAt(world, {0, 1, 0}, {}, 0, 0.0f);
        addAt(world, {0, 0.9f, 0});
        Solver solver(world);
        stepFrames(solver, 30);
        const float fallen = 0.9f - positions(world)[1].y;
        if (cohesion > 9.81f) {
            EXPECT_NEAR(fallen, 0, 1e-5) << cohesion;
        } else {
            // free fall of half a second is 1.2 m; while they touch, cohesion holds back
            EXPECT_GT(fallen, 0.3) << cohesion;
        }
    }
}

// Neighbors that are only held do not count in the average: a contact beside them is undone as fast as ever.
TEST_P(ParticleContacts, CohesionOfOthersDoesNotSlowSeparation) {
    World world(exec);
    bare(world);
    MaterialProperties m = grains(0.1f);
    m.cohesion = 1;  // 1e-4 m in the one iteration
    addMaterial(world, m);
    addAt(world, {0, 0, 0});
    addAt(world, {0.09f, 0, 0});  // 0.01 m too near
    addAt(world, {0, 0.11f, 0});  // 0.01 m away
    Solver solver(world);
    solver.step();
    const std::vector<Vec4> x = positions(world);
    EXPECT_NEAR(x[0].x, -0.005f, 1e-7);
    EXPECT_NEAR(x[1].x, 0.095f, 1e-7);
    EXPECT_NEAR(x[0].y, 0.5e-4f, 1e-7);
    EXPECT_NEAR(x[2].y, 0.11f - 0.5e-4f, 1e-7);
}

TEST_P(ParticleContacts, SleepUntilHit) {
    World world(exec);
    world.parameters.contacts.sleepSpeed = 0.1f;
    addMaterial(world, solid(MaterialKind::grains, 0.1f, 0.5f));
    addFloor(world);
    addAt(world, {0, 0.05f, 0});
    addAt(world, {0, 0.15f, 0});
    addMaterial(world, solid(MaterialKind::grains, 0.1f));
    addAt(world, {-2, 0.051f, 0}, {4, 0, 0}, 1);
    Solver solver(world);
    stepFrames(solver, 5);
    const std::vector<Vec4> before = positions(world);
    stepFrames(solver, 10);
    const auto asleep = [&](uint32_t id) { return (byId(world, world.particles.phase)[id] & kAsleep) != 0; };
    for (const uint32_t id : {0u, 1u}) {
        EXPECT_TRUE(asleep(id));
        EXPECT_EQ(xyz(positions(world)[id]), xyz(before[id])) << "not a bit moves";
    }
    EXPECT_FALSE(asleep(2));
    bool woken = false;
    for (int frame = 0; frame < 40; ++frame) solver.step(), woken |= !asleep(0);
    EXPECT_TRUE(woken);
    EXPECT_GT(positions(world)[0].x, 0.05f);
}

// A pyramid of grains: each layer stands on the one below, which gives its own height to those above.
TEST_P(ParticleContacts, StackHeightsEqualLayers) {
    World world(exec);
    world.parameters.contacts.stackScaling = 1;
    world.parameters.contacts.sleepSpeed = 10;  // all of it stays where it is
    addMaterial(world, solid(MaterialKind::grains, 0.1f));
    addFloor(world, 1);
    const float rise = 0.1f / std::sqrt(2.0f);  // four balls carry one in their middle
    std::vector<float> expected;
    for (int layer = 0; layer < 4; ++layer)
        for (int z = 0; z < 4 - layer; ++z)
            for (int x = 0; x < 4 - layer; ++x) {
                addAt(world, {0.1f * x + 0.05f * layer, 1.05f + rise * layer, 0.1f * z + 0.05f * layer});
                expected.push_back(rise * layer);
            }
    addAt(world, {5, 1.5f, 5});  // falls: stands on nothing
    expected.push_back(0);
    // a body on the floor, and one on top of it: all particles of a body share one ground
    addMaterial(world, solid(MaterialKind::rigid, 0.1f));
    addBody(world, {.position = {-1, 1.15f, 0}, .material = 1});
    addBody(world, {.position = {-1, 1.45f, 0}, .material = 1});
    for (int body = 0; body < 2; ++body)
        for (int k = 0; k < 27; ++k) expected.push_back(0.1f * static_cast<float>(k / 3 % 3 + 3 * body));
    Solver solver(world);
    stepFrames(solver, 6);
    const std::vector<Vec4> v = velocities(world);
    for (size_t i = 0; i < v.size(); ++i) EXPECT_NEAR(v[i].w, expected[i], 2e-3) << "particle " << i;

    world.parameters.contacts.stackHeight = StackHeight::plane;
    world.parameters.contacts.ground = 0.5f;
    solver.step();
    for (size_t i = 0; i < v.size(); ++i)
        EXPECT_NEAR(velocities(world)[i].w, positions(world)[i].y - 0.5, 1e-2) << "particle " << i;
}

// Higher grains count as lighter: w* = w e^(k height), so the lower of two moves less.  [UPP14] 5.2
TEST_P(ParticleContacts, MassScaleDecreasesWithStackHeight) {
    World world(exec);
    bare(world);
    world.parameters.contacts.stackScaling = 2;
    world.parameters.contacts.stackHeight = StackHeight::plane;
    addMaterial(world, grains(0.1f));
    addAt(world, {0, 1, 0}, {0, 0.5f, 0});  // gravity is off: up is y
    addAt(world, {0, 1.1f, 0}, {0, -0.5f, 0});
    Solver solver(world);
    solver.step();
    const std::vector<Vec4> x = positions(world);
    const double low = std::exp(2 * 1.0), high = std::exp(2 * 1.1);
    EXPECT_NEAR(x[0].y, 1.005 - 0.01 * low / (low + high), 1e-6);
    EXPECT_NEAR(x[1].y, 1.095 + 0.01 * high / (low + high), 1e-6);
}

FOR_EACH_BACKEND(ParticleContacts);

}  // namespace
}  // namespace coalesce::test
