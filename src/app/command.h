// A subcommand of the program: options for CLI11, and the function that runs it.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace coalesce {

// `run` of the chosen subcommand; it returns the exit code and may throw Error.
struct Command {
    std::function<int()> run;
};

// Each function adds one subcommand to `app`. The callback of the chosen subcommand sets result.run, which
// main calls: parsing is finished before anything starts.
void addViewCommand(CLI::App& app, Command& result);
void addRecordCommand(CLI::App& app, Command& result);
void addRunCommand(CLI::App& app, Command& result);
void addExportCommand(CLI::App& app, Command& result);
void addCacheCommand(CLI::App& app, Command& result);
void addBenchCommand(CLI::App& app, Command& result);
void addListCommand(CLI::App& app, Command& result);
void addValidateCommand(CLI::App& app, Command& result);
void addParamsCommand(CLI::App& app, Command& result);
void addMeshCommand(CLI::App& app, Command& result);
void addSweepCommand(CLI::App& app, Command& result);
void addFoamCommand(CLI::App& app, Command& result);
void addFilmCommand(CLI::App& app, Command& result);

}  // namespace coalesce
