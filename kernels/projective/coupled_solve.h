// Linear solvers of the global step, A Δx = b over the rows of bodies, matrix-free.
//
//     cg         preconditioned conjugate gradients, P = M: every direction P⁻¹b moves the center of mass as b
//                does. The diagonal of A would save some iterations and lose 10⁻³ of the momentum.
//     chebyshev  Chebyshev iterations for eigenvalues of P⁻¹A in [1/n², 1], n: iterations; P ≥ A, see
//                CoupledSystem::bound. No reductions; smoother components are left to the next rounds.
//     diagonal   the same with one iteration, Δx = P⁻¹ b, which never raises ½ |x − y|²_M + dt² E. [WAN15]
//
// All start from the motion of each assembly as a whole: a translation t has A t = M t, so t = Σb/Σ m leaves
// residuals without a sum, and with cg momentum is exact at any tolerance where liquid or contacts push a body,
// too, unless it is held somewhere. chebyshev and diagonal leave rotations of stiff bodies to many rounds.
#pragma once

#include "kernels/linear/conjugate_gradient.h"
#include "kernels/projective/coupled_system.h"

namespace coalesce {

// b, P, and the first direction.
struct BeginSolve {
    CoupledSystem system;
    View<const Vec4> pull;  // by row, see PushRows
    bool bounded;           // P ≥ A; else P = M
    View<float> scale;      // written: 1/P [1/kg]; 0: held
    View<Vec4> dx, r, p;    // written
    View<double> dots;      // written: rᵀ P⁻¹ r
    HD void operator()(int row) const {
        const Vec4 x = system.x[row];
        const bool free = x.w > 0;
        const Vec3 none{0, 0, 0};
        Vec3 b = none;
        if (free) b = 1 / x.w * xyz(pull[row]) + system.force(row);
        // a value that is not finite must not spread to other rows
        const bool valid = free && isFinite(b);
        scale[row] = valid ? 1 / (bounded ? system.bound(row) : system.mass[row]) : 0.0f;
        const Vec3 z = valid ? scale[row] * b : none;
        r[row] = vec4(valid ? b : none, 0.0f);
        p[row] = vec4(z, 0.0f);
        dx[row] = {0, 0, 0, 0};
        dots[row] = valid ? double{dot(b, z)} : 0.0;
    }
};

// What the constraints of bodies have to balance: inertia and, in liquid, its push.
//
// The matrix of a particle in liquid is M r, r up to some thousands, see project_density.h. With A = M r + K for
// the particles of bodies, too, constraints that are softer than r times the inertia would hardly act in the few
// rounds of a substep: a wet soft body would be far too soft. So liquid and inertia alone take the particle to a
// place y, exactly as they move the particles of the liquid,
//     y ← y + r⁻¹ [(s − y) + dt²/m Σ F(x)],   then Chebyshev's extrapolation
// and constraints act against y with the plain mass: (M + K) Δx = M (y − x) − dt² ∇E(x). Where neither moves any
// more, M (s − y) + dt² Σ F = 0 and M (y − x) = dt² ∇E, so ∇g(x) = 0. Momentum: Σ m Δy over bodies is −Σ m Δx over
// the liquid, as r is the same, and Σ m x = Σ m y over every body.
struct PushRows {
    View<const uint32_t> slotOf;   // by row
    View<const Vec4> x;            // by row
    View<const Vec4> descent;      // by slot: −∇g dt²/m of inertia and density
    View<const float> resistance;  // by slot: r; empty: there is no liquid, and y = s
    float chebyshev;               // weight of this round, see chebyshevWeight; 1: none
    bool first;                    // round of the substep, where y = x
    View<const Vec4> lastX;        // by row: x at the end of the last round; contacts have moved it since
    View<Vec4> y, lastY;  // by row: y now and a round before; updated, by what contacts have moved, too
    View<Vec4> pull;      // by row, written: y − x
    View<float> mass;     // by row, written [kg]; 0: held
    HD void operator()(int row) const {
        const Vec4 at = x[row];
        mass[row] = at.w > 0 ? 1 / at.w : 0.0f;
        if (!(at.w > 0)) return;
        const Vec4 towards = descent[slotOf[row]];
        pull[row] = towards;
        if (resistance.size == 0) return;
        Vec3 from = xyz(at), last = from;
        if (!first) {
            const Vec3 shift = xyz(at) - xyz(lastX[row]);
            from = xyz(y[row]) + shift, last = xyz(lastY[row]) + shift;
        }
        const float r = resistance[slotOf[row]];
        Vec3 to = fma(1 / r, xyz(towards) + (xyz(at) - from), from);
        // where r is 1, no liquid is near
        if (r > 1) to = fma(chebyshev - 1, to - last, to);
        // a value that is not finite must not stay for the next rounds
        if (!isFinite(to)) to = from;
        y[row] = vec4(to, 0.0f);
        lastY[row] = vec4(from, 0.0f);
        pull[row] = vec4(to - xyz(at), 0.0f);
    }
};

// Rows of an assembly, in the order in which they are summed.
struct AssemblyChunk {
    uint32_t begin, end;  // in the list of rows by assembly
};
struct AssemblySum {
    Vec3 b{0, 0, 0};    // Σ b [kg m]; of an assembly: the translation t [m]
    float mass = 0;     // Σ m [kg]
    bool held = false;  // has a row that cannot move: A t is M t no longer
};

struct SumAssemblies {
    View<const AssemblyChunk> chunks;
    View<const uint32_t> rows;
    View<const float> massOf;  // by row [kg]
    View<const float> scale;   // 0: held
    View<const Vec4> b;        // by row
    View<AssemblySum> sums;    // by chunk, written
    HD void operator()(int i) const {
        AssemblySum sum;
        for (uint32_t k = chunks[i].begin; k < chunks[i].end; ++k) {
            const uint32_t row = rows[k];
            sum.held = sum.held || !(scale[row] > 0);
            sum.b += xyz(b[row]);
            sum.mass += massOf[row];
        }
        sums[i] = sum;
    }
};

struct FindTranslations {
    View<const uint32_t> firstChunk;  // by assembly; one more element
    View<const AssemblySum> sums;     // by chunk
    View<Vec4> translation;           // [m] by assembly, written
    HD void operator()(int i) const {
        AssemblySum all;
        for (uint32_t k = firstChunk[i]; k < firstChunk[i + 1]; ++k) {
            all.b += sums[k].b;
            all.mass += sums[k].mass;
            all.held = all.held || sums[k].held;
        }
        const bool free = !all.held && all.mass > 0;
        translation[i] = vec4(free ? 1 / all.mass * all.b : Vec3{0, 0, 0}, 0.0f);
    }
};

struct StartFromTranslations {
    View<const uint32_t> assemblyOf;
    View<const Vec4> translation;
    View<const float> massOf, scale;
    View<Vec4> dx, r, p;  // written
    View<double> dots;    // written: rᵀ P⁻¹ r
    HD void operator()(int row) const {
        if (!(scale[row] > 0)) return;
        const Vec3 t = xyz(translation[assemblyOf[row]]);
        const Vec3 residual = fma(-massOf[row], t, xyz(r[row])), z = scale[row] * residual;
        dx[row] = vec4(t, 0.0f);
        r[row] = vec4(residual, 0.0f);
        p[row] = vec4(z, 0.0f);
        dots[row] = double{dot(residual, z)};
    }
};

// The residual that is left; the tolerance stays relative to b.
struct FindStart {
    View<const double> sum;  // rᵀ P⁻¹ r
    View<LinearState> state;
    HD void operator()(int) const {
        LinearState s = state[0];
        if (s.done) return;
        s.rz = sum[0];
        s.done = !(s.rz > s.least);
        state[0] = s;
    }
};

struct ApplySystem {
    CoupledSystem system;
    View<const LinearState> state;
    View<const float> scale;
    View<const Vec4> p;
    View<Vec4> q;       // written: A p
    View<double> dots;  // written: pᵀ A p; empty: not needed
    HD void operator()(int row) const {
        if (state[0].done) return;
        const Vec3 none{0, 0, 0};
        const Vec3 product = scale[row] > 0 ? system.apply(row, p) : none;
        q[row] = vec4(product, 0.0f);
        if (dots.size > 0) dots[row] = double{dot(xyz(p[row]), product)};
    }
};

// x* of the rows.
struct ScatterRows {
    View<const uint32_t> slotOf;
    View<const Vec4> x, dx;  // by row
    View<Vec4> lastX;        // by row, written: x*; empty: there is no liquid
    View<Vec4> xStar;        // by slot, written
    HD void operator()(int row) const {
        const Vec4 start = x[row];
        if (!(start.w > 0)) return;
        const Vec4 end = vec4(xyz(start) + xyz(dx[row]), start.w);
        if (lastX.size > 0) lastX[row] = end;
        xStar[slotOf[row]] = end;
    }
};

}  // namespace coalesce
