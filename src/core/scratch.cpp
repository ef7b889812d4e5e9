#include "core/scratch.h"

namespace coalesce {

Scratch::~Scratch() {
    for (Block& block : m_blocks) m_exec.release(block.memory);
}

size_t Scratch::bytes() const {
    size_t sum = 0;
    for (const Block& block : m_blocks) sum += block.bytes;
    return sum;
}

void* Scratch::takeBytes(const char* name, size_t bytes) {
    if (bytes == 0) bytes = 1;
    if (m_used == m_blocks.size()) m_blocks.push_back({nullptr, 0, name});
    Block& block = m_blocks[m_used];
    if (block.bytes < bytes) {
        // in-flight work may still read the old block
        m_exec.synchronize(name);
        m_exec.release(block.memory);
        block = {nullptr, 0, name};
        const size_t grown = bytes + bytes / 8;
        block.memory = m_exec.allocate(grown);
        block.bytes = grown;
    }
    block.name = name;
    m_used += 1;
#ifdef COALESCE_CHECK_BOUNDS
    m_exec.fillBytes(block.memory, 0xff, bytes);
#endif
    return block.memory;
}

}  // namespace coalesce
