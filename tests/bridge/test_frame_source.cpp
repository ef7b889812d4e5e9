#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "bridge/frame_source.h"
#include "render/egl_context.h"
#include "render/renderer.h"
#include "scene/scene.h"
#include "support/each_backend.h"
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

// A small world a few frames into its run, and a context to draw it.
class Bridge : public EachBackend {
protected:
    Bridge() : world(exec), solver((buildWorld(readScene(smallScene(folder)), world), world)) {
        for (int k = 0; k < 12; ++k) solver.step();
    }

    template <class T>
    std::vector<T> bytesOf(Slot slot) const {
        std::vector<T> host(world.count());
        glGetNamedBufferSubData(buffers.id(slot), 0, static_cast<GLsizeiptr>(host.size() * sizeof(T)),
                                host.data());
        return host;
    }
    std::vector<uint8_t> picture(const RenderFrame& shown) {
        Renderer renderer;
        RenderTarget target(160, 90);
        Camera camera;
        camera.eye = {1.6f, 1.1f, 1.8f};
        camera.look = {0.3f, 0.3f, 0.3f};
        renderer.draw(shown, buffers, camera, {}, target.output());
        return readPixels(target.output());
    }

    TemporaryFolder folder;
    EglContext context;
    World world;
    Solver solver;
    GlBuffers buffers;
    RenderFrame frame;
};

// The other way to bring the arrays over: each by way of its own copy, in an order of its own.
class DetourSource : public FrameSource {
public:
    using FrameSource::FrameSource;
    const char* path() const override { return "detour"; }

protected:
    void transfer(std::span<const DrawArray> arrays, GlBuffers& buffers) override {
        for (size_t k = arrays.size(); k-- > 0;) {
            std::vector<char> copy(arrays[k].bytes);
            m_world.exec.copyToHost(copy.data(), arrays[k].data, arrays[k].bytes);
            buffers.reserve(arrays[k].slot, arrays[k].bytes);
            glNamedBufferSubData(buffers.id(arrays[k].slot), 0, static_cast<GLsizeiptr>(copy.size()),
                                 copy.data());
        }
    }
};

TEST_P(Bridge, BuffersHoldTheWorldsArrays) {
    const auto source = makeFrameSource(world, solver, {});
    source->publish({.quantity = Quantity::Speed, .ellipsoids = false}, buffers, frame);
    const auto x = world.particles.x.download(), v = world.particles.v.download();
    const auto phase = world.particles.phase.download();
    const auto drawnX = bytesOf<Vec4>(Slot::Pos), drawnV = bytesOf<Vec4>(Slot::Vel);
    const auto drawnPhase = bytesOf<uint32_t>(Slot::Phase);
    const auto speed = bytesOf<float>(Slot::Scalar);
    ASSERT_EQ(frame.particles, world.count());
    for (size_t i = 0; i < world.count(); ++i) {
        EXPECT_EQ(0, std::memcmp(&x[i], &drawnX[i], sizeof(Vec4)));
        EXPECT_EQ(0, std::memcmp(&v[i], &drawnV[i], sizeof(Vec4)));
        EXPECT_EQ(phase[i], drawnPhase[i]);
        EXPECT_NEAR(speed[i],
                    std::sqrt(double{v[i].x} * v[i].x + double{v[i].y} * v[i].y + double{v[i].z} * v[i].z),
                    1e-5);
    }
}

TEST_P(Bridge, QuantitiesAreWhatTheirNamesSay) {
    const auto source = makeFrameSource(world, solver, {});
    source->publish({.quantity = Quantity::DensityError, .ellipsoids = false}, buffers, frame);
    EXPECT_EQ(frame.scalarName, "density error");
    const auto v = world.particles.v.download();
    auto value = bytesOf<float>(Slot::Scalar);
    for (size_t i = 0; i < v.size(); ++i) EXPECT_EQ(value[i], v[i].w - 1);

    source->publish({.quantity = Quantity::Id, .ellipsoids = false}, buffers, frame);
    const auto id = world.particles.id.download();
    value = bytesOf<float>(Slot::Scalar);
    for (size_t i = 0; i < id.size(); ++i) EXPECT_EQ(value[i], static_cast<float>(id[i]));

    // all pairs at the present positions, in double; a pair exactly at the rim of the support may count or
    // not
    solver.findNeighbors();
    source->publish({.quantity = Quantity::Neighbors, .ellipsoids = false}, buffers, frame);
    const auto x = world.particles.x.download();
    value = bytesOf<float>(Slot::Scalar);
    for (size_t i = 0; i < x.size(); ++i) {
        int surely = 0, perhaps = 0;
        for (size_t j = 0; j < x.size(); ++j) {
            if (i == j) continue;
            const double r =
                std::hypot(double{x[i].x} - x[j].x, double{x[i].y} - x[j].y, double{x[i].z} - x[j].z);
            surely += r < 0.2 - 1e-6, perhaps += r < 0.2 + 1e-6;
        }
        EXPECT_GE(value[i], surely);
        EXPECT_LE(value[i], perhaps);
    }
}

TEST_P(Bridge, FrameDescribesTheWorld) {
    const auto source = makeFrameSource(world, solver, {});
    source->publish({}, buffers, frame);
    EXPECT_EQ(frame.step, world.step);
    EXPECT_EQ(frame.time, world.time);
    ASSERT_EQ(frame.materials.size(), 1u);
    EXPECT_EQ(frame.materials[0].name, "water");
    EXPECT_FLOAT_EQ(frame.materials[0].spacing, 0.1f);
    ASSERT_EQ(frame.shapes.size(), 1u);
    EXPECT_EQ(frame.shapes[0].kind, DrawShape::Kind::Plane);
    float low = INFINITY, high = -INFINITY;
    for (const Vec4& p : world.particles.x.download()) low = std::min(low, p.y), high = std::max(high, p.y);
    EXPECT_FLOAT_EQ(frame.boundsMin[1], low - 0.05f);
    EXPECT_FLOAT_EQ(frame.boundsMax[1], high + 0.05f);
}

TEST_P(Bridge, MovingShapesAreDrawnWhereTheyAre) {
    world.shapes[0].velocity = {0, 2, 0};
    const auto source = makeFrameSource(world, solver, {});
    source->publish({}, buffers, frame);
    EXPECT_NEAR(frame.shapes[0].position[1], 2 * world.time, 1e-6);
}

TEST_P(Bridge, TwoWaysGiveTheSameImage) {
    makeFrameSource(world, solver, {})->publish({}, buffers, frame);
    const std::vector<uint8_t> first = picture(frame);
    buffers = {};
    RenderFrame other;
    DetourSource(world, solver).publish({}, buffers, other);
    EXPECT_EQ(first, picture(other));
    EXPECT_NE(std::count(first.begin(), first.end(), first[0]), static_cast<std::ptrdiff_t>(first.size()))
        << "blank";
}

// A state that no step has made can be drawn, and drawing changes no result.
TEST_P(Bridge, DrawingLeavesTheSimulationAlone) {
    const auto run = [&](bool drawn) {
        World fresh(exec);
        buildWorld(readScene(folder / "small.json"), fresh);
        Solver stepper(fresh);
        const auto source = makeFrameSource(fresh, stepper, {});
        std::vector<std::pair<uint32_t, Vec4>> result;
        for (int k = 0; k < 10; ++k) {
            if (drawn) source->publish({.quantity = Quantity::Neighbors, .ellipsoids = true}, buffers, frame);
            stepper.step();
        }
        const auto id = fresh.particles.id.download();
        const auto x = fresh.particles.x.download();
        for (size_t i = 0; i < id.size(); ++i) result.emplace_back(id[i], x[i]);
        std::sort(result.begin(), result.end(),
                  [](const auto& a, const auto& b) { return a.first < b.first; });
        return result;
    };
    const auto plain = run(false), drawn = run(true);
    for (size_t i = 0; i < plain.size(); ++i) {
        EXPECT_EQ(plain[i].first, drawn[i].first);
        EXPECT_EQ(0, std::memcmp(&plain[i].second, &drawn[i].second, sizeof(Vec4)))
            << "particle " << plain[i].first;
    }
}

TEST_P(Bridge, NothingIsDrawnOfAnEmptyWorld) {
    std::vector<uint32_t> all = world.particles.id.download();
    world.removeParticles(all);
    const auto source = makeFrameSource(world, solver, {});
    source->publish({}, buffers, frame);
    EXPECT_EQ(frame.particles, 0u);
    EXPECT_LT(frame.boundsMin[0], frame.boundsMax[0]);
    picture(frame);
}

FOR_EACH_BACKEND(Bridge);

}  // namespace
}  // namespace coalesce::test
