#include "view/app/file_drop.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/whole_file.h"
#include "geometry/mesh/mesh_reader.h"
#include "scene/build/mesh_scene.h"
#include "view/widgets/format.h"

namespace coalesce {

namespace fs = std::filesystem;

std::string openDropped(Session& session, const fs::path& file, const fs::path& folder) {
    const auto open = [&](const fs::path& scene) {
        return session.open(scene, {}) ? "Opened " + scene.filename().string() : session.problem();
    };
    try {
        if (lowercase(file.extension().string()) == ".json") return open(file);
        if (meshFormatOf(file)) {
            std::error_code failed;
            fs::create_directories(folder, failed);
            const fs::path scene = folder / (file.stem().string() + ".json");
            writeFile(scene, sceneAroundMesh(file));
            return open(scene);
        }
    } catch (const Error& error) {
        return error.what();
    }
    return fmt::format(
        "{} is neither a scene nor a mesh. Scenes (.json) and meshes ({}) can be dropped here.",
        file.filename().string(), kMeshEndings);
}

}  // namespace coalesce
