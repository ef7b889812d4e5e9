// Solid bodies: what is rigid, soft or plastic, made of particles held together by shape matching.
//
// Every particle of a solid body has a row in the table of rest places: the particles of a body have
// consecutive ids and consecutive rows. A *match* is one shape-matching constraint over some rows: a rigid
// body has one, a soft body a cluster of overlapping ones.  [UPP14] 5, [MHTG05], [MC11]
// Cloth and ropes have no matches; springs join their rows.  [UPP14] 8
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/buffer.h"
#include "geometry/mesh/mesh.h"
#include "kernels/cloth/distance_constraint.h"
#include "kernels/cloth/volume_constraint.h"
#include "kernels/solid/cluster.h"
#include "sim/world/attributes.h"
#include "sim/world/cloth_mesh.h"

namespace coalesce {

struct World;

// The surface of a body as it is drawn, bound to its matches by linear blend skinning:
//     x = Σ_k weight_k (R_k (p − rest_k) + center_k)
// with p in the body's frame, rest_k the match's center there, R_k and center_k where the match is now.
struct Skin {
    TriangleMesh mesh;                              // in the body's frame [m]
    std::vector<std::array<uint32_t, 4>> clusters;  // of a vertex, counted within the body; empty: match 0
    std::vector<std::array<float, 4>> weights;      // their sum is 1
};

// A particle of a body at rest.
struct BodySample {
    Vec3 x{};                     // [m] in the body's frame
    float distance = 2 * kNoSdf;  // signed distance φ to the surface [m], negative inside
    Vec3 normal{0, 1, 0};         // ∇φ, unit
};

// The particles that one match holds together, as indices of samples.
using Cluster = std::vector<uint32_t>;

// A body to be born.
struct BodyDef {
    std::string name;
    uint32_t material = 0;
    std::span<const BodySample> samples;
    std::span<const Cluster> clusters;         // empty: one match of all samples, a rigid body
    std::span<const ClothEdge> links{};        // cloth, rope
    std::span<const Triangle> triangles{};     // cloth
    std::span<const float> masses{};           // [kg] of each particle; empty: particleMass
    float particleMass = -1;                   // [kg]; negative: from the material
    Vec3 position{};                           // [m] of the body's frame
    Quat rotation{};                           // world from body
    Vec3 velocity{};                           // [m/s] of the center of mass
    Vec3 angularVelocity{};                    // [rad/s] about it
    bool selfCollide = false;                  // its particles touch each other, as balls
    std::span<const AttributeValue> values{};  // for each sample, one for each channel; empty: their defaults
    std::shared_ptr<const Skin> skin;          // may be null: drawn as balls
};

struct SolidBody {
    uint32_t group = 0;                         // of World::groups
    uint32_t firstRow = 0, rows = 0;            // in the table of rest places
    uint32_t spares = 0;                        // the last of them: for corners that tearing splits
    uint32_t firstCluster = 0, clusters = 0;    // in the table of matches
    uint32_t firstTriangle = 0, triangles = 0;  // in the table of triangles
    float volume = 1;                           // of a particle, as a share of its material's
    std::shared_ptr<const Skin> skin;           // shared by bodies of one form; may be null
    bool gone = false;                          // an emitted one that has died: its rows wait for the next
};

// The tables of solids.def.
struct SolidState {
    explicit SolidState(Exec& e) : exec(e) {}
    Exec& exec;
    // Becomes:  Buffer<Vec4> memberRestPosition{exec}; …
#define TABLE(T, name, of, unit, about) Buffer<T> name{exec};
#include "sim/world/solids.def"
};

// Of what a table of solids.def has one element each.
enum class TableOf { rows, members, clusters, springs, triangles, volumeConstraints };

// visit(buffer, name, of) for every table of solids.def, in its order; Tables: SolidState, or others with a
// member of every name
template <class Tables, class Visit>
void forEachTable(Tables& tables, Visit&& visit) {
#define TABLE(T, name, of, unit, about) visit(tables.name, #name, TableOf::of);
#include "sim/world/solids.def"
}

// The tables of all solid bodies, on the machine that simulates. See ClusterTables for what they mean.
struct SolidTables : SolidState {
    explicit SolidTables(Exec& exec);

    Buffer<uint32_t> slotOf, memberRow, memberCluster, rowStart, rowMembers;
    Buffer<ClusterChunk> chunks;
    Buffer<ClusterConstants> clusters;
    Buffer<Anchor> anchors;
    uint64_t topology = 0;  // counts the changes of who is joined to whom

    size_t rows() const { return restPosition.size(); }
    size_t count(TableOf of) const {
        switch (of) {
            case TableOf::rows:
                return rows();
            case TableOf::members:
                return memberRow.size();
            case TableOf::clusters:
                return clusters.size();
            case TableOf::springs:
                return springs.size();
            case TableOf::triangles:
                return triangles.size();
            case TableOf::volumeConstraints:
                return volumeConstraints.size();
        }
        return 0;
    }
    ClusterTables view() const;
};

// Overlapping clusters for a soft body: centers at least `spacing` apart, each holding the samples within
// `radius` [m], which is raised where a sample would be left out. In order of the samples.
std::vector<Cluster> makeClusters(std::span<const BodySample> samples, float spacing, float radius);

// Binds each vertex of a mesh to the four clusters that carry most of the samples about it.
Skin makeSkin(TriangleMesh mesh, std::span<const BodySample> samples, std::span<const Cluster> clusters);

// Where a body is, how it moves, and what acts on it.
struct BodyState {
    double mass = 0;         // [kg]
    Vec3 center{};           // [m] of mass
    Quat rotation{};         // of its first match; world from body
    Vec3 velocity{};         // [m/s]
    Vec3 angularVelocity{};  // [rad/s], of the best rigid motion
    Vec3 momentum{};         // [kg m/s]
    Vec3 angularMomentum{};  // [kg m²/s] about the center
};
// Reads back every body, in the order of World::bodies. Slow: for measurements and tools.
std::vector<BodyState> bodyStates(const World& world);

// Mean force [N], and torque [N m] about the center of mass, of all that touched a body between two
// read-backs `seconds` apart: the change of its momenta by time, without what gravity [m/s²] gave it. A body
// at rest reads its weight, upwards.
struct BodyLoad {
    Vec3 force{}, torque{};
};
BodyLoad loadBetween(const BodyState& before, const BodyState& after, double seconds, Vec3 gravity);

}  // namespace coalesce
