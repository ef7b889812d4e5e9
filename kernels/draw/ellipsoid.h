// Anisotropic kernels for drawing liquids: each particle becomes an ellipsoid around a smoothed position,
// flat along the surface and long along jets. [YT13]
//
//     w_j = 1 − (|x_j − x_i|/h)³,  m = Σ w_j x_j / Σ w_j       over the liquid neighbors and i itself
//     x'  = (1 − L) x_i + L m,  L = 0.9                                                    [YT13] eq. 6
//     C   = Σ w_j (x_j − m)(x_j − m)ᵀ / Σ w_j = Σ_k s_k a_k a_kᵀ,  s_1 ≥ s_2 ≥ s_3
//     half-lengths  0.85 d · clamp(√(max(s_k, s_1/4) / s_ref), 0.35, 1.6),  s_ref = 0.145 h²
//
// Neighbors of other liquids are weighted by their volume ratio. Differs from [YT13] 4.2, which stretches by
// the eigenvalue and needs a factor with a unit: the square root is a standard deviation, relative to that of
// a filled lattice, s_ref. For rendering only; does not feed back into the simulation. Gathers in list
// order, no atomics.
#pragma once

#include "kernels/math/smoothing_kernel.h"
#include "kernels/math/view.h"
#include "kernels/particles/material_constants.h"
#include "kernels/search/neighbor_lists.h"

namespace coalesce {

// A symmetric 3 × 3 matrix, and its eigenvalues and eigenvectors. R is float, or LaneFloat for sixteen at once.
template <class R>
struct Symmetric3T {
    R xx, yy, zz, xy, xz, yz;
};
template <class R>
struct Eigen3T {
    R value[3];        // descending
    Vec3T<R> axis[3];  // orthonormal
};
using Eigen3 = Eigen3T<float>;

// One Jacobi rotation in the plane of axes p and r: makes a_pr zero. k is the third axis. [GVL13] 8.5
template <class R>
HD void rotatePlane(R& pp, R& rr, R& pr, R& kp, R& kr, Vec3T<R>& axisP, Vec3T<R>& axisR) {
    const auto turns = (pr < R(0.0f)) | (pr > R(0.0f));
    // tangent of the angle, the smaller root; 0 if the square overflows
    const R theta = (rr - pp) / (R(2.0f) * select(turns, pr, R(1.0f)));
    const R magnitude = R(1.0f) / (max(theta, -theta) + sqrt(theta * theta + R(1.0f)));
    const R t = select(turns, select(theta < R(0.0f), -magnitude, magnitude), R(0.0f));
    const R c = R(1.0f) / sqrt(t * t + R(1.0f)), s = t * c;
    pp -= t * pr;
    rr += t * pr;
    pr = R(0.0f);
    const R oldKp = kp;
    kp = c * oldKp - s * kr;
    kr = s * oldKp + c * kr;
    const Vec3T<R> oldP = axisP;
    axisP = c * oldP - s * axisR;
    axisR = s * oldP + c * axisR;
}

template <class R>
HD void sortDescending(R& a, R& b, Vec3T<R>& axisA, Vec3T<R>& axisB) {
    const auto swaps = a < b;
    const R value = a;
    const Vec3T<R> axis = axisA;
    a = select(swaps, b, a), axisA = select<R>(swaps, axisB, axisA);
    b = select(swaps, value, b), axisB = select<R>(swaps, axis, axisB);
}

// Cyclic Jacobi: four sweeps zero the off-diagonal in single precision. [GVL13] 8.5
template <class R>
HD Eigen3T<R> diagonalize(Symmetric3T<R> m) {
    const R zero(0.0f), one(1.0f);
    Vec3T<R> x{one, zero, zero}, y{zero, one, zero}, z{zero, zero, one};
    for (int sweep = 0; sweep < 4; ++sweep) {
        rotatePlane(m.xx, m.yy, m.xy, m.xz, m.yz, x, y);
        rotatePlane(m.xx, m.zz, m.xz, m.xy, m.yz, x, z);
        rotatePlane(m.yy, m.zz, m.yz, m.xy, m.xz, y, z);
    }
    sortDescending(m.xx, m.yy, x, y);
    sortDescending(m.yy, m.zz, y, z);
    sortDescending(m.xx, m.yy, x, y);
    return {{m.xx, m.yy, m.zz}, {x, y, z}};
}

// Sums over the liquid around a particle, which has weight 1 itself. In one pass: the covariance about the mean is
// that about the particle less m mᵀ. Both are about h², so nothing is lost.
template <class R>
struct Neighborhood {
    R found{1.0f}, volume{1.0f}, weight{1.0f};  // Σ 1, Σ V_j/V_i, Σ w_j
    Vec3T<R> first{R(0.0f), R(0.0f), R(0.0f)};  // Σ w_j d_j, d_j = x_j − x_i
    Symmetric3T<R> second{R(0.0f), R(0.0f), R(0.0f), R(0.0f), R(0.0f), R(0.0f)};  // Σ w_j d_j d_jᵀ

    // share: V_j/V_i; 0 does not count
    HD void add(Vec3T<R> d, R inverseH2, R share) {
        const R q2 = dot(d, d) * inverseH2;
        const auto near = (q2 < R(1.0f)) & (share > R(0.0f));
        const R counted = select(near, share, R(0.0f)), w = counted * (R(1.0f) - q2 * sqrt(q2));
        found += select(near, R(1.0f), R(0.0f));
        volume += counted;
        weight += w;
        const Vec3T<R> wd = w * d;
        first += wd;
        second.xx = fma(wd.x, d.x, second.xx), second.yy = fma(wd.y, d.y, second.yy);
        second.zz = fma(wd.z, d.z, second.zz), second.xy = fma(wd.x, d.y, second.xy);
        second.xz = fma(wd.x, d.z, second.xz), second.yz = fma(wd.y, d.z, second.yz);
    }
};

// Numbers of the fit: lengths in spacings d of the material, or in its support h.
struct EllipsoidShape {
    static constexpr float kSmoothing = 0.9f;    // [-] share of the way to the mean of the neighborhood
    static constexpr float kDrawRadius = 0.85f;  // [d] half-length that is drawn for length 1
    static constexpr float kFlattest = 0.25f;    // [-] smallest s_k / s_1
    static constexpr float kReference = 0.145f;  // s_ref [h²] of a filled cubic lattice
    static constexpr float kShortest = 0.35f, kLongest = 1.6f;
    static constexpr float kIsolated =
        0.18f;  // share of a full neighborhood below which particles are spheres
    static constexpr float kIsolatedLength = 0.6f;

    // Particles of a full neighborhood.
    static HD float full(float support, float spacing, bool planar = false) {
        const float ratio = support / spacing;
        return planar ? kPi * ratio * ratio : 4.0f / 3 * kPi * ratio * ratio * ratio;
    }
};

template <class R>
struct Ellipsoid {
    Vec3T<R> shift;    // x' − x_i [m]
    Vec3T<R> axis[3];  // unit
    R length[3];       // half-lengths [0.85 d]

    // full: particles of a full neighborhood
    HD Ellipsoid(const Neighborhood<R>& around, float support, R full) {
        using Shape = EllipsoidShape;
        const auto isolated = around.volume < R(Shape::kIsolated) * full;
        const R scale = R(1.0f) / around.weight, inverseVariance(1 / (Shape::kReference * support * support));
        const Vec3T<R> mean = scale * around.first;
        const auto covariance = [&](R sum, R a, R b) { return inverseVariance * (scale * sum - a * b); };
        const Symmetric3T<R>& s = around.second;
        const Eigen3T<R> eigen =
            diagonalize<R>({covariance(s.xx, mean.x, mean.x), covariance(s.yy, mean.y, mean.y),
                            covariance(s.zz, mean.z, mean.z), covariance(s.xy, mean.x, mean.y),
                            covariance(s.xz, mean.x, mean.z), covariance(s.yz, mean.y, mean.z)});
        const R flattest = max(R(Shape::kFlattest) * eigen.value[0], R(0.0f));
        shift = select(isolated, R(0.0f), R(Shape::kSmoothing)) * mean;
        for (int k = 0; k < 3; ++k) {
            axis[k] = eigen.axis[k];
            length[k] =
                select(isolated, R(Shape::kIsolatedLength),
                       clamp(sqrt(max(eigen.value[k], flattest)), R(Shape::kShortest), R(Shape::kLongest)));
        }
    }
};

struct FitEllipsoids {
    View<const Vec4> x;  // [m]
    View<const Vec4> v;  // [m/s]
    View<const uint32_t> phase;
    NeighborLists neighbors;
    View<const MaterialConstants> materials;
    bool planar;         // all particles lie in one plane
    View<Vec4> smooth;   // written: x' [m]; w: number of neighbors, including itself
    View<Vec4> axis[3];  // written: unit axis, half-length [m]

    static constexpr float kDropRadius = 0.62f;  // [d] of a sphere of volume d³
    static constexpr float kBlur = 0.01f;        // [s] over which the path of a drop stretches it

    HD void operator()(int i) const {
        const uint32_t material = materialOf(phase[i]);
        const MaterialConstants& m = materials[material];
        const Vec3 xi = xyz(x[i]);
        const float radius = EllipsoidShape::kDrawRadius * m.spacing;
        if (!m.fluid) return writeBall(i, xi, radius);  // drawn as a sphere, or by its body's mesh

        Neighborhood<float> around;
        const float inverseH2 = 1 / (m.support * m.support);
        for (int k = 0; k < neighbors.count[i]; ++k) {
            const int j = neighbors.at(k, i, true);
            around.add(xyz(x[j]) - xi, inverseH2, shareOf(materialOf(phase[j]), material));
        }
        if (phase[i] & kDrop) return writeDrop(i, xi, around.found, m.spacing);
        const Ellipsoid<float> e(around, m.support, EllipsoidShape::full(m.support, m.spacing, planar));
        smooth[i] = vec4(xi + e.shift, around.found);
        for (int k = 0; k < 3; ++k) axis[k][i] = vec4(e.axis[k], radius * e.length[k]);
    }

private:
    static HD float cube(float a) { return a * a * a; }
    HD void writeBall(int i, Vec3 xi, float radius) const {
        smooth[i] = vec4(xi, 0.0f);
        axis[0][i] = {1, 0, 0, radius};
        axis[1][i] = {0, 1, 0, radius};
        axis[2][i] = {0, 0, 1, radius};
    }
    // A ballistic drop: of the volume of its particle, and stretched along its path by the way of kBlur
    // seconds, to at most twice its width. [SPR14]
    HD void writeDrop(int i, Vec3 xi, float count, float d) const {
        const float speed = length(xyz(v[i])), radius = kDropRadius * d;
        const float stretch = min(1 + 0.5f * kBlur * speed / radius, 1.6f);  // along; 1/√stretch across
        const Vec3 along = speed > 0 ? 1 / speed * xyz(v[i]) : Vec3{0, 1, 0};
        const Vec3 away = fabsf(along.x) < 0.7f ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
        const Vec3 across = normalizeOr(cross(along, away), {0, 0, 1});
        const float thin = radius / sqrt(stretch);
        smooth[i] = vec4(xi, count);
        axis[0][i] = vec4(along, radius * stretch);
        axis[1][i] = vec4(across, thin);
        axis[2][i] = vec4(cross(along, across), thin);
    }
    // V_j/V_i of liquid neighbors. Includes other liquids, so that two liquids in contact share a surface without a
    // gap.
    HD float shareOf(uint32_t other, uint32_t material) const {
        if (other == material) return 1;
        return materials[other].fluid ? cube(materials[other].spacing) / cube(materials[material].spacing)
                                      : 0;
    }
};

}  // namespace coalesce
