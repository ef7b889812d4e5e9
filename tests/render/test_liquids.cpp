// Liquid appearance: turbidity, dyes, roughness, index; several liquids in one image, and their shadows.
#include <algorithm>
#include <cmath>

#include "fixture.h"

namespace coalesce::test {
namespace {

constexpr int kWidth = 320, kHeight = 180;

class Liquids : public Drawing {
protected:
    static Camera sideCamera() {
        Camera camera;
        camera.eye = {0.4f, 0.7f, 2.6f};
        camera.look = {0, 0.3f, 0};
        return camera;
    }
    static Camera topCamera() {
        Camera camera;
        camera.eye = {0.01f, 3, 0};
        camera.look = {0, 0, 0};
        return camera;
    }
    DumpedImage draw(const RenderFrame& frame, const Camera& camera, const DrawOptions& options = {}) {
        const DumpedImage image = dumpAfter(frame, buffers, camera, options, kWidth, kHeight, "sceneColor");
        for (const float value : image.pixels) EXPECT_TRUE(std::isfinite(value));
        return image;
    }
    static glm::vec3 colorAt(const DumpedImage& image, const Camera& camera, glm::vec3 point) {
        const glm::vec3 at = project(camera, point, image.width, image.height);
        const float* c = image.at(int(at.x), image.height - 1 - int(at.y));
        return {c[0], c[1], c[2]};
    }
    // A slab on the ground, seen from above.
    RenderFrame slab(double depth, double d = 0.03) {
        Particles p;
        fillBox(p, {-0.45, 0, -0.45}, {0.45, depth, 0.45}, d);
        RenderFrame frame = publish(p, buffers, d, false);
        frame.shapes.push_back(plane());
        return frame;
    }
    // Relative difference between a light and a dark ground square (0.25 m wide) under the slab.
    static float contrast(const DumpedImage& image) {
        const float a = colorAt(image, topCamera(), {0.12f, 0, 0.12f}).g;
        const float b = colorAt(image, topCamera(), {-0.12f, 0, 0.12f}).g;
        return std::abs(a - b) / (a + b);
    }
    static double psnr(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b) {
        double sum = 0;
        for (size_t k = 0; k < a.size(); ++k) sum += (1.0 * a[k] - b[k]) * (1.0 * a[k] - b[k]);
        return 10 * std::log10(255.0 * 255 * double(a.size()) / std::max(sum, 1e-9));
    }

    GlBuffers buffers;
};

TEST_F(Liquids, TurbidityHidesTheGroundAndMilkIsWhite) {
    RenderFrame frame = slab(0.12);
    DrawMaterial& m = frame.materials[0];
    m.absorption = {0.5f, 0.5f, 0.5f};
    m.scatter = {0.91f, 0.88f, 0.76f};
    const auto with = [&](float turbidity) {
        m.turbidity = turbidity;
        return draw(frame, topCamera(), {.ground = Ground::Checker});
    };
    const DumpedImage clear = with(0), hazy = with(8), milk = with(5800);
    EXPECT_GT(contrast(clear), 0.1f);
    EXPECT_LT(contrast(hazy), 0.8f * contrast(clear));
    EXPECT_GT(contrast(hazy), 2 * contrast(milk));
    EXPECT_LT(contrast(milk), 0.02f);
    // lit from above it has its scatter color, as bright as a diffuse surface of that color
    const glm::vec3 white = colorAt(milk, topCamera(), {0.12f, 0, 0.12f});
    EXPECT_NEAR(white.b / white.r, 0.76 / 0.91, 0.08);
    EXPECT_GT(white.g, 0.5f);
}

// The edges of the ground's squares are seen where Snell's law puts them, under a film of two layers as under
// a deeper slab: the shift grows with the thickness.
TEST_F(Liquids, RefractionGrowsWithThickness) {
    Camera camera;
    camera.eye = {0.12f, 1.2f, 1.2f};
    camera.look = {0.12f, 0, 0};
    for (const double depth : {0.06, 0.15}) {
        RenderFrame frame = slab(depth);
        frame.materials[0].absorption = frame.materials[0].scatter = {0, 0, 0};
        const DumpedImage image = draw(frame, camera, {.ground = Ground::Checker, .shadows = false});
        int edges = 0;
        float before = 0;
        double line = 0;
        for (double z = -0.33; z < 0.36; z += 0.002) {  // [m] on the surface
            const glm::dvec3 p(0.12, depth, z), in = glm::normalize(p - glm::dvec3(camera.eye));
            const glm::dvec3 bent = glm::refract(in, glm::dvec3(0, 1, 0), 1 / 1.333);
            const double seen = z - bent.z / bent.y * depth;  // [m] on the ground
            const float there = colorAt(image, camera, glm::vec3(p)).g,
                        next = colorAt(image, camera, glm::vec3(p) + glm::vec3(0, 0, 0.02f)).g;
            // an edge is where the color changes most within 2 cm
            const float change = std::abs(next - there);
            if (change > 0.03f && change > before) line = seen + 0.01;
            if (before > 0.03f && change < 0.01f) {
                ++edges;
                EXPECT_NEAR(line, 0.25 * std::round(line / 0.25), 0.12 * depth + 0.006) << depth;
            }
            before = change < 0.01f ? 0 : std::max(before, change);
        }
        EXPECT_GE(edges, 2) << depth;
    }
}

// Two-flux model: a purely scattering layer transmits 1 / (1 + 3/4 σ's x) in total.
TEST_F(Liquids, ThinTurbidLayersFollowTheTwoFluxModel) {
    RenderFrame frame = slab(0.12);
    DrawMaterial& m = frame.materials[0];
    m.absorption = m.scatter = {0, 0, 0};
    m.refractiveIndex = 1;  // no reflection
    DrawOptions options;
    options.shadows = false;
    const auto mean = [&](float turbidity) {
        m.turbidity = turbidity;
        const DumpedImage image = draw(frame, topCamera(), options);
        double sum = 0;  // over 2 x 2 squares, because blur redistributes light
        for (int i = 0; i < 40; ++i) {
            for (int k = 0; k < 40; ++k) {
                sum += colorAt(image, topCamera(),
                               {-0.25f + 0.0125f * float(i), 0.12f, -0.25f + 0.0125f * float(k)})
                           .g;
            }
        }
        return sum / 1600;
    };
    const double clear = mean(0);
    for (const float turbidity : {4.0f, 20.0f})
        EXPECT_NEAR(mean(turbidity) / clear, 1 / (1 + 0.75 * turbidity * 0.12), 0.04) << turbidity;
}

TEST_F(Liquids, WithTheIndexOfAirThereIsNoRefractionOrReflection) {
    RenderFrame frame = slab(0.3);
    DrawMaterial& m = frame.materials[0];
    m.absorption = m.scatter = {0, 0, 0};
    DrawOptions options{.ground = Ground::Checker, .shadows = false};
    m.refractiveIndex = 1;
    draw(frame, sideCamera(), options);
    const std::vector<uint8_t> air = pixels;
    m.refractiveIndex = 1.333f;
    draw(frame, sideCamera(), options);
    const std::vector<uint8_t> water = pixels;
    frame.particles = 0;
    draw(frame, sideCamera(), options);
    EXPECT_GT(psnr(air, pixels), 45);
    EXPECT_LT(psnr(water, pixels), 42);
}

TEST_F(Liquids, RoughSurfacesSpreadTheSunImage) {
    RenderFrame frame = slab(0.12);
    const auto brightest = [&](float roughness) {
        frame.materials[0].roughness = roughness;
        DrawOptions options;
        options.sunDirection = {0, 1, 0};
        const DumpedImage image = draw(frame, topCamera(), options);
        float most = 0;
        for (int k = -20; k <= 20; ++k)
            most = std::max(most, colorAt(image, topCamera(), {0.005f * float(k), 0.12f, 0}).r);
        return most;
    };
    const float mirror = brightest(0), satin = brightest(0.3f);
    EXPECT_GT(mirror, satin + 0.1f);
}

// Half of the slab is dyed: its color follows Beer's law with the dye color, and so does its shadow.
TEST_F(Liquids, DyesTintLiquidAndShadow) {
    RenderFrame frame = slab(0.12);
    std::vector<float> dye;
    Particles p;
    fillBox(p, {-0.45, 0, -0.45}, {0.45, 0.12, 0.45}, 0.03);
    for (const glm::vec4& x : p.position) dye.push_back(x.x > 0 ? 1.0f : 0.0f);
    buffers.upload(Slot::Dye, dye.data(), dye.size() * sizeof(float));
    frame.dyeColors = {{1, 1, 1}, {0.9f, 0.2f, 0.1f}};
    DrawMaterial& m = frame.materials[0];
    m.absorption = m.scatter = {0, 0, 0};
    m.refractiveIndex = 1;
    DrawOptions options;
    options.shadows = false;
    const auto ratio = [&](float x) {
        const glm::vec3 at{x, 0.06f, 0.12f};
        m.dye = 0;
        const glm::vec3 plain = colorAt(draw(frame, topCamera(), options), topCamera(), at);
        m.dye = 1 / 0.12f;  // enough for the full dye color
        return colorAt(draw(frame, topCamera(), options), topCamera(), at) / plain;
    };
    const glm::vec3 red = ratio(0.25f), plain = ratio(-0.25f);
    EXPECT_NEAR(red.r, 0.9f, 0.06f);
    EXPECT_NEAR(red.g, 0.2f, 0.06f);
    EXPECT_NEAR(red.b, 0.1f, 0.06f);
    EXPECT_NEAR(plain.g, 1, 0.02f);
    // sunlight through it, on the ground below
    options.shadows = true;
    options.sunDirection = {0, 1, 0};
    frame.shapes[0] = plane(-0.4f);
    const glm::vec3 lit = colorAt(draw(frame, sideCamera(), options), sideCamera(), {0.25f, -0.4f, 0.05f});
    EXPECT_GT(lit.r, 1.5f * lit.g);
}

// Twelve columns with different colors: more than the limit of separate surfaces.
TEST_F(Liquids, ManyLiquidsKeepTheirColors) {
    for (const int number : {5, 8, 12}) {
        const double d = 0.03, width = 1.2 / number;
        Particles p;
        for (int k = 0; k < number; ++k)
            fillBox(p, {-0.6 + k * width, 0, -0.1}, {-0.6 + (k + 0.8) * width, 0.4, 0.1}, d, uint32_t(k));
        RenderFrame frame = publish(p, buffers, d, false);
        const DrawMaterial water = frame.materials[0];
        frame.materials.clear();
        for (int k = 0; k < number; ++k) {
            DrawMaterial m = water;
            m.absorption = {k % 3 == 0 ? 0.2f : 40.0f, k % 3 == 1 ? 0.2f : 40.0f, k % 3 == 2 ? 0.2f : 40.0f};
            m.scatter = {0, 0, 0};
            m.scatter[size_t(k % 3)] = 0.2f + 0.01f * float(k);
            frame.materials.push_back(m);
        }
        frame.shapes.push_back(plane());
        const DumpedImage image = draw(frame, sideCamera());
        for (int k = 0; k < number; ++k) {
            const double x = -0.6 + (k + 0.4) * width;
            const glm::vec3 c = colorAt(image, sideCamera(), {x, 0.25f, 0.1f});
            const int main = k % 3;
            EXPECT_GT(c[main], 1.5f * c[(main + 1) % 3]) << k << " of " << number;
            EXPECT_GT(c[main], 1.5f * c[(main + 2) % 3]) << k << " of " << number;
        }
    }
}

// A clear red liquid in front of and behind a white one: the result depends on their depth order, not on
// absorption or list order.
TEST_F(Liquids, AreCompositedInDepthOrder) {
    for (const uint32_t red : {0u, 1u}) {
        const uint32_t white = 1 - red;
        Particles p;
        const double d = 0.03;
        fillBox(p, {-0.6, 0, 0.2}, {-0.1, 0.4, 0.29}, d, red);  // left: red before white
        fillBox(p, {-0.6, 0, -0.2}, {-0.1, 0.4, 0.0}, d, white);
        fillBox(p, {0.1, 0, 0.2}, {0.6, 0.4, 0.29}, d, white);  // right: white before red
        fillBox(p, {0.1, 0, -0.2}, {0.6, 0.4, 0.0}, d, red);
        RenderFrame frame = publish(p, buffers, d, false);
        frame.materials.push_back(frame.materials[0]);
        frame.materials[red].absorption = {0.5f, 15, 15};
        frame.materials[red].scatter = {0, 0, 0};
        frame.materials[white].absorption = {0, 0, 0};
        frame.materials[white].scatter = {0.8f, 0.8f, 0.8f};
        frame.materials[white].turbidity = 3000;
        frame.shapes.push_back(plane());
        DrawOptions options;
        options.shadows = false;  // the front one would tint the light of the other
        options.sunDirection = {0.3f, 0.6f, 1};
        const DumpedImage image = draw(frame, sideCamera(), options);
        const glm::vec3 left = colorAt(image, sideCamera(), {-0.35f, 0.2f, 0.29f});
        const glm::vec3 right = colorAt(image, sideCamera(), {0.35f, 0.2f, 0.29f});
        EXPECT_GT(left.r, 2 * left.g) << red;  // the red one is visible
        EXPECT_GT(left.r, 0.2f) << red;        // and the white one lights it from behind
        EXPECT_NEAR(right.g / right.r, 1, 0.15) << red;
    }
}

// A liquid with two randomly mixed materials that look alike but are distinct to the renderer looks like one
// liquid: no seams, no inner reflections, nothing counted twice.
TEST_F(Liquids, MixedLiquidsOfEqualAppearanceLookLikeOne) {
    Particles p;
    const double d = fillPool(p, 8000);
    computeEllipsoids(p, d);
    RenderFrame frame = publish(p, buffers, d, true);
    frame.shapes.push_back(plane());
    draw(frame, sideCamera());
    const std::vector<uint8_t> one = pixels;
    for (size_t k = 0; k < p.size(); ++k) p.phase[k] = k * 2654435761u >> 16 & 1;
    buffers.upload(Slot::Phase, p.phase.data(), p.phase.size() * sizeof(uint32_t));
    frame.materials.push_back(frame.materials[0]);
    draw(frame, sideCamera());
    EXPECT_EQ(one, pixels);  // equal appearance shares a surface
    frame.materials[1].scatter[2] += 1e-5f;
    draw(frame, sideCamera());
    EXPECT_GT(psnr(one, pixels), 33);
    frame.materials[1].scatter = {0.5f, 0.05f, 0.01f};
    draw(frame, sideCamera());
    EXPECT_LT(psnr(one, pixels), 30);  // and the measure detects 1 %
}

// Where a solid shadows the water, it is darker and does not mirror the sun.
TEST_F(Liquids, SolidsCastShadowsOnLiquids) {
    RenderFrame frame = slab(0.12);
    frame.materials[0].absorption = {60, 60, 60};
    frame.materials[0].scatter = {0.3f, 0.3f, 0.3f};
    DrawOptions options;
    options.sunDirection = {0.6f, 1, 0};
    const glm::vec3 at{-0.2f, 0.12f, 0.1f};
    for (const float turbidity : {0.0f, 500.0f}) {
        frame.materials[0].turbidity = turbidity;
        frame.shapes.resize(1);
        const glm::vec3 open = colorAt(draw(frame, topCamera(), options), topCamera(), at);
        // beside the line of sight
        frame.shapes.push_back(box({-0.2f + 0.6f * 0.5f, 0.62f, 0.1f}, {0.1f, 0.02f, 0.1f}));
        const DumpedImage shaded = draw(frame, topCamera(), options);
        EXPECT_LT(colorAt(shaded, topCamera(), at).g, 0.8f * open.g) << turbidity;
    }
}

}  // namespace
}  // namespace coalesce::test
