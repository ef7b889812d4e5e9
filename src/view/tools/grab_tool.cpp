#include "view/tools/grab_tool.h"

#include "sim/interaction/pick.h"
#include "view/viewport/vectors.h"

namespace coalesce {

namespace {

constexpr float kKnifeLength = 1000;  // [m] far enough behind every scene
constexpr float kLeastStroke = 3;     // [px] shorter ones cut nothing

}  // namespace

void GrabTool::press(Session& session, const Camera& camera, const HandInput& in, int width, int height) {
    m_generation = session.generation();
    m_pressed = m_cursor = in.cursor;
    m_doing = Doing::Camera;
    m_moved = in.ctrl || in.shift;  // with a key it is no click
    if (in.cut) {
        m_doing = Doing::Cut;
        return;
    }
    const Ray ray = rayThrough(camera, in.cursor, width, height);
    const auto picked =
        in.ctrl ? std::nullopt : pick(session.world(), toVec3(ray.origin), toVec3(ray.direction));
    if (!picked) return;
    m_id = picked->id;
    m_depth = picked->distance * glm::dot(ray.direction, axes(camera).forward);
    m_at = unproject(camera, {in.cursor, m_depth}, width, height);
    m_doing = in.shift ? Doing::Brush : Doing::Grab;
    if (m_doing == Doing::Grab) session.send(Grab{kHand, m_id, toVec3(m_at)});
}

bool GrabTool::use(Session& session, const Camera& camera, const HandInput& in, int width, int height) {
    // a world that was built anew knows nothing of the hand
    if (m_doing != Doing::Nothing && m_generation != session.generation()) m_doing = Doing::Camera;
    if (!in.left) {
        if (m_doing == Doing::Grab) session.send(Release{kHand});
        if (m_doing == Doing::Cut && glm::distance(m_pressed, m_cursor) > kLeastStroke) {
            const auto behind = [&](glm::vec2 cursor) {
                const Ray ray = rayThrough(camera, cursor, width, height);
                return toVec3(ray.origin + kKnifeLength * ray.direction);
            };
            session.send(Cut{toVec3(camera.eye), behind(m_pressed), behind(m_cursor)});
        }
        if (!m_moved && m_doing == Doing::Grab) m_click = Click{m_id};
        if (!m_moved && m_doing == Doing::Camera) m_click = Click{};
        m_doing = Doing::Nothing;
        return false;
    }
    if (m_doing == Doing::Nothing) press(session, camera, in, width, height);
    m_cursor = in.cursor;
    m_moved = m_moved || glm::distance(m_pressed, m_cursor) > kLeastStroke;
    if (m_doing == Doing::Grab || m_doing == Doing::Brush) {
        // as deep in the view as what was pressed
        const glm::vec3 to = unproject(camera, {in.cursor, m_depth}, width, height);
        if (to != m_at && m_doing == Doing::Grab) session.send(MoveGrab{kHand, toVec3(to)});
        if (to != m_at && m_doing == Doing::Brush && !session.paused)
            session.send(Brush{toVec3(m_at), toVec3(to)});
        m_at = to;
    }
    return m_doing != Doing::Camera;
}

std::optional<GrabTool::Line> GrabTool::line(Session& session, const Camera& camera, int width,
                                             int height) const {
    if (m_doing == Doing::Cut) return Line{m_pressed, m_cursor, true};
    if (m_doing != Doing::Grab || m_generation != session.generation()) return {};
    const auto place = placeOf(session.world(), m_id);
    if (!place) return {};
    const glm::vec3 from = project(camera, {place->x, place->y, place->z}, width, height);
    const glm::vec3 to = project(camera, m_at, width, height);
    if (from.z <= 0 || to.z <= 0) return {};
    return Line{glm::vec2(from), glm::vec2(to), false};
}

}  // namespace coalesce
