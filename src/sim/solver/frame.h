// What happens around the substeps of a frame: constants go to the device, the start is kept, status comes
// back.
#pragma once

#include "sim/stage/device_world.h"
#include "sim/world/status.h"

namespace coalesce {

// Uploads material constants and the shapes' poses for all substeps, plans the sizes, clears the status.
// dt: of one substep [s].
void openFrame(World& world, DeviceWorld& device, double dt);

void clearStatus(DeviceWorld& device);
StatusBlock readStatus(const DeviceWorld& device);

// After a frame: enlarges what was too small and says whether the frame must be done again (policy grow);
// throws (policy fail); notes the cut (policy clamp). Without overflow, follows the particles with the sort
// keys and gives back what is far too large.
bool growCapacities(World& world, DeviceWorld& device, Status& status);

// The state at the start of a frame.
class FrameBackup {
public:
    explicit FrameBackup(Exec& exec)
        : m_arrays{
#define ARRAY(T, name, unit, role, about) Buffer<T>(exec),
#include "sim/world/particles.def"
              {}},
          m_solids(exec) {
    }
    void save(World& world);
    void restore(World& world);

private:
    ParticleArrays m_arrays;
    SolidState m_solids;
};

// Bytes on the machine under these parameters, before anything is allocated. particles: of each material.
struct SolverMemory {
    size_t state = 0;    // particles, bodies, and their copy for a redone frame
    size_t lists = 0;    // neighbors, contacts
    size_t scratch = 0;  // sorting, contacts, intermediate arrays
    size_t total() const { return state + lists + scratch; }
};
SolverMemory estimateMemory(std::span<const size_t> particles, const Parameters& parameters,
                            std::span<const Material> materials);

}  // namespace coalesce
