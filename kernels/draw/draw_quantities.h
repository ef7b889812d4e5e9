// Per-particle values for coloring, and contact lines.
#pragma once

#include "kernels/contact/contact_planes.h"
#include "kernels/math/atomics.h"
#include "kernels/math/view.h"
#include "kernels/search/neighbor_lists.h"

namespace coalesce {

struct WriteSpeed {
    View<const Vec4> v;  // [m/s]
    View<float> value;   // [m/s] written
    HD void operator()(int i) const { value[i] = length(xyz(v[i])); }
};

// φ − 1: positive where the liquid is compressed, negative at the surface; 0 for solids
struct WriteDensityError {
    View<const Vec4> v;  // w of liquids: volume fraction φ
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<float> value;  // [-] written
    HD void operator()(int i) const { value[i] = materials[materialOf(phase[i])].fluid ? v[i].w - 1 : 0.0f; }
};

// Stack height of solids; 0 for liquids
struct WriteStackHeight {
    View<const Vec4> v;  // w of solids: stack height [m]
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<float> value;  // [m] written
    HD void operator()(int i) const { value[i] = materials[materialOf(phase[i])].fluid ? 0.0f : v[i].w; }
};

struct WriteNeighborCount {
    View<const int> count;
    View<float> value;  // [-] written
    HD void operator()(int i) const { value[i] = static_cast<float>(count[i]); }
};

// Above 2^24 adjacent ids share a float value; the color map could not distinguish them anyway.
struct WriteId {
    View<const uint32_t> id;
    View<float> value;  // [-] written
    HD void operator()(int i) const { value[i] = static_cast<float>(id[i]); }
};

// Group index.
struct WriteGroup {
    View<const uint32_t> phase;
    View<float> value;  // [-] written
    HD void operator()(int i) const { value[i] = static_cast<float>(groupOf(phase[i])); }
};

struct WriteAsleep {
    View<const uint32_t> phase;
    View<float> value;  // [-] written: 1 asleep, 0 awake
    HD void operator()(int i) const { value[i] = phase[i] & kAsleep ? 1.0f : 0.0f; }
};

// Signed distance of a particle to the surface of its body; 0 where undefined.
struct WriteSignedDistance {
    View<const uint32_t> id, phase;
    View<const GroupConstants> groups;
    View<const Vec4> bodySdf;  // by row: ∇φ, φ [m]
    View<float> value;         // [m] written
    HD void operator()(int i) const {
        const uint32_t row = rowOf(groups[groupOf(phase[i])], id[i]);
        value[i] = row != kNoRow && bodySdf[row].w < kNoSdf ? bodySdf[row].w : 0.0f;
    }
};

// Value of a particle attribute: a scalar, the length of a vector, or an integer (bits of an int32).
template <class T>
struct WriteAttribute {
    View<const T> carried;
    View<float> value;  // [unit of the attribute] written
    HD void operator()(int i) const {
        if constexpr (sizeof(T) == sizeof(Vec4))
            value[i] = length(xyz(carried[i]));
        else
            value[i] = number(carried[i]);
    }

private:
    static HD float number(float a) { return a; }
    static HD float number(uint32_t a) { return static_cast<float>(static_cast<int32_t>(a)); }
};

// Touching pairs by distance, with a tolerance of 5 % of the contact distance.
struct ContactQuery {
    View<const Vec4> x;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    NeighborLists lists;  // candidate pairs; empty: no pairs

    HD float radius(int i) const { return 0.5f * materials[materialOf(phase[i])].spacing; }
    // visit(j) for every particle that i touches
    template <class Visit>
    HD void forEachPair(int i, Visit&& visit) const {
        const int number = lists.count.size > 0 ? lists.count[i] : 0;
        for (int k = 0; k < number; ++k) {
            const int j = lists.at(k, i, true);
            const Vec3 d = xyz(x[j]) - xyz(x[i]);
            const float reach = 1.05f * (radius(i) + radius(j));
            if (dot(d, d) < reach * reach) visit(j);
        }
    }
    // visit(normal, gap) for every plane of a shape that i touches
    template <class Visit>
    HD void forEachPlane(const Contacts& contacts, int i, Visit&& visit) const {
        for (uint32_t k = contacts.begin(i); k < contacts.end(i); ++k) {
            const Vec4 plane = contacts.planes[k];
            const float gap = dot(xyz(plane), xyz(x[i])) - plane.w;
            if (gap < 0.1f * radius(i)) visit(xyz(plane), gap);
        }
    }
};

struct WriteContactCount {
    ContactQuery contactQuery;
    View<float> value;  // [-] written
    HD void operator()(int i) const {
        int found = 0;
        contactQuery.forEachPair(i, [&](int) { ++found; });
        value[i] = static_cast<float>(found);
    }
};

// Contact lines: each pair once, through both particles; each plane from the contact point into the particle.
// First all pairs, then all planes.
struct CountContactLines {
    ContactQuery contactQuery;
    Contacts contacts;
    View<uint32_t> pairs, planes;  // written
    HD void operator()(int i) const {
        uint32_t found = 0;
        contactQuery.forEachPair(i, [&](int j) { found += j > i; });
        pairs[i] = found;
        found = 0;
        contactQuery.forEachPlane(contacts, i, [&](Vec3, float) { ++found; });
        planes[i] = found;
    }
};

struct WriteContactLines {
    ContactQuery contactQuery;
    Contacts contacts;
    View<const uint32_t> pairStart, planeStart;  // n + 1
    View<Vec4> ends;                             // [m] two per line, written
    HD void operator()(int i) const {
        const Vec3 here = xyz(contactQuery.x[i]);
        uint32_t k = pairStart[i];
        contactQuery.forEachPair(i, [&](int j) {
            if (j < i) return;
            ends[2 * k] = vec4(here, 0.0f), ends[2 * k + 1] = vec4(xyz(contactQuery.x[j]), 0.0f);
            ++k;
        });
        k = pairStart[pairStart.size - 1] + planeStart[i];
        const float r = contactQuery.radius(i);
        contactQuery.forEachPlane(contacts, i, [&](Vec3 normal, float gap) {
            const Vec3 foot = here - (r + gap) * normal;
            ends[2 * k] = vec4(foot, 0.0f), ends[2 * k + 1] = vec4(foot + 3 * r * normal, 0.0f);
            ++k;
        });
    }
};

}  // namespace coalesce
