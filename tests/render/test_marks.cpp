// Marks over the image: balls at line ends, triangle normals of meshes.
#include <cmath>

#include "fixture.h"

namespace coalesce::test {
namespace {

constexpr int kWidth = 240, kHeight = 136;
using Color = std::array<int, 3>;

class Marks : public Drawing {
protected:
    Marks() { options.fxaa = options.legend = false; }
    std::vector<uint8_t> draw(const RenderFrame& frame) {
        return drawImage(renderer(), frame, buffers, camera, options, kWidth, kHeight);
    }
    static Color at(const std::vector<uint8_t>& image, int x, int y) {
        const uint8_t* c = &image[4 * (size_t(y) * kWidth + size_t(x))];
        return {c[0], c[1], c[2]};
    }
    glm::ivec2 pixelOf(glm::vec3 point) const {
        const glm::vec3 p = project(camera, point, kWidth, kHeight);
        return {int(p.x), int(p.y)};
    }
    Color atPoint(const std::vector<uint8_t>& image, glm::vec3 point) const {
        return at(image, pixelOf(point).x, pixelOf(point).y);
    }
    // a line far to the left, with a ball at a given position
    RenderFrame ballAt(glm::vec3 place, float radius, std::array<float, 3> color) {
        const std::vector<glm::vec4> ends = {glm::vec4(place, 0), glm::vec4(place, radius)};
        buffers.upload(Slot::Line, ends.data(), ends.size() * sizeof(glm::vec4));
        RenderFrame frame;
        frame.lines = {{.first = 0, .count = 1, .color = color, .name = "neighbors", .balls = true}};
        return frame;
    }

    GlBuffers buffers;
    Camera camera{.eye = {0.4f, 1.2f, 3.2f}, .look = {0, 0.3f, 0}};
    DrawOptions options{.background = Background::Plain};
};

TEST_F(Marks, BallsAtLineEndsHaveTheirColorAndSize) {
    const glm::vec3 place(0.2f, 0.5f, 0);
    const float radius = 0.3f;
    RenderFrame frame = ballAt(place, radius, {0, 1, 0});
    const auto image = draw(frame);
    EXPECT_EQ(atPoint(image, place), (Color{0, 255, 0})) << "its middle is exactly of the color";
    frame.lines.clear();
    const auto bare = draw(frame);
    // counts differing pixels inside the outline of half the radius, by rays passing closer than that
    int missed = 0, covered = 0;
    const glm::vec3 forward = glm::normalize(camera.look - camera.eye),
                    side = glm::normalize(glm::cross(forward, camera.up)), up = glm::cross(side, forward);
    const float tangent = std::tan(glm::radians(camera.fov) / 2);
    for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x) {
            const float across = (2 * (float(x) + 0.5f) / kWidth - 1) * tangent * kWidth / kHeight;
            const float rise = (1 - 2 * (float(y) + 0.5f) / kHeight) * tangent;
            const glm::vec3 ray = glm::normalize(forward + across * side + rise * up);
            const float distance = glm::length(glm::cross(ray, place - camera.eye));
            const bool changed = at(image, x, y) != at(bare, x, y);
            covered += changed;
            if (std::abs(distance - radius / 2) > 0.004f) missed += changed != (distance < radius / 2);
        }
    EXPECT_GT(covered, 80);
    EXPECT_EQ(missed, 0);
}

TEST_F(Marks, OccludedBallsAreFaint) {
    const glm::vec3 place(0, 0.5f, 0);
    RenderFrame frame = ballAt(place, 0.3f, {0, 1, 0});
    frame.shapes = {box({0, 0.5f, 0.6f}, {0.5f, 0.4f, 0.05f})};
    const Color faint = atPoint(draw(frame), place);
    frame.lines.clear();
    const Color without = atPoint(draw(frame), place);
    EXPECT_GT(faint[1], without[1] + 10);
    EXPECT_LT(faint[1], 250);
    EXPECT_LT(faint[0], without[0]);
}

// Neighbors are distinguishable in every quality, in water and among particles.
TEST_F(Marks, BallsAreVisibleInEveryQuality) {
    Particles p;
    const double d = fillPool(p, 4000);
    computeEllipsoids(p, d);
    RenderFrame frame = publish(p, buffers, d, true);
    frame.shapes.push_back(plane());
    // no isolated drop is in front of it
    const glm::vec3 place(-0.1f, float(surfaceHeight(-0.1, 0.1)) - float(d), 0.1f);
    const RenderFrame marked = ballAt(place, float(d) / 2, {1, 0, 0});
    for (const Quality quality : {Quality::Points, Quality::Fast, Quality::Standard, Quality::Final})
        for (const DrawMode mode : {DrawMode::Surface, DrawMode::Particles}) {
            options.quality = quality, options.mode = mode;
            frame.lines.clear();
            const Color bare = atPoint(draw(frame), place);
            frame.lines = marked.lines;
            const Color shown = atPoint(draw(frame), place);
            EXPECT_GT(shown[0] - bare[0], 25) << "quality " << int(quality) << ", mode " << int(mode);
        }
}

struct Triangle {
    std::vector<glm::vec3> positions, normals;
    std::vector<uint32_t> triangles{0, 1, 2};
};

TEST_F(Marks, MeshNormalsPointOutwardsAlsoWhenMirrored) {
    // in the plane z = 0, counterclockwise seen from +z; half the side of a square of its area is 0.35 m
    const auto mesh = std::make_shared<Triangle>();
    mesh->positions = {{-0.6f, -0.3f, 0}, {0.7f, -0.3f, 0}, {-0.1f, 0.453846f, 0}};
    mesh->normals.assign(3, {0, 0, 1});
    DrawShape shape;
    shape.kind = DrawShape::Kind::Mesh;
    shape.mesh.owner = mesh;
    shape.mesh.positions = {&mesh->positions[0].x, 9};
    shape.mesh.normals = {&mesh->normals[0].x, 9};
    shape.mesh.triangles = mesh->triangles;
    shape.position = {0, 0.6f, 0};
    camera = {.eye = {2.5f, 0.6f, 1.5f}, .look = {0, 0.6f, 0}};
    const Color line{230, 128, 242};
    for (const float mirrored : {1.0f, -1.0f}) {
        RenderFrame frame;
        shape.scale = {1, mirrored, 1};
        frame.shapes = {shape};
        const glm::vec3 middle(0, 0.6f - mirrored * 0.0487f, 0);
        const auto bare = draw(frame);
        frame.meshNormals = true;
        const auto image = draw(frame);
        const float length = 0.5f * std::sqrt(0.5f * 1.3f * 0.753846f);
        for (const float share : {0.2f, 0.5f, 0.8f}) {
            const Color seen = atPoint(image, middle + glm::vec3(0, 0, share * length));
            for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(seen[k], line[k], 3) << mirrored << ", " << share;
        }
        for (const float share : {-0.5f, 1.25f}) {
            const glm::ivec2 pixel = pixelOf(middle + glm::vec3(0, 0, share * length));
            EXPECT_EQ(at(image, pixel.x, pixel.y), at(bare, pixel.x, pixel.y)) << mirrored << ", " << share;
        }
    }
}

}  // namespace
}  // namespace coalesce::test
