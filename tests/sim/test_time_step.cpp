// solver.timeStep cfl: the number of substeps against its condition, checked on the motion itself.
#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/make_world.h"
#include "sim/world/time_step.h"
#include "support/each_backend.h"
#include "support/each_method.h"
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

using testing::HasSubstr;

class TimeSteps : public EachBackend {
protected:
    static constexpr float kD = 0.05f;

    // a block of liquid that falls onto a floor, with steps as long as the condition allows
    void build(World& world, Method method = Method::position) {
        world.parameters.solver.method = method;
        addMaterial(world, water(kD));
        addBlock(world, {.low = {0, 0.4f, 0}, .nx = 5, .ny = 8, .nz = 5, .velocity = {0, -1, 0}});
        addFloor(world);
        world.parameters.solver.timeStep = TimeStep::cfl;
        world.parameters.solver.cfl = 0.6f;
        world.parameters.solver.maxSubsteps = 100;
    }
    static bool sameBits(const std::vector<Vec4>& a, const std::vector<Vec4>& b) {
        return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Vec4)) == 0;
    }
    // [m/s]
    static double fastest(const World& world) {
        double speed = 0;
        for (const Vec4& v : velocities(world)) speed = std::max(speed, length(toDouble(v)));
        return speed;
    }
};

// In every frame the substeps are the least number that keeps the fastest particle, and what gravity adds to
// its speed, within cfl radii; and no particle has moved farther.
TEST_P(TimeSteps, AreTheFewestThatTheConditionAllows) {
    for (const Method method : kMethods) {
        SCOPED_TRACE(nameOf(method));
        World world(exec);
        build(world, method);
        Solver solver(world);
        const double T = 1 / double{world.parameters.solver.frameRate}, allowed = 0.6 * 0.5 * double{kD};
        int least = 1000, most = 0;
        double time = 0;
        for (int f = 0; f < 40; ++f) {
            const double speed = fastest(world) + 9.81 * T;
            const std::vector<Vec4> before = positions(world);
            const Status status = solver.step();
            const int n = status.substeps;
            EXPECT_LE(speed * T / n, allowed * (1 + 1e-6)) << f;
            if (n > 1) {
                EXPECT_GT(speed * T / (n - 1), allowed * (1 - 1e-6)) << f;
            }
            EXPECT_EQ(world.substeps, uint32_t(n));
            EXPECT_EQ(status.message(), "");
            least = std::min(least, n), most = std::max(most, n);
            // on the way down gravity is the only force
            const std::vector<Vec4> after = positions(world);
            for (size_t i = 0; i < after.size() && f < 10; ++i)
                EXPECT_LE(length(toDouble(after[i]) - toDouble(before[i])), n * allowed * (1 + 1e-5)) << f;
            time += T;
            EXPECT_DOUBLE_EQ(world.time, time) << "frames have one length, whatever their substeps";
        }
        EXPECT_LT(least, most) << "the number follows the motion";
    }
}

// The condition only chooses the number of substeps: fixed steps of the same number give the same bits, in
// every frame. Those of another number do not.
TEST_P(TimeSteps, GiveTheResultOfAsManyFixedSteps) {
    for (const Method method : kMethods) {
        SCOPED_TRACE(nameOf(method));
        World world(exec), fixed(exec), other(exec);
        Solver solver(world), ofFixed(fixed), ofOther(other);
        for (World* w : {&world, &fixed, &other}) build(*w, method);
        fixed.parameters.solver.timeStep = other.parameters.solver.timeStep = TimeStep::fixed;
        for (int f = 0; f < 30; ++f) {
            const int n = solver.step().substeps;
            fixed.parameters.solver.substeps = n;
            other.parameters.solver.substeps = n + 1;
            ofFixed.step(), ofOther.step();
            const std::vector<Vec4> x = positions(world), v = velocities(world);
            EXPECT_TRUE(sameBits(x, positions(fixed))) << f;
            EXPECT_TRUE(sameBits(v, velocities(fixed))) << f;
            EXPECT_FALSE(sameBits(x, positions(other))) << f;
        }
    }
}

TEST_P(TimeSteps, FollowTheFinestAndTheFastest) {
    World world(exec);
    addMaterial(world, water(0.1f));
    addMaterial(world, water(0.02f));
    Parameters::Solver& s = world.parameters.solver;
    s.timeStep = TimeStep::cfl, s.frameRate = 50, s.maxSubsteps = 100;
    world.parameters.world.gravity = {0, 0, 0};
    EXPECT_EQ(planSubsteps(world).substeps, 1) << "nothing moves";
    addAt(world, {0, 0, 0}, {0, 2.6f, 0});  // 1.04 radii in a frame
    EXPECT_EQ(planSubsteps(world).substeps, 2);
    addAt(world, {1, 0, 0}, {0, 0, 1.1f}, 1);  // 2.2 radii
    EXPECT_EQ(planSubsteps(world).substeps, 3);
    s.minSubsteps = 5;
    EXPECT_EQ(planSubsteps(world).substeps, 5);
    s.minSubsteps = 1, s.maxSubsteps = 2;
    EXPECT_EQ(planSubsteps(world).substeps, 2);
    EXPECT_EQ(planSubsteps(world).needed, 3);
    EXPECT_THAT(Solver(world).step().message(), HasSubstr("needs 3 substeps; solver.maxSubsteps allows 2"));
    world.parameters.world.gravity = {0, -50, 0};  // 1 m/s in a frame, 2 radii of the finer
    s.maxSubsteps = 100;
    EXPECT_EQ(planSubsteps(world).substeps, 5);
    s.timeStep = TimeStep::fixed;
    EXPECT_EQ(planSubsteps(world).substeps, s.substeps);
}

// Saved and loaded, in another order of execution and of storage, and with lists that overflow: the same
// bits, and the same number of substeps in a frame that is redone.
TEST_P(TimeSteps, AreReproducible) {
    for (const Method method : kMethods) {
        SCOPED_TRACE(nameOf(method));
        const TemporaryFolder folder;
        World world(exec);
        build(world, method);
        Solver solver(world);
        std::vector<int> substeps;
        for (int f = 0; f < 30; ++f) {
            if (f == 15) saveState(world, folder / "state");
            substeps.push_back(solver.step().substeps);
        }
        const uint64_t expected = stateHash(world);

        World loaded(exec), small(exec);
        build(loaded, method), build(small, method);
        loadState(loaded, folder / "state");
        shuffleStorage(loaded, 3);
        Solver fromFile(loaded);
        for (int f = 15; f < 30; ++f) EXPECT_EQ(fromFile.step().substeps, substeps[f]) << f;
        EXPECT_EQ(stateHash(loaded), expected);

        small.parameters.neighbors.capacity = 2;
        Solver grows(small);
        int redone = 0;
        for (int f = 0; f < 30; ++f) {
            const Status status = grows.step();
            EXPECT_EQ(status.substeps, substeps[f]) << f;
            redone += status.redone;
        }
        EXPECT_GT(redone, 0);
        EXPECT_EQ(stateHash(small), expected);
    }
}

// A state of another time step, or a switch while a scene runs, does not know the fastest particle: it is
// measured.
TEST_P(TimeSteps, MayBeSwitched) {
    for (const Method method : kMethods) {
        SCOPED_TRACE(nameOf(method));
        World world(exec);
        build(world, method);
        world.parameters.solver.timeStep = TimeStep::fixed;
        Solver solver(world);
        stepFrames(solver, 8);
        EXPECT_LT(world.crossingTime, 0);
        world.parameters.solver.timeStep = TimeStep::cfl;
        const double T = 1 / double{world.parameters.solver.frameRate};
        const double ways = (fastest(world) + 9.81 * T) * T / (0.5 * double{kD});
        EXPECT_EQ(solver.step().substeps, int(std::ceil(ways / double{world.parameters.solver.cfl})));
        EXPECT_NEAR(world.crossingTime, 0.5 * double{kD} / fastest(world), 1e-5);
    }
}

// A state says which method it comes from.
TEST_P(TimeSteps, StatesKnowTheirMethod) {
    const TemporaryFolder folder;
    for (const Method method : kMethods) {
        World world(exec), other(exec);
        build(world), build(other);
        world.parameters.solver.method = method;
        Solver solver(world);
        EXPECT_EQ(noteOfMethod(world), "") << "nothing has been solved";
        stepFrames(solver, 3);
        saveState(world, folder / "state");
        loadState(other, folder / "state");
        for (const Method next : kMethods) {
            other.parameters.solver.method = next;
            if (next == method)
                EXPECT_EQ(noteOfMethod(other), "");
            else
                EXPECT_THAT(noteOfMethod(other),
                            AllOf(HasSubstr("computed by the method " + std::string(nameOf(method))),
                                  HasSubstr(std::string(nameOf(next)) + " continues")));
        }
        // and any method continues it
        Solver continued(other);
        other.parameters.solver.method = Method::velocity;
        stepFrames(continued, 3);
        EXPECT_EQ(noteOfMethod(other), "");
        for (const Vec4& x : positions(other)) EXPECT_GT(x.y, 0);
    }
}

FOR_EACH_BACKEND(TimeSteps);

}  // namespace
}  // namespace coalesce::test
