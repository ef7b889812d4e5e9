#include "record/accumulation.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/error.h"
#include "core/hash.h"
#include "scene/format/overrides.h"
#include "scene/timeline/measurements.h"

namespace coalesce {

namespace {

// The Fibonacci lattice of the unit square: evenly spaced along
// one axis, by the golden ratio along the other.
glm::dvec2 latticePoint(int index, int count) {
    const double at = index + 0.5;
    return {at / count, std::fmod(at * 0.61803398874989485, 1.0)};
}

// Element `index` of a fixed shuffle of 0 … count − 1.
int shuffled(int index, int count, uint64_t shuffle) {
    std::vector<std::pair<uint64_t, int>> keys;
    for (int k = 0; k < count; ++k) keys.emplace_back(mixIn(mix(shuffle), uint64_t(k)), k);
    std::sort(keys.begin(), keys.end());
    return keys[size_t(index)].second;
}

// A point of the unit disc, even in area.
glm::dvec2 onDisc(glm::dvec2 unit) {
    const double radius = std::sqrt(unit.x), angle = 2 * 3.141592653589793 * unit.y;
    return radius * glm::dvec2(std::cos(angle), std::sin(angle));
}

}  // namespace

ImageSample imageSample(int index, int count) {
    const auto pointOf = [&](uint64_t area) { return latticePoint(shuffled(index, count, area), count); };
    return {.time = (index + 0.5) / count, .pixel = pointOf(0), .lens = pointOf(1), .sun = pointOf(2)};
}

Camera sampledCamera(const Camera& camera, const ImageSample& sample, double aperture, double focus,
                     int width, int height) {
    Camera seen = camera;
    if (aperture > 0)
        seen = throughLens(camera, glm::vec2(aperture / 2 * onDisc(sample.lens)), float(focus),
                           float(width) / float(height));
    // a box filter: the samples of a pixel are spread over its area
    seen.shift += glm::vec2(2.0 * (sample.pixel - 0.5) / glm::dvec2(width, height));
    return seen;
}

glm::vec3 sampledSun(glm::vec3 direction, const ImageSample& sample) {
    const glm::vec3 to = glm::normalize(direction);
    const glm::vec3 side =
        glm::normalize(glm::cross(to, std::abs(to.y) < 0.9f ? glm::vec3(0, 1, 0) : glm::vec3(1, 0, 0)));
    const glm::dvec2 at = double(kSunSlope) * onDisc(sample.sun);
    return glm::normalize(to + float(at.x) * side + float(at.y) * glm::cross(side, to));
}

Focus::Focus(const Scene& scene, const AccumulationOptions& options)
    : m_names(scene), m_distance(options.focusDistance), m_on(options.focusOn) {
    if (m_on.empty() || m_names.find(m_on)) return;
    std::vector<std::string> names = m_names.names();
    for (const Shape& shape : scene.shapes)
        if (!shape.name.empty()) names.push_back(shape.name);
    if (std::ranges::find(names, m_on) != names.end()) return;
    fail(Exit::Usage, "--focus " + m_on, "the scene has nothing of this name." + didYouMean(m_on, names),
         "Give a distance in meters, or one of: " + listOf(names) + ".");
}

double Focus::distance(const Camera& camera, const World& world) const {
    const auto along = [&](glm::vec3 point) {
        return double(glm::dot(point - camera.eye, axes(camera).forward));
    };
    double distance = m_distance.value_or(along(camera.look));
    if (!m_on.empty())
        if (const auto center = Measurements(m_names, world).centerOf(m_on))
            distance = along({float((*center)[0]), float((*center)[1]), float((*center)[2])});
    return std::max(distance, double(camera.near));
}

}  // namespace coalesce
