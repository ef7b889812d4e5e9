// Options that several subcommands share, and small services for them.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/error.h"
#include "core/exec.h"
#include "core/text_file.h"
#include "scene/format/scene.h"
#include "session/replay.h"
#include "sim/world/world.h"

namespace coalesce {

// What to simulate, on which machine.
struct SceneOptions {
    std::string scene;  // a file, or the name of one in the folder of scenes
    SceneChoice choice;
    std::string preset;  // a file, or the name of one in the folder of presets
    ExecOptions exec;
    std::filesystem::path loadState, saveState;
    bool quiet = false;

    std::filesystem::path file() const;  // of the scene
    // Puts the values of the preset before those of --set. Refuses what the scene has no place for:
    // Exit::Scene.
    void takePreset();
};
void addSceneOptions(CLI::App& command, SceneOptions& options, const std::string& defaultScene);

// --replay FILE, which takes the place of all that says which scene.
void addReplayOption(CLI::App& command, std::filesystem::path& replay);
// Reads a replay; its scene is where the replay says, or else in the folder of scenes. Takes it over into the
// options.
std::optional<Replay> takeReplay(const std::filesystem::path& replay, SceneOptions& options);

// How long.
struct LengthOptions {
    std::optional<uint64_t> frames;
    std::optional<double> duration;  // [s]; frames wins
};
void addLengthOptions(CLI::App& command, LengthOptions& options);

// Whole numbers of an option, as CLI11 takes only some of what is wrong with them: it wraps negative ones.
CLI::Validator integer(int64_t min, int64_t max);

// Refuses an output that could not be written, before anything is simulated for it: its folder must be
// there. `option` is its name; an empty path means that it was not asked for. Exit::Output.
void requireFolderOf(const std::string& option, const std::filesystem::path& output);

// One line per frame with the hash of the state: what two runs that should be equal are compared by.
class HashLog {
public:
    explicit HashLog(const std::filesystem::path& file);  // empty: no log
    bool wanted() const { return m_file != nullptr; }
    void write(const Scene& scene, uint64_t frame, uint64_t hash);
    void finish();  // throws when a line could not be written

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::filesystem::path m_path;
    std::unique_ptr<std::FILE, Close> m_file;
};

}  // namespace coalesce
