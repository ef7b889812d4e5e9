#include "support/body_states.h"

#include <Eigen/Cholesky>

#include "geometry/math/vec3d.h"

namespace coalesce::test {

std::vector<BodyState> bodyStates(const World& world) {
    const std::vector<uint32_t> id = world.particles.id.download();
    const std::vector<Vec4> x = world.particles.x.download(), v = world.particles.v.download();
    const std::vector<ClusterPose> pose = world.solids.pose.download();
    const std::vector<Vec4> members = world.solids.memberRestPosition.download();
    const std::vector<uint32_t> memberRow = world.solids.memberRow.download();
    std::vector<double> massOf(world.solids.rows(), 0);
    for (size_t k = 0; k < members.size(); ++k) massOf[memberRow[k]] += members[k].w;
    std::vector<size_t> slotOf(world.nextId, SIZE_MAX);
    for (size_t i = 0; i < id.size(); ++i) slotOf[id[i]] = i;
    // cloth and ropes have no members; what is pinned weighs nothing
    for (const SolidBody& body : world.bodies)
        for (uint32_t k = 0; k < (body.clusters == 0 ? body.rows : 0); ++k)
            if (const size_t i = slotOf[world.groups[body.group].first + k]; i != SIZE_MAX && x[i].w > 0)
                massOf[body.firstRow + k] = 1.0 / x[i].w;

    std::vector<BodyState> states;
    for (const SolidBody& body : world.bodies) {
        const Group& group = world.groups[body.group];
        double mass = 0;
        Vec3d center, momentum;
        const auto forEachParticle = [&](auto&& visit) {
            for (uint32_t k = 0; k < body.rows; ++k)
                if (const size_t i = slotOf[group.first + k]; i != SIZE_MAX)
                    visit(massOf[body.firstRow + k], toDouble(xyz(x[i])), toDouble(xyz(v[i])));
        };
        forEachParticle([&](double m, const Vec3d& xi, const Vec3d& vi) {
            mass += m, center += m * xi, momentum += m * vi;
        });
        BodyState s;
        if (body.clusters > 0) s.rotation = pose[body.firstCluster].rotation;
        if (mass > 0) {
            center /= mass;
            // L = Σ m r × v, and the inertia I = Σ m (r² − r rᵀ)
            Vec3d L;
            Eigen::Matrix3d I;
            forEachParticle([&](double m, const Vec3d& xi, const Vec3d& vi) {
                const Vec3d r = xi - center;
                L += m * cross(r, vi);
                I += m * (dot(r, r) * Eigen::Matrix3d::Identity() - r * r.transpose());
            });
            // I ω = L; a rod or a point has no inertia about its axis: a small multiple of 1 is added
            I += (1e-9 * I.trace() + 1e-300) * Eigen::Matrix3d::Identity();
            s.mass = mass;
            s.center = toFloat(center);
            s.momentum = toFloat(momentum);
            s.velocity = float(1 / mass) * s.momentum;
            s.angularMomentum = toFloat(L);
            s.angularVelocity = toFloat(I.ldlt().solve(L));
        }
        states.push_back(s);
    }
    return states;
}

BodyLoad loadBetween(const BodyState& before, const BodyState& after, double seconds, Vec3 gravity) {
    const auto rate = float(1 / seconds), mass = float(after.mass);
    return {rate * (after.momentum - before.momentum) - mass * gravity,
            rate * (after.angularMomentum - before.angularMomentum)};
}

}  // namespace coalesce::test
