// Runs as the user nobody, for tests of folders that cannot be written: root may write everywhere.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace coalesce::test {

inline constexpr unsigned kNobody = 65534;

// Makes a folder one that others than root may read, and not write.
inline void makeReadOnly(const std::filesystem::path& folder) {
    using std::filesystem::perms;
    std::filesystem::permissions(folder, perms::owner_read | perms::owner_exec | perms::group_read |
                                             perms::group_exec | perms::others_read | perms::others_exec);
}

// This process is nobody for the lifetime of the object, if it is root.
class AsNobody {
public:
    AsNobody() : m_root(geteuid() == 0) {
        if (m_root) m_changed = setegid(kNobody) == 0 && seteuid(kNobody) == 0;
    }
    ~AsNobody() {
        if (m_root && (seteuid(0) != 0 || setegid(0) != 0)) std::abort();  // later tests need root
    }
    AsNobody(const AsNobody&) = delete;
    AsNobody& operator=(const AsNobody&) = delete;
    bool isRoot() const { return m_root && !m_changed; }  // no other user could be taken on

private:
    bool m_root, m_changed = false;
};

}  // namespace coalesce::test
