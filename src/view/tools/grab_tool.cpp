#include "view/tools/grab_tool.h"

#include "sim/cloth/tearing.h"
#include "sim/interaction/pick.h"
#include "view/viewport/vectors.h"

namespace coalesce {

namespace {

constexpr float kKnifeLength = 1000;  // [m] beyond any scene
constexpr float kMinStroke = 3;       // [px] shorter drags are clicks and cut nothing

}  // namespace

void GrabTool::press(Session& session, const Camera& camera, const MouseInput& in, int width, int height) {
    m_generation = session.generation();
    m_pressed = m_cursor = in.cursor;
    m_mode = Mode::Camera;
    m_begun = false;
    m_moved = in.ctrl || in.shift;  // with a modifier it is not a click
    if (in.cut) {
        m_mode = Mode::Cut;
        return;
    }
    const auto ray = clipped(rayThrough(camera, in.cursor, width, height), in.clipPlane);
    const auto picked =
        in.ctrl || !ray ? std::nullopt : pick(session.world(), toVec3(ray->origin), toVec3(ray->direction));
    if (!picked) return;
    m_id = picked->id;
    m_depth = glm::dot(ray->origin + picked->distance * ray->direction - camera.eye, axes(camera).forward);
    m_at = unproject(camera, {in.cursor, m_depth}, width, height);
    m_mode = in.shift ? Mode::Brush : Mode::Grab;
    if (m_mode == Mode::Grab) session.send(Grab{kMouseGrab, m_id, toVec3(m_at)});
}

void GrabTool::cut(Session& session, const Camera& camera, int width, int height) {
    const Ray from = rayThrough(camera, m_pressed, width, height),
              to = rayThrough(camera, m_cursor, width, height);
    const auto behind = [&](const Ray& ray) { return toVec3(ray.origin + kKnifeLength * ray.direction); };
    std::vector<Cut> cuts{{toVec3(from.origin), behind(from), behind(to)}};
    // parallel rays span a strip, of which this is the other triangle
    if (from.origin != to.origin) cuts.push_back({toVec3(from.origin), behind(to), toVec3(to.origin)});
    if (springsCutBy(session.world(), cuts).empty()) {
        m_message = "The cut meets no cloth or rope.";
        return;
    }
    session.beginInteraction("Cut");
    for (const Cut& cut : cuts) session.send(cut);
    if (session.paused) m_message = "Cut (opens when resumed)";
}

bool GrabTool::use(Session& session, const Camera& camera, const MouseInput& in, int width, int height) {
    // a rebuilt world has no mouse constraint
    if (m_mode != Mode::None && m_generation != session.generation()) m_mode = Mode::Camera;
    if (!in.left) {
        if (m_mode == Mode::Grab) session.send(Release{kMouseGrab});
        if (m_mode == Mode::Cut && glm::distance(m_pressed, m_cursor) > kMinStroke)
            cut(session, camera, width, height);
        if (!m_moved && m_mode == Mode::Grab) m_click = Click{m_id};
        if (!m_moved && m_mode == Mode::Camera) m_click = Click{};
        m_mode = Mode::None;
        return false;
    }
    if (m_mode == Mode::None) press(session, camera, in, width, height);
    m_cursor = in.cursor;
    m_moved = m_moved || glm::distance(m_pressed, m_cursor) > kMinStroke;
    if (m_mode == Mode::Grab || m_mode == Mode::Brush) {
        // at the depth of the press
        const glm::vec3 to = unproject(camera, {in.cursor, m_depth}, width, height);
        const bool acts = to != m_at && (m_mode == Mode::Grab ? m_moved : !session.paused);
        // a step of undo, which a click is not
        if (acts && !std::exchange(m_begun, true))
            session.beginInteraction(m_mode == Mode::Grab ? "Pull" : "Brush");
        if (acts && m_mode == Mode::Brush) session.send(Brush{toVec3(m_at), toVec3(to)});
        if (to != m_at && m_mode == Mode::Grab) session.send(MoveTarget{kMouseGrab, toVec3(to)});
        m_at = to;
    }
    return m_mode != Mode::Camera;
}

std::optional<GrabTool::Line> GrabTool::line(Session& session, const Camera& camera, int width,
                                             int height) const {
    if (m_mode == Mode::Cut) return Line{m_pressed, m_cursor, true};
    if (m_mode != Mode::Grab || m_generation != session.generation()) return {};
    const auto place = placeOf(session.world(), m_id);
    if (!place) return {};
    const glm::vec3 from = project(camera, {place->x, place->y, place->z}, width, height);
    const glm::vec3 to = project(camera, m_at, width, height);
    if (from.z <= 0 || to.z <= 0) return {};
    return Line{glm::vec2(from), glm::vec2(to), false};
}

std::vector<GrabTool::Line> GrabTool::waitingCuts(Session& session, const Camera& camera, int width,
                                                  int height) {
    World& world = session.world();
    std::vector<Cut> cuts;
    for (const UserCommand& command : world.commands)
        if (const Cut* cut = std::get_if<Cut>(&command)) cuts.push_back(*cut);
    const std::array<uint64_t, 3> of{session.generation(), world.frame, cuts.size()};
    if (std::exchange(m_markedOf, of) != of) m_marked = springsCutBy(world, cuts);
    std::vector<Line> lines;
    for (const auto& [a, b] : m_marked) {
        const glm::vec3 from = project(camera, {a.x, a.y, a.z}, width, height),
                        to = project(camera, {b.x, b.y, b.z}, width, height);
        if (from.z > 0 && to.z > 0) lines.push_back({glm::vec2(from), glm::vec2(to), true});
    }
    return lines;
}

}  // namespace coalesce
