#include "geometry/mesh/mesh_vdb.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openvdb/io/Stream.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/Interpolation.h>
#include <openvdb/tools/VolumeToMesh.h>
#include <sstream>
#include <vector>

#include "core/error.h"

namespace coalesce {

namespace {

const char* const kAdvice =
    "Give a narrow-band level set of floats, as --export vdb and Houdini's VDB from Polygons write it.";

openvdb::GridPtrVec gridsOf(std::string_view content, const std::string& name) {
    openvdb::initialize();
    try {
        std::istringstream bytes{std::string(content), std::ios::binary};
        bytes.exceptions(std::ios::failbit |
                         std::ios::badbit);  // the library does not test for the end of a file
        openvdb::io::Stream stream(bytes, false);
        return *stream.getGrids();
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        fail(Exit::Scene, name, fmt::format("not a readable OpenVDB file: {}", error.what()),
             fmt::format("This program reads files up to those of OpenVDB {}.",
                         openvdb::getLibraryVersionString()));
    }
}

bool isLevelSet(const openvdb::GridBase& grid) {
    return grid.getGridClass() == openvdb::GRID_LEVEL_SET;
}

std::string kindOf(const openvdb::GridBase& grid) {
    return fmt::format("\"{}\", {} of {}", grid.getName(),
                       openvdb::GridBase::gridClassToMenuName(grid.getGridClass()), grid.valueType());
}

openvdb::FloatGrid::Ptr levelSetOf(std::string_view content, const std::string& name) {
    std::vector<openvdb::FloatGrid::Ptr> found;
    std::vector<std::string> all;
    for (const openvdb::GridBase::Ptr& grid : gridsOf(content, name)) {
        all.push_back(kindOf(*grid));
        if (auto floats = openvdb::gridPtrCast<openvdb::FloatGrid>(grid); floats && isLevelSet(*floats))
            found.push_back(floats);
    }
    if (all.empty()) fail(Exit::Scene, name, "the file has no grid", kAdvice);
    if (found.empty())
        fail(Exit::Scene, name,
             fmt::format("no grid of the file is a level set of floats; it has {}", fmt::join(all, "; ")),
             kAdvice);
    const auto named = std::ranges::find_if(found, [](const auto& g) { return g->getName() == "surface"; });
    if (named == found.end() && found.size() > 1)
        fail(Exit::Scene, name,
             fmt::format("the file has {} level sets: {}", found.size(), fmt::join(all, "; ")),
             "Keep one of them, or name the one that counts \"surface\".");
    const openvdb::FloatGrid::Ptr grid = named == found.end() ? found.front() : *named;
    if (!grid->transform().isLinear())
        fail(Exit::Scene, name, fmt::format("the grid \"{}\" has a perspective transform", grid->getName()),
             "Resample it to a grid of cubes.");
    if (grid->activeVoxelCount() == 0)
        fail(Exit::Scene, name, fmt::format("the level set \"{}\" is empty", grid->getName()), kAdvice);
    return grid;
}

class Velocity : public VdbVelocity {
public:
    explicit Velocity(openvdb::Vec3SGrid::Ptr grid) : m_grid(std::move(grid)) {}
    Vec3d at(Vec3d p) const override {
        const openvdb::Vec3d index = m_grid->worldToIndex({p.x(), p.y(), p.z()});
        const openvdb::Vec3s v = m_grid->getGridClass() == openvdb::GRID_STAGGERED
                                     ? openvdb::tools::StaggeredBoxSampler::sample(m_grid->tree(), index)
                                     : openvdb::tools::BoxSampler::sample(m_grid->tree(), index);
        return {v.x(), v.y(), v.z()};
    }

private:
    openvdb::Vec3SGrid::Ptr m_grid;
};

}  // namespace

bool hasVdb() {
    return true;
}

void failWithoutVdb(const std::string& where) {
    fail(Exit::Usage, where, "this program was built with OpenVDB");
}

TriangleMesh parseVdb(std::string_view content, const std::string& name, const MeshLimits& limits) {
    const openvdb::FloatGrid::Ptr grid = levelSetOf(content, name);
    std::vector<openvdb::Vec3s> points;
    std::vector<openvdb::Vec3I> triangles;
    std::vector<openvdb::Vec4I> quads;
    openvdb::tools::volumeToMesh(*grid, points, triangles, quads, 0, 0);
    const size_t faces = triangles.size() + 2 * quads.size();
    if (points.size() > limits.vertices || faces > limits.triangles)
        fail(Exit::Scene, name,
             fmt::format("the surface has {} vertices and {} triangles; at most {} and {} are read",
                         points.size(), faces, limits.vertices, limits.triangles),
             "Resample the level set to larger voxels.");
    TriangleMesh mesh;
    mesh.vertices.reserve(points.size());
    for (const openvdb::Vec3s& p : points) {
        for (const float c : {p.x(), p.y(), p.z()})
            if (!(std::abs(double{c}) <= limits.coordinate))
                fail(Exit::Scene, name, fmt::format("coordinate {} is out of range", c),
                     fmt::format("Coordinates must be finite and within ±{}.", limits.coordinate));
        mesh.vertices.push_back({p.x(), p.y(), p.z()});
    }
    // the library orders corners clockwise seen from outside
    for (const openvdb::Vec3I& t : triangles) mesh.triangles.push_back({t[2], t[1], t[0]});
    for (const openvdb::Vec4I& q : quads) {
        mesh.triangles.push_back({q[2], q[1], q[0]});
        mesh.triangles.push_back({q[3], q[2], q[0]});
    }
    if (mesh.triangles.empty())
        fail(Exit::Scene, name, fmt::format("the level set \"{}\" is nowhere zero", grid->getName()),
             kAdvice);
    mesh.normals = smoothNormals(mesh);
    return mesh;
}

std::shared_ptr<const VdbVelocity> VdbVelocity::read(std::string_view content, const std::string& name) {
    for (const openvdb::GridBase::Ptr& grid : gridsOf(content, name))
        for (const char* known : {"velocity", "vel", "v"})
            if (grid->getName() == known) {
                auto vectors = openvdb::gridPtrCast<openvdb::Vec3SGrid>(grid);
                if (!vectors)
                    fail(Exit::Scene, name,
                         fmt::format("velocities must be vectors of floats, not {}", kindOf(*grid)),
                         "Merge its components into a grid of vectors, or rename the grid.");
                return std::make_shared<Velocity>(std::move(vectors));
            }
    return nullptr;
}

}  // namespace coalesce
