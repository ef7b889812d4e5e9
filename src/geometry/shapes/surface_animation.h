// Surfaces that move: a sequence of mesh files of the same topology, a wave that
// runs through a mesh, or a mesh whose legs walk.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "geometry/mesh/mesh.h"
#include "geometry/query/mesh_repair.h"
#include "geometry/shapes/solid_spec.h"

namespace coalesce {

// A wave that runs from the front of a body, where `along` is largest, to its end, like that of a swimming
// fish: x = rest + A(s) sin(2π (s L / wavelength − t / period)) across, s from 0 at the front to 1, L the
// length along the axis. The amplitude A grows linearly with s from a fifth of its value at the end.
struct SurfaceWave {
    float amplitude = 0;   // [m] at the end
    float wavelength = 1;  // [m]
    float period = 1;      // [s]
    Vec3 across{1, 0, 0};  // unit
    Vec3 along{0, 0, 1};   // unit, toward the front
    bool operator==(const SurfaceWave&) const = default;
};

// Steps of a solid with legs. Hooves on the ground stand still where the solid itself
// moves along its z axis by a stride per period.
struct SurfaceWalk {
    float period = 0;      // [s] in which each leg takes a step; 0: none
    float stride = 0.55f;  // [m] way of the solid in a period
    bool operator==(const SurfaceWalk&) const = default;
};

// Of a solid whose mesh is a pattern of files, of any solid by a wave, or of one with legs by walking.
struct SurfaceAnimation {
    float rate = 24;    // [1/s] files
    bool loop = false;  // the first file follows the last one
    SurfaceWave wave;   // amplitude 0: none
    SurfaceWalk walk;
    bool operator==(const SurfaceAnimation&) const = default;
};

struct Skeleton;
class WalkingSkin;

class AnimatedSurface {
public:
    AnimatedSurface(TriangleMesh rest, const SurfaceWave& wave);
    // Fails (Exit::Scene, at `where`) when the legs do not reach that far.
    AnimatedSurface(TriangleMesh rest, const Skeleton& skeleton, const SurfaceWalk& walk,
                    const std::string& where);
    // spec.mesh: the pattern. Scales and moves all files like the first one. Fails (Exit::Scene) when no file
    // matches the pattern, or when their topologies differ.
    AnimatedSurface(const SurfaceAnimation& animation, const SolidSpec& spec);

    // Triangles and report of the repaired first mesh.
    const TriangleMesh& rest() const { return m_rest; }
    const MeshReport& report() const { return m_report; }
    // At a time [s]: interpolated linearly between files; the first one before 0, the last one after the end.
    std::vector<Vec3> verticesAt(double t) const;
    size_t frames() const { return m_frames.size(); }  // 0: a wave, or a walk

private:
    TriangleMesh m_rest;
    MeshReport m_report;
    SurfaceWave m_wave;
    float m_front = 0, m_length = 1;            // [m] of the wave's body along its axis
    std::shared_ptr<const WalkingSkin> m_walk;  // null: none
    std::vector<std::vector<Vec3>> m_frames;
    double m_rate = 24;
    bool m_loop = false;
};

// A path with a run of # in its name, in place of a number of at least as many digits; its files, by number.
bool isPattern(const std::filesystem::path& path);
std::vector<std::filesystem::path> filesOfPattern(const std::filesystem::path& pattern);

}  // namespace coalesce
