// Birth of spray, foam and bubbles: potentials of every liquid particle, their number, their places.
// [IAAT12] 3.1
//
//     trapped air  I_ta = Σ_j V_j W_ij |v_ij| (1 − v̂_ij·x̂_ij)                        v_ij = v_i − v_j
//     wave crest   I_wc = Σ_j V_j W_ij (1 − n̂_i·n̂_j)   over x̂_ji·n̂_i < 0, if v̂_i·n̂_i ≥ 0.6
//     vorticity    I_vo = h |ω_i|
//     energy       E_k  = ½ v_i²
//     number       n = Φ(E_k) (k_ta Φ(I_ta) + k_wc Φ(I_wc) + k_vo Φ(I_vo)) dt
//
// [IAAT12] weighs by 1 − r/h, so that its potentials grow with the number of neighbors, and its energy with
// the mass. With V_j W_ij the sums are means over the neighborhood, with units, and mean the same at every
// resolution. All of it follows from positions and velocities at the end of the frame, as a cache stores them, so that the
// frames of a cache make the same foam. Gathers in the order of cells. Random numbers are hashes of id and frame.
#pragma once

#include "kernels/fluid/pair_traits.h"
#include "kernels/motion/force_field.h"
#include "kernels/passive/fluid_grid.h"
#include "kernels/passive/passive_particle.h"
#include "kernels/shapes/shape.h"

namespace coalesce {

// Φ of [IAAT12] eq. 1: 0 up to `least`, 1 from `full` on.
HD float ramp(float value, float least, float full) {
    return (clamp(value, least, full) - least) / (full - least);
}

// Uniform in [0, 1), of 24 bits. One value for every particle, frame, and use.
HD float uniform(uint32_t id, uint32_t frame, uint32_t use) {
    return toFloat(static_cast<int>(scramble(scramble(scramble(id) ^ frame) ^ use) >> 8)) * 0x1p-24f;
}

// Largest number of foam particles, and of markers, that a particle makes in a frame: the sum of both over all particles
// fits into 32 bits.
HD float mostBirths(size_t particles) {
    const size_t most = 0xffffffffu / 2 / (particles > 0 ? particles : 1);
    return static_cast<float>(most < 10'000 ? most : 10'000);
}

constexpr float kFreeSurface = 0.5f;  // |∇φ| h above which a particle is at the surface; 1.5 at a flat one

// Sums over the neighbors of particles whose energy can make anything. Slower ones have none, and so no normal: they are
// no part of a wave crest, and water at rest costs nothing. By sorted position, from what the end of a frame holds.
template <bool Uniform>
struct FindFoamPotentials {
    FluidGrid grid;  // of all particles, also of those that are not liquid
    PairTraits<Uniform> pairs;
    float widest;          // [m] h of the widest material
    View<Vec4> potential;  // written: Σ_j V_j ∇_iW_ij [1/m]; w: I_ta [m/s]
    View<float> swirl;     // [1/s] written: |ω_i|, see FindVorticity; empty: no liquid uses it
    float leastEnergy;     // [m²/s²] of ½ v², in all liquids

    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const Vec4T<R> motion = grid.v[i];
        const Vec3T<R> xi{grid.x[i], grid.y[i], grid.z[i]}, vi = xyz(motion);
        const auto slot = slotAt(i);
        const auto mine = pairs.of(slot);
        const auto moves = (R(leastEnergy) < R(0.5f) * dot(vi, vi)) & (R(0) < pairs.filled(slot));
        const R reach = R(0.5f) * (mine.support + R(widest));
        Vec3T<R> gradient{R(0), R(0), R(0)}, omega{R(0), R(0), R(0)};
        R trapped(0);
        grid.forEachWithin(xi, select(moves, reach, R(0)), [&] INLINED(uint32_t k, R r2, auto near) {
            const auto other = static_cast<int>(grid.source[k]);
            const auto theirs = pairs.of(other);
            const SmoothingT<R> kernel = pairs.pairKernel(mine.support, R(theirs.support));
            const PairWeight<R> w = spiky(kernel, r2);
            const Vec4 v = grid.v[k];
            const Vec3T<R> d{xi.x - R(grid.x[k]), xi.y - R(grid.y[k]), xi.z - R(grid.z[k])};
            const Vec3T<R> u{R(v.x) - vi.x, R(v.y) - vi.y, R(v.z) - vi.z};
            const R slope = select(near, R(theirs.volume) * w.slope, R(0));
            const Vec3T<R> part = slope * d;  // −V_j ∇W
            gradient -= part;
            if (0 < pairs.filled(other)) {  // only liquids trap air
                // |v_ij| (1 − v̂_ij·x̂_ij) = |u| + u·d/|d|, for u = −v_ij, d = x_ij and 1/|d| = (h/|d|)/h
                const R apart = w.inverseQ * sqrt(R(-2) * kernel.minusHalfOverH2);
                const R share = select(near, R(theirs.volume) * w.weight, R(0));
                trapped = fma(share, fma(dot(u, d), apart, sqrt(dot(u, u))), trapped);
            }
            if (swirl.size > 0) {
                omega.x = fma(u.y, part.z, fma(-u.z, part.y, omega.x));
                omega.y = fma(u.z, part.x, fma(-u.x, part.z, omega.y));
                omega.z = fma(u.x, part.y, fma(-u.y, part.x, omega.z));
            }
        });
        put(potential, i, vec4(gradient, trapped));
        if (swirl.size > 0) put(swirl, i, length(mine.gradientScale * omega));
    }

private:
    HD int slotAt(int i) const { return static_cast<int>(grid.source[i]); }
    HD LaneInt slotAt(LaneIndex i) const { return grid.source[i]; }
};

// Completes the gradients of what may be at a free surface by those of walls, and makes them normals. Each plane adds
// what those before it lack along its own normal: one wall given twice counts once, and those of a corner or a slit both;
// only a wall that is given again behind the facing one counts twice. Boundary particles count as their planes do. A
// launch of its own: with its registers the sums would be spilled.
struct FindSurfaceNormals {
    FluidGrid grid;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<const GroupConstants> groups;
    ShapeSet shapes;
    View<Vec4> potential;  // updated, see FindFoamPotentials: n̂ out of the liquid, 0 away from the surface
    float wallShare;       // fluid.wallDensity
    bool planar;

    HD void operator()(int i) const {
        const Vec4 found = potential[i];
        const uint32_t mine = phase[grid.source[i]];
        const MaterialConstants& m = materials[materialOf(mine)];
        const float least = kFreeSurface / m.support;
        Vec3 gradient = xyz(found);
        if (dot(gradient, gradient) > least * least) gradient = completed(i, mine, m, gradient);
        const float l2 = dot(gradient, gradient);
        const Vec3 normal = l2 > least * least ? -1 / sqrt(l2) * gradient : Vec3{0, 0, 0};
        potential[i] = vec4(normal, found.w);
    }

private:
    HD Vec3 completed(int i, uint32_t mine, const MaterialConstants& m, Vec3 gradient) const {
        const uint32_t mask = groups[groupOf(mine)].collisionMask;
        const Vec3 at{grid.x[i], grid.y[i], grid.z[i]};
        const float radius = 0.5f * m.spacing;
        Vec3 walls{0, 0, 0};
        shapes.forEachNear(
            [&] { return boundsOfPath(at, at, m.support); },
            [&](uint32_t s) {
                if (!(shapes.states[s].collisionMask & mask)) return;
                findPlanes<true>(shapes.states[s], shapes.tables, at, at, radius, 0.0f, m.support,
                                 [&](ContactPlane plane) {
                                     if (planar) plane.normal.z = 0;
                                     const float gap = dot(plane.normal, at) - plane.offset + radius;
                                     const float q = (gap + m.wallShift) / m.support;
                                     const float slope = wallShare * (planar ? halfPlaneSlope(m.support, q)
                                                                             : halfSpaceSlope(m.support, q));
                                     const float lack = slope + min(dot(walls, plane.normal), 0.0f);
                                     if (lack > 0) walls -= lack * plane.normal;
                                 });
            });
        return gradient + walls;
    }
};

// Number of passive particles that each liquid particle makes in this frame. By sorted position; for each slot.
template <bool Uniform>
struct CountBirths {
    FluidGrid grid;  // of all particles
    View<const uint32_t> id, phase;
    View<const Vec4> potential;  // of FindSurfaceNormals, by sorted position
    View<const float> swirl;     // [1/s] |ω|, by sorted position; empty: no liquid uses it
    PairTraits<Uniform> pairs;
    float widest;  // [m] h of the widest material
    View<const PassiveConstants> materials;
    View<uint32_t> births;  // written: of spray, foam and bubbles, by slot
    float most;             // see mostBirths
    float dt;               // [s] of the frame
    uint32_t frame;

    HD void operator()(int i) const {
        const uint32_t slot = grid.source[i];
        births[slot] = 0;
        const PassiveConstants& m = materials[materialOf(phase[slot])];
        if (!m.makesFoam()) return;
        const Vec3 vi = xyz(grid.v[i]);
        const float energy = ramp(0.5f * dot(vi, vi), m.leastEnergy, m.fullEnergy);
        if (energy == 0) return;
        float rate = m.trappedAir * ramp(potential[i].w, m.leastTrappedAir, m.fullTrappedAir);
        if (m.waveCrest > 0) rate += m.waveCrest * ramp(crest(i, vi), m.leastCrest, m.fullCrest);
        if (swirl.size > 0) rate += m.vorticity * ramp(m.support * swirl[i], m.leastSwirl, m.fullSwirl);
        // rounded up with the probability of the remainder
        const float wanted = min(energy * rate * dt, most);
        births[slot] = static_cast<uint32_t>(wanted + uniform(id[slot], frame, 0));
    }

private:
    static constexpr float kOutward = 0.6f;  // cosine of the angle between velocity and normal

    HD float crest(int i, Vec3 vi) const {
        const Vec3 n = xyz(potential[i]), at{grid.x[i], grid.y[i], grid.z[i]};
        // at the surface, and moving outward
        if (dot(n, n) == 0 || dot(vi, n) < kOutward * length(vi)) return 0;
        const auto mine = pairs.of(static_cast<int>(grid.source[i]));
        float sum = 0;
        grid.forEachWithin(at, 0.5f * (mine.support + widest), [&](uint32_t k, float r2, bool) {
            const Vec3 other = xyz(potential[k]), d = at - Vec3{grid.x[k], grid.y[k], grid.z[k]};
            // x_ji·n < 0: below the tangent plane; neighbors inside the liquid have no normal
            if (dot(other, other) == 0 || dot(d, n) <= 0) return;
            const auto theirs = pairs.of(static_cast<int>(grid.source[k]));
            const Smoothing kernel = pairs.pairKernel(mine.support, theirs.support);
            sum += theirs.volume * spiky(kernel, r2).weight * (1 - dot(n, other));
        });
        return sum;
    }
};

// Adds the markers that each particle, of any kind, makes in this frame.
struct CountMarkers {
    View<const uint32_t> id, phase;
    View<const PassiveConstants> materials;
    View<const uint32_t> foam;  // births of spray, foam and bubbles; empty: there are none
    View<uint32_t> births;      // written: all of them
    uint32_t newFrom;           // particles with ids from here on are new
    float most;                 // see mostBirths
    float dt;                   // [s] of the frame
    uint32_t frame;

    HD void operator()(int i) const {
        const PassiveConstants& m = materials[materialOf(phase[i])];
        const float wanted = min(m.smoke * dt + (id[i] < newFrom ? 0.0f : m.smokeSeeds), most);
        const uint32_t others = foam.size > 0 ? foam[i] : 0;
        births[i] = others + static_cast<uint32_t>(wanted + uniform(id[i], frame, 1u << 30));
    }
};

// Writes the new particles. Spray, foam and bubbles: evenly in a cylinder about the path of the liquid
// particle during the frame, which led through no shape; [IAAT12] 3.1 looks ahead:
//     x = x_i + r − s v_i,   v = v_i + c r,   |r| ≤ d/2,   0 ≤ s < dt
// Markers: evenly in the cube of side d about the particle, with its velocity.
struct WriteBirths {
    FluidSamples samples;
    View<const uint32_t> id, phase;
    FluidGrid grid;              // of liquids
    View<const uint32_t> foam;   // births of spray, foam and bubbles of each; the others are markers
    View<const uint32_t> first;  // index of the first birth of each liquid particle, among all
    View<const PassiveConstants> materials;
    View<Vec4> xNew, vNew;         // written
    View<uint32_t> idNew, tagNew;  // written
    uint32_t skip;                 // births without room: the first ones
    uint32_t at;                   // index where the first one that has room is written
    uint32_t firstId;
    float dt;  // [s] of the frame
    uint32_t frame;
    bool planar;

    HD void operator()(int i) const {
        const uint32_t foams = foam.size > 0 ? foam[i] : 0;
        const PassiveClass kind = foams > 0 ? classAt(i) : PassiveClass::spray;
        for (uint32_t k = first[i]; k < first[i + 1]; ++k) {
            if (k < skip) continue;
            const uint32_t to = at + (k - skip), nth = k - first[i];
            idNew[to] = firstId + k;
            if (nth < foams)
                writeFoam(i, to, 8 * nth + 1, kind);
            else
                writeMarker(i, to, 8 * nth + 1);
        }
    }

private:
    static constexpr float kSpread = 4;  // c [1/s]; [IAAT12] adds r itself

    // by the liquid around particle i, without itself
    HD PassiveClass classAt(int i) const {
        const PassiveConstants& m = materials[materialOf(phase[i])];
        float neighbors = -1;
        grid.forEachWithin(samples.positionOf(static_cast<uint32_t>(i)), m.support,
                           [&](uint32_t k, float, bool) {
                               if (grid.isGas.size == 0 || grid.isGas[k] == 0) ++neighbors;
                           });
        return m.classAt(neighbors);
    }

    HD void writeFoam(int i, uint32_t to, uint32_t use, PassiveClass kind) const {
        const auto random = [&](uint32_t n) { return uniform(id[i], frame, use + n); };
        const uint32_t material = materialOf(phase[i]);
        const PassiveConstants& m = materials[material];
        const Vec3 vi = samples.velocityOf(static_cast<uint32_t>(i)), along = normalizeOr(vi, {0, 1, 0});
        const Vec3 side = normalizeOr(cross(along, steep(along) ? Vec3{1, 0, 0} : Vec3{0, 1, 0}), {0, 0, 1});
        const Vec3 r = 0.5f * m.spacing * inDisc(random(0), random(1), side, cross(along, side));
        const Vec3 spread = planar ? Vec3{r.x, r.y, 0} : r;
        xNew[to] = vec4(xyz(samples.position[i]) + spread - random(2) * dt * vi, 0.0f);
        vNew[to] = vec4(fma(kSpread, spread, vi), m.life * (0.5f + random(3)));
        tagNew[to] = makeTag(kind, material);
    }

    HD void writeMarker(int i, uint32_t to, uint32_t use) const {
        const auto random = [&](uint32_t n) { return uniform(id[i], frame, use + n); };
        const uint32_t material = materialOf(phase[i]);
        const PassiveConstants& m = materials[material];
        const Vec3 r{random(0) - 0.5f, random(1) - 0.5f, planar ? 0.0f : random(2) - 0.5f};
        xNew[to] = vec4(fma(m.spacing, r, xyz(samples.position[i])), 0.0f);
        vNew[to] = vec4(samples.velocityOf(static_cast<uint32_t>(i)), m.smokeLife * (0.5f + random(3)));
        tagNew[to] = makeTag(PassiveClass::smoke, material);
    }

    HD static bool steep(Vec3 a) { return a.y > 0.9f || a.y < -0.9f; }

    // Maps the unit square to the unit disc, keeping areas, without trigonometry: concentric squares become
    // circles (Shirley, Chiu 1997), and sin and cos of the angle within ±π/4 are polynomials.
    HD static Vec3 inDisc(float u1, float u2, Vec3 e1, Vec3 e2) {
        const float a = 2 * u1 - 1, b = 2 * u2 - 1;
        const bool wide = a * a > b * b;
        const float r = wide ? a : b, q = r == 0 ? 0.0f : (wide ? b : a) / r;
        const float t = 0.25f * kPi * q, t2 = t * t;
        const float sine = t * fma(t2, fma(t2, 1.0f / 120, -1.0f / 6), 1.0f);
        const float cosine = fma(t2, fma(t2, fma(t2, -1.0f / 720, 1.0f / 24), -0.5f), 1.0f);
        return wide ? r * cosine * e1 + r * sine * e2 : r * sine * e1 + r * cosine * e2;
    }
};

}  // namespace coalesce
