#include "sim/stage/linear_solve.h"

#include "core/for_each.h"
#include "core/primitives.h"

namespace coalesce {

void LinearSolve::resize(size_t rows) {
    for (Buffer<Vec4>* vector : {&dx, &r, &p, &q}) vector->resizeDiscard(rows);
    scale.resizeDiscard(rows);
    dots.resizeDiscard(rows);
}

void LinearSolve::sumDots() {
    reduceSum(exec, "sum products", dots.view(), dot.view());
}

void LinearSolve::begin(double tolerance, LinearCounts* counts) {
    sumDots();
    forEach(exec, "solver scalars", 1, BeginState{dot.view(), state.view(), counts, tolerance * tolerance});
}

void LinearSolve::advanceDirection() {
    forEach(exec, "advance direction", r.size(),
            AdvanceDirection{state.view(), scale.view(), r.view(), p.view()});
}

void LinearSolve::advanceSolution(LinearCounts* counts) {
    sumDots();
    forEach(exec, "solver scalars", 1, FindAlpha{dot.view(), state.view(), counts});
    forEach(
        exec, "advance solution", r.size(),
        AdvanceSolution{state.view(), scale.view(), p.view(), q.view(), dx.view(), r.view(), dots.view()});
    sumDots();
    forEach(exec, "solver scalars", 1, FindBeta{dot.view(), state.view(), counts});
}

void LinearSolve::noteResidual(LinearCounts* counts) {
    forEach(exec, "solver scalars", 1, NoteResidual{state.view(), counts});
}

}  // namespace coalesce
