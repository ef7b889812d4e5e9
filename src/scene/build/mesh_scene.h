// Generates a small scene in which a mesh falls into a tank of water.
#pragma once

#include <filesystem>
#include <string>

namespace coalesce {

// Text of a scene file for a mesh, which it names by its absolute path. Scales the mesh to fit
// the tank. Throws what reading the mesh throws: Exit::Scene.
std::string sceneAroundMesh(const std::filesystem::path& mesh);

}  // namespace coalesce
