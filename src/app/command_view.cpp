// `coalesce view`: shows a scene in a window.
#include <unistd.h>

#include "app/cache_options.h"
#include "app/command.h"
#include "app/display_options.h"
#include "app/export_options.h"
#include "app/options.h"
#include "app/scene_folder.h"
#include "record/image_recorder.h"
#include "record/png.h"
#include "record/recorder.h"
#include "scene/reader.h"
#include "view/app/window.h"

namespace coalesce {

namespace {

struct ViewArguments {
    SceneOptions scene;
    DisplayOptions display;
    FromCache from;
    std::optional<uint64_t> frames;
    std::optional<double> fps;
    std::filesystem::path screenshot, saveReplay;
    bool noSettings = false;
    // options given on the command line override saved settings
    std::string draft;  // empty: not given
    bool sceneGiven = false, sizeGiven = false, qualityGiven = false;
    bool backgroundGiven = false, groundGiven = false, exposureGiven = false;
};

class LiveSink : public FrameSink {
public:
    explicit LiveSink(const Outputs& outputs) : m_recorder(outputs) {}
    void take(const OutputTarget& frame) override { m_recorder.take(frame); }
    void finish() override { m_recorder.finish(); }

private:
    ImageRecorder m_recorder;
};

OpenedRecording openRecording(const RecordingFile& file, std::optional<double> fps) {
    const uint64_t stride = framesPerImage(file.frameRate, fps);
    Outputs outputs;
    outputs.width = file.size.width, outputs.height = file.size.height;
    outputs.fps = file.frameRate / double(stride);
    (file.file.has_extension() ? outputs.video : outputs.images) = file.file;
    return {std::make_unique<LiveSink>(outputs), stride};
}

// The scene of the last run, if it still exists and is valid.
std::filesystem::path lastScene(const Settings& settings) {
    std::error_code missing;
    if (settings.recent.empty() || !std::filesystem::exists(settings.recent[0], missing)) return {};
    try {
        readScene(settings.recent[0]);
        return settings.recent[0];
    } catch (const Error&) {
        return {};
    }
}

// What record takes to show the same.
std::string inputOf(const ViewArguments& o) {
    if (!o.from.folder.empty()) return "--from-cache " + o.from.folder.string();
    const SceneChoice& choice = o.scene.choice;
    return o.scene.scene + (choice.size.empty() ? "" : " --size " + choice.size) +
           (choice.caseName.empty() ? "" : " --case " + choice.caseName);
}

void useSettings(const ViewArguments& o, ViewOptions& v) {
    const std::filesystem::path file = settingsFile();
    // a run of a fixed number of frames must not depend on saved settings
    if (o.noSettings || o.frames || file.empty()) return;
    std::string warning;
    v.settings = loadSettings(file, warning);
    if (!warning.empty()) fmt::print(stderr, "{}\n", warning);
    if (!o.sizeGiven) v.width = v.settings.width, v.height = v.settings.height;
    if (!o.qualityGiven) v.view.draw.quality = v.settings.quality;
    if (o.draft.empty()) v.view.draft = v.settings.draft;
    if (!o.backgroundGiven) v.view.draw.background = v.settings.background;
    if (!o.groundGiven) v.view.draw.ground = v.settings.ground;
    if (o.display.sun.empty() && !v.view.draw.environment)
        v.view.draw.sunDirection = sunOf(v.view.draw.background);
    if (!o.exposureGiven) v.view.draw.exposure = v.settings.exposure;
    // the size, case, values and state that were given belong to the default scene
    const SceneChoice& choice = v.choice;
    const bool plain =
        choice.size.empty() && choice.caseName.empty() && choice.sets.empty() && v.loadState.empty();
    if (const auto last = lastScene(v.settings);
        !o.sceneGiven && plain && v.camera.empty() && v.fromCache.empty() && !last.empty())
        v.scene = last;
    v.saveSettings = [file](const Settings& settings) { saveSettings(settings, file); };
}

int viewCommand(const ViewArguments& o) {
    const GlChoice gl = o.display.glChoice();
    if (gl.kind == GlChoice::Kind::EglDevice || gl.kind == GlChoice::Kind::Surfaceless)
        fail(Exit::Usage, "--gl " + o.display.gl, "a window uses the OpenGL of the display",
             "Omit this option; coalesce record works without a display.");
    requirePng("--screenshot", o.screenshot);
    requireOutputFile("--screenshot", o.screenshot);
    if (!o.screenshot.empty() && !o.frames)
        fail(Exit::Usage, "--screenshot " + o.screenshot.string(),
             "the image is saved when --frames closes the window",
             "Give --frames too, for example --frames 60.");
    requireOutputFile("--save-state", o.scene.saveState);
    requireOutputFile("--save-replay", o.saveReplay);
    ViewOptions v;
    v.scene = o.scene.file();
    v.sceneFolder = sceneFolder();
    v.presetFolder = shippedPresets();
    v.choice = o.scene.choice;
    v.exec = o.scene.exec;
    v.width = o.display.width();
    v.height = o.display.height();
    v.view.draw = o.display.draw();
    v.view.draft = !o.draft.empty() ? Draft(std::ranges::find(kDraftNames, o.draft) - kDraftNames)
                   : o.frames       ? Draft::Off
                                    : Draft::Automatic;
    if (o.display.quantity() != Quantity::Material || o.display.color == "material")
        v.view.quantity = o.display.quantity();
    v.view.lines = o.display.lineSet();
    v.view.meshed = o.display.surfaceMesh().has_value();
    v.view.mesh = o.display.mesh;
    v.camera = o.display.camera;
    v.loadState = o.scene.loadState;
    v.saveState = o.scene.saveState;
    v.saveReplay = o.saveReplay;
    v.fromCache = o.from.folder;
    v.firstFrame = o.from.frames().first, v.lastFrame = o.from.frames().last;
    v.frames = o.frames;
    v.thumbnailFolder = sceneFolder().parent_path() / "docs" / "gallery";
    v.dropFolder = std::filesystem::temp_directory_path() / fmt::format("coalesce-{}", getuid());
    v.screenshot = o.screenshot;
    v.saveImage = [](const std::filesystem::path& file, std::span<const uint8_t> rgba, int width,
                     int height) { writePng(file, rgba, width, height, Rows::TopDown); };
    v.openRecording = [fps = o.fps](const RecordingFile& file) { return openRecording(file, fps); };
    v.advice = "Without a display, record a video: coalesce record " + inputOf(o) + " --video out.mp4";
    v.quiet = o.scene.quiet;
    useSettings(o, v);
    if (!o.display.sun.empty()) v.view.givenSun = {v.view.draw.background, v.view.draw.sunDirection};
    view(v);
    return 0;
}

}  // namespace

void addViewCommand(CLI::App& app, Command& result) {
    const auto o = std::make_shared<ViewArguments>();
    CLI::App* command = app.add_subcommand("view", "Shows a scene in a window");
    addSceneOptions(*command, o->scene, "scenes/dam_break.json");
    command->get_option("scene")->default_str("")->description(
        command->get_option("scene")->get_description() +
        "; default: the one that was open last, at first dam_break");
    command->add_option("--case", o->scene.choice.caseName, "Case of the scene, by name");
    addDisplayOptions(*command, o->display);
    addSurfaceOptions(*command, o->display.mesh, "mesh-");
    command->add_option("--frames", o->frames, "Closes the window after this many frames")
        ->check(integer(1, 1'000'000));
    command
        ->add_option("--fps", o->fps,
                     "Frame rate of recordings (F9), in images per simulated second; default: one per "
                     "simulation frame")
        ->check(number(1e-3, 1e4));
    command
        ->add_option("--draft", o->draft,
                     "Draft images, with half the resolution and no shadows: auto (where drawing takes more "
                     "than 0.1 s), "
                     "on or off; default: as saved, and off with --frames")
        ->check(oneOf({std::begin(kDraftNames), std::end(kDraftNames)}));
    command->add_option("--screenshot", o->screenshot, "Saves an image of the window when --frames closes it")
        ->type_name("FILE");
    command
        ->add_option("--save-replay", o->saveReplay,
                     "Saves the user input since the start, for coalesce run --replay")
        ->type_name("FILE");
    addFromCacheOptions(*command, o->from, "Plays");
    excludeFromCache(*command, {"--case", "--load-state", "--save-state", "--save-replay"});
    command->add_flag("--no-settings", o->noSettings,
                      "Neither reads nor writes saved settings (see docs/viewer.md)");
    command->callback([o, command, &result] {
        o->sceneGiven = command->count("scene") > 0;
        o->sizeGiven = command->count("--resolution") > 0;
        o->qualityGiven = command->count("--quality") > 0;
        o->backgroundGiven = command->count("--background") > 0;
        o->groundGiven = command->count("--ground") > 0;
        o->exposureGiven = command->count("--exposure") > 0;
        result.run = [o] { return viewCommand(*o); };
    });
}

}  // namespace coalesce
