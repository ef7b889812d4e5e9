#include "app/options.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fmt/ranges.h>

#include "app/scene_folder.h"
#include "scene/format/overrides.h"
#include "scene/format/presets.h"
#include "scene/reader.h"

namespace coalesce {

namespace fs = std::filesystem;

namespace {

constexpr int64_t kMaxSeed = 9'000'000'000'000'000;  // as in a scene file

}  // namespace

fs::path SceneOptions::file() const {
    return sceneFile(scene);
}

void SceneOptions::resolveFiles() {
    choice.film = shippedFile("films", choice.film);
    if (preset.empty()) return;
    if (scene.empty())
        fail(Exit::Usage, "--preset " + preset, "no scene was given",
             "Give the scene that the preset is for.");
    const fs::path found = findPreset({presetFolder(), shippedPresets()}, preset);
    const Scene plain = readScene(file(), choice);
    const std::vector<std::string> sets = asSets(plain, valuesFor(plain, readPreset(found)));
    choice.sets.insert(choice.sets.begin(), sets.begin(), sets.end());
    try {
        readScene(file(), choice);
    } catch (const Error& error) {
        throw Error(error.code,
                    fmt::format("--preset {}: the scene cannot take its values.\n{}", preset, error.what()));
    }
    preset.clear();
}

void addSceneOptions(CLI::App& command, SceneOptions& o, const std::string& defaultScene) {
    o.scene = defaultScene;
    CLI::Option* scene =
        command.add_option("scene", o.scene, "Scene file, or the name of a scene in scenes/");
    if (!defaultScene.empty()) scene->capture_default_str();
    command
        .add_option("--size", o.choice.size,
                    "Size of the scene, e.g. ci, demo, paper; default: demo where the scene has it")
        ->check([](const std::string& size) {
            return size.empty() ? "needs the name of a size, or leave it out for the default." : "";
        });
    command.add_option("--set", o.choice.sets, "Changes a value, e.g. solver.substeps=4; may be repeated")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    command
        .add_option(
            "--preset", o.preset,
            "Applies a preset, saved or of scenes/presets/: a name or a file; --set overrides its values")
        ->type_name("NAME");
    command.parse_complete_callback([&o] { o.resolveFiles(); });
    command
        .add_option(
            "--film", o.choice.film,
            "Adds the tracks, events and shots of a film, a name in scenes/films/ or a file, and replaces "
            "the cameras by its own")
        ->type_name("NAME");
    command.add_option("--seed", o.choice.seed, "Random seed; overrides the scene's")
        ->check(integer(0, kMaxSeed));
    command.add_option("--backend", o.exec.backend, "Backend: auto, cuda or cpu")->capture_default_str();
    command
        .add_option("--device", o.exec.device,
                    "CUDA device to simulate on, counted from 0; without it the first usable one")
        ->type_name("N")
        ->check(integer(0, 1023));
    command.add_option("--threads", o.exec.threads, "CPU threads; 0: all hardware threads")
        ->capture_default_str();
    command
        .add_option("--shuffle", o.exec.shuffle,
                    "Debug: executes in a random order with this seed; results do not change")
        ->check(integer(0, kMaxSeed));
    command.add_option("--load-state", o.loadState, "Starts from a saved state of the same scene")
        ->type_name("FILE");
    command.add_option("--save-state", o.saveState, "Saves the state at the end")->type_name("FILE");
    command.add_flag("--quiet", o.quiet, "Prints no progress");
}

void addReplayOption(CLI::App& command, fs::path& replay) {
    CLI::Option* option =
        command.add_option("--replay", replay, "Replays user input saved by coalesce view --save-replay")
            ->type_name("FILE");
    for (const char* name : {"scene", "--size", "--case", "--set", "--preset", "--seed", "--film"})
        option->excludes(command.get_option(name));
}

std::optional<Replay> takeReplay(const fs::path& file, SceneOptions& o) {
    if (file.empty()) return {};
    Replay replay = readReplay(file);
    std::error_code ignored;
    const bool there = fs::exists(replay.scene, ignored);
    o.scene = there ? replay.scene.string() : sceneFile(replay.scene.filename().string()).string();
    o.choice = replay.choice;
    return replay;
}

void addLengthOptions(CLI::App& command, LengthOptions& o) {
    CLI::Option* frames =
        command.add_option("--frames", o.frames, "Number of frames; overrides the scene's duration")
            ->check(integer(0, 1'000'000'000));
    command
        .add_option("--duration", o.duration,
                    "Seconds of the film, which are simulated seconds but for slow motion; overrides the "
                    "scene's duration")
        ->type_name("S")
        ->check(number(0, 1e6))
        ->excludes(frames);
}

CLI::Validator integer(int64_t min, int64_t max) {
    const auto check = [min, max](const std::string& text) {
        int64_t number = 0;
        const char* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, number);
        if (error == std::errc() && stop == end && number >= min && number <= max) return std::string();
        return fmt::format("expects a whole number from {} to {}, got {}", min, max, text);
    };
    return CLI::Validator(check, "");
}

CLI::Validator number(double min, double max) {
    const auto check = [min, max](const std::string& text) {
        double number = 0;
        const char* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data() + text.starts_with('+'), end, number);
        if (error == std::errc() && stop == end && number >= min && number <= max) return std::string();
        return fmt::format("expects a number from {} to {}, got {}", numberText(min), numberText(max), text);
    };
    return CLI::Validator(check, "");
}

CLI::Validator oneOf(const std::vector<std::string>& words) {
    const auto check = [words](const std::string& text) {
        if (std::ranges::find(words, text) != words.end()) return std::string();
        const bool isWord = text.find_first_not_of("0123456789") != std::string::npos;
        const std::string near = isWord ? didYouMean(text, words) : "";
        return fmt::format("expects one of {}, got {}{}", fmt::join(words, ", "), printable(text),
                           near.empty() ? "" : "." + near);
    };
    return CLI::Validator(check, fmt::format("{{{}}}", fmt::join(words, ",")));
}

namespace {

// "frames/" is in the same folder as "frames"
fs::path folderOf(const fs::path& output) {
    const fs::path plain = output.has_filename() ? output : output.parent_path();
    return plain.has_parent_path() ? plain.parent_path() : fs::path(".");
}

void requireFolder(const std::string& option, const fs::path& output) {
    std::error_code ignored;
    const fs::path folder = folderOf(output);
    if (!fs::is_directory(folder, ignored))
        fail(Exit::Output, option + " " + output.string(),
             fmt::format("there is no folder {}", folder.string()),
             fmt::format("Create it (mkdir -p '{}'), or choose another folder.", folder.string()));
}

// Before hours of work.
void requireWritable(const std::string& option, const fs::path& output, const fs::path& folder) {
    if (access(folder.c_str(), W_OK) != 0)
        fail(Exit::Output, option + " " + output.string(),
             fmt::format("the folder {} cannot be written to: {}", folder.string(), std::strerror(errno)),
             "Choose another folder, or allow writing: chmod u+w.");
}

}  // namespace

void requireFolderOf(const std::string& option, const fs::path& output) {
    if (output.empty()) return;
    requireFolder(option, output);
    std::error_code ignored;
    // a folder that is there already is written into
    requireWritable(option, output, fs::is_directory(output, ignored) ? output : folderOf(output));
}

void requirePng(const std::string& option, const fs::path& file) {
    if (file.empty() || !file.has_extension() || file.extension() == ".png" || file.extension() == ".PNG")
        return;
    fail(Exit::Usage, option + " " + file.string(), "the image is written as PNG",
         fmt::format("Name it {}.", fs::path(file).replace_extension(".png").string()));
}

void requireOutputFile(const std::string& option, const fs::path& file) {
    if (file.empty()) return;
    requireFolder(option, file);
    // files are written beside their place, then renamed; a device or FIFO is written through
    const OutputPlace place = outputPlace(file, option);
    if (!place.inPlace) requireWritable(option, file, folderOf(place.file));
}

HashLog::HashLog(const fs::path& file) : m_path(file) {
    if (file.empty()) return;
    m_file.reset(std::fopen(file.c_str(), "w"));
    if (!m_file)
        fail(Exit::Output, file.string(), std::string("cannot be written: ") + std::strerror(errno),
             "Give --hash-log a file in an existing, writable folder.");
}

void HashLog::write(const Scene& scene, uint64_t frame, uint64_t hash) {
    fmt::print(m_file.get(), "{} {} {} {:016x}\n", scene.name, scene.caseName.empty() ? "-" : scene.caseName,
               frame, hash);
}

void HashLog::finish() {
    if (m_file && (std::fflush(m_file.get()) != 0 || std::ferror(m_file.get())))
        fail(Exit::Output, m_path.string(), "the hash log could not be written completely",
             "Free disk space.");
}

}  // namespace coalesce
