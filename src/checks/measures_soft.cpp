// Bodies of many clusters: whether they regain their form, have flowed, and what their skins enclose.
#include <algorithm>
#include <cmath>
#include <set>

#include "checks/measures.h"
#include "checks/soft_state.h"

namespace coalesce::measures {

namespace {

std::vector<const SoftState::Body*> softBodies(const MeasureContext& s) {
    std::set<uint32_t> groups;
    for (const uint32_t i : s.selected) groups.insert(groupOf(s.now.phase[i]));
    std::vector<const SoftState::Body*> bodies;
    if (!s.now.soft) return bodies;
    for (const SoftState::Body& body : s.now.soft->bodies)
        if (groups.contains(body.group)) bodies.push_back(&body);
    return bodies;
}

double spacingOfBody(const MeasureContext& s, const SoftState::Body& body) {
    const auto first = findId(s.start, body.firstId);
    return s.spacing(s.start, first.value_or(0));
}

// One value out of those of all clusters or places.
Measured maxOrMean(const MeasureContext& s, const std::vector<double>& values) {
    if (values.empty()) return {};
    if (s.word("statistic", "max") == "max") return *std::max_element(values.begin(), values.end());
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

// The members of each match of a body; they are stored by match.
template <class Visit>
void forEachCluster(const SoftState& state, const SoftState::Body& body, Visit&& visit) {
    const auto& cluster = state.memberCluster;
    auto begin = std::lower_bound(cluster.begin(), cluster.end(), body.firstCluster);
    for (uint32_t k = 0; k < body.clusters; ++k) {
        const auto end = std::upper_bound(begin, cluster.end(), body.firstCluster + k);
        visit(static_cast<size_t>(begin - cluster.begin()), static_cast<size_t>(end - cluster.begin()));
        begin = end;
    }
}

}  // namespace

// The form is the one the body was made with: a dent that stays is one that is not regained.
Measured clusterPose(const MeasureContext& s) {
    std::vector<double> left;
    for (const SoftState::Body* body : softBodies(s))
        forEachCluster(*s.now.soft, *body, [&](size_t begin, size_t end) {
            std::vector<Vec3d> form, now;
            std::vector<double> mass;
            for (size_t k = begin; k < end; ++k) {
                const uint32_t row = s.now.soft->memberRow[k];
                const auto i = findId(s.now, body->firstId + row - body->firstRow);
                if (!i) continue;
                form.push_back(toDouble(xyz(s.now.soft->restPosition[row])));
                now.push_back(s.now.x[*i]);
                mass.push_back(1);
            }
            if (!form.empty()) left.push_back(fitRigid(form, now, mass).rms / spacingOfBody(s, *body));
        });
    return maxOrMean(s, left);
}

Measured restChange(const MeasureContext& s) {
    std::vector<double> ways;
    for (const SoftState::Body* body : softBodies(s)) {
        const double d = spacingOfBody(s, *body);
        forEachCluster(*s.now.soft, *body, [&](size_t begin, size_t end) {
            for (size_t k = begin; k < end; ++k)
                ways.push_back(length(xyz(s.now.soft->memberRestPosition[k]) -
                                      xyz(s.now.soft->restPosition[s.now.soft->memberRow[k]])) /
                               d);
        });
    }
    return maxOrMean(s, ways);
}

Measured skinVolume(const MeasureContext& s) {
    std::vector<double> shares;
    for (const SoftState::Body* body : softBodies(s)) {
        if (!body->skin) continue;
        TriangleMesh mesh = body->skin->mesh;
        const double rest = volumeOf(mesh);
        mesh.vertices = skinnedVertices(*s.now.soft, *body);
        if (rest != 0) shares.push_back(volumeOf(mesh) / rest);
    }
    if (shares.empty()) return {};
    if (s.word("statistic", "max") == "min") return *std::min_element(shares.begin(), shares.end());
    return maxOrMean(s, shares);
}

// A triangle is inverted when its normal looks away from where the cluster that carries it most has turned
// the normal at rest.
Measured skinInverted(const MeasureContext& s) {
    std::vector<double> shares;
    for (const SoftState::Body* body : softBodies(s)) {
        if (!body->skin) continue;
        const Skin& skin = *body->skin;
        const std::vector<Vec3>& rest = skin.mesh.vertices;
        const std::vector<Vec3> now = skinnedVertices(*s.now.soft, *body);
        double whole = 0, inverted = 0;
        for (const Triangle& t : skin.mesh.triangles) {
            const Vec3 before = cross(rest[t[1]] - rest[t[0]], rest[t[2]] - rest[t[0]]);
            const Vec3 after = cross(now[t[1]] - now[t[0]], now[t[2]] - now[t[0]]);
            const auto& weights = skin.weights[t[0]];
            const auto most = std::max_element(weights.begin(), weights.end()) - weights.begin();
            const uint32_t cluster = body->firstCluster + skin.clusters[t[0]][static_cast<size_t>(most)];
            whole += length(before);
            if (dot(rotate(s.now.soft->pose[cluster].rotation, before), after) < 0)
                inverted += length(before);
        }
        if (whole > 0) shares.push_back(inverted / whole);
    }
    if (shares.empty()) return {};
    return *std::max_element(shares.begin(), shares.end());
}

Measured tipDrop(const MeasureContext& s) {
    const auto axis = static_cast<size_t>(s.axis());
    const std::vector<uint32_t> starts = sameAt(s.start, s.now, s.selected);
    if (starts.empty()) return {};
    std::vector<double> along;
    for (const uint32_t i : starts) along.push_back(s.start.x[i][axis]);
    std::sort(along.begin(), along.end());
    const double share = s.number("percentile", 95) / 100;
    const double edge =
        along[std::min(along.size() - 1, static_cast<size_t>(share * static_cast<double>(along.size())))];
    double sum = 0;
    int count = 0;
    for (const uint32_t i : s.selected) {
        const auto before = findId(s.start, s.now.id[i]);
        if (!before || s.start.x[*before][axis] < edge - 1e-6) continue;
        sum += s.start.x[*before][1] - s.now.x[i][1];
        ++count;
    }
    return sum / count;
}

}  // namespace coalesce::measures
