// Files of surface meshes for other programs.
#pragma once

#include <string>
#include <vector>

#include "sim/surface/liquid_meshes.h"

namespace coalesce {

enum class SurfaceFormat { ply, obj };
// "ply", "obj", in the order of the enum; also the file extensions.
const std::vector<std::string>& surfaceFormatNames();

// The bytes of a file. The same mesh gives the same bytes.
//   ply:  PLY 1.0, binary little endian: vertices with normal nx …, velocity vx … [m/s], attributes and
//         the number of their connected piece, then faces
//   obj:  Wavefront OBJ: vertices, normals and faces; the format has no velocities and no attributes
std::string encode(const LiquidMesh& liquid, SurfaceFormat format, uint64_t frame, double time);

}  // namespace coalesce
