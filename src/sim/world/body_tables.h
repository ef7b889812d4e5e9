// Tables of all solid bodies, cloth and ropes on the device.
//
// Every particle of a solid body has a row: the particles of a body have consecutive ids and consecutive
// rows. A *cluster* is one shape-matching constraint over some rows, its *members*: a rigid body has one, a
// soft body several that overlap.  [UPP14] 5, [MHTG05], [MC11] Cloth and ropes have no clusters; distance
// constraints join their rows.  [UPP14] 8
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/buffer.h"
#include "kernels/cloth/distance_constraint.h"
#include "kernels/cloth/volume_constraint.h"
#include "kernels/solid/cluster.h"
#include "kernels/solid/round_surface.h"

namespace coalesce {

struct Skin;

// Where a body is in the tables.
struct SolidBody {
    uint32_t group = 0;  // of World::groups
    uint32_t firstRow = 0, rows = 0;
    uint32_t spares = 0;  // the last rows: for corners that tearing splits
    uint32_t firstCluster = 0, clusters = 0;
    uint32_t firstTriangle = 0, triangles = 0;
    float volume = 1;                  // of a particle, as a fraction of that of its material
    std::shared_ptr<const Skin> skin;  // shared by bodies of one form; may be null
    bool gone = false;                 // an emitted body that was removed: its rows wait for the next
};

// What a table of solids.def has one element for.
enum class TableOf { rows, members, clusters, springs, triangles, volumeConstraints };

// visit(table, name, of) for every table of solids.def, in its order. Tables: SolidTables, or another struct
// with members of these names.
template <class Tables, class Visit>
void forEachTable(Tables& tables, Visit&& visit) {
#define TABLE(T, name, of, unit, about) visit(tables.name, #name, TableOf::of);
#include "sim/world/solids.def"
}

// The tables of solids.def on the host.
struct HostTables {
#define TABLE(T, name, of, unit, about) std::vector<T> name;
#include "sim/world/solids.def"
};

struct SolidTables {
    explicit SolidTables(Exec& exec);

    // State.  Becomes:  Buffer<Vec4> memberRestPosition; …
#define TABLE(T, name, of, unit, about) Buffer<T> name;
#include "sim/world/solids.def"
    // Fixed when a body is added; see ClusterTables.
    Buffer<uint32_t> slotOf, memberRow, memberCluster, rowStart, rowMembers;
    Buffer<ClusterChunk> chunks;
    Buffer<ClusterConstants> clusters;
    Buffer<Anchor> anchors;
    Buffer<RoundSurface> roundSurfaces;  // of rigid bodies; see round_surface.h
    Buffer<RoundBody> roundBodies;
    Buffer<float> rowBallRadius;  // [m] by row; 0: not of a round body
    uint64_t topology =
        0;  // number of changes of constraints and triangles: what is derived from them is renewed

    size_t rows() const {
        return restPosition.size();
    }
    size_t count(TableOf of) const;
    ClusterTables view() const;
};

}  // namespace coalesce
