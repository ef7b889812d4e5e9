// Surface tension and adhesion of liquids as pairwise forces on velocities.                          [AAT13]
//
// clang-format off
//     cohesion   a_i −= s Σ_j K_ij C(|x_ij|) x_ij/|x_ij|       attracts, and repels below 0.27 h
//     curvature  a_i −= c Σ_j K_ij V_j W_ij (n_i − n_j)        n_i = h Σ_j V_j ∇W_ij
//                K_ij = 2/(φ_i + φ_j)                          larger where neighbors are missing
//     adhesion   a_i −= b Σ_k V_k/h³ A(|x_ik|) x_ik/|x_ik|     k: particles of grains, bodies, cloth
//                a_i −= b H(z/h) n                             wall at distance z with normal n
// clang-format on
//
// Cohesion and curvature act within a material only, so liquids do not mix. Differs from the paper in three
// points. (1) The factors are not one γ, whose two uses have different units there, but follow from a tension
// σ [N/m] (see materials.cpp): at the same σ a drop behaves alike at every resolution. (2) The curvature term
// is weighted with V_j W_ij, so that neighbors enter continuously. (3) A wall is the half space behind it,
// filled with particles: the paper samples walls with particles, and H is the integral of its A over them,
// which also works for planes, boxes and signed distance fields.
//
// Forces are evaluated at the predicted positions x*, where the lists are exact, and applied before the
// constraints are solved: v += dt a and x* += dt² a. Displacement that the density constraint undoes thus
// adds no velocity, and a drop at rest has none. A pair receives opposite impulses, so momentum is conserved,
// except with particles emitted in this frame, which act as the rest of the jet in the nozzle.
// Too strong a tension for the time step makes the surface oscillate; for the limit see docs/validation.md.
//
// Particles that are emitted or poured feel no cohesion and curvature in their first frame. Emitters spawn once
// per frame, so that until the next frame the end of a jet is a free surface, which tension would round off: a
// jet would have a neck for each frame.
//
// Gathers in list order.
#pragma once

#include "kernels/contact/contact_planes.h"
#include "kernels/math/smoothing_kernel.h"
#include "kernels/math/view.h"
#include "kernels/particles/material_constants.h"
#include "kernels/search/neighbor_lists.h"

namespace coalesce {

// C of [AAT13] eq. 2 without its factor 32/(π h³), at q = r/h; 0 beyond h.
//     (1−q)³q³ for 2q > 1,   2(1−q)³q³ − 1/64 for 2q ≤ 1
template <class R>
HD R cohesionShape(R q) {
    const R a = max(R(1) - q, R(0)) * q, a3 = a * a * a;
    return select(R(0.5f) < q, a3, R(2) * a3 - R(1.0f / 64));
}

// A of [AAT13] eq. 7 without its factor 0.007 · 2^¼/h³, at q = r/h: ((2q−1)(1−q))^¼ for ½ < q < 1, else 0.
template <class R>
HD R adhesionShape(R q) {
    return sqrt(sqrt(max((q + q - R(1)) * (R(1) - q), R(0))));
}

// H(q) = π ∫ A(u) (u² − q²) du over u > q: the attraction of a half space at distance q h. Exact up to q = ½;
// beyond, (1−q)^(9/4) times a polynomial, within 1e-4 of the integral.
HD float adhesionOfHalfSpace(float q) {
    if (q < 0.5f) return 0.47376573f - 0.81633487f * (q * q);
    const float a = max(1 - q, 0.0f);
    return a * a * sqrt(sqrt(a)) * (2.2309414f + a * (-1.9487686f + a * 0.10691532f));
}

// Per-particle input of the pair loops.
struct GatherTension {
    View<const uint32_t> phase, id;
    View<const MaterialConstants> materials;
    View<const GroupConstants> groups;
    View<float> material;  // written: material index; empty: no material has surface tension
    View<Vec4> strength;   // written: h [m], s m and c m [N], V [m³]
    View<Vec4> adhesion;   // written: liquids b m [N], 0; solids 0, volume/h³ [-]; then h [m]; empty: no
                           // adhesion
    uint32_t firstNew;     // ids from here on were emitted or poured in this frame

    HD void operator()(int i) const {
        const uint32_t number = materialOf(phase[i]);
        const MaterialConstants& m = materials[number];
        if (material.size > 0) {
            material[i] = static_cast<float>(number);
            const bool held = id[i] >= firstNew;
            strength[i] = {m.support, held ? 0.0f : m.cohesionPull / m.inverseMass,
                           held ? 0.0f : m.curvaturePull / m.inverseMass, m.volume};
        }
        if (adhesion.size > 0) {
            const float d = m.spacing / m.support;
            adhesion[i] = {m.fluid ? m.adhesionPull / m.inverseMass : 0.0f,
                           m.fluid ? 0.0f : d * d * d * groups[groupOf(phase[i])].volume, m.support, 0};
        }
    }
};

// n_i = h Σ_j V_j ∇W_ij [-] over particles of the same material: points into the liquid, 0 in its interior;
// w: φ
struct FindNormals {
    View<const Vec4> xStar, v;  // [m]; w of v: φ
    View<const float> material;
    View<const Vec4> strength;
    NeighborLists neighbors;
    View<Vec4> normal;  // written

    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const Vec4T<R> xi = xStar[i], vi = v[i], own = strength[i];
        const R mine = material[i];
        const SmoothingT<R> kernel = smoothing(own.x);
        Vec3T<R> sum{R(0), R(0), R(0)};
        const auto count = neighbors.count[i];
        for (int k = 0; any(k < count); ++k) {
            const auto isNeighbor = k < count;
            const auto j = neighbors.at(k, i, isNeighbor);
            const Vec4T<R> xj = xStar[j];
            const R theirs = material[j];
            const auto other = (mine < theirs) | (theirs < mine);
            const Vec3T<R> d = xyz(xi) - xyz(xj);
            const R slope = select(isNeighbor, select(other, R(0), spiky(kernel, dot(d, d)).slope), R(0));
            sum -= slope * d;
        }
        put(normal, i, vec4(own.x * own.w * sum, vi.w));
    }
};

// Cohesion and curvature.
struct ApplySurfaceTension {
    View<const Vec4> xStar;
    View<const Vec4> normal;
    View<const float> material;
    View<const Vec4> strength;
    NeighborLists neighbors;
    View<Vec4> v;  // updated
    float dt;

    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const Vec4T<R> xi = xStar[i], ni = normal[i], own = strength[i], vi = v[i];
        const R mine = material[i];
        const SmoothingT<R> kernel = smoothing(own.x);
        Vec3T<R> along{R(0), R(0), R(0)}, bend{R(0), R(0), R(0)};
        const auto count = neighbors.count[i];
        for (int k = 0; any(k < count); ++k) {
            const auto isNeighbor = k < count;
            const auto j = neighbors.at(k, i, isNeighbor);
            const Vec4T<R> xj = xStar[j], nj = normal[j];
            const R theirs = material[j];
            const auto other = (mine < theirs) | (theirs < mine);
            const Vec3T<R> d = xyz(xi) - xyz(xj);
            const R r2 = dot(d, d), h = min(r2 * kernel.minusHalfOverH2, R(-0.5e-12f));
            const R inverseQ = rsqrtOfMinusHalf(h), q2 = R(-2) * h;
            const R thin = select(isNeighbor, select(other, R(0), R(2) / (ni.w + nj.w)), R(0));
            // for coincident particles d is 0: no force
            along += (thin * cohesionShape(q2 * inverseQ) * inverseQ) * d;
            bend += (thin * spiky(kernel, r2).weight) * (xyz(ni) - xyz(nj));
        }
        const Vec3T<R> pull = (own.y / own.x) * along + (own.z * own.w) * bend;
        const auto moves = (R(0) < xi.w) & (R(0) < own.y);
        put(v, i, vec4(select(moves, xyz(vi) - (R(dt) * xi.w) * pull, xyz(vi)), vi.w));
    }
};

// Adhesion between liquid and solid particles, for both sides of a pair.
struct ApplyAdhesion {
    View<const Vec4> xStar;  // w: inverse mass
    View<const Vec4> adhesion;
    NeighborLists neighbors;
    View<Vec4> v;  // updated
    float dt;

    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const Vec4T<R> xi = xStar[i], mine = adhesion[i], vi = v[i];
        Vec3T<R> sum{R(0), R(0), R(0)};
        const auto count = neighbors.count[i];
        for (int k = 0; any(k < count); ++k) {
            const auto isNeighbor = k < count;
            const auto j = neighbors.at(k, i, isNeighbor);
            const Vec4T<R> xj = xStar[j], theirs = adhesion[j];
            const Vec3T<R> d = xyz(xi) - xyz(xj);
            const R r2 = max(dot(d, d), R(1e-24f)), inverseR = rsqrt(r2);
            // one of the two products is 0
            const R strength = fma(mine.x, theirs.y, mine.y * theirs.x);
            const R shape = adhesionShape(R(2) * r2 * inverseR / (mine.z + theirs.z));
            sum += select(isNeighbor, strength * shape * inverseR, R(0)) * d;
        }
        put(v, i, vec4(select(R(0) < xi.w, xyz(vi) - (R(dt) * xi.w) * sum, xyz(vi)), vi.w));
    }
};

// Predicts positions again from the new velocity, with the arithmetic of Predict: unchanged velocities give
// unchanged bits.
struct UpdatePrediction {
    View<const Vec4> x, v;
    View<Vec4> xStar;  // updated
    float dt;
    HD void operator()(int i) const {
        if (xStar[i].w > 0) xStar[i] = vec4(fma(dt, xyz(v[i]), xyz(x[i])), xStar[i].w);
    }
};

// Adhesion of liquids to shapes. Of parallel planes only the nearest counts; other planes are weighted by
// their angle to nearer ones: adjacent slabs and the triangles of a flat mesh act as one wall, a corner as
// two.
struct ApplyShapeAdhesion {
    Contacts contacts;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<Vec3> accumulatedImpulse;  // by contact: m Δx [kg m], updated
    View<Vec4> xStar, v;            // updated
    float dt;

    HD void operator()(int i) const {
        const MaterialConstants& m = materials[materialOf(phase[i])];
        const Vec4 xi = xStar[i];
        const uint32_t begin = contacts.begin(i), end = contacts.end(i);
        if (begin == end || xi.w == 0 || !m.fluid || m.adhesionPull == 0) return;
        Vec3 sum{0, 0, 0};
        for (uint32_t k = begin; k < end; ++k) {
            const Vec3 n = xyz(contacts.planes[k]);
            const float gap = gapOf(k, xyz(xi));
            const float pull = m.adhesionPull / m.inverseMass *
                               adhesionOfHalfSpace(max(gap + 0.5f * m.spacing, 0.0f) / m.support);
            if (pull == 0) continue;
            float counts = 1;
            for (uint32_t other = begin; other < end; ++other) {
                const float nearer = gapOf(other, xyz(xi));
                if (other == k || nearer > gap || (nearer == gap && other > k)) continue;
                counts = min(counts, 1 - dot(n, xyz(contacts.planes[other])));
            }
            if (counts <= 0.01f) continue;
            const Vec3 force = -pull * counts * n;
            sum += force;
            accumulatedImpulse[k] += dt * dt * force;
        }
        const Vec3 change = dt * xi.w * sum;
        v[i] = vec4(xyz(v[i]) + change, v[i].w);
        xStar[i] = vec4(fma(dt, change, xyz(xi)), xi.w);
    }

private:
    // [m] gap between the particle's surface and the plane
    HD float gapOf(uint32_t k, Vec3 at) const {
        return dot(xyz(contacts.planes[k]), at) - contacts.planes[k].w;
    }
};

}  // namespace coalesce
