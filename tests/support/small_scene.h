// A small scene that runs and renders quickly, in a temporary folder that is removed with the test.
#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <unistd.h>

namespace coalesce::test {

class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "coalesce_XXXXXX").string();
        if (!mkdtemp(name.data())) ADD_FAILURE() << "no temporary folder: " << name;
        m_path = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    std::filesystem::path operator/(const std::string& name) const { return m_path / name; }
    const std::filesystem::path& path() const { return m_path; }

private:
    std::filesystem::path m_path;
};

inline std::string readText(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
}

inline void writeText(const std::filesystem::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
}

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
