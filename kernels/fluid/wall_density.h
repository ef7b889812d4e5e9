// Density of liquids at walls.
#pragma once

#include "kernels/contact/contact_planes.h"
#include "kernels/math/smoothing_kernel.h"

namespace coalesce {

// Contribution of walls to the volume fraction of a liquid: the part of the support behind them counts as
// filled. Several walls combine as 1 − Π(1 − Φ_k), which is exact in a right-angled corner. For a lattice
// flush with a wall, φ differs from 1 by the difference between sum and integral; the material's wallShift
// (about 0.16 d) removes it, so a tank starts at rest.
struct FindWallDensity {
    Contacts contacts;
    View<const Vec4> xStar;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<Vec4> wall;        // written: ∇φ_wall [1/m]; w: φ_wall
    View<float> steepness;  // written, by contact: its part of ∇φ_wall is −steepness (1 − φ_wall) n [1/m]
    View<float> closing;  // written: dφ_wall/dt by the motion of the walls [1/s]; empty: not needed
    float share;          // fluid.wallDensity
    float rate;           // 1/dt [1/s]; with closing
    bool atStart;         // with closing: x and walls at the start of the substep; else at its end
    bool planar;

    HD void operator()(int i) const {
        const uint32_t begin = contacts.begin(i), end = contacts.end(i);
        Vec4 sum{0, 0, 0, 0};
        float advancing = 0;  // Σ steepness · distance by which the wall advances in this substep
        const MaterialConstants& m = materials[materialOf(phase[i])];
        if (begin < end && share > 0 && m.fluid) {
            const float radius = 0.5f * m.spacing;
            Vec3 gradient{0, 0, 0};
            float open = 1;  // Π(1 − Φ_k)
            for (uint32_t k = begin; k < end; ++k) {
                steepness[k] = 0;
                if (repeats(begin, k)) continue;
                const Vec3 n = xyz(contacts.planes[k]);
                float gap = dot(n, xyz(xStar[i])) - contacts.planes[k].w + radius;
                float advance = 0;
                if (closing.size > 0) {
                    const Vec3 at = xyz(xStar[i]) - gap * n;  // on the wall
                    advance = dot(n, at - contacts.previousPosition(k, at));
                    if (atStart) gap += advance;
                }
                const float q = (gap + m.wallShift) / m.support;
                const float hidden = share * (planar ? halfPlaneShare(q) : halfSpaceShare(q));
                const float slope =
                    share * (planar ? halfPlaneSlope(m.support, q) : halfSpaceSlope(m.support, q));
                // product rule, one factor at a time
                gradient = (1 - hidden) * gradient - (open * slope) * n;
                steepness[k] = slope / (1 - hidden);
                advancing += steepness[k] * advance;
                open *= 1 - hidden;
            }
            sum = vec4(gradient, 1 - open);
        }
        wall[i] = sum;
        if (closing.size > 0) closing[i] = rate * (1 - sum.w) * advancing;
    }

private:
    // an earlier plane already covers the space behind this one: a floor and the bottom of a tank, adjacent
    // slabs
    HD bool repeats(uint32_t begin, uint32_t k) const {
        for (uint32_t other = begin; other < k; ++other)
            if (dot(xyz(contacts.planes[other]), xyz(contacts.planes[k])) > 0.99f) return true;
        return false;
    }
};

}  // namespace coalesce
