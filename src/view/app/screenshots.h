// Pictures of the window as files, named after the scene.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

namespace coalesce {

// Writes RGBA8 pixels, rows from the top down. Throws Exit::Output.
using SaveImage =
    std::function<void(const std::filesystem::path&, std::span<const uint8_t>, int width, int height)>;

// scene_0001.png and up in the working folder: the first that is free.
std::filesystem::path freeName(const std::string& scene, const std::string& ending);

}  // namespace coalesce
