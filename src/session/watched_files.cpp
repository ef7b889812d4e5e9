#include "session/watched_files.h"

#include <algorithm>

namespace coalesce {

namespace {

// The minimum time if the file does not exist.
std::filesystem::file_time_type timeOf(const std::filesystem::path& file) {
    std::error_code missing;
    return std::filesystem::last_write_time(file, missing);
}

}  // namespace

WatchedFiles::WatchedFiles(const std::vector<std::filesystem::path>& files) {
    watch(files);
}

void WatchedFiles::watch(const std::vector<std::filesystem::path>& files) {
    std::map<std::filesystem::path, std::filesystem::file_time_type> times;
    for (const auto& file : files) {
        const auto known = m_times.find(file);
        times[file] = known == m_times.end() ? timeOf(file) : known->second;
    }
    m_times = std::move(times);
}

bool WatchedFiles::changed() const {
    return changedBut({});
}

bool WatchedFiles::changedBut(const std::vector<std::filesystem::path>& files) const {
    return std::any_of(m_times.begin(), m_times.end(), [&](const auto& entry) {
        if (std::find(files.begin(), files.end(), entry.first) != files.end()) return false;
        const auto time = timeOf(entry.first);
        return time != entry.second && time != std::filesystem::file_time_type::min();
    });
}

std::vector<std::filesystem::path> WatchedFiles::files() const {
    std::vector<std::filesystem::path> files;
    for (const auto& [file, time] : m_times) files.push_back(file);
    return files;
}

}  // namespace coalesce
