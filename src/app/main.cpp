// The program `coalesce`: parses the command line, runs one subcommand, turns every problem into its exit
// code.
#include <exception>
#include <new>

#include "app/command.h"
#include "core/error.h"

namespace coalesce {
namespace {

int run(int argc, char** argv) {
    CLI::App app("Coalesce: liquids and other matter from particles and constraints, in real time.",
                 "coalesce");
    app.set_version_flag("--version", std::string("coalesce ") + COALESCE_VERSION);
    app.require_subcommand(1);
    app.footer(
        "Without arguments: coalesce view scenes/dam_break.json\nHelp on one command: coalesce COMMAND "
        "--help");
    Command command;
    addViewCommand(app, command);
    addRecordCommand(app, command);
    addRunCommand(app, command);
    addBenchCommand(app, command);
    addListCommand(app, command);
    addValidateCommand(app, command);
    addParamsCommand(app, command);
    try {
        if (argc > 1)
            app.parse(argc, argv);
        else
            app.parse("view");
    } catch (const CLI::ParseError& error) {
        // help and version are no errors; every complaint of the parser is one of usage
        return app.exit(error) == 0 ? 0 : static_cast<int>(Exit::Usage);
    }
    return command.run();
}

}  // namespace
}  // namespace coalesce

int main(int argc, char** argv) {
    using coalesce::Exit;
    const auto report = [](Exit code, const char* message) {
        fmt::print(stderr, "{}\n", message);
        return static_cast<int>(code);
    };
    try {
        return coalesce::run(argc, argv);
    } catch (const coalesce::Error& error) {
        return report(error.code, error.what());
    } catch (const std::bad_alloc&) {
        return report(Exit::Simulation,
                      "Out of memory.\n    Use a smaller size of the scene (--size), or a coarser spacing.");
    } catch (const std::exception& error) {
        return report(Exit::Failure, error.what());
    }
}
