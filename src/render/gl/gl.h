// RAII wrappers of OpenGL 4.5 objects, direct state access only. Each needs a current context during its
// lifetime. Nothing here binds framebuffer 0: it does not exist in a surfaceless context.
#pragma once

#include <cstddef>
#include <filesystem>
#include <glad/gl.h>
#include <glm/glm.hpp>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace coalesce::gl {

// An OpenGL failure that the program cannot recover from.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// An OpenGL name that is deleted exactly once; move-only.
template <void (*Delete)(GLuint)>
class Handle {
public:
    Handle() = default;
    explicit Handle(GLuint id) : m_id(id) {}
    Handle(Handle&& other) noexcept : m_id(std::exchange(other.m_id, 0)) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(m_id, other.m_id);
        return *this;
    }
    ~Handle() {
        if (m_id) Delete(m_id);
    }
    GLuint id() const { return m_id; }
    explicit operator bool() const { return m_id != 0; }

private:
    GLuint m_id = 0;
};

void deleteBuffer(GLuint id);
void deleteTexture(GLuint id);
void deleteFramebuffer(GLuint id);
void deleteVertexArray(GLuint id);
void deleteProgram(GLuint id);
void deleteQuery(GLuint id);
void deleteSampler(GLuint id);

// GPU memory. Growing creates a new OpenGL name (interop registrations belong to a name) and discards the
// contents.
class Buffer {
public:
    Buffer() = default;
    explicit Buffer(size_t bytes) { reserve(bytes); }
    // Returns true if the name changed. A buffer is never empty: OpenGL has no buffers of 0 bytes.
    bool reserve(size_t bytes);
    // Grows if needed; returns true if the name changed.
    bool upload(const void* data, size_t bytes);
    GLuint id() const { return m_handle.id(); }
    size_t capacity() const { return m_capacity; }  // [bytes]

private:
    Handle<deleteBuffer> m_handle;
    size_t m_capacity = 0;
};

// A 2D texture, clamped to its edge. Further levels are blended when
// read; makeLevels() fills them from the first.
class Texture {
public:
    Texture() = default;
    Texture(GLenum format, int width, int height, GLenum filter = GL_NEAREST, int levels = 1);
    void makeLevels() const { glGenerateTextureMipmap(id()); }
    GLuint id() const { return m_handle.id(); }
    GLenum format() const { return m_format; }
    int width() const { return m_width; }
    int height() const { return m_height; }
    void bind(GLuint unit) const;

private:
    friend class TextureArray;
    Texture(Handle<deleteTexture> of, GLenum format, int width, int height)
        : m_handle(std::move(of)), m_format(format), m_width(width), m_height(height) {}

    Handle<deleteTexture> m_handle;
    GLenum m_format = 0;
    int m_width = 0, m_height = 0;
};

// Textures of one size that a shader can index; each layer can also be a render target.
class TextureArray {
public:
    TextureArray() = default;
    TextureArray(GLenum format, int width, int height, int layers, GLenum filter = GL_NEAREST);
    const Texture& layer(int k) const { return m_layers[size_t(k)]; }
    void bind(GLuint unit) const;

private:
    Handle<deleteTexture> m_handle;
    std::vector<Texture> m_layers;  // views of the same memory
};

// Unfiltered reads: no depth comparison, nearest texel, clamped.
class Sampler {
public:
    Sampler();
    GLuint id() const { return m_handle.id(); }

private:
    Handle<deleteSampler> m_handle;
};

// Color attachments in order, and an optional depth texture.
class Framebuffer {
public:
    Framebuffer() = default;
    Framebuffer(std::initializer_list<const Texture*> colors, const Texture* depth);
    GLuint id() const { return m_handle.id(); }

private:
    Handle<deleteFramebuffer> m_handle;
};

class VertexArray {
public:
    VertexArray();
    // An attribute from its own buffer; divisor 1 advances per instance. 1 to 4 floats, or one uint32.
    void attribute(GLuint index, GLint components, GLenum type, GLuint divisor);
    void divisor(GLuint index, GLuint instances);  // advances after so many instances
    void source(GLuint index, GLuint buffer, size_t offset, size_t stride);
    GLuint id() const { return m_handle.id(); }

private:
    Handle<deleteVertexArray> m_handle;
};

// Shader sources: built into the program, or read from a folder (live reload). An #include "name" line is
// replaced by that file, once per shader.
class ShaderLibrary {
public:
    ShaderLibrary() = default;
    explicit ShaderLibrary(std::filesystem::path folder) : m_folder(std::move(folder)) {}
    // Source of a stage with includes resolved. files[k] is the name of the file that compilers call k.
    // Throws Error.
    std::string source(const std::string& name, const std::vector<std::string>& defines,
                       std::vector<std::string>& files) const;
    // True if a file of the folder has changed since the previous call; false for built-in sources.
    bool changed();
    bool live() const { return !m_folder.empty(); }
    // Names of the shaders in the folder that differ from the built-in ones: they were edited, or the program
    // is of another version.
    std::vector<std::string> foreign() const;

private:
    std::string text(const std::string& name) const;
    void expand(const std::string& name, std::vector<std::string>& files, std::string& out) const;

    std::filesystem::path m_folder;
    std::map<std::string, std::filesystem::file_time_type> m_times;
};

// A linked program; the file extensions give the stages (.vert .frag .comp).
class Program {
public:
    Program() = default;
    // Throws Error with file, line and message if the first build fails. With a live library it falls back to
    // the built-in sources, and error() has the reason.
    Program(const ShaderLibrary& library, std::vector<std::string> stages,
            std::vector<std::string> defines = {});
    // Rebuilds the program; on failure the last valid one stays in use, and error() has the reason.
    bool reload(const ShaderLibrary& library);
    const std::string& error() const { return m_error; }
    GLuint id() const { return m_handle.id(); }
    void use() const { glUseProgram(m_handle.id()); }

    // Names that the compiler optimized away are ignored.
    const Program& set(const char* name, int value) const;
    const Program& set(const char* name, float value) const;
    const Program& set(const char* name, glm::ivec2 value) const;
    const Program& set(const char* name, glm::vec2 value) const;
    const Program& set(const char* name, glm::vec3 value) const;
    const Program& set(const char* name, glm::vec4 value) const;
    const Program& set(const char* name, const glm::mat4& value) const;

private:
    GLint location(const char* name) const;

    std::vector<std::string> m_stages, m_defines;
    Handle<deleteProgram> m_handle;
    mutable std::unordered_map<std::string, GLint> m_locations;
    std::string m_error;
};

// Collects KHR_debug messages of the driver during its lifetime. Needs a debug context for full coverage.
class DebugLog {
public:
    DebugLog();
    ~DebugLog();
    DebugLog(const DebugLog&) = delete;
    DebugLog& operator=(const DebugLog&) = delete;
    const std::vector<std::string>& errors() const {
        return m_errors;
    }  // errors and undefined behavior; no shader logs
    void clear() { m_errors.clear(); }

private:
    std::vector<std::string> m_errors;
};

// "llvmpipe", "softpipe", "swrast": the CPU renders, and timer queries are meaningless.
bool isSoftwareRenderer();
std::string rendererName();

}  // namespace coalesce::gl
