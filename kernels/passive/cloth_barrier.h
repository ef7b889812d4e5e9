// Cloth lets no spray, foam, bubbles and smoke pass: the path of each particle in a frame against the motion of the
// triangles. Each particle writes only its own elements.
#pragma once

#include "kernels/cloth/distance_constraint.h"
#include "kernels/math/atomics.h"
#include "kernels/passive/passive_particle.h"
#include "kernels/search/bvh.h"
#include "kernels/solid/gather_rows.h"

namespace coalesce {

// Positions of a frame's start from those of its end, at the velocities of the end.
struct MoveRowsBack {
    View<const uint32_t> slotOf;
    View<const Vec4> v;
    View<const Vec4> end;  // [m] of GatherRows
    View<Vec4> start;      // written
    float dt;              // [s] of the frame
    HD void operator()(int row) const {
        const Vec4 x = end[row];
        start[row] = x.w == kAbsent ? x : vec4(fma(-dt, xyz(v[slotOf[row]]), xyz(x)), x.w);
    }
};

// The triangles of cloth at the start of a frame and at its end.
struct ClothMotion {
    View<const ClothTriangle> triangles;
    View<const Vec4> start, end;  // [m] of GatherRows

    struct Triangle {
        Vec3 start[3], end[3];
    };
    // false: it is cut, or lacks a corner
    HD bool find(int k, Triangle& found) const {
        const ClothTriangle t = triangles[k];
        if ((t.material & kCut) != 0) return false;
        const uint32_t rows[3] = {t.a, t.b, t.c};
        bool whole = true;
        for (int corner = 0; corner < 3; ++corner) {
            const Vec4 a = start[rows[corner]], b = end[rows[corner]];
            whole = whole && a.w != kAbsent && b.w != kAbsent;
            found.start[corner] = xyz(a), found.end[corner] = xyz(b);
        }
        return whole;
    }
};

// Bounds of the motion of triangles, in levels: each node of the lowest has kBoundTogether consecutive triangles, which
// are near one another in a sheet, each node of a higher level as many of the level below. All of the highest are tested,
// one for each 4,096 triangles: particles around a cloth of 1,000, 80,000 and 320,000 triangles, of which one in
// twenty touches it, take one core 0.3, 0.4 and 0.9 µs each; with two levels 0.3, 0.8 and 8 µs.
constexpr int kBoundTogether = 16;
constexpr int kBoundLevels = 3;
constexpr Bounds kNoBounds{{1e30f, 1e30f, 1e30f}, {-1e30f, -1e30f, -1e30f}};

struct BoundTriangles {
    ClothMotion cloth;
    View<Bounds> nodes;  // of the lowest level, written
    HD void operator()(int node) const {
        Bounds all = kNoBounds;
        for (int k = kBoundTogether * node; k < kBoundTogether * (node + 1); ++k) {
            ClothMotion::Triangle t;
            if (k >= static_cast<int>(cloth.triangles.size) || !cloth.find(k, t)) continue;
            for (int corner = 0; corner < 3; ++corner) {
                all.low = min(all.low, min(t.start[corner], t.end[corner]));
                all.high = max(all.high, max(t.start[corner], t.end[corner]));
            }
        }
        nodes[node] = all;
    }
};

struct BoundNodes {
    View<const Bounds> below;
    View<Bounds> nodes;  // written
    HD void operator()(int node) const {
        Bounds all = kNoBounds;
        for (int k = kBoundTogether * node; k < kBoundTogether * (node + 1); ++k) {
            if (k >= static_cast<int>(below.size)) break;
            all = {min(all.low, below[k].low), max(all.high, below[k].high)};
        }
        nodes[node] = all;
    }
};

// Keeps each particle on the side of every triangle where it was at the start of the frame, a distance r = d/10 away
// from it, as from shapes. With the signed distances s₀ from the triangle at the start of the frame and s₁ at its
// end it meets the plane after the share |s₀|/(|s₀| + |s₁|) of the frame; where it is then in the triangle, its end
// moves along the normal, and the velocity into the cloth is taken away. What is pushed through another triangle
// of a fold is corrected again.
struct KeepOffCloth {
    ClothMotion cloth;
    View<const Bounds> bounds[kBoundLevels];  // from the lowest level on
    View<const Vec4> x;                       // [m] at the start of the frame
    View<const uint32_t> tag;
    View<const PassiveConstants> materials;
    View<Vec4> xNew, vNew;  // updated
    float dt;               // [s] of the frame

    HD void operator()(int i) const {
        const Vec3 from = xyz(x[i]);
        const Vec4 place = xNew[i], motion = vNew[i];
        Vec3 end = xyz(place), velocity = xyz(motion);
        const float radius = 0.1f * materials[materialOfTag(tag[i])].spacing;
        bool touches = true;
        for (int round = 0; touches && round < kRounds; ++round) {
            touches = false;
            forEachNear<kBoundLevels - 1>(boundsOfPath(from, end, radius), 0,
                                          static_cast<int>(bounds[kBoundLevels - 1].size),
                                          [&](int k) { touches |= keepOff(k, from, radius, end, velocity); });
        }
        xNew[i] = vec4(end, place.w);
        vNew[i] = vec4(velocity, motion.w);
    }

private:
    static constexpr int kRounds = 4;
    static constexpr float kRounding = 1e-4f;  // of the distance that is kept

    // The triangles below the nodes begin … end − 1 of a level whose bounds overlap.
    template <int level, class Visit>
    HD void forEachNear(const Bounds& here, int begin, int end, Visit&& visit) const {
        for (int n = begin; n < end; ++n) {
            if (!overlap(bounds[level][n], here)) continue;
            const int first = kBoundTogether * n, full = first + kBoundTogether;
            if constexpr (level > 0) {
                forEachNear<level - 1>(here, first, min(full, static_cast<int>(bounds[level - 1].size)),
                                       visit);
            } else {
                const int last = min(full, static_cast<int>(cloth.triangles.size));
                for (int k = first; k < last; ++k) visit(k);
            }
        }
    }

    // true: it was moved
    HD bool keepOff(int k, Vec3 from, float radius, Vec3& end, Vec3& velocity) const {
        ClothMotion::Triangle t;
        if (!cloth.find(k, t)) return false;
        // zero of a triangle that has shrunk to a line or a point, which stops nothing
        const auto normalOf = [](const Vec3* p) {
            return normalizeOr(cross(p[1] - p[0], p[2] - p[0]), {0, 0, 0});
        };
        const Vec3 normal = normalOf(t.end);
        if (dot(normal, normal) == 0 || dot(normalOf(t.start), normalOf(t.start)) == 0) return false;
        const float before = dot(normalOf(t.start), from - t.start[0]), after = dot(normal, end - t.end[0]);
        const float side = before < 0 ? -1.0f : 1.0f, gap = side * after;
        if (gap >= radius * (1 - kRounding)) return false;
        // the corners and the particle when it meets the plane; when it stays before it, at the end
        const float share = gap > 0 ? 1.0f : side * before / max(side * before - gap, 1e-30f);
        const Vec3 at = fma(share, end - from, from);
        Vec3 corner[3];
        for (int c = 0; c < 3; ++c) corner[c] = fma(share, t.end[c] - t.start[c], t.start[c]);
        const Vec3 facing = normalOf(corner);
        if (dot(facing, facing) == 0) return false;
        Vec3 ofCloth{0, 0, 0};  // [m/s] mean of the corners
        for (int c = 0; c < 3; ++c) {
            const Vec3 edge = corner[(c + 1) % 3] - corner[c];
            if (dot(facing, cross(edge, at - corner[c])) < -radius * length(edge)) return false;
            ofCloth += 1 / (3 * dt) * (t.end[c] - t.start[c]);
        }
        end = fma(side * (radius - gap), normal, end);
        const float into = min(side * dot(normal, velocity - ofCloth), 0.0f);
        velocity = fma(-side * into, normal, velocity);
        return true;
    }
};

}  // namespace coalesce
