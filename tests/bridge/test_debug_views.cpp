// Debug views in frames: quantities, lines, gizmos, and the data of a single particle.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

#include "bridge/frame_source.h"
#include "bridge/read_particle.h"
#include "render/gl/egl_context.h"
#include "scene/build/build.h"
#include "scene/format/scene.h"
#include "scene/reader.h"
#include "support/each_backend.h"
#include "support/pressures.h"
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

constexpr const char* kScene = R"({
    "about": "A bit of everything that debug views show.",
    "duration": 1,
    "materials": {
        "water": { "spacing": 0.1 },
        "stone": { "kind": "rigid", "spacing": 0.1, "density": 2000 },
        "cloth": { "kind": "cloth", "spacing": 0.1 }
    },
    "attributes": { "dye": { "default": 0.25, "unit": "kg/m3" }, "spin": { "type": "vec3", "default": [1, 2, 3] } },
    "bodies": [
        { "name": "pool", "material": "water", "block": { "min": [0, 0, 0], "max": [0.5, 0.5, 0.5] } },
        { "name": "stone", "material": "stone", "shape": "cube", "height": 0.3, "center": [2, 0.16, 0], "rotation": [0, 0, 90], "channels": [1] },
        { "name": "sheet", "material": "cloth", "grid": { "size": [0.3, 0, 0.3] }, "center": [4, 1, 0], "pinned": true, "channels": [1] }
    ],
    "shapes": [
        { "name": "floor", "plane": { "normal": [0, 1, 0] } },
        { "name": "tank", "box": { "size": [0.5, 2, 0.5] }, "position": [0.25, 1, 0.25], "container": true, "channels": [0] }
    ],
    "emitters": [{ "name": "tap", "material": "water", "disc": { "radius": 0.06 }, "position": [0.25, 1.2, 0.25], "direction": [0, -1, 0], "speed": 2, "start": 0.05 }],
    "sinks": [{ "name": "drain", "box": { "size": [0.2, 0.1, 0.4] }, "position": [9, 1, 0] }],
    "expect": { "slow": { "check": "speed", "max": 1000 } }
})";

class DebugViews : public EachBackend {
protected:
    DebugViews()
        : world(exec),
          solver((writeText(folder / "views.json", kScene),
                  buildWorld(readScene(folder / "views.json"), world), world)),
          source(makeFrameSource(world, solver, {})) {}

    void publish(DrawRequest request) {
        request.ellipsoids = false;
        source->publish(request, buffers, frame);
    }
    std::vector<float> values(Quantity quantity) {
        publish({.quantity = quantity});
        std::vector<float> host(world.count());
        glGetNamedBufferSubData(buffers.id(Slot::Scalar), 0, GLsizeiptr(host.size() * sizeof(float)),
                                host.data());
        return host;
    }
    std::vector<Vec4> ends(const DrawLines& set) const {
        std::vector<Vec4> host(size_t{2} * set.count);
        glGetNamedBufferSubData(buffers.id(Slot::Line), GLintptr(2 * set.first * sizeof(Vec4)),
                                GLsizeiptr(host.size() * sizeof(Vec4)), host.data());
        return host;
    }
    void frames(int count) {
        for (int k = 0; k < count; ++k) solver.step();
    }
    std::string materialAt(uint32_t phase) const { return world.materials[materialOf(phase)].name; }

    TemporaryFolder folder;
    EglContext context;
    World world;
    Solver solver;
    GlBuffers buffers;
    std::unique_ptr<FrameSource> source;
    RenderFrame frame;
};

TEST_P(DebugViews, WordsAreUniqueAndInEnumOrder) {
    std::set<std::string> words;
    for (size_t k = 0; k < kQuantities.size(); ++k) {
        EXPECT_EQ(size_t(kQuantities[k].quantity), k) << kQuantities[k].word;
        EXPECT_TRUE(words.insert(kQuantities[k].word).second) << kQuantities[k].word;
    }
    words.clear();
    for (size_t k = 0; k < kLineViews.size(); ++k) {
        EXPECT_EQ(size_t(kLineViews[k].view), k) << kLineViews[k].word;
        EXPECT_TRUE(words.insert(kLineViews[k].word).second) << kLineViews[k].word;
    }
}

TEST_P(DebugViews, PressureGrowsWithDepthAndIsRecordedOnlyWhileShown) {
    world.emitters[0].properties.enabled = false;
    EXPECT_FALSE(solver.watchesPressure());
    for (const float p : values(Quantity::Pressure)) EXPECT_EQ(p, 0) << "not known yet";
    EXPECT_TRUE(solver.watchesPressure());
    frames(60);
    const auto pressure = values(Quantity::Pressure);
    const auto x = world.particles.x.download();
    const auto phase = world.particles.phase.download();
    const auto theirs = pressures(solver, world);
    double low = 0, high = 0;
    int lows = 0, highs = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        if (materialAt(phase[i]) != "water") {
            EXPECT_EQ(pressure[i], 0);
            continue;
        }
        EXPECT_NEAR(pressure[i], theirs[i], 1e-3 * std::abs(theirs[i]) + 1e-3);
        if (x[i].y < 0.15f) low += pressure[i], ++lows;
        if (x[i].y > 0.35f) high += pressure[i], ++highs;
    }
    EXPECT_GT(low / lows, high / highs + 500) << "2 decimeters of water are 2 kPa";
    publish({});
    EXPECT_FALSE(solver.watchesPressure());
    // recording enabled by other users stays on
    solver.watchPressure();
    values(Quantity::Pressure);
    publish({});
    EXPECT_TRUE(solver.watchesPressure());
}

TEST_P(DebugViews, MassAndFixedStateEqualThoseOfTheParticles) {
    frames(2);
    const auto x = world.particles.x.download();
    const auto phase = world.particles.phase.download();
    const auto mass = values(Quantity::Mass), fixed = values(Quantity::Fixed);
    int pinned = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        EXPECT_FLOAT_EQ(mass[i], x[i].w > 0 ? 1 / x[i].w : 0);
        EXPECT_EQ(fixed[i], x[i].w > 0 ? (phase[i] & kAsleep ? 1 : 0) : 2);
        pinned += fixed[i] == 2;
    }
    EXPECT_EQ(pinned, 16) << "the cloth of four by four";
}

TEST_P(DebugViews, AgeCountsFromSpawnTime) {
    const size_t old = world.count();
    frames(20);
    ASSERT_GT(world.count(), old) << "the tap has run";
    const auto age = values(Quantity::Age);
    const auto id = world.particles.id.download();
    double youngest = 1e9;
    for (size_t i = 0; i < id.size(); ++i) {
        if (id[i] < old)
            EXPECT_NEAR(age[i], world.time, 1e-6);
        else
            EXPECT_LT(age[i], world.time - 0.04);
        EXPECT_NEAR(age[i], world.spawnRecord.ageOf(id[i], world.time), 1e-6);
        youngest = std::min(youngest, double{age[i]});
    }
    EXPECT_LT(youngest, 0.1);
    // one more frame increases every age by its duration
    const double before = world.spawnRecord.ageOf(id[0], world.time);
    const double then = world.time;
    frames(1);
    EXPECT_NEAR(world.spawnRecord.ageOf(id[0], world.time) - before, world.time - then, 1e-9);
}

TEST_P(DebugViews, ResidualShowsDisplacedParticles) {
    world.emitters[0].properties.enabled = false;
    frames(1);
    auto x = world.particles.x.download();
    const auto phase = world.particles.phase.download();
    const auto before = values(Quantity::Residual);
    size_t stone = 0, cloth = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        EXPECT_GE(before[i], 0);
        if (materialAt(phase[i]) == "stone") stone = i;
        if (materialAt(phase[i]) == "cloth") cloth = i;
        if (materialAt(phase[i]) != "water") {
            EXPECT_LT(before[i], 0.02);
        }
    }
    x[stone].y += 0.03f;  // 0.3 spacings
    x[cloth].y += 0.1f;   // its springs of one spacing become √2 long
    world.particles.x.upload(x);
    const auto after = values(Quantity::Residual);
    EXPECT_NEAR(after[stone], 0.3, 0.05);
    EXPECT_NEAR(after[cloth], std::sqrt(2.0) - 1, 0.05);
}

TEST_P(DebugViews, ArrowsFollowTheirParticlesAndVelocities) {
    frames(15);
    publish({.lines = {LineView::Velocities}});
    ASSERT_EQ(frame.lines.size(), 1u);
    EXPECT_TRUE(frame.lines[0].sequential);
    ASSERT_EQ(frame.lines[0].count, 3 * world.count()) << "few enough for one each";
    const auto x = world.particles.x.download(), v = world.particles.v.download();
    const auto lines = ends(frame.lines[0]);
    double fastest = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        const Vec3 way = xyz(lines[6 * i + 1]) - xyz(lines[6 * i]);
        EXPECT_LT(length(xyz(lines[6 * i]) - xyz(x[i])), 1e-6);
        EXPECT_LT(length(way - 0.05f * xyz(v[i])), 1e-6);
        EXPECT_FLOAT_EQ(lines[6 * i].w, length(xyz(v[i])));
        fastest = std::max(fastest, double{length(xyz(v[i]))});
    }
    EXPECT_NEAR(frame.lines[0].range, fastest, 1e-5);
}

TEST_P(DebugViews, FramesShowBodyRotations) {
    publish({.lines = {LineView::Frames}});
    ASSERT_EQ(frame.lines.size(), 3u);
    const auto clusters = uint32_t(world.solids.pose.size());
    for (const DrawLines& set : frame.lines) EXPECT_EQ(set.count, clusters);
    // the stone is rotated by 90 degrees about z: its x axis points up, its y axis left
    const auto xAxis = ends(frame.lines[0]), yAxis = ends(frame.lines[1]);
    EXPECT_NEAR(xAxis[1].y - xAxis[0].y, 0.1, 1e-4);
    EXPECT_NEAR(yAxis[1].x - yAxis[0].x, -0.1, 1e-4);
    EXPECT_NEAR(xAxis[0].x, 2, 1e-3);
}

TEST_P(DebugViews, ContactNormalsAndPlanesLieOnTheFloor) {
    world.emitters[0].properties.enabled = false;
    frames(30);
    publish({.lines = {LineView::Normals, LineView::Planes}});
    ASSERT_EQ(frame.lines.size(), 3u);
    ASSERT_GT(frame.lines[1].count, 10u);
    ASSERT_EQ(frame.lines[2].count, 4 * frame.lines[1].count) << "a square for each plane";
    int up = 0;
    for (const auto lines = ends(frame.lines[1]); const size_t k : {size_t{0}, lines.size() / 4}) {
        const Vec3 normal = xyz(lines[2 * k + 1]) - xyz(lines[2 * k]);
        EXPECT_NEAR(length(normal), 0.1, 1e-5);
    }
    const auto all = ends(frame.lines[1]);
    for (size_t k = 0; k + 1 < all.size(); k += 2)
        if (all[k + 1].y - all[k].y > 0.099f) {
            ++up;
            EXPECT_NEAR(all[k].y, 0, 5e-3) << "on the floor";
        }
    EXPECT_GT(up, 8);
}

TEST_P(DebugViews, CellsContainAllParticlesAndHaveTheGridSize) {
    publish({.lines = {LineView::Cells}});
    ASSERT_EQ(frame.lines.size(), 1u);
    const auto lines = ends(frame.lines[0]);
    const float cell = solver.cellSize();
    ASSERT_GT(cell, 0.1f);
    std::set<std::array<int, 3>> drawn, wanted;
    for (size_t k = 0; k + 23 < lines.size(); k += 24)
        drawn.insert({int(std::lround(lines[k].x / cell)), int(std::lround(lines[k].y / cell)),
                      int(std::lround(lines[k].z / cell))});
    for (const Vec4& p : world.particles.x.download())
        wanted.insert(
            {int(std::floor(p.x / cell)), int(std::floor(p.y / cell)), int(std::floor(p.z / cell))});
    EXPECT_EQ(drawn, wanted);
    for (size_t k = 0; k + 1 < lines.size(); k += 2)
        EXPECT_NEAR(length(xyz(lines[k]) - xyz(lines[k + 1])), cell, 1e-4);
}

TEST_P(DebugViews, SpringsOfABatchShareNoParticle) {
    publish({.lines = {LineView::Batches, LineView::Triangles}});
    ASSERT_GE(frame.lines.size(), 2u);
    const auto lines = ends(frame.lines[0]);
    std::set<std::pair<int, std::array<int, 3>>> touched;
    for (const Vec4& end : lines) {
        const std::array<int, 3> place{int(std::lround(20 * end.x)), int(std::lround(20 * end.y)),
                                       int(std::lround(20 * end.z))};
        EXPECT_TRUE(touched.insert({int(end.w), place}).second) << "batch " << end.w;
        EXPECT_LE(end.w, frame.lines[0].range);
    }
    // 18 triangles of a level cloth, all facing up or all facing down
    const auto normals = ends(frame.lines[1]);
    EXPECT_EQ(frame.lines[1].count, 18u);
    for (size_t k = 0; k + 1 < normals.size(); k += 2)
        EXPECT_NEAR(std::abs(normals[k + 1].y - normals[k].y), 0.1, 1e-5);
}

TEST_P(DebugViews, EmittersAndSinksAreOutlinedAtTheirPosition) {
    publish({.lines = {LineView::Emitters, LineView::Sinks, LineView::Bounds, LineView::Axes}});
    const auto find = [&](const std::string& name) {
        for (const DrawGizmo& gizmo : frame.gizmos)
            if (gizmo.name == name) return gizmo;
        ADD_FAILURE() << name << " is not drawn";
        return DrawGizmo{};
    };
    const DrawGizmo tap = find("tap"), drain = find("drain");
    // the circle of its nozzle, then an arrow downwards
    ASSERT_GT(tap.ends.size(), 96u);
    for (size_t k = 0; k < 96; ++k) {
        EXPECT_NEAR(std::hypot(tap.ends[k][0] - 0.25, tap.ends[k][2] - 0.25), 0.06, 1e-5);
        EXPECT_NEAR(tap.ends[k][1], 1.2, 1e-5);
    }
    EXPECT_LT(tap.ends[97][1], 1.15f);
    const auto gray = tap.color;  // inactive before 0.05 s
    frames(10);
    source->updateFrame(frame);
    EXPECT_NE(find("tap").color, gray);
    // the box of the drain: twelve edges, from corner to corner
    ASSERT_EQ(drain.ends.size(), 24u);
    float low = 1e9f, high = -1e9f;
    for (const auto& end : drain.ends) low = std::min(low, end[0]), high = std::max(high, end[0]);
    EXPECT_NEAR(low, 8.9, 1e-5);
    EXPECT_NEAR(high, 9.1, 1e-5);
    ASSERT_EQ(find("bounds").ends.size(), 24u);
    find("x"), find("y"), find("z");
    publish({});
    EXPECT_TRUE(frame.gizmos.empty());
}

TEST_P(DebugViews, SelectedParticleIsMarkedAndConnectedToItsNeighbors) {
    frames(3);
    const auto ids = world.particles.id.download();
    const uint32_t id = ids[ids.size() / 3];
    publish({.lines = {LineView::Neighbors}, .picked = id});
    const auto facts = readParticle(world, solver, id);
    ASSERT_TRUE(facts);
    ASSERT_GE(frame.lines.size(), 1u);
    if (facts->neighbors > 0) {
        EXPECT_EQ(frame.lines[0].count, uint32_t(facts->neighbors));
        for (const auto lines = ends(frame.lines[0]); const size_t k : {size_t{0}, lines.size() / 2 - 1}) {
            EXPECT_LT(length(xyz(lines[2 * k]) - facts->x), 1e-6);
            EXPECT_LT(length(xyz(lines[2 * k + 1]) - facts->x), 0.25f);
            EXPECT_FLOAT_EQ(lines[2 * k + 1].w, 0.05f) << "balls as large as particles, d/2";
        }
        EXPECT_TRUE(frame.lines[0].balls);
        // and one for the selected particle itself
        ASSERT_EQ(frame.lines[1].count, 1u);
        EXPECT_LT(length(xyz(ends(frame.lines[1])[1]) - facts->x), 1e-6);
        EXPECT_NE(frame.lines[0].color, frame.lines[1].color);
    }
    ASSERT_EQ(frame.gizmos.size(), 1u);
    // the center of the cross is the particle
    EXPECT_NEAR((frame.gizmos[0].ends[0][0] + frame.gizmos[0].ends[1][0]) / 2, facts->x.x, 1e-5);
    publish({.lines = {LineView::Neighbors}, .picked = 999999});
    EXPECT_TRUE(frame.lines.empty());
    EXPECT_TRUE(frame.gizmos.empty());
}

TEST_P(DebugViews, ParticleFactsEqualTheWorld) {
    frames(5);
    const auto id = world.particles.id.download();
    const auto x = world.particles.x.download(), v = world.particles.v.download();
    const auto phase = world.particles.phase.download();
    std::set<std::string> materials;
    for (size_t i = 0; i < id.size(); i += 7) {
        const auto f = readParticle(world, solver, id[i]);
        ASSERT_TRUE(f);
        EXPECT_EQ(f->slot, i);
        EXPECT_EQ(f->x, xyz(x[i]));
        EXPECT_EQ(f->v, xyz(v[i]));
        EXPECT_FLOAT_EQ(f->mass, x[i].w > 0 ? 1 / x[i].w : 0);
        EXPECT_EQ(world.materials[f->material].name, materialAt(phase[i]));
        EXPECT_EQ(f->density.has_value(), materialAt(phase[i]) == "water");
        if (f->density) {
            EXPECT_FLOAT_EQ(float(*f->density), 1000 * v[i].w);
        }
        ASSERT_EQ(f->attributes.size(), 2u);
        EXPECT_EQ(f->attributes[0].name, "dye");
        EXPECT_EQ(f->attributes[0].numbers, (std::vector<double>{0.25}));
        EXPECT_EQ(f->attributes[1].numbers, (std::vector<double>{1, 2, 3}));
        ASSERT_EQ(f->arrays.size(), 4u) << "those of particles.def";
        EXPECT_EQ(f->arrays[0].numbers[0], x[i].x);
        EXPECT_EQ(f->arrays[2].numbers[0], id[i]);
        materials.insert(materialAt(phase[i]));
    }
    EXPECT_EQ(materials.size(), 3u);
    EXPECT_FALSE(readParticle(world, solver, 999999));
}

FOR_EACH_BACKEND(DebugViews);

}  // namespace
}  // namespace coalesce::test
