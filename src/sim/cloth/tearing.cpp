#include "sim/cloth/tearing.h"

#include <algorithm>
#include <set>

#include "core/for_each.h"
#include "core/primitives.h"
#include "core/scratch.h"
#include "sim/world/cloth_mesh.h"

namespace coalesce {

namespace {

ClothTopology editorOf(World& world) {
    SolidTables& solids = world.solids;
    Buffer<Vec4> places(world.exec, solids.rows());
    forEach(world.exec, "place rows", static_cast<int64_t>(solids.rows()),
            PlaceRows{solids.slotOf.view(), world.particles.x.view(), places.view()});
    return {world.bodies,
            {solids.springs.download(), solids.triangles.download(), solids.restPosition.download(),
             solids.volumeConstraints.download(), places.download()}};
}

// Brings what an editor has done into the world: tables, and particles for new corners, which get the ids
// that their bodies kept for them.
void take(World& world, ClothTopology& editor) {
    if (!editor.changed()) return;
    editor.loosen();
    SolidTables& solids = world.solids;
    const ClothTopology::Tables& tables = editor.tables();
    solids.springs.upload(tables.springs);
    solids.triangles.upload(tables.triangles);
    solids.restPosition.upload(tables.restPosition);
    solids.volumeConstraints.upload(tables.volumeConstraints);
    ++solids.topology;

    const std::vector<ClothTopology::Split>& splits = editor.splits();
    if (splits.empty()) return;
    const std::vector<uint32_t> slotOf = solids.slotOf.download();
    std::vector<uint32_t> from, id, lightened;
    std::vector<float> given, kept;
    std::set<uint32_t> sources;
    for (const ClothTopology::Split& split : splits) {
        const auto body =
            std::prev(std::upper_bound(world.bodies.begin(), world.bodies.end(), split.row,
                                       [](uint32_t r, const SolidBody& b) { return r < b.firstRow; }));
        from.push_back(slotOf[split.from]);
        id.push_back(world.groups[body->group].first + split.row - body->firstRow);
        given.push_back(editor.shareOf(split.row));
        sources.insert(split.from);
    }
    for (const uint32_t row : sources) {
        lightened.push_back(slotOf[row]);
        kept.push_back(editor.shareOf(row));
    }
    Exec& exec = world.exec;
    const size_t before = world.count(), added = splits.size();
    Buffer<uint32_t> source(exec), slots(exec), target(exec);
    Buffer<float> shares(exec);
    source.upload(from);
    forEachArray(world.particles, [&]<class T>(Buffer<T>& array, const ArrayInfo&) {
        Buffer<T> copies(exec, added);
        gather<T>(exec, "split corners", array.view(), source.view(), copies.view());
        const std::vector<T> host = copies.download();
        array.append(host);
    });
    std::vector<uint32_t> spawned;
    for (size_t k = 0; k < added; ++k) spawned.push_back(static_cast<uint32_t>(before + k));
    target.upload(spawned);
    Buffer<uint32_t> ids(exec);
    ids.upload(id);
    scatter<uint32_t>(exec, "split corners", ids.view(), target.view(), world.particles.id.view());
    const auto lighten = [&](const std::vector<uint32_t>& which, const std::vector<float>& share) {
        slots.upload(which);
        shares.upload(share);
        forEach(exec, "split corners", static_cast<int64_t>(which.size()),
                LightenParticles{slots.view(), shares.view(), world.particles.x.view()});
    };
    lighten(spawned, given);
    lighten(lightened, kept);
    world.births += added;
}

}  // namespace

void Tearing::find(World& world, DeviceWorld& device) {
    SolidTables& solids = world.solids;
    std::vector<float> limits;
    for (const Material& material : world.materials)
        for (int kind = 0; kind < kLinkKinds; ++kind)
            limits.push_back(kind == static_cast<int>(ClothEdgeKind::stretch) ? material.properties.tearStrain
                                                                              : 0);
    m_torn.resize(0);
    if (solids.springs.size() == 0 || world.parameters.solver.tearsPerFrame == 0 ||
        std::all_of(limits.begin(), limits.end(), [](float limit) { return limit == 0; }))
        return;
    if (limits != m_uploaded) m_limit.upload(limits), m_uploaded = limits;
    m_torn.resizeDiscard(solids.springs.size());
    forEach(world.exec, "find tears", static_cast<int64_t>(solids.springs.size()),
            FindTears{solids.springs.view(), m_limit.view(), solids.slotOf.view(), world.particles.x.view(),
                      m_torn.view(), device.status.view().data});
}

void Tearing::part(World& world, bool torn) {
    std::vector<Cut> cuts;
    for (const UserCommand& command : world.commands)
        if (const Cut* cut = std::get_if<Cut>(&command)) cuts.push_back(*cut);
    if (world.solids.springs.size() == 0 || (!torn && cuts.empty())) return;
    ClothTopology editor = editorOf(world);
    editor.cut(cuts);
    if (torn) {
        const std::vector<uint32_t> flags = m_torn.download();
        const ClothTopology::Tables& tables = editor.tables();
        std::vector<std::pair<float, uint32_t>> strained;  // minus strain, spring
        for (uint32_t k = 0; k < flags.size(); ++k) {
            if (!flags[k]) continue;
            const DistanceConstraint& s = tables.springs[k];
            strained.emplace_back(-length(xyz(tables.places[s.a]) - xyz(tables.places[s.b])) / s.length, k);
        }
        std::sort(strained.begin(), strained.end());
        int left = world.parameters.solver.tearsPerFrame;
        for (const auto& [strain, spring] : strained)
            if (left > 0 && editor.tear(spring)) --left;
    }
    take(world, editor);
}

}  // namespace coalesce
