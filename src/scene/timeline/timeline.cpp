#include "scene/timeline/timeline.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numbers>
#include <optional>
#include <span>
#include <type_traits>

#include "scene/build/build.h"
#include "scene/build/groups.h"
#include "scene/build/validation_issue.h"
#include "scene/format/edits.h"
#include "scene/format/key_spec.h"
#include "scene/format/overrides.h"
#include "scene/format/presets.h"
#include "scene/format/scene_files.h"
#include "scene/timeline/interpolation.h"
#include "scene/timeline/measurements.h"
#include "sim/interaction/pick.h"
#include "sim/world/time_step.h"

namespace coalesce {

namespace {

constexpr const char* kTimeScale = "solver.timeScale";

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
std::string setField(T& field, const ParameterInfo& info, std::span<const double> value,
                     const std::string& word) {
    if constexpr (std::is_enum_v<T>) {
        const auto& names = choiceNames<T>();
        const std::vector<std::string> words(names.begin(), names.end());
        if (word.empty()) return "it is a choice, set by a word: " + listOf(words);
        const auto found = std::find(words.begin(), words.end(), word);
        if (found == words.end())
            return fmt::format("\"{}\" is not one of {}.{}", printable(word), listOf(words),
                               didYouMean(word, words));
        field = static_cast<T>(found - words.begin());
        return "";
    }
    if (!word.empty()) return "it is not a choice: it takes numbers, no word";
    for (const double number : value)
        if (!isWithin(number, info.min, info.max))
            return fmt::format("{} is out of range: {} to {}", numberText(float(number)),
                               numberText(info.min), numberText(info.max));
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
        return "";  // choices: above
    }
}

// Sets the property of this name of a manifest.
template <class Fields>
std::string setAmong(Fields& fields, const std::string& group, const std::string& name,
                     std::span<const double> value, const std::string& word) {
    std::string answer = "?";
    std::vector<std::string> names;
    forEachParameter(fields, [&](auto& field, const ParameterInfo& info) {
        if (info.group != group) return;
        names.emplace_back(info.name);
        if (info.name == name) answer = setField(field, info, value, word);
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
        if (answer.empty()) shape.angularVelocity = float(std::numbers::pi / 180) * shape.angularVelocity;
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
    const double turn = 2 * std::numbers::pi * (std::min(t, endOf(c)) - c.at) / c.period;
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

// The shape of a path "shapes.gate.position"; null for other paths.
Shape* shapeOf(const std::string& path, std::vector<Shape>& shapes) {
    if (!path.starts_with("shapes.") || !path.ends_with(".position")) return nullptr;
    return named(shapes, path.substr(7, path.size() - 7 - 9));
}
// The shape whose position a command changes gradually; null for other commands.
Shape* movedShape(const TimedCommand& c, std::vector<Shape>& shapes) {
    return endOf(c) > c.at ? shapeOf(c.set, shapes) : nullptr;
}

// Gives a shape the velocity that moves it to its target position at the end of the frame, so that collisions
// see a continuous motion. If the path does not start at the current position, the shape jumps to its start.
// valueAt: the path by a clock, on which it begins at `begin` and the frame from `from` takes `length` [s];
// the simulation is at `time`, and the frame takes `frame` there [s].
template <class ValueAt>
void moveToTarget(Shape& shape, const ValueAt& valueAt, double begin, double from, double span, double time,
                  double frame, bool first) {
    const auto positionAt = [&](double t) {
        Vec3 position{};
        toFloats(position, valueAt(t));
        return position;
    };
    startAnew(shape, time);
    const Vec3 start = positionAt(begin);
    const float near = length(positionAt(begin + span) - start) + 1e-4f * (1 + length(start));
    if (first && length(shape.position - start) > near) shape.position = positionAt(from);
    const Vec3 displacement = positionAt(from + span) - shape.position;
    shape.velocity = float(1 / frame) * displacement;
}

// Period of a repeated command [s]; 0: it is executed once.
double periodOf(const TimedCommand& c, double frameRate) {
    return c.everyFrames > 0 ? c.everyFrames / frameRate : c.every;
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

std::string adjust(const Adjustable& world, const std::string& path, const std::vector<double>& value,
                   const std::string& word) {
    const size_t dot = path.find('.'), last = path.rfind('.');
    if (dot == std::string::npos) return "it is not a path; for example \"world.gravity\"";
    const std::string section = path.substr(0, dot), name = path.substr(last + 1),
                      element = last > dot ? path.substr(dot + 1, last - dot - 1) : "";
    if (section == "materials") {
        Material* material = named(world.materials, element);
        if (!material) return unknown("material", world.materials, element);
        if (isFixedAtStart("material", name)) return "it is fixed when particles are spawned";
        return setAmong(material->properties, "material", name, value, word);
    }
    if (section == "shapes") {
        Shape* shape = named(world.shapes, element);
        return shape ? setOfShape(*shape, name, value, world.time) : unknown("shape", world.shapes, element);
    }
    if (section == "fields") {
        ForceField* field = named(world.forceFields, element);
        return field ? setAmong(field->properties, "field", name, value, word)
                     : unknown("force field", world.forceFields, element);
    }
    // restores the value if the combination is invalid
    const auto setIfValid = [&](auto& properties, const char* group) {
        const auto before = properties;
        std::string answer = setAmong(properties, group, name, value, word);
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
    return setAmong(world.parameters, section, name, value, word);
}

std::string fixedValueIn(const std::vector<Edit>& values) {
    for (const Edit& edit : values) {
        const std::string section = edit.path.substr(0, edit.path.find('.')),
                          name = edit.path.substr(edit.path.rfind('.') + 1);
        if (isFixedAtStart(section == "materials" ? "material" : section, name)) return edit.path;
    }
    return "";
}

Timeline::Timeline(const Scene& scene)
    : m_scene(scene), m_names(scene), m_frameRate(double(scene.parameters.solver.frameRate)) {
    for (const TimedCommand& command : scene.timeline) {
        if (isOfFilm(command)) continue;
        m_commands.push_back({.command = command, .preset = {}});
        if (!command.preset.empty())
            m_commands.back().preset = valuesFor(scene, readPreset(resolvePath(scene, command.preset)));
    }
    for (const Track& track : scene.tracks) {
        m_tracks.push_back({track, {}, false});
        std::string ignored;  // the reader has validated them
        for (const std::string& text : track.expr) m_tracks.back().expressions.emplace_back(text, ignored);
    }
    for (const Body& body : scene.bodies) m_spawned.push_back(body.at <= 0);
}

Timeline::Span Timeline::spanOf(Clock clock, const World& world, double time, uint64_t frame) const {
    if (clock == Clock::film) return {double(frame) / m_frameRate, 1 / m_frameRate};
    return {time, nominalFrameLength(world.parameters.solver)};
}

void Timeline::setValues(World& world, double time, uint64_t frame) {
    for (Pending& pending : m_commands) {
        const TimedCommand& c = pending.command;
        const Span span = spanOf(c.clock, world, time, frame);
        if (pending.done || c.set.empty() || c.at > span.from + kTimeEpsilon) continue;
        const Adjustable target{world.parameters, world.materials, world.shapes, world.forceFields,
                                world.emitters,   world.sinks,     time};
        const bool first = !pending.begun, reached = span.from + kTimeEpsilon >= endOf(c);
        pending.begun = true;
        if (Shape* shape = movedShape(c, world.shapes)) {
            // a motion takes at least one frame
            pending.done = reached && !first;
            moveToTarget(
                *shape, [&](double t) { return valueAt(c, t); }, c.at, span.from, span.length, time,
                nominalFrameLength(world.parameters.solver), first);
            if (!pending.done) continue;
            adjust(target, c.set, valueAt(c, endOf(c)));
            shape->velocity = {};
            continue;
        }
        pending.done = reached;
        adjust(target, c.set,
               !reached && isMotion(c.set) ? meanOver(c, span.from, span.length)
                                           : valueAt(c, reached ? endOf(c) : span.from),
               c.word);
    }
}

// The time scale of a frame, which the length of the frame and with it all simulated times depend on.
void Timeline::setTimeScale(World& world, uint64_t frame) const {
    for (const Animated& animated : m_tracks)
        if (animated.track.set == kTimeScale)
            world.parameters.solver.timeScale =
                float(valueAt(animated.track.keys, spanOf(Clock::film, world, 0, frame).from)[0]);
}

// measured: expressions may measure the world; not while the past of a loaded world is replayed.
void Timeline::setTracks(World& world, double time, uint64_t frame, bool measured) {
    std::optional<Measurements> measurements;
    for (Animated& animated : m_tracks) {
        const Track& track = animated.track;
        if (track.set == kTimeScale) continue;
        const bool measures = std::any_of(animated.expressions.begin(), animated.expressions.end(),
                                          [](const Expression& e) { return !e.measures().empty(); });
        if (measures && !measured) continue;
        const Span span = spanOf(track.clock, world, time, frame),
                   film = spanOf(Clock::film, world, time, frame);
        if (measures && !measurements) measurements.emplace(m_names, world);
        const auto measure = [&](const MeasureCall& call) { return measurements->valueOf(call); };
        const auto valueOf = [&](double t) {
            if (!track.keys.empty())
                return track.keys[0].word.empty() ? valueAt(track.keys, t) : std::vector<double>();
            // t is on the clock of the track; the other clock goes along
            const double share = (t - span.from) / span.length;
            const ExpressionTime at{time + share * nominalFrameLength(world.parameters.solver),
                                    film.from + share * film.length, double(frame) + share};
            std::vector<double> value;
            for (const Expression& e : animated.expressions) value.push_back(e.evaluate(at, measure));
            return value;
        };
        const Adjustable target{world.parameters, world.materials, world.shapes, world.forceFields,
                                world.emitters,   world.sinks,     time};
        const bool first = !animated.begun;
        animated.begun = true;
        std::string trouble;
        if (Shape* shape = track.set.ends_with(".position") ? shapeOf(track.set, world.shapes) : nullptr) {
            moveToTarget(*shape, valueOf, span.from, span.from, span.length, time,
                         nominalFrameLength(world.parameters.solver), first);
        } else {
            const std::string word = track.keys.empty() || track.keys[0].word.empty()
                                         ? ""
                                         : wordAt(track.keys, span.from + kTimeEpsilon);
            // a velocity holds for the whole frame
            trouble = adjust(target, track.set,
                             valueOf(isMotion(track.set) ? 0.5 * (span.from + span.to()) : span.from), word);
        }
        if (!trouble.empty())
            fail(Exit::Simulation, fmt::format("frame {}, track {}", frame, track.set), trouble,
                 "Limit the expression, for example with clamp(value, low, high).");
    }
}

void Timeline::catchUp(World& world) {
    if (m_begun) return;
    m_begun = true;
    for (size_t b = 0; b < m_spawned.size(); ++b)
        m_spawned[b] = m_spawned[b] || m_scene.bodies[b].at < world.time - kTimeEpsilon;  // the state has it
    for (Pending& pending : m_commands)
        if (pending.command.set.empty()) {
            // by the clock of the command
            const TimedCommand& c = pending.command;
            const double now = spanOf(c.clock, world, world.time, world.frame).from - kTimeEpsilon;
            if (const double every = periodOf(c, m_frameRate); every > 0)
                pending.fired = now > c.at ? uint64_t(std::ceil((now - c.at) / every)) : 0;
            else if (std::max(c.at, c.until) < now)
                pending.done = true;
        }
    // a saved state has the positions of shapes whose motion has changed
    const std::vector<Shape> saved = world.shapes;
    const auto isPending = [](const Pending& p) { return !p.command.set.empty() && !p.done; };
    uint64_t frame = 0;
    for (double t = 0; t < world.time - kTimeEpsilon &&
                       (std::any_of(m_commands.begin(), m_commands.end(), isPending) || !m_tracks.empty());
         ++frame) {
        setTimeScale(world, frame);
        setValues(world, t, frame);
        setTracks(world, t, frame, false);
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
    setTimeScale(world, world.frame);
    for (const size_t b : spawnOrder(m_scene)) {
        if (m_spawned[b] || m_scene.bodies[b].at > now) continue;
        addBody(m_scene, b, world);
        m_spawned[b] = true;
    }
    world.spawning.bodiesPending = std::find(m_spawned.begin(), m_spawned.end(), false) != m_spawned.end();
    setValues(world, world.time, world.frame);
    setTracks(world, world.time, world.frame, true);
    for (Pending& pending : m_commands) {
        if (pending.done || !pending.command.set.empty()) continue;
        const Span span = spanOf(pending.command.clock, world, world.time, world.frame);
        if (isDue(pending, span)) pending.done = execute(world, pending, span);
    }
}

Timeline::Progress Timeline::progress() const {
    Progress progress;
    progress.spawned = m_spawned, progress.caughtUp = m_begun;
    for (const Pending& pending : m_commands) {
        progress.begun.push_back(pending.begun);
        progress.done.push_back(pending.done);
        progress.fired.push_back(pending.fired);
    }
    for (const Animated& animated : m_tracks) progress.moved.push_back(animated.begun);
    return progress;
}

void Timeline::setProgress(const Progress& progress) {
    CHECK_EQ(progress.begun.size(), m_commands.size());
    for (size_t k = 0; k < m_commands.size(); ++k) {
        m_commands[k].begun = progress.begun[k];
        m_commands[k].done = progress.done[k];
        m_commands[k].fired = progress.fired[k];
    }
    for (size_t k = 0; k < m_tracks.size(); ++k) m_tracks[k].begun = progress.moved[k];
    m_spawned = progress.spawned;
    m_begun = progress.caughtUp;
}

// Whether a command is to be executed in the frame that begins now. Repetition k is due at at + k · every; of
// several in one frame one is executed.
bool Timeline::isDue(Pending& pending, const Span& span) const {
    const TimedCommand& c = pending.command;
    const double now = span.from + kTimeEpsilon;
    if (c.at > now) return false;
    const double every = periodOf(c, m_frameRate);
    if (!(every > 0)) return true;
    if (c.until > c.at && now > c.until + 2 * kTimeEpsilon) return false;
    const auto due = uint64_t((now - c.at) / every) + 1;
    if (due <= pending.fired) return false;
    pending.fired = due;
    return true;
}

bool Timeline::execute(World& world, const Pending& pending, const Span& span) {
    const TimedCommand& c = pending.command;
    const auto constraint = uint32_t(c.constraint);
    const std::optional<Vec3> at = targetOf(world, constraint);
    const bool repeats = periodOf(c, m_frameRate) > 0, lasts = c.until > span.to() + kTimeEpsilon;
    if (!c.release.empty()) {
        release(world, *m_names.find(c.release), m_scene);
    } else if (!c.grab.empty()) {
        const auto id = grabbedParticle(world, *m_names.find(c.grab), c);
        const auto position = id ? placeOf(world, *id) : std::nullopt;
        if (position) world.commands.push_back(Grab{constraint, *id, c.target.value_or(*position)});
    } else if (c.drag) {
        if (at) world.commands.push_back(MoveTarget{constraint, stepTowards(*at, c, span.from, span.length)});
        return !(c.until > span.from + span.length * (1 + kTimeEpsilon));
    } else if (c.letGo) {
        if (at) world.commands.push_back(Release{constraint});
    } else if (!c.cut.empty()) {
        world.commands.push_back(Cut{c.cut[0], c.cut[1], c.cut[2]});
    } else if (c.ball) {
        world.commands.push_back(*c.ball);
    } else if (c.pour) {
        world.commands.push_back(*c.pour);
        return !lasts;
    } else if (c.gust) {
        world.commands.push_back(*c.gust);
        return !lasts;
    } else if (c.brush) {
        world.commands.push_back(*c.brush);
    } else if (c.place) {
        const auto shape = std::ranges::find(world.shapes, c.place->shape, &Shape::name);
        world.commands.push_back(
            MoveShape{uint32_t(shape - world.shapes.begin()), c.place->position, c.place->rotation});
    } else if (!c.preset.empty()) {
        for (const Edit& edit : pending.preset) applyEdit(tunablesOf(world), edit);
    }
    return !repeats;
}

}  // namespace coalesce
