#include "view/app/file_drop.h"

#include <algorithm>

#include "core/whole_file.h"
#include "scene/build/mesh_scene.h"
#include "view/widgets/format.h"

namespace coalesce {

namespace fs = std::filesystem;

std::string openDropped(Session& session, const fs::path& file, const fs::path& folder) {
    const std::string ending = lowercase(file.extension().string());
    const auto open = [&](const fs::path& scene) {
        return session.open(scene, {}) ? "Opened " + scene.filename().string() : session.problem();
    };
    try {
        if (ending == ".json") return open(file);
        if (ending == ".obj" || ending == ".ply") {
            std::error_code failed;
            fs::create_directories(folder, failed);
            const fs::path scene = folder / (file.stem().string() + ".json");
            writeFile(scene, sceneAroundMesh(file));
            return open(scene);
        }
    } catch (const Error& error) {
        return error.what();
    }
    return file.filename().string() +
           " is neither a scene nor a mesh. Scenes (.json) and meshes (.obj, .ply) can be dropped here.";
}

}  // namespace coalesce
