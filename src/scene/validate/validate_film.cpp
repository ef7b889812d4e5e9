// Tracks, moving cameras, tools in the timeline, and shots.
#include <algorithm>
#include <fmt/format.h>

#include "scene/format/presets.h"
#include "scene/format/scene_files.h"
#include "scene/format/shots.h"
#include "scene/timeline/timeline.h"
#include "scene/validate/scene_validator.h"

namespace coalesce {

namespace {

constexpr int kTriedTimes = 240;  // times at which an expression is tried

// Element k of a list in a node; null where there is none.
const Node* childOf(const Node* node, const char* list, size_t k) {
    const Node* found = node ? node->find(list) : nullptr;
    return found && k < found->children.size() ? &found->children[k] : node;
}

// The element and the property of "shapes.gate.position".
std::string withoutProperty(const std::string& path) {
    return path.substr(0, path.rfind('.'));
}
bool movesShape(const std::string& path) {
    return path.starts_with("shapes.") &&
           (path.ends_with(".position") || path.ends_with(".velocity") || path.ends_with(".angularVelocity"));
}

}  // namespace

void SceneValidator::validateRepetition(const TimedCommand& command, const Node* node,
                                        const std::string& path) {
    const bool repeats = command.every > 0 || command.everyFrames > 0;
    if (!repeats) return;
    if (command.every > 0 && command.everyFrames > 0)
        report(node, path + ".every", "either every or everyFrames, not both", "Remove one of the two.");
    if (!command.ball && command.cut.empty() && !command.brush)
        report(node, path + ".every", "only throw, cut and brush can be repeated",
               "A value that repeats is a track with an expression; pour and gust last until `until`.");
    if (command.everyFrames > 0 && command.clock != Clock::film)
        report(node, path + ".everyFrames", "counts frames of film, but the times are simulated seconds",
               "Add \"clock\": \"film\", or give `every` in seconds.");
    if (command.until > 0 && !(command.until > command.at))
        report(node, path + ".until", "it must be later than `at`", "");
}

// A preset that a shot starts with, or that is applied during a run.
void SceneValidator::validatePreset(const std::string& file, bool duringRun, const Node* node,
                                    const std::string& path) {
    try {
        const std::vector<Edit> values = valuesFor(m_scene, readPreset(resolvePath(m_scene, file)));
        if (const std::string fixed = fixedValueIn(values); duringRun && !fixed.empty())
            report(node, path, fmt::format("it sets {}, which is fixed when particles are spawned", fixed),
                   "Remove the value from the preset, or use the preset of a shot.");
    } catch (const Error& error) {
        report(node, path, error.what(), "");
    }
}

// The tools of the window, presets, cuts between cameras, markers.
void SceneValidator::validateFilmCommand(const TimedCommand& command, const Node* node,
                                         const std::string& path) {
    const auto malformedPart = [&](const char* key, const auto& part) {
        if (const std::string trouble = malformed(part); !trouble.empty())
            report(node, path + "." + key, trouble, "");
    };
    const bool lasts = command.pour || command.gust, repeats = command.every > 0 || command.everyFrames > 0;
    if (command.until > 0 && !repeats && !(lasts && command.until > command.at))
        report(node, path + ".until",
               lasts ? "it must be later than `at`"
                     : "only set, drag, pour, gust and repetitions have a duration",
               "");
    if (command.ball) {
        malformedPart("throw", UserCommand(*command.ball));
        if (m_scene.parameters.solver.planar)
            report(node, path + ".throw", "the scene is planar, and a ball is not",
                   "Use a scene with solver.planar off.");
        double last = 0;  // [s]
        for (const Body& body : m_scene.bodies) last = std::max(last, body.at);
        if (command.clock == Clock::simulation && last > command.at)
            report(
                node, path + ".throw",
                fmt::format("a body is added at {:g} s, after this ball, which would take its group", last),
                fmt::format("Throw at {:g} s or later.", last));
    }
    if (command.pour) {
        malformedPart("pour", UserCommand(*command.pour));
        if (command.pour->material < m_scene.materials.size()) {
            const Material& material = m_scene.materials[command.pour->material];
            const MaterialKind kind = material.properties.kind;
            if (kind != MaterialKind::fluid && kind != MaterialKind::grains)
                report(node, path + ".pour.material",
                       fmt::format("\"{}\" is neither liquid nor grains, so it cannot be poured",
                                   printable(material.name)),
                       "Bodies are added by \"at\" of a body, or by an emitter.");
        }
    }
    if (command.gust) malformedPart("gust", UserCommand(*command.gust));
    if (command.brush) malformedPart("brush", UserCommand(*command.brush));
    if (command.place) {
        const std::string& name = command.place->shape;
        validateElementName(node, path + ".place.shape", "shape", name, m_scene.shapes);
        for (const Shape& shape : m_scene.shapes)
            if (shape.name == name && !shape.keys.empty())
                report(node, path + ".place.shape", fmt::format("\"{}\" moves by its keys", printable(name)),
                       "Add the pose to the keys, or remove them.");
    }
    if (!command.preset.empty()) validatePreset(command.preset, true, node, path + ".preset");
    if (!command.camera.empty())
        validateElementName(node, path + ".camera", "camera", command.camera, m_scene.cameras);
    if (command.blend > 0 && command.camera.empty())
        report(node, path + ".blend", "only a cut to a camera can blend", "");
}

// Why a track cannot give its target this value; empty: it can.
std::string SceneValidator::tryValue(const Track& track, const std::vector<double>& value,
                                     const std::string& word) const {
    return adjust(AdjustableCopy(m_scene).get(), track.set, value, word);
}

void SceneValidator::validateTrackKeys(const Track& track, const Node* node, const std::string& path) {
    for (size_t k = 0; k < track.keys.size(); ++k) {
        const TrackKey& key = track.keys[k];
        const Node* at = childOf(node, "keys", k);
        const std::string where = fmt::format("{}.keys.{}", path, k);
        if (hasError(where)) continue;
        if (key.value.empty() == key.word.empty()) {
            report(
                at, where, "a key needs either value or word",
                "For example {\"t\": 1, \"value\": 2}, or {\"t\": 1, \"word\": \"velocity\"} for a choice.");
            continue;
        }
        if (k > 0 && !(key.t > track.keys[k - 1].t))
            report(
                at, where + ".t",
                fmt::format("{:g} s is not later than the key before, at {:g} s", key.t, track.keys[k - 1].t),
                "Keys are in the order of time.");
        if (k > 0 && key.value.size() != track.keys[0].value.size()) {
            report(at, where, "its value is of another kind than that of the first key", "");
            continue;
        }
        if (const std::string trouble = tryValue(track, key.value, key.word); !trouble.empty()) {
            report(at, where, fmt::format("{}: {}", printable(track.set), trouble), "");
            return;
        }
    }
}

void SceneValidator::validateTrackExpressions(const Track& track, const Node* node, const std::string& path) {
    if (track.expr.size() != 1 && track.expr.size() != 3) {
        report(node, path + ".expr",
               fmt::format("needs one expression, or three of a vector, not {}", track.expr.size()),
               "For example \"expr\": [\"0\", \"-9.81\", \"2 * sin(t)\"].");
        return;
    }
    Names shapes;
    for (const Shape& shape : m_scene.shapes) shapes.push_back(shape.name);
    std::vector<Expression> expressions;
    bool measures = false, good = true;
    // what does not depend on the value is wrong with the target
    const std::string ofTarget = tryValue(track, std::vector(track.expr.size(), 0.0), "");
    if (!ofTarget.empty() && ofTarget == tryValue(track, std::vector(track.expr.size(), 1.0), "")) {
        report(node, path + ".set", fmt::format("{}: {}", printable(track.set), ofTarget), "");
        good = false;
    }
    for (size_t c = 0; c < track.expr.size(); ++c) {
        const Node* at = childOf(node, "expr", c);
        const std::string where = fmt::format("{}.expr.{}", path, c);
        std::string trouble;
        expressions.emplace_back(track.expr[c], trouble);
        if (!trouble.empty()) {
            report(at, where, fmt::format("\"{}\": {}", printable(track.expr[c]), trouble),
                   "The names and functions of expressions: docs/film.md.");
            good = false;
        }
        for (const MeasureCall& call : expressions.back().measures()) {
            measures = true;
            if (m_groups.find(call.of) || has(shapes, call.of)) continue;
            validateGroupName(at, where, call.of, true);
            good = false;
        }
    }
    if (!good) return;
    if (measures && movesShape(track.set)) {
        report(childOf(node, "expr", 0), path + ".expr",
               "the motion of a shape cannot depend on measures: a loaded state could not continue it",
               "Let a force field or an emitter follow them instead, or move the shape by a function of t.");
        return;
    }
    // without measures all values are known
    for (int k = 0; k <= kTriedTimes && !measures; ++k) {
        const double t = m_scene.duration * k / kTriedTimes;
        std::vector<double> value;
        for (const Expression& e : expressions)
            value.push_back(e.evaluate({t, t, t * double(m_scene.parameters.solver.frameRate)}, {}));
        const std::string trouble = tryValue(track, value, "");
        if (trouble.empty()) continue;
        report(childOf(node, "expr", 0), path + ".expr",
               fmt::format("{}: at {:.3g} s {}", printable(track.set), t, trouble),
               "Limit it, for example with clamp(value, low, high).");
        return;
    }
}

// Each target has one track, and no command sets it too.
void SceneValidator::validateTracks() {
    for (size_t i = 0; i < m_scene.tracks.size(); ++i) {
        const Track& track = m_scene.tracks[i];
        const Node* node = element("tracks", i);
        const std::string path = pathOf("tracks", node, i);
        if (hasError(path)) continue;
        const auto same = [&](const Track& other) { return other.set == track.set; };
        const auto first = std::find_if(m_scene.tracks.begin(), m_scene.tracks.end(), same);
        if (first != m_scene.tracks.begin() + std::ptrdiff_t(i))
            report(node, path + ".set",
                   fmt::format("{} has a track already, in line {}", printable(track.set), first->line),
                   "Put the keys of both into one track.");
        for (const TimedCommand& c : m_scene.timeline)
            if (c.set == track.set) {
                report(node, path + ".set",
                       fmt::format("{} is set by the timeline too, at {:g} s", printable(track.set), c.at),
                       "Make the command a key of the track, or remove one of the two.");
                break;
            }
        for (const Track& other : m_scene.tracks)
            if (&other < &track && movesShape(track.set) && movesShape(other.set) && other.set != track.set &&
                withoutProperty(other.set) == withoutProperty(track.set) &&
                (other.set.ends_with(".position") || track.set.ends_with(".position")))
                report(
                    node, path + ".set",
                    fmt::format("{} moves the shape already, in line {}", printable(other.set), other.line),
                    "A shape moves by its position or by its velocity.");
        if (track.set == "solver.frameRate") {
            report(node, path + ".set", "the frame rate is the clock of the film and cannot have a track",
                   "For slow motion use solver.timeScale.");
            continue;
        }
        if (track.keys.empty() == track.expr.empty()) {
            report(node, path, "a track needs either keys or expr",
                   "For example \"keys\": [{\"t\": 0, \"value\": 1}, {\"t\": 2, \"value\": 0}].");
            continue;
        }
        if (track.set == "solver.timeScale" && !track.expr.empty())
            report(node, path + ".expr", "the time scale takes keys only",
                   "Its times are those of the film.");
        else if (!track.keys.empty())
            validateTrackKeys(track, node, path);
        else
            validateTrackExpressions(track, node, path);
    }
}

void SceneValidator::validateCameraKeys(const CameraView& camera, const Node* node, const std::string& path) {
    for (size_t k = 0; k < camera.keys.size(); ++k) {
        const CameraKey& key = camera.keys[k];
        const Node* at = childOf(node, "keys", k);
        const std::string where = fmt::format("{}.keys.{}", path, k);
        if (hasError(where)) continue;
        if (key.eye == key.look)
            report(at, where, "eye and look are the same point, so the view has no direction", "");
        if (k > 0 && !(key.t > camera.keys[k - 1].t))
            report(at, where + ".t",
                   fmt::format("{:g} s is not later than the key before, at {:g} s", key.t,
                               camera.keys[k - 1].t),
                   "Keys are in the order of time. A cut takes a frame, for example 1/60 s.");
        if (key.orthographicHeight && camera.orthographicHeight == 0)
            report(at, where + ".orthographicHeight", "the camera has perspective",
                   "Give the camera an orthographicHeight too.");
    }
}

void SceneValidator::validateCameraMotion() {
    const Node* single = m_root.find("camera");
    for (size_t i = 0; i < m_scene.cameras.size(); ++i) {
        const CameraView& camera = m_scene.cameras[i];
        // "camera" comes before "cameras"
        const bool isSingle = single && i == 0;
        const size_t index = i - (single && i > 0 ? 1 : 0);
        const Node* node = isSingle ? single : element("cameras", index);
        const std::string path = isSingle ? "camera" : pathOf("cameras", node, index);
        if (hasError(path)) continue;
        for (const auto& [key, name] :
             {std::pair("target", camera.target), std::pair("follow", camera.follow)})
            if (!name.empty()) validateGroupName(node ? node->find(key) : node, path + "." + key, name, true);
        if (camera.orbit != 0 && !camera.keys.empty())
            report(node, path + ".orbit", "a camera moves by keys or on an orbit", "Remove one of the two.");
        if (camera.keys.empty() && camera.constantSpeed)
            report(node, path + ".constantSpeed", "the camera has no keys", "");
        validateCameraKeys(camera, node, path);
    }
}

void SceneValidator::validateShots() {
    for (size_t i = 0; i < m_scene.shots.size(); ++i) {
        const Shot& shot = m_scene.shots[i];
        const Node* node = element("shots", i);
        const std::string path = pathOf("shots", node, i);
        if (hasError(path)) continue;
        if (!(shot.to > shot.from))
            report(node, path + ".to", fmt::format("it must be later than `from`, {:g} s", shot.from), "");
        if (shot.name == "all")
            report(node, path + ".name", "\"all\" means all shots", "Choose another name.");
        if (!shot.camera.empty())
            validateElementName(node, path + ".camera", "camera", shot.camera, m_scene.cameras);
        const auto known = [&](const char* key, const std::string& name, const Names& names) {
            if (!name.empty() && !has(names, name)) reportUnknown(node, path + "." + key, key, name, names);
        };
        known("size", shot.size, m_scene.sizes);
        known("case", shot.caseName, m_scene.cases);
        known("quality", presentQuality(shot.quality), renderQualities());
        if (int width = 0, height = 0;
            !shot.resolution.empty() && !parseImageSize(shot.resolution, width, height))
            report(node, path + ".resolution",
                   fmt::format("\"{}\" is not an image size", printable(shot.resolution)),
                   "Give width and height from 1 to 16384 pixels, e.g. \"1920x1080\".");
        if (!shot.preset.empty()) validatePreset(shot.preset, false, node, path + ".preset");
    }
}

}  // namespace coalesce
