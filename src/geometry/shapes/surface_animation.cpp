#include "geometry/shapes/surface_animation.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <utility>

#include "core/error.h"
#include "geometry/math/vec3d.h"
#include "geometry/mesh/mesh_reader.h"
#include "geometry/shapes/mesh_fit.h"
#include "geometry/shapes/skeleton.h"

namespace coalesce {

bool isPattern(const std::filesystem::path& path) {
    return path.filename().string().find('#') != std::string::npos;
}

std::vector<std::filesystem::path> filesOfPattern(const std::filesystem::path& pattern) {
    const std::string name = pattern.filename().string();
    const size_t first = name.find('#'), last = name.rfind('#');
    if (first == std::string::npos || name.find_first_not_of('#', first) < last)
        fail(Exit::Scene, pattern.string(), "the name of a sequence needs one run of #",
             "For example walk_####.obj for walk_0001.obj, walk_0002.obj.");
    const std::string before = name.substr(0, first), after = name.substr(last + 1);
    const size_t digits = last + 1 - first;
    std::vector<std::pair<unsigned long, std::filesystem::path>> found;
    std::error_code missing;
    for (const auto& entry : std::filesystem::directory_iterator(
             pattern.has_parent_path() ? pattern.parent_path() : ".", missing)) {
        const std::string file = entry.path().filename().string();
        if (file.size() < before.size() + digits + after.size() || !file.starts_with(before) ||
            !file.ends_with(after))
            continue;
        const std::string number = file.substr(before.size(), file.size() - before.size() - after.size());
        if (number.size() < 10 &&
            std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; }))
            found.push_back({std::stoul(number), entry.path()});
    }
    if (found.empty())
        fail(Exit::Scene, pattern.string(), "no file matches this pattern",
             fmt::format("The first one could be {}{:0{}}{}.", before, 1, digits, after));
    std::sort(found.begin(), found.end());
    std::vector<std::filesystem::path> files;
    for (auto& [number, file] : found) files.push_back(std::move(file));
    return files;
}

AnimatedSurface::AnimatedSurface(TriangleMesh rest, const SurfaceWave& wave) : m_wave(wave) {
    m_rest = repairMesh(std::move(rest), m_report);
    CHECK(!m_rest.vertices.empty());
    m_front = -1e30f;
    float end = 1e30f;
    for (const Vec3& v : m_rest.vertices) {
        m_front = std::max(m_front, dot(wave.along, v));
        end = std::min(end, dot(wave.along, v));
    }
    m_length = std::max(m_front - end, 1e-6f);
}

AnimatedSurface::AnimatedSurface(TriangleMesh rest, const Skeleton& skeleton, const SurfaceWalk& walk,
                                 const std::string& where) {
    m_rest = repairMesh(std::move(rest), m_report);
    m_walk = std::make_shared<WalkingSkin>(skeleton, walk, m_rest.vertices, where);
}

AnimatedSurface::AnimatedSurface(const SurfaceAnimation& animation, const SolidSpec& spec)
    : m_rate(animation.rate), m_loop(animation.loop) {
    const std::vector<std::filesystem::path> files = filesOfPattern(spec.mesh);
    TriangleMesh first = readMesh(files.front());
    const size_t vertices = first.vertices.size(), triangles = first.triangles.size();
    const MeshFit fit(first, spec, files.front().string());
    fit.apply(first);
    m_frames.push_back(first.vertices);
    m_rest = repairMesh(std::move(first), m_report);
    for (size_t k = 1; k < files.size(); ++k) {
        TriangleMesh mesh = readMesh(files[k]);
        if (mesh.vertices.size() != vertices || mesh.triangles.size() != triangles)
            fail(Exit::Scene, files[k].string(),
                 fmt::format("has {} vertices and {} triangles; {} has {} and {}", mesh.vertices.size(),
                             mesh.triangles.size(), files.front().filename().string(), vertices, triangles),
                 "All files of an animation need the same topology.");
        fit.apply(mesh);
        m_frames.push_back(std::move(mesh.vertices));
    }
}

std::vector<Vec3> AnimatedSurface::verticesAt(double t) const {
    if (m_walk) return m_walk->verticesAt(t);
    std::vector<Vec3> vertices = m_rest.vertices;
    if (m_frames.empty()) {
        constexpr double kTurn = 2 * std::numbers::pi;
        for (Vec3& v : vertices) {
            const double s = (double(m_front) - dot(m_wave.along, v)) / m_length;
            const double phase = s * m_length / m_wave.wavelength - t / m_wave.period;
            const double way =
                m_wave.amplitude * (0.2 + 0.8 * s) * std::sin(kTurn * (phase - std::floor(phase)));
            v = toFloat(toDouble(v) + way * toDouble(m_wave.across));
        }
        return vertices;
    }
    const double count = double(m_frames.size());
    double at = t * m_rate;
    at = m_loop ? at - count * std::floor(at / count) : std::clamp(at, 0.0, count - 1);
    const size_t k = std::min(size_t(at), m_frames.size() - 1), after = (k + 1) % m_frames.size();
    const double u = at - double(k);
    if (u == 0 || (!m_loop && k + 1 == m_frames.size())) return m_frames[k];
    for (size_t i = 0; i < vertices.size(); ++i) {
        const Vec3d a = toDouble(m_frames[k][i]);
        vertices[i] = toFloat(a + u * (toDouble(m_frames[after][i]) - a));
    }
    return vertices;
}

}  // namespace coalesce
