// Files that may be written anew while what was read from them is in use.
#pragma once

#include <filesystem>
#include <map>
#include <vector>

namespace coalesce {

class WatchedFiles {
public:
    // As they are now. To be noted before they are read: a change in between is one that counts.
    explicit WatchedFiles(const std::vector<std::filesystem::path>& files = {});
    // From now on these alone; of those that were watched already the earlier time counts.
    void watch(const std::vector<std::filesystem::path>& files);
    // One of them is another than it was. Editors that put a new file in place of the old one take it away
    // for a moment, so one that is missing is not.
    bool changed() const;
    std::vector<std::filesystem::path> files() const;

private:
    std::map<std::filesystem::path, std::filesystem::file_time_type> m_times;
};

}  // namespace coalesce
