#include "render/gl/gl.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <glm/gtc/type_ptr.hpp>
#include <regex>
#include <sstream>

#include "render/gl/embedded_shaders.h"

namespace coalesce::gl {

void deleteBuffer(GLuint id) {
    glDeleteBuffers(1, &id);
}
void deleteTexture(GLuint id) {
    glDeleteTextures(1, &id);
}
void deleteFramebuffer(GLuint id) {
    glDeleteFramebuffers(1, &id);
}
void deleteVertexArray(GLuint id) {
    glDeleteVertexArrays(1, &id);
}
void deleteProgram(GLuint id) {
    glDeleteProgram(id);
}
void deleteQuery(GLuint id) {
    glDeleteQueries(1, &id);
}
void deleteSampler(GLuint id) {
    glDeleteSamplers(1, &id);
}

bool Buffer::reserve(size_t bytes) {
    if (m_handle && bytes <= m_capacity) return false;
    // grow by half, so that slow growth does not reallocate every frame
    m_capacity = std::max<size_t>({bytes, m_capacity + m_capacity / 2, 64});
    GLuint id = 0;
    glCreateBuffers(1, &id);
    m_handle = Handle<deleteBuffer>(id);
    glNamedBufferStorage(id, GLsizeiptr(m_capacity), nullptr, GL_DYNAMIC_STORAGE_BIT);
    return true;
}

bool Buffer::upload(const void* data, size_t bytes) {
    const bool renamed = reserve(bytes);
    if (bytes) glNamedBufferSubData(id(), 0, GLsizeiptr(bytes), data);
    return renamed;
}

namespace {
void sampleClamped(GLuint id, GLenum filter) {
    glTextureParameteri(id, GL_TEXTURE_MIN_FILTER, GLint(filter));
    glTextureParameteri(id, GL_TEXTURE_MAG_FILTER, GLint(filter));
    glTextureParameteri(id, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTextureParameteri(id, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
}
}  // namespace

Texture::Texture(GLenum format, int width, int height, GLenum filter, int levels)
    : m_format(format), m_width(width), m_height(height) {
    GLuint id = 0;
    glCreateTextures(GL_TEXTURE_2D, 1, &id);
    m_handle = Handle<deleteTexture>(id);
    glTextureStorage2D(id, levels, format, width, height);
    sampleClamped(id, filter);
    if (levels > 1) glTextureParameteri(id, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
}

TextureArray::TextureArray(GLenum format, int width, int height, int layers, GLenum filter) {
    GLuint id = 0;
    glCreateTextures(GL_TEXTURE_2D_ARRAY, 1, &id);
    m_handle = Handle<deleteTexture>(id);
    glTextureStorage3D(id, 1, format, width, height, layers);
    sampleClamped(id, filter);
    for (int k = 0; k < layers; ++k) {
        GLuint view = 0;
        glGenTextures(1, &view);  // glTextureView needs a name without an object
        glTextureView(view, GL_TEXTURE_2D, id, format, 0, 1, GLuint(k), 1);
        m_layers.push_back(Texture(Handle<deleteTexture>(view), format, width, height));
        sampleClamped(view, filter);
    }
}

void TextureArray::bind(GLuint unit) const {
    glBindTextureUnit(unit, m_handle.id());
}

void Texture::bind(GLuint unit) const {
    glBindTextureUnit(unit, id());
}

Sampler::Sampler() {
    GLuint id = 0;
    glCreateSamplers(1, &id);
    m_handle = Handle<deleteSampler>(id);
    glSamplerParameteri(id, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glSamplerParameteri(id, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glSamplerParameteri(id, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glSamplerParameteri(id, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glSamplerParameteri(id, GL_TEXTURE_COMPARE_MODE, GL_NONE);
}

Framebuffer::Framebuffer(std::initializer_list<const Texture*> colors, const Texture* depth) {
    GLuint id = 0;
    glCreateFramebuffers(1, &id);
    m_handle = Handle<deleteFramebuffer>(id);
    std::vector<GLenum> buffers;
    for (const Texture* color : colors) {
        const GLenum attachment = GL_COLOR_ATTACHMENT0 + GLenum(buffers.size());
        glNamedFramebufferTexture(id, attachment, color->id(), 0);
        buffers.push_back(attachment);
    }
    if (depth) glNamedFramebufferTexture(id, GL_DEPTH_ATTACHMENT, depth->id(), 0);
    glNamedFramebufferDrawBuffers(id, GLsizei(buffers.size()), buffers.data());
    if (buffers.empty()) glNamedFramebufferReadBuffer(id, GL_NONE);
    if (glCheckNamedFramebufferStatus(id, GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        throw Error("OpenGL does not support a framebuffer of the renderer (" + rendererName() +
                    ").\n    It needs OpenGL 4.5 with float render targets; try --gl surfaceless.");
    }
}

VertexArray::VertexArray() {
    GLuint id = 0;
    glCreateVertexArrays(1, &id);
    m_handle = Handle<deleteVertexArray>(id);
}

void VertexArray::attribute(GLuint index, GLint components, GLenum type, GLuint divisor) {
    glEnableVertexArrayAttrib(id(), index);
    glVertexArrayAttribBinding(id(), index, index);
    glVertexArrayBindingDivisor(id(), index, divisor);
    if (type == GL_FLOAT) {
        glVertexArrayAttribFormat(id(), index, components, GL_FLOAT, GL_FALSE, 0);
    } else {
        glVertexArrayAttribIFormat(id(), index, components, type, 0);
    }
}

void VertexArray::divisor(GLuint index, GLuint instances) {
    glVertexArrayBindingDivisor(id(), index, instances);
}

void VertexArray::source(GLuint index, GLuint buffer, size_t offset, size_t stride) {
    glVertexArrayVertexBuffer(id(), index, buffer, GLintptr(offset), GLsizei(stride));
}

// ----------------------------------------------------------------------------------------------------
// shaders

std::string ShaderLibrary::text(const std::string& name) const {
    if (!m_folder.empty()) {
        std::ifstream file(m_folder / name);
        if (file) return {std::istreambuf_iterator<char>(file), {}};
        throw Error((m_folder / name).string() + ": cannot be read; the last valid version stays in use.");
    }
    for (int k = 0; k < kEmbeddedShaderCount; ++k) {
        if (name == kEmbeddedShaders[k].name) return kEmbeddedShaders[k].text;
    }
    throw Error(name + ": there is no built-in shader with this name.");
}

void ShaderLibrary::expand(const std::string& name, std::vector<std::string>& files, std::string& out) const {
    const size_t number = files.size();
    files.push_back(name);
    out += "#line 1 " + std::to_string(number) + "\n";
    std::istringstream lines(text(name));
    int lineNumber = 0;
    for (std::string line; std::getline(lines, line);) {
        ++lineNumber;
        const size_t open = line.find('"');
        const size_t close = line.rfind('"');
        if (line.rfind("#include", 0) != 0 || open == close) {
            out += line + "\n";
            continue;
        }
        const std::string included = line.substr(open + 1, close - open - 1);
        if (std::find(files.begin(), files.end(), included) == files.end()) expand(included, files, out);
        out += "#line " + std::to_string(lineNumber + 1) + " " + std::to_string(number) + "\n";
    }
}

std::string ShaderLibrary::source(const std::string& name, const std::vector<std::string>& defines,
                                  std::vector<std::string>& files) const {
    std::string out = "#version 450 core\n";
    for (const std::string& define : defines) out += "#define " + define + " 1\n";
    files.clear();
    expand(name, files, out);
    return out;
}

std::vector<std::string> ShaderLibrary::foreign() const {
    std::vector<std::string> names;
    for (int k = 0; live() && k < kEmbeddedShaderCount; ++k) {
        std::ifstream file(m_folder / kEmbeddedShaders[k].name);
        const std::string there{std::istreambuf_iterator<char>(file), {}};
        if (there != kEmbeddedShaders[k].text) names.emplace_back(kEmbeddedShaders[k].name);
    }
    return names;
}

bool ShaderLibrary::changed() {
    if (m_folder.empty()) return false;
    std::map<std::string, std::filesystem::file_time_type> times;
    std::error_code failure;
    for (const auto& entry : std::filesystem::directory_iterator(m_folder, failure)) {
        times[entry.path().filename().string()] = entry.last_write_time(failure);
    }
    const bool first = m_times.empty();
    const bool different = times != m_times;
    m_times = std::move(times);
    return different && !first;
}

namespace {

GLenum stageOf(const std::string& name) {
    if (name.ends_with(".vert")) return GL_VERTEX_SHADER;
    if (name.ends_with(".frag")) return GL_FRAGMENT_SHADER;
    return GL_COMPUTE_SHADER;
}

// Replaces the file numbers in compiler logs by names: "2:14(3): error" and "2(14) : error" become
// "tonemap.frag:14(3): error" and "tonemap.frag:14: error".
std::string nameFiles(const std::string& log, const std::vector<std::string>& files) {
    static const std::regex colon(R"(^(\d{1,3}):)"), parenthesis(R"(^(\d{1,3})\((\d+)\) ?:)");
    std::string out;
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
        std::smatch found;
        if (std::regex_search(line, found, colon) || std::regex_search(line, found, parenthesis)) {
            const size_t number = std::stoul(found[1]);
            const std::string place = found.size() > 2 ? ":" + found[2].str() + ":" : ":";
            if (number < files.size()) line = files[number] + place + found.suffix().str();
        }
        out += line + "\n";
    }
    return out;
}

std::string shaderLog(GLuint shader) {
    GLint length = 0;
    glGetShaderiv(shader, GL_INFO_LOG_LENGTH, &length);
    std::string log(size_t(std::max(length, 1)), '\0');
    glGetShaderInfoLog(shader, length, nullptr, log.data());
    return log.c_str();
}

Handle<deleteProgram> build(const ShaderLibrary& library, const std::vector<std::string>& stages,
                            const std::vector<std::string>& defines) {
    Handle<deleteProgram> program(glCreateProgram());
    for (const std::string& stage : stages) {
        std::vector<std::string> files;
        const std::string source = library.source(stage, defines, files);
        const char* pointer = source.c_str();
        const GLuint shader = glCreateShader(stageOf(stage));
        glShaderSource(shader, 1, &pointer, nullptr);
        glCompileShader(shader);
        GLint good = 0;
        glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
        const std::string log = good ? std::string() : shaderLog(shader);
        glAttachShader(program.id(), shader);
        glDeleteShader(shader);  // kept alive by the program
        if (!good) throw Error(stage + " does not compile:\n" + nameFiles(log, files));
    }
    glLinkProgram(program.id());
    GLint good = 0;
    glGetProgramiv(program.id(), GL_LINK_STATUS, &good);
    if (!good) {
        std::array<char, 4096> log{};
        glGetProgramInfoLog(program.id(), GLsizei(log.size()), nullptr, log.data());
        throw Error(stages.front() + ", " + stages.back() + " do not link:\n" + log.data());
    }
    return program;
}

}  // namespace

Program::Program(const ShaderLibrary& library, std::vector<std::string> stages,
                 std::vector<std::string> defines)
    : m_stages(std::move(stages)), m_defines(std::move(defines)) {
    if (reload(library)) return;
    if (!library.live()) throw Error(m_error);
    // there is no last valid version yet: use the built-in one and keep the error
    m_handle = build({}, m_stages, m_defines);
}

bool Program::reload(const ShaderLibrary& library) {
    try {
        m_handle = build(library, m_stages, m_defines);
        m_locations.clear();
        m_error.clear();
        return true;
    } catch (const Error& error) {
        m_error = error.what();
        return false;
    }
}

GLint Program::location(const char* name) const {
    const auto found = m_locations.find(name);
    if (found != m_locations.end()) return found->second;
    return m_locations[name] = glGetUniformLocation(id(), name);
}

const Program& Program::set(const char* name, int value) const {
    glProgramUniform1i(id(), location(name), value);
    return *this;
}
const Program& Program::set(const char* name, float value) const {
    glProgramUniform1f(id(), location(name), value);
    return *this;
}
const Program& Program::set(const char* name, glm::ivec2 value) const {
    glProgramUniform2i(id(), location(name), value.x, value.y);
    return *this;
}
const Program& Program::set(const char* name, glm::vec2 value) const {
    glProgramUniform2f(id(), location(name), value.x, value.y);
    return *this;
}
const Program& Program::set(const char* name, glm::vec3 value) const {
    glProgramUniform3f(id(), location(name), value.x, value.y, value.z);
    return *this;
}
const Program& Program::set(const char* name, glm::vec4 value) const {
    glProgramUniform4f(id(), location(name), value.x, value.y, value.z, value.w);
    return *this;
}
const Program& Program::set(const char* name, const glm::mat4& value) const {
    glProgramUniformMatrix4fv(id(), location(name), 1, GL_FALSE, glm::value_ptr(value));
    return *this;
}

// ------------------------------------------------------------------------------------------------------
// driver

DebugLog::DebugLog() {
    glEnable(GL_DEBUG_OUTPUT);
    glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
    const auto listen = [](GLenum source, GLenum type, GLuint, GLenum, GLsizei, const GLchar* message,
                           const void* self) {
        // shader compiler messages are reported by Program
        if (source == GL_DEBUG_SOURCE_SHADER_COMPILER) return;
        if (type != GL_DEBUG_TYPE_ERROR && type != GL_DEBUG_TYPE_UNDEFINED_BEHAVIOR) return;
        static_cast<DebugLog*>(const_cast<void*>(self))->m_errors.emplace_back(message);
    };
    glDebugMessageCallback(listen, this);
}

DebugLog::~DebugLog() {
    glDebugMessageCallback(nullptr, nullptr);
    glDisable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
}

std::string rendererName() {
    const GLubyte* name = glGetString(GL_RENDERER);
    return name ? reinterpret_cast<const char*>(name) : "unknown renderer";
}

bool isSoftwareRenderer() {
    const std::string name = rendererName();
    for (const char* software : {"llvmpipe", "softpipe", "swrast", "SWR"}) {
        if (name.find(software) != std::string::npos) return true;
    }
    return false;
}

}  // namespace coalesce::gl
