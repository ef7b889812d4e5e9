// A subcommand of the program: a parser that CLI11 fills, and what to do then.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace coalesce {

// `run` of the subcommand that the user typed; it returns the exit code and may throw Error.
struct Command {
    std::function<int()> run;
};

// Each adds its subcommand to `app`. When the user typed it, its callback sets result.run; main then calls
// that. So parsing is finished, with all its complaints, before anything starts.
void addViewCommand(CLI::App& app, Command& result);
void addRecordCommand(CLI::App& app, Command& result);
void addRunCommand(CLI::App& app, Command& result);
void addBenchCommand(CLI::App& app, Command& result);
void addListCommand(CLI::App& app, Command& result);
void addValidateCommand(CLI::App& app, Command& result);
void addParamsCommand(CLI::App& app, Command& result);

}  // namespace coalesce
