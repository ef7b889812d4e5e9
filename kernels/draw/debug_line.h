// Lines of debug views: two elements per line, xyz: end point [m], w: value for the color map. Each kernel
// writes the lines of one element; elements without lines write lines of length zero.
#pragma once

#include "kernels/cloth/strain.h"
#include "kernels/draw/cloth_shell.h"
#include "kernels/draw/draw_quantities.h"
#include "kernels/math/atomics.h"
#include "kernels/search/grid.h"
#include "kernels/solid/cluster.h"

namespace coalesce {

HD void writeLine(View<Vec4> ends, uint32_t line, Vec3 from, Vec3 to, float value = 0) {
    ends[2 * line] = vec4(from, value), ends[2 * line + 1] = vec4(to, value);
}

// Two unit tangents that complete a unit normal to a right-handed frame.
HD void tangentsOf(Vec3 n, Vec3& a, Vec3& b) {
    const Vec3 aside = n.x * n.x < 0.5f ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    a = normalizeOr(cross(n, aside), Vec3{1, 0, 0});
    b = cross(n, a);
}

// Contact normals of fixed length: for a pair from its midpoint towards the particle of higher slot, for a
// plane from the contact point. Same order as contact lines.
struct WriteContactNormals {
    ContactQuery contactQuery;
    Contacts contacts;
    View<const uint32_t> pairStart, planeStart;  // n + 1
    float length;                                // [m]
    View<Vec4> ends;                             // written
    HD void operator()(int i) const {
        const Vec3 here = xyz(contactQuery.x[i]);
        uint32_t k = pairStart[i];
        contactQuery.forEachPair(i, [&](int j) {
            if (j < i) return;
            const Vec3 there = xyz(contactQuery.x[j]), middle = 0.5f * (here + there);
            writeLine(ends, k++, middle, middle + length * normalizeOr(there - here, Vec3{0, 0, 0}));
        });
        k = pairStart[pairStart.size - 1] + planeStart[i];
        contactQuery.forEachPlane(contacts, i, [&](Vec3 normal, float gap) {
            const Vec3 foot = here - (contactQuery.radius(i) + gap) * normal;
            writeLine(ends, k++, foot, foot + length * normal);
        });
    }
};

// A square in the plane of each shape contact, as wide as the particle.
struct WriteContactPlanes {
    ContactQuery contactQuery;
    Contacts contacts;
    View<const uint32_t> planeStart;  // n + 1
    View<Vec4> ends;                  // four lines per plane; written
    HD void operator()(int i) const {
        const Vec3 here = xyz(contactQuery.x[i]);
        const float r = contactQuery.radius(i);
        uint32_t k = 4 * planeStart[i];
        contactQuery.forEachPlane(contacts, i, [&](Vec3 normal, float gap) {
            const Vec3 foot = here - (r + gap) * normal;
            Vec3 a, b;
            tangentsOf(normal, a, b);
            const Vec3 corner[4] = {foot + r * (a + b), foot + r * (b - a), foot - r * (a + b),
                                    foot + r * (a - b)};
            for (int c = 0; c < 4; ++c) writeLine(ends, k++, corner[c], corner[(c + 1) % 4]);
        });
    }
};

// A velocity arrow for every particle whose id is a multiple of `every`, so that an arrow follows its
// particle.
struct CountArrows {
    View<const uint32_t> id;
    uint32_t every;
    View<uint32_t> count;  // written
    HD void operator()(int i) const { count[i] = id[i] % every == 0; }
};
constexpr uint32_t kArrowLines = 3;
struct WriteArrows {
    View<const Vec4> x, v;
    View<const uint32_t> start;  // n + 1
    float seconds;               // [s] arrow length = displacement in this time
    View<Vec4> ends;             // kArrowLines per arrow, w: speed [m/s]; written
    View<int32_t> fastest;       // 1 element: orderedBits of the largest speed [m/s]
    HD void operator()(int i) const {
        if (start[i] == start[i + 1]) return;
        const uint32_t k = kArrowLines * start[i];
        const Vec3 from = xyz(x[i]), way = seconds * xyz(v[i]), tip = from + way;
        const float speed = length(xyz(v[i]));
        Vec3 a, b;
        tangentsOf(normalizeOr(way, Vec3{0, 1, 0}), a, b);
        const float size = length(way);
        writeLine(ends, k, from, tip, speed);
        writeLine(ends, k + 1, tip, tip - 0.25f * way + 0.1f * size * a, speed);
        writeLine(ends, k + 2, tip, tip - 0.25f * way - 0.1f * size * a, speed);
        if (isFinite(speed)) atomicMax(&fastest[0], orderedBits(asInt(speed)));
    }
};

// The axes of each cluster: first all x axes, then y, then z.
struct WriteFrames {
    View<const ClusterPose> pose;
    float length;     // [m]
    View<Vec4> ends;  // written
    HD void operator()(int i) const {
        const ClusterPose p = pose[i];
        const Vec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        const auto clusters = static_cast<uint32_t>(pose.size);
        for (uint32_t k = 0; k < 3; ++k)
            writeLine(ends, k * clusters + static_cast<uint32_t>(i), p.center,
                      p.center + (p.mass > 0 ? length : 0.0f) * rotate(p.rotation, axis[k]));
    }
};

// The normal of each drawn cloth triangle, at its centroid.
struct WriteTriangleNormals {
    View<const uint32_t> corners;  // three per triangle, see clothCorner
    View<const Vec4> position;     // [m]; w: 0 without a particle
    float length;                  // [m]
    View<Vec4> ends;               // written
    HD void operator()(int i) const {
        const Vec4 a = position[vertexOfClothCorner(corners[3 * i])],
                   b = position[vertexOfClothCorner(corners[3 * i + 1])],
                   c = position[vertexOfClothCorner(corners[3 * i + 2])];
        const bool there = a.w > 0 && b.w > 0 && c.w > 0;
        const Vec3 middle = 1 / 3.0f * (xyz(a) + xyz(b) + xyz(c));
        const Vec3 normal = normalizeOr(cross(xyz(b) - xyz(a), xyz(c) - xyz(a)), Vec3{0, 0, 0});
        writeLine(ends, static_cast<uint32_t>(i), middle, middle + (there ? length : 0.0f) * normal);
    }
};

// Occupied cells of the grid. Particles are stored cell by cell, so a cell begins where it differs from that
// of the previous particle; particles that have left their cell since draw their new cell again.
struct CountCells {
    View<const Vec4> x;
    float inverseCell;     // [1/m]
    View<uint32_t> count;  // written
    HD void cellOf(int i, int (&cell)[3]) const {
        cell[0] = cellCoordinate(x[i].x, inverseCell);
        cell[1] = cellCoordinate(x[i].y, inverseCell);
        cell[2] = cellCoordinate(x[i].z, inverseCell);
    }
    HD void operator()(int i) const {
        int mine[3], last[3];
        cellOf(i, mine);
        cellOf(i == 0 ? 0 : i - 1, last);
        count[i] = i == 0 || mine[0] != last[0] || mine[1] != last[1] || mine[2] != last[2];
    }
};
constexpr uint32_t kCellLines = 12;
struct WriteCells {
    CountCells cells;
    View<const uint32_t> start;  // n + 1
    float cell;                  // [m]
    View<Vec4> ends;             // kCellLines per cell; written
    HD void operator()(int i) const {
        if (start[i] == start[i + 1]) return;
        int c[3];
        cells.cellOf(i, c);
        const Vec3 low =
            cell * Vec3{static_cast<float>(c[0]), static_cast<float>(c[1]), static_cast<float>(c[2])};
        uint32_t k = kCellLines * start[i];
        for (int side = 0; side < 4; ++side) {
            const float p = side & 1 ? cell : 0.0f, q = side & 2 ? cell : 0.0f;
            writeLine(ends, k++, low + Vec3{0, p, q}, low + Vec3{cell, p, q});
            writeLine(ends, k++, low + Vec3{p, 0, q}, low + Vec3{p, cell, q});
            writeLine(ends, k++, low + Vec3{p, q, 0}, low + Vec3{p, q, cell});
        }
    }
};

// The slot of the particle with a given id.
struct FindSlot {
    View<const uint32_t> id;
    uint32_t wanted;
    View<uint32_t> slot;  // 1 element, written if the particle is alive
    HD void operator()(int i) const {
        if (id[i] == wanted) slot[0] = static_cast<uint32_t>(i);
    }
};

// Number of particles and of shape planes that one particle touches.
struct CountContactsOf {
    ContactQuery contactQuery;
    Contacts contacts;
    int slot;
    View<int32_t> number;  // 2 elements, written: particles, planes
    HD void operator()(int) const {
        int pairs = 0, planes = 0;
        contactQuery.forEachPair(slot, [&](int) { ++pairs; });
        if (contacts.start.size > 0)
            contactQuery.forEachPlane(contacts, slot, [&](Vec3, float) { ++planes; });
        number[0] = pairs, number[1] = planes;
    }
};

// Lines from one particle to each of its listed neighbors; w of the second end: radius d/2 of a sphere to
// draw there. The last line is the particle itself.
struct WriteNeighborLines {
    View<const Vec4> x;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    NeighborLists lists;
    int of;           // slot
    View<Vec4> ends;  // one line more than the list has entries; written
    HD void operator()(int k) const {
        const int j = k + 1 < static_cast<int>(ends.size / 2) ? lists.at(k, of, true) : of;
        writeLine(ends, static_cast<uint32_t>(k), xyz(x[of]), xyz(x[j]));
        ends[2 * k + 1].w = 0.5f * materials[materialOf(phase[j])].spacing;
    }
};

// Springs, colored by the batch in which they are solved.
struct WriteBatchLines {
    SpringEnds springs;
    View<const uint32_t> shown;  // indices of springs
    View<const uint32_t> batch;  // by spring
    View<Vec4> ends;             // w: batch index; written
    HD void operator()(int i) const {
        const DistanceConstraint s = springs.springs[shown[i]];
        ends[2 * i] = ends[2 * i + 1] = Vec4{0, 0, 0, 0};
        if (!springs.isAlive(s)) return;
        writeLine(ends, static_cast<uint32_t>(i), xyz(springs.x[springs.slotOf[s.a]]),
                  xyz(springs.x[springs.slotOf[s.b]]), static_cast<float>(batch[shown[i]]));
    }
};

}  // namespace coalesce
