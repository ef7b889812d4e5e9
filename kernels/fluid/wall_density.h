// Density of liquids at walls.
#pragma once

#include "kernels/contact/contact_planes.h"
#include "kernels/fluid/boundary_particles.h"
#include "kernels/math/smoothing_kernel.h"

namespace coalesce {

// Contribution of walls to the volume fraction of a liquid.
//
// Wall term: the part of the support behind a contact plane counts as filled. Several walls combine as
// 1 − Π(1 − Φ_k), which is exact in a right-angled corner. For a lattice flush with a wall, φ
// differs from 1 by the difference between sum and integral; the material's wallShift (about
// 0.16 d) removes it, so a tank starts at rest.
//
// Boundary particles: Φ is a sum over samples, see boundary_particles.h. The samples of all shapes
// add up, and combine with the wall term of shapes that have none as above. Only shapes count with
// which the particle has a contact, and each sample belongs to the plane of its shape that is closest
// to it: there its share of the impulse is noted.
// kSampled: some shape has samples. Without them the kernel takes half the registers.
template <bool kSampled>
struct FindWallDensity {
    Contacts contacts;
    View<const Vec4> xStar;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    BoundaryTables boundary;
    View<Vec4> wall;        // written: ∇φ_wall [1/m]; w: φ_wall
    View<float> steepness;  // written, by contact: its part of ∇φ_wall is −steepness (1 − φ_wall) n [1/m]
    View<Vec3> sampled;   // written with kSampled, by contact: part of ∇φ_wall by samples [1/m]
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
                if (isSampled(k) || repeats(begin, k)) continue;
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
        float rising = rate * (1 - sum.w) * advancing;  // dφ_wall/dt by the motion of the walls [1/s]
        if constexpr (kSampled)
            if (begin < end && share > 0 && m.fluid) addSamples(begin, end, xyz(xStar[i]), m, sum, rising);
        wall[i] = sum;
        if (closing.size > 0) closing[i] = rising;
    }

private:
    HD uint32_t shapeOf(uint32_t k) const { return contacts.shape[k] & ~kLowered; }
    HD bool isSampled(uint32_t k) const { return kSampled && boundary.has(shapeOf(k)); }

    // an earlier plane already covers the space behind this one: a floor and the bottom of a tank, adjacent
    // slabs
    HD bool repeats(uint32_t begin, uint32_t k) const {
        for (uint32_t other = begin; other < k; ++other)
            if (dot(xyz(contacts.planes[other]), xyz(contacts.planes[k])) > 0.99f && !isSampled(other))
                return true;
        return false;
    }

    // Adds boundary particles to the wall term in sum: φ = Φ_boundary + (1 − Φ_boundary) Φ_term.
    HD void addSamples(uint32_t begin, uint32_t end, Vec3 x, const MaterialConstants& m, Vec4& sum,
                       float& rising) const {
        const float radius = 0.5f * m.spacing, openOfTerm = 1 - sum.w;
        const float scale = share * halfSpaceShare((radius + m.wallShift) / m.support) /
                            (boundary.thickness * halfSpaceSlope(m.support, radius / m.support));
        Vec3 gradient{0, 0, 0};
        float hidden = 0, advancing = 0;
        for (uint32_t k = begin; k < end;) {
            uint32_t last = k + 1;  // the contacts with one shape follow each other
            while (last < end && shapeOf(last) == shapeOf(k)) ++last;
            if (isSampled(k))
                addShape(k, last, x, m, scale, openOfTerm, gradient, hidden, advancing);
            else
                for (uint32_t other = k; other < last; ++other) sampled[other] = {0, 0, 0};
            k = last;
        }
        const float open = max(1 - hidden, 0.0f);
        if (open == 0)
            for (uint32_t k = begin; k < end; ++k) steepness[k] = 0;
        sum = vec4(open * xyz(sum) + openOfTerm * gradient, hidden + open * sum.w);
        rising = open * rising + rate * openOfTerm * advancing;
    }

    HD void addShape(uint32_t begin, uint32_t end, Vec3 x, const MaterialConstants& m, float scale,
                     float openOfTerm, Vec3& gradient, float& hidden, float& advancing) const {
        const ShapeState& shape = contacts.shapeOf(begin);
        const ShapePose& pose = closing.size > 0 && atStart ? shape.previous : shape.present;
        const Smoothing kernel = smoothing(m.support);
        for (uint32_t k = begin; k < end; ++k) sampled[k] = {0, 0, 0};
        Vec3 ofFirst{0, 0, 0};  // the first contact, often the only one
        forEachSample(boundary, shapeOf(begin), toShape(pose, x), m.support,
                      [&](uint32_t b, const Vec3& d, float r2) {
                          const PairWeight<float> w = spiky(kernel, r2);
                          const float volume = scale * boundary.volumes[b], slope = volume * w.slope;
                          const Vec3 part = -slope * d;  // in the frame of the shape
                          hidden += volume * w.weight;
                          uint32_t k = begin;
                          if (end - begin > 1)
                              k = closestPlane(begin, end, toWorld(shape.present, boundary.samples[b]),
                                               0.5f * m.spacing);
                          if (k == begin)
                              ofFirst += part;
                          else
                              sampled[k] += part;
                          if (closing.size > 0)
                              advancing -= dot(rotate(pose.rotation, part), wayOf(shape, b));
                      });
        sampled[begin] = ofFirst;
        for (uint32_t k = begin; k < end; ++k) {
            const Vec3 part = rotate(pose.rotation, sampled[k]);
            gradient += part;
            sampled[k] = openOfTerm * part;
        }
    }

    // [m] of a sample in this substep
    HD Vec3 wayOf(const ShapeState& shape, uint32_t b) const {
        return toWorld(shape.present, boundary.samples[b]) - toWorld(shape.previous, boundary.samples[b]);
    }

    HD uint32_t closestPlane(uint32_t begin, uint32_t end, Vec3 at, float radius) const {
        uint32_t closest = begin;
        float least = 1e30f;
        for (uint32_t k = begin; k < end; ++k) {
            const float away = fabsf(dot(xyz(contacts.planes[k]), at) - contacts.planes[k].w + radius);
            if (away < least) least = away, closest = k;
        }
        return closest;
    }
};

}  // namespace coalesce
