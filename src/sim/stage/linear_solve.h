// Vectors and scalars of a linear solve A Δx = b, and its conjugate gradients: kernels of conjugate_gradient.h.
#pragma once

#include "core/buffer.h"
#include "kernels/linear/conjugate_gradient.h"
#include "sim/stage/step_context.h"

namespace coalesce {

struct LinearSolve : Stage {
    using Stage::Stage;

    Buffer<Vec4> dx{exec}, r{exec}, p{exec}, q{exec};  // Δx, b − A Δx, direction, A p
    Buffer<float> scale{exec};                         // P⁻¹; 0: held
    Buffer<double> dots{exec}, dot{exec, 1};           // products of every row, and their sum
    Buffer<LinearState> state{exec, 1};

    void resize(size_t rows);
    void sumDots();
    // Once r, p, Δx and dots of the start are written. The residual falls to `tolerance` times that of now.
    void begin(double tolerance, LinearCounts* counts);
    // apply() writes q = A p and dots = pᵀ q.
    template <class Apply>
    void iterate(int iterations, LinearCounts* counts, Apply&& apply) {
        for (int k = 0; k < iterations; ++k) {
            if (k > 0) advanceDirection();
            apply();
            advanceSolution(counts);
        }
        noteResidual(counts);
    }

private:
    void advanceDirection();
    void advanceSolution(LinearCounts* counts);
    void noteResidual(LinearCounts* counts);
};

}  // namespace coalesce
