// What is seen through glass against Snell's law: plates shift the image, balls turn it around.
#include <cmath>
#include <glm/gtc/quaternion.hpp>

#include "fixture.h"

namespace coalesce::test {
namespace {

constexpr int kWidth = 480, kHeight = 270;
constexpr double kIndex = 1.5;

// A closed box of eight vertices that owns its arrays.
struct BoxMesh {
    std::vector<float> positions, normals, weights;
    std::vector<uint32_t> triangles, clusters;
    explicit BoxMesh(glm::vec3 half) {
        for (int k = 0; k < 8; ++k)
            for (int axis = 0; axis < 3; ++axis)
                positions.push_back(k >> axis & 1 ? half[axis] : -half[axis]);
        triangles = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                     2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    }
};

// A wall behind, red to the left and green to the right of the middle; seen without perspective.
class Glass : public Drawing {
protected:
    Glass() {
        for (const float side : {-1.0f, 1.0f}) {
            frame.shapes.push_back(box({5 * side, 0, -2}, {5, 5, 0.1f}));
            frame.shapes.back().color =
                side < 0 ? std::array{0.9f, 0.02f, 0.02f} : std::array{0.02f, 0.9f, 0.02f};
        }
        options.background = Background::Plain;
        options.shadows = options.occlusion = options.fxaa = false;
    }
    // A plate, turned about the vertical.
    DrawShape plate(float thickness, float degrees) const {
        DrawShape shape = box({0, 0, 0}, {0.8f, 0.5f, thickness / 2});
        const glm::quat q = glm::angleAxis(glm::radians(degrees), glm::vec3(0, 1, 0));
        shape.rotation = {q.x, q.y, q.z, q.w};
        shape.opacity = 0.02f;
        return shape;
    }
    DrawShape meshPlate(float thickness, float degrees) {
        DrawShape shape = plate(thickness, degrees);
        mesh = std::make_shared<BoxMesh>(glm::vec3(0.8f, 0.5f, thickness / 2));
        shape.kind = DrawShape::Kind::Mesh;
        shape.mesh = {mesh, mesh->positions, mesh->normals, mesh->triangles, mesh->clusters, mesh->weights};
        return shape;
    }
    // [m] where the wall turns from red to green within 0.35 m of the middle.
    double edgeThrough(const std::vector<DrawShape>& glass) {
        RenderFrame shown = frame;
        shown.shapes.insert(shown.shapes.end(), glass.begin(), glass.end());
        const Camera camera = withOrthographic({.eye = {0, 0, 6}, .look = {0, 0, 0}, .fov = 20}, true, 0);
        const auto image = drawImage(renderer(), shown, buffers, camera, options, kWidth, kHeight);
        const double perMeter = kHeight / (2 * 6 * std::tan(glm::radians(10.0)));
        const int reach = int(0.35 * perMeter);
        for (int x = kWidth / 2 - reach; x < kWidth / 2 + reach; ++x) {
            const uint8_t* c = &image[4 * (size_t(kHeight / 2) * kWidth + size_t(x))];
            if (c[1] > c[0]) return (x - kWidth / 2) / perMeter;
        }
        return NAN;
    }
    // A ray through a plate leaves it in its old direction, aside by d sin(a - b) / cos b.
    static double shiftOf(double thickness, double degrees) {
        const double a = glm::radians(degrees), b = std::asin(std::sin(a) / kIndex);
        return thickness * std::sin(a - b) / std::cos(b);
    }

    static constexpr double kPixel = 0.008;  // [m]
    RenderFrame frame;
    GlBuffers buffers;
    DrawOptions options;
    std::shared_ptr<BoxMesh> mesh;
};

TEST_F(Glass, APlateShiftsWhatIsBehindByItsThickness) {
    EXPECT_NEAR(edgeThrough({}), 0, kPixel) << "control: nothing in between";
    EXPECT_NEAR(edgeThrough({plate(0.3f, 0)}), 0, kPixel) << "control: at right angles";
    for (const float thickness : {0.01f, 0.1f, 0.3f})
        for (const float degrees : {45.0f, -45.0f, 25.0f}) {
            const double shift = std::copysign(shiftOf(thickness, std::abs(degrees)), double{degrees});
            const double seen = edgeThrough({plate(thickness, degrees)});
            EXPECT_NEAR(std::abs(seen), std::abs(shift), 2 * kPixel) << thickness << " m, " << degrees << "°";
            EXPECT_NEAR(edgeThrough({meshPlate(thickness, degrees)}), seen, 2 * kPixel) << "as a mesh";
            if (thickness > 0.05f) {
                EXPECT_LT(seen * edgeThrough({plate(thickness, -degrees)}), 0) << "the other way";
            }
        }
}

// Two plates one behind the other shift as one that is as thick as both.
TEST_F(Glass, IsSeenThroughGlass) {
    DrawShape front = plate(0.15f, 45), back = plate(0.15f, 45);
    front.position[2] = 0.6f, back.position[2] = -0.6f;
    const double one = edgeThrough({plate(0.15f, 45)}), both = edgeThrough({front, back});
    EXPECT_NEAR(both, 2 * one, 2 * kPixel);
    EXPECT_GT(std::abs(one), 4 * kPixel);
}

// The focal length of a ball is n R / (2 (n - 1)) from its center: beyond, left and right change places.
TEST_F(Glass, ABallTurnsTheImageAround) {
    const auto sides = [&](bool glass) {
        RenderFrame shown = frame;
        DrawShape ball = box({0, 0, 0}, {0.4f, 0.4f, 0.4f});
        ball.kind = DrawShape::Kind::Sphere;
        ball.radius = 0.4f;
        ball.opacity = glass ? 0.02f : 1;
        if (glass) shown.shapes.push_back(ball);
        const Camera camera = withOrthographic({.eye = {0, 0, 6}, .look = {0, 0, 0}, .fov = 20}, true, 0);
        const auto image = drawImage(renderer(), shown, buffers, camera, options, kWidth, kHeight);
        std::array<bool, 2> red{};
        for (const int side : {0, 1}) {
            const double perMeter = kHeight / (2 * 6 * std::tan(glm::radians(10.0)));
            const int x = kWidth / 2 + int((side == 0 ? -0.15 : 0.15) * perMeter);
            const uint8_t* c = &image[4 * (size_t(kHeight / 2) * kWidth + size_t(x))];
            red[size_t(side)] = c[0] > c[1];
        }
        return red;
    };
    EXPECT_EQ(sides(false), (std::array{true, false})) << "control: without the ball";
    EXPECT_EQ(sides(true), (std::array{false, true}));
}

// What stands before glass is not seen through it, wherever its rays lead.
TEST_F(Glass, DoesNotShowWhatStandsBeforeIt) {
    RenderFrame shown = frame;
    for (DrawShape& wall : shown.shapes) wall.color = {0.9f, 0.02f, 0.02f};
    shown.shapes.push_back(box({0.3f, 0, 1}, {0.08f, 0.6f, 0.02f}));
    shown.shapes.back().color = {0.02f, 0.9f, 0.02f};
    const auto greens = [&] {
        const Camera camera = withOrthographic({.eye = {0, 0, 6}, .look = {0, 0, 0}, .fov = 20}, true, 0);
        const auto image = drawImage(renderer(), shown, buffers, camera, options, kWidth, kHeight);
        int count = 0;
        for (int x = 0; x < kWidth; ++x) {
            const uint8_t* c = &image[4 * (size_t(kHeight / 2) * kWidth + size_t(x))];
            count += c[1] > c[0] + 30;
        }
        return count;
    };
    const int bare = greens();
    ASSERT_GT(bare, 10);
    shown.shapes.push_back(plate(0.3f, 45));
    EXPECT_NEAR(greens(), bare, 1) << "seen twice it would be twice as wide";
}

}  // namespace
}  // namespace coalesce::test
