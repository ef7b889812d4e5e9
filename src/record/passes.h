// Passes of images for compositing: the normal, the velocity and the identity of what each pixel shows. They
// follow from the distances of the image and the state that it shows, so that they hold for everything that
// has a distance: liquids in any quality, bodies, cloth and shapes, but not glass, foam and smoke.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "checks/shape_distance.h"
#include "render/frame/camera.h"
#include "sim/world/world.h"

namespace coalesce {

// normal: unit, in world space, toward the camera. velocity: of the thing that is seen, in world space [m/s].
// id: 0 nothing, 1 + k the shape k of the scene, 1 + shapes + g the particles of group g, as exported.
enum class Pass { normal, velocity, id };
inline constexpr const char* kPassNames[] = {"normal", "velocity", "id"};

// Numbers of the pixels, three or one each, in the order of the image.
struct PassValues {
    Pass pass;
    std::vector<float> values;
    int width() const { return pass == Pass::id ? 1 : 3; }
};

// The state that an image shows, copied from the world.
class PassScene {
public:
    // frame: length of a frame of the simulation [s], for the velocities of shapes.
    PassScene(const World& world, const Camera& camera, double frame);

    // rgbz: four per pixel, rows from bottom to top; the last is the distance along the view axis [m].
    std::vector<PassValues> evaluate(std::span<const Pass> passes, std::span<const float> rgbz, int width,
                                     int height) const;

private:
    struct Seen {
        uint32_t id = 0;
        Vec3d velocity{};
    };
    Seen seenAt(const Vec3d& p, double distance) const;
    Vec3d velocityOfShape(size_t shape, const Vec3d& p) const;
    Vec3d velocityAround(const Vec3d& p, uint32_t group) const;

    Camera m_camera;
    std::vector<Vec3d> m_x, m_v;
    std::vector<uint32_t> m_group;
    std::vector<float> m_spacing;  // [m] of each particle
    float m_widest = 0;            // [m] spacing
    HashGrid m_grid;
    std::vector<Shape> m_shapes;
    std::vector<ShapeDistance> m_distances;  // of those that are drawn opaque
    std::vector<size_t> m_drawn;             // their shapes
    double m_time, m_frame;
};

}  // namespace coalesce
