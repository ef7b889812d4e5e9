// Atomic writing of text files.
#pragma once

#include <filesystem>
#include <string>

namespace coalesce {

// Writes all of the text or nothing: to a temporary file, which is then renamed. Fails with Exit::Output.
void writeTextFile(const std::filesystem::path& file, const std::string& text);

}  // namespace coalesce
