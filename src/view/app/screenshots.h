// How screenshots are written.
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

}  // namespace coalesce
