// The program `coalesce`: parses the command line, runs one subcommand, converts errors to exit codes.
#include <algorithm>
#include <exception>
#include <fmt/ranges.h>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <vector>

#include "app/command.h"
#include "app/scene_folder.h"
#include "core/error.h"
#include "scene/format/overrides.h"

namespace coalesce {
namespace {

// The description of an option first, then the options it needs and those it cannot be combined with.
class HelpFormatter : public CLI::Formatter {
public:
    std::string make_option_opts(const CLI::Option* option) const override {
        const std::string text = CLI::Formatter::make_option_opts(option);
        const size_t needs = text.find(" Needs:"), excludes = text.find(" Excludes:");
        return text.substr(0, std::min(needs, excludes));
    }
    std::string make_option_desc(const CLI::Option* option) const override {
        const auto list = [](const char* word, const std::set<CLI::Option*>& options) {
            std::vector<std::string> names;
            for (const CLI::Option* other : options) names.push_back(other->get_name());
            std::ranges::sort(names);  // the set is in the order of addresses
            return names.empty() ? "" : fmt::format(" ({} {})", word, fmt::join(names, ", "));
        };
        return CLI::Formatter::make_option_desc(option) + list("with", option->get_needs()) +
               list("not with", option->get_excludes());
    }
};

// What the parser says, in this program's words for options that exclude or need each other.
std::string messageOf(const CLI::ParseError& error) {
    std::string message = error.what();
    const auto replace = [&](const std::string& words, const std::string& by) {
        if (const size_t at = message.find(words); at != std::string::npos)
            message.replace(at, words.size(), by);
    };
    if (dynamic_cast<const CLI::ExcludesError*>(&error)) replace(" excludes ", " cannot be combined with ");
    if (dynamic_cast<const CLI::RequiresError*>(&error)) replace(" requires ", " needs ");
    // "--poster: 1 required FILE missing"
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) && message.ends_with(" missing"))
        replace(": 1 required ", " needs a "), replace(" missing", "");
    return message;
}

// A file, or the name of one in scenes/.
bool isScene(const std::string& word) {
    std::error_code ignored;
    return word.ends_with(".json") || std::filesystem::exists(sceneFolder() / (word + ".json"), ignored);
}

// Reports errors of the parser like all others: place, problem, closest name, hint.
[[noreturn]] void failUsage(const CLI::App& app, const CLI::ParseError& error) {
    const auto typed = app.get_subcommands();
    const CLI::App& command = typed.empty() ? app : *typed.front();
    const std::string where = typed.empty() ? "coalesce" : "coalesce " + command.get_name();
    const std::vector<std::string> rest =
        app.remaining(true);  // arguments that no option or command consumed
    const auto option =
        std::find_if(rest.begin(), rest.end(), [](const std::string& word) { return word.starts_with("-"); });
    if (option != rest.end()) {
        const std::string name = option->substr(0, option->find('='));
        std::vector<std::string> names;
        for (const CLI::Option* known : command.get_options())
            for (const std::string& longName : known->get_lnames()) names.push_back("--" + longName);
        // as other programs call it
        const bool isOutput = name == "-o" || name == "--output" || name == "--out";
        if (isOutput && command.get_option_no_throw("--video"))
            fail(Exit::Usage, where, fmt::format("there is no option {}.", name),
                 "Give --video FILE.mp4, --images DIR or --poster FILE.png.");
        std::vector<std::string> others;  // commands that have it
        for (const CLI::App* other : app.get_subcommands({}))
            if (other->get_option_no_throw(name)) others.push_back("coalesce " + other->get_name());
        if (!others.empty())
            fail(Exit::Usage, where,
                 fmt::format("there is no option {}. It is one of {}.", name, fmt::join(others, ", ")),
                 fmt::format("All options of this command: {} --help.", where));
        fail(Exit::Usage, where, fmt::format("there is no option {}.{}", name, didYouMean(name, names)),
             fmt::format("All options: {} --help.", where));
    }
    if (!rest.empty() && typed.empty()) {
        std::vector<std::string> names;
        for (const CLI::App* known : app.get_subcommands({})) names.push_back(known->get_name());
        fail(Exit::Usage, where,
             fmt::format("there is no command {}.{}", rest.front(),
                         isScene(rest.front())
                             ? fmt::format(" Did you mean \"coalesce view {}\"?", rest.front())
                             : didYouMean(rest.front(), names)),
             fmt::format("Commands: {}.", fmt::join(names, ", ")));
    }
    if (!rest.empty()) {
        const bool isValue =
            rest.front().find('=') != std::string::npos && command.get_option_no_throw("--set");
        fail(Exit::Usage, where, fmt::format("unexpected argument {}", rest.front()),
             isValue
                 ? std::string(
                       "Write --set before each value: --set solver.substeps=4 --set fluid.stiffness=0.5.")
                 : fmt::format("Usage: {} --help.", where));
    }
    fail(Exit::Usage, where, messageOf(error), fmt::format("All options: {} --help.", where));
}

int run(int argc, char** argv) {
    CLI::App app(
        "Coalesce: a real-time particle solver for liquids, gases, sand, rigid and soft bodies, cloth and "
        "ropes.",
        "coalesce");
    app.formatter(std::make_shared<HelpFormatter>());  // before the commands, which take it over
    app.set_version_flag("--version", std::string("coalesce ") + COALESCE_VERSION);
    app.require_subcommand(1);
    Command command;
    addViewCommand(app, command);
    addRecordCommand(app, command);
    addRunCommand(app, command);
    addExportCommand(app, command);
    addCacheCommand(app, command);
    addBenchCommand(app, command);
    addListCommand(app, command);
    addValidateCommand(app, command);
    addParamsCommand(app, command);
    addMeshCommand(app, command);
    addSweepCommand(app, command);
    addFoamCommand(app, command);
    addFilmCommand(app, command);
    app.footer(  // after the commands, which would take it over
        "Without arguments: coalesce view, with the last scene\nHelp for a command: coalesce COMMAND --help");
    try {
        if (argc > 1)
            app.parse(argc, argv);
        else
            app.parse("view");
    } catch (const CLI::ParseError& error) {
        // help and version are not errors; all other parser results are usage errors
        if (error.get_exit_code() == 0) return app.exit(error);
        failUsage(app, error);
    }
    return command.run();
}

}  // namespace
}  // namespace coalesce

int main(int argc, char** argv) {
    using coalesce::Exit;
    const auto report = [](Exit code, const std::exception& error) {
        fmt::print(stderr, "{}\n", coalesce::messageOf(error));
        return int(code);
    };
    try {
        return coalesce::run(argc, argv);
    } catch (const coalesce::Error& error) {
        return report(error.code, error);
    } catch (const std::bad_alloc& error) {
        return report(Exit::Simulation, error);
    } catch (const std::exception& error) {
        return report(Exit::Failure, error);
    }
}
