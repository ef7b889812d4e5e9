// Several draws of one image, each at another time of the shutter and from another point of
// the lens, of the pixel and of the sun's disc. Their mean in linear light has motion blur,
// depth of field, smooth edges and soft shadows.
#pragma once

#include <optional>
#include <string>

#include "render/frame/camera.h"
#include "render/renderer/renderer.h"
#include "scene/build/groups.h"
#include "sim/world/world.h"

namespace coalesce {

struct AccumulationOptions {
    int samples = 1;  // draws per image; 1: a single one at the time of the image, without all of the below
    double shutter = 180;  // [deg] 360: open from image to image; evenly about the time of the image
    double aperture = 0;   // [m] diameter of the lens; 0: everything is in focus
    // The plane in focus is this far away along the view direction [m], or contains the center of a body,
    // copy, material, emitter or shape. Neither: the point that the camera looks at.
    std::optional<double> focusDistance{};
    std::string focusOn{};
};

// One draw of `count`: where it lies, each number from 0 to 1.
struct ImageSample {
    double time;
    glm::dvec2 pixel, lens, sun;
};
// The same for every image, so that what stands still does not flicker. Times are evenly spaced; the points
// of each area are a Fibonacci lattice, in an order of its own, so that no blur depends on another.
ImageSample imageSample(int index, int count);

// How a draw sees the scene: the camera from the sample's point of lens and pixel, and the sun's point.
Camera sampledCamera(const Camera& camera, const ImageSample& sample, double aperture, double focus,
                     int width, int height);
glm::vec3 sampledSun(glm::vec3 direction, const ImageSample& sample);

// Finds the plane in focus.
class Focus {
public:
    // Exit::Usage for a name that the scene does not have.
    Focus(const Scene& scene, const AccumulationOptions& options);
    // [m] along the view direction, at least the near plane.
    double distance(const Camera& camera, const World& world) const;

private:
    GroupNames m_names;
    std::optional<double> m_distance;
    std::string m_on;
};

}  // namespace coalesce
