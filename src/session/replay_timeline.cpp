#include "session/replay_timeline.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/overloaded.h"
#include "scene/build/build.h"
#include "scene/build/groups.h"
#include "scene/format/json_text.h"
#include "scene/format/read_fields.h"
#include "scene/format/writer.h"
#include "scene/timeline/interpolation.h"
#include "scene/timeline/timeline.h"
#include "sim/world/time_step.h"

namespace coalesce {

namespace {

// The copy of a body that has the particle, and the index of the particle in it. nullopt: no body has it.
struct ParticleOfBody {
    std::string body;
    int index;
};
std::optional<ParticleOfBody> findParticle(uint32_t id, const Scene& scene, const World& world) {
    const GroupNames names(scene);
    for (uint32_t g = 0; g < world.groups.size(); ++g) {
        const Group& group = world.groups[g];
        if (!names.isOfBody(g)) continue;
        // torn cloth gets ids that are reserved for it, behind those of the body
        const uint32_t spares = group.body == Group::kNoBody ? 0 : world.bodies[group.body].spares;
        if (id < group.first || id - group.first >= group.count - spares) continue;
        const auto [body, copy] = names.bodyOf(g);
        return ParticleOfBody{nameOf(scene.bodies[body], copy), int(id - group.first)};
    }
    return {};
}

// Whether the scene itself sets a value, or a value of an element: "shapes.gate.".
bool isSetByScene(const Scene& scene, const std::string& path) {
    const auto sets = [&](const auto& command) {
        return path.ends_with('.') ? command.set.starts_with(path) : command.set == path;
    };
    return std::ranges::any_of(scene.timeline, sets) || std::ranges::any_of(scene.tracks, sets);
}

// Simulated time of the frames of a replay [s].
double durationOf(const Replay& replay, const Scene& scene) {
    const double frameRate = double(scene.parameters.solver.frameRate);
    double scale = double(scene.parameters.solver.timeScale), seconds = 0;
    const auto track = std::ranges::find(scene.tracks, "solver.timeScale", &Track::set);
    auto event = replay.events.begin();
    for (uint64_t frame = 0; frame < replay.last(); ++frame) {
        if (track != scene.tracks.end()) scale = valueAt(track->keys, double(frame) / frameRate)[0];
        for (; event != replay.events.end() && event->frame <= frame; ++event)
            if (const auto* edit = std::get_if<Edit>(&event->content);
                edit && edit->path == "solver.timeScale")
                scale = edit->numbers.at(0);
        seconds += scale / frameRate;
    }
    return wholeNanoseconds(seconds);
}

// A key that is held pours or blows in every frame: the same command, until the end of the last one.
bool goesOn(const TimedCommand& held, const TimedCommand& next, double frameRate) {
    const double end = std::max(held.until, held.at + 1 / frameRate);  // [s]
    if (std::abs(next.at - end) > 0.01 / frameRate) return false;
    if (held.pour && next.pour)
        return held.pour->material == next.pour->material && held.pour->from == next.pour->from &&
               held.pour->velocity == next.pour->velocity;
    return held.gust && next.gust && held.gust->from == next.gust->from &&
           held.gust->velocity == next.gust->velocity;
}

}  // namespace

std::vector<TimedCommand> timelineOf(const Replay& replay, const Scene& scene, const World& world) {
    std::vector<TimedCommand> timeline;
    std::vector<Diagnostic> diagnostics;
    AdjustableCopy values(scene);
    std::optional<size_t> lastPour, lastGust;  // in the timeline
    for (size_t k = 0; k < replay.events.size(); ++k) {
        const InputEvent& event = replay.events[k];
        const auto refuse = [&](const std::string& what) {
            diagnostics.push_back({event.line, 0, "", fmt::format("events.{}", k), what,
                                   "Remove the event, or play the replay itself: coalesce run --replay."});
        };
        const double frameRate = double(scene.parameters.solver.frameRate);
        TimedCommand command;
        command.clock = Clock::film;
        command.at = double(event.frame) / frameRate;
        if (const auto* edit = std::get_if<Edit>(&event.content)) {
            command.set = edit->path;
            const bool isSwitch = edit->word == "true" || edit->word == "false";
            command.to = isSwitch ? std::vector{edit->word == "true" ? 1.0 : 0.0} : edit->numbers;
            if (!isSwitch) command.word = edit->word;
            if (isSetByScene(scene, command.set))
                refuse(printable(edit->path) + ": the scene sets it, too, and a film would overrule that");
            const std::string trouble = adjust(values.get(), command.set, command.to, command.word);
            if (!trouble.empty()) refuse(printable(edit->path) + ": " + trouble);
        } else {
            std::visit(
                Overloaded{
                    [&](const Grab& grab) {
                        command.constraint = int(grab.constraint);
                        command.target = grab.at;
                        const auto particle = findParticle(grab.id, scene, world);
                        if (!particle)
                            return refuse(fmt::format("particle {} is of no body of the scene", grab.id));
                        command.grab = particle->body;
                        command.index = particle->index;
                    },
                    [&](const MoveTarget& move) {
                        command.constraint = int(move.constraint);
                        command.drag = move.to;
                    },
                    [&](const Release& go) {
                        command.constraint = int(go.constraint);
                        command.letGo = true;
                    },
                    [&](const Brush& brush) { command.brush = brush; },
                    [&](const Cut& cut) {
                        command.cut = {cut.a, cut.b, cut.c};
                    },
                    [&](const MoveShape& move) {
                        if (move.shape >= scene.shapes.size() || scene.shapes[move.shape].name.empty())
                            return refuse(fmt::format("shape {} has no name", move.shape));
                        if (isSetByScene(scene, "shapes." + scene.shapes[move.shape].name + "."))
                            return refuse(printable(scene.shapes[move.shape].name) +
                                          ": the scene moves it, too");
                        command.place = PlaceShape{scene.shapes[move.shape].name, move.to, move.rotation};
                    },
                    [&](const Throw& ball) { command.ball = ball; },
                    [&](const Pour& pour) {
                        if (pour.material >= scene.materials.size())
                            return refuse("it pours the material of a thrown ball");
                        command.pour = pour;
                    },
                    [&](const Gust& gust) { command.gust = gust; },
                },
                std::get<UserCommand>(event.content));
        }
        std::optional<size_t>& last = command.pour ? lastPour : lastGust;
        if (last && goesOn(timeline[*last], command, frameRate)) {
            timeline[*last].until = command.at + 1 / frameRate;
            continue;
        }
        if (command.pour || command.gust) last = timeline.size();
        timeline.push_back(std::move(command));
    }
    if (!diagnostics.empty()) failWith(replay.file, diagnostics);
    return timeline;
}

std::string filmOf(const Replay& replay, const Scene& scene, const World& world) {
    return writeFilm(fmt::format("The input of {}.", replay.file.filename().string()),
                     durationOf(replay, scene), timelineOf(replay, scene, world), scene);
}

}  // namespace coalesce
