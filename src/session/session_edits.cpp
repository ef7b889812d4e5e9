// What a hand changes while a scene runs: values of the world, what the next reset builds from, and how to
// take it back.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "kernels/math/rotation.h"
#include "scene/build/validation_issue.h"
#include "session/session.h"

namespace coalesce {

namespace {

// As fast as an arm moves what it holds; a jump would leave particles inside of a shape, and throw them out.
constexpr float kLeadSpeed = 4;               // [m/s]
constexpr float kLeadTurn = 2 * 3.14159265f;  // [rad/s]

bool equal(const Quat& a, const Quat& b) {
    return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

// Of "shapes.gate.position" and "sinks.drain.age": section, name and value. Empty: another path.
struct FormPath {
    std::string section, element, value;
    bool isPlace() const { return value == "position" || value == "rotation"; }
};
FormPath formPath(const std::string& path) {
    const size_t first = path.find('.'), last = path.rfind('.');
    const std::string section = path.substr(0, first);
    if ((section != "shapes" && section != "sinks") || last <= first + 1) return {};
    return {section, path.substr(first + 1, last - first - 1), path.substr(last + 1)};
}

// The form of this name in a scene or a world; null: it has none with a place of its own.
template <class Holder>
auto formIn(Holder& of, const std::string& section, const std::string& element)
    -> decltype(&of.shapes.front()) {
    if (section == "shapes") {
        for (auto& shape : of.shapes)
            if (shape.name == element && shape.keys.empty()) return &shape;
    } else {
        for (auto& sink : of.sinks)
            if (sink.name == element && sink.formed) return &sink.form;
    }
    return nullptr;
}

Pose startOf(const Shape& shape) {
    return {shape.position, shape.rotation};
}

// Where something must be now if it had started at `to` instead of `from`, and the other way round.
Pose shifted(const Pose& now, const Pose& from, const Pose& to) {
    // to the last bit where it has not moved
    return {now.position == from.position ? to.position : now.position + (to.position - from.position),
            equal(now.rotation, from.rotation)
                ? to.rotation
                : normalized(now.rotation * conjugate(from.rotation) * to.rotation)};
}

Edit positionEdit(const std::string& path, Vec3 p) {
    return {path, {p.x, p.y, p.z}, {}};
}
Edit rotationEdit(const std::string& path, Quat q) {
    return {path, {q.x, q.y, q.z, q.w}, {}};
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

void Session::collectUserEdits() {
    ConstTunables now = tunablesOf(std::as_const(*m_world));
    now.shapes = nullptr;  // they come by edit() only
    for (const Edit& edit : editsBetween(tunablesOf(std::as_const(m_seen)), now)) {
        discardFuture();
        note({.what = Change::What::World, .edit = edit});
        note({.what = Change::What::Edit, .edit = edit});
        applyEdit(tunablesOf(m_edited), edit);
        if (m_recording) m_recorder.note(m_world->frame, edit);
    }
    see();
}

void Session::see() {
    m_seen = {m_world->parameters, m_world->materials, m_world->fields, m_world->emitters, m_world->sinks};
}

Pose Session::goalOf(size_t k) const {
    return m_targets.at(k).value_or(poseAt(m_world->shapes.at(k), m_world->time));
}

void Session::moveThere(const std::string& section, const std::string& element, const Pose& goal) {
    const Shape* form = formIn(*m_world, section, element);
    const Shape* start = formIn(m_edited, section, element);
    if (!form || !start) return;
    const Pose now = section == "shapes" ? goalOf(static_cast<size_t>(form - m_world->shapes.data()))
                                         : poseAt(*form, m_world->time);
    const Pose to = shifted(startOf(*start), now, goal);
    const std::string path = section + "." + element + ".";
    if (!(goal.position == now.position)) edit(positionEdit(path + "position", to.position));
    if (!equal(goal.rotation, now.rotation)) edit(rotationEdit(path + "rotation", to.rotation));
}

// Every shape that has somewhere to go gets its command for the coming frame. What moves by itself does so on
// the way, too, and its goal with it.
void Session::driveToTargets() {
    const double frame = 1.0 / m_world->parameters.solver.frameRate;  // [s]
    for (uint32_t k = 0; k < m_targets.size(); ++k) {
        if (!m_targets[k]) continue;
        const Shape& shape = m_world->shapes[k];
        Shape moved;
        moved.velocity = shape.velocity, moved.angularVelocity = shape.angularVelocity;
        moved.position = m_targets[k]->position, moved.rotation = m_targets[k]->rotation;
        const Pose goal = poseAt(moved, frame), now = poseAt(shape, m_world->time + frame);
        const Pose next = stepTowards(now, goal, frame);
        send(MoveShape{k, next.position, next.rotation});
        if (next.position == goal.position && equal(next.rotation, goal.rotation))
            m_targets[k].reset();
        else
            m_targets[k] = goal;
    }
}

// A place: of the start in the scene, and of now in the world, where a shape is led to it.
std::string Session::applyPlace(const Edit& edit, const std::string& section, const std::string& element) {
    collectUserEdits();
    Shape *form = formIn(*m_world, section, element), *start = formIn(m_edited, section, element);
    if (!form || !start) return applyEdit(tunablesOf(m_edited), edit);  // which says what is wrong
    const Pose before = startOf(*start);
    const std::string trouble = applyEdit(tunablesOf(m_edited), edit);
    if (!trouble.empty()) return trouble;
    note({.what = Change::What::Edit, .edit = edit});
    if (section == "shapes") {
        const auto k = static_cast<size_t>(form - m_world->shapes.data());
        m_targets[k] = shifted(goalOf(k), before, startOf(*start));
        note({.what = Change::What::Goal, .edit = {}, .shape = k, .goal = *m_targets[k]});
        return "";
    }
    const Pose now = shifted(poseAt(*form, m_world->time), before, startOf(*start));
    const Edit live = edit.path.ends_with(".position") ? positionEdit(edit.path, now.position)
                                                       : rotationEdit(edit.path, now.rotation);
    applyEdit(tunablesOf(*m_world), live);
    note({.what = Change::What::World, .edit = live});
    see();
    if (m_recording) m_recorder.note(m_world->frame, live);
    return "";
}

std::string Session::apply(const Edit& edit) {
    discardFuture();
    // what the scene has no place or no range for is refused before anything changes
    if (isFixedAtBirth(edit.path)) {
        const std::string trouble = applyEdit(tunablesOf(m_edited), edit);
        if (trouble.empty()) note({.what = Change::What::Edit, .edit = edit});
        return trouble;
    }
    const FormPath form = formPath(edit.path);
    if (form.isPlace()) return applyPlace(edit, form.section, form.element);
    if (form.section != "shapes" && form.value != "velocity") {
        const std::string trouble = applyEdit(tunablesOf(*m_world), edit);
        if (trouble.empty()) collectUserEdits();
        return trouble;
    }
    // another motion begins where the thing is now, and with the next start at its beginning
    collectUserEdits();
    std::string trouble = applyEdit(tunablesOf(m_edited), edit);
    if (trouble.empty()) trouble = applyEdit(tunablesOf(*m_world), edit);
    see();
    if (!trouble.empty()) return trouble;
    note({.what = Change::What::Edit, .edit = edit});
    note({.what = Change::What::World, .edit = edit});
    if (m_recording) m_recorder.note(m_world->frame, edit);
    return "";
}

// As tunables() has it.
Edit Session::valueOf(const std::string& path) {
    for (const Tunable& tunable : tunables())
        if (tunable.value.path == path) return tunable.value;
    return {};
}

// What of the scene the value would not go together with; it is not changed.
std::string Session::objectionTo(const Edit& edit) {
    const Edit before = editAt(tunablesOf(std::as_const(m_edited)), edit.path);
    if (before.path.empty() || !applyEdit(tunablesOf(m_edited), edit).empty()) return "";
    const std::string objection = coalesce::objectionTo(m_edited, edit.path);
    applyEdit(tunablesOf(m_edited), before);
    return objection;
}

std::string Session::edit(const Edit& edit) {
    Edit before = valueOf(edit.path);
    std::string trouble = objectionTo(edit);
    if (trouble.empty()) trouble = apply(edit);
    if (!trouble.empty())
        m_notices.push_back(edit.path + ": " + trouble);
    else if (!(before == edit))
        m_history.add({std::move(before), edit});
    return trouble;
}

std::string Session::edit(const std::vector<Edit>& edits) {
    Scene tried = m_edited;
    for (const Edit& edit : edits)
        if (const std::string trouble = applyEdit(tunablesOf(tried), edit); !trouble.empty())
            return edit.path + ": " + trouble;
    // in the end; on the way there they may not go together
    for (const Edit& edit : edits)
        if (const std::string trouble = coalesce::objectionTo(tried, edit.path); !trouble.empty())
            return edit.path + ": " + trouble;
    closeStep();
    for (const Edit& one : edits) {
        Edit before = valueOf(one.path);
        if (apply(one).empty() && !(before == one)) m_history.add({std::move(before), one});
    }
    closeStep();
    return "";
}

// A step of the history. Where a file that was read again has a value no more, that part of it is lost.
bool Session::applyStep(const std::vector<Edit>& edits, const char* what) {
    for (const Edit& edit : edits)
        if (const std::string trouble = apply(edit); !trouble.empty())
            m_notices.push_back(edit.path + what + trouble);
    return !edits.empty();
}

bool Session::undo() {
    return applyStep(m_history.undo(), " cannot be taken back: ");
}

bool Session::redo() {
    return applyStep(m_history.redo(), " cannot be done again: ");
}

std::vector<Edit> Session::differences() {
    collectUserEdits();
    return editsBetween(tunablesOf(std::as_const(m_scene)), tunablesOf(std::as_const(m_edited)));
}

std::vector<Tunable> Session::tunables() {
    std::vector<Tunable> list = listTunables(tunablesOf(std::as_const(*m_world)));
    const std::vector<Tunable> wanted = listTunables(tunablesOf(std::as_const(m_edited)));
    CHECK_EQ(list.size(), wanted.size());
    for (size_t k = 0; k < list.size(); ++k) {
        Tunable& t = list[k];
        if (coalesce::isFixedAtBirth(t.info.group, t.info.name)) t = wanted[k];
        if (formPath(t.value.path).isPlace()) t = wanted[k];
    }
    return list;
}

std::vector<Edit> Session::fixedTweaks() const {
    ConstTunables now = tunablesOf(std::as_const(*m_world)), wanted = tunablesOf(m_edited);
    now.shapes = wanted.shapes = nullptr;
    std::vector<Edit> edits = editsBetween(now, wanted);
    std::erase_if(edits, [](const Edit& edit) { return !isFixedAtBirth(edit.path); });
    return edits;
}

bool Session::waitsForReset() const {
    return !fixedTweaks().empty();
}

}  // namespace coalesce
