// A small scene that runs and renders quickly, in a temporary folder.
#pragma once

#include <filesystem>
#include <string>

#include "support/temporary_folder.h"

namespace coalesce::test {

// 216 water particles above a floor; `more`: further members of the scene, each followed by a comma.
inline std::filesystem::path smallScene(const TemporaryFolder& folder, const std::string& more = "") {
    writeText(folder / "small.json", "{" + more + R"(
        "about": "A small block of water falls on a floor.",
        "duration": 0.1,
        "materials": { "water": { "spacing": 0.1 } },
        "bodies": [{ "name": "block", "material": "water", "block": { "min": [0, 0.2, 0], "max": [0.6, 0.8, 0.6] } }],
        "shapes": [{ "name": "floor", "plane": { "normal": [0, 1, 0] } }],
        "cameras": [
            { "name": "main", "eye": [1.6, 1.1, 1.8], "look": [0.3, 0.3, 0.3], "fov": 40 },
            { "name": "top", "eye": [0.3, 3, 0.5], "look": [0.3, 0, 0.3] }
        ]
    })");
    return folder / "small.json";
}

}  // namespace coalesce::test
