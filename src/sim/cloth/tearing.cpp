#include "sim/cloth/tearing.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "core/for_each.h"
#include "core/primitives.h"
#include "core/scratch.h"
#include "kernels/solid/gather_rows.h"
#include "sim/world/cloth_mesh.h"

namespace coalesce {

namespace {

// positions: as those of ClothTopology::Tables
ClothTopology downloadTopology(World& world, std::vector<Vec4> positions) {
    SolidTables& solids = world.solids;
    return {world.bodies,
            {solids.springs.download(), solids.triangles.download(), solids.restPosition.download(),
             solids.volumeConstraints.download(), std::move(positions)}};
}

std::vector<Vec4> positionsOfRows(World& world) {
    Buffer<Vec4> positions(world.exec, world.solids.rows());
    forEach(world.exec, "cloth positions", world.solids.rows(),
            GatherRows{world.solids.slotOf.view(), world.particles.x.view(), positions.view()});
    return positions.download();
}

uint32_t idOfRow(const World& world, const SolidBody& body, uint32_t row) {
    return world.groups[body.group].first + row - body.firstRow;
}

// The same by the ids of the particles, since slots are not known before the first frame.
std::vector<Vec4> positionsById(const World& world) {
    const std::vector<Vec4> x = world.particles.x.download();
    const std::vector<uint32_t> ids = world.particles.id.download();
    std::unordered_map<uint32_t, Vec4> at;
    for (size_t i = 0; i < ids.size(); ++i) at[ids[i]] = x[i];
    std::vector<Vec4> positions(world.solids.rows(), Vec4{0, 0, 0, -1});
    for (const SolidBody& body : world.bodies)
        for (uint32_t row = body.firstRow; row < body.firstRow + body.rows; ++row)
            if (const auto found = at.find(idOfRow(world, body, row)); found != at.end())
                positions[row] = found->second;
    return positions;
}

// Writes the changed topology to the world: tables, and particles for new corners, with the spare ids of
// their bodies.
void uploadTopology(World& world, ClothTopology& cloth) {
    if (!cloth.changed()) return;
    cloth.cutBroken();
    SolidTables& solids = world.solids;
    const ClothTopology::Tables& tables = cloth.tables();
    solids.springs.upload(tables.springs);
    solids.triangles.upload(tables.triangles);
    solids.restPosition.upload(tables.restPosition);
    solids.volumeConstraints.upload(tables.volumeConstraints);
    ++solids.topology;

    const std::vector<ClothTopology::Split>& splits = cloth.splits();
    if (splits.empty()) return;
    const std::vector<uint32_t> slotOf = solids.slotOf.download();
    std::vector<uint32_t> from, id, added, split;  // split: the particles that were copied
    std::vector<float> addedShare, splitShare;
    std::set<uint32_t> sources;
    for (const ClothTopology::Split& s : splits) {
        const auto body =
            std::prev(std::upper_bound(world.bodies.begin(), world.bodies.end(), s.row,
                                       [](uint32_t r, const SolidBody& b) { return r < b.firstRow; }));
        from.push_back(slotOf[s.from]);
        id.push_back(idOfRow(world, *body, s.row));
        addedShare.push_back(cloth.shareOf(s.row));
        sources.insert(s.from);
    }
    for (const uint32_t row : sources) {
        split.push_back(slotOf[row]);
        splitShare.push_back(cloth.shareOf(row));
    }
    Exec& exec = world.exec;
    const size_t before = world.count(), count = splits.size();
    Buffer<uint32_t> source(exec), slots(exec), target(exec);
    Buffer<float> shares(exec);
    source.upload(from);
    forEachArray(world.particles, [&]<class T>(Buffer<T>& array, const ArrayInfo&) {
        Buffer<T> copies(exec, count);
        gather<T>(exec, "split vertices", array.view(), source.view(), copies.view());
        const std::vector<T> host = copies.download();
        array.append(host);
    });
    for (size_t k = 0; k < count; ++k) added.push_back(uint32_t(before + k));
    target.upload(added);
    Buffer<uint32_t> ids(exec);
    ids.upload(id);
    scatter<uint32_t>(exec, "split vertices", ids.view(), target.view(), world.particles.id.view());
    const auto scaleMasses = [&](const std::vector<uint32_t>& of, const std::vector<float>& share) {
        slots.upload(of);
        shares.upload(share);
        forEach(exec, "split vertices", of.size(),
                ScaleSplitMasses{slots.view(), shares.view(), world.particles.x.view()});
    };
    scaleMasses(added, addedShare);
    scaleMasses(split, splitShare);
    world.particlesAdded += count;
}

}  // namespace

std::vector<std::array<Vec3, 2>> springsCutBy(World& world, std::span<const Cut> cuts) {
    std::vector<std::array<Vec3, 2>> ends;
    if (world.solids.springs.size() == 0 || cuts.empty()) return ends;
    const ClothTopology cloth = downloadTopology(world, positionsById(world));
    const ClothTopology::Tables& tables = cloth.tables();
    for (const uint32_t k : cloth.crossing(cuts))
        ends.push_back(
            {xyz(tables.positions[tables.springs[k].a]), xyz(tables.positions[tables.springs[k].b])});
    return ends;
}

void Tearing::findTears(const StepContext& step) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    SolidTables& solids = world.solids;
    std::vector<float> limits;
    for (const Material& material : world.materials)
        for (int kind = 0; kind < kClothEdgeKinds; ++kind)
            limits.push_back(kind == int(ClothEdgeKind::stretch) ? material.properties.tearStrain : 0);
    m_torn.resize(0);
    if (solids.springs.size() == 0 || world.parameters.solver.tearsPerFrame == 0 ||
        std::all_of(limits.begin(), limits.end(), [](float limit) { return limit == 0; }))
        return;
    m_limit.set(std::move(limits));
    m_torn.resizeDiscard(solids.springs.size());
    forEach(exec, "find tears", solids.springs.size(),
            FindTears{solids.springs.view(), m_limit.view(), solids.slotOf.view(), world.particles.x.view(),
                      m_torn.view(), device.status.view().data});
}

void Tearing::updateTopology(World& world, bool torn) {
    std::vector<Cut> cuts;
    for (const UserCommand& command : world.commands)
        if (const Cut* cut = std::get_if<Cut>(&command)) cuts.push_back(*cut);
    if (world.solids.springs.size() == 0 || (!torn && cuts.empty())) return;
    ClothTopology cloth = downloadTopology(world, positionsOfRows(world));
    cloth.cut(cuts);
    if (torn) {
        const std::vector<uint32_t> flags = m_torn.download();
        const ClothTopology::Tables& tables = cloth.tables();
        std::vector<std::pair<float, uint32_t>> strained;  // minus strain, spring
        for (uint32_t k = 0; k < flags.size(); ++k) {
            if (!flags[k]) continue;
            const DistanceConstraint& s = tables.springs[k];
            strained.emplace_back(-length(xyz(tables.positions[s.a]) - xyz(tables.positions[s.b])) / s.length,
                                  k);
        }
        std::sort(strained.begin(), strained.end());
        int remaining = world.parameters.solver.tearsPerFrame;
        for (const auto& [strain, spring] : strained)
            if (remaining > 0 && cloth.tear(spring)) --remaining;
    }
    uploadTopology(world, cloth);
}

}  // namespace coalesce
