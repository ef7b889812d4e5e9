// Stack allocator for temporary arrays of one stage or one step. A stage opens a Scope and takes named
// arrays; the end of the Scope releases them. Memory is kept between steps, so a running simulation allocates
// nothing. With bounds checks, arrays are filled with NaN, so that values that were never written show up.
#pragma once

#include <cstddef>
#include <vector>

#include "core/exec.h"
#include "kernels/math/view.h"

namespace coalesce {

class Scratch {
public:
    explicit Scratch(Exec& exec) : m_exec(exec) {}
    ~Scratch();
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    class Scope {
    public:
        explicit Scope(Exec& exec) : m_scratch(exec.scratch()), m_mark(m_scratch.m_used) {}
        ~Scope() { m_scratch.rewind(m_mark); }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

        template <class T>
        View<T> take(const char* name, size_t n) {
            return {static_cast<T*>(m_scratch.takeBytes(name, n * sizeof(T))), n};
        }

    private:
        Scratch& m_scratch;
        size_t m_mark;
    };

    size_t bytes() const;

private:
    struct Block {
        void* memory;
        size_t bytes;
        const char* name;  // of the current user
    };
    void* takeBytes(const char* name, size_t bytes);
    void rewind(size_t mark) { m_used = mark; }

    Exec& m_exec;
    std::vector<Block> m_blocks;  // a stack; block i serves the i-th take
    size_t m_used = 0;
};

}  // namespace coalesce
