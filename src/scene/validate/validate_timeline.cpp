#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <numeric>

#include "scene/build/build.h"
#include "scene/timeline/timeline.h"
#include "scene/validate/scene_validator.h"

namespace coalesce {

// Something must be there at the time that is held.
void Whole::released(const TimedCommand& command, const Node* node, const std::string& path) {
    const auto meaning = m_groups.find(command.release);
    if (!meaning || wrong("bodies")) return;
    bool pinned = false;
    double born = std::numeric_limits<double>::infinity();  // [s] the first of them
    for (size_t b = 0; b < m_scene.bodies.size(); ++b) {
        const Body& body = m_scene.bodies[b];
        const bool meant = meaning->material ? body.material == *meaning->material
                                             : meaning->first < m_groups.firstOf(b) + copiesOf(body) &&
                                                   m_groups.firstOf(b) < meaning->first + meaning->count;
        if (!meant || !(body.pinned || body.pin || !body.attach.empty())) continue;
        pinned = true;
        born = std::min(born, body.at);
    }
    if (!pinned)
        note(node, path,
             fmt::format("\"{}\" is not pinned, so nothing would be let go", printable(command.release)),
             "Give the body \"pinned\": true, a \"pin\" or \"attach\", or take the command away.");
    else if (born > command.at)
        note(node, path,
             fmt::format("\"{}\" is born at {:g} s, after it would be released at {:g} s",
                         printable(command.release), born, command.at),
             fmt::format("Release it at {:g} s or later.", born));
}

// A particle of a body that is there by then.
void Whole::grabbed(const TimedCommand& command, const Node* node, const std::string& path) {
    groupNamed(node, path + ".grab", command.grab, false);
    if ((command.index >= 0) == command.point.has_value())
        note(node, path, "a hand grabs a body by either index or point",
             "For example {\"at\": 1, \"grab\": \"ball\", \"point\": [0, 1, 0]}.");
    const auto meaning = m_groups.find(command.grab);
    if (!meaning || wrong("bodies")) return;
    if (meaning->material || meaning->emitted) {
        note(node, path + ".grab",
             fmt::format("\"{}\" is {}", printable(command.grab),
                         meaning->material ? "a material" : "an emitter"),
             "Name the body that the hand takes.");
        return;
    }
    const auto [b, copy] = m_groups.placeOf(meaning->first);
    const Body& body = m_scene.bodies[b];
    if (body.at > command.at)
        note(node, path,
             fmt::format("\"{}\" is born at {:g} s, after it would be grabbed at {:g} s",
                         printable(command.grab), body.at, command.at),
             fmt::format("Grab it at {:g} s or later.", body.at));
    const auto count = particlesOf(body, node, path);
    if (count && command.index >= *count * meaning->count)
        note(node, path + ".index",
             fmt::format("{} is out of range: \"{}\" has {:g} particles", command.index,
                         printable(command.grab), *count * meaning->count),
             "They are counted from 0.");
}

// What a hand does; it must hold something to move or to let go.
void Whole::handed(const TimedCommand& command, const Node* node, const std::string& path) {
    if (command.until > 0 && !(command.drag && command.until > command.at))
        note(node, path + ".until",
             command.drag ? "it must be later than `at`" : "only set and drag take time", "");
    if (!command.grab.empty()) return grabbed(command, node, path);
    if (!command.cut.empty()) {
        const std::string trouble = command.cut.size() != 3
                                        ? fmt::format("a cut has three corners, not {}", command.cut.size())
                                        : malformed(Cut{command.cut[0], command.cut[1], command.cut[2]});
        if (!trouble.empty())
            note(node, path + ".cut", trouble, "For example [[0, 2, 0], [1, 0, -1], [1, 0, 1]].");
        return;
    }
    const auto& commands = m_scene.timeline;
    const bool held = std::any_of(commands.begin(), commands.end(), [&](const TimedCommand& c) {
        return !c.grab.empty() && c.hand == command.hand && c.at <= command.at;
    });
    if (!held)
        note(node, path, fmt::format("hand {} has grabbed nothing by then", command.hand),
             "Let it grab a body before: {\"at\": 1, \"grab\": \"ball\", \"point\": [0, 1, 0]}.");
}

// A name of the release, and a path that leads to something which the values fit, with what was set before.
void Whole::timeline() {
    std::vector<size_t> order(m_scene.timeline.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return m_scene.timeline[a].at < m_scene.timeline[b].at; });
    Parameters parameters = m_scene.parameters;
    std::vector<Material> materials = m_scene.materials;
    std::vector<Shape> shapes = m_scene.shapes;
    std::vector<ForceField> fields = m_scene.fields;
    std::vector<Emitter> emitters = m_scene.emitters;
    std::vector<Sink> sinks = m_scene.sinks;
    for (const size_t i : order) {
        const TimedCommand& command = m_scene.timeline[i];
        const Node* node = element("timeline", i);
        const std::string path = pathOf("timeline", node, i);
        if (wrong(path)) continue;
        const int verbs = !command.set.empty() + !command.release.empty() + !command.grab.empty() +
                          command.drag.has_value() + command.letGo + !command.cut.empty();
        if (verbs != 1) {
            note(node, path, "a command is one of set, release, grab, drag, letGo and cut",
                 "For example {\"at\": 2, \"set\": \"world.gravity\", \"to\": [0, -9.81, 0]}.");
            continue;
        }
        if (!command.release.empty()) {
            groupNamed(node, path + ".release", command.release, false);
            released(command, node, path + ".release");
            continue;
        }
        if (command.set.empty()) {
            handed(command, node, path);
            continue;
        }
        const bool gradual = command.until > 0, swings = !command.swing.empty();
        if (gradual && !(command.until > command.at))
            note(node, path + ".until", "it must be later than `at`", "");
        if (swings && (!command.from.empty() || command.swing.size() != command.to.size()))
            note(node, path + ".swing", "a value swings about `to`: as many numbers, and no `from`",
                 "For example \"to\": [0, 1, 0], \"swing\": [1, 0, 0], \"period\": 2.");
        else if (!swings && gradual != !command.from.empty())
            note(node, path, "until and from belong together",
                 "For example \"at\": 2, \"until\": 3, \"from\": 1, \"to\": 0.");
        if (command.to.empty()) note(node, path + ".to", "is missing", "The value at the end.");
        std::vector<double> least = command.to, most = command.to;
        for (size_t k = 0; k < std::min(command.swing.size(), most.size()); ++k)
            least[k] -= command.swing[k], most[k] += command.swing[k];
        // the last of them stays
        for (const std::vector<double>& value : {command.from, least, most, command.to}) {
            if (value.empty()) continue;
            const std::string trouble =
                adjust({parameters, materials, shapes, fields, emitters, sinks}, command.set, value);
            if (trouble.empty()) continue;
            note(node, path + ".set", fmt::format("{}: {}", printable(command.set), trouble), "");
            break;
        }
    }
}

}  // namespace coalesce
