// Sums over the clusters of soft bodies.
#include <gtest/gtest.h>
#include <vector>

#include "kernels/solid/soft_spin.h"

namespace coalesce {
namespace {

// The thread of the first cluster of a body adds what the threads of every 64th have added.
TEST(SoftSpin, EveryClusterOfABodyIsAddedOnce) {
    for (const uint32_t each : {1u, 63u, 64u, 65u, 128u, 129u, 300u}) {
        constexpr uint32_t kBodies = 3;
        const std::vector<ClusterParams> params(1);
        std::vector<ClusterConstants> clusters(kBodies * each);
        std::vector<SoftMomenta> momenta(clusters.size());
        for (uint32_t k = 0; k < clusters.size(); ++k) {
            clusters[k].firstOfBody = k / each * each;
            momenta[k].sums.mass = float(k);
        }
        ClusterTables tables{};
        tables.clusters = View<const ClusterConstants>(clusters.data(), clusters.size());
        const AddSoftClusters add{tables, View<const ClusterParams>(params.data(), 1),
                                  View<SoftMomenta>(momenta.data(), momenta.size())};
        for (uint32_t k = 0; k < clusters.size(); ++k) add(int(k));
        for (uint32_t first = 0; first < clusters.size(); first += each) {
            float mass = 0, expected = 0;
            for (uint32_t k = first; isOfBody(tables, k, first); k += kClustersTogether)
                mass += momenta[k].sums.mass;
            for (uint32_t k = first; k < first + each; ++k) expected += float(k);
            EXPECT_EQ(mass, expected) << each << " clusters, from " << first;
        }
    }
}

}  // namespace
}  // namespace coalesce
