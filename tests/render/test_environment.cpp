// Environment maps: geometry, light on diffuse surfaces against sums over the map, blurred levels, lamps, and
// what the renderer makes of them.
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <glm/gtc/type_ptr.hpp>

#include "fixture.h"

namespace coalesce::test {
namespace {

const float pi = glm::pi<float>();
constexpr int kMapHeight = 64;

template <class Light>
EnvironmentMap mapOf(const Light& light, int height = kMapHeight) {
    std::vector<glm::vec3> pixels;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < 2 * height; ++x)
            pixels.push_back(light(
                directionOf({(float(x) + 0.5f) / float(2 * height), (float(y) + 0.5f) / float(height)})));
    return environmentOf(2 * height, height, std::move(pixels));
}

// ∫ L cos θ dω / π by plain summation over the map.
glm::dvec3 summedLight(const EnvironmentMap& map, glm::vec3 n) {
    const EnvironmentMap::Level& level = map.levels.front();
    glm::dvec3 sum{0};
    for (int y = 0; y < level.height; ++y)
        for (int x = 0; x < level.width; ++x) {
            const glm::vec3 d = directionOf(
                {(float(x) + 0.5f) / float(level.width), (float(y) + 0.5f) / float(level.height)});
            const double angle = std::sin(double(pi) * (y + 0.5) / level.height) * double(pi) * double(pi) *
                                 2 / (double(level.width) * level.height);
            sum += glm::dvec3(level.light[size_t(y) * size_t(level.width) + size_t(x)]) *
                   double(std::max(glm::dot(d, n), 0.0f)) * angle / double(pi);
        }
    return sum;
}

TEST(Environment, PlacesAndDirectionsAgree) {
    EXPECT_LT(glm::distance(directionOf({0.25f, 0.5f}), {1, 0, 0}), 1e-6f) << "azimuth 90 is +x, as of --sun";
    EXPECT_LT(glm::distance(directionOf({0, 0.5f}), {0, 0, -1}), 1e-6f);
    EXPECT_LT(glm::distance(directionOf({0.7f, 0}), {0, 1, 0}), 1e-6f);
    for (const glm::vec2 place : {glm::vec2(0.1f, 0.2f), {0.4f, 0.9f}, {0.6f, 0.4f}, {0.99f, 0.6f}})
        EXPECT_LT(glm::distance(placeOf(directionOf(place)), place), 1e-5f);
}

TEST(Environment, HarmonicsGiveTheLightOnASurface) {
    const EnvironmentMap map = mapOf([](glm::vec3 d) {
        return glm::vec3(0.5f + 0.4f * d.y, 0.3f + 0.2f * d.x * d.x, 0.4f + 0.3f * d.z * d.y);
    });
    EXPECT_EQ(map.sunLight, glm::vec3(0)) << "no lamp";
    for (const glm::vec3 n :
         {glm::vec3(0, 1, 0), {1, 0, 0}, {0, -1, 0}, glm::normalize(glm::vec3(1, 2, -2))}) {
        glm::vec3 light = lightOn(map.above, n) + lightOn(map.below, n);
        EXPECT_LT(glm::distance(glm::dvec3(light), summedLight(map, n)), 0.004)
            << "of light up to the second order";
    }
    // a hemisphere of light 1: all of it from below, half from the side,
    // nothing from above. The second order is 1/16 off
    const Harmonics below = evenBelow(glm::vec3(1));
    EXPECT_NEAR(lightOn(below, {0, -1, 0}).x, 1, 0.07);
    EXPECT_NEAR(lightOn(below, {1, 0, 0}).x, 0.5, 1e-4);
    EXPECT_NEAR(lightOn(below, {0, 1, 0}).x, 0, 0.07);
}

TEST(Environment, TheStrongestLampIsTakenOut) {
    const glm::vec3 towards = glm::normalize(glm::vec3(0.5f, 0.7f, -0.3f));
    const float radius = 0.06f, bright = 400;
    const EnvironmentMap map = mapOf(
        [&](glm::vec3 d) { return glm::vec3(glm::dot(d, towards) > std::cos(radius) ? bright : 0.2f); }, 512);
    EXPECT_GT(glm::dot(map.sunDirection, towards), 0.99995f);
    // L π radius² / π, less what stays in the map: 20 times the mean
    const float mean = 0.2f + bright * radius * radius / 4, expected = (bright - 20 * mean) * radius * radius;
    EXPECT_NEAR(map.sunLight.x, expected, 0.03 * expected);
    const glm::vec3 n(0, 1, 0);
    const double whole = summedLight(map, n).x;
    const float found =
        lightOn(map.above, n).x + lightOn(map.below, n).x + map.sunLight.x * glm::dot(n, map.sunDirection);
    EXPECT_NEAR(found, whole, 0.03 * whole) << "nothing is lost";
}

TEST(Environment, LevelsAreBlurredByTheirTexels) {
    // a step at the horizon becomes an error function of the angle; a
    // line of light along a meridian keeps its light
    const EnvironmentMap map = mapOf([](glm::vec3 d) { return glm::vec3(d.y > 0 ? 1.0f : 0.0f, 1.0f, d.x); });
    ASSERT_EQ(map.levels.size(), 5u);  // 64, 32, 16, 8, 4
    for (size_t k = 1; k < map.levels.size(); ++k) {
        const EnvironmentMap::Level& level = map.levels[k];
        EXPECT_EQ(level.height, kMapHeight >> k);
        const float sigma = pi / float(level.height);
        for (int y = 0; y < level.height; ++y) {
            const glm::vec3 at = level.light[size_t(y) * size_t(level.width) + size_t(level.width) / 4];
            const float elevation = pi / 2 - pi * (float(y) + 0.5f) / float(level.height);
            EXPECT_NEAR(at.y, 1, 1e-4) << "an even light stays even";
            if (level.height < 16 || std::abs(elevation) > 1) continue;
            EXPECT_NEAR(at.x, 0.5f * (1 + std::erf(elevation / (sigma * std::sqrt(2.0f)))), 0.04f)
                << k << " " << y;
        }
    }
}

TEST(Environment, AnySizeIsBroughtToOneThatCanBeHalved) {
    const EnvironmentMap map =
        environmentOf(300, 150, std::vector<glm::vec3>(size_t{300} * 150, glm::vec3(0.3f)));
    EXPECT_EQ(map.levels.front().width, 256);
    EXPECT_EQ(map.levels.back().height, 4);
    for (const EnvironmentMap::Level& level : map.levels)
        for (const glm::vec3& at : level.light) EXPECT_NEAR(at.x, 0.3f, 1e-4f);
}

TEST(Environment, StudiosHaveAKeyLightFromAbove) {
    EXPECT_GE(studios().size(), 3u);
    EXPECT_FALSE(studioMap("none"));
    for (const StudioInfo& info : studios()) {
        const EnvironmentMap map = *studioMap(info.name);
        EXPECT_EQ(map.name, info.name);
        EXPECT_FALSE(map.background);
        EXPECT_GT(map.sunDirection.y, 0.2f) << info.name;
        // as bright as the other backgrounds: within a factor of two
        // of the studio's sun, and less from all around
        EXPECT_GT(map.sunLight.y, 0.5f) << info.name;
        EXPECT_LT(map.sunLight.y, 2.0f) << info.name;
        EXPECT_LT(lightOn(map.above, {0, 1, 0}).y, map.sunLight.y) << info.name;
    }
}

class Environments : public Drawing {
protected:
    // Mean of the middle of an image, in linear light without tone curve.
    glm::vec3 lightSeen(const RenderFrame& frame, const Camera& camera, const DrawOptions& options) {
        RenderTarget target(64, 64, kLightBits);
        renderer().draw(frame, buffers, camera, options, target.output());
        std::vector<float> pixels(size_t{64} * 64 * 4);
        glGetTextureImage(target.color().id(), 0, GL_RGBA, GL_FLOAT, GLsizei(pixels.size() * sizeof(float)),
                          pixels.data());
        glm::vec3 sum{0};
        for (int y = 28; y < 36; ++y)
            for (int x = 28; x < 36; ++x) sum += glm::make_vec3(&pixels[size_t(4 * (64 * y + x))]);
        return sum / 64.0f;
    }

    GlBuffers buffers;
};

TEST_F(Environments, TheMapIsSeenBehindTheScene) {
    const auto colors = [](glm::vec3 d) { return 0.5f + 0.4f * d; };
    DrawOptions options{.background = Background::Sky, .exposure = 1};
    options.environment = std::make_shared<const EnvironmentMap>(mapOf(colors));
    RenderFrame frame;
    for (const glm::vec3 look : {glm::vec3(1, 0.2f, 0), {0, 0.3f, -1}, {-1, -0.4f, 0.5f}, {0.01f, 0, 1}}) {
        const Camera camera{.eye = {0, 0, 0}, .look = look, .fov = 10};
        EXPECT_LT(glm::distance(lightSeen(frame, camera, options), colors(glm::normalize(look))), 0.03f)
            << look.x << " " << look.y << " " << look.z;
    }
}

TEST_F(Environments, LightsDiffuseSurfacesByTheMap) {
    DrawOptions options{.background = Background::Sky, .ground = Ground::None, .exposure = 1};
    options.occlusion = options.shadows = false;
    options.environment = std::make_shared<const EnvironmentMap>(
        mapOf([](glm::vec3 d) { return glm::vec3(0.6f + 0.3f * d.x, 0.6f, 0.6f); }));
    RenderFrame frame;
    DrawShape box;
    box.kind = DrawShape::Kind::Box;
    box.color = {0.5f, 0.5f, 0.5f};
    frame.shapes = {box};
    // light (0.6 ± 0.3 · 2/3) on the sides; with the reflection of a
    // polished surface: 0.03 of the light that it faces
    const glm::vec3 right = lightSeen(frame, {.eye = {3, 0, 0}, .look = {0, 0, 0}, .fov = 5}, options);
    const glm::vec3 left = lightSeen(frame, {.eye = {-3, 0, 0}, .look = {0, 0, 0}, .fov = 5}, options);
    EXPECT_NEAR(right.x, 0.97f * 0.5f * 0.8f + 0.03f * 0.9f, 0.01f);
    EXPECT_NEAR(left.x, 0.97f * 0.5f * 0.4f + 0.03f * 0.3f, 0.01f);
    EXPECT_NEAR(right.y, 0.97f * 0.5f * 0.6f + 0.03f * 0.6f, 0.01f);
}

TEST_F(Environments, AnotherMapReplacesTheFirst) {
    DrawOptions options{.background = Background::Sky, .exposure = 1};
    const RenderFrame frame;
    const Camera camera{.eye = {0, 0, 0}, .look = {0, 0.3f, -1}, .fov = 10};
    const glm::vec3 sky = lightSeen(frame, camera, options);
    for (const float light : {0.2f, 0.7f}) {
        options.environment =
            std::make_shared<const EnvironmentMap>(mapOf([&](glm::vec3) { return glm::vec3(light); }));
        EXPECT_NEAR(lightSeen(frame, camera, options).y, light, 0.01f);
    }
    options.environment = std::make_shared<const EnvironmentMap>(*studioMap("strips"));
    EXPECT_LT(glm::distance(lightSeen(frame, camera, options), sky), 1e-4f) << "studios are not seen";
    options.environment.reset();
    EXPECT_LT(glm::distance(lightSeen(frame, camera, options), sky), 1e-4f);
}

}  // namespace
}  // namespace coalesce::test
