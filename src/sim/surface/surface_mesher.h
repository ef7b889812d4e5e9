// Triangle mesh of a liquid's surface: particles in, mesh out.
//
// The mesh is closed and manifold, and depends on the set of particles alone: not on their storage order, the
// number of threads or the backend. See kernels/surface/color_field.h and marching_cubes.h.
#pragma once

#include <string>
#include <vector>

#include "core/buffer.h"
#include "geometry/mesh/mesh.h"
#include "kernels/particles/material_constants.h"
#include "kernels/surface/color_field.h"
#include "kernels/surface/marching_cubes.h"
#include "sim/stage/step_context.h"
#include "sim/surface/flat_surface.h"

namespace coalesce {

struct SurfaceOptions {
#define OPTION(type, name, standard, low, high, unit, sentence) type name = standard;
#include "sim/surface/surface_options.def"
    bool operator==(const SurfaceOptions&) const = default;
};
// Exit::Usage for a value that is out of range or not finite.
void checkSurfaceOptions(const SurfaceOptions& options);

// The particles of one liquid, in memory of the backend.
struct LiquidParticles {
    View<const Vec4> x;       // [m]
    View<const Vec4> v;       // [m/s]
    View<const uint32_t> id;  // unique; the order of sums
    float spacing;            // d [m]
};

// A mesh in host memory.
struct SurfaceMesh {
    std::vector<Vec3> position;  // [m]
    std::vector<Vec3> normal;    // unit, out of the liquid
    std::vector<Vec3> velocity;  // [m/s]
    std::vector<Triangle> triangle;
};

class SurfaceMesher : Stage {
public:
    explicit SurfaceMesher(Exec& exec);

    // walls: none by default
    void build(const LiquidParticles& particles, const SurfaceOptions& options,
               const SurfaceWalls& walls = {});

    // Of the last build, in memory of the backend; valid until the next.
    View<const Vec4> position() const { return m_position.view(); }       // [m]
    View<const Vec4> normal() const { return m_normal.view(); }           // unit
    View<const Vec4> velocity() const { return m_velocity.view(); }       // [m/s]
    View<const uint32_t> triangles() const { return m_triangle.view(); }  // three vertices each
    // Values at the vertices of a quantity given per particle of the last build.
    void interpolate(View<const float> quantity, View<float> value);
    void interpolate(View<const Vec4> quantity, View<Vec4> value);  // w is set to 0
    SurfaceMesh download() const;

private:
    template <class T>
    void interpolateAny(View<const T> quantity, View<T> value);
    void addImages(const LiquidParticles& particles, const SurfaceWalls& walls);
    void sortIntoBins();
    void findBinsAround();
    void findNeighbors();
    SearchPositions positions();
    void fitKernels(const LiquidParticles& particles, const SurfaceOptions& options);
    void findBlocks();
    template <bool kAnisotropic>
    void evaluateColor(float spacing);
    void polygonize();
    template <class Step>
    void reduce(Step&& step);
    void smooth(int passes);
    void moveOntoWalls();
    void findNormals();
    CellTable makeTable(View<const uint64_t> keys, View<const uint32_t> start, Buffer<uint32_t>& first);
    uint32_t readCount(View<const uint32_t> count) const;

    SurfaceGrid m_grid{};
    SurfaceWalls m_walls{};  // where the mesh ends
    float m_radius = 0;      // R [m]
    FlatSurface m_flat{};
    Buffer<CubeCase> m_cases{exec};
    Buffer<float> m_nodeX{exec}, m_nodeY{exec}, m_nodeZ{exec};
    // particles and their images at walls
    size_t m_given = 0;  // particles of the input
    Buffer<Vec4> m_all{exec};
    Buffer<uint32_t> m_allId{exec}, m_original{exec};  // → particle of the input
    // both, sorted by bin
    Buffer<uint32_t> m_source{exec};  // → particle of the input
    Buffer<Vec4> m_x{exec};
    Buffer<float> m_axis[3] = {Buffer<float>(exec), Buffer<float>(exec),
                               Buffer<float>(exec)};  // x, y, z of m_x
    Buffer<uint32_t> m_home{exec};                    // bin
    Buffer<Vec4> m_center{exec}, m_square{exec}, m_shear{exec}, m_extent{exec};
    Buffer<int> m_neighborCount{exec}, m_neighbors{exec};
    Buffer<int> m_interior{exec};  // per particle: 1 inside the liquid
    int m_neighborCapacity = 64;
    int64_t m_stride = 0;
    // bins
    Buffer<uint64_t> m_occupied{exec}, m_bins{exec};  // keys: of bins with particles; of these and all around
    Buffer<uint32_t> m_binStart{exec};                // per occupied bin: first particle; and the end
    Buffer<uint32_t> m_occupiedBuckets{exec}, m_binBuckets{exec};
    Buffer<RowRange> m_rows{exec};
    CellTable m_table{};  // of m_bins
    // blocks
    Buffer<uint32_t> m_candidate{exec}, m_upper{exec};
    Buffer<float> m_color{exec};
    // mesh
    Buffer<Vec4> m_raw{exec}, m_position{exec}, m_normal{exec}, m_velocity{exec};
    Buffer<uint32_t> m_vertexBin{exec}, m_onWalls{exec}, m_triangle{exec}, m_degree{exec};
    Buffer<int64_t> m_sums{exec};
};

}  // namespace coalesce
