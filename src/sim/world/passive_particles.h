// Passive particles: spray, foam and bubbles; markers of smoke and dye. Liquids carry them along.
// They act on nothing, and no other state depends on them, except by the drag of foam and bubbles of liquids with
// foamMass. [UPP14] 7.2.1, [IAAT12]
#pragma once

#include <cstdint>
#include <vector>

#include "core/buffer.h"
#include "kernels/passive/passive_particle.h"
#include "sim/world/parameters.h"

namespace coalesce {

struct World;

// The arrays of passive_particles.def.
struct PassiveArrays {
    // Becomes:  Buffer<Vec4> x; Buffer<Vec4> v; …
#define ARRAY(T, name, unit, about) Buffer<T> name;
#include "sim/world/passive_particles.def"

    size_t size() const {
        return id.size();
    }
};

// visit(array, name) for the arrays, or for other members of these names.
template <class Arrays, class Visit>
void forEachPassiveArray(Arrays& arrays, Visit&& visit) {
#define ARRAY(T, name, unit, about) visit(arrays.name, #name);
#include "sim/world/passive_particles.def"
}

struct PassiveCounters {
    uint64_t born = 0;       // in the whole run; also the next id
    uint64_t seen = 0;       // ids of particles below this have brought along their smoke
    uint64_t smoked = 0;     // 1 once a material has made smoke or dye
    uint64_t expired = 0;    // reached the end of their life
    uint64_t displaced = 0;  // removed, or never made, because passive.capacity was reached
};

// How a liquid makes spray, foam and bubbles: of the chosen preset, or the custom values.
struct FoamProperties {
    float trappedAir = 0, trappedAirSpeed = 1;  // [1/s], [m/s]
    float waveCrest = 0, crestCurvature = 1;    // [1/s], [-]
    float vorticity = 0, swirlSpeed = 1;        // [1/s], [m/s]
    float speed = 1;                            // [m/s]
    float life = 1;                             // [s]
    float buoyancy = 0, drag = 0;               // [-], [1/s]
    float size = 0.01f;                         // [m]

    bool makesFoam() const { return trappedAir > 0 || waveCrest > 0 || vorticity > 0; }
};
FoamProperties foamProperties(const MaterialProperties& properties);

// One for each material.
std::vector<PassiveConstants> passiveConstants(const World& world);

}  // namespace coalesce
