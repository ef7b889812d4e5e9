#include "record/passes.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "render/renderer/renderer.h"

namespace coalesce {

namespace {

constexpr double kReach = 2;  // [spacings] from a particle to the surface that is drawn of it

float widestSpacing(const World& world) {
    float widest = 1e-3f;  // without materials, the grid is empty
    for (const Material& m : world.materials) widest = std::max(widest, m.properties.spacing);
    return widest;
}

// Points of a surface as an image shows them.
class Points {
public:
    Points(const Camera& camera, std::span<const float> rgbz, int width, int height)
        : m_camera(camera), m_rgbz(rgbz), m_width(width), m_height(height) {}

    // x, y from the lower left pixel; kSkyDistance also outside of the image.
    float distance(int x, int y) const {
        if (x < 0 || y < 0 || x >= m_width || y >= m_height) return kSkyDistance;
        return m_rgbz[4 * (size_t(y) * size_t(m_width) + size_t(x)) + 3];
    }
    bool isSky(int x, int y) const { return !(distance(x, y) < 0.5f * kSkyDistance); }
    Vec3d at(int x, int y) const {
        const glm::vec3 pixel{float(x) + 0.5f, float(m_height - 1 - y) + 0.5f, distance(x, y)};
        const glm::vec3 p = unproject(m_camera, pixel, m_width, m_height);
        return {p.x, p.y, p.z};
    }

    // By differences to the neighbors of the pixel; zero where it has none.
    Vec3d normal(int x, int y) const {
        const Vec3d n = normalizeOr(cross(slope(x, y, 1, 0), slope(x, y, 0, 1)), {});
        const glm::vec3 to =
            directionTo(m_camera, {float(at(x, y).x()), float(at(x, y).y()), float(at(x, y).z())});
        return dot(n, Vec3d{to.x, to.y, to.z}) > 0 ? Vec3d(-1.0 * n) : n;
    }

private:
    // From one neighbor to the other where the surface goes on to
    // both; else to the one whose distance is closer.
    Vec3d slope(int x, int y, int dx, int dy) const {
        constexpr double kBend = 0.5;  // of the differences to both sides: beyond it the surface has an edge
        const bool before = !isSky(x - dx, y - dy), after = !isSky(x + dx, y + dy);
        const Vec3d here = at(x, y);
        if (!before && !after) return {};
        if (!before) return at(x + dx, y + dy) - here;
        if (!after) return here - at(x - dx, y - dy);
        const Vec3d forward = at(x + dx, y + dy) - here, backward = here - at(x - dx, y - dy);
        const double a = double{distance(x + dx, y + dy)} - distance(x, y),
                     b = double{distance(x, y)} - distance(x - dx, y - dy);
        const double least = std::min(length(forward), length(backward));
        if (std::abs(a - b) < kBend * least) return forward + backward;
        return std::abs(a) < std::abs(b) ? forward : backward;
    }

    const Camera& m_camera;
    std::span<const float> m_rgbz;
    int m_width, m_height;
};

}  // namespace

PassScene::PassScene(const World& world, const Camera& camera, double frame)
    : m_camera(camera),
      m_widest(widestSpacing(world)),
      m_grid(kReach * m_widest),
      m_shapes(world.shapes),
      m_time(world.time),
      m_frame(frame) {
    const std::vector<Vec4> x = world.particles.x.download(), v = world.particles.v.download();
    const std::vector<uint32_t> phase = world.particles.phase.download();
    for (size_t i = 0; i < x.size(); ++i) {
        m_x.push_back(toDouble(xyz(x[i])));
        m_v.push_back(toDouble(xyz(v[i])));
        m_group.push_back(groupOf(phase[i]));
        m_spacing.push_back(world.materials[materialOf(phase[i])].properties.spacing);
        m_grid.add(m_x.back());
    }
    for (size_t s = 0; s < m_shapes.size(); ++s) {
        const Shape& shape = m_shapes[s];
        if (!shape.visible || shape.opacity < 1 || shape.trigger) continue;
        m_drawn.push_back(s);
        m_distances.emplace_back(shape, m_time);
    }
}

Vec3d PassScene::velocityOfShape(size_t shape, const Vec3d& p) const {
    const Shape& s = m_shapes[shape];
    const Pose now = poseAt(s, m_time), before = poseAt(s, m_time - m_frame);
    const Quatd back = toDouble(now.rotation).conjugate();
    const Vec3d local = rotate(back, p - toDouble(now.position));
    const Vec3d was = toDouble(before.position) + rotate(toDouble(before.rotation), local);
    return (1 / m_frame) * (p - was);
}

// Mean over the particles of a group, with the weights (1 − (r/R)²)³. [MCG03] eq. 20
Vec3d PassScene::velocityAround(const Vec3d& p, uint32_t group) const {
    const double reach2 = kReach * kReach * m_widest * m_widest;
    Vec3d sum{};
    double weights = 0;
    m_grid.forEachNear(p, [&](uint32_t j, double r2) {
        if (m_group[j] != group) return;
        const double t = 1 - r2 / reach2;
        sum += t * t * t * m_v[j];
        weights += t * t * t;
    });
    return weights > 0 ? Vec3d((1 / weights) * sum) : Vec3d{};
}

PassScene::Seen PassScene::seenAt(const Vec3d& p, double distance) const {
    // gaps: from the surfaces of particles, as spheres, and of shapes
    double particleGap = 1e300, shapeGap = 1e300;
    uint32_t nearest = 0;
    size_t shape = 0;
    m_grid.forEachNear(p, [&](uint32_t j, double r2) {
        const double r = std::sqrt(r2);
        if (r > kReach * m_spacing[j]) return;
        const double gap = std::max(r - 0.5 * m_spacing[j], 0.0);
        if (gap < particleGap) particleGap = gap, nearest = j;
    });
    for (size_t k = 0; k < m_distances.size(); ++k)
        if (const double gap = std::abs(m_distances[k](p)); gap < shapeGap)
            shapeGap = gap, shape = m_drawn[k];
    const double rounding = 1e-4 * distance;  // of distances in images
    if (particleGap < 1e300 && particleGap <= shapeGap + rounding)
        return {uint32_t(1 + m_shapes.size() + m_group[nearest]), velocityAround(p, m_group[nearest])};
    // a drawn field may lie a little beside its triangles
    if (shapeGap < std::max(0.01 * distance, double{m_widest}))
        return {uint32_t(1 + shape), velocityOfShape(shape, p)};
    return {};
}

std::vector<PassValues> PassScene::evaluate(std::span<const Pass> passes, std::span<const float> rgbz,
                                            int width, int height) const {
    const Points points(m_camera, rgbz, width, height);
    std::vector<PassValues> all;
    for (const Pass pass : passes) {
        all.push_back({pass, {}});
        all.back().values.resize(size_t(width) * size_t(height) * size_t(all.back().width()));
    }
    const bool identifies = std::ranges::any_of(passes, [](Pass p) { return p != Pass::normal; });
    parallelFor(0, height, [&](int y) {
        for (int x = 0; x < width; ++x) {
            if (points.isSky(x, y)) continue;
            Seen seen;
            if (identifies) seen = seenAt(points.at(x, y), points.distance(x, y));
            const size_t pixel = size_t(y) * size_t(width) + size_t(x);
            for (PassValues& to : all) {
                if (to.pass == Pass::id) {
                    to.values[pixel] = float(seen.id);
                    continue;
                }
                const Vec3d vector = to.pass == Pass::normal ? points.normal(x, y) : seen.velocity;
                for (int k = 0; k < 3; ++k) to.values[3 * pixel + size_t(k)] = float(vector[k]);
            }
        }
    });
    return all;
}

}  // namespace coalesce
