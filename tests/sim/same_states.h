// Whole frames with the same states on every machine.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/make_world.h"
#include "support/each_backend.h"

namespace coalesce::test {

// The state of each of these frames of the world that build(world) makes is the same in all executions of machines().
// check(world) looks at the last frame of each.
template <class Build, class Check>
void expectSameStatesOnEveryMachine(int frames, Build&& build, Check&& check) {
    expectSameBitsOnEveryMachine([&](Exec& exec) {
        World world(exec);
        build(world);
        Solver solver(world);
        std::vector<uint64_t> hashes;
        for (int frame = 0; frame < frames; ++frame) {
            solver.step();
            hashes.push_back(stateHash(world));
        }
        check(world);
        return hashes;
    });
}
template <class Build>
void expectSameStatesOnEveryMachine(int frames, Build&& build) {
    expectSameStatesOnEveryMachine(frames, build, [](const World&) {});
}

}  // namespace coalesce::test
