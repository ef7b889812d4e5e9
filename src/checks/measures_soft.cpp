// Checks of soft bodies: recovery of the rest shape, plastic flow, volume of the skin.
#include <algorithm>
#include <cmath>
#include <set>

#include "checks/check_options.h"
#include "checks/measures.h"
#include "checks/soft_state.h"

namespace coalesce::measures {

namespace {

std::vector<const SoftState::Body*> softBodies(const MeasureContext& s) {
    const std::set<uint32_t> groups = s.selectedGroups();
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

// visit(begin, end): the range of members of each cluster of a body. Members are stored by cluster.
template <class Visit>
void forEachCluster(const SoftState& state, const SoftState::Body& body, Visit&& visit) {
    const auto& cluster = state.memberCluster;
    auto begin = std::lower_bound(cluster.begin(), cluster.end(), body.firstCluster);
    for (uint32_t k = 0; k < body.clusters; ++k) {
        const auto end = std::upper_bound(begin, cluster.end(), body.firstCluster + k);
        visit(size_t(begin - cluster.begin()), size_t(end - cluster.begin()));
        begin = end;
    }
}

// Against the initial rest shape, so that plastic flow counts as a residual.
Measured clusterPose(const MeasureContext& s) {
    std::vector<double> residuals;
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
            if (!form.empty()) residuals.push_back(fitRigid(form, now, mass).rms / spacingOfBody(s, *body));
        });
    return statisticOf(s, residuals, "max");
}

Measured restChange(const MeasureContext& s) {
    std::vector<double> shifts;
    for (const SoftState::Body* body : softBodies(s)) {
        const double d = spacingOfBody(s, *body);
        forEachCluster(*s.now.soft, *body, [&](size_t begin, size_t end) {
            for (size_t k = begin; k < end; ++k)
                shifts.push_back(length(xyz(s.now.soft->memberRestPosition[k]) -
                                        xyz(s.now.soft->restPosition[s.now.soft->memberRow[k]])) /
                                 d);
        });
    }
    return statisticOf(s, shifts, "max");
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
    return statisticOf(s, shares, "max");
}

// A triangle is inverted when its normal points away from its rest normal, rotated by the cluster with the
// largest skinning weight.
Measured skinInverted(const MeasureContext& s) {
    std::vector<double> shares;
    for (const SoftState::Body* body : softBodies(s)) {
        if (!body->skin) continue;
        const Skin& skin = *body->skin;
        const std::vector<Vec3>& rest = skin.mesh.vertices;
        const std::vector<Vec3> now = skinnedVertices(*s.now.soft, *body);
        double total = 0, inverted = 0;
        for (const Triangle& t : skin.mesh.triangles) {
            const Vec3 before = cross(rest[t[1]] - rest[t[0]], rest[t[2]] - rest[t[0]]);
            const Vec3 after = cross(now[t[1]] - now[t[0]], now[t[2]] - now[t[0]]);
            const auto& weights = skin.weights[t[0]];
            const auto most = std::max_element(weights.begin(), weights.end()) - weights.begin();
            const uint32_t cluster = body->firstCluster + skin.clusters[t[0]][size_t(most)];
            total += length(before);
            if (dot(rotate(s.now.soft->pose[cluster].rotation, before), after) < 0)
                inverted += length(before);
        }
        if (total > 0) shares.push_back(inverted / total);
    }
    if (shares.empty()) return {};
    return *std::max_element(shares.begin(), shares.end());
}

Measured tipDrop(const MeasureContext& s) {
    const auto axis = size_t(s.axis());
    const std::vector<uint32_t> starts = sameAt(s.start, s.now, s.selected);
    if (starts.empty()) return {};
    std::vector<double> along;
    for (const uint32_t i : starts) along.push_back(s.start.x[i][axis]);
    std::sort(along.begin(), along.end());
    const double share = s.number("percentile", 95) / 100;
    const double edge = along[std::min(along.size() - 1, size_t(share * double(along.size())))];
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

}  // namespace

std::vector<CheckKind> softBodyChecks() {
    return {
        {.name = "cluster_pose",
         .unit = "d",
         .measures =
             "residual between the particles of a soft body's cluster and the best rigid transform of "
             "their rest shape; RMS of each cluster",
         .value = clusterPose,
         .options = {wordOption("statistic", "max (default) or mean over the clusters.", {"max", "mean"})}},
        {.name = "rest_change",
         .unit = "d",
         .measures = "displacement of a soft body's rest positions within their clusters by plastic flow",
         .value = restChange,
         .options = {wordOption("statistic", "max (default) or mean over the rest positions.",
                                {"max", "mean"})}},
        {.name = "skin_volume",
         .measures = "volume enclosed by the skin of a soft body, relative to rest",
         .value = skinVolume,
         .options = {statisticOverBodies()}},
        {.name = "skin_inverted",
         .measures =
             "share of a soft body's skin, by area at rest, whose normals point into the body; of the "
             "worst body",
         .value = skinInverted},
        {.name = "tip_drop",
         .unit = "m",
         .measures = "drop of the end of a body: mean over the particles that start farthest along an axis",
         .value = tipDrop,
         .options = {axisOption(),
                     numberOption("percentile",
                                  "The end is the particles beyond this percentile; 95 when omitted."),
                     unitSpacings()}},
    };
}

}  // namespace coalesce::measures
