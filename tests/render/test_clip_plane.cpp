// The clip plane: distances to what remains, against rays cast in double.
#include <cmath>

#include "fixture.h"
#include "render/frame/mesh_data.h"

namespace coalesce::test {
namespace {

constexpr int kSize = 160;

class Clipped : public Drawing {
protected:
    // [m] along the view axis per pixel, rows from bottom to top.
    std::vector<float> distances(const RenderFrame& frame, const ClipPlane& plane) {
        DrawOptions options;
        options.clipPlane = plane;
        options.shadows = options.occlusion = false;
        RenderTarget target(kSize, kSize, kLightBits);
        renderer().draw(frame, buffers, camera, options, target.output());
        std::vector<float> rgba(size_t{4} * kSize * kSize), depth(size_t{kSize} * kSize);
        glGetTextureImage(target.color().id(), 0, GL_RGBA, GL_FLOAT, GLsizei(rgba.size() * sizeof(float)),
                          rgba.data());
        for (size_t k = 0; k < depth.size(); ++k) depth[k] = rgba[4 * k + 3];
        return depth;
    }
    // Calls the function for every pixel with the point of the plane z = 0 behind it [m] and the distance.
    template <class F>
    void forPixels(const std::vector<float>& depth, F&& f) const {
        for (int j = 0; j < kSize; ++j)
            for (int i = 0; i < kSize; ++i)
                f(glm::dvec2(i + 0.5 - kSize / 2, j + 0.5 - kSize / 2) * (kHeight / kSize),
                  double{depth[size_t(j * kSize + i)]});
    }

    static constexpr double kHeight = 1.6, kAway = 3;  // [m]
    GlBuffers buffers;
    // along -z, without perspective; the images of squares show the width of narrow ones
    Camera camera{
        .eye = {0, 0, float(kAway)}, .look = {0, 0, 0}, .orthographicHeight = float(kHeight) / kNarrowAspect};
    static constexpr ClipPlane kFront{{0, 0, 1}, 0.1f};  // hides z > 0.1 m
};

TEST_F(Clipped, ShapesHaveACutFace) {
    for (const auto kind : {DrawShape::Kind::Sphere, DrawShape::Kind::Capsule, DrawShape::Kind::Box}) {
        RenderFrame frame;
        DrawShape shape = box({0, 0, 0}, {0.5f, 0.3f, 0.4f});
        shape.kind = kind;
        shape.radius = 0.4f, shape.halfLength = 0.2f;
        frame.shapes = {shape};
        int cut = 0, whole = 0;
        forPixels(distances(frame, {{0, 0, 1}, 0.3f}), [&](glm::dvec2 p, double seen) {
            // [m] of the front of the shape, as seen along -z
            const double y = kind == DrawShape::Kind::Capsule ? std::max(std::abs(p.y) - 0.2, 0.0) : p.y;
            const double square = 0.16 - p.x * p.x - y * y;
            const bool isBox = kind == DrawShape::Kind::Box,
                       inside = std::abs(p.x) < 0.5 && std::abs(p.y) < 0.3;
            const double front = isBox ? (inside ? 0.4 : NAN) : std::sqrt(square);
            if (isBox ? std::abs(std::abs(p.x) - 0.5) < 0.02 || std::abs(std::abs(p.y) - 0.3) < 0.02
                      : std::abs(square) < 0.01)
                return;  // silhouettes
            if (std::isnan(front)) {
                EXPECT_EQ(seen, double{kSkyDistance}) << p.x << " " << p.y;
                return;
            }
            ++(front > 0.3 ? cut : whole);
            EXPECT_NEAR(seen, kAway - std::min(front, 0.3), 1e-3) << p.x << " " << p.y;
        });
        EXPECT_GT(cut, 1000);
        if (kind != DrawShape::Kind::Box) {
            EXPECT_GT(whole, 100) << "what does not reach the plane stays";
        }
    }
}

TEST_F(Clipped, MeshesShowTheirInside) {
    RenderFrame frame;
    DrawShape shape = box({0, 0, 0}, {0.5f, 0.5f, 0.5f});
    shape.kind = DrawShape::Kind::Mesh;
    const auto corners = std::make_shared<std::vector<float>>();
    for (int k = 0; k < 8; ++k)
        for (int axis = 0; axis < 3; ++axis) corners->push_back(k >> axis & 1 ? 0.5f : -0.5f);
    static const std::vector<uint32_t> kTriangles = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                                     2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    shape.mesh = {corners, *corners, {}, kTriangles, {}, {}};
    frame.shapes = {shape};
    const size_t middle = size_t(kSize / 2 * kSize + kSize / 2);
    EXPECT_NEAR(distances(frame, {})[middle], kAway - 0.5, 1e-3);
    EXPECT_NEAR(distances(frame, kFront)[middle], kAway + 0.5, 1e-3) << "the far side, from inside";
    EXPECT_NEAR(distances(frame, {{0, 0, -1}, -0.1f})[middle], kAway - 0.5, 1e-3) << "the near part stays";
    EXPECT_EQ(distances(frame, {{0, 0, -1}, -0.6f})[middle], kSkyDistance);
}

// Particles are hidden by their centers.
TEST_F(Clipped, LiquidsEndAtThePlane) {
    Particles p;
    const double d = 0.05;
    fillBox(p, {-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}, d);
    computeEllipsoids(p, d);
    const RenderFrame frame = publish(p, buffers, d, true);
    const auto whole = distances(frame, {}), cut = distances(frame, kFront);
    const size_t middle = size_t(kSize / 2 * kSize + kSize / 2);
    EXPECT_NEAR(whole[middle], kAway - 0.5, d);
    EXPECT_NEAR(cut[middle], kAway - 0.1, d);
    const auto thickness = renderer().dump("thickness");
    ASSERT_TRUE(thickness);
    EXPECT_NEAR(*thickness->at(thickness->width / 2, thickness->height / 2), 0.6, d);
    EXPECT_EQ(distances(frame, {{0, 0, 1}, -1})[middle], kSkyDistance);
}

TEST_F(Clipped, RaysBeginAtThePlane) {
    const Ray towards{{0, 0, 2}, {0, 0.6f, -0.8f}};
    const auto ray = clipped(towards, kFront);
    ASSERT_TRUE(ray);
    EXPECT_NEAR(ray->origin.z, 0.1, 1e-6);
    EXPECT_NEAR(ray->origin.y, 1.9 * 0.6 / 0.8, 1e-5);
    EXPECT_FALSE(clipped({{0, 0, 2}, {0, 0, 1}}, kFront)) << "all of it is hidden";
    EXPECT_EQ(clipped({{0, 0, -2}, {0, 0, 1}}, kFront)->origin.z, -2) << "not hidden";
    EXPECT_EQ(clipped(towards, {})->origin.z, 2) << "no plane";
}

}  // namespace
}  // namespace coalesce::test
