// Owner of an array on the device of an Exec. Never copied implicitly: use upload, download, copyFrom.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/exec.h"
#include "kernels/math/view.h"

namespace coalesce {

template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    Buffer() = default;
    explicit Buffer(Exec& exec, size_t n = 0) : m_exec(&exec) { resize(n); }
    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        swap(other);
        return *this;
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() {
        if (m_data) m_exec->release(m_data);
    }

    size_t size() const { return m_size; }
    size_t capacity() const { return m_capacity; }
    size_t bytes() const { return m_capacity * sizeof(T); }
    View<T> view() { return {m_data, m_size}; }
    View<const T> view() const { return {m_data, m_size}; }

    // Keeps the first min(old, new) elements; new elements are undefined. Grows by at least a quarter of the
    // capacity, because a buffer that grows a little will grow again.
    void resize(size_t n) {
        if (n > m_capacity) reserve(planned(n));
        m_size = n;
    }
    void reserve(size_t n) {
        if (n <= m_capacity) return;
        CHECK(m_exec != nullptr);
        const size_t wanted = n <= SIZE_MAX / sizeof(T) ? n * sizeof(T) : SIZE_MAX;
        T* grown = static_cast<T*>(m_exec->allocate(wanted));
        if (m_data) {
            m_exec->copyWithin(grown, m_data, m_size * sizeof(T));
            m_exec->release(m_data);
        }
        m_data = grown;
        m_capacity = n;
    }
    // Resizes without preserving contents: the old memory is released first, so old and new never coexist.
    void resizeDiscard(size_t n) {
        if (n > m_capacity || 2 * n < m_capacity) {
            const size_t wanted = n > m_capacity ? planned(n) : n;
            if (m_data) m_exec->release(m_data);
            m_data = nullptr;
            m_size = m_capacity = 0;
            reserve(wanted);
        }
        m_size = n;
    }
    // Releases memory when less than half of the capacity is used.
    void shrink(size_t wanted) {
        if (wanted < m_size) wanted = m_size;
        if (m_capacity <= 2 * wanted) return;
        Buffer smaller(*m_exec, 0);
        smaller.reserve(wanted);
        smaller.resize(m_size);
        smaller.copyFrom(*this);
        swap(smaller);
    }

    void upload(std::span<const T> host) {
        resize(host.size());
        if (!host.empty()) m_exec->copyFromHost(m_data, host.data(), host.size_bytes());
    }
    void append(std::span<const T> host) {
        const size_t before = m_size;
        resize(before + host.size());
        if (!host.empty()) m_exec->copyFromHost(m_data + before, host.data(), host.size_bytes());
    }
    std::vector<T> download() const {
        std::vector<T> host(m_size);
        if (m_size) m_exec->copyToHost(host.data(), m_data, m_size * sizeof(T));
        return host;
    }
    void copyFrom(const Buffer& other) {
        resizeDiscard(other.size());
        if (m_size) m_exec->copyWithin(m_data, other.m_data, m_size * sizeof(T));
    }
    void fillZero() {
        if (m_size) m_exec->fillBytes(m_data, 0, m_size * sizeof(T));
    }
    void swap(Buffer& other) noexcept {
        std::swap(m_exec, other.m_exec);
        std::swap(m_data, other.m_data);
        std::swap(m_size, other.m_size);
        std::swap(m_capacity, other.m_capacity);
    }

private:
    size_t planned(size_t n) const {
        const size_t ahead = m_capacity + m_capacity / 4;
        return n < ahead ? ahead : n;
    }

    Exec* m_exec = nullptr;
    T* m_data = nullptr;
    size_t m_size = 0, m_capacity = 0;
};

}  // namespace coalesce
