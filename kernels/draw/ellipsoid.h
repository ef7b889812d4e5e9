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

// A symmetric 3 × 3 matrix, and its eigenvalues and eigenvectors.
struct Symmetric3 {
    float xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
};
struct Eigen3 {
    float value[3];  // descending
    Vec3 axis[3];    // orthonormal
};

// One Jacobi rotation in the plane of axes p and r: makes a_pr zero. k is the third axis. [GVL13] 8.5
HD void rotatePlane(float& pp, float& rr, float& pr, float& kp, float& kr, Vec3& axisP, Vec3& axisR) {
    if (pr == 0) return;
    // tangent of the angle, the smaller root
    const float theta = (rr - pp) / (2 * pr);
    const float magnitude =
        fabsf(theta) > 1e18f ? 0.5f / fabsf(theta) : 1 / (fabsf(theta) + sqrt(theta * theta + 1));
    const float t = theta < 0 ? -magnitude : magnitude;
    const float c = 1 / sqrt(t * t + 1), s = t * c;
    pp -= t * pr;
    rr += t * pr;
    pr = 0;
    const float oldKp = kp;
    kp = c * oldKp - s * kr;
    kr = s * oldKp + c * kr;
    const Vec3 oldP = axisP;
    axisP = c * oldP - s * axisR;
    axisR = s * oldP + c * axisR;
}

HD void sortDescending(float& a, float& b, Vec3& axisA, Vec3& axisB) {
    if (a >= b) return;
    const float value = a;
    const Vec3 axis = axisA;
    a = b, axisA = axisB;
    b = value, axisB = axis;
}

// Cyclic Jacobi: six sweeps zero the off-diagonal in single precision. [GVL13] 8.5
HD Eigen3 diagonalize(Symmetric3 m) {
    Vec3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
    for (int sweep = 0; sweep < 6; ++sweep) {
        rotatePlane(m.xx, m.yy, m.xy, m.xz, m.yz, x, y);
        rotatePlane(m.xx, m.zz, m.xz, m.xy, m.yz, x, z);
        rotatePlane(m.yy, m.zz, m.yz, m.xy, m.xz, y, z);
    }
    sortDescending(m.xx, m.yy, x, y);
    sortDescending(m.yy, m.zz, y, z);
    sortDescending(m.xx, m.yy, x, y);
    return {{m.xx, m.yy, m.zz}, {x, y, z}};
}

struct FitEllipsoids {
    View<const Vec4> x;  // [m]
    View<const Vec4> v;  // [m/s]
    View<const uint32_t> phase;
    NeighborLists neighbors;
    View<const MaterialConstants> materials;
    View<Vec4> smooth;   // written: x' [m]; w: number of neighbors, including itself
    View<Vec4> axis[3];  // written: unit axis, half-length [m]

    static constexpr float kSmoothing = 0.9f;    // L
    static constexpr float kDrawRadius = 0.85f;  // [d]
    static constexpr float kFlattest = 0.25f;    // smallest s_k / s_1
    static constexpr float kReference = 0.145f;  // s_ref [h²] of a filled cubic lattice
    static constexpr float kShortest = 0.35f, kLongest = 1.6f;
    static constexpr float kIsolated =
        0.18f;  // share of a full neighborhood below which particles are drawn as spheres
    static constexpr float kIsolatedLength = 0.6f;  // [draw radius]

    static constexpr float kDropRadius = 0.62f;  // [d] of a sphere of volume d³
    static constexpr float kBlur = 0.01f;        // [s] over which the path of a drop stretches it

    HD void operator()(int i) const {
        const uint32_t material = materialOf(phase[i]);
        const MaterialConstants& m = materials[material];
        const Vec3 xi = xyz(x[i]);
        const float radius = kDrawRadius * m.spacing;
        if (!m.fluid) return writeBall(i, xi, 0, radius);  // drawn as a sphere, or by its body's mesh

        // mean of the neighborhood, relative to the particle to keep precision far from the origin
        Vec3 mean{0, 0, 0};
        float weight = 1, volume = 1;
        int found = 1;
        forEachLiquid(i, xi, material, [&](Vec3 d, float w, float share) {
            mean += w * share * d;
            weight += w * share;
            volume += share;
            ++found;
        });
        mean = (1 / weight) * mean;

        const float ratio = m.support / m.spacing, full = 4.0f / 3 * kPi * ratio * ratio * ratio;
        const float count = static_cast<float>(found);
        if (phase[i] & kDrop) return writeDrop(i, xi, count, m.spacing);
        if (volume < kIsolated * full) return writeBall(i, xi, count, kIsolatedLength * radius);

        // covariance about the mean; the particle itself is at the origin with weight 1
        Symmetric3 c{mean.x * mean.x, mean.y * mean.y, mean.z * mean.z,
                     mean.x * mean.y, mean.x * mean.z, mean.y * mean.z};
        forEachLiquid(i, xi, material, [&](Vec3 d, float weightOf, float share) {
            const Vec3 e = d - mean;
            const float w = weightOf * share;
            c.xx = fma(w * e.x, e.x, c.xx), c.yy = fma(w * e.y, e.y, c.yy), c.zz = fma(w * e.z, e.z, c.zz);
            c.xy = fma(w * e.x, e.y, c.xy), c.xz = fma(w * e.x, e.z, c.xz), c.yz = fma(w * e.y, e.z, c.yz);
        });
        const float scale = 1 / (weight * kReference * m.support * m.support);  // s_k in units of s_ref
        c.xx *= scale, c.yy *= scale, c.zz *= scale, c.xy *= scale, c.xz *= scale, c.yz *= scale;
        const Eigen3 eigen = diagonalize(c);

        smooth[i] = vec4(fma(kSmoothing, mean, xi), count);
        const float flattest = max(kFlattest * eigen.value[0], 0.0f);
        const auto halfLength = [&](float value) {
            return radius * clamp(sqrt(max(value, flattest)), kShortest, kLongest);
        };
        axis[0][i] = vec4(eigen.axis[0], halfLength(eigen.value[0]));
        axis[1][i] = vec4(eigen.axis[1], halfLength(eigen.value[1]));
        axis[2][i] = vec4(eigen.axis[2], halfLength(eigen.value[2]));
    }

private:
    static HD float cube(float a) { return a * a * a; }
    HD void writeBall(int i, Vec3 xi, float count, float radius) const {
        smooth[i] = vec4(xi, count);
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
    // visit(x_j − x_i, w_j, V_j/V_i) for the liquid neighbors within h. Includes other liquids, so that two
    // liquids in contact share a surface without a gap.
    template <class Visit>
    HD void forEachLiquid(int i, Vec3 xi, uint32_t material, Visit&& visit) const {
        const float h = materials[material].support, d3 = cube(materials[material].spacing);
        for (int k = 0; k < neighbors.count[i]; ++k) {
            const int j = neighbors.at(k, i, true);
            const Vec3 d = xyz(x[j]) - xi;
            const float q2 = dot(d, d) / (h * h);
            if (q2 >= 1) continue;
            const uint32_t other = materialOf(phase[j]);
            if (other == material)
                visit(d, 1 - q2 * sqrt(q2), 1);
            else if (materials[other].fluid)
                visit(d, 1 - q2 * sqrt(q2), cube(materials[other].spacing) / d3);
        }
    }
};

}  // namespace coalesce
