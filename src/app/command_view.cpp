// `coalesce view`: shows a scene in a window.
#include <unistd.h>

#include "app/command.h"
#include "app/draw_options.h"
#include "app/options.h"
#include "app/scene_folder.h"
#include "record/picture_recorder.h"
#include "record/png.h"
#include "record/recorder.h"
#include "scene/reader.h"
#include "view/app/window.h"

namespace coalesce {

namespace {

struct ViewArguments {
    SceneOptions scene;
    LookOptions look;
    std::optional<uint64_t> frames;
    std::optional<double> fps;
    std::filesystem::path screenshot, saveReplay;
    bool noSettings = false;
    // what was given on the command line counts more than what was kept
    bool sceneGiven = false, sizeGiven = false, qualityGiven = false;
    bool backgroundGiven = false, groundGiven = false, exposureGiven = false;
};

class LiveSink : public FrameSink {
public:
    explicit LiveSink(const Outputs& outputs) : m_recorder(outputs) {}
    void take(const OutputTarget& picture) override { m_recorder.take(picture); }
    void finish() override { m_recorder.finish(); }

private:
    PictureRecorder m_recorder;
};

OpenedRecording openRecording(const RecordingFile& file, std::optional<double> fps) {
    const uint64_t stride = framesPerPicture(file.frameRate, fps);
    Outputs outputs;
    outputs.width = file.size.width, outputs.height = file.size.height;
    outputs.fps = file.frameRate / static_cast<double>(stride);
    (file.file.has_extension() ? outputs.video : outputs.images) = file.file;
    return {std::make_unique<LiveSink>(outputs), stride};
}

// The scene of the last run, where it is still there and without mistakes.
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

void useSettings(const ViewArguments& o, ViewOptions& v) {
    const std::filesystem::path file = settingsFile();
    // a run of a fixed number of frames shall be the same for everybody
    if (o.noSettings || o.frames || file.empty()) return;
    std::string warning;
    v.settings = loadSettings(file, warning);
    if (!warning.empty()) fmt::print(stderr, "{}\n", warning);
    if (!o.sizeGiven) v.width = v.settings.width, v.height = v.settings.height;
    if (!o.qualityGiven) v.view.draw.quality = v.settings.quality;
    if (!o.backgroundGiven) v.view.draw.background = v.settings.background;
    if (!o.groundGiven) v.view.draw.ground = v.settings.ground;
    if (o.look.sun.empty()) v.view.draw.sunDirection = sunOf(v.view.draw.background);
    if (!o.exposureGiven) v.view.draw.exposure = v.settings.exposure;
    // the choices and states that were given are those of the scene by default
    const SceneChoice& choice = v.choice;
    const bool plain =
        choice.size.empty() && choice.caseName.empty() && choice.sets.empty() && v.loadState.empty();
    if (const auto last = lastScene(v.settings); !o.sceneGiven && plain && v.camera.empty() && !last.empty())
        v.scene = last;
    v.saveSettings = [file](const Settings& settings) { saveSettings(settings, file); };
}

int viewCommand(const ViewArguments& o) {
    const GlChoice gl = o.look.glChoice();
    if (gl.kind == GlChoice::Kind::EglDevice || gl.kind == GlChoice::Kind::Surfaceless)
        fail(Exit::Usage, "--gl " + o.look.gl, "a window draws with the display's OpenGL",
             "Leave it out here; coalesce record draws without a display.");
    requireFolderOf("--screenshot", o.screenshot);
    requireFolderOf("--save-state", o.scene.saveState);
    requireFolderOf("--save-replay", o.saveReplay);
    ViewOptions v;
    v.scene = o.scene.file();
    v.sceneFolder = sceneFolder();
    v.choice = o.scene.choice;
    v.exec = o.scene.exec;
    v.width = o.look.width();
    v.height = o.look.height();
    v.view.draw = o.look.draw();
    if (o.look.quantity() != Quantity::Material || o.look.color == "material")
        v.view.quantity = o.look.quantity();
    v.view.lines = o.look.lineSet();
    v.camera = o.look.camera;
    v.loadState = o.scene.loadState;
    v.saveState = o.scene.saveState;
    v.saveReplay = o.saveReplay;
    v.frames = o.frames;
    v.thumbnailFolder = sceneFolder().parent_path() / "docs" / "gallery";
    v.dropFolder = std::filesystem::temp_directory_path() / fmt::format("coalesce-{}", getuid());
    v.screenshot = o.screenshot;
    v.saveImage = [](const std::filesystem::path& file, std::span<const uint8_t> rgba, int width,
                     int height) { writePng(file, rgba, width, height, Rows::TopDown); };
    v.openRecording = [fps = o.fps](const RecordingFile& file) { return openRecording(file, fps); };
    v.advice =
        fmt::format("Without a display, record a video: coalesce record {} --video out.mp4", o.scene.scene);
    v.quiet = o.scene.quiet;
    useSettings(o, v);
    if (!o.look.sun.empty()) v.view.givenSun = {v.view.draw.background, v.view.draw.sunDirection};
    view(v);
    return 0;
}

}  // namespace

void addViewCommand(CLI::App& app, Command& result) {
    const auto o = std::make_shared<ViewArguments>();
    CLI::App* command = app.add_subcommand("view", "Shows a scene in a window");
    addSceneOptions(*command, o->scene, "scenes/dam_break.json");
    command->add_option("--case", o->scene.choice.caseName, "Case of the scene");
    addLookOptions(*command, o->look);
    command->add_option("--frames", o->frames, "Closes after this many frames")->check(integer(1, 1'000'000));
    command
        ->add_option("--fps", o->fps,
                     "Pictures per simulated second of what F9 records; default: every frame of the solver")
        ->check(CLI::Range(1e-3, 1e4));
    command->add_option("--screenshot", o->screenshot, "Picture of the window when it closes by --frames")
        ->type_name("FILE");
    command
        ->add_option("--save-replay", o->saveReplay,
                     "Saves what hands and the panel did since the start, for coalesce run --replay")
        ->type_name("FILE");
    command->add_flag("--no-settings", o->noSettings,
                      "Neither reads nor writes what is kept between runs (see docs/viewer.md)");
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
