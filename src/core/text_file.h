// Text files written whole.
#pragma once

#include <filesystem>
#include <string>

namespace coalesce {

// All of the text or nothing: a part file, then a rename. Exit::Output.
void writeTextFile(const std::filesystem::path& file, const std::string& text);

}  // namespace coalesce
