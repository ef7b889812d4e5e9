// Build without OpenGL: view and record report this instead of being unknown commands.
#include "app/bench_draw.h"
#include "app/command.h"
#include "core/error.h"

namespace coalesce {

namespace {

void addMissing(CLI::App& app, Command& result, const std::string& name, const std::string& about) {
    CLI::App* command = app.add_subcommand(name, about + " (not in this build)");
    command->allow_extras();
    command->callback([name, &result] {
        result.run = [name]() -> int {
            fail(Exit::Graphics, "coalesce " + name, "this program was built without rendering",
                 "Install OpenGL, EGL and GLFW, and build with -DCOALESCE_PICTURE=ON; \"coalesce run\" does "
                 "not need them.");
        };
    });
}

}  // namespace

void addViewCommand(CLI::App& app, Command& result) {
    addMissing(app, result, "view", "Shows a scene in a window");
}

void addRecordCommand(CLI::App& app, Command& result) {
    addMissing(app, result, "record", "Renders a scene to a video or images");
}

// the option does not exist, so this is never called
void addDrawBenchOptions(CLI::App&, DrawBenchOptions&) {}

nlohmann::ordered_json benchDrawing(const DrawBenchOptions&, const Scene&, World&, Solver&) {
    return {};
}

}  // namespace coalesce
