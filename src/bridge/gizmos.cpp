#include "bridge/gizmos.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bridge/render_frame_builder.h"
#include "render/frame/outlines.h"
#include "sim/interaction/pick.h"

namespace coalesce {

namespace {

constexpr std::array<float, 3> kEmitter{0.35f, 0.95f, 0.55f}, kSink{1, 0.45f, 0.75f}, kOff{0.6f, 0.6f, 0.6f},
    kMouse{0.98f, 0.78f, 0.35f}, kBounds{0.9f, 0.9f, 0.95f}, kSelected{1, 1, 1};

// Line segments in a local frame.
class Sketch {
public:
    Sketch(std::array<float, 3> color, std::string name, const Pose& pose) : m_pose(pose) {
        gizmo.color = color;
        gizmo.name = std::move(name);
    }
    void line(Vec3 a, Vec3 b) {
        for (const Vec3 end : {a, b}) {
            const Vec3 p = m_pose.position + rotate(m_pose.rotation, end);
            gizmo.ends.push_back({p.x, p.y, p.z});
        }
    }
    void circle(float radius) {
        constexpr int kSteps = 48;
        const auto at = [&](int k) {
            const double a = 2 * std::numbers::pi * k / kSteps;
            return Vec3{radius * float(std::cos(a)), 0, radius * float(std::sin(a))};
        };
        for (int k = 0; k < kSteps; ++k) line(at(k), at(k + 1));
    }
    void box(Vec3 low, Vec3 high) {
        for (int side = 0; side < 4; ++side) {
            const float x = side & 1 ? high.x : low.x, y = side & 2 ? high.y : low.y,
                        yByX = side & 1 ? high.y : low.y, z = side & 2 ? high.z : low.z;
            line({low.x, yByX, z}, {high.x, yByX, z});
            line({x, low.y, z}, {x, high.y, z});
            line({x, y, low.z}, {x, y, high.z});
        }
    }
    // along y, from the origin
    void arrow(float size) {
        const float head = 0.25f * size, side = 0.09f * size;
        line({0, 0, 0}, {0, size, 0});
        for (const Vec3 barb : {Vec3{side, 0, 0}, Vec3{-side, 0, 0}, Vec3{0, 0, side}, Vec3{0, 0, -side}})
            line({0, size, 0}, Vec3{0, size - head, 0} + barb);
    }
    DrawGizmo gizmo;

private:
    Pose m_pose;
};

bool emitsAt(const Emitter& emitter, double time) {
    const EmitterProperties& p = emitter.properties;
    return p.enabled && time >= p.start && time < p.end;
}

// The nozzle, and an arrow in the direction of emission; gray while inactive.
void addEmitter(World& world, const Emitter& emitter, std::vector<DrawGizmo>& out) {
    const std::optional<Pose> nozzle = nozzleOf(world, emitter);
    if (!nozzle) return;
    Sketch sketch(emitsAt(emitter, world.time) ? kEmitter : kOff, emitter.name, *nozzle);
    float width = 2 * emitter.radius;
    if (emitter.nozzle == Emitter::Nozzle::disc) {
        sketch.circle(emitter.radius);
    } else if (emitter.nozzle == Emitter::Nozzle::rectangle) {
        const float x = emitter.size.x / 2, z = emitter.size.z / 2;
        const Vec3 corner[4] = {{-x, 0, -z}, {x, 0, -z}, {x, 0, z}, {-x, 0, z}};
        for (int k = 0; k < 4; ++k) sketch.line(corner[k], corner[(k + 1) % 4]);
        width = std::max(emitter.size.x, emitter.size.z);
    } else {
        // bounding box of the spawn positions, in the frame that the emitter is attached to
        const Quat aim = quatFromNormal(normalizeOr(emitter.properties.direction, {0, -1, 0}));
        Sketch volume(sketch.gizmo.color, emitter.name,
                      {nozzle->position, nozzle->rotation * Quat{-aim.x, -aim.y, -aim.z, aim.w}});
        Vec3 low{0, 0, 0}, high{0, 0, 0};
        for (const Vec3 p : emitter.places) {
            low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
            high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
        }
        volume.box(low, high);
        width = std::max({high.x - low.x, high.y - low.y, high.z - low.z});
        out.push_back(std::move(volume.gizmo));
    }
    // the distance traveled in 0.1 s, limited to a readable length
    sketch.arrow(std::clamp(0.1f * emitter.properties.speed, 0.6f * width, 3 * std::max(width, 0.05f)));
    out.push_back(std::move(sketch.gizmo));
}

// The outline of the volume. A plane shows a square part, with arrows on the side it removes particles from.
void addSink(const World& world, const Sink& sink, Vec3 low, Vec3 high, std::vector<DrawGizmo>& out) {
    if (!sink.formed) return;
    const std::array<float, 3> color = sink.properties.enabled ? kSink : kOff;
    const Pose pose = poseAt(sink.form, world.time);
    Sketch sketch(color, sink.name, pose);
    if (sink.form.kind == ShapeKind::plane) {
        // below the center of all particles
        const Vec3 middle = low.x <= high.x ? 0.5f * (low + high) : Vec3{0, 0, 0};
        const Vec3 normal = rotate(pose.rotation, Vec3{0, 1, 0});
        const float size = low.x <= high.x ? std::max(0.6f * length(high - low), 0.2f) : 1.0f;
        Pose piece = pose;
        piece.position = middle - dot(middle - pose.position, normal) * normal;
        Sketch plane(color, sink.name, piece);
        constexpr int kLines = 4;
        for (int k = -kLines; k <= kLines; ++k) {
            const float at = size * float(k) / kLines;
            plane.line({at, 0, -size}, {at, 0, size});
            plane.line({-size, 0, at}, {size, 0, at});
        }
        plane.line({0, 0, 0}, {0, 0.3f * size, 0});
        out.push_back(std::move(plane.gizmo));
        return;
    }
    if (sink.form.kind == ShapeKind::convex || sink.form.kind == ShapeKind::sdf) {
        const Bounds bounds = boundsOf(sink.form);
        sketch.box(bounds.low, bounds.high);
    } else {
        std::vector<Segment> outline;
        appendOutline(drawShapeOf(sink.form, world.time), outline);
        for (const Segment& s : outline)
            for (const glm::vec4& end : {s.from, s.to}) sketch.gizmo.ends.push_back({end.x, end.y, end.z});
    }
    out.push_back(std::move(sketch.gizmo));
}

// A cross at a particle, three spacings wide.
void addCross(const World& world, Vec3 at, const std::array<float, 3>& color, const char* name,
              std::vector<DrawGizmo>& out) {
    float spacing = 0.02f;
    if (!world.materials.empty()) spacing = world.materials[0].properties.spacing;
    Sketch cross(color, name, {at, {}});
    for (const Vec3 axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}})
        cross.line(-1.5f * spacing * axis, 1.5f * spacing * axis);
    out.push_back(std::move(cross.gizmo));
}

void addAxes(Vec3 low, Vec3 high, std::vector<DrawGizmo>& out) {
    // 1 m, or a smaller power of ten in small scenes
    const float extent = low.x <= high.x ? length(high - low) : 1;
    const float size = std::pow(10.0f, std::floor(std::log10(std::max(extent, 1e-3f))));
    const Vec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const std::array<float, 3> color[3] = {{0.95f, 0.3f, 0.3f}, {0.4f, 0.85f, 0.35f}, {0.35f, 0.55f, 1}};
    for (int k = 0; k < 3; ++k) {
        Sketch sketch(color[k], std::string(1, char('x' + k)), {{}, quatFromNormal(axis[k])});
        sketch.arrow(size);
        out.push_back(std::move(sketch.gizmo));
    }
}

}  // namespace

std::vector<DrawGizmo> buildGizmos(World& world, const LineSet& wanted, Vec3 low, Vec3 high,
                                   std::optional<uint32_t> picked) {
    std::vector<DrawGizmo> out;
    if (wanted.has(LineView::Emitters))
        for (const Emitter& emitter : world.emitters) addEmitter(world, emitter, out);
    if (wanted.has(LineView::Sinks))
        for (const Sink& sink : world.sinks) addSink(world, sink, low, high, out);
    if (wanted.has(LineView::Bounds) && low.x <= high.x) {
        Sketch sketch(kBounds, "bounds", {});
        sketch.box(low, high);
        out.push_back(std::move(sketch.gizmo));
    }
    if (wanted.has(LineView::MouseConstraints))
        for (const MouseConstraint& mouse : world.mouseConstraints) {
            const std::optional<Vec3> held = placeOf(world, mouse.id);
            if (!held) continue;
            Sketch sketch(kMouse, "mouse", {});
            sketch.line(*held, mouse.to);
            out.push_back(std::move(sketch.gizmo));
            addCross(world, mouse.to, kMouse, "mouse", out);
        }
    if (wanted.has(LineView::Axes)) addAxes(low, high, out);
    if (picked)
        if (const std::optional<Vec3> at = placeOf(world, *picked))
            addCross(world, *at, kSelected, "selected", out);
    return out;
}

}  // namespace coalesce
