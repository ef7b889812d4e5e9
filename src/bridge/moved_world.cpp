#include "bridge/moved_world.h"

#include "core/for_each.h"
#include "kernels/draw/move_evenly.h"
#include "sim/stage/row_index.h"

namespace coalesce {

namespace {

template <class T>
void restore(Exec& exec, const Buffer<T>& saved, Buffer<T>& to) {
    if (saved.size() > 0) exec.copyWithin(to.view().data, saved.view().data, saved.size() * sizeof(T));
}

}  // namespace

MovedWorld::MovedWorld(World& world)
    : m_world(world),
      m_time(world.time),
      m_x(world.exec),
      m_passive(world.exec),
      m_pose(world.exec),
      m_restCenter(world.exec),
      m_slotOf(world.exec),
      m_moments(world.exec) {
    m_x.copyFrom(world.particles.x);
    m_passive.copyFrom(world.passive.x);
    m_pose.copyFrom(world.solids.pose);
    m_restCenter.copyFrom(world.solids.clusterRestCenter);
    m_moments.resize(world.solids.chunks.size());
    if (m_moments.size() > 0) findSlots();
}

MovedWorld::~MovedWorld() {
    m_world.time = m_time;
    restore(m_world.exec, m_x, m_world.particles.x);
    restore(m_world.exec, m_passive, m_world.passive.x);
    restore(m_world.exec, m_pose, m_world.solids.pose);
    restore(m_world.exec, m_restCenter, m_world.solids.clusterRestCenter);
}

// The solver's own table is that of its last substep, and empty before the first.
void MovedWorld::findSlots() {
    Buffer<GroupConstants> groups(m_world.exec);
    groups.upload(groupConstants(m_world));
    m_slotOf.resizeDiscard(m_world.solids.rows());
    indexRows(m_world, groups.view(), m_slotOf.view());
}

void MovedWorld::moveTo(double t) {
    m_world.time = m_time + t;
    const auto move = [&](const Buffer<Vec4>& from, const Buffer<Vec4>& v, Buffer<Vec4>& x) {
        forEach(m_world.exec, "move evenly", int64_t(x.size()),
                MoveEvenly{from.view(), v.view(), x.view(), float(t)});
    };
    move(m_x, m_world.particles.v, m_world.particles.x);
    move(m_passive, m_world.passive.v, m_world.passive.x);
    if (m_moments.size() > 0) fitPoses();
}

// From the poses of the state, so that the result does not depend on the times before.
void MovedWorld::fitPoses() {
    Exec& exec = m_world.exec;
    SolidTables& solids = m_world.solids;
    restore(exec, m_pose, solids.pose);
    ClusterTables tables = solids.view();
    tables.slotOf = m_slotOf.view();
    forEach(exec, "moved cluster moments", int64_t(solids.chunks.size()),
            SumClusterMoments{
                tables, m_world.particles.x.view(), {}, {}, {}, solids.pose.view(), m_moments.view()});
    forEach(exec, "fit moved clusters", int64_t(solids.clusters.size()),
            FitCluster{tables, m_moments.view(), {}, solids.pose.view(), solids.clusterRestCenter.view()});
}

}  // namespace coalesce
