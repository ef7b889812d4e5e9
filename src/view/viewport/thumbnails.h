// Pictures of scenes from a folder, as textures: NAME.jpg or NAME.png. Needs a current OpenGL context.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "render/gl/gl.h"

namespace coalesce {

class Thumbnails {
public:
    explicit Thumbnails(std::filesystem::path folder) : m_folder(std::move(folder)) {}

    // The texture of a scene; 0 where there is no picture. Loaded when it is asked for first, few at a time:
    // until then 0, too.
    GLuint of(const std::string& scene);
    // To be called for every picture of the window.
    void beginPicture() { m_loaded = 0; }

private:
    std::filesystem::path m_folder;
    std::map<std::string, gl::Texture> m_textures;
    int m_loaded = 0;  // in this picture
};

}  // namespace coalesce
