// A small scene around a mesh: it falls into a tank of water.
#pragma once

#include <filesystem>
#include <string>

namespace coalesce {

// The scene's file as text, for a mesh in OBJ or PLY; wherever the scene is kept, it finds the mesh. Large or
// small, the mesh is as high as fits the tank. Throws what reading the mesh throws: Exit::Scene.
std::string sceneAroundMesh(const std::filesystem::path& mesh);

}  // namespace coalesce
