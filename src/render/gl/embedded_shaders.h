// Shader sources built into the program (see embed_shaders.cmake).
#pragma once

namespace coalesce::gl {

struct EmbeddedShader {
    const char* name;
    const char* text;
};
extern const EmbeddedShader kEmbeddedShaders[];
extern const int kEmbeddedShaderCount;

}  // namespace coalesce::gl
