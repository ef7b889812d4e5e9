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
// resolution. Gathers in list order. Random numbers are hashes of id and frame.
#pragma once

#include "kernels/fluid/density_pairs.h"
#include "kernels/motion/force_field.h"
#include "kernels/passive/passive_particle.h"

namespace coalesce {

// Φ of [IAAT12] eq. 1: 0 up to `least`, 1 from `full` on.
HD float ramp(float value, float least, float full) {
    return (clamp(value, least, full) - least) / (full - least);
}

// Uniform in [0, 1), of 24 bits. One value for every particle, frame, and use.
HD float uniform(uint32_t id, uint32_t frame, uint32_t use) {
    return toFloat(static_cast<int>(scramble(scramble(scramble(id) ^ frame) ^ use) >> 8)) * 0x1p-24f;
}

constexpr float kFreeSurface = 0.5f;  // |∇φ| h above which a particle is at the surface; 1.5 at a flat one

// Surface normals, and the potentials of trapped air and vorticity, of particles whose energy can make anything.
// Slower ones have no normal, so they count as no part of a wave crest: water at rest costs nothing. Part of
// BlendVelocities, whose neighbors and velocities it shares, in the last pass of a frame.
struct FoamPotentials {
    View<Vec4> normal;  // written: unit, out of the liquid, 0 away from the surface; w: I_ta [m/s]
    View<float> swirl;  // [1/s] written: |ω_i|, see FindVorticity; empty: no liquid uses it
    float leastEnergy;  // [m²/s²] of ½ v², in all liquids; others make nothing, and have no normal

    // behindWall: ∇φ_wall; there is no free surface at walls. sumPairs(also) runs the loop that is shared, and
    // also(pair, W and slope, V_j W, v_j − v_i) for each neighbor.
    template <class I, class Vec, class Pairs, class SumPairs>
    HD void find(I i, const Vec& vi, const Vec& behindWall, const Pairs& pairs, SumPairs&& sumPairs) const {
        using R = RealOf<I>;
        const auto moves = R(leastEnergy) < R(0.5f) * dot(xyz(vi), xyz(vi));
        Vec3T<R> gradient = xyz(behindWall), omega{R(0), R(0), R(0)};
        R trapped(0);
        if (any(moves))
            sumPairs([&] INLINED(const auto& pair, const PairWeight<R>& w, R share, const Vec3T<R>& u) {
                const R slope = select(pair.isNeighbor, pair.volume * w.slope, R(0));
                gradient -= slope * pair.d;
                // |v_ij| (1 − v̂_ij·x̂_ij) = |u| + u·d/|d|, for u = −v_ij, d = x_ij and 1/|d| = (h/|d|)/h
                const R apart = w.inverseQ * sqrt(R(-2) * pair.kernel.minusHalfOverH2);
                const R potential = sqrt(dot(u, u)) + dot(u, pair.d) * apart;
                // only liquids trap air
                trapped += select(R(0) < pairs.filled(pair.j), share * potential, R(0));
                if (swirl.size > 0) omega += slope * cross(u, pair.d);
            });
        else
            sumPairs([](auto&&...) {});
        const auto mine = pairs.of(i);
        const R l2 = dot(gradient, gradient), atSurface = R(kFreeSurface) / mine.support;
        const R scale = select(moves & (atSurface * atSurface < l2), R(-1) / sqrt(max(l2, R(1e-30f))), R(0));
        put(normal, i, vec4(scale * gradient, select(moves, trapped, R(0))));
        if (swirl.size > 0) put(swirl, i, select(moves, length(mine.gradientScale * omega), R(0)));
    }
};

// Number of passive particles that each liquid particle makes in this frame.
template <bool Uniform>
struct CountBirths {
    View<const Vec4> x, v;
    View<const uint32_t> id, phase;
    View<const Vec4> normal;  // see FoamPotentials
    View<const float> swirl;  // [1/s] |ω|; empty: no liquid uses it
    NeighborLists neighbors;
    PairTraits<Uniform> pairs;
    View<const PassiveConstants> materials;
    View<uint32_t> births;  // written: of spray, foam and bubbles
    float dt;               // [s] of the frame
    uint32_t frame;

    HD void operator()(int i) const {
        births[i] = 0;
        const PassiveConstants& m = materials[materialOf(phase[i])];
        if (!m.makesFoam()) return;
        const Vec3 vi = xyz(v[i]);
        const float energy = ramp(0.5f * dot(vi, vi), m.leastEnergy, m.fullEnergy);
        if (energy == 0) return;
        float rate = m.trappedAir * ramp(normal[i].w, m.leastTrappedAir, m.fullTrappedAir);
        if (m.waveCrest > 0) rate += m.waveCrest * ramp(crest(i, vi), m.leastCrest, m.fullCrest);
        if (swirl.size > 0) rate += m.vorticity * ramp(m.support * swirl[i], m.leastSwirl, m.fullSwirl);
        // rounded up with the probability of the remainder
        const float wanted = min(energy * rate * dt, kMost);
        births[i] = static_cast<uint32_t>(wanted + uniform(id[i], frame, 0));
    }

private:
    static constexpr float kMost = 1e4f;
    static constexpr float kOutward = 0.6f;  // cosine of the angle between velocity and normal

    HD float crest(int i, Vec3 vi) const {
        const Vec3 n = xyz(normal[i]);
        // at the surface, and moving outward
        if (dot(n, n) == 0 || dot(vi, n) < kOutward * length(vi)) return 0;
        float sum = 0;
        forEachDensityPair(i, x, neighbors, pairs, x[i], pairs.of(i).support, [&] INLINED(const auto& pair) {
            const Vec3 other = xyz(normal[pair.j]);
            // x_ji·n < 0: below the tangent plane; neighbors inside the liquid have no normal
            if (dot(other, other) == 0 || dot(pair.d, n) <= 0) return;
            sum += pair.volume * spiky(pair.kernel, pair.r2).weight * (1 - dot(n, other));
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
    float dt;                   // [s] of the frame
    uint32_t frame;

    HD void operator()(int i) const {
        const PassiveConstants& m = materials[materialOf(phase[i])];
        const float wanted = min(m.smoke * dt + (id[i] < newFrom ? 0.0f : m.smokeSeeds), 1e4f);
        const uint32_t others = foam.size > 0 ? foam[i] : 0;
        births[i] = others + static_cast<uint32_t>(wanted + uniform(id[i], frame, 1u << 30));
    }
};

// Writes the new particles. Spray, foam and bubbles: evenly in a cylinder about the path of the liquid
// particle during the frame, which led through no shape; [IAAT12] 3.1 looks ahead:
//     x = x_i + r − s v_i,   v = v_i + c r,   |r| ≤ d/2,   0 ≤ s < dt
// Markers: evenly in the cube of side d about the particle, with its velocity.
struct WriteBirths {
    View<const Vec4> x, v;
    View<const uint32_t> id, phase;
    View<const int> neighbors;   // their number; empty: there are no liquids
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
        for (uint32_t k = first[i]; k < first[i + 1]; ++k) {
            if (k < skip) continue;
            const uint32_t to = at + (k - skip), nth = k - first[i];
            idNew[to] = firstId + k;
            if (nth < foams)
                writeFoam(i, to, 8 * nth + 1);
            else
                writeMarker(i, to, 8 * nth + 1);
        }
    }

private:
    static constexpr float kSpread = 4;  // c [1/s]; [IAAT12] adds r itself

    HD void writeFoam(int i, uint32_t to, uint32_t use) const {
        const auto random = [&](uint32_t n) { return uniform(id[i], frame, use + n); };
        const uint32_t material = materialOf(phase[i]);
        const PassiveConstants& m = materials[material];
        const Vec3 vi = xyz(v[i]), along = normalizeOr(vi, {0, 1, 0});
        const Vec3 side = normalizeOr(cross(along, steep(along) ? Vec3{1, 0, 0} : Vec3{0, 1, 0}), {0, 0, 1});
        const Vec3 r = 0.5f * m.spacing * inDisc(random(0), random(1), side, cross(along, side));
        const Vec3 spread = planar ? Vec3{r.x, r.y, 0} : r;
        xNew[to] = vec4(xyz(x[i]) + spread - random(2) * dt * vi, 0.0f);
        vNew[to] = vec4(fma(kSpread, spread, vi), m.life * (0.5f + random(3)));
        tagNew[to] = makeTag(m.classAt(toFloat(neighbors[i])), material);
    }

    HD void writeMarker(int i, uint32_t to, uint32_t use) const {
        const auto random = [&](uint32_t n) { return uniform(id[i], frame, use + n); };
        const uint32_t material = materialOf(phase[i]);
        const PassiveConstants& m = materials[material];
        const Vec3 r{random(0) - 0.5f, random(1) - 0.5f, planar ? 0.0f : random(2) - 0.5f};
        xNew[to] = vec4(fma(m.spacing, r, xyz(x[i])), 0.0f);
        vNew[to] = vec4(xyz(v[i]), m.smokeLife * (0.5f + random(3)));
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
