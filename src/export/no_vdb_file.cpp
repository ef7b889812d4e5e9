// In place of vdb_file.cpp where libopenvdb is not installed.
#include "export/vdb_file.h"
#include "geometry/mesh/mesh_vdb.h"

namespace coalesce {

std::string encodeVdb(const VolumeFrame&) {
    failWithoutVdb("--export vdb");
}

}  // namespace coalesce
