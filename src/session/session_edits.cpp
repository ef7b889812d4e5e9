// Edits of a running scene: values of the world, of the scene that a restart builds from, undo and redo.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "kernels/math/rotation.h"
#include "scene/build/validation_issue.h"
#include "session/session.h"
#include "sim/world/time_step.h"

namespace coalesce {

namespace {

constexpr const char* kPlaysCache =
    "a cache is played, which values do not change. Open the scene to simulate it";

// Limits of the motion towards a target pose, about those of a human arm. A jump would leave particles inside
// the shape, which would eject them.
constexpr float kMaxTargetSpeed = 4;               // [m/s]
constexpr float kMaxTargetTurn = 2 * 3.14159265f;  // [rad/s]

bool equal(const Quat& a, const Quat& b) {
    return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

// Section, element and value of paths such as "shapes.gate.position" and "sinks.drain.age". Empty: any other
// path.
struct FormPath {
    std::string section, element, value;
    bool isPose() const { return value == "position" || value == "rotation"; }
};
FormPath formPath(const std::string& path) {
    const size_t first = path.find('.'), last = path.rfind('.');
    const std::string section = path.substr(0, first);
    if ((section != "shapes" && section != "sinks") || last <= first + 1) return {};
    return {section, path.substr(first + 1, last - first - 1), path.substr(last + 1)};
}

// The shape, or the sink's shape, of this name in a scene or a world; null: none, or its keys set its pose.
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

Pose initialPose(const Shape& shape) {
    return {shape.position, shape.rotation};
}

// The present pose `now` of an element, if its initial pose were `to` instead of `from`; and vice versa.
Pose shifted(const Pose& now, const Pose& from, const Pose& to) {
    // bit-exact where it has not moved
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
bool isFixedAtStart(const std::string& path) {
    const std::string section = path.substr(0, path.find('.')), name = path.substr(path.rfind('.') + 1);
    return coalesce::isFixedAtStart(section == "materials" ? "material" : section, name);
}

// A step of this duration from one pose towards another; `to` if it can be reached.
Pose stepTowards(const Pose& from, const Pose& to, double seconds) {
    const Vec3 offset = to.position - from.position;
    const Quat &a = from.rotation, &b = to.rotation;
    const float cosine = std::min(1.0f, std::abs(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w));
    const float share = std::min(float(kMaxTargetSpeed * seconds) / std::max(length(offset), 1e-9f),
                                 float(kMaxTargetTurn * seconds) / std::max(2 * std::acos(cosine), 1e-9f));
    if (share >= 1) return to;
    // interpolated like the keys of a shape
    Shape between;
    between.keys = {{0, from.position, from.rotation}, {1, to.position, to.rotation}};
    return poseAt(between, share);
}

}  // namespace

void Session::collectUserEdits() {
    ConstTunables now = tunablesOf(std::as_const(*m_world));
    now.shapes = nullptr;  // they change by edit() only
    for (const Edit& edit : editsBetween(tunablesOf(std::as_const(m_baseline)), now)) {
        discardFuture();
        record({.what = Change::What::World, .edit = edit});
        record({.what = Change::What::Edit, .edit = edit});
        applyEdit(tunablesOf(m_edited), edit);
        if (m_recording) m_recorder.record(m_world->frame, edit);
    }
    captureBaseline();
}

void Session::captureBaseline() {
    m_baseline = {m_world->parameters, m_world->materials, m_world->forceFields, m_world->emitters,
                  m_world->sinks};
}

Pose Session::targetPose(size_t k) const {
    return m_targets.at(k).value_or(poseAt(m_world->shapes.at(k), m_world->time));
}

void Session::moveTo(const std::string& section, const std::string& element, const Pose& target) {
    const Shape* form = formIn(*m_world, section, element);
    const Shape* start = formIn(m_edited, section, element);
    if (!form || !start) return;
    const Pose now = section == "shapes" ? targetPose(size_t(form - m_world->shapes.data()))
                                         : poseAt(*form, m_world->time);
    const Pose to = shifted(initialPose(*start), now, target);
    const std::string path = section + "." + element + ".";
    if (!(target.position == now.position)) edit(positionEdit(path + "position", to.position));
    if (!equal(target.rotation, now.rotation)) edit(rotationEdit(path + "rotation", to.rotation));
}

// Sends a MoveShape command for every shape with a target. A shape with a velocity keeps moving meanwhile,
// and its target moves along.
void Session::driveToTargets() {
    const double frame = nominalFrameLength(m_world->parameters.solver);  // [s]
    for (uint32_t k = 0; k < m_targets.size(); ++k) {
        if (!m_targets[k]) continue;
        const Shape& shape = m_world->shapes[k];
        Shape moved;
        moved.velocity = shape.velocity, moved.angularVelocity = shape.angularVelocity;
        moved.position = m_targets[k]->position, moved.rotation = m_targets[k]->rotation;
        const Pose target = poseAt(moved, frame), now = poseAt(shape, m_world->time + frame);
        const Pose next = stepTowards(now, target, frame);
        send(MoveShape{k, next.position, next.rotation});
        if (next.position == target.position && equal(next.rotation, target.rotation))
            m_targets[k].reset();
        else
            m_targets[k] = target;
    }
}

// Sets a position or rotation: the initial one in the edited scene, the present one in the world, which a
// shape reaches over the next frames.
std::string Session::applyPose(const Edit& edit, const std::string& section, const std::string& element) {
    collectUserEdits();
    Shape *form = formIn(*m_world, section, element), *start = formIn(m_edited, section, element);
    if (!form || !start) return applyEdit(tunablesOf(m_edited), edit);  // returns the error
    const Pose before = initialPose(*start);
    const std::string error = applyEdit(tunablesOf(m_edited), edit);
    if (!error.empty()) return error;
    record({.what = Change::What::Edit, .edit = edit});
    if (section == "shapes") {
        const auto k = size_t(form - m_world->shapes.data());
        m_targets[k] = shifted(targetPose(k), before, initialPose(*start));
        record({.what = Change::What::Target, .edit = {}, .shape = k, .target = *m_targets[k]});
        return "";
    }
    const Pose now = shifted(poseAt(*form, m_world->time), before, initialPose(*start));
    const Edit live = edit.path.ends_with(".position") ? positionEdit(edit.path, now.position)
                                                       : rotationEdit(edit.path, now.rotation);
    applyEdit(tunablesOf(*m_world), live);
    record({.what = Change::What::World, .edit = live});
    captureBaseline();
    if (m_recording) m_recorder.record(m_world->frame, live);
    return "";
}

std::string Session::apply(const Edit& edit) {
    discardFuture();
    // unknown paths and values out of range are refused before anything changes
    if (isFixedAtStart(edit.path)) {
        const std::string error = applyEdit(tunablesOf(m_edited), edit);
        if (error.empty()) record({.what = Change::What::Edit, .edit = edit});
        return error;
    }
    const FormPath form = formPath(edit.path);
    if (form.isPose()) return applyPose(edit, form.section, form.element);
    if (form.section != "shapes" && form.value != "velocity") {
        const std::string error = applyEdit(tunablesOf(*m_world), edit);
        if (error.empty()) collectUserEdits();
        return error;
    }
    // a new velocity applies from the present pose, and after a restart from the initial pose
    collectUserEdits();
    std::string error = applyEdit(tunablesOf(m_edited), edit);
    if (error.empty()) error = applyEdit(tunablesOf(*m_world), edit);
    captureBaseline();
    if (!error.empty()) return error;
    record({.what = Change::What::Edit, .edit = edit});
    record({.what = Change::What::World, .edit = edit});
    if (m_recording) m_recorder.record(m_world->frame, edit);
    return "";
}

// As tunables() lists it.
Edit Session::valueOf(const std::string& path) {
    for (const Tunable& tunable : tunables())
        if (tunable.value.path == path) return tunable.value;
    return {};
}

// Why the value conflicts with other values of the edited scene, which stays unchanged; empty: it does not.
std::string Session::conflictOf(const Edit& edit) {
    if (m_player) return kPlaysCache;
    const Edit before = editAt(tunablesOf(std::as_const(m_edited)), edit.path);
    if (before.path.empty() || !applyEdit(tunablesOf(m_edited), edit).empty()) return "";
    const std::string conflict = coalesce::findIssue(m_edited, edit.path);
    applyEdit(tunablesOf(m_edited), before);
    return conflict;
}

std::string Session::edit(const Edit& edit) {
    const std::string error = tryEdit(edit);
    if (!error.empty()) m_notices.push_back(edit.path + ": " + error);
    return error;
}

std::string Session::tryEdit(const Edit& edit) {
    Edit before = valueOf(edit.path);
    std::string error = conflictOf(edit);
    if (error.empty()) error = apply(edit);
    if (error.empty() && !(before == edit)) addChange({std::move(before), edit});
    return error;
}

std::string Session::edit(const std::vector<Edit>& edits) {
    if (m_player) return kPlaysCache;
    Scene tried = m_edited;
    for (const Edit& edit : edits)
        if (const std::string error = applyEdit(tunablesOf(tried), edit); !error.empty())
            return edit.path + ": " + error;
    // only the final values must agree
    for (const Edit& edit : edits)
        if (const std::string error = coalesce::findIssue(tried, edit.path); !error.empty())
            return edit.path + ": " + error;
    closeStep();
    for (const Edit& next : edits) {
        Edit before = valueOf(next.path);
        if (apply(next).empty() && !(before == next)) addChange({std::move(before), next});
    }
    closeStep();
    return "";
}

void Session::addChange(EditHistory::Change change) {
    m_history.add(std::move(change));
    m_later.clear();
}

// Applies a step of the history. Paths that a reloaded file no longer has are skipped with a notice.
bool Session::applyStep(const std::vector<Edit>& edits, const char* what) {
    for (const Edit& edit : edits)
        if (const std::string error = apply(edit); !error.empty())
            m_notices.push_back(edit.path + what + error);
    return !edits.empty();
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
        if (coalesce::isFixedAtStart(t.info.group, t.info.name)) t = wanted[k];
        if (formPath(t.value.path).isPose()) t = wanted[k];
    }
    return list;
}

std::vector<Edit> Session::pendingEdits() const {
    ConstTunables now = tunablesOf(std::as_const(*m_world)), wanted = tunablesOf(m_edited);
    now.shapes = wanted.shapes = nullptr;
    std::vector<Edit> edits = editsBetween(now, wanted);
    std::erase_if(edits, [](const Edit& edit) { return !isFixedAtStart(edit.path); });
    return edits;
}

bool Session::needsRestart() const {
    return !pendingEdits().empty();
}

}  // namespace coalesce
