// OpenVDB files: surfaces of level sets, and the velocity grid beside them. Where the program was built
// without libopenvdb, everything here fails and names the package.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "geometry/math/vec3d.h"
#include "geometry/mesh/mesh_reader.h"

namespace coalesce {

// Whether this program was built with libopenvdb.
bool hasVdb();
// Fails (Exit::Usage): it was not.
[[noreturn]] void failWithoutVdb(const std::string& where);

// The surface where the level set of a file is zero, by dual contouring, in the coordinates of the file. Of
// several level sets that named "surface" counts. Fails (Exit::Scene) without one.
TriangleMesh parseVdb(std::string_view content, const std::string& name, const MeshLimits& limits);

// The velocities of a file: its grid of vectors "velocity", "vel" or "v".
class VdbVelocity {
public:
    // Null: the file has no such grid.
    static std::shared_ptr<const VdbVelocity> read(std::string_view content, const std::string& name);
    virtual ~VdbVelocity() = default;
    // Trilinear, in the coordinates and units of the file; its background outside of its active voxels.
    virtual Vec3d at(Vec3d p) const = 0;
};

}  // namespace coalesce
