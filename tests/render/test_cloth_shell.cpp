// Cloth, ropes and valued lines: hand-made geometry with known images.
#include <algorithm>
#include <array>
#include <cmath>

#include "fixture.h"

namespace coalesce::test {
namespace {

constexpr int kWidth = 240, kHeight = 160;

struct Color {
    int r, g, b;
};

class Cloth : public Drawing {
protected:
    // A square in the plane z = 0, with its front towards z > 0: two triangles, no rim.
    RenderFrame square(float half, float thickness) {
        const glm::vec4 corners[] = {
            {-half, -half, 0, 1}, {half, -half, 0, 1}, {half, half, 0, 1}, {-half, half, 0, 1}};
        const std::vector<glm::vec4> normals(4, {0, 0, 1, 1});
        const uint32_t index[] = {0 << 2,     1 << 2,     2 << 2,     0 << 2,     2 << 2,     3 << 2,
                                  0 << 2 | 1, 2 << 2 | 1, 1 << 2 | 1, 0 << 2 | 1, 3 << 2 | 1, 2 << 2 | 1};
        buffers.upload(Slot::ClothPos, corners, sizeof corners);
        buffers.upload(Slot::ClothRest, corners, sizeof corners);
        buffers.upload(Slot::ClothNormal, normals.data(), normals.size() * sizeof(glm::vec4));
        buffers.upload(Slot::ClothIndex, index, sizeof index);
        RenderFrame frame;
        frame.boundsMin = {-half, -half, -0.1f};
        frame.boundsMax = {half, half, 0.1f};
        frame.cloth = {{.first = 0,
                        .frontIndices = 6,
                        .indices = 12,
                        .thickness = thickness,
                        .color = {0.8f, 0.05f, 0.05f},
                        .backColor = {0.05f, 0.7f, 0.05f}}};
        return frame;
    }
    static Camera from(float z) {
        Camera camera;
        camera.eye = {0, 0, z};
        camera.look = {0, 0, 0};
        camera.near = 0.1f;
        camera.far = 20;
        return camera;
    }
    Color at(int x, int y) const {
        const uint8_t* p = &pixels[4 * (size_t(y) * kWidth + size_t(x))];
        return {p[0], p[1], p[2]};
    }
    void draw(const RenderFrame& frame, const Camera& camera, const DrawOptions& options = {}) {
        pixels = drawImage(renderer(), frame, buffers, camera, options, kWidth, kHeight);
    }

    GlBuffers buffers;
};

TEST_F(Cloth, SidesShowTheirOwnColors) {
    const RenderFrame frame = square(0.5f, 0.02f);
    draw(frame, from(2));
    const Color front = at(kWidth / 2, kHeight / 2);
    EXPECT_GT(front.r, 2 * front.g);
    draw(frame, from(-2));
    const Color back = at(kWidth / 2, kHeight / 2);
    EXPECT_GT(back.g, 2 * back.r);
    // nothing outside the square
    const Color beside = at(5, kHeight / 2);
    EXPECT_LT(std::abs(beside.r - beside.g), 40);
}

// The sun is behind the cloth as seen from z > 0: the back is lit, the front is not.
TEST_F(Cloth, SideFacingTheSunIsLit) {
    RenderFrame frame = square(0.5f, 0.02f);
    frame.cloth[0].color = frame.cloth[0].backColor = {0.5f, 0.5f, 0.5f};
    DrawOptions options;
    options.sunDirection = {0.2f, 0.3f, -1};
    draw(frame, from(2), options);
    const int shaded = at(kWidth / 2, kHeight / 2).r;
    draw(frame, from(-2), options);
    EXPECT_GT(at(kWidth / 2, kHeight / 2).r, shaded + 40);
}

// A fifth of the sunlight that the other side would reflect comes through.
// What blocks the sun behind the cloth takes it.
TEST_F(Cloth, LightComesThroughFromTheOtherSide) {
    RenderFrame frame = square(0.5f, 0.02f);
    DrawOptions options;
    options.occlusion = false;
    const glm::vec3 sun = glm::normalize(glm::vec3(0.2f, 0.3f, -1));
    options.sunDirection = sun;
    frame.boundsMin[2] = -1;
    const auto red = [&] {
        return dumpAfter(frame, buffers, from(2), options, kWidth, kHeight, "sceneColor").at(120, 80)[0];
    };
    const float lit = red();
    DrawShape block;  // hidden behind the cloth
    block.kind = DrawShape::Kind::Box;
    block.position = {0.5f * sun.x, 0.5f * sun.y, 0.5f * sun.z};
    block.halfExtents = {0.15f, 0.15f, 0.05f};
    frame.shapes.push_back(block);
    // albedo 0.8, sun of the studio 1.63
    EXPECT_NEAR(lit - red(), 0.2 * 0.8 * 1.63 * -sun.z, 0.005);
}

TEST_F(Cloth, SidesAreHalfAThicknessFromTheMiddle) {
    for (const float thickness : {0.0f, 0.2f}) {
        const RenderFrame frame = square(0.5f, thickness);
        for (const float side : {1.0f, -1.0f}) {
            const Camera camera = from(2 * side);
            const DumpedImage depth = dumpAfter(frame, buffers, camera, {}, kWidth, kHeight, "sceneDepth");
            const double ndc = 2 * double{*depth.at(kWidth / 2, kHeight / 2)} - 1, n = camera.near,
                         f = camera.far;
            EXPECT_NEAR(2 * f * n / (f + n - ndc * (f - n)), 2 - 0.5 * thickness, 1e-4);
        }
    }
}

// Squares of 0.25 m, one centered at the origin: along a row the brightness changes at ±0.125 and ±0.375.
TEST_F(Cloth, CheckerSquaresHaveTheirSize) {
    RenderFrame frame = square(0.5f, 0);
    frame.cloth[0].checker = 0.25f;
    Camera camera = from(2);
    camera.fov = glm::degrees(2 * std::atan(0.4f));  // the plane z = 0 is 1.6 m high
    draw(frame, camera);
    std::vector<int> changes;
    for (int x = kWidth / 2 - 48; x < kWidth / 2 + 48; ++x)
        if (std::abs(at(x, kHeight / 2).r - at(x + 2, kHeight / 2).r) > 30 &&
            (changes.empty() || x - changes.back() > 5))
            changes.push_back(x);
    ASSERT_EQ(changes.size(), 4u);
    const double expected[] = {-37.5, -12.5, 12.5, 37.5};
    for (size_t k = 0; k < 4; ++k) EXPECT_NEAR(changes[k] + 1 - kWidth / 2, expected[k], 2);
}

TEST_F(Cloth, WireShowsEdgesOnlyAndOutlinedBoth) {
    const RenderFrame frame = square(0.5f, 0.02f);
    RenderFrame without = frame;
    without.cloth.clear();
    DrawOptions options;
    options.background = Background::Plain;
    draw(without, from(2), options);
    const std::vector<uint8_t> bare = pixels;
    struct Seen {
        int any = 0, red = 0;  // [px] that differ from the image without cloth; with its color
    };
    const auto look = [&](ClothStyle way) {
        options.cloth = way;
        draw(frame, from(2), options);
        Seen seen;
        for (size_t k = 0; k < pixels.size(); k += 4) {
            seen.any += std::abs(pixels[k + 1] - bare[k + 1]) > 10;
            seen.red += pixels[k] > 2 * pixels[k + 1];
        }
        return seen;
    };
    const Seen solid = look(ClothStyle::Solid), outlined = look(ClothStyle::Outlined),
               wire = look(ClothStyle::Wire);
    EXPECT_GT(solid.red, 3000);
    EXPECT_LT(outlined.red, solid.red - 200);
    EXPECT_GT(outlined.red, solid.red / 2);
    EXPECT_EQ(wire.red, 0);
    // four sides and a diagonal of about 100 pixels
    EXPECT_GT(wire.any, 400);
    EXPECT_LT(wire.any, solid.any / 4);
}

TEST_F(Cloth, ClothCastsAShadow) {
    RenderFrame frame = square(0.5f, 0.02f);
    frame.shapes.push_back(plane(-0.6f));
    Camera camera = from(3);
    camera.eye = {0, 0.6f, 3};
    DrawOptions options;
    options.sunDirection = {0, 1, -1};  // the shadow falls towards the camera
    draw(frame, camera, options);
    const auto brightness = [&](glm::vec3 point) {
        const glm::vec3 pixel = project(camera, point, kWidth, kHeight);
        return at(int(pixel.x), int(pixel.y)).r;
    };
    // centers of squares of one color
    const int shaded = brightness({0.125f, -0.6f, 0.625f}), lit = brightness({-0.875f, -0.6f, 0.625f});
    EXPECT_LT(shaded, lit - 30);
}

// Both strands of a rope are visible, and runs that exceed the arrays are skipped.
TEST_F(Cloth, RunsBeyondTheirArraysAreNotDrawn) {
    RenderFrame frame = square(0.5f, 0.02f);
    frame.cloth[0].indices = 1u << 20;
    frame.ropes.push_back({.first = 0, .indices = 1u << 20});
    const uint32_t nothing[3] = {};
    const glm::vec4 vertex[2] = {};
    buffers.upload(Slot::RopeIndex, nothing, sizeof nothing);
    buffers.upload(Slot::RopeVertex, vertex, sizeof vertex);
    draw(frame, from(2));
    const Color middle = at(kWidth / 2, kHeight / 2);
    EXPECT_LT(middle.r, 2 * middle.g);
}

TEST_F(Cloth, ParticlesModeHidesClothAndRopes) {
    const RenderFrame frame = square(0.5f, 0.02f);
    DrawOptions options;
    options.mode = DrawMode::Particles;
    draw(frame, from(2), options);
    const Color middle = at(kWidth / 2, kHeight / 2);
    EXPECT_LT(middle.r, 2 * middle.g);
}

// From blue through gray to red, with a legend.
TEST_F(Cloth, ValuedLinesHaveTheColorsOfTheirLegend) {
    const glm::vec4 ends[] = {{-1, 0.3f, 0, -0.1f}, {1, 0.3f, 0, -0.1f},  //
                              {-1, 0, 0, 0},        {1, 0, 0, 0},         //
                              {-1, -0.3f, 0, 0.1f}, {1, -0.3f, 0, 0.1f}};
    buffers.upload(Slot::Line, ends, sizeof ends);
    RenderFrame frame;
    frame.lines = {{.first = 0, .count = 3, .name = "strain [-]", .range = 0.1f}};
    Camera camera = from(2);
    camera.fov = glm::degrees(2 * std::atan(0.4f));  // the plane z = 0 is 1.6 m high
    DrawOptions options;
    options.fxaa = false;
    draw(frame, camera, options);
    const auto with = pixels;
    const auto near = [&](int y, Color wanted) {
        const Color c = at(60, y);
        EXPECT_NEAR(c.r, wanted.r, 3);
        EXPECT_NEAR(c.g, wanted.g, 3);
        EXPECT_NEAR(c.b, wanted.b, 3);
    };
    near(50, {59, 76, 191});  // 0.230, 0.299, 0.754 of 255
    near(80, {221, 221, 221});
    near(110, {180, 4, 38});
    options.legend = false;
    draw(frame, camera, options);
    EXPECT_NE(with, pixels) << "no legend";
}

// Geometry in front of a line hides it, unless the line is lifted out of it.
TEST_F(Cloth, LiftedLinesAreVisibleInsideGeometry) {
    RenderFrame frame = square(0.5f, 0.1f);
    const glm::vec4 ends[] = {{-0.4f, 0, 0, 0.1f}, {0.4f, 0, 0, 0.1f}};
    buffers.upload(Slot::Line, ends, sizeof ends);
    frame.cloth[0].color = {0.1f, 0.6f, 0.1f};
    frame.lines = {{.first = 0, .count = 1, .name = "strain [-]", .range = 0.1f}};
    draw(frame, from(2));
    const Color hidden = at(kWidth / 2, kHeight / 2);
    EXPECT_GT(hidden.g, hidden.r);
    frame.lines[0].lift = 0.06f;
    draw(frame, from(2));
    const Color seen = at(kWidth / 2, kHeight / 2);
    EXPECT_GT(seen.r, 2 * seen.g);
}

}  // namespace
}  // namespace coalesce::test
