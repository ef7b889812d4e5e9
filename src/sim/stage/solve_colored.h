// Solves constraints color by color (Gauss-Seidel). For sources that launch kernels.
#pragma once

#include "core/for_each_island.h"
#include "sim/stage/colored_constraints.h"

namespace coalesce {

// kernelOf(constraints): the kernel that solves constraint constraints[i] for i.
template <class KernelOf>
void solveColored(Exec& exec, const char* name, const ColoredConstraints& constraints, KernelOf&& kernelOf) {
    forEachIsland(exec, name, constraints.islands(), constraints.islandColors(),
                  kernelOf(constraints.order()));
    for (const View<const uint32_t>& color : constraints.largeColors())
        forEach(exec, name, color.size, kernelOf(color));
}

}  // namespace coalesce
