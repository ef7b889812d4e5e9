// The base of the tests of states and their files.
#pragma once

#include <filesystem>
#include <gtest/gtest.h>
#include <string>

#include "sim/make_bodies.h"
#include "support/each_backend.h"
#include "support/small_scene.h"

namespace coalesce::test {

// Two liquids; files go to a temporary folder.
class State : public EachBackend {
protected:
    // two liquids that fall onto a floor past a ball
    void build(World& world) {
        addMaterial(world, water(0.05f));
        MaterialProperties oil = water(0.05f);
        oil.density = 700;
        addMaterial(world, oil);
        addFloor(world);
        Shape ball;
        ball.name = "ball", ball.kind = ShapeKind::sphere, ball.radius = 0.15f;
        ball.velocity = {0.1f, 0, 0};
        world.shapes.push_back(ball);
        addBlock(world, {.low = {-0.2f, 0.2f, -0.2f}, .nx = 6, .ny = 6, .nz = 6, .jitter = 0.1f});
        addBlock(world, {.low = {0.1f, 0.2f, -0.2f}, .nx = 4, .ny = 6, .nz = 6, .material = 1});
    }
    TemporaryFolder folder;
};

inline std::string refusal(World& world, const std::filesystem::path& file) {
    try {
        loadState(world, file);
    } catch (const Error& error) {
        EXPECT_EQ(error.code, Exit::Scene);
        return error.what();
    }
    return {};
}

}  // namespace coalesce::test
