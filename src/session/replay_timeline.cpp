#include "session/replay_timeline.h"

#include <fmt/format.h>

#include "core/overloaded.h"
#include "scene/build/build.h"
#include "scene/build/groups.h"
#include "scene/format/writer.h"
#include "scene/timeline/timeline.h"

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
        if (id < group.first || id - group.first >= group.count || !names.isOfBody(g)) continue;
        const auto [body, copy] = names.bodyOf(g);
        return ParticleOfBody{nameOf(scene.bodies[body], copy), int(id - group.first)};
    }
    return {};
}

}  // namespace

std::vector<TimedCommand> timelineOf(const Replay& replay, const Scene& scene, const World& world) {
    std::vector<TimedCommand> timeline;
    std::vector<Diagnostic> diagnostics;
    AdjustableCopy values(scene);
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
        timeline.push_back(std::move(command));
    }
    if (!diagnostics.empty()) failWith(replay.file, diagnostics);
    return timeline;
}

std::string filmOf(const Replay& replay, const Scene& scene, const World& world) {
    const auto& solver = scene.parameters.solver;
    const double duration = double(replay.last()) / double(solver.frameRate) * double(solver.timeScale);
    return writeFilm(fmt::format("The input of {}.", replay.file.filename().string()), duration,
                     timelineOf(replay, scene, world), scene);
}

}  // namespace coalesce
