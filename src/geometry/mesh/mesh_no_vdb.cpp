// In place of mesh_vdb.cpp where libopenvdb is not installed.
#include "core/error.h"
#include "geometry/mesh/mesh_vdb.h"

namespace coalesce {

bool hasVdb() {
    return false;
}

void failWithoutVdb(const std::string& where) {
    fail(Exit::Unavailable, where, "this program was built without OpenVDB",
         "Install the packages libopenvdb-dev and libboost-dev, and build it again.");
}

TriangleMesh parseVdb(std::string_view, const std::string& name, const MeshLimits&) {
    failWithoutVdb(name);
}
std::shared_ptr<const VdbVelocity> VdbVelocity::read(std::string_view, const std::string& name) {
    failWithoutVdb(name);
}

}  // namespace coalesce
