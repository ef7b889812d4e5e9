#include "bridge/draw_arrays.h"

#include "core/for_each.h"

namespace coalesce {

const QuantityInfo& infoOf(Quantity quantity) {
    return kQuantities[static_cast<size_t>(quantity)];
}

DrawArrays::DrawArrays(World& world, Solver& solver)
    : m_world(world), m_solver(solver), m_surface(world.exec), m_scalar(world.exec), m_extent(world.exec) {}

const std::vector<DrawArray>& DrawArrays::update(const DrawRequest& request) {
    ParticleArrays& p = m_world.particles;
    // a state that no step has made has no neighbors yet; finding them renews the order of storage, so it
    // comes first
    const bool needsNeighbors = request.ellipsoids || request.quantity == Quantity::Neighbors;
    if (needsNeighbors && m_solver.neighborCounts().size != m_world.count()) m_solver.findNeighbors();

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
    if (request.ellipsoids) {
        m_surface.fit(m_world, m_solver.neighborLists());
        offer(Slot::PosSmooth, m_surface.smooth());
        offer(Slot::Aniso1, m_surface.axis(0));
        offer(Slot::Aniso2, m_surface.axis(1));
        offer(Slot::Aniso3, m_surface.axis(2));
    }
    return m_arrays;
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
            forEach(m_world.exec, "take density error", n, TakeDensityError{p.v.view(), m_scalar.view()});
            break;
        case Quantity::Neighbors:
            forEach(m_world.exec, "take neighbor counts", n,
                    TakeNeighborCount{m_solver.neighborCounts(), m_scalar.view()});
            break;
        case Quantity::Id:
            forEach(m_world.exec, "take ids", n, TakeId{p.id.view(), m_scalar.view()});
            break;
    }
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
