// The checks of motion: trajectories, crossings and flow, falls, momentum, loads.
#include "checks/measure_suite.h"

namespace coalesce::test {
namespace {

// A row of posts, each falling at its own time.
TEST(Measure, WaveOfFalls) {
    Cloud start;
    const int row = 50;
    for (int k = 0; k < row; ++k) start.lattice({0.5 * k, 0, 0}, 2, 3, 2, kStone, uint32_t(k));
    const auto run = [&](const std::string& statistic, auto&& fallsAt) {
        Watch watch(R"("wave": {"max": 1, "group": "stone", "statistic": ")" + statistic + "\"}", start);
        std::optional<double> seen;
        for (int frame = 0; frame <= 600; ++frame) {
            ParticleSnapshot now = start;
            now.time = frame / 60.0;
            for (int k = 0; k < row; ++k) {
                const double since = now.time - fallsAt(k);
                const double angle = std::clamp(900 * since, 0.0, 90.0);
                if (angle > 0)
                    moveGroup(now, uint32_t(k), turn({0, 0, 1}, -angle), {0.5 * k, 0, 0}, {0, 0, 0});
            }
            seen = watch(now);
        }
        return seen;
    };
    const auto steady = [](int k) { return 1 + 0.1 * k; };  // ten a second
    EXPECT_EQ(run("fallen", steady), 1);
    EXPECT_EQ(run("disorder", steady), 0);
    EXPECT_NEAR(*run("speed", steady), 10, 0.1);
    EXPECT_LT(*run("variation", steady), 0.05);
    // slower by half in the second half of the row
    const auto slower = [](int k) { return 1 + 0.1 * k + (k > 25 ? 0.1 * (k - 25) : 0); };
    EXPECT_NEAR(*run("variation", slower), 10 / ((4 * 10 + 5 * 5.0) / 9) - 1, 0.1);
    // posts 7 and 30 fall early, and the last one stands
    const auto unruly = [](int k) { return k == 7 ? 0.2 : k == 30 ? 2.0 : k == 49 ? 99 : 1 + 0.1 * k; };
    EXPECT_NEAR(*run("fallen", unruly), 0.98, 1e-12);
    EXPECT_EQ(run("disorder", unruly), 2);
    EXPECT_FALSE(run("speed", unruly).has_value());
}

TEST(Measure, MomentumExchange) {
    Cloud start;
    start.add({0, 0, 0}, kStone, 0, {1, 0, 0}, 3);
    start.add({1, 0, 0}, kWater, 2, {-2, 0, 0}, 1);
    start.add({2, 0, 0}, kWater, 2, {-2, 4, 0}, 1);
    start.add({9, 9, 9}, kSand, 3, {0, 0, 7}, 50);  // takes no part
    const std::string check = R"("momentum_exchange": {"max": 1, "group": "a", "other": "pool"})";
    Cloud now = start;
    EXPECT_FALSE(Watch(check, start)(now)) << "nothing is exchanged";
    // the stone loses 3 · 0.4 = 1.2 kg m/s; the water gains as much
    now.v = {{0.6, 0, 0}, {-1.2, 0, 0}, {-1.6, 4, 0}, {0, 0, -7}};
    EXPECT_NEAR(value(check, now, start), 0, 1e-12);
    // it gains 1.2 and, across, 0.5 that nothing has lost: 0.5 of 1.3
    now.v[2] = {-1.6, 4.5, 0};
    EXPECT_NEAR(value(check, now, start), 100 * 0.5 / 1.3, 1e-10);
    // it gains nothing
    now.v[1] = start.v[1], now.v[2] = start.v[2];
    EXPECT_NEAR(value(check, now, start), 100, 1e-10);
}

TEST(Measure, AngularMomentum) {
    Cloud start;
    start.lattice({-0.15, 0, -0.15}, 3, 3, 3, kStone, 0);
    const Vec3d c{0, 0.15, 0};
    for (size_t i = 0; i < start.x.size(); ++i)  // 2 rad/s about y, and drifting
        start.v[i] = {2 * (start.x[i][2] - c[2]) + 5, 1, -2 * (start.x[i][0] - c[0])};
    Cloud now = start;
    moveGroup(now, 0, turn({0, 1, 0}, 40), c, {1, 1, 1});
    for (size_t i = 0; i < now.x.size(); ++i)
        now.v[i] = {2 * 0.99 * (now.x[i][2] - 1) + 5, 1, -2 * 0.99 * (now.x[i][0] - 1)};
    EXPECT_NEAR(value(R"("angular_momentum": {"max": 1})", now, start), 0.01, 1e-9)
        << "turned, moved, and 1 % slower";
    // without initial rotation: relative to the upper bound
    for (auto& v : start.v) v = {5, 0, 0};
    const double sums = value(R"("angular_momentum": {"max": 1})", now, start);
    // Σ m r² over the lattice is 27 · 3 · (2/3) d²; only two thirds contribute to the rotation about y
    EXPECT_NEAR(sums, std::sqrt(2.0 / 3), 1e-9);
}

TEST(Measure, CrossingsOfAPlaneAndOfACup) {
    Cloud start;
    start.add({0.5, 1, 0.5}, kSand, 3);
    start.add({0.5, 0.5, 0.5}, kSand, 3);
    start.add({5, 1, 0.5}, kSand, 3);
    Watch plane(
        R"("crossings": {"max": 0, "point": [0, 0.2, 0], "regionMin": [0, -9, 0], "regionMax": [1, 9, 1]})",
        start);
    Cloud now = start;
    EXPECT_EQ(plane(now), 0);
    now.x[0][1] = 0.1;  // through it
    now.x[2][1] = 0.1;  // beside the region
    EXPECT_EQ(plane(now), 1);
    now.x[0][1] = 1;
    EXPECT_EQ(plane(now), 1) << "the way back is not counted, the first way stays";
    now.x[0][1] = 0;
    now.x[1] = {0.9, -0.2, 0.9};
    EXPECT_EQ(plane(now), 2) << "a particle counts once";

    Watch cup(R"("crossings": {"max": 0, "regionMin": [0, 0, 0], "regionMax": [1, 2, 1]})", start);
    now = start;
    EXPECT_EQ(cup(now), 0);
    now.x[0] = {0.5, 3, 0.5};  // over the rim
    EXPECT_EQ(cup(now), 0);
    now.x[0] = {0.5, 1, 0.5};  // and back in
    EXPECT_EQ(cup(now), 0);
    now.x[1] = {-0.1, 0.5, 0.5};  // through the wall
    EXPECT_EQ(cup(now), 1);
    now.x[2] = {0.9, 1, 0.5};  // into it through the wall
    EXPECT_EQ(cup(now), 2);
}

TEST(Measure, FlowAndItsVariation) {
    // 600 grains in a row fall through y = 0, 3 every frame
    const auto at = [](int frame, bool slowing) {
        Cloud s;
        s.time = frame / 60.0;
        const int gone = slowing ? int(3 * frame * (1 - frame / 400.0)) : 3 * frame;
        for (int i = 0; i < 600; ++i) s.add({0, i < gone ? -1.0 : 1.0, 0}, kSand, 3);
        return s;
    };
    Watch flow(R"("flow": {"max": 1, "point": [0, 0, 0]})", at(0, false)),
        variation(R"("flow_variation": {"max": 1, "point": [0, 0, 0]})", at(0, false)),
        slowing(R"("flow_variation": {"max": 1, "point": [0, 0, 0], "parts": 2})", at(0, true));
    std::optional<double> rate, even, uneven;
    for (int frame = 0; frame <= 100; ++frame) {
        rate = flow(at(frame, false)), even = variation(at(frame, false)), uneven = slowing(at(frame, true));
    }
    EXPECT_NEAR(*rate, 180, 1e-9);
    EXPECT_NEAR(*even, 0, 1e-9);
    // 3 · 50 · (1 − 1/8) = 131 in the first half, 225 in all
    EXPECT_NEAR(*uneven, 131.0 / 112.5 - 1, 1e-9);
}

TEST(Measure, FlowCountsWhatASinkRemoves) {
    // the same grains; a sink removes them two frames after they have passed, or as they pass
    for (const int later : {0, 2}) {
        const auto at = [&](int frame) {
            Cloud s;
            s.time = frame / 60.0;
            for (int i = 3 * std::max(0, frame - later); i < 600; ++i) {
                s.add({0, i < 3 * frame ? -0.5 : 0.04, 0}, kSand, 3, {0, -6, 0});
                s.id.back() = uint32_t(i);
            }
            return s;
        };
        Watch flow(R"("flow": {"max": 1, "point": [0, 0, 0]})", at(0));
        std::optional<double> rate;
        for (int frame = 0; frame <= 100; ++frame) rate = flow(at(frame));
        EXPECT_NEAR(*rate, 180, 1e-9) << later;
    }
    // what is removed before the plane has not passed it
    const auto before = [](int frame) {
        Cloud s;
        s.time = frame / 60.0;
        for (int i = 3 * frame; i < 600; ++i) s.add({0, 1, 0}, kSand, 3), s.id.back() = uint32_t(i);
        return s;
    };
    Watch none(R"("flow": {"max": 1, "point": [0, 0, 0]})", before(0));
    std::optional<double> rate;
    for (int frame = 0; frame <= 100; ++frame) rate = none(before(frame));
    EXPECT_EQ(*rate, 0);
}

TEST(Measure, SlideAndAcceleration) {
    Cloud start;
    start.add({0, 0, 0}, kStone, 0);
    start.add({0, 1, 0}, kStone, 0);
    const auto at = [&](double t) {
        Cloud s = start;
        s.time = t;
        for (auto& x : s.x) x[0] += 0.3 * t + 0.5 * 2.59 * t * t, x[1] -= t;
        return s;
    };
    Watch slide(R"("slide": {"max": 1, "direction": [2, 0, 0], "since": 1})", start),
        way(R"("slide": {"max": 1})", start),
        acceleration(R"("acceleration": {"max": 1, "direction": [1, 0, 0]})", start);
    EXPECT_FALSE(slide(at(0.5)).has_value());
    EXPECT_NEAR(*slide(at(1)), 0, 1e-12);
    EXPECT_NEAR(*slide(at(2)), 0.3 + 0.5 * 2.59 * 3, 1e-9);
    EXPECT_NEAR(*way(at(0)), 0, 1e-12);
    EXPECT_NEAR(*way(at(1)), std::hypot(0.3 + 0.5 * 2.59, 1), 1e-9) << "along no direction, its length";
    std::optional<double> a;
    for (int frame = 0; frame <= 60; ++frame) a = acceleration(at(1 + frame / 60.0));
    EXPECT_NEAR(*a, 2.59, 1e-9);
}

// A stream that goes round x = 1, z = 2 by 3.25 turns, whatever lies outside of the region; and one that swings.
TEST(Measure, TurnsAreAddedUpAboutAnAxis) {
    Cloud s;
    s.add({0, 0, 0}, kSand, 0), s.add({0, 0.1, 0}, kSand, 0), s.add({7, 9, 7}, kSand, 0);
    const std::string region = R"("regionMin": [-9, -1, -9], "regionMax": [9, 1, 9], "around": [1, 0, 2])";
    Watch left(R"("turns": {"max": 9, )" + region + "}", s),
        right(R"("turns": {"max": 9, )" + region + "}", s),
        swings(R"("turns": {"max": 9, )" + region + "}", s),
        far(R"("turns": {"max": 9, "least": 0.6, )" + region + "}", s);
    const auto at = [&](double angle, double radius) {
        // two particles beside their mean
        for (const int i : {0, 1})
            s.x[i] = {1 + radius * std::sin(angle) + (i ? 0.3 : -0.3), 0.1 * i, 2 + radius * std::cos(angle)};
        return s;
    };
    std::optional<double> l, r, w, f;
    for (int frame = 0; frame <= 130; ++frame) {
        const double angle = 2 * std::numbers::pi * frame / 40;
        l = left(at(angle, 0.5)), r = right(at(-angle, 0.5)), w = swings(at(std::sin(angle), 0.5)),
        f = far(at(angle, 0.5));
    }
    EXPECT_NEAR(*l, 3.25, 1e-9);
    EXPECT_NEAR(*r, 3.25, 1e-9);
    EXPECT_NEAR(*w, std::sin(2 * std::numbers::pi * 3.25) / (2 * std::numbers::pi), 1e-9);
    EXPECT_EQ(*f, 0) << "nearer than it counts";

    // a quarter, then out of sight while it goes on by half a turn, then a quarter
    Watch hidden(R"("turns": {"max": 9, )" + region + "}", s),
        never(R"("turns": {"max": 9, )" + region + "}", s);
    Cloud away = s;
    for (auto& x : away.x) x = {7, 9, 7};
    EXPECT_FALSE(never(away).has_value()) << "nothing has been there";
    for (int frame = 0; frame <= 40; ++frame)
        l = hidden(frame > 10 && frame < 30 ? away : at(2 * std::numbers::pi * frame / 40, 0.5));
    EXPECT_NEAR(*l, 0.5, 1e-9);
}

TEST(Measure, VelocityIsTheMeanOfTheRegionAndTheWindow) {
    Cloud s;
    for (int i = 0; i < 4; ++i) s.add({double(i), 0, 0}, kSand, i), s.v.back() = {3, 4 * double(i), 0};
    Watch frame(R"("velocity": {"max": 1, "direction": [0, 2, 0]})", s),
        window(
            R"("velocity": {"max": 1, "from": 0, "direction": [0, -1, 0], "regionMin": [0.5, -1, -1], "regionMax": [9, 1, 1]})",
            s),
        along(R"("velocity": {"max": 1})", s),
        nowhere(R"("velocity": {"max": 1, "regionMin": [9, 0, 0]})", s);
    for (const double y : {5.0, 1.0}) {
        s.v[3][1] = y;
        for (Watch* one : {&frame, &window, &along, &nowhere}) (*one)(s);
    }
    EXPECT_NEAR(*frame(s), (0 + 4 + 8 + 1) / 4.0, 1e-12);
    EXPECT_NEAR(*window(s), -(4 + 8 + 5 + 2 * (4 + 8 + 1)) / 9.0, 1e-12) << "of three frames";
    EXPECT_NEAR(*along(s), 3, 1e-12);
    EXPECT_FALSE(nowhere(s).has_value());
}

TEST(Measure, BouncesAreRelativeToTheStartOrThePreviousOne) {
    // from 1.05 m onto a floor at 0, each arc keeps 0.8 of the height
    const double g = 9.81;
    Cloud ball;
    ball.add({0, 1.05, 0}, kStone, 0);
    Watch kept(R"("bounce": {"min": 0})", ball), ratio(R"("bounce": {"min": 0, "statistic": "ratio"})", ball),
        count(R"("bounce": {"min": 0, "statistic": "count"})", ball);
    double h = 1, until = std::sqrt(2 * h / g), from = -until;  // of the present arc, contact to contact
    std::optional<double> k, r, n;
    for (int frame = 0; frame < 150; ++frame) {
        const double t = frame / 100.0;
        while (t > until) {
            h *= 0.8;
            from = until;
            until += 2 * std::sqrt(2 * h / g);
        }
        const double top = 0.5 * (from + until);
        ball.time = t;
        ball.x[0][1] = 0.05 + h - 0.5 * g * (t - top) * (t - top);
        k = kept(ball), r = ratio(ball), n = count(ball);
        if (frame < 40) {
            EXPECT_FALSE(k.has_value()) << "no maximum yet";
        }
    }
    // contacts at 0.45, 1.26 s: one maximum at 0.86 s
    EXPECT_NEAR(*n, 1, 0);
    EXPECT_NEAR(*k, 0.8, 1e-6);
    EXPECT_NEAR(*r, 0.8, 1e-6);
}

TEST(Measure, LoadIsTheMeanOfTheWindowOrTheLastFrame) {
    Cloud s;
    s.add({0, 1, 0}, kStone, 0);
    s.reports.resize(3);
    Watch last(R"("load": {"max": 1, "shape": "ball"})", s),
        mean(R"("load": {"max": 1, "shape": "ball", "from": 0, "to": 1})", s),
        along(R"("load": {"max": 1, "shape": "ball", "from": 0, "to": 1, "axis": "y"})", s),
        twist(R"("torque": {"max": 1, "shape": "ball", "axis": "z"})", s),
        entered(R"("entered": {"max": 1, "shape": "gate"})", s);
    for (const float f : {1.0f, 3.0f}) {
        s.reports[1].force = {3 * f, -4 * f, 0};
        s.reports[1].torque = {0, 0, -f};
        s.reports[2].entered = 7;
        for (Watch* one : {&last, &mean, &along}) (*one)(s);
    }
    EXPECT_NEAR(*last(s), 15, 1e-6);
    EXPECT_NEAR(*mean(s), 5 * (1 + 3 + 3) / 3.0, 1e-5);
    EXPECT_NEAR(*along(s), -4 * (1 + 3 + 3) / 3.0, 1e-5);
    EXPECT_NEAR(*twist(s), -3, 1e-6);
    EXPECT_EQ(*entered(s), 7);
}

}  // namespace
}  // namespace coalesce::test
