// A scene with one object of every kind that has values, and a different value for each of them.
#pragma once

#include <algorithm>

#include "scene/format/edits.h"
#include "support/small_scene.h"

namespace coalesce::test {

inline std::filesystem::path sceneOfEverything(const TemporaryFolder& folder) {
    writeText(folder / "everything.json", R"({
        "about": "One of each.",
        "duration": 0.1,
        "materials": { "water": { "spacing": 0.1 }, "wet sand": { "kind": "grains", "spacing": 0.1 } },
        "bodies": [{ "name": "block", "material": "water", "block": { "min": [0, 0.2, 0], "max": [0.4, 0.6, 0.4] } }],
        "fields": [{ "name": "pull", "strength": 0 }, { "name": "breeze", "kind": "wind", "enabled": false }],
        "emitters": [{ "name": "tap", "disc": { "radius": 0.1 }, "material": "water", "position": [2, 2, 2], "enabled": false }],
        "sinks": [{ "name": "drain", "box": { "size": [1, 1, 1] }, "position": [3, -4, 3] }, { "name": "old", "age": 100 }],
        "shapes": [
            { "name": "floor", "plane": { "normal": [0.1, 1, 0], "offset": -0.25 } },
            { "name": "gate", "box": { "size": [0.1, 1, 1] }, "position": [-1, 0.5, 0.3], "rotation": [10, 20, 30] },
            { "name": "wheel", "sphere": { "radius": 0.2 }, "position": [2, 1, 0], "angularVelocity": [0, 90, 0] },
            { "name": "lift", "box": { "size": [0.1, 0.1, 0.1] },
              "keys": [{ "t": 0, "position": [5, 0, 0] }, { "t": 1, "position": [5, 1, 0] }] }
        ]
    })");
    return folder / "everything.json";
}

// A different valid value; the same value if there is only one.
inline Edit otherValue(const Tunable& t) {
    Edit edit = t.value;
    // emitters are not available in planar scenes; a sink without a region has no outside
    if (edit.path == "solver.planar" || edit.path == "sinks.old.outside") return edit;
    const auto other = [&](double v) {
        for (const double to : {v * 1.25, 0.125, v * 0.75, t.info.min, t.info.max})
            if (to != v && to >= t.info.min && to <= t.info.max)
                return static_cast<double>(static_cast<float>(to));
        return v;
    };
    switch (t.type) {
        case Tunable::Type::Number:
            edit.numbers[0] = other(edit.numbers[0]);
            break;
        case Tunable::Type::Whole:
            edit.numbers[0] += edit.numbers[0] + 1 <= t.info.max ? 1 : -1;
            break;
        case Tunable::Type::Switch:
            edit.word = edit.word == "true" ? "false" : "true";
            break;
        case Tunable::Type::Choice: {
            const auto now = std::find(t.choices->begin(), t.choices->end(), edit.word) - t.choices->begin();
            edit.word = std::string((*t.choices)[static_cast<size_t>(now + 1) % t.choices->size()]);
            break;
        }
        case Tunable::Type::Vector:
            for (double& n : edit.numbers) n = other(n);
            break;
        case Tunable::Type::Rotation: {
            const Quat q = quatFromEuler(0.3, -0.7, 1.1);
            edit.numbers = {q.x, q.y, q.z, q.w};
            break;
        }
    }
    return edit;
}

}  // namespace coalesce::test
