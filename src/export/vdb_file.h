// OpenVDB files, where the program was built with libopenvdb:
// level sets of liquids, fogs of passive particles.
#pragma once

#include <string>
#include <vector>

#include "export/particle_table.h"
#include "sim/surface/liquid_meshes.h"

namespace coalesce {

// A liquid's surface, and the voxels of its level set.
struct LiquidVolume {
    LiquidMesh liquid;
    float voxel = 0;  // [m]
};
// What a file of a frame is made of.
struct VolumeFrame {
    uint64_t frame = 0;
    double time = 0;  // [s]
    std::vector<LiquidVolume> liquids;
    ParticleTable passives;  // of takePassiveTable(); without columns: none
    float fogVoxel = 0;      // [m]
};
// Meshes the liquids with these options; onlyPassives: leaves them out. A voxel is a cell
// of the mesh; that of fogs a cell of the finest liquid. Fails (Exit::Usage) for a world
// that has neither liquids nor passive particles.
VolumeFrame takeVolumeFrame(const World& world, const SurfaceOptions& options, bool onlyPassives);

// The bytes of a file; the same frame gives the same bytes. Its grids:
//   NAME      level set of the liquid NAME: signed distance to its surface mesh [m], three voxels to either side
//   velocity  of the liquid, at the voxels of the level set [m/s]; NAME_velocity where there are several liquids
//   spray, foam, bubbles, smoke
//             fog: the volume of the particles per volume of space [-]
std::string encodeVdb(const VolumeFrame& frame);

}  // namespace coalesce
