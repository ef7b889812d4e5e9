#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <numeric>

#include "scene/build/build.h"
#include "scene/timeline/timeline.h"
#include "scene/validate/scene_validator.h"

namespace coalesce {

// The body must be pinned, and in the world at that time.
void SceneValidator::validateRelease(const TimedCommand& command, const Node* node, const std::string& path) {
    const auto meaning = m_groups.find(command.release);
    if (!meaning || hasError("bodies")) return;
    bool pinned = false;
    double added = std::numeric_limits<double>::infinity();  // [s] time at which the first of them is added
    for (size_t b = 0; b < m_scene.bodies.size(); ++b) {
        const Body& body = m_scene.bodies[b];
        const bool meant = meaning->material ? body.material == *meaning->material
                                             : meaning->first < m_groups.firstOf(b) + copiesOf(body) &&
                                                   m_groups.firstOf(b) < meaning->first + meaning->count;
        if (!meant || !(body.pinned || body.pin || !body.attach.empty())) continue;
        pinned = true;
        added = std::min(added, body.at);
    }
    if (!pinned)
        report(
            node, path,
            fmt::format("\"{}\" is not pinned, so there is nothing to release", printable(command.release)),
            "Give the body \"pinned\": true, a \"pin\" or \"attach\", or remove the command.");
    else if (added > command.at)
        report(node, path,
               fmt::format("\"{}\" is added at {:g} s, after its release at {:g} s",
                           printable(command.release), added, command.at),
               fmt::format("Release it at {:g} s or later.", added));
}

// The particle must exist at that time.
void SceneValidator::validateGrab(const TimedCommand& command, const Node* node, const std::string& path) {
    validateGroupName(node, path + ".grab", command.grab, false);
    if ((command.index >= 0) == command.point.has_value())
        report(node, path, "grab needs either index or point",
               "For example {\"at\": 1, \"grab\": \"ball\", \"point\": [0, 1, 0]}.");
    const auto meaning = m_groups.find(command.grab);
    if (!meaning || hasError("bodies")) return;
    if (meaning->material || meaning->emitted) {
        report(node, path + ".grab",
               fmt::format("\"{}\" is {}", printable(command.grab),
                           meaning->material ? "a material" : "an emitter"),
               "Grab a body, or one of its copies.");
        return;
    }
    const auto [b, copy] = m_groups.bodyOf(meaning->first);
    const Body& body = m_scene.bodies[b];
    if (body.at > command.at)
        report(node, path,
               fmt::format("\"{}\" is added at {:g} s, after it is grabbed at {:g} s",
                           printable(command.grab), body.at, command.at),
               fmt::format("Grab it at {:g} s or later.", body.at));
    const auto count = particlesOf(body, node, path);
    if (count && command.index >= *count * meaning->count)
        report(node, path + ".index",
               fmt::format("{} is out of range: \"{}\" has {:g} particles", command.index,
                           printable(command.grab), *count * meaning->count),
               "Indices start at 0.");
}

// Commands of a mouse constraint: it must hold something before it moves or releases.
void SceneValidator::validateMouseCommand(const TimedCommand& command, const Node* node,
                                          const std::string& path) {
    if (command.until > 0 && !(command.drag && command.until > command.at))
        report(node, path + ".until",
               command.drag ? "it must be later than `at`" : "only set and drag have a duration", "");
    if (!command.grab.empty()) return validateGrab(command, node, path);
    if (!command.cut.empty()) {
        const std::string trouble = command.cut.size() != 3
                                        ? fmt::format("a cut has three corners, not {}", command.cut.size())
                                        : malformed(Cut{command.cut[0], command.cut[1], command.cut[2]});
        if (!trouble.empty())
            report(node, path + ".cut", trouble, "For example [[0, 2, 0], [1, 0, -1], [1, 0, 1]].");
        return;
    }
    const auto& commands = m_scene.timeline;
    const bool held = std::any_of(commands.begin(), commands.end(), [&](const TimedCommand& c) {
        return !c.grab.empty() && c.constraint == command.constraint && c.at <= command.at;
    });
    if (!held)
        report(node, path,
               fmt::format("mouse constraint {} holds no particle at that time", command.constraint),
               "Grab a body first: {\"at\": 1, \"grab\": \"ball\", \"point\": [0, 1, 0]}.");
}

// Commands in the order of time: each with one verb, existing names, and values valid after those set before.
void SceneValidator::validateTimeline() {
    std::vector<size_t> order(m_scene.timeline.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return m_scene.timeline[a].at < m_scene.timeline[b].at; });
    AdjustableCopy values(m_scene);
    for (const size_t i : order) {
        const TimedCommand& command = m_scene.timeline[i];
        const Node* node = element("timeline", i);
        const std::string path = pathOf("timeline", node, i);
        if (hasError(path)) continue;
        const int verbs = !command.set.empty() + !command.release.empty() + !command.grab.empty() +
                          command.drag.has_value() + command.letGo + !command.cut.empty() +
                          command.ball.has_value() + command.pour.has_value() + command.gust.has_value() +
                          command.brush.has_value() + command.place.has_value() + !command.preset.empty() +
                          !command.camera.empty() + !command.marker.empty();
        if (verbs != 1) {
            report(
                node, path,
                "a command needs exactly one of set, release, grab, drag, letGo and cut, or of throw, pour, "
                "gust, brush, place, preset, camera and marker",
                "For example {\"at\": 2, \"set\": \"world.gravity\", \"to\": [0, -9.81, 0]}.");
            continue;
        }
        validateRepetition(command, node, path);
        if (command.ball || command.pour || command.gust || command.brush || command.place ||
            !command.preset.empty() || !command.camera.empty() || !command.marker.empty()) {
            validateFilmCommand(command, node, path);
            continue;
        }
        if (!command.release.empty()) {
            validateGroupName(node, path + ".release", command.release, false);
            validateRelease(command, node, path + ".release");
            continue;
        }
        if (command.set.empty()) {
            validateMouseCommand(command, node, path);
            continue;
        }
        const bool gradual = command.until > 0, swings = !command.swing.empty();
        if (gradual && !(command.until > command.at))
            report(node, path + ".until", "it must be later than `at`", "");
        if (swings && (!command.from.empty() || command.swing.size() != command.to.size()))
            report(node, path + ".swing", "swing needs `to` with as many numbers, and no `from`",
                   "For example \"to\": [0, 1, 0], \"swing\": [1, 0, 0], \"period\": 2.");
        else if (!swings && gradual != !command.from.empty())
            report(node, path, "until and from must be given together",
                   "For example \"at\": 2, \"until\": 3, \"from\": 1, \"to\": 0.");
        if (!command.word.empty() && (gradual || swings || !command.to.empty()))
            report(node, path + ".word", "a choice changes at once: it takes no to, from, until or swing",
                   "For example {\"at\": 2, \"set\": \"solver.method\", \"word\": \"velocity\"}.");
        if (command.to.empty() && command.word.empty())
            report(node, path + ".to", "is missing", "Give the value at the end, or the word of a choice.");
        std::vector<double> least = command.to, most = command.to;
        for (size_t k = 0; k < std::min(command.swing.size(), most.size()); ++k)
            least[k] -= command.swing[k], most[k] += command.swing[k];
        // the last value stays in effect
        for (const std::vector<double>& value : {command.from, least, most, command.to}) {
            if (value.empty() && command.word.empty()) continue;
            const std::string trouble = adjust(values.get(), command.set, value, command.word);
            if (trouble.empty()) continue;
            report(node, path + ".set", fmt::format("{}: {}", printable(command.set), trouble), "");
            break;
        }
    }
}

}  // namespace coalesce
