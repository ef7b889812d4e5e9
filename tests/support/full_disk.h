// A disk that becomes full, for tests of what is left behind.
#pragma once

#include <csignal>
#include <cstdint>
#include <sys/resource.h>

namespace coalesce::test {

// While it exists, no file of this process grows beyond so many bytes: a write stops there and then fails.
class FullDisk {
public:
    explicit FullDisk(uint64_t bytes) : m_handler(std::signal(SIGXFSZ, SIG_IGN)) {
        getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit limit{bytes, m_before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FullDisk() {
        setrlimit(RLIMIT_FSIZE, &m_before);
        std::signal(SIGXFSZ, m_handler);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

private:
    rlimit m_before{};
    void (*m_handler)(int);
};

}  // namespace coalesce::test
