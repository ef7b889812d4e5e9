// What a hand changes while a scene runs: values of the world, what the next reset builds from, and how to
// take it back.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "view/session.h"

namespace coalesce {

namespace {

// As fast as an arm moves what it holds; a jump would leave particles inside of a shape, and throw them out.
constexpr float kLeadSpeed = 4;               // [m/s]
constexpr float kLeadTurn = 2 * 3.14159265f;  // [rad/s]

bool equal(const Quat& a, const Quat& b) {
    return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

// Names of the shape and of the value in "shapes.gate.position"; empty: another path.
std::pair<std::string, std::string> shapeValue(const std::string& path) {
    const size_t dot = path.rfind('.');
    if (!path.starts_with("shapes.") || dot <= 7) return {};
    return {path.substr(7, dot - 7), path.substr(dot + 1)};
}

// "materials.water.spacing" and the like
bool isFixedAtBirth(const std::string& path) {
    const std::string section = path.substr(0, path.find('.')), name = path.substr(path.rfind('.') + 1);
    return coalesce::isFixedAtBirth(section == "materials" ? "material" : section, name);
}

// A step from one pose towards another, in so much time; there where that is enough.
Pose stepTowards(const Pose& from, const Pose& to, double seconds) {
    const Vec3 way = to.position - from.position;
    const Quat &a = from.rotation, &b = to.rotation;
    const float cosine = std::min(1.0f, std::abs(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w));
    const float share =
        std::min(static_cast<float>(kLeadSpeed * seconds) / std::max(length(way), 1e-9f),
                 static_cast<float>(kLeadTurn * seconds) / std::max(2 * std::acos(cosine), 1e-9f));
    if (share >= 1) return to;
    // as shapes go between keys
    Shape between;
    between.keys = {{0, from.position, from.rotation}, {1, to.position, to.rotation}};
    return poseAt(between, share);
}

}  // namespace

void Session::noteTweaks() {
    ConstTunables now = tunablesOf(std::as_const(*m_world));
    now.shapes = nullptr;  // they come by edit() only
    for (const Edit& edit : editsBetween(tunablesOf(std::as_const(m_seen)), now)) {
        goOn();
        applyEdit(tunablesOf(m_tweaked), edit);
        if (m_recording) m_recorder.note(m_world->frame, edit);
    }
    see();
}

void Session::see() {
    m_seen = {m_world->parameters, m_world->materials, m_world->fields, m_world->emitters, m_world->sinks};
}

Pose Session::goalOf(size_t k) const {
    return m_goals.at(k).value_or(poseAt(m_world->shapes.at(k), m_world->time));
}

void Session::place(size_t k, const Pose& goal) {
    const Pose before = goalOf(k);
    m_goals[k] = goal;
    Shape& start = m_tweaked.shapes[k];
    if (start.velocity == Vec3{} && start.angularVelocity == Vec3{}) {
        start.position = goal.position, start.rotation = goal.rotation;
        return;
    }
    // what moves by itself starts as much elsewhere as it was moved
    const Quat& q = before.rotation;
    start.position += goal.position - before.position;
    start.rotation = goal.rotation * Quat{-q.x, -q.y, -q.z, q.w} * start.rotation;
}

// Every shape that has somewhere to go gets its command for the coming frame.
void Session::leadShapes() {
    for (uint32_t k = 0; k < m_goals.size(); ++k) {
        if (!m_goals[k]) continue;
        const Pose goal = *m_goals[k], now = poseAt(m_world->shapes[k], m_world->time);
        const Pose next = stepTowards(now, goal, 1.0 / m_world->parameters.solver.frameRate);
        send(MoveShape{k, next.position, next.rotation});
        if (next.position == goal.position && equal(next.rotation, goal.rotation)) m_goals[k].reset();
    }
}

std::string Session::apply(const Edit& edit) {
    goOn();
    // what the scene has no place or no range for is refused before anything changes
    if (isFixedAtBirth(edit.path)) return applyEdit(tunablesOf(m_tweaked), edit);
    const auto [name, value] = shapeValue(edit.path);
    if (name.empty()) {
        const std::string trouble = applyEdit(tunablesOf(*m_world), edit);
        if (trouble.empty()) noteTweaks();
        return trouble;
    }
    if (value == "position" || value == "rotation") {
        for (size_t k = 0; k < m_world->shapes.size(); ++k) {
            if (m_world->shapes[k].name != name || !m_world->shapes[k].keys.empty()) continue;
            std::vector<Shape> led{m_world->shapes[k]};
            const Pose goal = goalOf(k);
            led[0].position = goal.position, led[0].rotation = goal.rotation;
            Tunables values = tunablesOf(m_tweaked);
            values.shapes = &led;
            const std::string trouble = applyEdit(values, edit);
            if (trouble.empty()) place(k, {led[0].position, led[0].rotation});
            return trouble;
        }
    }
    std::string trouble = applyEdit(tunablesOf(m_tweaked), edit);
    if (trouble.empty()) trouble = applyEdit(tunablesOf(*m_world), edit);
    if (trouble.empty() && m_recording) m_recorder.note(m_world->frame, edit);
    return trouble;
}

std::string Session::edit(const Edit& edit) {
    Edit before;
    for (const Tunable& tunable : tunables())
        if (tunable.value.path == edit.path) before = tunable.value;
    std::string trouble = apply(edit);
    if (trouble.empty() && !(before == edit)) m_history.add({std::move(before), edit});
    return trouble;
}

std::string Session::edit(const std::vector<Edit>& edits) {
    Scene tried = m_tweaked;
    for (const Edit& edit : edits)
        if (const std::string trouble = applyEdit(tunablesOf(tried), edit); !trouble.empty())
            return edit.path + ": " + trouble;
    closeStep();
    for (const Edit& one : edits) edit(one);
    closeStep();
    return "";
}

bool Session::undo() {
    const std::vector<Edit> edits = m_history.undo();
    for (const Edit& edit : edits) apply(edit);
    return !edits.empty();
}

bool Session::redo() {
    const std::vector<Edit> edits = m_history.redo();
    for (const Edit& edit : edits) apply(edit);
    return !edits.empty();
}

std::vector<Edit> Session::differences() {
    noteTweaks();
    return editsBetween(tunablesOf(std::as_const(m_scene)), tunablesOf(std::as_const(m_tweaked)));
}

std::vector<Tunable> Session::tunables() {
    std::vector<Tunable> list = listTunables(tunablesOf(std::as_const(*m_world)));
    const std::vector<Tunable> wanted = listTunables(tunablesOf(std::as_const(m_tweaked)));
    CHECK_EQ(list.size(), wanted.size());
    for (size_t k = 0; k < list.size(); ++k) {
        Tunable& t = list[k];
        if (coalesce::isFixedAtBirth(t.info.group, t.info.name)) t = wanted[k];
        if (t.section != "shapes") continue;
        const bool place = std::string_view(t.info.name) == "position",
                   turn = t.type == Tunable::Type::Rotation;
        if (!place && !turn) continue;
        for (size_t s = 0; s < m_goals.size(); ++s) {
            if (m_world->shapes[s].name != t.element) continue;
            const Pose goal = goalOf(s);
            const auto& [p, q] = goal;
            t.value.numbers =
                place ? std::vector<double>{p.x, p.y, p.z} : std::vector<double>{q.x, q.y, q.z, q.w};
        }
    }
    return list;
}

std::vector<Edit> Session::fixedTweaks() const {
    ConstTunables now = tunablesOf(std::as_const(*m_world)), wanted = tunablesOf(m_tweaked);
    now.shapes = wanted.shapes = nullptr;
    std::vector<Edit> edits = editsBetween(now, wanted);
    std::erase_if(edits, [](const Edit& edit) { return !isFixedAtBirth(edit.path); });
    return edits;
}

bool Session::waitsForReset() const {
    return !fixedTweaks().empty();
}

}  // namespace coalesce
