// Render mesh of ropes: tubes along a Catmull-Rom curve through the particles, three rings per segment, eight
// corners per ring, flat caps half a thickness beyond the last particle. A rope tied to another body extends
// to the particle it is tied to.
//
// Frames (r, t × r) about the tangent t are rotation minimizing, by double reflection [WJZL08]: first in the
// plane that bisects the two centers, then in the one that maps the reflected tangent to the new one. One
// thread per rope computes the frames, then one thread per corner the vertices.
#pragma once

#include "kernels/math/vec.h"
#include "kernels/math/view.h"
#include "kernels/particles/material_constants.h"

namespace coalesce {

constexpr uint32_t kRopeRings = 3;  // per particle and segment to the next
constexpr uint32_t kRopeSides = 8;
constexpr uint32_t kRopeCorners = kRopeSides + 1;  // per ring; the last coincides with the first
constexpr uint32_t kRopeCapTriangles = kRopeSides - 2;
constexpr uint32_t kRopeTubeTriangles = kRopeRings * kRopeSides * 2;
constexpr uint32_t kRopeTriangles = kRopeTubeTriangles + kRopeCapTriangles;  // per particle

// Encoding of a corner of a drawn triangle: vertex << 1 | 1 if the triangle belongs to a cap.
HD uint32_t ropeCorner(uint32_t vertex, bool end) {
    return vertex << 1 | (end ? 1 : 0);
}

constexpr uint32_t kJoined = 1;   // a spring joins this point to the next
constexpr uint32_t kForeign = 2;  // particle of another body that the rope is tied to; has no tube of its own

// The particles of all ropes, rope by rope.
struct RopePoints {
    View<const uint32_t> row;     // by point
    View<const uint32_t> flags;   // by point: kJoined, kForeign
    View<const uint32_t> slotOf;  // by row; kNoSlot: not alive
    View<const Vec4> x;           // [m] by slot

    HD bool isAlive(uint32_t p) const { return slotOf[row[p]] != kNoSlot; }
    HD Vec3 place(uint32_t p) const { return xyz(x[slotOf[row[p]]]); }
    // whether there is a tube from p to p + 1
    HD bool goesOn(uint32_t p) const {
        return p + 1 < flags.size && (flags[p] & kJoined) && isAlive(p) && isAlive(p + 1);
    }
    HD bool comesFrom(uint32_t p) const { return p > 0 && goesOn(p - 1); }
    // whether p is an isolated particle, drawn as a piece as long as it is thick
    HD bool isLone(uint32_t p) const {
        return !(flags[p] & kForeign) && !comesFrom(p) && !goesOn(p) && isAlive(p);
    }
};

// Transports r from position x with tangent t to the next ring without twist.  [WJZL08] Table I
HD Vec3 carryFrame(Vec3 r, Vec3 x, Vec3 t, Vec3 nextX, Vec3 nextT) {
    const Vec3 v1 = nextX - x;
    const float c1 = dot(v1, v1);
    Vec3 rL = r, tL = t;
    if (c1 > 1e-12f) {
        rL -= (2 / c1 * dot(v1, r)) * v1;
        tL -= (2 / c1 * dot(v1, t)) * v1;
    }
    const Vec3 v2 = nextT - tL;
    const float c2 = dot(v2, v2);
    if (c2 > 1e-12f) rL -= (2 / c2 * dot(v2, rL)) * v2;
    // re-orthogonalize, so that rounding does not accumulate along a rope
    return normalizeOr(rL - dot(rL, nextT) * nextT, rL);
}

// The r of a first ring: a fixed direction across a fixed axis, rotated by the smallest rotation from that
// axis to t. Continuous in t except opposite the axis, which therefore is a direction that ropes rarely have.
HD Vec3 firstFrame(Vec3 t) {
    const Vec3 axis{0.48f, -0.64f, 0.6f}, across{0.8f, 0.6f, 0};
    const float c = 1 + dot(axis, t);
    return c > 1e-6f ? across - (dot(across, t) / c) * (axis + t) : across;
}

// Point and derivative of the Catmull-Rom curve between b and c, at parameter u in 0 … 1.
struct CurvePoint {
    Vec3 place, slope;
};
HD CurvePoint curveAt(Vec3 a, Vec3 b, Vec3 c, Vec3 d, float u) {
    const Vec3 k1 = c - a, k2 = 2.0f * a - 5.0f * b + 4.0f * c - d, k3 = 3.0f * (b - c) + d - a;
    return {b + 0.5f * u * (k1 + u * (k2 + u * k3)), 0.5f * (k1 + u * (2.0f * k2 + 3.0f * u * k3))};
}

// Centers and frames of the rings of a rope. Unused rings are zero.
struct ComputeRopeFrames {
    RopePoints points;
    View<const uint32_t> start;  // by rope: its first point; ropes + 1 elements
    View<const float> radius;    // [m] by rope
    View<Vec4> center, across,
        along;  // by ring: [m], w: radius [m]; unit r; unit t, w: points passed; written

    HD void operator()(int rope) const {
        Vec3 x{}, t{}, r{};  // of the previous ring
        const float size = radius[rope];
        for (uint32_t p = start[rope]; p < start[rope + 1]; ++p) {
            const bool from = points.comesFrom(p), on = points.goesOn(p), isLone = points.isLone(p);
            for (uint32_t k = 0; k < kRopeRings; ++k) {
                const uint32_t ring = kRopeRings * p + k;
                if (k > (on ? kRopeRings - 1 : isLone ? 1 : 0) || !(from || on || isLone)) {
                    center[ring] = across[ring] = along[ring] = Vec4{0, 0, 0, 0};
                    continue;
                }
                const float u = toFloat(static_cast<int>(k)) * (1.0f / kRopeRings);
                const CurvePoint at =
                    isLone ? CurvePoint{points.place(p), {0, 1, 0}} : pointOn(p, from, on, u);
                const Vec3 tangent = normalizeOr(at.slope, from || k > 0 ? t : Vec3{0, 1, 0});
                Vec3 place = at.place;
                if (k == 0 && !from) place -= size * tangent;
                if (k == (isLone ? 1u : 0u) && !on) place += size * tangent;
                r = k == 0 && !from ? firstFrame(tangent) : carryFrame(r, x, t, place, tangent);
                x = place, t = tangent;
                center[ring] = vec4(x, size);
                across[ring] = vec4(r, 0.0f);
                along[ring] = vec4(t, toFloat(static_cast<int>(p - start[rope])) + u);
            }
        }
    }

private:
    // Beyond an end the curve continues straight.
    HD CurvePoint pointOn(uint32_t p, bool from, bool on, float u) const {
        const Vec3 b = points.place(p);
        if (!on) return {b, b - points.place(p - 1)};
        const Vec3 c = points.place(p + 1);
        const Vec3 a = from ? points.place(p - 1) : 2.0f * b - c;
        const Vec3 d = points.goesOn(p + 1) ? points.place(p + 2) : 2.0f * c - b;
        return curveAt(a, b, c, d, u);
    }
};

// cos(2π k/8), exact or correctly rounded; k + 6 gives the sine.
HD float cosineOfEighths(uint32_t k) {
    const float size = k % 2 == 1 ? 0.70710678f : k % 4 == 0 ? 1.0f : 0.0f;
    return k % 8 < 3 || k % 8 > 5 ? size : -size;
}

// Corner k of a ring: center + radius (cos r + sin (t × r)).
struct ExtrudeRopes {
    View<const Vec4> center, across, along;  // by ring
    View<Vec4> vertex;  // two per corner: position [m], w: texture coordinate along the rope in points; unit
                        // normal, w: texture coordinate around the rope, 0 … 1; written
    HD void operator()(int i) const {
        const uint32_t ring = static_cast<uint32_t>(i) / kRopeCorners,
                       k = static_cast<uint32_t>(i) % kRopeCorners;
        const Vec3 r = xyz(across[ring]), t = xyz(along[ring]);
        const Vec3 out = cosineOfEighths(k) * r + cosineOfEighths(k + 6) * cross(t, r);
        vertex[2 * i] = vec4(fma(center[ring].w, out, xyz(center[ring])), along[ring].w);
        vertex[2 * i + 1] = vec4(out, toFloat(static_cast<int>(k)) * (1.0f / kRopeSides));
    }
};

// Index buffer of tubes and caps, kRopeTriangles per point; unused triangles are degenerate.
struct WriteRopeTriangles {
    RopePoints points;
    View<uint32_t> index;  // see ropeCorner; written

    HD void operator()(int i) const {
        const uint32_t p = static_cast<uint32_t>(i) / kRopeTriangles,
                       j = static_cast<uint32_t>(i) % kRopeTriangles;
        const bool from = points.comesFrom(p), on = points.goesOn(p), isLone = points.isLone(p);
        const uint32_t ring = kRopeRings * p, tube = on ? kRopeTubeTriangles : isLone ? 2 * kRopeSides : 0;
        View<uint32_t> out = index.subview(3 * static_cast<size_t>(i), 3);
        out[0] = out[1] = out[2] = 0;
        if (j < tube)
            takeSide(out, ring + j / (2 * kRopeSides), j % (2 * kRopeSides) / 2, j % 2 == 1);
        else if (isLone && j < tube + kRopeCapTriangles)
            takeEnd(out, ring + 1, j - tube, true);
        else if (j >= kRopeTubeTriangles && (from != on || isLone))
            takeEnd(out, ring, j - kRopeTubeTriangles, from);
    }

private:
    HD static uint32_t corner(uint32_t ring, uint32_t k, bool end) {
        return ropeCorner(kRopeCorners * ring + k, end);
    }
    // half of the quad between corner k of a ring and corner k + 1 of the next
    HD static void takeSide(View<uint32_t> out, uint32_t ring, uint32_t k, bool second) {
        out[0] = corner(ring, k, false);
        out[1] = second ? corner(ring + 1, k + 1, false) : corner(ring, k + 1, false);
        out[2] = second ? corner(ring + 1, k, false) : corner(ring + 1, k + 1, false);
    }
    HD static void takeEnd(View<uint32_t> out, uint32_t ring, uint32_t k, bool facesOn) {
        out[0] = corner(ring, 0, true);
        out[1] = corner(ring, facesOn ? k + 1 : k + 2, true);
        out[2] = corner(ring, facesOn ? k + 2 : k + 1, true);
    }
};

}  // namespace coalesce
