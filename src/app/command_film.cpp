// `coalesce film`: the recorded input of a replay as a film file, to be edited.
#include <fmt/format.h>

#include "app/command.h"
#include "app/options.h"
#include "core/counted.h"
#include "core/whole_file.h"
#include "scene/build/build.h"
#include "scene/reader.h"
#include "session/replay_timeline.h"

namespace coalesce {

namespace {

struct FilmArguments {
    std::filesystem::path replay, to;
};

// A word of a command line for a shell.
std::string shellWord(const std::string& text) {
    const bool plain = text.find_first_not_of(
                           "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                           "._-+/=,:@%") == std::string::npos;
    if (plain && !text.empty()) return text;
    std::string word = "'";
    for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

int filmCommand(const FilmArguments& o) {
    requireOutputFile("--to", o.to);
    SceneOptions options;
    const Replay replay = *takeReplay(o.replay, options);
    if (!replay.choice.film.empty())
        fail(Exit::Scene, o.replay.string(),
             fmt::format("it was recorded with the film {}, and a scene takes one film",
                         replay.choice.film.string()),
             "Record it without --film.");
    if (replay.first() > 0)
        fail(Exit::Scene, o.replay.string(),
             fmt::format("it begins at frame {}, from a saved state; a film begins at 0", replay.first()),
             "Record it from the start of the scene.");
    for (const std::filesystem::path& read : {o.replay, std::filesystem::path(options.scene)}) {
        std::error_code missing;
        if (std::filesystem::equivalent(read, o.to, missing))
            fail(Exit::Usage, "--to " + o.to.string(), "it is a file that this command reads",
                 "Give the film a file of its own.");
    }
    const Scene scene = readScene(options.scene, options.choice);
    Exec exec({.backend = "cpu"});
    World world(exec);
    buildWorld(scene, world);
    writeFile(o.to, filmOf(replay, scene, world));
    std::string choice;
    if (!replay.choice.size.empty()) choice += " --size " + shellWord(replay.choice.size);
    if (!replay.choice.caseName.empty()) choice += " --case " + shellWord(replay.choice.caseName);
    for (const std::string& set : replay.choice.sets) choice += " --set " + shellWord(set);
    if (replay.choice.seed) choice += fmt::format(" --seed {}", *replay.choice.seed);
    if (replay.events.empty())
        fmt::print(stderr, "{} has no input: nothing was pulled, cut or changed in it.\n", o.replay.string());
    fmt::print("{} in {}\ncoalesce view {}{} --film {}\n",
               counted(timelineOf(replay, scene, world).size(), "event"), o.to.string(),
               shellWord(options.scene), choice, shellWord(o.to.string()));
    return 0;
}

}  // namespace

void addFilmCommand(CLI::App& app, Command& result) {
    const auto o = std::make_shared<FilmArguments>();
    CLI::App* command = app.add_subcommand(
        "film", "Writes the recorded input of a replay as a film file, whose events can be edited");
    command->add_option("replay", o->replay, "File of coalesce view --save-replay")->required();
    command->add_option("--to", o->to, "The film file, for --film of view, run and record")
        ->type_name("FILE")
        ->required();
    command->callback([o, &result] { result.run = [o] { return filmCommand(*o); }; });
}

}  // namespace coalesce
