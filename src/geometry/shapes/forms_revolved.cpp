// Surfaces of revolution: vessels of glass and clay.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "geometry/shapes/solid_forms.h"

namespace coalesce::forms {

namespace {

// The polygonization does not connect diagonal corners: a wall that runs across the grid is without holes where it
// is thicker than the diagonal of a cell's face, √2 cells.
double cellFor(double wall, double coarsest) {
    return std::min(wall / 1.5, coarsest);
}

}  // namespace

SolidForm cup(const ShapeParameters& parameters) {
    const double wall = parameters["wall"], foot = 0.34, rim = 0.44;
    const std::array<ProfilePoint, 6> profile{
        {{0, 0}, {foot, 0}, {rim, 1}, {rim - wall, 1}, {foot + (rim - foot) * wall - wall, wall}, {0, wall}}};
    return {.distance = [profile](Vec3d p) { return revolvedDistance(p, profile); },
            .bounds = around(rim, 0, 1, rim),
            .tight = true,
            .exact = true,
            .crease = 37,
            .cell = cellFor(wall, 1.0 / 24)};
}

SolidForm bowl(const ShapeParameters& parameters) {
    const double wall = parameters["wall"];
    std::vector<ProfilePoint> profile;
    for (int k = 0; k <= 32; ++k) {
        const double angle = std::numbers::pi / 2 * k / 32;
        profile.push_back({std::sin(angle), 1 - std::cos(angle)});
    }
    const double r = 1 + wall / 2;
    return {.distance = [=](Vec3d p) { return revolvedWallDistance(p, profile, wall); },
            .bounds = around(r, -wall / 2, 1 + wall / 2, r),
            .exact = true,
            .cell = cellFor(wall, 1.0 / 16)};
}

// A wine glass: a bowl of constant wall thickness, solid stem and foot.
SolidForm glass(const ShapeParameters& parameters) {
    const double wall = parameters["wall"], belly = 0.30, nozzle = 0.25, bottom = 0.38, waist = 0.66;
    // center line of the bowl, from the axis to the rim
    std::vector<ProfilePoint> bowl;
    for (int k = 0; k <= 16; ++k) {
        const double angle = std::numbers::pi / 2 * k / 16;
        bowl.push_back({belly * std::sin(angle), waist - (waist - bottom) * std::cos(angle)});
    }
    for (int k = 1; k <= 8; ++k) {
        const double u = k / 8.0;
        bowl.push_back({belly + (nozzle - belly) * u * u, waist + (1 - wall / 2 - waist) * u});
    }
    const std::array<ProfilePoint, 7> foot{
        {{0, 0}, {.27, 0}, {.27, .03}, {.08, .06}, {.045, .12}, {.045, bottom}, {0, bottom}}};
    return {.distance =
                [=](Vec3d p) {
                    return smoothUnion(revolvedDistance(p, foot), revolvedWallDistance(p, bowl, wall), .03);
                },
            .bounds = around(belly + wall / 2, 0, 1, belly + wall / 2),
            .tight = true,
            .crease = 50,
            .cell = cellFor(wall, 1.0 / 32)};
}

SolidForm hourglass(const ShapeParameters& parameters) {
    const double wall = parameters["wall"], neck = parameters["neck"] / 2, bulb = 0.30, top = 0.5 - wall / 2;
    // center line of the glass, from the center of the floor to that of the lid
    std::vector<ProfilePoint> profile{{0, -top}};
    for (int k = -16; k <= 16; ++k) {
        const double u = k / 16.0, y = u * top, share = std::min(std::abs(y) / 0.38, 1.0);
        profile.push_back(
            {neck + wall / 2 + (bulb - neck) * (1 - std::cos(std::numbers::pi * share)) / 2, y});
    }
    profile.push_back({0, top});
    const double r = bulb + wall;
    return {.distance = [=](Vec3d p) { return revolvedWallDistance(p, profile, wall); },
            .bounds = around(r, -0.5, 0.5, r),
            .exact = true,
            .cell = cellFor(wall, 1.0 / 32)};
}

}  // namespace coalesce::forms
