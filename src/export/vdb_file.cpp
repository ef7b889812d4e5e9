#include "export/vdb_file.h"

#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <openvdb/io/Archive.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/MeshToVolume.h>
#include <sstream>

#include "core/checksum.h"
#include "geometry/query/mesh_distance.h"

namespace coalesce {

namespace {

constexpr float kHalfBand = 3;      // [voxels] of level sets, the width that other programs expect
constexpr float kLeastReach = 1.5;  // [voxels] of a particle in a fog, so that it always meets nodes

openvdb::Vec3s vdbOf(Vec3 a) {
    return {a.x, a.y, a.z};
}

// Of each voxel of a level set: the velocity of the closest point on the triangle closest to it.
openvdb::Vec3SGrid::Ptr velocityAround(const SurfaceMesh& mesh, const openvdb::FloatGrid& levelSet,
                                       const openvdb::Int32Grid& closest) {
    const auto grid = openvdb::Vec3SGrid::create(openvdb::Vec3s(0.0f));
    grid->setTransform(levelSet.transform().copy());
    grid->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);  // a velocity
    auto to = grid->getAccessor();
    auto triangleAt = closest.getConstAccessor();
    for (auto voxel = levelSet.cbeginValueOn(); voxel; ++voxel) {
        const Triangle& t = mesh.triangle[size_t(triangleAt.getValue(voxel.getCoord()))];
        const openvdb::Vec3d p = levelSet.indexToWorld(voxel.getCoord());
        const Vec3d a = toDouble(mesh.position[t[0]]), b = toDouble(mesh.position[t[1]]),
                    c = toDouble(mesh.position[t[2]]);
        const Vec3d share = barycentric(closestOnTriangle({p.x(), p.y(), p.z()}, a, b, c), a, b, c);
        const Vec3 v = float(share.x()) * mesh.velocity[t[0]] + float(share.y()) * mesh.velocity[t[1]] +
                       float(share.z()) * mesh.velocity[t[2]];
        to.setValue(voxel.getCoord(), vdbOf(v));
    }
    return grid;
}

void addLiquid(const LiquidVolume& volume, const std::string& velocityName, openvdb::GridPtrVec& to) {
    const SurfaceMesh& mesh = volume.liquid.mesh;
    const auto transform = openvdb::math::Transform::createLinearTransform(double{volume.voxel});
    openvdb::FloatGrid::Ptr levelSet;
    openvdb::Vec3SGrid::Ptr velocity;
    if (mesh.triangle.empty()) {
        // the surface of nothing: outside everywhere
        levelSet = openvdb::createLevelSet<openvdb::FloatGrid>(double{volume.voxel}, double{kHalfBand});
        velocity = openvdb::Vec3SGrid::create(openvdb::Vec3s(0.0f));
        velocity->setTransform(transform);
    } else {
        std::vector<openvdb::Vec3s> points;  // in voxels
        std::vector<openvdb::Vec3I> triangles;
        for (const Vec3 p : mesh.position) points.emplace_back(transform->worldToIndex(vdbOf(p)));
        for (const Triangle& t : mesh.triangle) triangles.emplace_back(t[0], t[1], t[2]);
        const openvdb::tools::QuadAndTriangleDataAdapter<openvdb::Vec3s, openvdb::Vec3I> faces(points,
                                                                                               triangles);
        openvdb::Int32Grid closest(-1);
        levelSet = openvdb::tools::meshToVolume<openvdb::FloatGrid>(faces, *transform, kHalfBand, kHalfBand,
                                                                    0, &closest);
        velocity = velocityAround(mesh, *levelSet, closest);
    }
    levelSet->setGridClass(openvdb::GRID_LEVEL_SET);
    levelSet->setName(volume.liquid.material);
    velocity->setName(velocityName);
    to.push_back(levelSet);
    to.push_back(velocity);
}

// Each particle fills the nodes within its reach s with its own volume 4/3 π r³, in the shares (1 −
// (distance/s)²)³. [MCG03] eq. 20, normalized over the nodes, so that the sum over the grid is exact.
class Fog {
public:
    Fog(const char* name, float voxel)
        : m_grid(openvdb::FloatGrid::create(0)), m_voxel(voxel), m_to(m_grid->getAccessor()) {
        m_grid->setName(name);
        m_grid->setGridClass(openvdb::GRID_FOG_VOLUME);
        m_grid->setTransform(openvdb::math::Transform::createLinearTransform(double{voxel}));
    }
    void add(Vec3 center, float radius) {
        const float reach = std::max(radius / m_voxel, kLeastReach);
        const Vec3 c = (1 / m_voxel) * center;
        m_nodes.clear();
        float total = 0;
        const auto low = [&](float at) { return int(std::ceil(at - reach)); };
        const auto high = [&](float at) { return int(std::floor(at + reach)); };
        for (int x = low(c.x); x <= high(c.x); ++x)
            for (int y = low(c.y); y <= high(c.y); ++y)
                for (int z = low(c.z); z <= high(c.z); ++z) {
                    const Vec3 r = Vec3{float(x), float(y), float(z)} - c;
                    const float t = 1 - dot(r, r) / (reach * reach);
                    if (t <= 0) continue;
                    m_nodes.push_back({openvdb::Coord(x, y, z), t * t * t});
                    total += t * t * t;
                }
        const float r = radius / m_voxel;  // a node stands for one voxel
        const float filled = 4 / 3.0f * std::numbers::pi_v<float> * r * r * r / total;
        for (const auto& [node, share] : m_nodes) m_to.setValue(node, m_to.getValue(node) + filled * share);
    }
    openvdb::GridBase::Ptr grid() const { return m_grid; }

private:
    struct Node {
        openvdb::Coord at;
        float share;
    };
    openvdb::FloatGrid::Ptr m_grid;
    float m_voxel;
    openvdb::FloatGrid::Accessor m_to;
    std::vector<Node> m_nodes;
};

void addFogs(const ParticleTable& passives, float voxel, openvdb::GridPtrVec& to) {
    Fog fogs[] = {{"spray", voxel},
                  {"foam", voxel},
                  {"bubbles", voxel},
                  {"smoke", voxel}};  // in the order of PassiveClass
    const std::vector<float>&x = passives.floats("P"), &radius = passives.floats("radius");
    const std::vector<uint32_t>& kind = passives.wholes("class");
    for (size_t i = 0; i < passives.particles; ++i) fogs[kind[i]].add(vectorAt(x, i), radius[i]);
    for (const Fog& fog : fogs) to.push_back(fog.grid());
}

// The archive that files are; its own class for them can write to a path only.
class Bytes : public openvdb::io::Archive {
public:
    std::string of(const openvdb::GridPtrVec& grids, const openvdb::MetaMap& about) const {
        std::ostringstream out(std::ios::binary);
        write(out, openvdb::GridCPtrVec(grids.begin(), grids.end()), true, about);
        return std::move(out).str();
    }
};

// The library puts a random number into the header: 36 characters after magic number (8 bytes), three version
// numbers (4 each) and a flag. It becomes a hash of the rest, so that equal frames are equal files.
void nameByContent(std::string& bytes) {
    constexpr size_t kBegin = 8 + 3 * 4 + 1, kLength = 36;
    std::string form = "00000000-0000-0000-0000-000000000000";
    bytes.replace(kBegin, kLength, form);
    uint64_t hash = checksum(bytes.data(), bytes.size());
    for (char& c : form)
        if (c == '0') c = "0123456789abcdef"[hash & 15], hash = hash >> 4 | hash << 60;
    bytes.replace(kBegin, kLength, form);
}

}  // namespace

std::string encodeVdb(const VolumeFrame& frame) {
    openvdb::initialize();
    openvdb::GridPtrVec grids;
    for (const LiquidVolume& volume : frame.liquids)
        addLiquid(volume, frame.liquids.size() == 1 ? "velocity" : volume.liquid.material + "_velocity",
                  grids);
    if (!frame.passives.columns.empty()) addFogs(frame.passives, frame.fogVoxel, grids);
    openvdb::MetaMap about;
    about.insertMeta("creator", openvdb::StringMetadata("Coalesce"));
    about.insertMeta("frame", openvdb::Int64Metadata(int64_t(frame.frame)));
    about.insertMeta("time", openvdb::DoubleMetadata(frame.time));
    std::string bytes = Bytes().of(grids, about);
    nameByContent(bytes);
    return bytes;
}

}  // namespace coalesce
