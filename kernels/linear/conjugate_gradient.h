// Iterations of linear solvers, A Δx = b, matrix-free, with a diagonal P. The caller writes r = b − A Δx, the first
// direction p = P⁻¹ r, Δx, and the products rᵀ P⁻¹ r; and in each iteration q = A p.
//
//     conjugate gradients: Saad, Iterative Methods for Sparse Linear Systems, Algorithm 9.1
//     Chebyshev: Algorithm 12.1
//
// The scalars stay on the device. A solve is a fixed number of launches; when the residual has fallen below
// the tolerance the remaining ones return at once.
#pragma once

#include "kernels/math/vec.h"
#include "kernels/math/view.h"
#include "kernels/particles/status_block.h"

namespace coalesce {

struct LinearState {
    double first = 0, rz = 0;  // rᵀ P⁻¹ r at the begin and now [kg u²], u: unit of Δx
    double least = 0;          // ends below this
    float alpha = 0, beta = 0;
    uint32_t done = 0;
};

struct BeginState {
    View<const double> sum;  // rᵀ P⁻¹ r
    View<LinearState> state;
    LinearCounts* counts;
    double tolerance2;
    HD void operator()(int) const {
        LinearState s;
        s.first = s.rz = sum[0];
        s.least = tolerance2 * s.rz;
        s.done = !(s.rz > 0 && s.rz < 1e300);
        if (!s.done) counts->solves += 1;
        state[0] = s;
    }
};

struct FindAlpha {
    View<const double> sum;  // pᵀ A p
    View<LinearState> state;
    LinearCounts* counts;
    HD void operator()(int) const {
        LinearState s = state[0];
        if (s.done) return;
        const double alpha = s.rz / sum[0];
        s.done = !(sum[0] > 0 && alpha < 1e30);
        s.alpha = s.done ? 0.0f : static_cast<float>(alpha);
        counts->breakdowns += s.done;
        counts->iterations += 1;
        state[0] = s;
    }
};

struct AdvanceSolution {
    View<const LinearState> state;
    View<const float> scale;
    View<const Vec4> p, q;
    View<Vec4> dx, r;   // updated
    View<double> dots;  // written: rᵀ P⁻¹ r
    HD void operator()(int row) const {
        if (state[0].done) return;
        const float alpha = state[0].alpha;
        const Vec3 residual = fma(-alpha, xyz(q[row]), xyz(r[row]));
        dx[row] = vec4(fma(alpha, xyz(p[row]), xyz(dx[row])), 0.0f);
        r[row] = vec4(residual, 0.0f);
        if (dots.size > 0) dots[row] = double{scale[row] * dot(residual, residual)};
    }
};

struct FindBeta {
    View<const double> sum;  // rᵀ P⁻¹ r
    View<LinearState> state;
    LinearCounts* counts;
    HD void operator()(int) const {
        LinearState s = state[0];
        if (s.done) return;
        const bool valid = sum[0] < 1e300;
        s.beta = valid ? static_cast<float>(sum[0] / s.rz) : 0.0f;
        s.rz = valid ? sum[0] : s.rz;
        s.done = !valid || !(s.rz > s.least);
        counts->breakdowns += !valid;
        state[0] = s;
    }
};

struct NoteResidual {
    View<const LinearState> state;
    LinearCounts* counts;
    HD void operator()(int) const {
        const LinearState s = state[0];
        if (!(s.first > 0)) return;
        counts->residuals += 1;
        counts->residual = max(sqrt(static_cast<float>(s.rz / s.first)), counts->residual);
    }
};

// Coefficients of a Chebyshev iteration, which are known in advance.
struct SetCoefficients {
    View<LinearState> state;
    LinearCounts* counts;
    float alpha, beta;
    bool first;
    HD void operator()(int) const {
        LinearState s;
        s.alpha = alpha, s.beta = beta;
        state[0] = s;
        counts->solves += first;
        counts->iterations += 1;
    }
};

struct AdvanceDirection {
    View<const LinearState> state;
    View<const float> scale;
    View<const Vec4> r;
    View<Vec4> p;  // updated
    HD void operator()(int row) const {
        if (state[0].done) return;
        p[row] = vec4(fma(state[0].beta, xyz(p[row]), scale[row] * xyz(r[row])), 0.0f);
    }
};

}  // namespace coalesce
