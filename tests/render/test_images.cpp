// Complete images: light, colors, repeatability; small and empty cases.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "fixture.h"

namespace coalesce::test {
namespace {

constexpr int kWidth = 320, kHeight = 180;

Camera sideCamera() {
    Camera camera;
    camera.eye = {0.4f, 0.7f, 2.6f};
    camera.look = {0, 0.3f, 0};
    return camera;
}

class Images : public Drawing {
protected:
    // A pool with a splash on a floor.
    RenderFrame pool(int particles = 8000) {
        Particles p;
        const double d = fillPool(p, particles);
        computeEllipsoids(p, d);
        RenderFrame frame = publish(p, buffers, d, true);
        frame.shapes.push_back(plane());
        return frame;
    }

    void expectFinite() {
        const auto color = renderer().dump("sceneColor");
        ASSERT_TRUE(color.has_value());
        for (const float value : color->pixels) ASSERT_TRUE(std::isfinite(value));
    }

    GlBuffers buffers;
};

TEST_F(Images, EqualInputsGiveEqualBytes) {
    const RenderFrame frame = pool();
    DrawOptions options;
    const auto first = drawImage(renderer(), frame, buffers, sideCamera(), options, kWidth, kHeight);
    // drawing something else in between must leave no trace
    options.mode = DrawMode::Particles;
    options.colorBy = ColorBy::Neighbors;
    drawImage(renderer(), frame, buffers, Camera{}, options, 100, 100);
    const auto second = drawImage(renderer(), frame, buffers, sideCamera(), DrawOptions{}, kWidth, kHeight);
    EXPECT_EQ(first, second);
    // a new renderer draws the same
    Renderer another;
    EXPECT_EQ(drawImage(another, frame, buffers, sideCamera(), DrawOptions{}, kWidth, kHeight), first);
}

// A target with 16 bits gets the colors as they are, one with 8 bits the same ones dithered by half a step.
TEST_F(Images, DeepTargetsAreNotRoundedToEightBits) {
    RenderFrame frame = pool();
    RenderTarget deep(kWidth, kHeight, 16), plain(kWidth, kHeight);
    for (const RenderTarget* target : {&deep, &plain})
        renderer().draw(frame, buffers, sideCamera(), DrawOptions{}, target->output());
    const std::vector<uint8_t> eight = readPixels(plain.output(), RowOrder::BottomUp);
    std::vector<uint16_t> sixteen(eight.size());
    glGetTextureImage(deep.color().id(), 0, GL_RGBA, GL_UNSIGNED_SHORT, GLsizei(2 * sixteen.size()),
                      sixteen.data());
    size_t between = 0;
    for (size_t k = 0; k < eight.size(); ++k) {
        const double value = sixteen[k] / 257.0;  // in steps of 8 bits
        // half a step of dithering, and half a step of rounding to 8 bits, of which GPUs miss a tenth
        ASSERT_NEAR(value, eight[k], 1.11) << k;
        between += std::abs(value - std::round(value)) > 0.1;
    }
    EXPECT_GT(double(between), 0.5 * double(eight.size()));
}

// Sun from straight above; a slab 0.3 m thick above the ground, made of water or solid.
TEST_F(Images, WaterShadowIsColoredAndLighterThanThatOfSolids) {
    DrawOptions options;
    options.sunDirection = {0, 1, 0};
    const glm::vec3 shadowed{0.12f, 0, 0.12f};
    const double d = 0.03;
    Particles water;
    fillBox(water, {-0.45, 0.6, -0.45}, {0.45, 0.9, 0.45}, d);

    RenderFrame wet = publish(water, buffers, d, false);
    wet.shapes.push_back(plane());
    RenderFrame bare = wet;
    bare.particles = 0;
    RenderFrame solid = bare;
    solid.shapes.push_back(box({0, 0.75f, 0}, {0.45f, 0.15f, 0.45f}));

    const auto floor = [&](const RenderFrame& frame) {
        return colorAt(dumpAfter(frame, buffers, sideCamera(), options, kWidth, kHeight, "sceneColor"),
                       sideCamera(), shadowed);
    };
    const glm::vec3 lit = floor(bare), underWater = floor(wet) / lit, underSolid = floor(solid) / lit;
    EXPECT_LT(underSolid.g, 0.5f);
    EXPECT_GT(underWater.b, 1.5f * underWater.r);  // blue-green
    EXPECT_GT(underWater.g, 1.5f * underWater.r);
    EXPECT_GT(underWater.g, underSolid.g + 0.1f);
    EXPECT_GT(underWater.b, underSolid.b + 0.1f);
    EXPECT_LT(underWater.b, 0.95f);  // but still a shadow

    // Beer's law: direct sun in red against blue is exp(-(6 - 0.7) 0.3), the sky's light is in both
    options.shadows = false;
    EXPECT_NEAR(floor(wet).r, lit.r, 1e-3f);
}

TEST_F(Images, ObjectsAboveWaterKeepFullLight) {
    DrawOptions options;
    options.sunDirection = {0, 1, 0};
    Particles water;
    fillBox(water, {-0.45, 0, -0.45}, {0.45, 0.3, 0.45}, 0.03);
    RenderFrame frame = publish(water, buffers, 0.03, false);
    frame.boundsMax = {0.45f, 0.9f, 0.45f};
    frame.shapes.push_back(box({0, 0.6f, 0}, {0.2f, 0.05f, 0.2f}));
    const glm::vec3 top{0, 0.65f, 0};
    const glm::vec3 above = colorAt(
        dumpAfter(frame, buffers, sideCamera(), options, kWidth, kHeight, "sceneColor"), sideCamera(), top);
    frame.particles = 0;
    const glm::vec3 alone = colorAt(
        dumpAfter(frame, buffers, sideCamera(), options, kWidth, kHeight, "sceneColor"), sideCamera(), top);
    EXPECT_LT(glm::length(above - alone), 0.01f * glm::length(alone));
}

TEST_F(Images, DeepWaterIsBluerThanShallow) {
    // the same floor point seen straight from above through two depths
    Camera camera;
    camera.eye = {0.01f, 3, 0};
    camera.look = {0, 0, 0};
    DrawOptions options;
    const auto through = [&](double depth) {
        Particles water;
        fillBox(water, {-0.45, 0, -0.45}, {0.45, depth, 0.45}, 0.03);
        RenderFrame frame = publish(water, buffers, 0.03, false);
        frame.shapes.push_back(plane());
        const glm::vec3 c = colorAt(dumpAfter(frame, buffers, camera, options, kWidth, kHeight, "sceneColor"),
                                    camera, {0.12f, 0, 0.12f});
        return c.b / c.r;
    };
    EXPECT_GT(through(0.45), 1.3f * through(0.12));
}

TEST_F(Images, EmptySingleAndTinyCasesDraw) {
    RenderFrame frame = pool(100);
    for (const uint32_t particles : {0u, 1u}) {
        frame.particles = particles;
        for (const DrawMode mode : {DrawMode::Surface, DrawMode::Particles}) {
            DrawOptions options;
            options.mode = mode;
            options.colorBy = ColorBy::Speed;
            drawImage(renderer(), frame, buffers, sideCamera(), options, 64, 36);
            expectFinite();
        }
    }
    // empty frame: no arrays, no materials, no shapes
    const GlBuffers none;
    drawImage(renderer(), RenderFrame{}, none, Camera{}, DrawOptions{}, 64, 36);
    expectFinite();
    // one pixel, and none
    for (const Quality quality : {Quality::Standard, Quality::Final}) {
        DrawOptions options;
        options.quality = quality;
        frame = pool(100);
        EXPECT_EQ(drawImage(renderer(), frame, buffers, sideCamera(), options, 1, 1).size(), 4u);
        expectFinite();
    }
    const RenderTarget target(4, 4);
    renderer().draw(frame, buffers, sideCamera(), DrawOptions{}, {target.framebuffer(), 0, 0});
}

TEST_F(Images, ShortArraysAreNotReadBeyondTheirEnd) {
    RenderFrame frame = pool(100);
    frame.particles = 1000000;
    drawImage(renderer(), frame, buffers, sideCamera(), DrawOptions{}, 64, 36);
    expectFinite();
}

TEST_F(Images, NonFiniteParticlesAreNotDrawn) {
    Particles p;
    fillBox(p, {-0.2, 0, -0.2}, {0.2, 0.4, 0.2}, 0.05);
    const auto clean = publish(p, buffers, 0.05, false);
    DrawOptions options;
    const auto expected = drawImage(renderer(), clean, buffers, sideCamera(), options, kWidth, kHeight);
    p.add({NAN, 0, 0});
    p.add({0, INFINITY, 0});
    RenderFrame frame = publish(p, buffers, 0.05, false);
    frame.boundsMin = clean.boundsMin;
    frame.boundsMax = clean.boundsMax;
    EXPECT_EQ(drawImage(renderer(), frame, buffers, sideCamera(), options, kWidth, kHeight), expected);
    frame.boundsMax = {NAN, NAN, NAN};
    drawImage(renderer(), frame, buffers, sideCamera(), options, kWidth, kHeight);
    expectFinite();
}

TEST_F(Images, EyeInWaterSeesOnlyWaterColors) {
    const RenderFrame frame = pool();
    Camera camera;
    camera.eye = {-0.3f, 0.12f, 0.1f};
    camera.look = {0.6f, 0.15f, 0};
    const auto image = drawImage(renderer(), frame, buffers, camera, DrawOptions{}, kWidth, kHeight);
    expectFinite();
    // water all around: every pixel is bluer than red
    for (size_t k = 0; k < image.size(); k += 4) ASSERT_GT(image[k + 2], image[k]) << "pixel " << k / 4;
}

TEST_F(Images, EveryOptionDrawsAFiniteImage) {
    RenderFrame frame = pool(3000);
    frame.shapes.push_back(box({0, 0.4f, 0}, {1, 0.4f, 0.5f}, true));
    frame.shapes.push_back(box({-1.3f, 0.2f, 0.5f}, {0.2f, 0.2f, 0.2f}));
    DrawShape shape;
    shape.kind = DrawShape::Kind::Capsule;
    shape.position = {1.2f, 0.5f, 0.3f};
    shape.rotation = {0.3f, 0, 0, 0.954f};
    frame.shapes.push_back(shape);
    shape.kind = DrawShape::Kind::Sphere;
    shape.container = true;
    frame.shapes.push_back(shape);
    for (const Quality quality : {Quality::Points, Quality::Fast, Quality::Standard, Quality::Final}) {
        for (const Background background : {Background::Studio, Background::Sky, Background::Plain}) {
            DrawOptions options;
            options.quality = quality;
            options.background = background;
            options.wire = quality == Quality::Fast;
            options.filterIterations = 3;
            drawImage(renderer(), frame, buffers, sideCamera(), options, 96, 54);
            expectFinite();
        }
    }
}

// Every quantity of every particle is another one here, so every image must be another one.
TEST_F(Images, QuantitiesGiveDifferentImages) {
    const RenderFrame frame = pool(3000);
    std::vector<glm::vec4> velocity(frame.particles);
    std::vector<float> scalar(frame.particles);
    for (uint32_t k = 0; k < frame.particles; ++k) {
        const float share = float(k) / float(frame.particles);
        velocity[k] = {share, 0, 0, 1};
        scalar[k] = 0.5f - share * share;
    }
    buffers.upload(Slot::Vel, velocity.data(), velocity.size() * sizeof velocity[0]);
    buffers.upload(Slot::Scalar, scalar.data(), scalar.size() * sizeof scalar[0]);
    for (const int ssaa : {1, 2}) {
        std::vector<std::vector<uint8_t>> images;
        for (const ColorBy quantity :
             {ColorBy::Phase, ColorBy::Speed, ColorBy::Diverging, ColorBy::Neighbors, ColorBy::Scalar}) {
            DrawOptions options;
            options.mode = DrawMode::Particles;
            options.colorBy = quantity;
            options.ssaa = ssaa;
            options.legend = false;
            const auto image = drawImage(renderer(), frame, buffers, sideCamera(), options, 96, 54);
            expectFinite();
            EXPECT_EQ(std::ranges::count(images, image), 0)
                << "quantity " << int(quantity) << ", ssaa " << ssaa;
            images.push_back(image);
        }
    }
}

TEST_F(Images, ParticlesFacingTheCameraHaveTheLegendColor) {
    Particles p;
    p.add({0, 0, 0}, 0, {0, 0, 0});
    p.add({1, 0, 0}, 0, {3, 4, 0});  // 5 m/s
    const RenderFrame frame = publish(p, buffers, 0.5, false);
    Camera camera;
    camera.eye = {0, 0, 4};
    camera.look = {0, 0, 0};
    DrawOptions options;
    options.mode = DrawMode::Particles;
    options.colorBy = ColorBy::Speed;
    options.background = Background::Plain;
    const auto image = drawImage(renderer(), frame, buffers, camera, options, 321, 181);
    EXPECT_EQ(renderer().colorRange(), std::pair(0.0f, 5.0f));
    // ends of viridis, copied from its definition: (0.267, 0.005, 0.329) and (0.993, 0.906, 0.144)
    const auto expectColor = [&](glm::vec3 point, glm::vec3 color) {
        const glm::vec3 at = project(camera, point, 321, 181);
        const uint8_t* c = &image[4 * (size_t(at.y) * 321 + size_t(at.x))];
        for (int k = 0; k < 3; ++k) EXPECT_NEAR(c[k], 255 * color[k], 2) << "channel " << k;
    };
    expectColor({0, 0, 0}, {0.267f, 0.005f, 0.329f});
    // off the axis, the sphere's nearest point to the camera is slightly towards the image center
    expectColor({0.97f, 0, 0.24f}, {0.993f, 0.906f, 0.144f});

    // a fixed range is not changed
    options.autoRange = false;
    options.rangeMin = 2;
    options.rangeMax = 3;
    drawImage(renderer(), frame, buffers, camera, options, 32, 18);
    EXPECT_EQ(renderer().colorRange(), std::pair(2.0f, 3.0f));
}

TEST_F(Images, DivergingRangeIsSymmetricAndIgnoresNaN) {
    Particles p;
    fillBox(p, {0, 0, 0}, {0.3, 0.1, 0.1}, 0.1);
    ASSERT_EQ(p.size(), 3u);
    p.scalar = {-0.04f, 0.01f, NAN};
    const RenderFrame frame = publish(p, buffers, 0.1, false);
    DrawOptions options;
    options.mode = DrawMode::Particles;
    options.colorBy = ColorBy::Diverging;
    drawImage(renderer(), frame, buffers, sideCamera(), options, 64, 36);
    EXPECT_EQ(renderer().colorRange(), std::pair(-0.04f, 0.04f));
    options.colorBy = ColorBy::Scalar;
    drawImage(renderer(), frame, buffers, sideCamera(), options, 64, 36);
    EXPECT_EQ(renderer().colorRange(), std::pair(-0.04f, 0.01f));
}

TEST_F(Images, LegendChangesOnlyItsCorner) {
    const RenderFrame frame = pool(1000);
    DrawOptions options;
    options.mode = DrawMode::Particles;
    options.colorBy = ColorBy::Speed;
    const auto with = drawImage(renderer(), frame, buffers, sideCamera(), options, kWidth, kHeight);
    options.legend = false;
    const auto without = drawImage(renderer(), frame, buffers, sideCamera(), options, kWidth, kHeight);
    int changed = 0, leftmost = kWidth;
    for (int k = 0; k < kWidth * kHeight; ++k) {
        if (std::memcmp(&with[4 * size_t(k)], &without[4 * size_t(k)], 4) == 0) continue;
        ++changed;
        leftmost = std::min(leftmost, k % kWidth);
    }
    EXPECT_GT(changed, 500);
    EXPECT_GT(leftmost, kWidth / 2);
}

TEST_F(Images, LiquidColorsDoNotDependOnMaterialOrder) {
    // water on the left, something red on the right
    const double d = 0.04;
    Particles p;
    fillBox(p, {-0.6, 0, -0.2}, {-0.08, 0.4, 0.2}, d, 0);
    fillBox(p, {0.08, 0, -0.2}, {0.6, 0.4, 0.2}, d, 1);
    RenderFrame frame = publish(p, buffers, d, false);
    DrawMaterial red = frame.materials[0];
    red.absorption = {0.5f, 12, 12};
    red.scatter = {0.2f, 0.01f, 0.01f};
    frame.materials.push_back(red);
    frame.shapes.push_back(plane());
    const DumpedImage image =
        dumpAfter(frame, buffers, sideCamera(), DrawOptions{}, kWidth, kHeight, "sceneColor");
    const glm::vec3 left = colorAt(image, sideCamera(), {-0.35f, 0.2f, 0.2f});
    const glm::vec3 right = colorAt(image, sideCamera(), {0.35f, 0.2f, 0.2f});
    EXPECT_GT(left.b, 2 * left.r);
    EXPECT_GT(right.r, 2 * right.b);
}

TEST_F(Images, OpaqueLiquidsAreSeenThroughClearOnesInAnyMaterialOrder) {
    const double d = 0.04;
    for (const uint32_t clear : {0u, 1u}) {
        Particles p;
        fillBox(p, {-0.4, 0, 0.2}, {0.4, 0.4, 0.28}, d, clear);
        fillBox(p, {-0.4, 0, -0.4}, {0.4, 0.4, 0.0}, d, 1 - clear);
        RenderFrame frame = publish(p, buffers, d, false);
        frame.materials.push_back(frame.materials[0]);
        DrawMaterial& red = frame.materials[1 - clear];
        red.absorption = {0.5f, 30, 30};
        red.scatter = {0.2f, 0.01f, 0.01f};
        frame.materials[clear].absorption = {0.1f, 0.05f, 0.02f};
        frame.shapes.push_back(plane());
        const DumpedImage image =
            dumpAfter(frame, buffers, sideCamera(), DrawOptions{}, kWidth, kHeight, "sceneColor");
        const glm::vec3 c = colorAt(image, sideCamera(), {0, 0.2f, 0.28f});
        EXPECT_GT(c.r, 1.5f * c.b) << "clear liquid is material " << clear;
    }
}

TEST_F(Images, ShapesHaveTheirPositionAndSize) {
    // a container first in the list must not shift the indices of solids after it; depth along the middle ray
    // of each
    RenderFrame frame;
    frame.shapes.push_back(box({0, 0, 0}, {3, 3, 3}, true));  // the eye is inside
    DrawShape sphere;
    sphere.kind = DrawShape::Kind::Sphere;
    sphere.radius = 0.3f;
    sphere.position = {-1, 0, 0};
    frame.shapes.push_back(sphere);
    frame.shapes.push_back(box({0, 0, 0}, {0.2f, 0.3f, 0.4f}));
    DrawShape capsule;
    capsule.kind = DrawShape::Kind::Capsule;
    capsule.radius = 0.2f;
    capsule.halfLength = 0.3f;
    capsule.position = {1, 0, 0};
    capsule.rotation = {std::sqrt(0.5f), 0, 0, std::sqrt(0.5f)};  // its axis points to the camera
    frame.shapes.push_back(capsule);
    Camera camera;
    camera.eye = {0, 0, 2.5f};
    camera.look = {0, 0, 0};
    camera.far = 20;
    const DumpedImage depth = dumpAfter(frame, buffers, camera, DrawOptions{}, 321, 181, "sceneDepth");
    const auto reach = [&](float x) {  // eye depth of the pixel through (x, 0, 0)
        const glm::vec3 at = project(camera, {x, 0, 0}, 321, 181);
        const double n = camera.near, f = camera.far;
        const double ndc = 2 * *depth.at(int(at.x), 90) - 1;
        return 2 * f * n / (f + n - ndc * (f - n));
    };
    EXPECT_NEAR(reach(0), 2.5 - 0.4, 1e-3);
    // rays to the centers are oblique: they enter the sphere 0.3 m before its center along the ray
    EXPECT_NEAR(reach(-1), 2.5 - 0.3 * 2.5 / std::hypot(1, 2.5), 5e-3);
    // the capsule's near end is a sphere around (1, 0, 0.3); the ray to (1, 0, 0) runs by it at its side
    const double length = std::hypot(1, 2.5), dx = 1 / length, dz = -2.5 / length;
    const double along = dx * 1 + dz * (0.3 - 2.5);  // closest approach to the end's center
    const double miss = std::hypot(dx * along - 1, dz * along - (0.3 - 2.5));
    const double enter = along - std::sqrt(0.2 * 0.2 - miss * miss);
    EXPECT_NEAR(reach(1), enter * -dz, 5e-3);
}

TEST_F(Images, GrainsAreOpaque) {
    const double d = 0.1;
    Particles p;
    p.add({0, 0.3, 0});
    RenderFrame frame = publish(p, buffers, d, false);
    frame.materials[0].kind = DrawMaterial::Kind::Grains;
    const DumpedImage depth =
        dumpAfter(frame, buffers, sideCamera(), DrawOptions{}, kWidth, kHeight, "sceneDepth");
    const Camera camera = sideCamera();
    const glm::vec3 at = project(camera, {0, 0.3f, 0}, kWidth, kHeight);
    // window depth of the front, converted to meters: half-lengths of grains are 0.66 to 1.08 times d/2
    const double n = camera.near, f = camera.far;
    const double ndc = 2 * *depth.at(int(at.x), kHeight - 1 - int(at.y)) - 1;
    const double front = at.z - 2 * f * n / (f + n - ndc * (f - n));
    EXPECT_GT(front, 0.66 * d / 2 - 1e-3);
    EXPECT_LT(front, 1.08 * d / 2 + 1e-3);
    EXPECT_FALSE(renderer().dump("thickness").has_value());  // no liquid, no thickness
}

TEST_F(Images, RowOrderIsRespected) {
    const RenderTarget target(64, 36);
    renderer().draw(RenderFrame{}, buffers, Camera{}, DrawOptions{}, target.output());
    const auto down = readPixels(target.output(), RowOrder::TopDown);
    const auto up = readPixels(target.output(), RowOrder::BottomUp);
    EXPECT_TRUE(std::equal(down.begin(), down.begin() + 64 * 4, up.end() - 64 * 4));
    EXPECT_NE(down, up);
    for (size_t k = 3; k < down.size(); k += 4) ASSERT_EQ(down[k], 255);  // opaque
}

TEST_F(Images, TimingsContainThePassesThatRan) {
    const RenderFrame frame = pool(500);
    renderer().enableTimings(true);
    for (int k = 0; k < 4; ++k) drawImage(renderer(), frame, buffers, sideCamera(), DrawOptions{}, 64, 36);
    const auto has = [&](const char* name) {
        return std::ranges::any_of(renderer().timings(),
                                   [&](const PassTime& t) { return !std::strcmp(t.name, name); });
    };
    EXPECT_TRUE(has("fluid depth"));
    EXPECT_TRUE(has("resolve"));
    EXPECT_TRUE(has("solid shadow"));
    DrawOptions points;
    points.quality = Quality::Points;
    for (int k = 0; k < 4; ++k) drawImage(renderer(), frame, buffers, sideCamera(), points, 64, 36);
    EXPECT_FALSE(has("solid shadow")) << "a fast view has no shadows";
    EXPECT_FALSE(has("fluid depth"));
    for (int k = 0; k < 4; ++k) drawImage(renderer(), frame, buffers, sideCamera(), DrawOptions{}, 64, 36);
    EXPECT_FALSE(has("legend"));
    renderer().enableTimings(false);
    EXPECT_TRUE(renderer().timings().empty());
}

TEST_F(Images, EveryBufferCanBeDumped) {
    const RenderFrame frame = pool(500);
    drawImage(renderer(), frame, buffers, sideCamera(), {.quality = Quality::Final}, 64, 36);
    EXPECT_FALSE(bufferViews().empty());
    for (const BufferView& view : bufferViews()) {
        const auto image = renderer().dump(view.name);
        ASSERT_TRUE(image.has_value()) << view.name;
        EXPECT_EQ(image->pixels.size(), size_t(image->width * image->height * image->channels)) << view.name;
    }
    EXPECT_FALSE(renderer().dump("no such thing").has_value());
}

}  // namespace
}  // namespace coalesce::test
