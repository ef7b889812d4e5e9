#include "core/whole_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "core/error.h"

namespace coalesce {

namespace fs = std::filesystem;

namespace {

// "a folder", "a FIFO"; empty: a regular file, or nothing
std::string specialFile(fs::file_type type) {
    switch (type) {
        case fs::file_type::directory:
            return "a folder";
        case fs::file_type::fifo:
            return "a FIFO";
        case fs::file_type::socket:
            return "a socket";
        case fs::file_type::block:
            return "a block device";
        case fs::file_type::character:
            return "a device";
        default:
            return "";
    }
}

// /dev/stdout and /dev/fd/N lead to /proc/PID/fd/N: an open file, which another program may also write to.
bool isDescriptor(const fs::path& file) {
    std::error_code ignored;
    const fs::path folder = fs::canonical(file.parent_path(), ignored);
    return folder.filename() == "fd" && *std::next(folder.begin(), 1) == "proc";
}

}  // namespace

std::string whyNoFile(const fs::path& file) {
    std::error_code error;
    const fs::file_status status = fs::status(file, error);
    if (status.type() == fs::file_type::not_found) return "it does not exist";
    if (status.type() == fs::file_type::none) return "it cannot be reached: " + error.message();
    const std::string special = specialFile(status.type());
    return special.empty() ? "" : "it is " + special + ", not a file";
}

std::string readFile(const fs::path& file, uintmax_t mostBytes) {
    if (const std::string why = whyNoFile(file); !why.empty())
        fail(Exit::Scene, file.string(), "the file cannot be read: " + why,
             "Looked for " + fs::absolute(file).lexically_normal().string() + ".");
    std::error_code error;
    const uintmax_t size = fs::file_size(file, error);
    if (error) fail(Exit::Scene, file.string(), "the file cannot be read: " + error.message());
    if (size > mostBytes)
        fail(Exit::Scene, file.string(),
             fmt::format("the file has {} bytes; at most {} are read", size, mostBytes));
    std::string bytes(size, '\0');
    std::ifstream in(file, std::ios::binary);
    if (!in.read(bytes.data(), std::streamsize(size)))
        fail(Exit::Scene, file.string(), "the file cannot be read", "Check its permissions.");
    return bytes;
}

OutputPlace outputPlace(const fs::path& file, const std::string& where) {
    const auto refuse = [&](const std::string& what, const std::string& hint) {
        fail(Exit::Output, where.empty() ? file.string() : where + " " + file.string(), what, hint);
    };
    std::error_code error;
    const fs::file_type type = fs::status(file, error).type();
    if (type == fs::file_type::directory || type == fs::file_type::socket || type == fs::file_type::block)
        refuse("it is " + specialFile(type) + ", which is not replaced by a file", "Choose another name.");
    // step by step: the last target need not exist
    fs::path place = file;
    for (int links = 0; fs::is_symlink(fs::symlink_status(place, error)); ++links) {
        if (isDescriptor(place)) return {place, true};
        const fs::path target = fs::read_symlink(place, error);
        if (error || links == 40) refuse("its symbolic links lead nowhere", "Choose another name.");
        place = place.parent_path() / target;  // the target alone where it is absolute
    }
    if (type == fs::file_type::regular && access(place.c_str(), W_OK) != 0)
        refuse("the file is write-protected", "Choose another name, or allow writing: chmod u+w.");
    return {place, type == fs::file_type::fifo || type == fs::file_type::character};
}

OutputFile::OutputFile(const fs::path& file) : m_named(file), m_place(outputPlace(file)) {
    m_part = m_place.file;
    if (m_place.inPlace) {
        m_descriptor = open(m_part.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    } else {
        m_part += ".part";
        unlink(m_part.c_str());  // of a run that was killed; a link is not followed
        m_descriptor = open(m_part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        struct stat old {};
        if (m_descriptor >= 0 && stat(m_place.file.c_str(), &old) == 0)
            (void)!fchmod(m_descriptor, old.st_mode & 07777);
    }
    if (m_descriptor < 0) {
        const int reason = errno;
        m_part.clear();  // it is not ours
        refuse("cannot be written", reason);
    }
}

OutputFile::~OutputFile() {
    discard();
}

void OutputFile::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(m_descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) refuse("could not be written completely", errno);
        bytes.remove_prefix(size_t(written));
    }
}

void OutputFile::finish() {
    // network file systems report a full disk only here
    if (close(std::exchange(m_descriptor, -1)) != 0) refuse("could not be written completely", errno);
    if (!m_place.inPlace && std::rename(m_part.c_str(), m_place.file.c_str()) != 0)
        refuse("cannot be replaced", errno);
    m_part.clear();
}

void OutputFile::discard() {
    if (m_descriptor >= 0) close(std::exchange(m_descriptor, -1));
    if (!m_place.inPlace && !m_part.empty()) unlink(m_part.c_str());
    m_part.clear();
}

void OutputFile::refuse(const std::string& what, int error) {
    discard();
    fail(Exit::Output, m_named.string(), what + ": " + std::strerror(error),
         error == ENOSPC || error == EDQUOT || error == EFBIG
             ? "Free disk space, or choose a folder on another disk."
             : "Check that the folder exists and is writable.");
}

void writeFile(const fs::path& file, std::string_view bytes) {
    OutputFile out(file);
    out.write(bytes);
    out.finish();
}

}  // namespace coalesce
