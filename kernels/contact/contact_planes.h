// Contact planes of particles at collision shapes, found once per substep; shape_contact_solve.h solves them
// in every iteration.
//
// The planes of particle i are contacts[start[i]] … contacts[start[i + 1] − 1], so memory is proportional to
// the number of contacts. Each particle writes only its own elements.
#pragma once

#include "kernels/math/atomics.h"
#include "kernels/math/view.h"
#include "kernels/particles/material_constants.h"
#include "kernels/particles/status_block.h"
#include "kernels/shapes/shape.h"

namespace coalesce {

constexpr uint32_t kLowered =
    1u << 31;  // flag in Contacts::shape: the particle started inside and is not pushed out

struct Contacts {
    View<const uint32_t> start;  // n + 1
    View<const Vec4> planes;     // unit normal, offset [m]: the center keeps dot(normal, x) ≥ offset
    View<const uint32_t> shape;  // which shape the plane belongs to, with kLowered
    View<const ShapeState> shapes;
    View<const Vec3> deformed{};  // see ContactPlane; empty: no shape deforms

    HD const ShapeState& shapeOf(uint32_t k) const { return shapes[shape[k] & ~kLowered]; }

    // World position, at the start of the substep, of the point of the shape that is now at p.
    HD Vec3 previousPosition(uint32_t k, Vec3 p) const {
        return coalesce::previousPosition(shapeOf(k), p, deformed.size > 0 ? deformed[k] : Vec3{0, 0, 0});
    }

    // planes of particle i; excludes those beyond the capacity
    HD uint32_t begin(int i) const { return lesserIndex(start[i]); }
    HD uint32_t end(int i) const { return lesserIndex(start[i + 1]); }

private:
    HD uint32_t lesserIndex(uint32_t k) const {
        return k < planes.size ? k : static_cast<uint32_t>(planes.size);
    }
};

// Finds the contact planes of a particle.
template <bool Forms>
struct ContactSearch {
    View<const Vec4> x, xStar;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<const GroupConstants> groups;
    ShapeSet shapes;
    float margin;                    // [-] search distance beyond contact, in radii
    bool allWalls;                   // density and adhesion at walls need every plane within the support
    bool planar;                     // particles keep their z
    View<const float> ballRadius{};  // [m] by slot, 0: half a spacing; empty: of all

    HD float radiusOf(int i, const MaterialConstants& m) const {
        return ballRadius.size > 0 && ballRadius[i] > 0 ? ballRadius[i] : 0.5f * m.spacing;
    }
    HD uint32_t collisionMaskOf(uint32_t phase) const { return groups[groupOf(phase)].collisionMask; }
    // visit(s) for the shapes that collide with this phase and whose box is within `reach` of the path from
    // start to `end`, at the value of `end` after the previous visit
    template <class Visit>
    HD void forEachShape(uint32_t phase, Vec3 start, const Vec3& end, float reach, Visit&& visit) const {
        const uint32_t collisionMask = collisionMaskOf(phase);
        shapes.forEachNear([&] { return boundsOfPath(start, end, reach); },
                           [&](uint32_t s) {
                               if (shapes.states[s].collisionMask & collisionMask) visit(s);
                           });
    }
    template <class Add>
    HD void forEachPlane(int i, Add&& add) const {
        const MaterialConstants& m = materials[materialOf(phase[i])];
        const float radius = radiusOf(i, m);
        const float beyond = margin * (0.5f * m.spacing),
                    reach = max(beyond, allWalls && m.fluid ? m.support - radius : 0.0f);
        const Vec3 start = xyz(x[i]), end = xyz(xStar[i]);
        forEachShape(phase[i], start, end, radius + reach, [&](uint32_t s) {
            findPlanes<Forms>(shapes.states[s], shapes.tables, start, end, radius, beyond, reach,
                              [&](ContactPlane plane) {
                                  if (!planar || cut(plane, start.z)) add(plane, s);
                              });
        });
    }

private:
    // Replaces the plane by one parallel to z through its intersection with the particles' plane; false where
    // both are nearly parallel.
    HD static bool cut(ContactPlane& plane, float z) {
        const float across = sqrt(plane.normal.x * plane.normal.x + plane.normal.y * plane.normal.y);
        if (across < 0.1f) return false;
        plane.offset = (plane.offset - plane.normal.z * z) / across;
        plane.normal = {plane.normal.x / across, plane.normal.y / across, 0};
        return true;
    }
};

// The first planes of each particle, kept from counting to writing: saves the second
// search, which is slow around triangle meshes.
struct KeptPlanes {
    static constexpr uint32_t kEach = 8;  // planes
    View<Vec4> planes;                    // kEach for each particle; empty: none are kept
    View<uint32_t> shape;

    HD bool hold(uint32_t count) const { return planes.size > 0 && count <= kEach; }
    HD size_t place(int i, uint32_t k) const { return size_t(i) * kEach + k; }
};

template <bool Forms>
struct CountContacts {
    ContactSearch<Forms> search;
    View<uint32_t> count;  // written
    KeptPlanes kept;       // written
    HD void operator()(int i) const {
        uint32_t found = 0;
        search.forEachPlane(i, [&](ContactPlane plane, uint32_t s) {
            if (kept.hold(found + 1)) {
                kept.planes[kept.place(i, found)] = vec4(plane.normal, plane.offset);
                kept.shape[kept.place(i, found)] = s;
            }
            ++found;
        });
        count[i] = found;
    }
};

template <bool Forms>
struct WriteContacts {
    ContactSearch<Forms> search;
    View<const uint32_t> start;
    View<Vec4> planes;              // written
    View<uint32_t> shape;           // written
    View<Vec3> accumulatedImpulse;  // cleared
    View<Vec3> deformed;            // written; empty: no shape deforms
    KeptPlanes kept;                // only where no shape deforms
    StatusBlock* status;
    int64_t particles;
    HD void operator()(int i) const {
        uint32_t k = start[i];
        const uint32_t count = start[i + 1] - k;
        if (kept.hold(count)) {
            for (uint32_t j = 0; j < count; ++j, ++k)
                if (k < planes.size) write(k, kept.planes[kept.place(i, j)], kept.shape[kept.place(i, j)]);
        } else {
            search.forEachPlane(i, [&](ContactPlane plane, uint32_t s) {
                if (k < planes.size) {
                    write(k, vec4(plane.normal, plane.offset), s);
                    if (Forms && deformed.size > 0) deformed[k] = plane.deformed;
                }
                ++k;
            });
        }
        if (i + 1 == particles) {
            atomicMax(&status->requiredContacts, k);
            if (k > planes.size) atomicOr(&status->flags, kContactOverflow);
        }
    }

private:
    HD void write(uint32_t k, Vec4 plane, uint32_t s) const {
        planes[k] = plane, shape[k] = s, accumulatedImpulse[k] = {0, 0, 0};
    }
};

}  // namespace coalesce
