#include "sim/world/body_clusters.h"

#include <algorithm>

namespace coalesce {

namespace {

float squaredDistance(Vec3 a, Vec3 b) {
    const Vec3 d = a - b;
    return dot(d, d);
}

}  // namespace

Vec3 centerOf(std::span<const BodySample> samples, const Cluster& cluster) {
    double x = 0, y = 0, z = 0;
    for (const uint32_t i : cluster) x += samples[i].x.x, y += samples[i].x.y, z += samples[i].x.z;
    const double n = std::max<size_t>(cluster.size(), 1);
    return {float(x / n), float(y / n), float(z / n)};
}

std::vector<Cluster> makeClusters(std::span<const BodySample> samples, float spacing, float radius) {
    std::vector<Vec3> centers;
    for (const BodySample& s : samples) {
        const bool covered = std::any_of(centers.begin(), centers.end(),
                                         [&](Vec3 c) { return squaredDistance(c, s.x) < spacing * spacing; });
        if (!covered) centers.push_back(s.x);
    }
    // every sample is within `spacing` of a center, so this radius leaves none out
    const float reach = std::max(radius, spacing);
    std::vector<Cluster> clusters;
    for (const Vec3 c : centers) {
        Cluster cluster;
        for (size_t i = 0; i < samples.size(); ++i)
            if (squaredDistance(c, samples[i].x) <= reach * reach) cluster.push_back(uint32_t(i));
        clusters.push_back(std::move(cluster));
    }
    return clusters;
}

Skin makeSkin(TriangleMesh mesh, std::span<const BodySample> samples, std::span<const Cluster> clusters) {
    Skin skin{std::move(mesh), {}, {}};
    if (clusters.size() < 2) return skin;
    // a sample's share in its clusters falls to 0 at their rims
    struct Share {
        uint32_t cluster;
        float weight;
    };
    std::vector<std::vector<Share>> sharesOf(samples.size());
    for (size_t c = 0; c < clusters.size(); ++c) {
        const Vec3 center = centerOf(samples, clusters[c]);
        float rim = 0;
        for (const uint32_t i : clusters[c]) rim = std::max(rim, squaredDistance(samples[i].x, center));
        for (const uint32_t i : clusters[c])
            sharesOf[i].push_back(
                {uint32_t(c), rim > 0 ? 1.05f - squaredDistance(samples[i].x, center) / rim : 1.0f});
    }
    for (std::vector<Share>& shares : sharesOf) {
        float sum = 0;
        for (const Share& s : shares) sum += s.weight;
        for (Share& s : shares) s.weight /= sum;
    }
    std::vector<std::pair<float, uint32_t>> near;   // squared distance, sample
    std::vector<float> total(clusters.size(), 0);   // weight of each cluster
    std::vector<std::pair<float, uint32_t>> heavy;  // minus weight, cluster
    for (const Vec3 p : skin.mesh.vertices) {
        // a vertex goes with the samples about it, and so with their clusters: another limb that is near in
        // space has no say. The next sample and the next cluster would come in with weight 0.
        near.clear();
        for (size_t i = 0; i < samples.size(); ++i)
            near.emplace_back(squaredDistance(samples[i].x, p), uint32_t(i));
        const size_t around = std::min<size_t>(12, near.size());
        std::partial_sort(near.begin(), near.begin() + ptrdiff_t(around), near.end());
        const float end = 1.001f * near[around - 1].first + 1e-20f;
        heavy.clear();
        for (size_t k = 0; k < around; ++k) {
            const float share = 1 - near[k].first / end;
            for (const Share& s : sharesOf[near[k].second]) {
                if (total[s.cluster] == 0) heavy.emplace_back(0.0f, s.cluster);
                total[s.cluster] += share * share * s.weight;
            }
        }
        for (auto& [weight, cluster] : heavy) weight = -total[cluster], total[cluster] = 0;
        const size_t used = std::min<size_t>(4, heavy.size()), seen = std::min<size_t>(5, heavy.size());
        std::partial_sort(heavy.begin(), heavy.begin() + ptrdiff_t(seen), heavy.end());
        const float least = heavy.size() > 4 ? -heavy[4].first : 0.0f;
        std::array<uint32_t, 4> cluster{};
        std::array<float, 4> weight{};
        float sum = 0;
        for (size_t k = 0; k < used; ++k) {
            cluster[k] = heavy[k].second;
            weight[k] = -heavy[k].first - 0.999f * least;
            sum += weight[k];
        }
        for (float& w : weight) w /= sum;
        skin.clusters.push_back(cluster);
        skin.weights.push_back(weight);
    }
    return skin;
}

}  // namespace coalesce
