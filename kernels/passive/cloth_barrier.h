// Cloth lets no spray, foam, bubbles and smoke pass: the path of each particle in a frame against the motion of the
// triangles. Each particle writes only its own elements.
#pragma once

#include "kernels/cloth/distance_constraint.h"
#include "kernels/math/atomics.h"
#include "kernels/passive/passive_particle.h"
#include "kernels/search/bvh.h"

namespace coalesce {

// The particles of cloth by row.
struct GatherClothRows {
    View<const uint32_t> slotOf;  // by row; kNoSlot: not alive
    View<const Vec4> x, v;
    View<Vec4> position;  // [m] written; w: 1 where there is a particle
    float secondsAgo;     // [s] the position this long ago, at the present velocity
    HD void operator()(int row) const {
        const uint32_t slot = slotOf[row];
        position[row] =
            slot == kNoSlot ? Vec4{0, 0, 0, 0} : vec4(fma(-secondsAgo, xyz(v[slot]), xyz(x[slot])), 1.0f);
    }
};

// The triangles of cloth at the start of a frame and at its end.
struct ClothMotion {
    View<const ClothTriangle> triangles;
    View<const Vec4> start, end;  // [m] of GatherClothRows

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
            whole = whole && a.w != 0 && b.w != 0;
            found.start[corner] = xyz(a), found.end[corner] = xyz(b);
        }
        return whole;
    }
};

// Bounds of the motion of triangles in two levels: of kBoundTogether consecutive triangles, which are near one another
// in a sheet, and of as many such groups.
constexpr int kBoundTogether = 16;
constexpr Bounds kNoBounds{{1e30f, 1e30f, 1e30f}, {-1e30f, -1e30f, -1e30f}};

struct BoundTriangles {
    ClothMotion cloth;
    View<Bounds> groups;  // written
    HD void operator()(int group) const {
        Bounds all = kNoBounds;
        for (int k = kBoundTogether * group; k < kBoundTogether * (group + 1); ++k) {
            ClothMotion::Triangle t;
            if (k >= static_cast<int>(cloth.triangles.size) || !cloth.find(k, t)) continue;
            for (int corner = 0; corner < 3; ++corner) {
                all.low = min(all.low, min(t.start[corner], t.end[corner]));
                all.high = max(all.high, max(t.start[corner], t.end[corner]));
            }
        }
        groups[group] = all;
    }
};

struct BoundGroups {
    View<const Bounds> groups;
    View<Bounds> sections;  // written
    HD void operator()(int section) const {
        Bounds all = kNoBounds;
        for (int k = kBoundTogether * section; k < kBoundTogether * (section + 1); ++k) {
            if (k >= static_cast<int>(groups.size)) break;
            all = {min(all.low, groups[k].low), max(all.high, groups[k].high)};
        }
        sections[section] = all;
    }
};

// Keeps each particle on the side of every triangle where it was at the start of the frame, a distance r = d/10 away
// from it, as from shapes. With the signed distances s₀ from the triangle at the start of the frame and s₁ at its
// end it meets the plane after the share |s₀|/(|s₀| + |s₁|) of the frame; where it is then in the triangle, its end
// moves along the normal, and the velocity into the cloth is taken away. What is pushed through another triangle
// of a fold is corrected again.
struct KeepOffCloth {
    ClothMotion cloth;
    View<const Bounds> groups, sections;
    View<const Vec4> x;  // [m] at the start of the frame
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
            forEachNear(boundsOfPath(from, end, radius),
                        [&](int k) { touches |= keepOff(k, from, radius, end, velocity); });
        }
        xNew[i] = vec4(end, place.w);
        vNew[i] = vec4(velocity, motion.w);
    }

private:
    static constexpr int kRounds = 4;
    static constexpr float kRounding = 1e-4f;  // of the distance that is kept

    template <class Visit>
    HD void forEachNear(const Bounds& here, Visit&& visit) const {
        const int triangles = static_cast<int>(cloth.triangles.size), count = static_cast<int>(groups.size);
        for (int s = 0; s < static_cast<int>(sections.size); ++s) {
            if (!overlap(sections[s], here)) continue;
            for (int g = kBoundTogether * s; g < kBoundTogether * (s + 1) && g < count; ++g) {
                if (!overlap(groups[g], here)) continue;
                for (int k = kBoundTogether * g; k < kBoundTogether * (g + 1) && k < triangles; ++k) visit(k);
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
