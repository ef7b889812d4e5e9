// View setup: camera and light view, bounds of shadow casters, ground.
#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>

#include "render/renderer/renderer_state.h"

namespace coalesce {

glm::vec3 sunDirection(float azimuth, float elevation) {
    const float a = glm::radians(azimuth), e = glm::radians(elevation);
    return {std::sin(a) * std::cos(e), std::sin(e), -std::cos(a) * std::cos(e)};
}

glm::vec3 sunOf(Background background) {
    switch (background) {
        case Background::Sunset:
            return sunDirection(-35, 11);
        case Background::Overcast:
            return sunDirection(20, 75);
        case Background::Night:
            return sunDirection(40, 38);
        case Background::Studio:
        case Background::Sky:
        case Background::Plain:
            break;
    }
    return glm::normalize(DrawOptions().sunDirection);
}

std::optional<Ray> clipped(Ray ray, const ClipPlane& plane) {
    const float beyond = glm::dot(plane.normal, ray.origin) - plane.distance,
                along = glm::dot(plane.normal, ray.direction);
    if (plane.normal == glm::vec3(0) || beyond <= 0) return ray;
    if (along >= 0) return std::nullopt;
    ray.origin -= beyond / along * ray.direction;
    return ray;
}

// World-space bounding box of a shape [m]; planes have none.
std::pair<glm::vec3, glm::vec3> Renderer::State::boundsOf(const DrawShape& shape) {
    glm::vec3 upper(0), lower(0);  // in the shape's frame
    switch (shape.kind) {
        case DrawShape::Kind::Plane:
            break;
        case DrawShape::Kind::Box:
            upper = vec(shape.halfExtents);
            lower = -upper;
            break;
        case DrawShape::Kind::Sphere:
            upper = glm::vec3(shape.radius);
            lower = -upper;
            break;
        case DrawShape::Kind::Capsule:
            upper = glm::vec3(shape.radius) + glm::vec3(0, shape.halfLength, 0);
            lower = -upper;
            break;
        case DrawShape::Kind::Mesh: {
            const GpuMesh& mesh = meshStore.find(shape.mesh);
            const glm::vec3 scale = vec(shape.scale);
            lower = glm::min(scale * mesh.lower, scale * mesh.upper);
            upper = glm::max(scale * mesh.lower, scale * mesh.upper);
            break;
        }
    }
    const glm::mat3 turn = glm::mat3_cast(rotationOf(shape));
    const glm::vec3 middle = vec(shape.position) + turn * ((lower + upper) / 2.0f);
    const glm::vec3 half = (upper - lower) / 2.0f;
    const glm::vec3 reach =
        glm::abs(turn[0]) * half.x + glm::abs(turn[1]) * half.y + glm::abs(turn[2]) * half.z;
    return {middle - reach, middle + reach};
}

// Bounds of shadow casters: moving matter and nearby solids.
std::pair<glm::vec3, glm::vec3> Renderer::State::casterBounds() {
    glm::vec3 lower = vec(frame->boundsMin), upper = vec(frame->boundsMax);
    const auto finite = [](glm::vec3 v) { return std::isfinite(v.x + v.y + v.z); };
    if (!finite(lower) || !finite(upper) || glm::any(glm::greaterThan(lower, upper))) {
        lower = {-1, 0, -1};
        upper = {1, 1, 1};
    }
    const float moving = glm::length(upper - lower) + 0.1f;
    const glm::vec3 middle = (lower + upper) / 2.0f;
    std::pair<glm::vec3, glm::vec3> casters{lower, upper};
    for (const DrawShape& shape : frame->shapes) {
        if (!options.shapes || !shape.visible || shape.container || shape.kind == DrawShape::Kind::Plane)
            continue;
        const auto [low, high] = boundsOf(shape);
        if (glm::length(high - low) > 4 * moving || glm::length((low + high) / 2.0f - middle) > 3 * moving)
            continue;
        casters.first = glm::min(casters.first, low);
        casters.second = glm::max(casters.second, high);
    }
    float margin = 0;
    for (const DrawMaterial& m : frame->materials) margin = std::max(margin, m.spacing);
    return {casters.first - margin, casters.second + margin};
}

// First and last + 1 pixel of a box [m] in the image.
std::pair<glm::ivec2, glm::ivec2> Renderer::State::shownExtent(glm::vec3 lower, glm::vec3 upper) const {
    const glm::ivec2 size(targets->width, targets->height);
    const glm::vec3 corner[2] = {lower, upper};
    glm::vec2 low(1), high(-1);  // NDC
    for (int k = 0; k < 8; ++k) {
        const glm::vec4 clip =
            camera.viewProjection * glm::vec4(corner[k & 1].x, corner[k >> 1 & 1].y, corner[k >> 2].z, 1);
        if (!(clip.w > camera.clip.x)) return {glm::ivec2(0), size};  // reaches behind the eye
        low = glm::min(low, glm::vec2(clip) / clip.w);
        high = glm::max(high, glm::vec2(clip) / clip.w);
    }
    const auto pixel = [&](glm::vec2 ndc, float off) {
        return glm::clamp(glm::ivec2(glm::clamp((0.5f * ndc + 0.5f) * glm::vec2(size) + off, -1e6f, 1e6f)),
                          glm::ivec2(0), size);
    };
    const glm::ivec2 first = pixel(low, -2), last = pixel(high, 3);
    return {first, glm::max(first, last)};
}

bool Renderer::State::hasGround() const {
    if (options.ground != Ground::Auto) return options.ground != Ground::None;
    return options.background != Background::Sky && options.background != Background::Plain;
}

// The highest level plane; without one, the bottom of the lowest container.
std::optional<float> Renderer::State::floorHeight() {
    if (!hasGround()) return std::nullopt;
    std::optional<float> height;
    for (const DrawShape& shape : frame->shapes) {
        if (shape.kind != DrawShape::Kind::Plane || !shape.visible) continue;
        if ((rotationOf(shape) * glm::vec3(0, 1, 0)).y < 0.999f) continue;
        height = std::max(height.value_or(shape.position[1]), shape.position[1]);
    }
    if (height) return height;
    for (const DrawShape& shape : frame->shapes) {
        if (!shape.container || shape.kind == DrawShape::Kind::Plane) continue;
        const float lowest = boundsOf(shape).first.y;
        height = std::min(height.value_or(lowest), lowest);
    }
    return height;
}

// Uploads the environment map where it has changed.
void Renderer::State::prepareEnvironment() {
    const EnvironmentMap* map = options.environment.get();
    if (map && options.environment != shownEnvironment) {
        const EnvironmentMap::Level& whole = map->levels.front();
        environment = gl::Texture(GL_RGBA16F, whole.width, whole.height, GL_LINEAR, int(map->levels.size()));
        glTextureParameteri(environment.id(), GL_TEXTURE_WRAP_S, GL_REPEAT);
        for (size_t k = 0; k < map->levels.size(); ++k)
            glTextureSubImage2D(environment.id(), GLint(k), 0, 0, map->levels[k].width, map->levels[k].height,
                                GL_RGB, GL_FLOAT, map->levels[k].light.data());
        shownEnvironment = options.environment;
    }
    if (map) environment.bind(16);
}

// The ground replaces the lower half of the map, with the light that it gets from the upper one.
void Renderer::State::setEnvironment(ViewBlock& block, bool hasFloor) const {
    block.lampLight = glm::vec4(0);
    block.surround = {0, 0, sceneDistance, lookDistance - sceneDistance};
    const EnvironmentMap* map = options.environment.get();
    if (!map) return;
    block.lampLight = glm::vec4(map->sunLight, float(map->levels.size()));
    block.surround.x = float(map->levels.front().height), block.surround.y = map->background ? 1 : 0;
    const Harmonics below = hasFloor ? evenBelow(kGroundAlbedo * lightOn(map->above, {0, 1, 0})) : map->below;
    for (size_t k = 0; k < below.size(); ++k) block.harmonics[k] = glm::vec4(map->above[k] + below[k], 0);
}

void Renderer::State::prepareViews(const Camera& from) {
    const glm::vec2 size(targets->width, targets->height);
    lookDistance = std::max(glm::distance(from.eye, from.look), 1e-3f);
    sceneDistance = from.orthographicHeight > 0
                        ? from.orthographicHeight / (2 * std::tan(glm::radians(from.fov) / 2))
                        : lookDistance;
    const glm::vec3 sun =
        glm::length(options.sunDirection) > 1e-6f ? glm::normalize(options.sunDirection) : glm::vec3(0, 1, 0);
    // the light view covers a sphere around all casters; its radius changes in steps and its center in whole
    // texels, so that shadow edges do not flicker while the liquid moves
    const auto [lower, upper] = casterBounds();
    const float exact = glm::length(upper - lower) / 2;
    const float radius = std::exp2(std::ceil(std::log2(std::max(exact, 1e-3f)) * 4) / 4);
    const float texel = 2 * radius / kShadowSize;
    const glm::vec3 up = std::abs(sun.y) < 0.99f ? glm::vec3(0, 1, 0) : glm::vec3(0, 0, 1);
    const glm::mat4 turn = glm::lookAt(glm::vec3(0), -sun, up);
    glm::vec3 center = glm::vec3(turn * glm::vec4((lower + upper) / 2.0f, 1));
    center = texel * glm::floor(center / texel);
    const glm::mat4 lightView = glm::translate(glm::mat4(1), -center - glm::vec3(0, 0, radius)) * turn;
    const glm::mat4 lightProjection = glm::ortho(-radius, radius, -radius, radius, 0.0f, 2 * radius);

    const auto fill = [&](ViewBlock& block, const glm::mat4& view, const glm::mat4& projection,
                          glm::vec2 extent, float near, float far) {
        block.view = view;
        block.projection = projection;
        block.viewInverse = glm::inverse(view);
        block.projectionInverse = glm::inverse(projection);
        block.viewProjection = projection * view;
        block.light = lightProjection * lightView;
        block.size = glm::vec4(extent, 1.0f / extent);
        block.clip = {near, far, projection[1][1], projection[0][0]};
        block.eye = glm::vec4(glm::vec3(block.viewInverse[3]), options.sample.count > 1 ? 0 : kSunSlope);
        block.sun = glm::vec4(sun, options.shadows ? 1 : 0);
        const bool glass = options.shadows && !(glasses.empty() && glassMeshes.empty());
        block.lightRange = {2 * radius, radius, texel,
                            (glass ? 1.0f : 0.0f) + (hasSmoke() && options.shadows ? 2.0f : 0.0f) +
                                (hasCaustics() ? 4.0f : 0.0f)};
        block.clipPlane = options.clipPlane.normal == glm::vec3(0)
                              ? glm::vec4(0, 0, 0, 1)
                              : glm::vec4(options.clipPlane.normal, options.clipPlane.distance);
        const auto floor = floorHeight();
        setEnvironment(block, floor.has_value());
        block.ground = {floor.value_or(0), floor ? 1 : 0, float(options.background),
                        options.ground == Ground::Checker ? 0.0f
                        : options.ground == Ground::Grid  ? 2.0f
                                                          : 1.0f};
    };
    prepareEnvironment();
    fill(camera, viewMatrix(from), projectionMatrix(from, size.x / size.y), size, from.near, from.far);
    fill(light, lightView, lightProjection, glm::vec2(kShadowSize), 0, 2 * radius);
    cameraBlock.upload(&camera, sizeof camera);
    lightBlock.upload(&light, sizeof light);
}

}  // namespace coalesce
