// Files that are read or written as a whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace coalesce {

// ---- reading ----

// Why a path cannot be read as a file: "it does not exist", "it is a folder", "it is a FIFO"; empty for a
// regular file. Anything else could block or never end.
std::string whyNoFile(const std::filesystem::path& file);

// The bytes of a regular file. Exit::Scene.
std::string readFile(const std::filesystem::path& file, uintmax_t mostBytes = UINT64_MAX);

// ---- writing ----

// Where the bytes of an output go.
struct OutputPlace {
    std::filesystem::path file;  // behind all symbolic links
    bool inPlace = false;        // a FIFO, a character device or an open descriptor: it is never replaced
};
// `where` names the option in errors; empty: the file. Exit::Output for what cannot be an output: a folder, a
// socket, a block device, a write-protected file.
OutputPlace outputPlace(const std::filesystem::path& file, const std::string& where = {});

// A file that appears when it is whole: the bytes go to FILE.part, which finish() renames. A symbolic link
// stays, and its target is replaced. Errors: Exit::Output; they leave an earlier file as it was.
class OutputFile {
public:
    explicit OutputFile(const std::filesystem::path& file);
    ~OutputFile();  // without finish(): removes the part
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(std::string_view bytes);
    void finish();

private:
    [[noreturn]] void refuse(const std::string& what, int error);
    void discard();

    std::filesystem::path m_named, m_part;  // as the caller names it; written to
    OutputPlace m_place;
    int m_descriptor = -1;
};

// All of the bytes or nothing, through an OutputFile.
void writeFile(const std::filesystem::path& file, std::string_view bytes);

}  // namespace coalesce
