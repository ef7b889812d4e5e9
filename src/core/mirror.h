// Array on the device that follows one on the host, and is uploaded only when that has changed: an upload waits for the
// device.
#pragma once

#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/buffer.h"

namespace coalesce {

template <class T>
class Mirror {
public:
    static_assert(std::is_trivially_copyable_v<T>);

    explicit Mirror(Exec& exec) : m_buffer(exec) {}

    // true: it has changed
    bool set(std::vector<T> now) {
        if (now.size() == m_host.size() &&
            (now.empty() || std::memcmp(now.data(), m_host.data(), now.size() * sizeof(T)) == 0))
            return false;
        m_host.clear();  // where the upload fails, the next one is not left out
        m_buffer.upload(now);
        m_host = std::move(now);
        return true;
    }
    const std::vector<T>& host() const { return m_host; }
    size_t size() const { return m_host.size(); }
    View<const T> view() const { return m_buffer.view(); }

private:
    Buffer<T> m_buffer;
    std::vector<T> m_host;
};

}  // namespace coalesce
