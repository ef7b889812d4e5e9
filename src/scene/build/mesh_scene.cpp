#include "scene/build/mesh_scene.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "geometry/mesh/mesh_reader.h"

namespace coalesce {

namespace {
constexpr float kLongest = 0.8f;  // [m] edge of the box that the mesh fills
}

std::string sceneAroundMesh(const std::filesystem::path& mesh) {
    const TriangleMesh triangles = readMesh(mesh);
    Vec3 low = triangles.vertices.at(0), high = low;
    for (const Vec3& p : triangles.vertices) {
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    const Vec3 extent = high - low;
    const float longest = std::max({extent.x, extent.y, extent.z});
    if (!(longest > 0) || !(extent.y > 0))
        fail(Exit::Scene, mesh.string(),
             fmt::format("the mesh is flat: {:g} x {:g} x {:g}", extent.x, extent.y, extent.z),
             "A body needs a mesh with a height.");
    const float height = kLongest * extent.y / longest;
    const std::filesystem::path absolute = std::filesystem::absolute(mesh);
    using Json = nlohmann::ordered_json;
    const Json scene{
        {"about", mesh.filename().string() +
                      " falls into a tank of water and floats: its density is that of light wood."},
        {"tags", {"rigid", "fluid"}},
        {"duration", 6},
        {"solver", {{"substeps", 4}, {"iterations", 4}}},
        {"materials",
         {{"water", {{"spacing", 0.045}, {"viscosity", 0.05}}},
          {"wood",
           {{"kind", "rigid"},
            {"spacing", 0.045},
            {"density", 500},
            {"staticFriction", 0.4},
            {"dynamicFriction", 0.3},
            {"color", {0.5, 0.3, 0.12}}}}}},
        {"bodies",
         {{{"name", "pool"},
           {"material", "water"},
           {"block", {{"min", {-1, 0, -0.75}}, {"max", {1, 0.6, 0.75}}}}},
          {{"name", "mesh"},
           {"material", "wood"},
           {"shape", "sphere"},
           {"mesh", absolute.generic_string()},
           {"height", height},
           {"center", {0, 1.0 + 0.5 * height, 0}}}}},
        {"shapes",
         {{{"name", "tank"},
           {"box", {{"size", {2, 4, 1.5}}}},
           {"position", {0, 2, 0}},
           {"container", true}}}},
        {"camera", {{"eye", {1.7, 1.7, 3.3}}, {"look", {0, 0.6, 0}}, {"fov", 45}}},
        {"sizes",
         {{"ci", {{"materials.water.spacing", 0.09}, {"materials.wood.spacing", 0.09}}},
          {"demo", Json::object()},
          {"paper", {{"materials.water.spacing", 0.025}, {"materials.wood.spacing", 0.025}}}}}};
    return scene.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace coalesce
