#include "scene/timeline/timeline.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <span>
#include <type_traits>

#include "scene/build/build.h"
#include "scene/build/groups.h"
#include "scene/build/validation_issue.h"
#include "scene/format/edits.h"
#include "scene/format/overrides.h"
#include "sim/interaction/pick.h"
#include "sim/world/time_step.h"

namespace coalesce {

namespace {

constexpr double kTimeEpsilon = 1e-6;  // [s] times are sums of rounded steps

std::string toFloats(Vec3& field, std::span<const double> value) {
    if (value.size() != 3) return "it is a vector: three numbers [x, y, z]";
    field = {float(value[0]), float(value[1]), float(value[2])};
    return "";
}
std::string toFloats(float& field, std::span<const double> value) {
    if (value.size() != 1) return "it is one number";
    field = float(value[0]);
    return "";
}

template <class T>
std::string setField(T& field, const ParameterInfo& info, std::span<const double> value) {
    for (const double number : value)
        if (!(number >= info.min && number <= info.max) && !std::is_enum_v<T>)
            return fmt::format("{:g} is out of range: {:g} to {:g}", number, info.min, info.max);
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, Vec3>) {
        return toFloats(field, value);
    } else if constexpr (std::is_same_v<T, int>) {
        if (value.size() != 1) return "it is one number";
        field = int(std::lround(value[0]));
        return "";
    } else if constexpr (std::is_same_v<T, bool>) {
        if (value.size() != 1) return "it is a switch: 0 or 1";
        field = value[0] >= 0.5;
        return "";
    } else {
        return "it cannot change over time; numbers, vectors and switches can";
    }
}

// Sets the property of this name of a manifest.
template <class Fields>
std::string setAmong(Fields& fields, const std::string& group, const std::string& name,
                     std::span<const double> value) {
    std::string answer = "?";
    std::vector<std::string> names;
    forEachParameter(fields, [&](auto& field, const ParameterInfo& info) {
        if (info.group != group) return;
        names.emplace_back(info.name);
        if (info.name == name) answer = setField(field, info, value);
    });
    if (answer != "?") return answer;
    return fmt::format("there is no \"{}\".{}", printable(name), didYouMean(name, names));
}

std::string setOfShape(Shape& shape, const std::string& name, std::span<const double> value, double time) {
    if (name == "position" || name == "velocity" || name == "angularVelocity") {
        if (!shape.keys.empty())
            return "the shape moves by its keys, which replace position and velocity. Add this motion to the "
                   "keys, or remove them";
        startAnew(shape, time);
    }
    if (name == "position") return toFloats(shape.position, value);
    if (name == "velocity") return toFloats(shape.velocity, value);
    if (name == "friction") return toFloats(shape.friction, value);
    if (name == "angularVelocity") {
        const std::string answer = toFloats(shape.angularVelocity, value);
        if (answer.empty()) shape.angularVelocity = float(std::acos(-1.0) / 180) * shape.angularVelocity;
        return answer;
    }
    return fmt::format(
        "\"{}\" cannot change over time. Of a shape, position, velocity, angularVelocity [deg/s] and "
        "friction can",
        printable(name));
}

template <class T>
T* named(std::vector<T>& list, const std::string& name) {
    const auto it = std::find_if(list.begin(), list.end(), [&](const T& t) { return t.name == name; });
    return it == list.end() ? nullptr : &*it;
}
template <class T>
std::string unknown(const char* what, const std::vector<T>& list, const std::string& name) {
    std::vector<std::string> names;
    for (const T& t : list) names.push_back(t.name);
    return fmt::format("no {} is called \"{}\".{}", what, printable(name), didYouMean(name, names));
}

// End time of a command [s].
double endOf(const TimedCommand& c) {
    return !c.swing.empty() && c.until <= c.at ? std::numeric_limits<double>::infinity() : c.until;
}

// Value at time t [s]; after the end the final value.
std::vector<double> valueAt(const TimedCommand& c, double t) {
    std::vector<double> value = c.to;
    const double turn = 2 * std::acos(-1.0) * (std::min(t, endOf(c)) - c.at) / c.period;
    for (size_t k = 0; k < c.swing.size(); ++k) value[k] += c.swing[k] * std::sin(turn);
    if (c.swing.empty() && t < c.until)
        for (size_t k = 0; k < value.size(); ++k)
            value[k] = c.from[k] + (c.to[k] - c.from[k]) * (t - c.at) / (c.until - c.at);
    return value;
}

// Mean value over a frame that begins at t: the velocity that integrates to the exact path.
std::vector<double> meanOver(const TimedCommand& c, double t, double frame) {
    const double end = std::min(t + frame, endOf(c)), share = std::max(0.0, (end - t) / frame);
    std::vector<double> value = valueAt(c, 0.5 * (t + end));
    const std::vector<double> last = valueAt(c, endOf(c) < t + frame ? endOf(c) : t + frame);
    for (size_t k = 0; k < value.size(); ++k) value[k] = share * value[k] + (1 - share) * last[k];
    return value;
}

// The shape whose position a command changes gradually; null for other commands.
Shape* movedShape(const TimedCommand& c, std::vector<Shape>& shapes) {
    if (!(endOf(c) > c.at) || !c.set.starts_with("shapes.") || !c.set.ends_with(".position")) return nullptr;
    return named(shapes, c.set.substr(7, c.set.size() - 7 - 9));
}

// Gives a shape the velocity that moves it to its target position at the end of the frame, so that collisions
// see a continuous motion. If the path does not start at the current position, the shape jumps to its start.
void moveToTarget(Shape& shape, const TimedCommand& c, double time, double frame, bool first) {
    const auto positionAt = [&](double t) {
        Vec3 position{};
        toFloats(position, valueAt(c, t));
        return position;
    };
    startAnew(shape, time);
    const Vec3 from = positionAt(c.at);
    const float near = length(positionAt(c.at + frame) - from) + 1e-4f * (1 + length(from));
    if (first && length(shape.position - from) > near) shape.position = positionAt(time);
    const Vec3 displacement = positionAt(time + frame) - shape.position;
    shape.velocity = float(1 / frame) * displacement;
}

// The particle at which a body is grabbed: by index, or nearest to a point, lowest id first. nullopt: the
// body has no such particle.
std::optional<uint32_t> grabbedParticle(const World& world, const GroupNames::Meaning& body,
                                        const TimedCommand& c) {
    if (c.index >= 0) {
        // counts through all copies, without the ids that cloth reserves for tearing
        auto left = uint32_t(c.index);
        for (uint32_t g = body.first; g < body.first + body.count; ++g) {
            const Group& group = world.groups[g];
            const uint32_t spares = group.body == Group::kNoBody ? 0 : world.bodies[group.body].spares;
            if (left < group.count - spares) return group.first + left;
            left -= group.count - spares;
        }
        return {};
    }
    const std::vector<Vec4> x = world.particles.x.download();
    const std::vector<uint32_t> id = world.particles.id.download(), phase = world.particles.phase.download();
    std::optional<uint32_t> nearest;
    float least = 0;  // [m²]
    for (size_t i = 0; i < x.size(); ++i) {
        if (!body.has(phase[i])) continue;
        const Vec3 offset = xyz(x[i]) - *c.point;
        const float squared = dot(offset, offset);
        if (nearest && !(squared < least || (squared == least && id[i] < *nearest))) continue;
        nearest = id[i];
        least = squared;
    }
    return nearest;
}

// Position of a mouse constraint after this frame on its way from `from` to c.drag. Starts at the current
// position, so that a loaded state continues.
Vec3 stepTowards(Vec3 from, const TimedCommand& c, double time, double frame) {
    const double left = c.until - time;
    if (!(left > frame * (1 + kTimeEpsilon))) return *c.drag;
    return from + float(frame / left) * (*c.drag - from);
}

bool isMotion(const std::string& path) {
    return path.starts_with("shapes.") && (path.ends_with(".velocity") || path.ends_with(".angularVelocity"));
}

// Unpins the particles of a body.
void release(World& world, const GroupNames::Meaning& body, const Scene& scene) {
    std::vector<Vec4> x = world.particles.x.download();
    const std::vector<uint32_t> phase = world.particles.phase.download();
    const GroupNames names(scene);
    const std::vector<uint32_t> id = world.particles.id.download();
    std::vector<std::shared_ptr<const BodyForm>> forms(scene.bodies.size());  // null: not computed yet
    for (size_t i = 0; i < x.size(); ++i) {
        const uint32_t group = groupOf(phase[i]);
        if (!body.has(phase[i]) || x[i].w != 0 || !names.isOfBody(group)) continue;
        const uint32_t b = names.bodyOf(group).body;
        if (!forms[b]) forms[b] = formOf(scene, scene.bodies[b]);
        x[i].w = 1 / massOf(*forms[b], id[i] - world.groups[group].first);
    }
    world.particles.x.upload(x);
}

}  // namespace

std::string adjust(const Adjustable& world, const std::string& path, const std::vector<double>& value) {
    const size_t dot = path.find('.'), last = path.rfind('.');
    if (dot == std::string::npos) return "it is not a path; for example \"world.gravity\"";
    const std::string section = path.substr(0, dot), name = path.substr(last + 1),
                      element = last > dot ? path.substr(dot + 1, last - dot - 1) : "";
    if (section == "materials") {
        Material* material = named(world.materials, element);
        if (!material) return unknown("material", world.materials, element);
        if (isFixedAtStart("material", name)) return "it is fixed when particles are spawned";
        return setAmong(material->properties, "material", name, value);
    }
    if (section == "shapes") {
        Shape* shape = named(world.shapes, element);
        return shape ? setOfShape(*shape, name, value, world.time) : unknown("shape", world.shapes, element);
    }
    if (section == "fields") {
        ForceField* field = named(world.forceFields, element);
        return field ? setAmong(field->properties, "field", name, value)
                     : unknown("force field", world.forceFields, element);
    }
    // restores the value if the combination is invalid
    const auto setIfValid = [&](auto& properties, const char* group) {
        const auto before = properties;
        std::string answer = setAmong(properties, group, name, value);
        if (answer.empty())
            answer = findIssue(
                {world.parameters, world.materials, world.forceFields, world.emitters, world.sinks}, path);
        if (!answer.empty()) properties = before;
        return answer;
    };
    if (section == "emitters") {
        Emitter* emitter = named(world.emitters, element);
        return emitter ? setIfValid(emitter->properties, "emitter")
                       : unknown("emitter", world.emitters, element);
    }
    if (section == "sinks") {
        Sink* sink = named(world.sinks, element);
        if (!sink) return unknown("sink", world.sinks, element);
        const bool isMotionOfForm = name == "position" || name == "velocity";
        return isMotionOfForm ? setOfShape(sink->form, name, value, world.time)
                              : setIfValid(sink->properties, "sink");
    }
    std::vector<std::string> sections{"materials", "shapes", "fields", "emitters", "sinks"};
    forEachParameter(world.parameters, [&](const auto&, const ParameterInfo& info) {
        if (sections.back() != info.group) sections.emplace_back(info.group);
    });
    if (std::find(sections.begin(), sections.end(), section) == sections.end() || !element.empty())
        return fmt::format("there is no such section.{}", didYouMean(section, sections));
    if (isFixedAtStart(section, name)) return "it is fixed when particles are spawned";
    return setAmong(world.parameters, section, name, value);
}

Timeline::Timeline(const Scene& scene) : m_scene(scene) {
    for (const TimedCommand& command : scene.timeline) m_commands.push_back({command, false});
    for (const Body& body : scene.bodies) m_spawned.push_back(body.at <= 0);
}

void Timeline::setValues(World& world, double time) {
    const double frame = 1.0 / world.parameters.solver.frameRate;  // [s]
    for (Pending& pending : m_commands) {
        const TimedCommand& c = pending.command;
        if (pending.done || c.set.empty() || c.at > time + kTimeEpsilon) continue;
        const Adjustable target{world.parameters, world.materials, world.shapes, world.forceFields,
                                world.emitters,   world.sinks,     time};
        const bool first = !pending.begun, reached = time + kTimeEpsilon >= endOf(c);
        pending.begun = true;
        if (Shape* shape = movedShape(c, world.shapes)) {
            // a motion takes at least one frame
            pending.done = reached && !first;
            moveToTarget(*shape, c, time, frame, first);
            if (!pending.done) continue;
            adjust(target, c.set, valueAt(c, endOf(c)));
            shape->velocity = {};
            continue;
        }
        pending.done = reached;
        adjust(
            target, c.set,
            !reached && isMotion(c.set) ? meanOver(c, time, frame) : valueAt(c, reached ? endOf(c) : time));
    }
}

void Timeline::catchUp(World& world) {
    if (m_begun) return;
    m_begun = true;
    for (const size_t b : spawnOrder(m_scene)) {
        const Body& body = m_scene.bodies[b];
        if (m_spawned[b] || body.at >= world.time - kTimeEpsilon) continue;
        m_spawned[b] = true;
        for (uint32_t copy = 0; copy < copiesOf(body); ++copy)
            world.groups.push_back({.name = nameOf(body, copy), .material = body.material});
    }
    for (Pending& pending : m_commands)
        if (pending.command.set.empty() &&
            std::max(pending.command.at, pending.command.until) < world.time - kTimeEpsilon)
            pending.done = true;
    // a saved state has the positions of shapes whose motion has changed
    const std::vector<Shape> saved = world.shapes;
    const auto isPending = [](const Pending& p) { return !p.command.set.empty() && !p.done; };
    for (double t = 0;
         t < world.time - kTimeEpsilon && std::any_of(m_commands.begin(), m_commands.end(), isPending);) {
        setValues(world, t);
        t += frameLength(world.parameters.solver);
    }
    for (size_t s = 0; s < saved.size(); ++s) {
        if (saved[s].since == 0 || !saved[s].keys.empty()) continue;
        world.shapes[s].position = saved[s].position, world.shapes[s].rotation = saved[s].rotation;
        world.shapes[s].since = saved[s].since;
    }
}

void Timeline::advance(World& world) {
    const double now = world.time + kTimeEpsilon;
    catchUp(world);
    for (const size_t b : spawnOrder(m_scene)) {
        if (m_spawned[b] || m_scene.bodies[b].at > now) continue;
        addBody(m_scene, b, world);
        m_spawned[b] = true;
    }
    world.spawning.bodiesPending = std::find(m_spawned.begin(), m_spawned.end(), false) != m_spawned.end();
    setValues(world, world.time);
    for (Pending& pending : m_commands)
        if (!pending.done && pending.command.set.empty() && pending.command.at <= now)
            pending.done = execute(world, pending.command);
}

Timeline::Progress Timeline::progress() const {
    Progress progress{.begun = {}, .done = {}, .spawned = m_spawned, .caughtUp = m_begun};
    for (const Pending& pending : m_commands) {
        progress.begun.push_back(pending.begun);
        progress.done.push_back(pending.done);
    }
    return progress;
}

void Timeline::setProgress(const Progress& progress) {
    CHECK_EQ(progress.begun.size(), m_commands.size());
    for (size_t k = 0; k < m_commands.size(); ++k) {
        m_commands[k].begun = progress.begun[k];
        m_commands[k].done = progress.done[k];
    }
    m_spawned = progress.spawned;
    m_begun = progress.caughtUp;
}

bool Timeline::execute(World& world, const TimedCommand& c) {
    const auto constraint = uint32_t(c.constraint);
    const std::optional<Vec3> at = targetOf(world, constraint);
    if (!c.release.empty()) {
        release(world, *GroupNames(m_scene).find(c.release), m_scene);
    } else if (!c.grab.empty()) {
        const auto id = grabbedParticle(world, *GroupNames(m_scene).find(c.grab), c);
        const auto position = id ? placeOf(world, *id) : std::nullopt;
        if (position) world.commands.push_back(Grab{constraint, *id, *position});
    } else if (c.drag) {
        const double frame = 1.0 / world.parameters.solver.frameRate;  // [s]
        if (at) world.commands.push_back(MoveTarget{constraint, stepTowards(*at, c, world.time, frame)});
        return !(c.until > world.time + frame * (1 + kTimeEpsilon));
    } else if (c.letGo) {
        if (at) world.commands.push_back(Release{constraint});
    } else {
        world.commands.push_back(Cut{c.cut[0], c.cut[1], c.cut[2]});
    }
    return true;
}

}  // namespace coalesce
