#include "core/text_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/error.h"

namespace coalesce {

namespace fs = std::filesystem;

void writeTextFile(const fs::path& file, const std::string& text) {
    const fs::path part = file.string() + ".part";
    const auto refuse = [&](const std::string& what) {
        const std::string reason = std::strerror(errno);
        std::error_code ignored;
        fs::remove(part, ignored);
        fail(Exit::Output, file.string(), what + ": " + reason,
             "Check that the folder exists and is writable, and that the disk has space.");
    };
    std::ofstream out(part, std::ios::binary);
    if (!out) refuse("cannot be written");
    out << text;
    out.close();
    if (!out) refuse("could not be written completely");
    std::error_code renamed;
    fs::rename(part, file, renamed);
    if (renamed) refuse("cannot be replaced");
}

}  // namespace coalesce
