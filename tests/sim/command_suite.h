// The base of the tests of user commands.
#pragma once

#include <gtest/gtest.h>
#include <string>

#include "core/error.h"
#include "sim/solver/solver.h"
#include "support/each_backend.h"

namespace coalesce::test {

class Commands : public EachBackend {
protected:
    // What a frame with this command fails with; the command is dropped. Empty: it does not fail.
    std::string refusal(World& world, const UserCommand& command) {
        world.commands.push_back(command);
        try {
            Solver(world).step();
        } catch (const Error& error) {
            EXPECT_EQ(error.code, Exit::Simulation);
            EXPECT_TRUE(world.commands.empty());
            return error.what();
        }
        return {};
    }
};

}  // namespace coalesce::test
