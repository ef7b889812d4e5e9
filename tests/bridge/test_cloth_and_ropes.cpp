// Cloth and ropes in frames: a strip and a rope of a scene, beside water.
#include <cmath>
#include <gtest/gtest.h>

#include "bridge/frame_source.h"
#include "render/gl/egl_context.h"
#include "render/renderer/renderer.h"
#include "scene/build/build.h"
#include "scene/format/scene.h"
#include "scene/reader.h"
#include "support/each_backend.h"
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

constexpr const char* kScene = R"({
    "about": "A strip of cloth and a rope hang beside water.",
    "duration": 0.1,
    "solver": { "springs": "averaged" },
    "materials": {
        "water": { "spacing": 0.1 },
        "cloth": { "kind": "cloth", "spacing": 0.05, "stiffness": 0.2, "color": [0.7, 0.02, 0.02], "checker": 0.2 },
        "rope": { "kind": "rope", "spacing": 0.05 }
    },
    "bodies": [
        { "name": "block", "material": "water", "block": { "min": [0, 0, 0], "max": [0.3, 0.3, 0.3] } },
        { "name": "strip", "material": "cloth", "grid": { "size": [0.5, 0, 0.4] }, "rotation": [90, 0, 0],
          "center": [0, 1, 0], "pin": { "min": [-1, 1.19, -1], "max": [1, 1.3, 1] } },
        { "name": "rope", "material": "rope", "rope": { "points": [[0, 0, 0], [0.5, 0, 0]] }, "center": [1, 1, 0],
          "pin": { "min": [0.9, 0.9, -1], "max": [1.01, 1.3, 1] } }
    ],
    "shapes": [{ "name": "floor", "plane": { "normal": [0, 1, 0] } }],
    "expect": { "slow": { "check": "speed", "max": 100 } }
})";

class ClothAndRopes : public EachBackend {
protected:
    ClothAndRopes()
        : world(exec),
          solver((writeText(folder / "hanging.json", kScene),
                  buildWorld(readScene(folder / "hanging.json"), world), world)) {}

    template <class T>
    std::vector<T> take(Slot slot, size_t count) const {
        std::vector<T> host(count);
        glGetNamedBufferSubData(buffers.id(slot), 0, GLsizeiptr(count * sizeof(T)), host.data());
        return host;
    }
    // Stretch and shear springs: |x_a − x_b| / L − 1, in double, by row of their ends.
    struct Strain {
        uint32_t a, b;
        double value;
    };
    std::vector<Strain> strains() const {
        const auto id = world.particles.id.download();
        const auto x = world.particles.x.download();
        std::vector<Vec4> byRow(world.solids.rows());
        for (size_t i = 0; i < id.size(); ++i)
            for (const SolidBody& body : world.bodies)
                if (id[i] - world.groups[body.group].first < body.rows)
                    byRow[body.firstRow + id[i] - world.groups[body.group].first] = x[i];
        std::vector<Strain> all;
        for (const DistanceConstraint& s : world.solids.springs.download()) {
            const uint32_t kind = (s.params & ~(kTether | kCut)) % 4;
            if (kind > 1) continue;
            const Vec4 a = byRow[s.a], b = byRow[s.b];
            const double l = std::hypot(double{a.x} - b.x, double{a.y} - b.y, double{a.z} - b.z);
            all.push_back({s.a, s.b, l / s.length - 1});
        }
        return all;
    }
    std::vector<uint8_t> drawImage(const Camera& camera) {
        Renderer renderer;
        RenderTarget target(160, 90);
        renderer.draw(frame, buffers, camera, {}, target.output());
        return readPixels(target.output());
    }

    TemporaryFolder folder;
    EglContext context;
    World world;
    Solver solver;
    GlBuffers buffers;
    RenderFrame frame;
};

// Also for a state without a step.
TEST_P(ClothAndRopes, ClothAndRopesReplaceTheirParticles) {
    const auto source = makeFrameSource(world, solver, {});
    for (int k = 0; k < 2; ++k) {
        source->publish({}, buffers, frame);
        ASSERT_EQ(frame.cloth.size(), 1u);
        ASSERT_EQ(frame.ropes.size(), 1u);
        EXPECT_EQ(frame.cloth[0].thickness, 0.05f);
        EXPECT_EQ(frame.cloth[0].checker, 0.2f);
        EXPECT_EQ(frame.cloth[0].frontIndices, 3u * 2 * 10 * 8);
        EXPECT_GT(frame.cloth[0].color[0], 10 * frame.cloth[0].color[1]);
        // groups: 0 is water or unused
        const uint32_t strip = world.bodies[0].group, rope = world.bodies[1].group;
        EXPECT_EQ(frame.meshGroups, std::vector<uint32_t>{1u << strip | 1u << rope});
        const auto position = take<Vec4>(Slot::ClothPos, 11 * 9);
        float low = 1e9f, high = -1e9f;
        for (const Vec4 p : position) low = std::min(low, p.y), high = std::max(high, p.y);
        EXPECT_NEAR(high, 1.2, 1e-3);
        EXPECT_LT(low, 0.81);
        EXPECT_GT(low, 0.6);
        for (int s = 0; s < 10; ++s) solver.step();
    }
}

TEST_P(ClothAndRopes, StrainIsThatOfTheMostStrainedSpring) {
    for (int k = 0; k < 20; ++k) solver.step();
    const auto source = makeFrameSource(world, solver, {});
    source->publish(
        {.quantity = Quantity::Strain, .ellipsoids = false, .lines = {LineView::DistanceConstraints}},
        buffers, frame);
    EXPECT_EQ(frame.scalarName, "strain");
    std::vector<double> worst(world.solids.rows(), 0);
    double largest = 0;
    const std::vector<Strain> all = strains();
    for (const Strain& s : all) {
        for (const uint32_t row : {s.a, s.b})
            if (std::abs(s.value) > std::abs(worst[row])) worst[row] = s.value;
        largest = std::max(largest, std::abs(s.value));
    }
    EXPECT_GT(largest, 0.01) << "nothing hangs";
    const auto id = world.particles.id.download();
    const auto value = take<float>(Slot::Scalar, world.count());
    for (size_t i = 0; i < id.size(); ++i) {
        double expected = 0;
        for (const SolidBody& body : world.bodies)
            if (id[i] - world.groups[body.group].first < body.rows)
                expected = worst[body.firstRow + id[i] - world.groups[body.group].first];
        EXPECT_NEAR(std::abs(value[i]), std::abs(expected), 1e-5) << "particle " << id[i];
    }
    // a line along each, with equal sums of values
    ASSERT_EQ(frame.lines.size(), 1u);
    EXPECT_EQ(frame.lines[0].count, all.size());
    EXPECT_NEAR(frame.lines[0].range, largest, 1e-5);
    const auto ends = take<Vec4>(Slot::Line, 2 * all.size());
    for (size_t k = 0; k < all.size(); ++k) {
        EXPECT_NEAR(ends[2 * k].w, all[k].value, 1e-5);
        EXPECT_EQ(ends[2 * k].w, ends[2 * k + 1].w);
    }
}

TEST_P(ClothAndRopes, LinesOfContactsAndSpringsShareAnArray) {
    for (int k = 0; k < 10; ++k) solver.step();
    const auto source = makeFrameSource(world, solver, {});
    source->publish({.lines = {LineView::Contacts, LineView::DistanceConstraints}}, buffers, frame);
    ASSERT_EQ(frame.lines.size(), 3u);
    EXPECT_EQ(frame.lines[2].first, frame.lines[0].count + frame.lines[1].count);
    EXPECT_EQ(frame.lines[0].range, 0);
    const auto ends = take<Vec4>(Slot::Line, 2 * size_t{frame.lines[2].first} + 2);
    EXPECT_NEAR(ends.back().w, strains()[0].value, 1e-5);
}

// Without its particles the cloth is not drawn; the rope remains.
TEST_P(ClothAndRopes, RemovedParticlesAreNotDrawn) {
    const auto source = makeFrameSource(world, solver, {});
    std::vector<uint32_t> ids;
    const Group& strip = world.groups[world.bodies[0].group];
    for (uint32_t k = 0; k < strip.count; ++k) ids.push_back(strip.first + k);
    world.removeParticles(ids);
    source->publish({.quantity = Quantity::Strain, .lines = {LineView::DistanceConstraints}}, buffers, frame);
    for (const uint32_t corner : take<uint32_t>(Slot::ClothIndex, frame.cloth[0].indices))
        EXPECT_EQ(corner, 0u);
    bool any = false;
    for (const uint32_t corner : take<uint32_t>(Slot::RopeIndex, frame.ropes[0].indices)) any |= corner != 0;
    EXPECT_TRUE(any);
    solver.step();
    source->publish({}, buffers, frame);
    drawImage({});
}

TEST_P(ClothAndRopes, StripsHaveAFrontAndABack) {
    makeFrameSource(world, solver, {})->publish({}, buffers, frame);
    const auto red = [&](float z) {
        Camera camera;
        camera.eye = {0, 1, z};
        camera.look = {0, 1, 0};
        const std::vector<uint8_t> pixels = drawImage(camera);
        int found = 0;
        for (size_t k = 0; k < pixels.size(); k += 4) found += pixels[k] > 2 * pixels[k + 1] + 20;
        return found;
    };
    // rotated by 90 degrees about x, the grid normals (up) point along z
    EXPECT_GT(red(1.2f), 1000);
    EXPECT_EQ(red(-1.2f), 0);
}

FOR_EACH_BACKEND(ClothAndRopes);

}  // namespace
}  // namespace coalesce::test
