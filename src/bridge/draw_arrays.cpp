#include "bridge/draw_arrays.h"

#include <algorithm>

#include "core/for_each.h"
#include "kernels/draw/debug_values.h"
#include "sim/stage/particle_bounds.h"
#include "sim/stage/row_index.h"

namespace coalesce {

const QuantityInfo& infoOf(Quantity quantity) {
    return kQuantities[size_t(quantity)];
}

bool dyesLiquid(const World& world) {
    return shownAttribute(world.particles.attributes) &&
           std::ranges::any_of(world.materials,
                               [](const Material& m) { return m.properties.attributeTint > 0; });
}

DrawArrays::DrawArrays(World& world, Solver& solver)
    : m_world(world),
      m_solver(solver),
      m_ellipsoids(world.exec),
      m_cloth(world.exec),
      m_ropes(world.exec),
      m_liquids(world.exec),
      m_strains(world.exec),
      m_scalar(world.exec),
      m_dye(world.exec),
      m_materials(world.exec),
      m_groups(world.exec),
      m_slotOf(world.exec),
      m_table(world.exec),
      m_firstIds(world.exec),
      m_lines(world, solver, m_strains),
      m_extent(world.exec) {}

// Enables the recording of pressures only while they are shown, and never disables it for other users.
void DrawArrays::watchPressure(bool wanted) {
    if (wanted == m_watching) return;
    if (wanted && m_solver.watchesPressure()) return;
    m_solver.watchPressure(wanted);
    m_watching = wanted;
}

const std::vector<DrawArray>& DrawArrays::update(const DrawRequest& request) {
    ParticleArrays& p = m_world.particles;
    // a state without a step has no neighbors yet; finding them reorders the arrays, so it comes first
    const bool needsNeighbors = request.ellipsoids || DebugLines::needsNeighbors(request.lines) ||
                                request.quantity == Quantity::Neighbors ||
                                request.quantity == Quantity::Contacts ||
                                request.quantity == Quantity::Residual;
    watchPressure(request.quantity == Quantity::Pressure || request.picked);
    if (needsNeighbors && m_solver.neighborCounts().size != m_world.count()) m_solver.findNeighbors();
    m_materials.set(materialConstants(m_world));
    findSlots();
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
        takeAttribute(m_dye);
        offer(Slot::Dye, m_dye.view());
    }
    const bool shaded = std::ranges::any_of(
        m_world.materials, [](const Material& m) { return m.properties.kind != MaterialKind::fluid; });
    if (shaded) offer(Slot::Id, p.id.view());
    if (m_world.passive.size() > 0) {
        offer(Slot::PassivePos, m_world.passive.x.view());
        offer(Slot::PassiveVel, m_world.passive.v.view());
        offer(Slot::PassiveTag, m_world.passive.tag.view());
    }
    if (!m_world.bodies.empty()) {
        offer(Slot::ClusterPose, m_world.solids.pose.view());
        offer(Slot::ClusterRest, m_world.solids.clusterRestCenter.view());
    }
    m_cloth.update(m_world, m_slotOf.view());
    if (!m_cloth.parts().empty()) {
        offer(Slot::ClothPos, m_cloth.position());
        offer(Slot::ClothNormal, m_cloth.normal());
        offer(Slot::ClothRest, m_cloth.rest());
        offer(Slot::ClothIndex, m_cloth.index());
    }
    m_ropes.update(m_world, m_slotOf.view());
    if (!m_ropes.parts().empty()) {
        offer(Slot::RopeVertex, m_ropes.vertex());
        offer(Slot::RopeIndex, m_ropes.index());
    }
    if (request.ellipsoids) {
        m_ellipsoids.fit(m_world, m_solver.neighborLists());
        offer(Slot::PosSmooth, m_ellipsoids.smooth());
        offer(Slot::Aniso1, m_ellipsoids.axis(0));
        offer(Slot::Aniso2, m_ellipsoids.axis(1));
        offer(Slot::Aniso3, m_ellipsoids.axis(2));
    }
    m_liquids.clear();
    if (request.mesh) m_liquids.update(m_world, *request.mesh);
    if (!m_liquids.parts().empty()) {
        offer(Slot::LiquidPos, m_liquids.position());
        offer(Slot::LiquidNormal, m_liquids.normal());
        offer(Slot::LiquidIndex, m_liquids.index());
    }
    m_lines.update(request.lines, {m_materials.view(), m_slotOf.view(), m_cloth, request.picked});
    if (!m_lines.sets().empty()) offer(Slot::Line, m_lines.ends());
    return m_arrays;
}

// Slots of the solid bodies' particles, if there are cloth or ropes. The solver's own table is that of its
// last substep, and empty before the first.
void DrawArrays::findSlots() {
    m_slotOf.resize(0);
    if (std::ranges::none_of(m_world.bodies, [](const SolidBody& b) { return b.clusters == 0; })) return;
    m_groups.set(groupConstants(m_world));
    m_slotOf.resizeDiscard(m_world.solids.rows());
    indexRows(m_world, m_groups.view(), m_slotOf.view());
}

ContactQuery DrawArrays::contactQuery() const {
    const ParticleArrays& p = m_world.particles;
    return {p.x.view(), p.phase.view(), m_materials.view(), m_solver.contactLists()};
}

void DrawArrays::takeQuantity(Quantity quantity) {
    const auto n = int64_t(m_world.count());
    const ParticleArrays& p = m_world.particles;
    m_scalar.resize(m_world.count());
    switch (quantity) {
        case Quantity::Material:
            m_scalar.fillZero();
            break;
        case Quantity::Speed:
            forEach(m_world.exec, "write speed", n, WriteSpeed{p.v.view(), m_scalar.view()});
            break;
        case Quantity::DensityError:
            forEach(m_world.exec, "write density error", n,
                    WriteDensityError{p.v.view(), p.phase.view(), m_materials.view(), m_scalar.view()});
            break;
        case Quantity::Neighbors:
            forEach(m_world.exec, "write neighbor counts", n,
                    WriteNeighborCount{m_solver.neighborCounts(), m_scalar.view()});
            break;
        case Quantity::Id:
            forEach(m_world.exec, "write ids", n, WriteId{p.id.view(), m_scalar.view()});
            break;
        case Quantity::Contacts:
            forEach(m_world.exec, "write contact counts", n,
                    WriteContactCount{contactQuery(), m_scalar.view()});
            break;
        case Quantity::Distance:
            m_groups.set(groupConstants(m_world));
            forEach(m_world.exec, "write signed distances", n,
                    WriteSignedDistance{p.id.view(), p.phase.view(), m_groups.view(),
                                        m_world.solids.rowSdf.view(), m_scalar.view()});
            break;
        case Quantity::Height:
            forEach(m_world.exec, "write stack heights", n,
                    WriteStackHeight{p.v.view(), p.phase.view(), m_materials.view(), m_scalar.view()});
            break;
        case Quantity::Sleeping:
            forEach(m_world.exec, "write sleep states", n, WriteAsleep{p.phase.view(), m_scalar.view()});
            break;
        case Quantity::Body:
            forEach(m_world.exec, "write groups", n, WriteGroup{p.phase.view(), m_scalar.view()});
            break;
        case Quantity::Attribute:
            takeAttribute(m_scalar);
            break;
        case Quantity::Strain:
            if (m_slotOf.size() == 0)
                m_scalar.fillZero();
            else
                m_strains.takeParticles(m_world, m_slotOf.view(), m_groups.view(), m_scalar.view());
            break;
        case Quantity::Pressure:
            takePressure();
            break;
        case Quantity::Mass:
            forEach(m_world.exec, "write mass", n, WriteMass{p.x.view(), m_scalar.view()});
            break;
        case Quantity::Fixed:
            forEach(m_world.exec, "write motion states", n,
                    WriteMotionState{p.x.view(), p.phase.view(), m_scalar.view()});
            break;
        case Quantity::Age:
            takeAge();
            break;
        case Quantity::Residual:
            takeResidual();
            break;
    }
}

// The shown attribute; the length of vectors.
void DrawArrays::takeAttribute(Buffer<float>& to) {
    const Attribute* shown = shownAttribute(m_world.particles.attributes);
    to.resize(m_world.count());
    if (!shown) {
        to.fillZero();
        return;
    }
    std::visit(
        [&]<class T>(const Buffer<T>& carried) {
            forEach(m_world.exec, "write attribute", int64_t(m_world.count()),
                    WriteAttribute<T>{carried.view(), to.view()});
        },
        shown->values);
}

// 0 until a frame was simulated with pressures recorded.
void DrawArrays::takePressure() {
    const View<const float> sums = m_solver.lambdaSums();
    if (sums.size != m_world.count()) {
        m_scalar.fillZero();
        return;
    }
    m_table.upload(m_solver.pressureScales());
    forEach(m_world.exec, "write pressure", int64_t(m_world.count()),
            WritePressure{sums, m_world.particles.phase.view(), m_table.view(), m_materials.view(),
                          m_scalar.view()});
}

void DrawArrays::takeAge() {
    std::vector<uint32_t> first{0};
    std::vector<float> age{float(m_world.time)};
    for (const SpawnTimestamp& mark : m_world.spawnRecord.timestamps()) {
        first.push_back(uint32_t(mark.first));
        age.push_back(float(m_world.time - mark.time));
    }
    m_firstIds.upload(first);
    m_table.upload(age);
    forEach(m_world.exec, "write age", int64_t(m_world.count()),
            WriteAge{m_world.particles.id.view(), m_firstIds.view(), m_table.view(), m_scalar.view()});
}

void DrawArrays::takeResidual() {
    m_groups.set(groupConstants(m_world));
    if (m_slotOf.size() == 0)
        m_scalar.fillZero();
    else
        m_strains.takeParticles(m_world, m_slotOf.view(), m_groups.view(), m_scalar.view());
    const ParticleArrays& p = m_world.particles;
    forEach(m_world.exec, "write residual", int64_t(m_world.count()),
            WriteResidual{contactQuery(), m_solver.shapeContacts(), p.v.view(), p.id.view(), m_groups.view(),
                          m_world.solids.view(), m_world.solids.pose.view(),
                          m_world.solids.clusterRestCenter.view(), m_scalar.view()});
}

void DrawArrays::findExtent() {
    const Bounds none{{1, 1, 1}, {-1, -1, -1}};
    const Bounds found = boundsOfParticles(m_world, m_extent).value_or(none);
    m_low = found.low, m_high = found.high;
}

}  // namespace coalesce
