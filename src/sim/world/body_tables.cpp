#include "sim/world/body_tables.h"

namespace coalesce {

SolidTables::SolidTables(Exec& e)
    :
#define TABLE(T, name, of, unit, about) name(e),
#include "sim/world/solids.def"
      slotOf(e),
      memberRow(e),
      memberCluster(e),
      rowStart(e, 1),
      rowMembers(e),
      chunks(e),
      clusters(e),
      anchors(e),
      roundSurfaces(e),
      roundBodies(e),
      rowBallRadius(e) {
    rowStart.fillZero();
}

size_t SolidTables::count(TableOf of) const {
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

ClusterTables SolidTables::view() const {
    return {slotOf.view(),        memberRow.view(), memberRestPosition.view(),
            memberCluster.view(), rowStart.view(),  rowMembers.view(),
            chunks.view(),        clusters.view()};
}

}  // namespace coalesce
