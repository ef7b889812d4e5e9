// `coalesce validate`: reads a scene in every size and case, without simulating.
#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <set>

#include "app/command.h"
#include "app/scene_folder.h"
#include "checks/scene_warnings.h"
#include "core/error.h"
#include "core/exec.h"
#include "scene/build/build.h"
#include "scene/build/mesh_summary.h"
#include "scene/format/scene.h"
#include "scene/reader.h"

namespace coalesce {

namespace {

struct ValidateOptions {
    std::vector<std::string> files;
    bool all = false;
    std::string size, caseName;
    std::vector<std::string> sets;
    std::filesystem::path film;
};

std::string substepsText(const Parameters::Solver& solver) {
    return solver.timeStep == TimeStep::cfl ? fmt::format("{}-{}", solver.minSubsteps, solver.maxSubsteps)
                                            : fmt::format("{}", solver.substeps);
}

// The names in the file, after "" for none of them, or only the requested one
std::vector<std::string> choices(const std::string& asked, const std::vector<std::string>& offered,
                                 bool none = true) {
    if (!asked.empty()) return {asked};
    std::vector<std::string> all = offered;
    if (none) all.insert(all.begin(), "");
    return all;
}

// Prints a summary of a scene in every size and case. Collects its errors by line, each once.
std::vector<SceneError::Entry> validateFile(const std::filesystem::path& file, const ValidateOptions& options,
                                            const Exec& device) {
    std::vector<SceneError::Entry> diagnostics;
    const auto note = [&](const SceneError::Entry& entry) {
        const auto after = std::upper_bound(diagnostics.begin(), diagnostics.end(), entry,
                                            [](const auto& a, const auto& b) { return a.line < b.line; });
        if (std::none_of(diagnostics.begin(), after, [&](const auto& m) { return m.text == entry.text; }))
            diagnostics.insert(after, entry);
    };
    const auto read = [&](const std::string& size, const std::string& caseName, Scene& scene) {
        try {
            scene = readScene(file, {size, caseName, options.sets, {}, options.film});
            return true;
        } catch (const SceneError& error) {
            for (const SceneError::Entry& entry : error.entries) note(entry);
            return false;
        } catch (const Error& error) {
            note({0, error.what()});
            return false;
        }
    };
    Scene plain;
    if (!read("", "", plain)) return diagnostics;
    fmt::print("{}: {}\n", file.string(), plain.about);
    std::set<std::string> said, reached;
    std::vector<std::string> late;
    const size_t available = device.availableBytes();
    fmt::print("    {:8} {}\n", "size", "case");
    for (const std::string& size : choices(options.size, plain.sizes, plain.size.empty()))
        for (const std::string& caseName : choices(options.caseName, plain.cases)) {
            Scene scene;
            if (!read(size, caseName, scene)) continue;
            const size_t particles = countParticles(scene);
            const SolverMemory memory = estimateMemory(scene);
            fmt::print(
                "    {:8} {:16} {:>10} particles, about {:.1f} MB ({:.1f} state, {:.1f} lists, {:.1f} "
                "scratch{}), {:g} s = {:.0f} frames of {} substeps{}\n",
                size.empty() ? "default" : size, caseName.empty() ? "default" : caseName, particles,
                memory.total() / 1e6, memory.state / 1e6, memory.lists / 1e6, memory.scratch / 1e6,
                memory.shapes > 0 ? fmt::format(", {:.1f} shapes", memory.shapes / 1e6) : "", scene.duration,
                scene.duration * scene.parameters.solver.frameRate, substepsText(scene.parameters.solver),
                scene.control.empty() ? "" : ", control");
            if (available > 0 && memory.total() > available)
                fmt::print(
                    "        warning: not enough memory: {:.1f} GB are needed, {:.1f} GB are available on "
                    "{}; "
                    "the scene would be rejected\n",
                    memory.total() / 1e9, double(available) / 1e9,
                    device.description().substr(0, device.description().find(';')));
            const std::vector<double> emitted = mostEmitted(scene);
            if (!scene.emitters.empty())
                fmt::print(
                    "        up to {:.0f} emitted particles at once, not counting sinks: about {:.1f} MB in "
                    "total\n",
                    std::accumulate(emitted.begin(), emitted.end(), 0.0),
                    estimateMemoryWithEmitted(scene).total() / 1e6);
            for (const std::string& note : scene.notes)
                if (said.insert(note).second) fmt::print("        note: {}\n", note);
            for (const MeshSummary& mesh : meshSummaries(scene)) {
                if (said.insert(mesh.text).second) fmt::print("        mesh: {}\n", mesh.text);
                for (const std::string& warning : mesh.warnings)
                    if (said.insert(warning).second) fmt::print("        warning: {}\n", warning);
            }
            for (const SceneTime& time : timesOf(scene))
                if (time.late)
                    late.push_back(time.what);
                else
                    reached.insert(time.what);
            const SceneWarnings found = warningsOf(scene);
            for (const std::string& warning : found.warnings)
                if (said.insert(warning).second) fmt::print("        warning: {}\n", warning);
            for (const std::string& hint : found.hints)
                if (said.insert(hint).second) fmt::print("        hint: {}\n", hint);
        }
    // another case may reach what the chosen one does not
    for (const std::string& what : late)
        if (options.size.empty() && options.caseName.empty() && !reached.contains(what) &&
            said.insert(what).second)
            fmt::print(
                "        warning: {}, after the end of the scene: choose an earlier time, or a longer "
                "duration\n",
                what);
    return diagnostics;
}

int runValidate(ValidateOptions options) {
    options.film = shippedFile("films", options.film);
    std::vector<std::filesystem::path> files;
    for (const std::string& name : options.files) files.push_back(sceneFile(name));
    if (options.all) files = sceneFiles();
    if (files.empty())
        fail(Exit::Usage, "validate", "no scene file was given",
             "For example: coalesce validate dam_break, or --all.");
    std::vector<SceneError::Entry> diagnostics;
    const Exec device{ExecOptions{}};
    for (const auto& file : files) try {
            for (SceneError::Entry& entry : validateFile(file, options, device))
                diagnostics.push_back(std::move(entry));
        } catch (const Error& error) {
            if (!options.all || error.code != Exit::Unavailable) throw;
            fmt::print("{}\n", error.what());
        }
    if (!diagnostics.empty()) throw SceneError(std::move(diagnostics));
    return 0;
}

}  // namespace

void addValidateCommand(CLI::App& app, Command& result) {
    auto options = std::make_shared<ValidateOptions>();
    CLI::App* command =
        app.add_subcommand("validate", "Checks scenes in every size and case, without simulating");
    command->add_option("scene", options->files, "Scene files, or names of scenes in scenes/");
    command->add_flag("--all", options->all, "All scenes in scenes/");
    command->add_option("--size", options->size, "Checks only this size");
    command->add_option("--case", options->caseName, "Checks only this case");
    command->add_option("--set", options->sets, "Changes a value, e.g. solver.substeps=4; may be repeated")
        ->allow_extra_args(false);
    command
        ->add_option(
            "--film", options->film,
            "With the cameras, tracks, events and shots of this film, a name in scenes/films/ or a file")
        ->type_name("NAME");
    command->callback([options, &result] { result.run = [options] { return runValidate(*options); }; });
}

}  // namespace coalesce
