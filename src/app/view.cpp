// `coalesce view`: shows a scene in a window.
#include "app/command.h"
#include "app/draw_options.h"
#include "app/options.h"
#include "app/scene_folder.h"
#include "record/png.h"
#include "view/window.h"

namespace coalesce {

namespace {

struct Options {
    SceneOptions scene;
    LookOptions look;
    std::optional<uint64_t> frames;
    std::filesystem::path screenshot, saveReplay;
};

int viewCommand(const Options& o) {
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
    v.look.draw = o.look.draw();
    if (o.look.quantity() != Quantity::Material || o.look.color == "material")
        v.look.quantity = o.look.quantity();
    v.look.lines = o.look.lineSet();
    v.camera = o.look.camera;
    v.loadState = o.scene.loadState;
    v.saveState = o.scene.saveState;
    v.saveReplay = o.saveReplay;
    v.frames = o.frames;
    v.screenshot = o.screenshot;
    v.saveImage = [](const std::filesystem::path& file, std::span<const uint8_t> rgba, int width,
                     int height) { writePng(file, rgba, width, height, Rows::TopDown); };
    v.advice =
        fmt::format("Without a display, record a video: coalesce record {} --video out.mp4", o.scene.scene);
    v.quiet = o.scene.quiet;
    view(v);
    return 0;
}

}  // namespace

void addViewCommand(CLI::App& app, Command& result) {
    const auto o = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("view", "Shows a scene in a window");
    addSceneOptions(*command, o->scene, "scenes/dam_break.json");
    command->add_option("--case", o->scene.choice.caseName, "Case of the scene");
    addLookOptions(*command, o->look);
    command->add_option("--frames", o->frames, "Closes after this many frames")
        ->check(wholeNumber(1, 1'000'000));
    command->add_option("--screenshot", o->screenshot, "Picture of the window when it closes by --frames")
        ->type_name("FILE");
    command
        ->add_option("--save-replay", o->saveReplay,
                     "Saves what hands and the panel did since the start, for coalesce run --replay")
        ->type_name("FILE");
    command->callback([o, &result] { result.run = [o] { return viewCommand(*o); }; });
}

}  // namespace coalesce
