#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "bridge/frame_source.h"
#include "bridge/render_frame_builder.h"
#include "render/gl/egl_context.h"
#include "render/renderer/renderer.h"
#include "scene/build/build.h"
#include "scene/format/scene.h"
#include "scene/reader.h"
#include "sim/world/body_factory.h"
#include "support/each_backend.h"
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

// A small world after a few frames, and an OpenGL context.
class Bridge : public EachBackend {
protected:
    Bridge() : world(exec), solver((buildWorld(readScene(smallScene(folder)), world), world)) {
        for (int k = 0; k < 12; ++k) solver.step();
    }

    template <class T>
    std::vector<T> bytesOf(Slot slot) const {
        std::vector<T> host(world.count());
        glGetNamedBufferSubData(buffers.id(slot), 0, GLsizeiptr(host.size() * sizeof(T)), host.data());
        return host;
    }
    // Three bodies of four particles along x, rotated by 90 degrees about z; two with this skin. Their first
    // group.
    size_t addBodies(std::shared_ptr<const Skin> skin) {
        MaterialProperties rigid = world.materials[0].properties;
        rigid.kind = MaterialKind::rigid;
        world.materials.push_back({"rigid", rigid});
        std::vector<BodySample> samples;
        for (int k = 0; k < 4; ++k)
            samples.push_back(
                {.x = {0.1f * float(k) - 0.15f, 0, 0}, .distance = (world.nextId + k) % 2 ? -0.25f : -0.5f});
        const std::vector<Cluster> clusters = {{0, 1, 2}, {1, 2, 3}};
        std::vector<BodyDef> births;
        for (int b = 0; b < 3; ++b)
            births.push_back({.name = "bar",
                              .material = 1,
                              .samples = samples,
                              .clusters = clusters,
                              .position = {float(b + 1), 3, 0},
                              .rotation = {0, 0, std::sqrt(0.5f), std::sqrt(0.5f)},
                              .skin = b < 2 ? skin : nullptr});
        births[2].clusters = {};
        const size_t first = world.groups.size();
        coalesce::addBodies(world, births);
        return first;
    }
    std::vector<uint8_t> drawImage(const RenderFrame& shown) {
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

// Another transfer path: every array through its own copy, in another order.
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
            glNamedBufferSubData(buffers.id(arrays[k].slot), 0, GLsizeiptr(copy.size()), copy.data());
        }
    }
};

TEST_P(Bridge, BuffersEqualTheWorldsArrays) {
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

// On request; each liquid a run of the arrays, as the mesher makes it.
TEST_P(Bridge, SurfaceMeshesAreThoseOfTheMesher) {
    MaterialProperties oil = world.materials[0].properties;
    world.materials.push_back({"oil", oil});
    auto phase = world.particles.phase.download();
    for (size_t i = 0; i < phase.size() / 2; ++i) phase[i] = makePhase(1, groupOf(phase[i]));
    world.particles.phase.upload(phase);
    const SurfaceOptions options{.smoothing = 2};
    const std::vector<LiquidMesh> made = LiquidMesher(exec).build(world, options);
    ASSERT_EQ(made.size(), 2u);
    const auto source = makeFrameSource(world, solver, {});
    source->publish({.ellipsoids = false, .mesh = options}, buffers, frame);
    ASSERT_EQ(frame.liquids.size(), 2u);
    const auto take = [&]<class T>(Slot slot, size_t first, size_t count, T) {
        std::vector<T> host(count);
        glGetNamedBufferSubData(buffers.id(slot), GLintptr(first * sizeof(T)), GLsizeiptr(count * sizeof(T)),
                                host.data());
        return host;
    };
    for (uint32_t m = 0; m < 2; ++m) {
        const DrawLiquid& drawn = frame.liquids[m];
        const SurfaceMesh& mesh = made[m].mesh;
        ASSERT_GT(mesh.position.size(), 50u);
        EXPECT_EQ(drawn.material, m);
        ASSERT_EQ(drawn.indices, 3 * mesh.triangle.size());
        const auto x = take(Slot::LiquidPos, drawn.firstVertex, mesh.position.size(), Vec4{});
        const auto n = take(Slot::LiquidNormal, drawn.firstVertex, mesh.position.size(), Vec4{});
        const auto index = take(Slot::LiquidIndex, drawn.first, drawn.indices, uint32_t{});
        for (size_t k = 0; k < mesh.position.size(); ++k) {
            EXPECT_TRUE(xyz(x[k]) == mesh.position[k]);
            EXPECT_TRUE(xyz(n[k]) == mesh.normal[k]);
        }
        for (size_t k = 0; k < index.size(); ++k) EXPECT_EQ(index[k], mesh.triangle[k / 3][k % 3]);
    }
    drawImage(frame);
    source->publish({.ellipsoids = false}, buffers, frame);
    EXPECT_TRUE(frame.liquids.empty());
}

TEST_P(Bridge, QuantitiesEqualTheirReferences) {
    const auto source = makeFrameSource(world, solver, {});
    source->publish({.quantity = Quantity::DensityError, .ellipsoids = false}, buffers, frame);
    EXPECT_EQ(frame.scalarName, "density error");
    const auto v = world.particles.v.download();
    auto value = bytesOf<float>(Slot::Scalar);
    for (size_t i = 0; i < v.size(); ++i) EXPECT_EQ(value[i], v[i].w - 1);

    auto phase = world.particles.phase.download();
    phase[3] |= kAsleep;
    phase[4] = makePhase(0, 70000);
    world.groupsNamed = 70001;
    world.particles.phase.upload(phase);
    source->publish({.quantity = Quantity::Sleeping, .ellipsoids = false}, buffers, frame);
    value = bytesOf<float>(Slot::Scalar);
    for (size_t i = 0; i < v.size(); ++i) EXPECT_EQ(value[i], i == 3 ? 1 : 0);
    source->publish({.quantity = Quantity::Body, .ellipsoids = false}, buffers, frame);
    value = bytesOf<float>(Slot::Scalar);
    for (size_t i = 0; i < v.size(); ++i) EXPECT_EQ(value[i], i == 4 ? 70000 : 0);

    // without attributes there is nothing to show
    source->publish({.quantity = Quantity::Attribute, .ellipsoids = false}, buffers, frame);
    value = bytesOf<float>(Slot::Scalar);
    for (const float a : value) EXPECT_EQ(a, 0);
    world.addAttribute({.name = "mark", .initial = {3, 0, 0}, .shown = true});
    world.addAttribute({.name = "way",
                        .unit = "m",
                        .type = AttributeType::vector,
                        .initial = {0, 3, 4},
                        .low = -1,
                        .high = 9,
                        .colors = {{0, 0, 0}, {1, 0, 0.5f}}});
    world.addAttribute({.name = "label", .type = AttributeType::whole, .initial = {-8, 0, 0}});
    std::vector<Attribute>& attributes = world.particles.attributes;
    for (const float expected : {3.0f, 5.0f, -8.0f}) {
        source->publish({.quantity = Quantity::Attribute, .ellipsoids = false}, buffers, frame);
        value = bytesOf<float>(Slot::Scalar);
        for (const float a : value) EXPECT_EQ(a, expected);
        if (expected == 5) {
            EXPECT_EQ(frame.scalarName, "way");
            EXPECT_EQ(frame.scalarUnit, "m");
            EXPECT_EQ(frame.scalarRange, (std::array<float, 2>{-1, 9}));
            EXPECT_EQ(frame.scalarColors.at(1), (std::array<float, 3>{1, 0, 0.5f}));
        }
        // show the next one
        for (size_t k = attributes.size() - 1; k > 0; --k)
            attributes[k].info.shown = attributes[k - 1].info.shown;
        attributes[0].info.shown = false;
    }

    source->publish({.quantity = Quantity::Id, .ellipsoids = false}, buffers, frame);
    const auto id = world.particles.id.download();
    value = bytesOf<float>(Slot::Scalar);
    for (size_t i = 0; i < id.size(); ++i) EXPECT_EQ(value[i], float(id[i]));

    // all pairs at the current positions, in double; pairs exactly at the support radius may count or not
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

TEST_P(Bridge, FrameMatchesTheWorld) {
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

// A layer of 0.3 m shows the color of a liquid without absorption and scatter.
TEST(LiquidLight, ComesFromTheColorUnlessItIsGiven) {
    MaterialProperties honey;
    const LiquidLight plain = liquidLightOf(honey);
    EXPECT_EQ(plain.absorption, honey.absorption) << "nothing is given: water";
    honey.color = {0.8f, 0.4f, 0.1f};
    const LiquidLight light = liquidLightOf(honey);
    EXPECT_NEAR(std::exp(-light.absorption.x * 0.3f), 0.8f, 1e-5f);
    EXPECT_NEAR(std::exp(-light.absorption.y * 0.3f), 0.4f, 1e-5f);
    EXPECT_NEAR(std::exp(-light.absorption.z * 0.3f), 0.1f, 1e-5f);
    EXPECT_NEAR(light.scatter.x / light.scatter.z, 8, 1e-4f);
    honey.color = {1, 0, 1};
    EXPECT_TRUE(std::isfinite(liquidLightOf(honey).absorption.y)) << "a black channel";
    EXPECT_GT(liquidLightOf(honey).absorption.x, 0) << "white is not clear";
    honey.scatter = {0.1f, 0.1f, 0.2f};
    EXPECT_EQ(liquidLightOf(honey).absorption, honey.absorption) << "scatter is given";
    EXPECT_EQ(liquidLightOf(honey).scatter, honey.scatter);
}

// Two bodies with the same skin, of two clusters each, and one without a skin.
TEST_P(Bridge, BodiesWithTheSameSkinAreInstancesOfOneMesh) {
    Skin skin;
    skin.mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    skin.mesh.triangles = {{0, 1, 2}};
    skin.clusters = {{0, 1, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 0}};
    skin.weights = {{0.5f, 0.5f, 0, 0}, {1, 0, 0, 0}, {1, 0, 0, 0}};
    const auto shared = std::make_shared<const Skin>(skin);
    const size_t group = addBodies(shared);
    const auto source = makeFrameSource(world, solver, {});
    source->publish({.quantity = Quantity::Distance, .ellipsoids = false}, buffers, frame);

    ASSERT_EQ(frame.meshes.size(), 1u);
    const DrawMesh& mesh = frame.meshes[0];
    ASSERT_EQ(mesh.instances.size(), 2u);
    EXPECT_EQ(mesh.instances[0].firstCluster, 0u);
    EXPECT_EQ(mesh.instances[1].firstCluster, 2u);
    EXPECT_NE(mesh.instances[0].color, mesh.instances[1].color);
    EXPECT_EQ(mesh.arrays.owner, shared);
    EXPECT_EQ(std::vector<float>(mesh.arrays.positions.begin(), mesh.arrays.positions.end()),
              (std::vector<float>{0, 0, 0, 1, 0, 0, 0, 1, 0}));
    EXPECT_EQ(mesh.arrays.normals.size(), 0u);
    EXPECT_EQ(mesh.arrays.triangles.size(), 3u);
    EXPECT_EQ(mesh.arrays.clusters[1], 1u);
    EXPECT_EQ(mesh.arrays.weights[4], 1);
    EXPECT_EQ(frame.meshGroups, (std::vector<uint32_t>{3u << group}));
    EXPECT_EQ(frame.materials[1].kind, DrawMaterial::Kind::Solid);

    RenderFrame hidden;
    source->publish({.quantity = Quantity::Distance, .ellipsoids = false, .hidden = {uint32_t(group)}},
                    buffers, hidden);
    ASSERT_EQ(hidden.meshes.size(), 1u);
    ASSERT_EQ(hidden.meshes[0].instances.size(), 1u) << "the other body";
    EXPECT_EQ(hidden.meshes[0].instances[0].firstCluster, 2u);
    EXPECT_EQ(hidden.hiddenGroups.at(group / 32), 1u << group % 32);

    // cluster poses equal those of the simulation: center, mass, rotation, and rest center
    std::vector<glm::vec4> drawn(10), rests(5);
    glGetNamedBufferSubData(buffers.id(Slot::ClusterPose), 0, 10 * sizeof(glm::vec4), drawn.data());
    glGetNamedBufferSubData(buffers.id(Slot::ClusterRest), 0, 5 * sizeof(glm::vec4), rests.data());
    for (int k = 0; k < 4; ++k) {
        // the middle two particles give half of their mass to each cluster
        const float side = k % 2 ? 0.075f : -0.075f, body = k / 2 ? 2 : 1;
        EXPECT_NEAR(rests[k].x, side, 1e-6);
        EXPECT_NEAR(drawn[2 * k].x, body, 1e-6);  // rotated by 90 degrees about z: x became y
        EXPECT_NEAR(drawn[2 * k].y, 3 + side, 1e-6);
        EXPECT_GT(drawn[2 * k].w, 0);
        EXPECT_NEAR(drawn[2 * k + 1].z, std::sqrt(0.5), 1e-6);
        EXPECT_NEAR(drawn[2 * k + 1].w, std::sqrt(0.5), 1e-6);
    }

    // the distances stored per particle; 0 for water
    const auto id = world.particles.id.download();
    auto value = bytesOf<float>(Slot::Scalar);
    for (size_t i = 0; i < id.size(); ++i)
        EXPECT_EQ(value[i], id[i] < world.groups[group].first ? 0 : id[i] % 2 ? -0.25f : -0.5f) << i;
    EXPECT_EQ(frame.scalarUnit, "m");
    // and their height in the stack; not a density
    auto v = world.particles.v.download();
    for (size_t i = 0; i < v.size(); ++i) v[i].w = 0.75f;
    world.particles.v.upload(v);
    source->publish({.quantity = Quantity::Height, .ellipsoids = false}, buffers, frame);
    value = bytesOf<float>(Slot::Scalar);
    for (size_t i = 0; i < id.size(); ++i) EXPECT_EQ(value[i], id[i] < world.groups[group].first ? 0 : 0.75f);
    source->publish({.quantity = Quantity::DensityError, .ellipsoids = false}, buffers, frame);
    value = bytesOf<float>(Slot::Scalar);
    for (size_t i = 0; i < id.size(); ++i)
        EXPECT_EQ(value[i], id[i] < world.groups[group].first ? -0.25f : 0);
}

// Contacts by brute force over the current positions: pairs closer than 1.05 d, and the floor at y = 0.
TEST_P(Bridge, ContactsAreCountedAndDrawnAsLines) {
    world.materials[0].properties.kind = MaterialKind::grains;  // liquids have no contacts
    for (int k = 0; k < 40; ++k) solver.step();
    const auto source = makeFrameSource(world, solver, {});
    solver.findNeighbors();
    source->publish({.quantity = Quantity::Contacts, .ellipsoids = false, .lines = {LineView::Contacts}},
                    buffers, frame);
    const auto x = world.particles.x.download();
    const auto value = bytesOf<float>(Slot::Scalar);
    uint32_t pairs = 0, planes = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        int touching = 0;
        for (size_t j = 0; j < x.size(); ++j) {
            const double r =
                std::hypot(double{x[i].x} - x[j].x, double{x[i].y} - x[j].y, double{x[i].z} - x[j].z);
            touching += i != j && r < 0.105;
        }
        EXPECT_EQ(value[i], touching) << "particle " << i;
        pairs += uint32_t(touching);
        planes += x[i].y < 0.055;
    }
    ASSERT_EQ(frame.lines.size(), 2u);
    EXPECT_EQ(frame.lines[0].count, pairs / 2);
    EXPECT_EQ(frame.lines[1].first, pairs / 2);
    EXPECT_EQ(frame.lines[1].count, planes);
    EXPECT_GT(pairs, 20u);
    EXPECT_GT(planes, 20u);
    std::vector<Vec4> ends(pairs + 2 * planes);
    glGetNamedBufferSubData(buffers.id(Slot::Line), 0, GLsizeiptr(ends.size() * sizeof(Vec4)), ends.data());
    for (uint32_t k = 0; k < pairs / 2; ++k)
        EXPECT_LT(length(xyz(ends[2 * k]) - xyz(ends[2 * k + 1])), 0.105f);
    for (uint32_t k = pairs / 2; k < pairs / 2 + planes; ++k) {
        EXPECT_NEAR(ends[2 * k].y, 0, 1e-5);  // on the floor, normal up
        EXPECT_NEAR(ends[2 * k + 1].y, 0.15, 1e-5);
    }
    // none unless requested
    source->publish({}, buffers, frame);
    EXPECT_TRUE(frame.lines.empty());
}

TEST_P(Bridge, MovingShapesHaveTheirCurrentPose) {
    world.shapes[0].velocity = {0, 2, 0};
    const auto source = makeFrameSource(world, solver, {});
    source->publish({}, buffers, frame);
    EXPECT_NEAR(frame.shapes[0].position[1], 2 * world.time, 1e-6);
}

TEST_P(Bridge, HullsSdfsAndMeshesAreDrawnAsSurfaces) {
    const std::vector<Vec3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    Shape shape;
    shape.kind = ShapeKind::convex;
    shape.geometry = convexGeometry(convexHull(corners));
    shape.scale = {1, 2, 3};
    shape.position = {4, 5, 6};
    world.shapes.push_back(shape);
    shape.kind = ShapeKind::mesh;
    shape.trigger = true;
    world.shapes.push_back(shape);
    makeFrameSource(world, solver, {})->publish({}, buffers, frame);
    ASSERT_EQ(frame.shapes.size(), 3u);
    for (size_t k = 1; k < 3; ++k) {
        const DrawShape& drawn = frame.shapes[k];
        EXPECT_EQ(drawn.kind, DrawShape::Kind::Mesh);
        EXPECT_EQ(drawn.scale, (std::array<float, 3>{1, 2, 3}));
        EXPECT_EQ(drawn.position, (std::array<float, 3>{4, 5, 6}));
        EXPECT_EQ(drawn.mesh.owner, shape.geometry);
        EXPECT_EQ(drawn.mesh.positions.size(), 3 * shape.geometry->surface.vertices.size());
        EXPECT_EQ(drawn.mesh.triangles.size(), 12u);
        EXPECT_EQ(drawn.container, k == 2);
    }
}

TEST_P(Bridge, TransferPathsGiveTheSameImage) {
    makeFrameSource(world, solver, {})->publish({}, buffers, frame);
    const std::vector<uint8_t> first = drawImage(frame);
    buffers = {};
    RenderFrame other;
    DetourSource(world, solver).publish({}, buffers, other);
    EXPECT_EQ(first, drawImage(other));
    EXPECT_NE(std::count(first.begin(), first.end(), first[0]), static_cast<std::ptrdiff_t>(first.size()))
        << "blank";
}

// A state without a step can be drawn, and drawing changes no result.
TEST_P(Bridge, DrawingDoesNotChangeTheSimulation) {
    const auto run = [&](bool drawn) {
        World fresh(exec);
        buildWorld(readScene(folder / "small.json"), fresh);
        Solver stepper(fresh);
        const auto source = makeFrameSource(fresh, stepper, {});
        std::vector<std::pair<uint32_t, Vec4>> result;
        for (int k = 0; k < 10; ++k) {
            if (drawn)
                source->publish(
                    {.quantity = Quantity::Neighbors, .ellipsoids = true, .lines = {LineView::Contacts}},
                    buffers, frame);
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

TEST_P(Bridge, EmptyWorldsDrawNothing) {
    std::vector<uint32_t> all = world.particles.id.download();
    world.removeParticles(all);
    const auto source = makeFrameSource(world, solver, {});
    source->publish({.quantity = Quantity::Contacts, .lines = {LineView::Contacts}}, buffers, frame);
    EXPECT_EQ(frame.particles, 0u);
    EXPECT_LT(frame.boundsMin[0], frame.boundsMax[0]);
    drawImage(frame);
}

FOR_EACH_BACKEND(Bridge);

}  // namespace
}  // namespace coalesce::test
