#include "render/frame/environment_map.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <glm/gtc/constants.hpp>

namespace coalesce {

namespace {

constexpr float kPi = glm::pi<float>();
constexpr float kLampFactor = 20;              // [-] what is brighter than this times the mean is a lamp
constexpr float kLampRadius = 12 * kPi / 180;  // [rad] around the brightest direction
constexpr int kConvolvedHeight = 128;          // larger levels are blurred by averaging four texels
constexpr int kLeastHeight = 4;
constexpr int kMostHeight = 2048;

float luminance(glm::vec3 light) {
    return glm::dot(light, glm::vec3(0.2126f, 0.7152f, 0.0722f));
}

// [sr] of a texel in this row.
float solidAngle(const EnvironmentMap::Level& level, int row) {
    const float upper = kPi * float(row) / float(level.height),
                lower = kPi * float(row + 1) / float(level.height);
    return 2 * kPi / float(level.width) * (std::cos(upper) - std::cos(lower));
}

glm::vec3 directionAt(const EnvironmentMap::Level& level, int column, int row) {
    return directionOf(
        {(float(column) + 0.5f) / float(level.width), (float(row) + 0.5f) / float(level.height)});
}

std::array<float, 9> harmonicsAt(glm::vec3 n) {
    return {0.282095f,
            0.488603f * n.y,
            0.488603f * n.z,
            0.488603f * n.x,
            1.092548f * n.x * n.y,
            1.092548f * n.y * n.z,
            0.315392f * (3 * n.z * n.z - 1),
            1.092548f * n.x * n.z,
            0.546274f * (n.x * n.x - n.y * n.y)};
}

// Adds light from a direction, over a solid angle [sr].
void addLight(Harmonics& to, glm::vec3 direction, glm::vec3 light, float angle) {
    // the cosine lobe's share of each band, divided by π
    constexpr std::array<float, 9> kCosine{1,     2 / 3.0f, 2 / 3.0f, 2 / 3.0f, 0.25f,
                                           0.25f, 0.25f,    0.25f,    0.25f};
    const std::array<float, 9> base = harmonicsAt(direction);
    for (size_t k = 0; k < 9; ++k) to[k] += kCosine[k] * base[k] * angle * light;
}

// Mean of two by two texels, weighted by their solid angles.
EnvironmentMap::Level halved(const EnvironmentMap::Level& from) {
    EnvironmentMap::Level to{from.width / 2, from.height / 2, {}};
    to.light.reserve(size_t(to.width) * size_t(to.height));
    for (int y = 0; y < to.height; ++y) {
        const float upper = solidAngle(from, 2 * y), lower = solidAngle(from, 2 * y + 1);
        for (int x = 0; x < to.width; ++x) {
            const glm::vec3* at = &from.light[size_t(2 * y) * size_t(from.width) + size_t(2 * x)];
            to.light.push_back((upper * (at[0] + at[1]) + lower * (at[from.width] + at[from.width + 1])) /
                               (2 * (upper + lower)));
        }
    }
    return to;
}

// Convolved with a Gaussian of the angle between directions.
EnvironmentMap::Level blurred(const EnvironmentMap::Level& from, float sigma) {
    EnvironmentMap::Level to = from;
    const float step = kPi / float(from.height);
    const int reach = int(std::ceil(2.5f * sigma / step));
    for (int y = 0; y < to.height; ++y)
        for (int x = 0; x < to.width; ++x) {
            const glm::vec3 middle = directionAt(to, x, y);
            glm::vec3 sum{0};
            float weights = 0;
            for (int row = std::max(y - reach, 0); row <= std::min(y + reach, from.height - 1); ++row) {
                // meridians come closer towards the poles
                const float narrow = std::sin((float(row) + 0.5f) * step);
                const int wide = std::min(int(std::ceil(float(reach) / narrow)), from.width / 2 - 1);
                for (int column = x - wide; column <= x + wide; ++column) {
                    const int wrapped = (column + from.width) % from.width;
                    const float cosine = glm::dot(middle, directionAt(from, wrapped, row));
                    // the angle φ: φ² = 2 (1 − cos φ) to the second order
                    const float weight = std::exp(-(1 - cosine) / (sigma * sigma)) * solidAngle(from, row);
                    sum += weight * from.light[size_t(row) * size_t(from.width) + size_t(wrapped)];
                    weights += weight;
                }
            }
            to.light[size_t(y) * size_t(to.width) + size_t(x)] = sum / weights;
        }
    return to;
}

// In a size that can be halved down to kLeastHeight: the next smaller power of two.
EnvironmentMap::Level withLevels(EnvironmentMap::Level from) {
    while (from.height > kMostHeight && from.height % 2 == 0) from = halved(from);
    const int height = std::min(int(std::bit_floor(unsigned(from.height))), kMostHeight);
    if (height == from.height) return from;
    EnvironmentMap::Level to{2 * height, height, {}};
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < 2 * height; ++x) {
            const float row = (float(y) + 0.5f) * float(from.height) / float(height) - 0.5f;
            const float column = (float(x) + 0.5f) * float(from.width) / float(to.width) - 0.5f;
            const auto at = [&](int c, int r) {
                return from.light[size_t(std::clamp(r, 0, from.height - 1)) * size_t(from.width) +
                                  size_t((c + from.width) % from.width)];
            };
            const int r = int(std::floor(row)), c = int(std::floor(column));
            const float v = row - float(r), u = column - float(c);
            to.light.push_back(glm::mix(glm::mix(at(c, r), at(c + 1, r), u),
                                        glm::mix(at(c, r + 1), at(c + 1, r + 1), u), v));
        }
    return to;
}

}  // namespace

glm::vec3 lightOn(const Harmonics& light, glm::vec3 normal) {
    const std::array<float, 9> base = harmonicsAt(normal);
    glm::vec3 sum{0};
    for (size_t k = 0; k < 9; ++k) sum += base[k] * light[k];
    return sum;
}

Harmonics evenBelow(glm::vec3 light) {
    Harmonics result{};
    result[0] = 0.282095f * 2 * kPi * light;
    result[1] = -0.488603f * kPi * 2 / 3.0f * light;  // ∫ y dω = −π; the second order cancels out
    return result;
}

glm::vec3 directionOf(glm::vec2 place) {
    const float azimuth = 2 * kPi * place.x, polar = kPi * place.y;
    return {std::sin(polar) * std::sin(azimuth), std::cos(polar), -std::sin(polar) * std::cos(azimuth)};
}

glm::vec2 placeOf(glm::vec3 direction) {
    const float turns = std::atan2(direction.x, -direction.z) / (2 * kPi);
    return {turns < 0 ? turns + 1 : turns, std::acos(std::clamp(direction.y, -1.0f, 1.0f)) / kPi};
}

EnvironmentMap environmentOf(int width, int height, std::vector<glm::vec3> light) {
    EnvironmentMap map;
    EnvironmentMap::Level whole = withLevels({width, height, std::move(light)});
    width = whole.width, height = whole.height;

    // the strongest lamp: what exceeds a limit near the brightest texel
    float mean = 0, most = 0;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const float value = luminance(whole.light[size_t(y) * size_t(width) + size_t(x)]);
            mean += value * solidAngle(whole, y) / (4 * kPi);
            if (value > most) most = value, map.sunDirection = directionAt(whole, x, y);
        }
    const float limit = kLampFactor * mean;
    const glm::vec3 brightest = map.sunDirection;
    glm::vec3 middle{0};
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            glm::vec3& at = whole.light[size_t(y) * size_t(width) + size_t(x)];
            const glm::vec3 direction = directionAt(whole, x, y);
            const float value = luminance(at);
            glm::vec3 rest = at;
            if (value > limit && glm::dot(direction, brightest) > std::cos(kLampRadius)) {
                rest = at * (limit / value);
                map.sunLight += (at - rest) * solidAngle(whole, y) / kPi;
                middle += direction * (value - limit) * solidAngle(whole, y);
            }
            addLight(direction.y > 0 ? map.above : map.below, direction, rest, solidAngle(whole, y));
        }
    if (glm::length(middle) > 0) map.sunDirection = glm::normalize(middle);

    map.levels.push_back(std::move(whole));
    EnvironmentMap::Level plain = map.levels[0];
    while (plain.height % 2 == 0 && plain.height / 2 >= kLeastHeight) {
        plain = halved(plain);
        map.levels.push_back(plain.height > kConvolvedHeight ? plain
                                                             : blurred(plain, kPi / float(plain.height)));
    }
    return map;
}

}  // namespace coalesce
