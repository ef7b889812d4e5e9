// Meshes of bodies and shapes. Reference: vertices placed and rays cast in double, sharing no code with the
// renderer.
#include <algorithm>
#include <cmath>
#include <glm/gtc/quaternion.hpp>

#include "fixture.h"
#include "render/frame/mesh_data.h"

namespace coalesce::test {
namespace {

constexpr int kWidth = 320, kHeight = 180;

// A mesh that owns its arrays.
struct Mesh {
    std::vector<float> positions, normals, weights;
    std::vector<uint32_t> triangles, clusters;
    glm::dvec3 position(uint32_t v) const {
        return {positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]};
    }
};
MeshArrays arraysOf(const std::shared_ptr<const Mesh>& mesh) {
    return {mesh, mesh->positions, mesh->normals, mesh->triangles, mesh->clusters, mesh->weights};
}

// A box of eight shared vertices.
std::shared_ptr<Mesh> boxMesh(glm::vec3 half) {
    auto mesh = std::make_shared<Mesh>();
    for (int k = 0; k < 8; ++k)
        for (int axis = 0; axis < 3; ++axis)
            mesh->positions.push_back(k >> axis & 1 ? half[axis] : -half[axis]);
    mesh->triangles = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                       2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    return mesh;
}

// A sphere of rings and segments, without normals.
std::shared_ptr<Mesh> ballMesh(float radius, int rings) {
    auto mesh = std::make_shared<Mesh>();
    const int segments = 2 * rings;
    const auto add = [&](double polar, double around) {
        mesh->positions.push_back(float(radius * std::sin(polar) * std::cos(around)));
        mesh->positions.push_back(float(radius * std::cos(polar)));
        mesh->positions.push_back(float(radius * std::sin(polar) * std::sin(around)));
    };
    for (int i = 1; i < rings; ++i)
        for (int j = 0; j < segments; ++j) add(M_PI * i / rings, 2 * M_PI * j / segments);
    add(0, 0);
    add(M_PI, 0);
    const auto top = uint32_t((rings - 1) * segments), bottom = top + 1;
    const auto at = [&](int i, int j) { return uint32_t((i - 1) * segments + j % segments); };
    for (int j = 0; j < segments; ++j) {
        mesh->triangles.insert(mesh->triangles.end(), {top, at(1, j + 1), at(1, j)});
        mesh->triangles.insert(mesh->triangles.end(), {bottom, at(rings - 1, j), at(rings - 1, j + 1)});
        for (int i = 1; i + 1 < rings; ++i)
            mesh->triangles.insert(mesh->triangles.end(), {at(i, j), at(i, j + 1), at(i + 1, j + 1),  //
                                                           at(i, j), at(i + 1, j + 1), at(i + 1, j)});
    }
    return mesh;
}

struct Cluster {
    glm::vec3 center{0}, rest{0};
    glm::quat turn{1, 0, 0, 0};
    float mass = 1;
};

class Meshes : public Drawing {
protected:
    void publishClusters(const std::vector<Cluster>& clusters) {
        std::vector<glm::vec4> poses, rests;
        for (const Cluster& m : clusters) {
            poses.emplace_back(m.center, m.mass);
            poses.emplace_back(m.turn.x, m.turn.y, m.turn.z, m.turn.w);
            rests.emplace_back(m.rest, 0.0f);
        }
        buffers.upload(Slot::ClusterPose, poses.data(), poses.size() * sizeof(glm::vec4));
        buffers.upload(Slot::ClusterRest, rests.data(), rests.size() * sizeof(glm::vec4));
    }

    static Camera front() {
        Camera camera;
        camera.eye = {0.5f, 0.6f, 2};
        camera.look = {0, 0.1f, 0};
        camera.near = 0.1f;
        camera.far = 20;
        return camera;
    }

    // Compares the depth of every pixel with rays cast at the triangles. Where the corners of a pixel see
    // something else than its center, either result is accepted.
    void expectDepth(const DumpedImage& depth, const Camera& camera, const std::vector<glm::dvec3>& corners) {
        const glm::dmat4 back =
            glm::inverse(glm::dmat4(projectionMatrix(camera, float(depth.width) / depth.height)) *
                         glm::dmat4(viewMatrix(camera)));
        const glm::dvec3 forward = glm::normalize(glm::dvec3(camera.look) - glm::dvec3(camera.eye));
        const auto cast = [&](double px, double py) {  // eye depth, 0: nothing
            const glm::dvec4 far =
                back * glm::dvec4(2 * px / depth.width - 1, 2 * py / depth.height - 1, 1, 1);
            const glm::dvec3 o(camera.eye), d = glm::normalize(glm::dvec3(far) / far.w - o);
            double nearest = 1e30;
            for (size_t k = 0; k < corners.size(); k += 3) {
                const glm::dvec3 e1 = corners[k + 1] - corners[k], e2 = corners[k + 2] - corners[k];
                const glm::dvec3 p = glm::cross(d, e2), s = o - corners[k], q = glm::cross(s, e1);
                const double determinant = glm::dot(e1, p);
                if (std::abs(determinant) < 1e-14) continue;
                const double u = glm::dot(s, p) / determinant, v = glm::dot(d, q) / determinant;
                const double t = glm::dot(e2, q) / determinant;
                if (u >= 0 && v >= 0 && u + v <= 1 && t > 0) nearest = std::min(nearest, t);
            }
            return nearest > 1e29 ? 0 : nearest * glm::dot(d, forward);
        };
        int seen = 0;
        for (int y = 0; y < depth.height; ++y) {
            for (int x = 0; x < depth.width; ++x) {
                const double middle = cast(x + 0.5, y + 0.5);
                const double ndc = 2 * double{*depth.at(x, y)} - 1, n = camera.near, f = camera.far;
                const double drawn = *depth.at(x, y) == 1 ? 0 : 2 * f * n / (f + n - ndc * (f - n));
                seen += middle > 0;
                if (std::abs(drawn - middle) < 1e-3) continue;
                bool edge = false;
                for (int c = 0; c < 4; ++c) edge |= (cast(x + (c & 1), y + (c >> 1)) > 0) != (middle > 0);
                EXPECT_TRUE(edge) << "pixel " << x << ", " << y << ": " << drawn << " m instead of "
                                  << middle;
                if (HasFailure()) return;
            }
        }
        EXPECT_GT(seen, 500) << "nothing to compare";
    }

    static RenderFrame bodies(std::shared_ptr<const Mesh> mesh, std::vector<uint32_t> firstClusters) {
        RenderFrame frame;
        DrawMesh drawn{arraysOf(mesh), {}};
        for (const uint32_t first : firstClusters) drawn.instances.push_back({first, {0.7f, 0.3f, 0.2f}});
        frame.meshes.push_back(std::move(drawn));
        return frame;
    }

    GlBuffers buffers;
    DrawOptions sky{.background = Background::Sky};  // without ground
};

TEST_F(Meshes, RotatedBoxHasItsPosition) {
    const auto mesh = boxMesh({0.3f, 0.2f, 0.4f});
    const Cluster other{{5, 5, 5}, {}, {}};
    const Cluster cluster{
        {0.1f, 0.15f, -0.2f}, {0.05f, 0, 0.1f}, glm::angleAxis(1.1f, glm::normalize(glm::vec3(1, 2, 3)))};
    publishClusters({other, cluster});
    const DumpedImage depth =
        dumpAfter(bodies(mesh, {1}), buffers, front(), sky, kWidth, kHeight, "sceneDepth");
    std::vector<glm::dvec3> corners;
    for (const uint32_t v : mesh->triangles)
        corners.push_back(glm::dquat(cluster.turn) * (mesh->position(v) - glm::dvec3(cluster.rest)) +
                          glm::dvec3(cluster.center));
    expectDepth(depth, front(), corners);
}

// A bar along x between four clusters; each vertex follows up to three of them.
TEST_F(Meshes, SkinnedVerticesBlendTheirClusters) {
    std::vector<Cluster> clusters(5);
    clusters[0].center = {9, 9, 9};  // of another body
    for (int k = 0; k < 4; ++k) {
        Cluster& m = clusters[size_t(k) + 1];
        m.rest = {0.3f * float(k) - 0.45f, 0, 0};
        m.center = m.rest + glm::vec3(0, 0.08f * float(k * k), 0.05f * float(k));
        m.turn = glm::angleAxis(0.35f * float(k), glm::normalize(glm::vec3(0.3f, 0.2f, 1)));
    }
    auto mesh = std::make_shared<Mesh>();
    constexpr int kSlices = 13;
    for (int i = 0; i < kSlices; ++i) {
        const float along = 3.0f * float(i) / (kSlices - 1);  // in clusters
        const auto left = std::min(uint32_t(along), 2u);
        const float share = along - float(left);
        for (int c = 0; c < 4; ++c) {
            mesh->positions.insert(mesh->positions.end(),
                                   {0.3f * along - 0.45f, c & 1 ? 0.1f : -0.1f, c & 2 ? 0.1f : -0.1f});
            // the third weight is 0.1 at the far end; the fourth is 0, for a cluster that does not exist
            mesh->clusters.insert(mesh->clusters.end(), {left, left + 1, 3, 1000000});
            mesh->weights.insert(mesh->weights.end(), {0.9f * (1 - share), 0.9f * share, 0.1f, 0});
        }
    }
    for (uint32_t i = 0; i + 1 < kSlices; ++i) {
        const uint32_t ring[4] = {0, 1, 3, 2};
        for (int c = 0; c < 4; ++c) {
            const uint32_t a = 4 * i + ring[c], b = 4 * i + ring[(c + 1) % 4];
            mesh->triangles.insert(mesh->triangles.end(), {a, a + 4, b, b, a + 4, b + 4});
        }
    }
    publishClusters(clusters);
    const DumpedImage depth =
        dumpAfter(bodies(mesh, {1}), buffers, front(), sky, kWidth, kHeight, "sceneDepth");
    std::vector<glm::dvec3> corners;
    for (const uint32_t v : mesh->triangles) {
        glm::dvec3 x(0);
        for (size_t k = 0; k < 3; ++k) {
            const Cluster& m = clusters[1 + mesh->clusters[4 * v + k]];
            x += double{mesh->weights[4 * v + k]} *
                 (glm::dquat(m.turn) * (mesh->position(v) - glm::dvec3(m.rest)) + glm::dvec3(m.center));
        }
        corners.push_back(x);
    }
    expectDepth(depth, front(), corners);
}

// A body without particles is not drawn; a vertex that lost a cluster follows its others.
TEST_F(Meshes, RemovedClustersDoNotCount) {
    const auto mesh = boxMesh({0.3f, 0.2f, 0.4f});
    std::vector<Cluster> clusters(2);
    clusters[0].center = {0.1f, 0.15f, -0.2f};
    clusters[1].center = {5, 5, 5};
    clusters[1].mass = 0;
    publishClusters(clusters);
    const auto gone = dumpAfter(bodies(mesh, {1}), buffers, front(), sky, kWidth, kHeight, "sceneDepth");
    for (const float depth : gone.pixels) ASSERT_EQ(depth, 1);
    const auto skinned = std::make_shared<Mesh>(*mesh);
    for (int v = 0; v < 8; ++v) {
        skinned->clusters.insert(skinned->clusters.end(), {0, 1, 0, 0});
        skinned->weights.insert(skinned->weights.end(), {0.25f, 0.75f, 0, 0});
    }
    const auto left = dumpAfter(bodies(skinned, {0}), buffers, front(), sky, kWidth, kHeight, "sceneDepth");
    std::vector<glm::dvec3> corners;
    for (const uint32_t v : mesh->triangles)
        corners.push_back(mesh->position(v) + glm::dvec3(clusters[0].center));
    expectDepth(left, front(), corners);
}

TEST_F(Meshes, NonUniformScaleGivesABoxOfThatSize) {
    const glm::vec3 half{0.2f, 0.35f, 0.4f};
    const auto mesh = boxMesh(glm::vec3(0.5f));
    DrawShape analytic = box({0.1f, 0.2f, 0}, half);
    const glm::quat turn = glm::angleAxis(0.8f, glm::normalize(glm::vec3(1, 1, 0)));
    analytic.rotation = {turn.x, turn.y, turn.z, turn.w};
    DrawShape meshed = analytic;
    meshed.kind = DrawShape::Kind::Mesh;
    meshed.mesh = arraysOf(mesh);
    meshed.scale = {2 * half.x, 2 * half.y, 2 * half.z};

    RenderFrame expected, frame;
    expected.shapes = {plane(-0.3f), analytic};
    frame.shapes = {plane(-0.3f), meshed};
    const auto wanted = dumpAfter(expected, buffers, front(), {}, kWidth, kHeight, "sceneColor");
    const auto drawn = dumpAfter(frame, buffers, front(), {}, kWidth, kHeight, "sceneColor");
    // light and shadow too; a few edge pixels may differ
    int different = 0;
    for (int k = 0; k < kWidth * kHeight; ++k) {
        const float* a = &wanted.pixels[4 * size_t(k)];
        const float* b = &drawn.pixels[4 * size_t(k)];
        different += std::abs(a[0] - b[0]) + std::abs(a[1] - b[1]) + std::abs(a[2] - b[2]) >
                     0.03f * (a[0] + a[1] + a[2]);
    }
    EXPECT_LT(different, kWidth * kHeight / 200);
    // and it is visible at all
    RenderFrame empty;
    empty.shapes = {plane(-0.3f)};
    EXPECT_NE(dumpAfter(empty, buffers, front(), {}, kWidth, kHeight, "sceneColor").pixels, drawn.pixels);
}

TEST_F(Meshes, BodiesCastShadowsOfTheirShape) {
    const glm::vec3 half{0.3f, 0.05f, 0.2f}, center{0, 0.4f, 0};
    RenderFrame body = bodies(boxMesh(half), {0});
    Cluster cluster;
    cluster.center = center;
    publishClusters({cluster});
    RenderFrame shape;
    shape.shapes = {plane(), box(center, half)};
    body.shapes = {plane()};
    body.boundsMin = shape.boundsMin = {-0.3f, 0, -0.2f};
    body.boundsMax = shape.boundsMax = {0.3f, 0.45f, 0.2f};
    DrawOptions options;
    options.sunDirection = {0, 1, 0.2f};
    const auto ofBody = dumpAfter(body, buffers, front(), options, kWidth, kHeight, "sceneColor");
    const auto ofShape = dumpAfter(shape, buffers, front(), options, kWidth, kHeight, "sceneColor");
    const auto at = [&](const DumpedImage& image, glm::vec3 point) {
        const glm::vec3 p = project(front(), point, kWidth, kHeight);
        return image.at(int(p.x), kHeight - 1 - int(p.y))[1];
    };
    const glm::vec3 middle{0, 0, -0.08f}, beside{0.45f, 0, 0.3f};
    EXPECT_LT(at(ofBody, middle), 0.4f * at(ofBody, beside));
    EXPECT_NEAR(at(ofBody, middle), at(ofShape, middle), 0.01f);
    EXPECT_NEAR(at(ofBody, beside), at(ofShape, beside), 0.01f);
    options.shadows = false;
    const auto flat = dumpAfter(body, buffers, front(), options, kWidth, kHeight, "sceneColor");
    EXPECT_GT(at(flat, middle), 0.8f * at(flat, beside));
}

TEST_F(Meshes, ThousandBodiesFollowTheirClusters) {
    std::vector<Cluster> clusters(1000);
    std::vector<uint32_t> firsts;
    for (uint32_t k = 0; k < 1000; ++k) {
        clusters[k].center = {0.1f * float(k % 40) - 1.95f, 0.1f * float(k / 40) - 1.2f, 0};
        firsts.push_back(k);
    }
    publishClusters(clusters);
    RenderFrame frame = bodies(boxMesh(glm::vec3(0.03f)), firsts);
    for (uint32_t k = 0; k < 1000; ++k)
        frame.meshes[0].instances[k].color =
            k % 2 ? std::array{0.9f, 0.02f, 0.02f} : std::array{0.02f, 0.02f, 0.9f};
    frame.meshes[0].instances.push_back({1000, {0, 1, 0}});  // has no cluster: not drawn
    Camera camera;
    camera.eye = {0, 0, 4};
    camera.look = {0, 0, 0};
    const auto image = dumpAfter(frame, buffers, camera, sky, 640, 360, "sceneColor");
    const DumpedImage depth = *renderer().dump("sceneDepth");
    for (uint32_t k = 0; k < 1000; ++k) {
        const auto pixel = [&](glm::vec3 at) {
            const glm::vec3 p = project(camera, at, 640, 360);
            return glm::ivec2(int(p.x), 359 - int(p.y));
        };
        const glm::ivec2 on = pixel(clusters[k].center + glm::vec3(0, 0, 0.03f));
        const float* c = image.at(on.x, on.y);
        EXPECT_GT(k % 2 ? c[0] : c[2], 2 * (k % 2 ? c[2] : c[0])) << "body " << k;
        const glm::ivec2 beside = pixel(clusters[k].center + glm::vec3(0.05f, 0.05f, 0));
        EXPECT_EQ(*depth.at(beside.x, beside.y), 1) << "beside body " << k;
    }
}

// Group 1 is drawn by a mesh, or hidden, group 2 is not.
TEST_F(Meshes, MeshedParticlesAreVisibleOnlyInParticlesMode) {
    const double d = 0.1;
    Particles all, rest;
    for (Particles* p : {&all, &rest}) {
        fillBox(*p, {0.3, 0, -0.2}, {0.6, 0.3, 0.2}, d, 2 << 8);
        fillBox(*p, {0, 0.4, 0}, {0.1, 0.5, 0.1}, d, 40 << 8);
    }
    fillBox(all, {-0.6, 0, -0.2}, {-0.2, 0.4, 0.2}, d, 1 << 8);
    for (const DrawMaterial::Kind kind :
         {DrawMaterial::Kind::Solid, DrawMaterial::Kind::Grains, DrawMaterial::Kind::Fluid}) {
        enum Group1 { Drawn, Meshed, Hidden };
        const auto draw = [&](const Particles& p, Group1 group, DrawMode mode) {
            RenderFrame frame = publish(p, buffers, d, false);
            frame.materials[0].kind = kind;
            frame.shapes.push_back(plane());
            frame.boundsMin = {-0.6f, 0, -0.2f};
            frame.boundsMax = {0.6f, 0.5f, 0.2f};
            if (group == Meshed) frame.meshGroups = {1u << 1};
            if (group == Hidden) frame.hiddenGroups = {1u << 1};
            DrawOptions options;
            options.mode = mode;
            return drawImage(renderer(), frame, buffers, front(), options, kWidth, kHeight);
        };
        const auto masked = draw(all, Meshed, DrawMode::Surface);
        EXPECT_EQ(masked, draw(rest, Drawn, DrawMode::Surface));
        EXPECT_NE(masked, draw(all, Drawn, DrawMode::Surface));
        EXPECT_EQ(draw(all, Meshed, DrawMode::Particles), draw(all, Drawn, DrawMode::Particles));
        for (const DrawMode mode : {DrawMode::Surface, DrawMode::Particles})
            EXPECT_EQ(draw(all, Hidden, mode), draw(rest, Drawn, mode));
    }
}

TEST_F(Meshes, ParticlesModeHidesMeshes) {
    publishClusters({Cluster{}});
    DrawOptions options;
    options.mode = DrawMode::Particles;
    RenderFrame frame = bodies(boxMesh(glm::vec3(0.3f)), {0});
    const auto image = drawImage(renderer(), frame, buffers, front(), options, kWidth, kHeight);
    frame.meshes.clear();
    EXPECT_EQ(image, drawImage(renderer(), frame, buffers, front(), options, kWidth, kHeight));
}

// The same red body in front of the water and inside it.
TEST_F(Meshes, WaterHidesAndTintsBodiesInIt) {
    Particles water;
    fillBox(water, {-0.6, -0.2, -0.5}, {0.6, 0.4, 0.2}, 0.04);
    Cluster in, before;
    in.center = {0, 0.1f, -0.1f};
    before.center = {0, 0.1f, 0.35f};
    publishClusters({in, before});
    RenderFrame frame = publish(water, buffers, 0.04, false);
    Camera camera = front();
    camera.eye = {0, 0.1f, 2};
    const auto redness = [&](uint32_t cluster) {
        frame.meshes = bodies(boxMesh(glm::vec3(0.1f)), {cluster}).meshes;
        const auto image = dumpAfter(frame, buffers, camera, {}, kWidth, kHeight, "sceneColor");
        const float* c = image.at(kWidth / 2, kHeight / 2);
        return c[0] / c[2];
    };
    EXPECT_GT(redness(1), 1.5f);
    EXPECT_LT(redness(0), 0.6f * redness(1));
}

TEST_F(Meshes, ReusedAddressesDoNotShowTheOldMesh) {
    publishClusters({Cluster{}});
    std::vector<float> widths;
    for (const float half : {0.1f, 0.3f}) {
        const RenderFrame frame =
            bodies(boxMesh(glm::vec3(half)), {0});  // the first one is destroyed before the second
        const auto depth = dumpAfter(frame, buffers, front(), sky, kWidth, kHeight, "sceneDepth");
        widths.push_back(
            float(std::count_if(depth.pixels.begin(), depth.pixels.end(), [](float d) { return d < 1; })));
    }
    EXPECT_NEAR(widths[1] / widths[0], 9, 4);
}

TEST_F(Meshes, WireShowsEdgesWithoutFaces) {
    RenderFrame frame;
    DrawShape shape;
    shape.kind = DrawShape::Kind::Mesh;
    const auto mesh = boxMesh(glm::vec3(0.3f));
    shape.mesh = arraysOf(mesh);
    frame.shapes.push_back(shape);
    DrawOptions options = sky;
    options.shapes = false;
    options.wire = true;
    const auto depth = dumpAfter(frame, buffers, front(), options, kWidth, kHeight, "sceneDepth");
    const auto drawnNear = [&](glm::vec3 point) {
        const glm::vec3 p = project(front(), point, kWidth, kHeight);
        for (int k = 0; k < 9; ++k)
            if (*depth.at(int(p.x) + k % 3 - 1, kHeight - 1 - int(p.y) + k / 3 - 1) < 1) return true;
        return false;
    };
    EXPECT_TRUE(drawnNear({0.3f, 0, 0.3f}));
    EXPECT_TRUE(drawnNear({0, 0.3f, 0.3f}));
    EXPECT_FALSE(drawnNear({0.1f, 0.1f, 0.3f})) << "the diagonal of a face is no edge";
}

TEST_F(Meshes, LinesHaveTheirColorAndAreFaintWhereOccluded) {
    RenderFrame frame;
    frame.shapes = {box({0, 0, 0}, {0.5f, 0.5f, 0.1f})};
    const std::vector<glm::vec4> ends = {{-0.3f, 0.2f, 0.3f, 0},
                                         {0.3f, 0.2f, 0.3f, 0},  // before the box
                                         {-0.3f, -0.2f, -0.3f, 0},
                                         {0.3f, -0.2f, -0.3f, 0}};  // behind it
    buffers.upload(Slot::Line, ends.data(), ends.size() * sizeof(ends[0]));
    frame.lines = {
        {0, 1, {0, 1, 0}, "first"}, {1, 1, {0, 1, 0}, "second"}, {2, 5, {1, 0, 0}, "beyond the buffer"}};
    Camera camera = front();
    camera.eye = {0, 0, 2};
    camera.look = {0, 0, 0};
    const auto image = dumpAfter(frame, buffers, camera, {}, kWidth, kHeight, "display");
    const auto green = [&](glm::vec3 point) {
        const glm::vec3 p = project(camera, point, kWidth, kHeight);
        float most = -1;
        for (int k = -2; k <= 2; ++k) {
            const float* c = image.at(int(p.x), kHeight - 1 - int(p.y) + k);
            most = std::max(most, c[1] - c[0]);
        }
        return most;
    };
    EXPECT_GT(green({0, 0.2f, 0.3f}), 0.9f);
    EXPECT_GT(green({0, -0.2f, -0.3f}), 0.08f);
    EXPECT_LT(green({0, -0.2f, -0.3f}), 0.3f);
    EXPECT_LT(green({0, 0, 0.1f}), 0.1f);
}

TEST_F(Meshes, EveryMeshOptionDrawsAFiniteImage) {
    publishClusters({Cluster{}, Cluster{{0.5f, 0, 0}, {}, {}}});
    RenderFrame frame = bodies(ballMesh(0.2f, 8), {0, 1});
    const auto mesh = ballMesh(0.4f, 6);
    const auto empty = std::make_shared<Mesh>(), broken = boxMesh(glm::vec3(0.1f));
    broken->triangles[4] = 800;  // no such vertex
    for (const bool container : {false, true}) {
        DrawShape shape;
        shape.kind = DrawShape::Kind::Mesh;
        shape.container = container;
        shape.position = {-0.5f, 0.4f, 0};
        for (const auto& m : {mesh, empty, broken}) {
            shape.mesh = arraysOf(m);
            frame.shapes.push_back(shape);
        }
    }
    frame.meshes.push_back({});
    for (const Quality quality : {Quality::Points, Quality::Fast, Quality::Final}) {
        DrawOptions options;
        options.quality = quality;
        options.wire = quality != Quality::Fast;
        drawImage(renderer(), frame, buffers, front(), options, 96, 54);
        const auto color = renderer().dump("sceneColor");
        for (const float value : color->pixels) ASSERT_TRUE(std::isfinite(value));
    }
}

TEST(MeshData, BoxIsSplitAtItsEdges) {
    const auto mesh = boxMesh({1, 2, 3});
    const MeshData data = prepareMesh(arraysOf(mesh));
    EXPECT_EQ(data.vertices.size(), 24u);
    EXPECT_EQ(data.indices.size(), 36u);
    for (const MeshVertex& v : data.vertices) {
        int axis = 0;
        for (int k = 1; k < 3; ++k)
            if (std::abs(v.normal[k]) > std::abs(v.normal[axis])) axis = k;
        EXPECT_FLOAT_EQ(v.normal[axis], v.position[axis] > 0 ? 1 : -1);
    }
    EXPECT_EQ(data.upper, glm::vec3(1, 2, 3));
    const MeshEdges edges = findEdges(data);
    EXPECT_EQ(edges.edges.size(), 12u);  // no diagonals
    EXPECT_EQ(edges.sharp, 12u);
}

TEST(MeshData, SphereStaysSmooth) {
    const auto mesh = ballMesh(2, 16);
    const MeshData data = prepareMesh(arraysOf(mesh));
    EXPECT_EQ(data.vertices.size(), mesh->positions.size() / 3);
    for (const MeshVertex& v : data.vertices)
        EXPECT_GT(glm::dot(glm::vec3(v.normal), glm::vec3(v.position) / 2.0f), std::cos(glm::radians(3.0f)));
    EXPECT_EQ(findEdges(data).sharp, 0u);
    // three edges for two triangles, less the diagonals of the plane squares between the caps
    EXPECT_EQ(findEdges(data).edges.size(), mesh->triangles.size() / 2 - 14 * 32);
}

TEST(MeshData, BindingsFollowTheirVertices) {
    auto mesh = boxMesh(glm::vec3(1));
    for (uint32_t v = 0; v < 8; ++v) {
        mesh->clusters.insert(mesh->clusters.end(), {v, 0, 0, 99});
        mesh->weights.insert(mesh->weights.end(), {1, 0, 0, 0});
    }
    const MeshData data = prepareMesh(arraysOf(mesh));
    EXPECT_EQ(data.clusters, 8u);  // the one without weight is not needed
    ASSERT_EQ(data.bindings.size(), data.vertices.size());
    for (size_t k = 0; k < data.vertices.size(); ++k) {
        const glm::vec4 p = data.vertices[k].position;
        EXPECT_EQ(data.bindings[k].clusters.x, (p.x > 0) + 2 * (p.y > 0) + 4 * (p.z > 0));
    }
}

}  // namespace
}  // namespace coalesce::test
