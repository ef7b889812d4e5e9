// Decodes images and videos with independent programs.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace coalesce::test {

struct Decoded {
    int width = 0, height = 0;
    std::vector<uint8_t> rgb;  // rows from top to bottom
    std::array<int, 3> at(int x, int y) const {
        const uint8_t* p = &rgb[(size_t(y) * width + x) * 3];
        return {p[0], p[1], p[2]};
    }
};
Decoded decodePng(const std::filesystem::path& file);

// Output of a command; empty or partial if it fails.
inline std::string outputOf(const std::string& command) {
    std::string text;
    std::FILE* pipe = popen(command.c_str(), "r");
    char part[4096];
    for (size_t n; pipe && (n = fread(part, 1, sizeof part, pipe)) > 0;) text.append(part, n);
    if (pipe) pclose(pipe);
    return text;
}

}  // namespace coalesce::test
