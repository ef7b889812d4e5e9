// Thumbnails of scenes as textures, from NAME.jpg or NAME.png of a folder. Needs a current OpenGL context.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "render/gl/gl.h"

namespace coalesce {

class Thumbnails {
public:
    explicit Thumbnails(std::filesystem::path folder) : m_folder(std::move(folder)) {}

    // The texture of a scene; 0: no file, or not loaded yet. Loaded on first use, a few per frame.
    GLuint of(const std::string& scene);
    // To be called every frame.
    void beginFrame() { m_loaded = 0; }

private:
    std::filesystem::path m_folder;
    std::map<std::string, gl::Texture> m_textures;
    int m_loaded = 0;  // in this frame
};

}  // namespace coalesce
