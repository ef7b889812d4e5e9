// Particles that a test places, and one check of `expect` that measures them.
#pragma once

#include <cmath>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "checks/measure.h"
#include "scene/build/groups.h"
#include "scene/format/scene.h"
#include "scene/reader.h"

namespace coalesce::test {

inline constexpr double kPi = 3.14159265358979323846;
inline constexpr double d = 0.1;  // [m] spacing of every material
inline constexpr uint32_t kWater = 0, kStone = 1, kSand = 2;

// Bodies a, b of stone, water and sand: groups 0, 1, 2, 3.
inline Scene sceneOf(const std::string& check) {
    return readSceneText(
        R"({"materials": {"water": {"spacing": 0.1}, "stone": {"kind": "rigid", "spacing": 0.1},
            "sand": {"kind": "grains", "spacing": 0.1}},
        "bodies": [{"name": "a", "material": "stone", "points": [[0, 0, 0]]}, {"name": "b", "material": "stone", "points": [[1, 0, 0]]},
            {"name": "pool", "material": "water", "points": [[2, 0, 0]]}, {"name": "heap", "material": "sand", "points": [[3, 0, 0]]}],
        "shapes": [{"name": "floor", "plane": {"normal": [0, 1, 0]}}, {"name": "ball", "sphere": {"radius": 0.5}, "position": [5, 1, 0]},
                   {"name": "gate", "sphere": {"radius": 0.5}, "position": [9, 1, 0], "trigger": true}],
        "duration": 4, "expect": {)" +
            check + "}}",
        "t.json");
}

struct Cloud : ParticleSnapshot {
    void add(Vec3d at, uint32_t material, uint32_t group, Vec3d velocity = {0, 0, 0}, double m = 1) {
        id.push_back(uint32_t(id.size()));
        phase.push_back(makePhase(material, group));
        x.push_back(at);
        v.push_back(velocity);
        mass.push_back(m);
    }
    // A lattice from a corner on.
    void lattice(Vec3d corner, int nx, int ny, int nz, uint32_t material, uint32_t group) {
        for (int j = 0; j < ny; ++j)
            for (int k = 0; k < nz; ++k)
                for (int i = 0; i < nx; ++i)
                    add({corner[0] + (i + 0.5) * d, corner[1] + (j + 0.5) * d, corner[2] + (k + 0.5) * d},
                        material, group);
    }
};

// One check over a run of snapshots.
struct Watch {
    Scene scene;
    ParticleSnapshot start;
    MeasureState state;
    Watch(const std::string& check, const ParticleSnapshot& begin) : scene(sceneOf(check)), start(begin) {}
    std::optional<double> operator()(ParticleSnapshot now) {
        if (now.shapes.empty()) now.shapes = scene.shapes;
        const Check& check = scene.expect.at(0);
        const auto meaning = GroupNames(scene).find(check.group);
        std::vector<uint32_t> selected;
        for (uint32_t i = 0; i < now.id.size(); ++i)
            if (meaning->has(now.phase[i])) selected.push_back(i);
        return measure(scene, check, now, start, selected, state);
    }
};
inline double value(const std::string& check, const ParticleSnapshot& now, const ParticleSnapshot& start) {
    return Watch(check, start)(now).value();
}
inline double value(const std::string& check, const ParticleSnapshot& now) {
    return value(check, now, now);
}

// A rotation about an axis.
inline Quatd turn(Vec3d axis, double degrees) {
    const double l = std::sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]),
                 half = degrees * kPi / 360, s = std::sin(half) / l;
    return {std::cos(half), s * axis[0], s * axis[1], s * axis[2]};
}
// The group's particles, rotated about a point and translated.
inline void moveGroup(ParticleSnapshot& s, uint32_t group, const Quatd& q, Vec3d about, Vec3d by) {
    for (size_t i = 0; i < s.x.size(); ++i) {
        if (groupOf(s.phase[i]) != group) continue;
        const Vec3d r = rotate(q, {s.x[i][0] - about[0], s.x[i][1] - about[1], s.x[i][2] - about[2]});
        for (int k = 0; k < 3; ++k) s.x[i][k] = about[k] + r[k] + by[k];
    }
}

}  // namespace coalesce::test
