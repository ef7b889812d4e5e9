// Screenshot files, named after the scene.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

namespace coalesce {

// Writes RGBA8 pixels, top row first. Throws Exit::Output.
using SaveImage =
    std::function<void(const std::filesystem::path&, std::span<const uint8_t>, int width, int height)>;

// The first unused name of SCENE_0001.png, SCENE_0002.png, … in the working folder.
std::filesystem::path freeName(const std::string& scene, const std::string& ending);

}  // namespace coalesce
