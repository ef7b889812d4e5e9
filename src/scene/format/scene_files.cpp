#include "scene/format/scene_files.h"

#include <algorithm>

namespace coalesce {

std::filesystem::path resolvePath(const Scene& scene, const std::filesystem::path& file) {
    return file.is_relative() ? scene.file.parent_path() / file : file;
}

std::filesystem::path meshFileOf(const Scene& scene, const SolidSpec& spec) {
    if (spec.mesh.empty()) return {};
    const std::filesystem::path file = resolvePath(scene, spec.mesh);
    std::error_code error;
    return spec.shape.empty() || std::filesystem::exists(file, error) ? file : std::filesystem::path();
}

std::vector<std::filesystem::path> filesOf(const Scene& scene) {
    std::vector<std::filesystem::path> files;
    const auto add = [&](const SolidSpec& spec) {
        if (!spec.mesh.empty()) files.push_back(resolvePath(scene, spec.mesh));
    };
    if (!scene.film.empty()) files.push_back(scene.film);
    for (const TimedCommand& c : scene.timeline)
        if (!c.preset.empty()) files.push_back(resolvePath(scene, c.preset));
    for (const Body& body : scene.bodies) add(body.solid);
    for (const Body& body : scene.prefabs) add(body.solid);
    for (const Shape& shape : scene.shapes) add(shape.solid);
    for (const Sink& sink : scene.sinks) add(sink.form.solid);
    for (const Emitter& emitter : scene.emitters) add(emitter.solid);
    std::sort(files.begin(), files.end());
    files.erase(std::unique(files.begin(), files.end()), files.end());
    return files;
}

std::vector<std::filesystem::path> filesReadBy(const Scene& scene) {
    std::vector<std::filesystem::path> files = filesOf(scene);
    files.push_back(scene.file);
    return files;
}

}  // namespace coalesce
