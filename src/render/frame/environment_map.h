// Light from all directions around a scene, as an image: its lamps, what mirrors of any roughness see of it,
// and the light on diffuse surfaces. No OpenGL.
#pragma once

#include <array>
#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace coalesce {

// Irradiance / π from a part of the surroundings as a function of the normal, in spherical harmonics up to
// the second order, with the bands already convolved by the cosine (Ramamoorthi, Hanrahan, An Efficient
// Representation for Irradiance Environment Maps, 2001).
using Harmonics = std::array<glm::vec3, 9>;
glm::vec3 lightOn(const Harmonics& light, glm::vec3 normal);
// Of the lower hemisphere, equally bright everywhere.
Harmonics evenBelow(glm::vec3 light);

// An equirectangular map in linear RGB. Rows from the zenith down; columns
// from -z over +x and +z, as azimuths of --sun.
struct EnvironmentMap {
    struct Level {
        int width = 0, height = 0;
        std::vector<glm::vec3> light;
    };
    // The first is the map itself; each further one has half its size and is blurred by
    // the angle between two of its texels, π / height.
    std::vector<Level> levels;
    std::string name;        // of the studio or file
    bool background = true;  // it is seen behind the scene, too
    // The strongest lamp casts the shadows: irradiance / π of a
    // surface that faces it. Not part of the harmonics.
    glm::vec3 sunDirection{0, 1, 0}, sunLight{0};
    Harmonics above{}, below{};  // of the two hemispheres
};

// Takes the strongest lamp out of the light: what is brighter than twenty times the mean,
// within 12 degrees of the brightest direction.
EnvironmentMap environmentOf(int width, int height, std::vector<glm::vec3> light);

glm::vec3 directionOf(glm::vec2 place);  // place: column / width, row / height
glm::vec2 placeOf(glm::vec3 direction);  // unit

// Studios with lamps of our own. They light the scene and are seen in reflections, not behind the scene.
struct StudioInfo {
    const char* name;
    const char* about;
};
std::span<const StudioInfo> studios();
std::optional<EnvironmentMap> studioMap(std::string_view name);  // nullopt: no such name

}  // namespace coalesce
