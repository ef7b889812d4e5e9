// Detects changes of files that have been read. Compares modification times.
#pragma once

#include <filesystem>
#include <map>
#include <vector>

namespace coalesce {

class WatchedFiles {
public:
    // Notes the present times. To be constructed before the files are read, so that a change during reading
    // is detected.
    explicit WatchedFiles(const std::vector<std::filesystem::path>& files = {});
    // Replaces the list; files that were watched before keep their noted time.
    void watch(const std::vector<std::filesystem::path>& files);
    // Whether any file has changed. A missing file does not count: editors that replace a file remove it for
    // a moment.
    bool changed() const;
    // The same for all files but these.
    bool changedBut(const std::vector<std::filesystem::path>& files) const;
    std::vector<std::filesystem::path> files() const;

private:
    std::map<std::filesystem::path, std::filesystem::file_time_type> m_times;
};

}  // namespace coalesce
