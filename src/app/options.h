// Options shared by several subcommands, and helper functions for them.
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
#include "core/whole_file.h"
#include "scene/format/scene.h"
#include "session/replay.h"
#include "sim/world/world.h"

namespace coalesce {

// What to simulate, and on which backend.
struct SceneOptions {
    std::string scene;  // a file, or the name of a scene in the scene folder
    SceneChoice choice;
    std::string preset;  // a file, or the name of a preset in the preset folder
    ExecOptions exec;
    std::filesystem::path loadState, saveState;
    bool quiet = false;

    std::filesystem::path file() const;  // of the scene
    // Finds the film by its name, and inserts the values of the preset before those of --set. Exit::Scene for
    // values that the scene does not have.
    void resolveFiles();
};
void addSceneOptions(CLI::App& command, SceneOptions& options, const std::string& defaultScene);

// --replay FILE, which replaces all options that choose a scene.
void addReplayOption(CLI::App& command, std::filesystem::path& replay);
// Reads a replay and copies its choices to the options. The scene is taken from the path in the replay, else
// from the scene folder.
std::optional<Replay> takeReplay(const std::filesystem::path& replay, SceneOptions& options);

// Length of the simulation.
struct LengthOptions {
    std::optional<uint64_t> frames;
    std::optional<double> duration;  // [s]; frames takes precedence
};
void addLengthOptions(CLI::App& command, LengthOptions& options);

// Validates whole numbers. CLI11 itself accepts some invalid ones and wraps negative ones.
CLI::Validator integer(int64_t min, int64_t max);
// Validates numbers: finite, decimal, within the limits. CLI::Range accepts NaN.
CLI::Validator number(double min, double max);
// Validates words; the message names the nearest.
CLI::Validator oneOf(const std::vector<std::string>& words);

// Fail before the simulation for an output that cannot be written: its folder does not exist, or
// (a file) it is nothing that a file may replace. `option` is the name of the option; an empty
// path means that it was not given. Exit::Output.
void requireFolderOf(const std::string& option, const std::filesystem::path& output);
void requirePng(const std::string& option, const std::filesystem::path& file);
void requireOutputFile(const std::string& option, const std::filesystem::path& file);

// Writes the state hash of every frame, one line each, to compare runs that should be equal.
class HashLog {
public:
    explicit HashLog(const std::filesystem::path& file);  // empty: no log
    bool wanted() const { return m_file != nullptr; }
    void write(const Scene& scene, uint64_t frame, uint64_t hash);
    void finish();  // throws if a line could not be written

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::filesystem::path m_path;
    std::unique_ptr<std::FILE, Close> m_file;
};

}  // namespace coalesce
