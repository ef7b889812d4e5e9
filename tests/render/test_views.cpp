// Glass, backgrounds and grounds, gizmos, color maps of lines, the scale bar, intermediate buffers beside the
// image.
#include <cmath>
#include <set>

#include "fixture.h"
#include "render/frame/legend.h"

namespace coalesce::test {
namespace {

constexpr int kWidth = 240, kHeight = 136;

class Views : public Drawing {
protected:
    using Color = std::array<int, 3>;
    std::vector<uint8_t> draw(const RenderFrame& frame, const DrawOptions& options = {}) {
        return drawImage(renderer(), frame, buffers, camera, options, kWidth, kHeight);
    }
    static Color at(const std::vector<uint8_t>& image, int x, int y) {
        const uint8_t* c = &image[4 * (size_t(y) * kWidth + size_t(x))];
        return {c[0], c[1], c[2]};
    }
    Color atPoint(const std::vector<uint8_t>& image, glm::vec3 point) const {
        const glm::vec3 p = project(camera, point, kWidth, kHeight);
        return at(image, int(p.x), int(p.y));
    }
    RenderFrame empty() {
        RenderFrame frame;
        frame.shapes = {plane()};
        return frame;
    }
    RenderFrame pool() {
        Particles p;
        const double d = fillPool(p, 4000);
        computeEllipsoids(p, d);
        RenderFrame frame = publish(p, buffers, d, true);
        frame.shapes.push_back(plane());
        return frame;
    }

    GlBuffers buffers;
    Camera camera{.eye = {0.4f, 1.2f, 3.2f}, .look = {0, 0.3f, 0}};
};

// Two shapes of one size: equally large in pixels without perspective, in
// inverse proportion to their distance with it.
TEST_F(Views, SizesDoNotDependOnTheDistanceWithoutPerspective) {
    camera = {.eye = {0, 0.5f, 6}, .look = {0, 0.5f, 0}, .fov = 20};
    const auto widths = [&](const Camera& seen, DrawShape::Kind kind) {
        RenderFrame frame;
        for (const float side : {-1.0f, 1.0f}) {
            DrawShape shape = box({0.6f * side, 0.5f, 2 * side}, {0.25f, 0.25f, 0.001f});
            shape.kind = kind;
            shape.radius = 0.25f;
            shape.color = {0.9f, 0.02f, 0.02f};
            frame.shapes.push_back(shape);
        }
        DrawOptions options;
        options.shadows = false;
        const auto image = drawImage(renderer(), frame, buffers, seen, options, kWidth, kHeight);
        std::array<int, 2> pixels{};
        for (int x = 0; x < kWidth; ++x) {
            const Color c = at(image, x, kHeight / 2);
            if (c[0] > 2 * c[1]) ++pixels[size_t(x > kWidth / 2)];
        }
        return pixels;
    };
    for (const auto kind : {DrawShape::Kind::Box, DrawShape::Kind::Sphere}) {
        const auto deep = widths(camera, kind), flat = widths(withOrthographic(camera, true, 0), kind);
        const double pixelsPerMeter = kHeight / (2 * 6 * std::tan(glm::radians(10.0)));
        EXPECT_NEAR(flat[0], 0.5 * pixelsPerMeter, 1.5);
        EXPECT_NEAR(flat[1], flat[0], 1);
        EXPECT_NEAR(double(deep[1]) / deep[0], 2, 0.2) << "8 m and 4 m away";
    }
}

TEST_F(Views, GlassIsTransparentAndSolidsAreNot) {
    for (const auto kind : {DrawShape::Kind::Box, DrawShape::Kind::Sphere}) {
        RenderFrame frame = empty();
        frame.shapes.push_back(box({0, 0.5f, -0.6f}, {0.8f, 0.5f, 0.05f}));
        frame.shapes.back().color = {0.8f, 0.03f, 0.03f};
        const Color bare = atPoint(draw(frame), {0, 0.4f, 0.3f});
        DrawShape pane = box({0, 0.4f, 0.3f}, {0.3f, 0.3f, 0.05f});
        pane.kind = kind;
        pane.radius = 0.3f;
        pane.color = {0.5f, 0.6f, 0.6f};
        frame.shapes.push_back(pane);
        const Color solid = atPoint(draw(frame), {0, 0.4f, 0.3f});
        frame.shapes.back().opacity = 0.1f;
        const Color glass = atPoint(draw(frame), {0, 0.4f, 0.3f});
        ASSERT_GT(bare[0], 2 * bare[1]) << "the wall behind is red";
        EXPECT_LT(solid[0], solid[1] + 25) << "a solid one hides it";
        EXPECT_GT(glass[0], glass[1] + 40) << "glass does not";
        EXPECT_NE(glass, bare) << "but it is there";
    }
}

TEST_F(Views, LiquidBehindGlassIsVisible) {
    RenderFrame frame = pool();
    const auto bare = draw(frame);
    frame.shapes.push_back(box({0, 0.3f, 0.6f}, {1.2f, 0.3f, 0.03f}));
    frame.shapes.back().color = {0.8f, 0.02f, 0.02f};
    const Color hidden = atPoint(draw(frame), {0, 0.15f, 0.6f});
    frame.shapes.back().opacity = 0.05f;
    const auto glass = draw(frame);
    const Color seen = atPoint(glass, {0, 0.15f, 0.6f}), water = atPoint(bare, {0, 0.15f, 0.6f});
    const auto apart = [](const Color& a, const Color& b) {
        return std::abs(a[0] - b[0]) + std::abs(a[1] - b[1]) + std::abs(a[2] - b[2]);
    };
    EXPECT_GT(apart(hidden, water), 200);
    EXPECT_LT(apart(seen, water), 80) << "a trace of red, and what it reflects";
}

// Light through both faces of a pane at normal incidence: (1 - 0.04)^2 for reflection, (1 - opacity + half of
// the stopped light in its color)^2.
TEST_F(Views, GlassCastsALightShadowInItsColor) {
    RenderFrame frame = empty();
    DrawOptions options{.background = Background::Plain, .ground = Ground::Plain};
    options.sunDirection = {0, 1, 0};
    camera = {.eye = {0, 1.2f, 3.2f}, .look = {0, 0.2f, 0}};
    const auto floorAt = [&](glm::vec3 p) {
        drawImage(renderer(), frame, buffers, camera, options, kWidth, kHeight);
        const auto image = renderer().dump("sceneColor");
        const glm::vec3 at = project(camera, p, kWidth, kHeight);
        const float* c = image->at(int(at.x), kHeight - 1 - int(at.y));
        return glm::vec3(c[0], c[1], c[2]);
    };
    // the ground below the center of a plate half a meter above it, and beside the plate
    const glm::vec3 under(0, 0, 0.2f), beside(1.2f, 0, 0.2f);
    const glm::vec3 bare = floorAt(under);
    frame.shapes.push_back(box({0, 0.5f, 0}, {0.5f, 0.02f, 0.5f}));
    frame.shapes.back().color = {0.9f, 0.1f, 0.1f};
    const glm::vec3 solid = floorAt(under);
    const float opacity = 0.3f;
    frame.shapes.back().opacity = opacity;
    const glm::vec3 glass = floorAt(under);
    for (int k = 0; k < 3; ++k) {
        const float face = 0.96f * (1 - opacity + 0.5f * opacity * (k == 0 ? 0.9f : 0.1f));
        EXPECT_NEAR((glass[k] - solid[k]) / (bare[k] - solid[k]), face * face, 0.04) << k;
    }
    frame.shapes.back().opacity = 1;
    const glm::vec3 besideSolid = floorAt(beside);
    frame.shapes.back().opacity = opacity;
    EXPECT_LT(glm::length(floorAt(beside) - besideSolid), 0.01f);
    // objects between the sun and the glass keep full light
    frame.shapes.push_back(box({0, 0.8f, 0}, {0.3f, 0.02f, 0.3f}));
    const glm::vec3 above = floorAt({0, 0.82f, 0.1f});
    frame.shapes.erase(frame.shapes.end() - 2);
    EXPECT_LT(glm::length(floorAt({0, 0.82f, 0.1f}) - above), 0.02f);
    options.shadows = false;
    EXPECT_LT(glm::length(floorAt(beside) - bare), 0.05f) << "and without shadows none does";
}

// The penumbra of an edge is as wide as the sun's disc from
// there, but at least some texels of the shadow map.
TEST_F(Views, PenumbraGrowsWithTheDistanceOfTheCaster) {
    DrawOptions options{.background = Background::Plain, .ground = Ground::Plain};
    options.sunDirection = {0, 1, 0};
    options.occlusion = options.fxaa = false;
    camera = {.eye = {1.2f, 1.2f, 0}, .look = {0.3f, 0, 0}};
    const auto penumbra = [&](float height) {  // [m]
        RenderFrame frame = empty();
        frame.boundsMin = {-1, 0, -1}, frame.boundsMax = {1, 1, 1};
        frame.shapes.push_back(box({0, height, 0}, {0.3f, 0.02f, 0.3f}));
        drawImage(renderer(), frame, buffers, camera, options, kWidth, kHeight);
        const auto image = renderer().dump("sceneColor");
        const auto lightAt = [&](float x) {
            float sum = 0;
            for (int k = -8; k <= 8; ++k) {
                const glm::vec3 at = project(camera, {x, 0, 0.01f * float(k)}, kWidth, kHeight);
                sum += image->at(int(at.x), kHeight - 1 - int(at.y))[1];
            }
            return sum;
        };
        const float dark = lightAt(0.265f), open = lightAt(0.4f);
        EXPECT_GT(open, 2 * dark);
        int within = 0;
        for (float x = 0.265f; x < 0.4f; x += 0.001f) {
            const float share = (lightAt(x) - dark) / (open - dark);
            within += share > 0.1f && share < 0.9f;
        }
        return 0.001f * float(within);
    };
    const float near = penumbra(0.05f), far = penumbra(0.9f);
    EXPECT_LT(near, 0.03f);
    EXPECT_GT(far, 1.8f * near);
}

// Flat water in front of a red wall: where the mirrored ray hits the wall, the water is redder than without
// it; not where the ray passes above it.
TEST_F(Views, WaterMirrorsSolidsInHighQualities) {
    Particles p;
    const double d = 0.06;
    fillBox(p, {-1.5, 0, -1}, {1.5, 0.24, 1.5}, d);
    computeEllipsoids(p, d);
    RenderFrame frame = publish(p, buffers, d, true);
    frame.shapes = {plane()};
    DrawShape wall = box({0, 0.3f, -0.6f}, {1.2f, 0.3f, 0.1f});
    wall.color = {0.9f, 0.02f, 0.02f};
    camera = {.eye = {0, 0.6f, 2.4f}, .look = {0, 0.3f, 0}};
    DrawOptions options{.background = Background::Overcast};
    for (const Quality quality : {Quality::Fast, Quality::Standard, Quality::Final}) {
        options.quality = quality;
        const auto redness = [&](glm::vec3 where) {
            drawImage(renderer(), frame, buffers, camera, options, kWidth, kHeight);
            const auto image = renderer().dump("sceneColor");
            const glm::vec3 at = project(camera, where, image->width, image->height);
            float sum = 0;
            for (int k = -4; k <= 4; ++k) {
                const float* c = image->at(int(at.x) + k, image->height - 1 - int(at.y));
                sum += (c[0] - c[1]) / 9;
            }
            return sum;
        };
        // the wall's front is at z = -0.5: a height of 0.2 m above the water is mirrored at this point
        const float share = 0.2f / (0.2f + 0.36f);
        const glm::vec3 mirrored(0, 0.24f, -0.5f + share * 2.9f), beyond(0, 0.24f, 1.4f);
        frame.shapes = {plane()};
        const float without = redness(mirrored), withoutBeyond = redness(beyond);
        frame.shapes.push_back(wall);
        const float with = redness(mirrored), withBeyond = redness(beyond);
        if (quality == Quality::Fast)
            EXPECT_LT(with - without, 0.02f);
        else
            EXPECT_GT(with - without, 0.04f) << int(quality);
        EXPECT_LT(withBeyond - withoutBeyond, 0.03f) << int(quality);
    }
}

TEST_F(Views, BackgroundsAndGroundsAllDiffer) {
    RenderFrame frame = empty();
    frame.shapes.push_back(box({0, 0.3f, 0}, {0.3f, 0.3f, 0.3f}));
    camera.look = {0, 0.9f, 0};
    std::set<std::vector<uint8_t>> seen;
    size_t drawn = 0;
    for (size_t b = 0; b < std::size(kBackgroundNames); ++b) {
        DrawOptions options{.background = static_cast<Background>(b)};
        options.sunDirection = sunOf(options.background);
        seen.insert(draw(frame, options));
        ++drawn;
        EXPECT_NEAR(glm::length(sunOf(options.background)), 1, 1e-5) << kBackgroundNames[b];
        EXPECT_GT(sunOf(options.background).y, 0) << "the sun of " << kBackgroundNames[b] << " is up";
    }
    for (const Ground ground : {Ground::Plain, Ground::Grid, Ground::None}) {
        seen.insert(draw(frame, {.background = Background::Overcast, .ground = ground}));
        ++drawn;
    }
    EXPECT_EQ(seen.size(), drawn);
    // studio has a plain ground by default, the clear sky has none
    EXPECT_EQ(draw(frame, {.ground = Ground::Plain}), draw(frame));
    EXPECT_EQ(draw(frame, {.background = Background::Sky, .ground = Ground::None}),
              draw(frame, {.background = Background::Sky}));
}

TEST_F(Views, PlainGroundIsUniformAndGridHasLinesAtWholeMeters) {
    camera = {.eye = {0.5f, 3, 0.5f}, .look = {0.5f, 0, 0.5f}, .up = {0, 0, -1}};
    const DrawOptions grid{.ground = Ground::Grid, .shadows = false},
        plain{.ground = Ground::Plain, .shadows = false};
    const auto lines = draw(empty(), grid), even = draw(empty(), plain);
    const auto brightness = [](const Color& c) { return c[0] + c[1] + c[2]; };
    const int between = brightness(atPoint(lines, {0.6f, 0, 0.6f}));
    EXPECT_LT(brightness(atPoint(lines, {1, 0, 0.6f})), between - 20);
    EXPECT_LT(brightness(atPoint(lines, {0, 0, 0.6f})), between - 20);
    EXPECT_NEAR(brightness(atPoint(lines, {0.4f, 0, 0.6f})), between, 6);
    EXPECT_NEAR(brightness(atPoint(even, {1, 0, 0.6f})), brightness(atPoint(even, {0.6f, 0, 0.6f})), 6);
}

TEST_F(Views, SunDirectionFollowsItsAngles) {
    // degrees from -z towards +x, and above the horizon
    const glm::vec3 east = sunDirection(90, 0), south = sunDirection(180, 30), up = sunDirection(12, 90);
    EXPECT_NEAR(east.x, 1, 1e-6);
    EXPECT_NEAR(south.y, 0.5, 1e-6);
    EXPECT_NEAR(south.z, std::sqrt(0.75), 1e-6);
    EXPECT_NEAR(up.y, 1, 1e-6);
}

TEST_F(Views, GizmosHaveTheirPositionAndColor) {
    RenderFrame frame = empty();
    frame.gizmos = {{{0, 1, 0}, "first", {{-0.5f, 0.5f, 0}, {0.5f, 0.5f, 0}}},
                    {{1, 0, 1}, "second", {{-0.5f, 0.8f, 0}, {0.5f, 0.8f, 0}}}};
    DrawOptions options{.background = Background::Plain};
    options.fxaa = false;
    const auto image = draw(frame, options);
    EXPECT_EQ(atPoint(image, {0.1f, 0.5f, 0}), (Color{0, 255, 0}));
    EXPECT_EQ(atPoint(image, {0.1f, 0.8f, 0}), (Color{255, 0, 255}));
    // faint behind a box, but visible
    frame.shapes.push_back(box({0, 0.5f, 0.5f}, {0.3f, 0.2f, 0.1f}));
    const auto hidden = draw(frame, options);
    frame.gizmos.clear();
    const Color without = atPoint(draw(frame, options), {0.1f, 0.5f, 0});
    const Color faint = atPoint(hidden, {0.1f, 0.5f, 0});
    EXPECT_GT(faint[1], without[1] + 5);
    EXPECT_LT(faint[1], 255);
}

TEST_F(Views, SequentialLinesUseTheSequentialMapAndShowTheirRange) {
    const std::vector<glm::vec4> ends = {
        {-0.6f, 0.5f, 0, 0}, {-0.1f, 0.5f, 0, 0}, {0.1f, 0.5f, 0, 4}, {0.6f, 0.5f, 0, 4}};
    buffers.upload(Slot::Line, ends.data(), ends.size() * sizeof(glm::vec4));
    RenderFrame frame = empty();
    frame.lines = {{.first = 0, .count = 2, .name = "velocity [m/s]", .range = 4, .sequential = true}};
    DrawOptions options{.background = Background::Plain};
    options.fxaa = false, options.legend = false;
    const auto image = draw(frame, options);
    const Color low = atPoint(image, {-0.35f, 0.5f, 0}), high = atPoint(image, {0.35f, 0.5f, 0});
    // the ends of viridis, copied from its definition: (0.267, 0.005, 0.329) and (0.993, 0.906, 0.144)
    const glm::vec3 first(0.267f, 0.005f, 0.329f), last(0.993f, 0.906f, 0.144f);
    for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(low[size_t(k)], 255 * first[k], 2);
        EXPECT_NEAR(high[size_t(k)], 255 * last[k], 2);
    }
}

TEST_F(Views, TheLegendsWidthIsThatOfTheImage) {
    const std::vector<glm::vec4> ends = {{-0.6f, 0.5f, 0, 0}, {-0.1f, 0.5f, 0, 0}};
    buffers.upload(Slot::Line, ends.data(), ends.size() * sizeof(glm::vec4));
    RenderFrame frame = empty();
    frame.lines = {{.first = 0, .count = 1, .name = "velocity [m/s]", .range = 4, .sequential = true}};
    DrawOptions options{.background = Background::Plain};
    const auto with = draw(frame, options);
    const int width = renderer().legendWidth(), whole = kWidth;
    options.legend = false;
    const auto without = draw(frame, options);
    EXPECT_EQ(renderer().legendWidth(), 0);
    int leftmost = whole;
    for (size_t k = 0; k < with.size(); ++k)
        if (with[k] != without[k]) leftmost = std::min(leftmost, int(k / 4) % whole);
    EXPECT_NEAR(whole - leftmost, width, 1);
}

TEST_F(Views, ScaleBarHasARoundLengthAndMatchesItsLabel) {
    EXPECT_FLOAT_EQ(scaleBarLength(1000, 100), 2);     // a fifth of the image is 2 m
    EXPECT_FLOAT_EQ(scaleBarLength(1000, 101), 1);     // 1.98 m
    EXPECT_FLOAT_EQ(scaleBarLength(1000, 390), 0.5f);  // 0.51 m
    EXPECT_FLOAT_EQ(scaleBarLength(1280, 25600), 0.01f);
    // in an image: white pixels at the left and right end, as far apart as the length at that distance
    RenderFrame frame = empty();
    frame.scaleBar = true;
    camera = {.eye = {0, 1, 4}, .look = {0, 1, 0}, .fov = 45};
    DrawOptions options{.background = Background::Plain};
    options.exposure = 0.2f;
    const auto image = draw(frame, options);
    const double pixelsPerMeter = kHeight / 2.0 / std::tan(22.5 * M_PI / 180) / 4;
    const double length = pixelsPerMeter * scaleBarLength(kWidth, float(pixelsPerMeter));
    int left = kWidth, right = -1;
    const int row = kHeight - 16;
    for (int x = 0; x < kWidth; ++x)
        if (at(image, x, row)[0] > 230) left = std::min(left, x), right = std::max(right, x);
    EXPECT_NEAR(left, 16, 1);
    EXPECT_NEAR(right - left + 1, length, 1.5);
}

TEST_F(Views, BufferViewCoversOnlyTheRightOfTheSplit) {
    const RenderFrame frame = pool();
    const auto plain = draw(frame);
    DrawOptions options{.buffer = "normal", .split = 0.25f};
    const auto image = draw(frame, options);
    const auto normals = renderer().dump("normal");
    ASSERT_TRUE(normals);
    int compared = 0;
    for (int y = 0; y < kHeight; ++y) {
        for (int x = 0; x < kWidth / 4; ++x) ASSERT_EQ(at(image, x, y), at(plain, x, y)) << x << ", " << y;
        for (int x = kWidth / 4 + 2; x < kWidth; ++x) {
            const float* n = normals->at(x, kHeight - 1 - y);
            const Color shown = at(image, x, y);
            if (n[3] == 0) {
                ASSERT_EQ(shown, (Color{15, 15, 15})) << "nothing there";
                continue;
            }
            ++compared;
            for (int k = 0; k < 3; ++k)
                ASSERT_NEAR(shown[size_t(k)], 255 * (0.5f + 0.5f * n[k]), 1.01) << x << ", " << y;
        }
    }
    EXPECT_GT(compared, 2000);
    // the split moves from edge to edge
    options.split = 1;
    EXPECT_EQ(draw(frame, options), plain);
}

TEST_F(Views, EveryBufferViewShowsContentAndCanBeDumped) {
    RenderFrame frame = pool();
    frame.shapes.push_back(box({-0.9f, 0.4f, 0}, {0.2f, 0.4f, 0.2f}));  // casts a shadow
    std::set<std::vector<uint8_t>> seen;
    for (const BufferView& view : bufferViews()) {
        const auto image = draw(frame, {.quality = Quality::Final, .buffer = view.name, .split = 0});
        EXPECT_TRUE(renderer().dump(view.name)) << view.name;
        std::set<Color> colors;
        for (int y = 0; y < kHeight; y += 3)
            for (int x = 4; x < 3 * kWidth / 4; x += 3) colors.insert(at(image, x, y));
        EXPECT_GT(colors.size(), 8u) << view.name << " is even";
        seen.insert(image);
    }
    EXPECT_EQ(seen.size(), bufferViews().size());
    // an image without liquid shows an empty view, without errors
    draw(empty(), {.buffer = "thickness"});
}

}  // namespace
}  // namespace coalesce::test
