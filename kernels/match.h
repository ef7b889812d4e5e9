// Shape matching: a body of particles is held to its rest shape, turned and moved as fits it best.
//
//     c = Σ m x* / Σ m,   A = Σ m (x* − c) rᵀ,   R = the rotation in A                       [MHTG05]
//     Δx_i = k (R r_i + c − x*_i), averaged over the matches a particle is in      [UPP14] eq. 15, 16
//
// A particle in n matches gives each of them m/n of its mass. Then, whatever the overlap, the averaged moves
// keep momentum and angular momentum, and with compliance they are the forces of one potential,
//     E = Σ |x_i − goal_i|² / (2 α n_i)  over all members.
//
// Sums over a body go in two stages, chunks of members and then the chunks of a match, always in the same
// order; a body of ten particles and one of a hundred thousand take the same kernels. Promise: cpu = gpu.
#pragma once

#include "kernels/material.h"
#include "kernels/rotation.h"
#include "kernels/view.h"

namespace coalesce {

// Where a match is.
struct alignas(16) MatchPose {
    Vec3 center{0, 0, 0};  // [m] of mass, now
    float mass = 0;        // [kg] that it has of its living particles; 0: none is left
    Quat rotation;         // world from body
};

struct MatchConstants {
    uint32_t firstChunk, chunks;
    uint32_t material;  // decides stiffness, plasticity
};

struct MatchChunk {
    uint32_t match, begin, end;  // members
};

// How hard a match holds; per material, for this substep.
struct MatchHold {
    float stiffness;   // share of the way to the goal per iteration [-]
    float compliance;  // α̃ = α/dt² [1/kg]; > 0: instead of stiffness  [XPBD16]
    float yield;       // [m] deformation beyond which the rest shape follows; 0: elastic
    float creep;       // share of the deformation taken over per substep [-]
    float ownMoment;   // [m²] of a particle by itself, per mass: d²/12
    int32_t rigid;     // 1: keeps its spin exactly, see FindSpinLoss
    bool operator==(const MatchHold&) const = default;
};

constexpr uint32_t kNoSlot = 0xffffffffu;

// The tables of all solid bodies. Rows: their particles. Members: particles in matches, by match.
struct MatchTables {
    View<const uint32_t> slotOf;       // by row; kNoSlot: not alive
    View<const uint32_t> memberRow;    // by member
    View<const Vec4> memberRest;       // by member: rest place in the body's frame [m]; w: mass share [kg]
    View<const uint32_t> memberMatch;  // by member
    View<const uint32_t> rowStart;     // rows + 1, into rowMembers
    View<const uint32_t> rowMembers;
    View<const MatchChunk> chunks;
    View<const MatchConstants> matches;
};

// Which match speaks for a particle; kNoRow for grains.
HD uint32_t bodyMatchOf(const MatchTables& tables, const GroupConstants& group, uint32_t id) {
    const uint32_t row = rowOf(group, id);
    return row == kNoRow ? kNoRow : tables.memberMatch[tables.rowMembers[tables.rowStart[row]]];
}

struct LocateRows {
    View<const uint32_t> id, phase;
    View<const GroupConstants> groups;
    View<uint32_t> slotOf;  // written where a particle lives
    HD void operator()(int i) const {
        const uint32_t row = rowOf(groups[groupOf(phase[i])], id[i]);
        if (row != kNoRow) slotOf[row] = static_cast<uint32_t>(i);
    }
};

// What a chunk adds up, about the match's last center o.
struct MatchMoments {
    float mass = 0;
    Vec3 position{0, 0, 0};  // Σ m (x − o)
    Vec3 rest{0, 0, 0};      // Σ m r
    Mat3 spread;             // Σ m (x − o) rᵀ
};

struct SumChunks {
    MatchTables tables;
    View<const Vec4> xStar;
    View<const Vec4> before;   // [m] before contacts; empty: contacts have no more weight than the rest
    View<const float> follow;  // by match, see FindGain
    View<const MatchPose> pose;
    View<MatchMoments> moments;  // written, by chunk
    HD void operator()(int i) const {
        const MatchChunk chunk = tables.chunks[i];
        const Vec3 o = pose[chunk.match].center;
        const float more = before.size > 0 ? follow[chunk.match] - 1 : 0.0f;
        MatchMoments sum;
        for (uint32_t k = chunk.begin; k < chunk.end; ++k) {
            const uint32_t slot = tables.slotOf[tables.memberRow[k]];
            if (slot == kNoSlot) continue;
            const Vec4 r = tables.memberRest[k];
            Vec3 p = xyz(xStar[slot]) - o;
            if (more > 0) p += more * (xyz(xStar[slot]) - xyz(before[slot]));
            sum.mass += r.w;
            sum.position += r.w * p;
            sum.rest += r.w * xyz(r);
            sum.spread += outer(r.w * p, xyz(r));
        }
        moments[i] = sum;
    }
};

// Finds center and rotation of a match, and the center of its rest places, which changes when particles die
// or the rest shape flows.
struct FitMatch {
    MatchTables tables;
    View<const MatchMoments> moments;
    View<MatchPose> pose;  // updated
    View<Vec4> matchRest;  // written, by match: center of the rest places in the body's frame [m]
    HD void operator()(int i) const {
        const MatchConstants& match = tables.matches[i];
        MatchMoments sum;
        for (uint32_t k = match.firstChunk; k < match.firstChunk + match.chunks; ++k) {
            sum.mass += moments[k].mass;
            sum.position += moments[k].position;
            sum.rest += moments[k].rest;
            sum.spread += moments[k].spread;
        }
        MatchPose p = pose[i];
        p.mass = sum.mass;
        if (sum.mass > 0) {
            const float inverse = 1 / sum.mass;
            const Vec3 shift = inverse * sum.position, mean = inverse * sum.rest;
            // per mass, so that grains of dust and boulders stay within the range of floats
            Mat3 a{inverse * sum.spread.x, inverse * sum.spread.y, inverse * sum.spread.z};
            a += outer(-shift, mean);
            // a particle that is about to be put into quarantine must not take its body with it
            if (isFinite(shift) && isFinite(a.x) && isFinite(a.y) && isFinite(a.z)) {
                p.center += shift;
                p.rotation = extractRotation(a, p.rotation);
            }
            matchRest[i] = vec4(mean, 0.0f);
        }
        pose[i] = p;
    }
};

// Moves the particle of a row towards its goals. λ is kept only for compliant matches.
struct ApplyMatch {
    MatchTables tables;
    View<const MatchPose> pose;
    View<const Vec4> matchRest;
    View<const MatchHold> hold;  // by material
    float relaxation;            // of compliant matches
    View<Vec4> lambda;           // [kg m] by member; updated; empty: none is compliant
    View<Vec4> xStar;            // updated
    HD void operator()(int row) const {
        const uint32_t slot = tables.slotOf[row];
        if (slot == kNoSlot) return;
        const Vec4 start = xStar[slot];
        if (start.w == 0) return;
        Vec3 sum{0, 0, 0};
        const uint32_t begin = tables.rowStart[row], end = tables.rowStart[row + 1];
        for (uint32_t e = begin; e < end; ++e) {
            const uint32_t k = tables.rowMembers[e], match = tables.memberMatch[k];
            const MatchPose p = pose[match];
            const MatchHold h = hold[tables.matches[match].material];
            const Vec3 goal =
                rotate(p.rotation, xyz(tables.memberRest[k]) - xyz(matchRest[match])) + p.center;
            const Vec3 away = xyz(start) - goal;
            if (h.compliance > 0) {
                const Vec3 old = xyz(lambda[k]);
                const Vec3 change = -relaxation / (start.w + h.compliance) * (away + h.compliance * old);
                lambda[k] = vec4(old + change, 0.0f);
                sum += start.w * change;
            } else {
                sum -= h.stiffness * away;
            }
        }
        xStar[slot] = vec4(xyz(start) + 1 / toFloat(static_cast<int>(end - begin)) * sum, start.w);
    }
};

// Velocities of rigid bodies. A body that turns by itself is predicted along tangents, and matching shortens
// them to chords, which point outwards at their ends: in every substep a share ω²dt² of its angular momentum
// is lost (a quarter within half a second at 10 rad/s and 120 substeps per second). So
//   - velocities become those of a rigid motion with the same momenta, which has no outward part:
//         q = R (r − r̄),  S = Σ m q qᵀ,  I = tr(S) − S,  v = Σ m v / M + ω × q,  ω = I⁻¹ Σ m q × v
//   - what the tangents will cost follows from the moments alone, and is given back at the end:
//         A' = S + dt [ω]× S,  R' = the rotation in A',  δω = ω − I⁻¹ Σ m q × R'q / dt
// Ours; the papers leave it. Rigid bodies only: in soft ones the loss is a part of their damping.
struct SpinSums {
    float mass = 0;          // Σ m [kg]
    Vec3 first{0, 0, 0};     // Σ m q [kg m]: not 0 where particles died or flowed since r̄ was found
    Vec3 linear{0, 0, 0};    // Σ m v [kg m/s]
    Vec3 momentum{0, 0, 0};  // Σ m q × v [kg m²/s]
    Vec3 diagonal{0, 0, 0};  // of S [kg m²]
    Vec3 mixed{0, 0, 0};     // of S: yz, zx, xy
};

struct SumSpin {
    MatchTables tables;
    View<const Vec4> v;  // [m/s]
    View<const MatchPose> pose;
    View<const Vec4> matchRest;
    View<SpinSums> sums;  // written, by chunk

    HD void operator()(int i) const {
        const MatchChunk chunk = tables.chunks[i];
        const Quat rotation = pose[chunk.match].rotation;
        const Vec3 mean = xyz(matchRest[chunk.match]);
        SpinSums sum;
        for (uint32_t k = chunk.begin; k < chunk.end; ++k) {
            const uint32_t slot = tables.slotOf[tables.memberRow[k]];
            if (slot == kNoSlot) continue;
            const float m = tables.memberRest[k].w;
            const Vec3 q = rotate(rotation, xyz(tables.memberRest[k]) - mean);
            sum.mass += m;
            sum.first += m * q;
            sum.linear += m * xyz(v[slot]);
            sum.momentum += m * cross(q, xyz(v[slot]));
            sum.diagonal += m * Vec3{q.x * q.x, q.y * q.y, q.z * q.z};
            sum.mixed += m * Vec3{q.y * q.z, q.z * q.x, q.x * q.y};
        }
        sums[i] = sum;
    }
};

// The moments of a match about its center, folded from its chunks; all per mass, so that grains of dust and
// boulders stay within the range of floats.
struct Spin {
    float mass = 0;                          // M [kg]
    Mat3 spread;                             // S/M [m²]
    Vec3 diagonal{0, 0, 0}, mixed{0, 0, 0};  // of it
    Mat3 inertia;                            // I/M [m²]
    Vec3 linear{0, 0, 0}, omega{0, 0, 0};

    HD Spin(const MatchConstants& match, View<const SpinSums> sums) {
        SpinSums all;
        for (uint32_t k = match.firstChunk; k < match.firstChunk + match.chunks; ++k) {
            all.mass += sums[k].mass;
            all.first += sums[k].first;
            all.linear += sums[k].linear;
            all.momentum += sums[k].momentum;
            all.diagonal += sums[k].diagonal;
            all.mixed += sums[k].mixed;
        }
        if (!(all.mass > 0)) return;
        mass = all.mass;
        const float inverse = 1 / all.mass;
        const Vec3 c = inverse * all.first;
        linear = inverse * all.linear;
        const Vec3 d = diagonal = inverse * all.diagonal - Vec3{c.x * c.x, c.y * c.y, c.z * c.z};
        const Vec3 m = mixed = inverse * all.mixed - Vec3{c.y * c.z, c.z * c.x, c.x * c.y};
        // a rod has no inertia about its axis
        const float trace = (d.x + d.y + d.z) * (1 + 1e-6f);
        spread = {{d.x, m.z, m.y}, {m.z, d.y, m.x}, {m.y, m.x, d.z}};
        inertia = {{trace - d.x, -m.z, -m.y}, {-m.z, trace - d.y, -m.x}, {-m.y, -m.x, trace - d.z}};
        omega = spinOf(inverse * all.momentum - cross(c, linear));
    }
    // I⁻¹ L by LDLᵀ, L per mass. Not by Cramer's rule: the determinant of a rod's I is rounding alone.
    HD Vec3 spinOf(Vec3 momentum) const {
        const Mat3& a = inertia;
        const float d0 = a.x.x;
        if (!(d0 > 0)) return {0, 0, 0};
        const float l10 = a.x.y / d0, l20 = a.x.z / d0;
        const float d1 = a.y.y - l10 * a.x.y, rest = a.y.z - l20 * a.x.y;
        if (!(d1 > 0)) return {0, 0, 0};
        const float l21 = rest / d1;
        const float d2 = a.z.z - l20 * a.x.z - l21 * rest;
        if (!(d2 > 0)) return {0, 0, 0};
        const float y1 = momentum.y - l10 * momentum.x, y2 = momentum.z - l20 * momentum.x - l21 * y1;
        const float z = y2 / d2, y = y1 / d1 - l21 * z;
        return {momentum.x / d0 - l10 * y - l20 * z, y, z};
    }
};

// How much further a rigid body follows its contacts than the mean of its particles does. Contacts move the
// few particles that touch by Δ_i as if each were alone; the mean of all would move the body by a fraction
// n_touched / n of that, and stacks would sag. The rigid motion u that has the momenta of the Δ_i,
//     u_i = t + ω × q_i,   t = Σ m Δ / M,   ω = I⁻¹ Σ m q × Δ
// is longer by the factor that serves the touched particles best, never more than if they were the body:
//     gain = argmin Σ_touched m |gain u_i − Δ_i|² = Σ m |u|² / Σ_touched m |u|²,   1 ≤ gain ≤ M / m_touched
// Contacts count such a particle as heavier by the gain, so that momentum is kept: the body is split among
// its contacts ([TBV12] mass splitting, there for bodies with velocities).
struct TouchSums {
    float mass = 0;          // of touched particles [kg]
    Vec3 lever{0, 0, 0};     // Σ_touched m q [kg m]
    Vec3 diagonal{0, 0, 0};  // of Σ_touched m q qᵀ [kg m²]
    Vec3 mixed{0, 0, 0};     // of it: yz, zx, xy
};

struct SumTouch {
    MatchTables tables;
    View<const MatchHold> hold;
    View<const Vec4> xStar, before;  // [m] after contacts of an iteration, and before
    View<const MatchPose> pose;
    View<const Vec4> matchRest;
    View<SpinSums> sums;    // written, by chunk: moments with Δ for v
    View<TouchSums> touch;  // written, by chunk

    HD void operator()(int i) const {
        const MatchChunk chunk = tables.chunks[i];
        if (!hold[tables.matches[chunk.match].material].rigid) return;
        const Quat rotation = pose[chunk.match].rotation;
        const Vec3 mean = xyz(matchRest[chunk.match]);
        SpinSums sum;
        TouchSums touched;
        for (uint32_t k = chunk.begin; k < chunk.end; ++k) {
            const uint32_t slot = tables.slotOf[tables.memberRow[k]];
            if (slot == kNoSlot) continue;
            const float m = tables.memberRest[k].w;
            const Vec3 q = rotate(rotation, xyz(tables.memberRest[k]) - mean);
            const Vec3 squares = m * Vec3{q.x * q.x, q.y * q.y, q.z * q.z};
            const Vec3 products = m * Vec3{q.y * q.z, q.z * q.x, q.x * q.y};
            sum.mass += m;
            sum.first += m * q;
            sum.diagonal += squares;
            sum.mixed += products;
            const Vec3 delta = xyz(xStar[slot]) - xyz(before[slot]);
            if (delta == Vec3{0, 0, 0}) continue;
            sum.linear += m * delta;
            sum.momentum += m * cross(q, delta);
            touched.mass += m;
            touched.lever += m * q;
            touched.diagonal += squares;
            touched.mixed += products;
        }
        sums[i] = sum;
        touch[i] = touched;
    }
};

// What a match's chunks noted of its touched particles.
HD TouchSums touchedOf(const MatchConstants& match, View<const TouchSums> touch) {
    TouchSums touched;
    for (uint32_t k = match.firstChunk; k < match.firstChunk + match.chunks; ++k) {
        touched.mass += touch[k].mass;
        touched.lever += touch[k].lever;
        touched.diagonal += touch[k].diagonal;
        touched.mixed += touch[k].mixed;
    }
    return touched;
}

// Σ m |ω × q|², from the moments of Σ m q qᵀ
HD float turning(Vec3 d, Vec3 m, Vec3 w) {
    const float trace = d.x + d.y + d.z;
    const Vec3 sw{d.x * w.x + m.z * w.y + m.y * w.z, m.z * w.x + d.y * w.y + m.x * w.z,
                  m.y * w.x + m.x * w.y + d.z * w.z};
    return trace * dot(w, w) - dot(w, sw);
}

// The factor above, for a match of which something is touched.
HD float gainOf(const Spin& spin, const TouchSums& touched) {
    // both sums per mass of the body
    const float inverse = 1 / spin.mass;
    const Vec3 t = spin.linear, w = spin.omega;
    const float all = dot(t, t) + turning(spin.diagonal, spin.mixed, w);
    const float some = inverse * (touched.mass * dot(t, t) + 2 * dot(t, cross(w, touched.lever)) +
                                  turning(touched.diagonal, touched.mixed, w));
    const float most = spin.mass / touched.mass;
    return some * most > all ? greater(all / some, 1.0f) : most;
}

struct FindGain {
    MatchTables tables;
    View<const MatchHold> hold;
    View<const MatchPose> pose;
    View<const SpinSums> sums;
    View<const TouchSums> touch;
    View<float> gain;    // by match; updated: what the contacts of the next iteration count on
    View<float> follow;  // by match; written: this iteration's gain, no more than contacts counted on

    HD void operator()(int i) const {
        const MatchConstants& match = tables.matches[i];
        follow[i] = 1;
        if (!hold[match.material].rigid || !(pose[i].mass > 0)) return;
        const TouchSums touched = touchedOf(match, touch);
        const Spin spin(match, sums);
        if (!(touched.mass > 0) || !(spin.mass > 0)) return;
        const float best = gainOf(spin, touched);
        follow[i] = lesser(best, gain[i]);
        gain[i] = best;
    }
};

// What leads particles out of an overlap at the start of a substep moves those that touch. A rigid body goes
// with them as a whole, by the rigid motion above with its gain: matching would make speed of its squash.
struct FindShift {
    MatchTables tables;
    View<const MatchHold> hold;
    View<const SpinSums> sums;
    View<const TouchSums> touch;
    View<Vec4> linear, turn;  // [m], [rad] by match, written
    HD void operator()(int i) const {
        const MatchConstants& match = tables.matches[i];
        linear[i] = turn[i] = {0, 0, 0, 0};
        if (!hold[match.material].rigid) return;
        const TouchSums touched = touchedOf(match, touch);
        const Spin spin(match, sums);
        if (!(touched.mass > 0) || !(spin.mass > 0)) return;
        const float gain = gainOf(spin, touched);
        linear[i] = vec4(gain * spin.linear, 0.0f);
        turn[i] = vec4(gain * spin.omega, 0.0f);
    }
};

struct ShiftBodies {
    MatchTables tables;
    View<const MatchHold> hold;
    View<const MatchPose> pose;
    View<const Vec4> matchRest, linear, turn;
    View<const Vec4> before;  // [m] before anything was led out
    View<Vec4> x, xStar;      // updated alike
    HD void operator()(int row) const {
        const uint32_t slot = tables.slotOf[row], member = tables.rowMembers[tables.rowStart[row]];
        const uint32_t match = tables.memberMatch[member];
        if (slot == kNoSlot || x[slot].w == 0 || !hold[tables.matches[match].material].rigid) return;
        const Vec3 q = rotate(pose[match].rotation, xyz(tables.memberRest[member]) - xyz(matchRest[match]));
        const Vec3 more =
            xyz(linear[match]) + cross(xyz(turn[match]), q) - (xyz(x[slot]) - xyz(before[slot]));
        x[slot] = vec4(xyz(x[slot]) + more, x[slot].w);
        xStar[slot] = vec4(xyz(xStar[slot]) + more, xStar[slot].w);
    }
};

// What contacts count on, by slot.
struct SpreadGain {
    View<const uint32_t> id, phase;
    View<const GroupConstants> groups;
    MatchTables tables;
    View<const float> gain, follow;    // by match
    View<float> slotGain, slotFollow;  // by slot, written
    bool followed;                     // bodies will follow these contacts; the last of a substep they do not
    HD void operator()(int i) const {
        const uint32_t match = bodyMatchOf(tables, groups[groupOf(phase[i])], id[i]);
        slotFollow[i] = match == kNoRow ? 1.0f : follow[match];
        slotGain[i] = followed && match != kNoRow ? gain[match] : 1.0f;
    }
};

struct FindSpinLoss {
    MatchTables tables;
    View<const MatchHold> hold;
    View<const SpinSums> sums;  // at the start of the substep, velocities as predicted
    View<Vec4> loss;            // δω [rad/s], by match, written
    float dt;

    HD void operator()(int i) const {
        const MatchConstants& match = tables.matches[i];
        loss[i] = {0, 0, 0, 0};
        if (!hold[match.material].rigid) return;
        const Spin spin(match, sums);
        const Vec3 omega = spin.omega;
        // below this the loss is less than what extracting a rotation rounds
        if (!(dot(omega, omega) * dt * dt > 4e-6f)) return;
        const Mat3& s = spin.spread;
        const Mat3 predicted{fma(dt, cross(omega, s.x), s.x), fma(dt, cross(omega, s.y), s.y),
                             fma(dt, cross(omega, s.z), s.z)};
        const Quat turn = extractRotation(predicted, Quat{});
        const Vec3 x = rotate(turn, s.x), y = rotate(turn, s.y), z = rotate(turn, s.z);  // Σ m R'q q_k
        const Vec3 kept = 1 / dt * Vec3{y.z - z.y, z.x - x.z, x.y - y.x};
        loss[i] = vec4(omega - spin.spinOf(kept), 0.0f);
    }
};

// Velocity and spin of a rigid match.
struct FindMotion {
    MatchTables tables;
    View<const MatchHold> hold;
    View<const MatchPose> pose;
    View<const SpinSums> sums;  // at the end of the substep
    View<const Vec4> loss;
    View<Vec4> linear, omega;  // [m/s], [rad/s], written
    HD void operator()(int i) const {
        const MatchConstants& match = tables.matches[i];
        if (!hold[match.material].rigid || !(pose[i].mass > 0)) return;
        const Spin spin(match, sums);
        linear[i] = vec4(spin.linear, 0.0f);
        omega[i] = vec4(spin.omega + xyz(loss[i]), 0.0f);
    }
};

struct TakeRigidVelocities {
    MatchTables tables;
    View<const MatchHold> hold;
    View<const MatchPose> pose;
    View<const Vec4> matchRest, linear, omega;
    View<const Vec4> x;
    View<Vec4> v;  // updated
    HD void operator()(int row) const {
        const uint32_t slot = tables.slotOf[row], member = tables.rowMembers[tables.rowStart[row]];
        const uint32_t match = tables.memberMatch[member];
        if (slot == kNoSlot || x[slot].w == 0 || !hold[tables.matches[match].material].rigid) return;
        const Vec3 q = rotate(pose[match].rotation, xyz(tables.memberRest[member]) - xyz(matchRest[match]));
        v[slot] = vec4(xyz(linear[match]) + cross(xyz(omega[match]), q), v[slot].w);
    }
};

// The signed distance that each particle carries, turned with its body: ∇φ in the world, φ.
struct OrientFields {
    View<const uint32_t> id, phase;
    View<const GroupConstants> groups;
    MatchTables tables;
    View<const MatchPose> pose;
    View<const Vec4> rowField;  // by row: ∇φ in the body's frame, φ [m]
    View<Vec4> field;           // by slot, written
    HD void operator()(int i) const {
        const uint32_t row = rowOf(groups[groupOf(phase[i])], id[i]);
        Vec4 out{0, 1, 0, 2 * kNoField};
        if (row != kNoRow) {
            const Vec4 f = rowField[row];
            const uint32_t member = tables.rowMembers[tables.rowStart[row]];
            out = vec4(rotate(pose[tables.memberMatch[member]].rotation, xyz(f)), f.w);
        }
        field[i] = out;
    }
};

// Plastic flow: where a particle is away from its goal by more than the yield, its rest place follows,
//     r += creep (Rᵀ(x − c) + r̄ − r)                                                            [UPP14] 5.3
// and what the rest shape of a match has gained or lost in volume since its birth is taken back:
//     r = r̄ + s (r − r̄),   s = V^(−1/3),   in small steps
// The paper lets the volume go, and clay that is hit again and again shrinks or swells. The volume V of a
// cloud of places, as a share of that at birth, lies between two that moments know:
//     A₀ = Σ m r₀ r₀ᵀ,  A = Σ m r rᵀ,  B = Σ m r r₀ᵀ
//     det B / det A₀ ≤ V      the linear part of the flow alone: a bent rod fills more than that
//     V ≤ √(det A / det A₀)   as far as the places reach: a bent rod fills less than that
// so V shrinks where the first is above 1 and grows where the second is below. A flat match has no first.
// In A every particle has its own extent, d²/12 along each axis, so that flat ones and rods have a second.
struct FlowSums {
    float mass = 0;                                    // Σ m [kg]
    Vec3 rest{0, 0, 0}, birth{0, 0, 0};                // Σ m r, Σ m r₀, from r̄ before the flow [kg m]
    Vec3 diagonal{0, 0, 0}, mixed{0, 0, 0};            // of Σ m r rᵀ; mixed: yz, zx, xy [kg m²]
    Vec3 birthDiagonal{0, 0, 0}, birthMixed{0, 0, 0};  // of Σ m r₀ r₀ᵀ
    Mat3 across;                                       // Σ m r r₀ᵀ
};

HD bool flows(const MatchHold& hold) {
    return hold.yield > 0 && hold.creep > 0;
}

struct FlowPlastic {
    MatchTables tables;
    View<const Vec4> x;
    View<const MatchPose> pose;
    View<const Vec4> matchRest;
    View<const MatchHold> hold;
    View<const Vec4> restPlace;  // by row, as the body was made [m]; w: contact distance [m]
    View<Vec4> memberRest;       // updated
    View<FlowSums> sums;         // written, by chunk
    HD void operator()(int i) const {
        const MatchChunk chunk = tables.chunks[i];
        const MatchHold h = hold[tables.matches[chunk.match].material];
        if (!flows(h)) return;
        const MatchPose p = pose[chunk.match];
        const Vec3 mean = xyz(matchRest[chunk.match]);
        FlowSums sum;
        for (uint32_t k = chunk.begin; k < chunk.end; ++k) {
            const uint32_t row = tables.memberRow[k], slot = tables.slotOf[row];
            if (slot == kNoSlot) continue;
            const float m = memberRest[k].w;
            Vec3 r = xyz(memberRest[k]) - mean;
            const Vec3 bent = rotateBack(p.rotation, xyz(x[slot]) - p.center) - r;
            if (length(bent) > h.yield) {
                r = fma(h.creep, bent, r);
                memberRest[k] = vec4(mean + r, m);
            }
            const Vec3 r0 = xyz(restPlace[row]) - mean;
            sum.mass += m;
            sum.rest += m * r;
            sum.birth += m * r0;
            sum.diagonal += m * Vec3{r.x * r.x, r.y * r.y, r.z * r.z};
            sum.mixed += m * Vec3{r.y * r.z, r.z * r.x, r.x * r.y};
            sum.birthDiagonal += m * Vec3{r0.x * r0.x, r0.y * r0.y, r0.z * r0.z};
            sum.birthMixed += m * Vec3{r0.y * r0.z, r0.z * r0.x, r0.x * r0.y};
            sum.across += outer(m * r, r0);
        }
        sums[i] = sum;
    }
};

struct FindSwelling {
    MatchTables tables;
    View<const MatchHold> hold;
    View<const Vec4> matchRest;
    View<const FlowSums> sums;
    View<Vec4> swelling;  // written, by match: center of the rest places in the body's frame [m], s
    HD void operator()(int i) const {
        const MatchConstants& match = tables.matches[i];
        const MatchHold h = hold[match.material];
        if (!flows(h)) return;
        FlowSums all;
        for (uint32_t k = match.firstChunk; k < match.firstChunk + match.chunks; ++k) {
            all.mass += sums[k].mass;
            all.rest += sums[k].rest, all.birth += sums[k].birth;
            all.diagonal += sums[k].diagonal, all.mixed += sums[k].mixed;
            all.birthDiagonal += sums[k].birthDiagonal, all.birthMixed += sums[k].birthMixed;
            all.across += sums[k].across;
        }
        swelling[i] = {0, 0, 0, 1};
        if (!(all.mass > 0)) return;
        // about the centers, and in moments of one particle
        const float inverse = 1 / all.mass, unit = 1 / h.ownMoment;
        const Vec3 c = inverse * all.rest, c0 = inverse * all.birth;
        const Mat3 now = symmetric(inverse * all.diagonal, inverse * all.mixed, c, unit);
        const Mat3 born = symmetric(inverse * all.birthDiagonal, inverse * all.birthMixed, c0, unit);
        Mat3 across{inverse * all.across.x, inverse * all.across.y, inverse * all.across.z};
        across += outer(-c, c0);
        const float volume0 = determinant(born, 0), filled0 = determinant(born, 1);
        const float linear = determinant(across, 0) * unit * unit * unit;
        const float filled = determinant(now, 1) / filled0;  // squared
        float s = 1;
        const float most = lesser(h.creep, 0.1f);
        // first order in what is missing, and short of it on either side
        if (volume0 > 0.1f * filled0 && greater(linear, -linear) > volume0)
            s -= lesser((1 - volume0 / greater(linear, -linear)) / 3, most);
        else if (filled < 1)
            s += lesser((1 - filled) / 6, most);
        swelling[i] = vec4(xyz(matchRest[i]) + c, s);
    }

private:
    HD static Mat3 symmetric(Vec3 diagonal, Vec3 mixed, Vec3 c, float unit) {
        const Vec3 d = unit * (diagonal - Vec3{c.x * c.x, c.y * c.y, c.z * c.z});
        const Vec3 m = unit * (mixed - Vec3{c.y * c.z, c.z * c.x, c.x * c.y});
        return {{d.x, m.z, m.y}, {m.z, d.y, m.x}, {m.y, m.x, d.z}};
    }
    // of a + own · 1
    HD static float determinant(const Mat3& a, float own) {
        return dot(a.x + Vec3{own, 0, 0}, cross(a.y + Vec3{0, own, 0}, a.z + Vec3{0, 0, own}));
    }
};

// Where a particle has flowed half a contact distance its signed distance is wrong: it becomes a ball.
// [UPP14] 5.3
struct KeepVolume {
    MatchTables tables;
    View<const MatchHold> hold;
    View<const Vec4> swelling;   // by match, see FindSwelling
    View<const Vec4> restPlace;  // by row
    View<Vec4> memberRest;       // updated
    View<Vec4> rowField;         // updated
    HD void operator()(int row) const {
        if (tables.slotOf[row] == kNoSlot) return;
        for (uint32_t e = tables.rowStart[row]; e < tables.rowStart[row + 1]; ++e) {
            const uint32_t k = tables.rowMembers[e], match = tables.memberMatch[k];
            if (!flows(hold[tables.matches[match].material])) continue;
            const Vec4 swollen = swelling[match];
            Vec3 r = xyz(memberRest[k]);
            if (swollen.w != 1) r = fma(swollen.w, r - xyz(swollen), xyz(swollen));
            memberRest[k] = vec4(r, memberRest[k].w);
            if (length(r - xyz(restPlace[row])) > 0.5f * restPlace[row].w) rowField[row].w = 2 * kNoField;
        }
    }
};

}  // namespace coalesce
