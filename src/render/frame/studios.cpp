// Studios: walls and rectangular lamps around the scene.
#include <algorithm>
#include <array>
#include <cmath>
#include <glm/gtc/constants.hpp>

#include "render/frame/environment_map.h"

namespace coalesce {

namespace {

constexpr int kHeight = 256;  // [texels]

// A rectangle that faces the scene, at unit distance.
struct Lamp {
    float azimuth, elevation;  // [deg] of its middle
    float turn;                // [deg] around its axis
    float width, height;       // [-] of the rectangle / its distance
    glm::vec3 light;           // linear RGB
    float edge;                // [-] of its soft edge
};

struct Studio {
    StudioInfo info;
    glm::vec3 floor, horizon, ceiling;  // of the walls: below, level, above
    size_t keys;                        // of the lamps, that cast shadows; the first ones
    std::vector<Lamp> lamps;
};

constexpr glm::vec3 kWarm{1.0f, 0.93f, 0.84f}, kNeutral{1, 1, 1}, kCool{0.82f, 0.91f, 1.0f};

const std::array<Studio, 3>& all() {
    static const std::array<Studio, 3> kStudios{{
        {{"softboxes", "Soft boxes: a large key light to the right, a weaker one to the left, one overhead."},
         {0.08f, 0.08f, 0.09f},
         {0.13f, 0.135f, 0.145f},
         {0.05f, 0.055f, 0.06f},
         1,
         {{120, 42, 0, 1.0f, 1.3f, 4.2f * kWarm, 0.08f},
          {-110, 25, 0, 0.7f, 1.5f, 0.8f * kCool, 0.08f},
          {0, 80, 0, 1.6f, 0.8f, 0.5f * kNeutral, 0.1f}}},
        {{"strips", "Long narrow lamps overhead and beside, in a dark room: lines along every edge."},
         {0.05f, 0.05f, 0.055f},
         {0.07f, 0.07f, 0.08f},
         {0.012f, 0.012f, 0.016f},
         1,
         {{125, 50, 0, 0.22f, 4.0f, 9.0f * kNeutral, 0.03f},
          {70, 35, 0, 0.14f, 2.4f, 1.6f * kCool, 0.03f},
          {-70, 30, 0, 0.14f, 2.4f, 1.6f * kWarm, 0.03f},
          {-20, 60, 0, 0.18f, 3.2f, 1.2f * kNeutral, 0.03f}}},
        {{"window", "A room with a tall window of four panes to the left, and warm walls."},
         {0.14f, 0.12f, 0.10f},
         {0.17f, 0.15f, 0.13f},
         {0.13f, 0.125f, 0.12f},
         4,
         {{-128, 39, 0, 0.5f, 0.6f, 4.5f * kCool, 0.02f},
          {-96, 39, 0, 0.5f, 0.6f, 4.5f * kCool, 0.02f},
          {-128, 9, 0, 0.5f, 0.45f, 2.6f * kCool, 0.02f},
          {-96, 9, 0, 0.5f, 0.45f, 2.6f * kCool, 0.02f}}},
    }};
    return kStudios;
}

// Light of a lamp in a direction, with its share that is within the rectangle.
glm::vec3 lampLight(const Lamp& lamp, glm::vec3 direction) {
    const glm::vec3 axis = directionOf({lamp.azimuth / 360, (90 - lamp.elevation) / 180});
    const float along = glm::dot(direction, axis);
    if (along <= 0.05f) return glm::vec3(0);
    const glm::vec3 level = glm::normalize(glm::cross(glm::vec3(0, 1, 0), axis)),
                    up = glm::cross(axis, level);
    const float c = std::cos(glm::radians(lamp.turn)), s = std::sin(glm::radians(lamp.turn));
    const glm::vec2 at(glm::dot(direction, c * level + s * up) / along,
                       glm::dot(direction, c * up - s * level) / along);
    const glm::vec2 beyond = glm::abs(at) - 0.5f * glm::vec2(lamp.width, lamp.height);
    const auto within = [&](float outside) { return 1 - glm::smoothstep(-lamp.edge, lamp.edge, outside); };
    return within(beyond.x) * within(beyond.y) * lamp.light;
}

}  // namespace

std::span<const StudioInfo> studios() {
    static const std::array<StudioInfo, 3> kInfos{all()[0].info, all()[1].info, all()[2].info};
    return kInfos;
}

std::optional<EnvironmentMap> studioMap(std::string_view name) {
    const auto found = std::ranges::find(all(), name, [](const Studio& s) { return s.info.name; });
    if (found == all().end()) return {};
    std::vector<glm::vec3> walls, whole;
    glm::vec3 keyLight{0}, keyDirection{0};
    constexpr float pi = glm::pi<float>();
    for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < 2 * kHeight; ++x) {
            const glm::vec2 place{(float(x) + 0.5f) / (2.0f * kHeight), (float(y) + 0.5f) / kHeight};
            const glm::vec3 d = directionOf(place);
            glm::vec3 light = glm::mix(found->horizon, found->ceiling, glm::smoothstep(0.0f, 0.7f, d.y));
            if (d.y < 0) light = glm::mix(found->horizon, found->floor, glm::smoothstep(0.0f, 0.3f, -d.y));
            glm::vec3 key{0};
            for (size_t k = 0; k < found->lamps.size(); ++k)
                (k < found->keys ? key : light) += lampLight(found->lamps[k], d);
            walls.push_back(light);
            const float angle = pi * pi / (kHeight * kHeight) * std::sin(pi * place.y);  // [sr]
            keyLight += key * angle / pi;
            keyDirection += key.y * angle * d;
            whole.push_back(light + key);
        }
    EnvironmentMap map = environmentOf(2 * kHeight, kHeight, std::move(whole));
    const EnvironmentMap rest = environmentOf(2 * kHeight, kHeight, std::move(walls));
    map.name = std::string(name);
    map.background = false;
    map.sunLight = keyLight, map.sunDirection = glm::normalize(keyDirection);
    map.above = rest.above, map.below = rest.below;
    return map;
}

}  // namespace coalesce
