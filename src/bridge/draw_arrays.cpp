#include "bridge/draw_arrays.h"

#include <algorithm>

#include "core/for_each.h"
#include "core/primitives.h"
#include "core/scratch.h"

namespace coalesce {

const QuantityInfo& infoOf(Quantity quantity) {
    return kQuantities[static_cast<size_t>(quantity)];
}

bool dyesLiquid(const World& world) {
    return world.shownChannel < world.particles.channels.size() &&
           std::ranges::any_of(world.materials,
                               [](const Material& m) { return m.properties.channelTint > 0; });
}

DrawArrays::DrawArrays(World& world, Solver& solver)
    : m_world(world),
      m_solver(solver),
      m_surface(world.exec),
      m_sheets(world.exec),
      m_ropes(world.exec),
      m_strains(world.exec),
      m_scalar(world.exec),
      m_dye(world.exec),
      m_materials(world.exec),
      m_groups(world.exec),
      m_slotOf(world.exec),
      m_lineStart{Buffer<uint32_t>(world.exec), Buffer<uint32_t>(world.exec)},
      m_lineEnds(world.exec),
      m_extent(world.exec) {}

const std::vector<DrawArray>& DrawArrays::update(const DrawRequest& request) {
    ParticleArrays& p = m_world.particles;
    // a state that no step has made has no neighbors yet; finding them renews the order of storage, so it
    // comes first
    const bool needsNeighbors = request.ellipsoids || request.contactLines ||
                                request.quantity == Quantity::Neighbors ||
                                request.quantity == Quantity::Contacts;
    if (needsNeighbors && m_solver.neighborCounts().size != m_world.count()) m_solver.findNeighbors();
    std::vector<MaterialConstants> constants;
    for (const Material& material : m_world.materials)
        constants.push_back(materialConstants(material.properties));
    m_materials.upload(constants);
    locateRows();
    takeQuantity(request.quantity);
    findExtent();
    m_arrays.clear();
    const auto offer = [this]<class T>(Slot slot, View<T> view) {
        m_arrays.push_back({slot, view.data, view.size * sizeof(T)});
    };
    offer(Slot::Pos, p.x.view());
    offer(Slot::Phase, p.phase.view());
    offer(Slot::Vel, p.v.view());
    offer(Slot::Scalar, m_scalar.view());
    if (dyesLiquid(m_world)) {
        takeChannel(m_dye);
        offer(Slot::Dye, m_dye.view());
    }
    const bool shaded = std::ranges::any_of(
        m_world.materials, [](const Material& m) { return m.properties.kind != MaterialKind::fluid; });
    if (shaded) offer(Slot::Id, p.id.view());
    if (!m_world.bodies.empty()) {
        offer(Slot::MatchPose, m_world.solids.pose.view());
        offer(Slot::MatchRest, m_world.solids.matchRest.view());
    }
    m_sheets.update(m_world, m_slotOf.view());
    if (!m_sheets.parts().empty()) {
        offer(Slot::ClothPos, m_sheets.position());
        offer(Slot::ClothNormal, m_sheets.normal());
        offer(Slot::ClothRest, m_sheets.rest());
        offer(Slot::ClothIndex, m_sheets.index());
    }
    m_ropes.update(m_world, m_slotOf.view());
    if (!m_ropes.parts().empty()) {
        offer(Slot::RopeVertex, m_ropes.vertex());
        offer(Slot::RopeIndex, m_ropes.index());
    }
    if (request.ellipsoids) {
        m_surface.fit(m_world, m_solver.neighborLists());
        offer(Slot::PosSmooth, m_surface.smooth());
        offer(Slot::Aniso1, m_surface.axis(0));
        offer(Slot::Aniso2, m_surface.axis(1));
        offer(Slot::Aniso3, m_surface.axis(2));
    }
    m_lines.clear();
    m_lineEnds.resize(0);
    if (request.contactLines && m_world.count() > 0) takeContactLines();
    if (request.springLines && m_world.solids.springs.size() > 0) takeSpringLines();
    if (!m_lines.empty()) offer(Slot::Line, m_lineEnds.view());
    return m_arrays;
}

// Where the particles of solid bodies are stored now, if there is cloth or rope. The solver knows it of its
// last substep, and not before the first.
void DrawArrays::locateRows() {
    m_slotOf.renew(0);
    if (std::ranges::none_of(m_world.bodies, [](const SolidBody& b) { return b.matches == 0; })) return;
    m_groups.upload(groupConstants(m_world));
    m_slotOf.renew(m_world.solids.rows());
    m_world.exec.fillBytes(m_slotOf.view().data, 0xff, m_slotOf.size() * sizeof(uint32_t));  // kNoSlot
    const ParticleArrays& p = m_world.particles;
    forEach(m_world.exec, "locate drawn rows", static_cast<int64_t>(m_world.count()),
            LocateRows{p.id.view(), p.phase.view(), m_groups.view(), m_slotOf.view()});
}

// After the lines at contacts, whose array grows.
void DrawArrays::takeSpringLines() {
    const size_t before = m_lineEnds.size(), ends = 2 * m_strains.count(m_world);
    if (ends == 0) return;
    m_lineEnds.resize(before + ends);
    const float largest = m_strains.takeLines(m_world, m_slotOf.view(), m_lineEnds.view().part(before, ends));
    // out of the sheets and tubes that are drawn about them
    float spacing = 0;
    for (const Material& material : m_world.materials)
        if (isSprung(material.properties)) spacing = std::max(spacing, material.properties.spacing);
    // what hardly pulls shall not look torn
    m_lines.push_back({.first = static_cast<uint32_t>(before / 2),
                       .count = static_cast<uint32_t>(ends / 2),
                       .name = "strain [-]",
                       .range = std::max(largest, 0.01f),
                       .lift = 0.55f * spacing});
}

Touching DrawArrays::touching() const {
    const ParticleArrays& p = m_world.particles;
    return {p.x.view(), p.phase.view(), m_materials.view(), m_solver.contactLists()};
}

void DrawArrays::takeContactLines() {
    const size_t n = m_world.count();
    const Touching touching = this->touching();
    const Contacts contacts = m_solver.shapeContacts();
    CHECK_EQ(contacts.start.size, n + 1);
    Scratch::Scope scratch(m_world.exec);
    const View<uint32_t> pairs = scratch.take<uint32_t>("lines.pairs", n);
    const View<uint32_t> planes = scratch.take<uint32_t>("lines.planes", n);
    for (Buffer<uint32_t>& start : m_lineStart) start.resize(n + 1);
    const View<uint32_t> pairStart = m_lineStart[0].view(), planeStart = m_lineStart[1].view();
    forEach(m_world.exec, "count contact lines", static_cast<int64_t>(n),
            CountContactLines{touching, contacts, pairs, planes});
    exclusiveScan(m_world.exec, "place lines of pairs", pairs, pairStart);
    exclusiveScan(m_world.exec, "place lines of planes", planes, planeStart);
    uint32_t total[2] = {};
    m_world.exec.copyToHost(&total[0], pairStart.data + n, sizeof(uint32_t));
    m_world.exec.copyToHost(&total[1], planeStart.data + n, sizeof(uint32_t));
    m_lineEnds.renew(2 * (size_t{total[0]} + total[1]));
    forEach(m_world.exec, "write contact lines", static_cast<int64_t>(n),
            WriteContactLines{touching, contacts, pairStart, planeStart, m_lineEnds.view()});
    m_lines = {
        {.first = 0, .count = total[0], .color = {1, 0.82f, 0.2f}, .name = "contacts of particles"},
        {.first = total[0], .count = total[1], .color = {0.25f, 0.9f, 1}, .name = "contacts with shapes"}};
}

void DrawArrays::takeQuantity(Quantity quantity) {
    const auto n = static_cast<int64_t>(m_world.count());
    const ParticleArrays& p = m_world.particles;
    m_scalar.resize(m_world.count());
    switch (quantity) {
        case Quantity::Material:
            m_scalar.fillZero();
            break;
        case Quantity::Speed:
            forEach(m_world.exec, "take speed", n, TakeSpeed{p.v.view(), m_scalar.view()});
            break;
        case Quantity::DensityError:
            forEach(m_world.exec, "take density error", n,
                    TakeDensityError{p.v.view(), p.phase.view(), m_materials.view(), m_scalar.view()});
            break;
        case Quantity::Neighbors:
            forEach(m_world.exec, "take neighbor counts", n,
                    TakeNeighborCount{m_solver.neighborCounts(), m_scalar.view()});
            break;
        case Quantity::Id:
            forEach(m_world.exec, "take ids", n, TakeId{p.id.view(), m_scalar.view()});
            break;
        case Quantity::Contacts:
            forEach(m_world.exec, "count touching", n, CountTouching{touching(), m_scalar.view()});
            break;
        case Quantity::Distance:
            m_groups.upload(groupConstants(m_world));
            forEach(m_world.exec, "take distances", n,
                    TakeDistance{p.id.view(), p.phase.view(), m_groups.view(), m_world.solids.rowField.view(),
                                 m_scalar.view()});
            break;
        case Quantity::Height:
            forEach(m_world.exec, "take stack heights", n,
                    TakeStackHeight{p.v.view(), p.phase.view(), m_materials.view(), m_scalar.view()});
            break;
        case Quantity::Sleeping:
            forEach(m_world.exec, "take sleep", n, TakeAsleep{p.phase.view(), m_scalar.view()});
            break;
        case Quantity::Body:
            forEach(m_world.exec, "take groups", n, TakeGroup{p.phase.view(), m_scalar.view()});
            break;
        case Quantity::Channel:
            takeChannel(m_scalar);
            break;
        case Quantity::Strain:
            if (m_slotOf.size() == 0)
                m_scalar.fillZero();
            else
                m_strains.takeParticles(m_world, m_slotOf.view(), m_groups.view(), m_scalar.view());
            break;
    }
}

// The channel that is shown; of a vector its length.
void DrawArrays::takeChannel(Buffer<float>& to) {
    const std::vector<Channel>& channels = m_world.particles.channels;
    to.resize(m_world.count());
    if (m_world.shownChannel >= channels.size()) {
        to.fillZero();
        return;
    }
    std::visit(
        [&]<class T>(const Buffer<T>& carried) {
            forEach(m_world.exec, "take channel", static_cast<int64_t>(m_world.count()),
                    TakeChannel<T>{carried.view(), to.view()});
        },
        channels[m_world.shownChannel].values);
}

void DrawArrays::findExtent() {
    const Extent nothing;
    m_extent.upload({&nothing, 1});
    forEach(m_world.exec, "find extent", static_cast<int64_t>(m_world.count()),
            FindExtent{m_world.particles.x.view(), m_extent.view().data});
    const Extent e = m_extent.download()[0];
    if (e.low[0] > e.high[0]) {
        m_low = {1, 1, 1}, m_high = {-1, -1, -1};
        return;
    }
    const auto value = [](int32_t bits) { return asFloat(orderedBits(bits)); };
    m_low = {value(e.low[0]), value(e.low[1]), value(e.low[2])};
    m_high = {value(e.high[0]), value(e.high[1]), value(e.high[2])};
}

}  // namespace coalesce
