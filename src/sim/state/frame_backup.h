// The state of a world at the start of a frame, on the device: for frames that fail or are redone.
#pragma once

#include <cstddef>
#include <vector>

#include "core/buffer.h"

namespace coalesce {

struct World;

// What the substeps of a frame change, see kRolledBack.
class FrameBackup {
public:
    explicit FrameBackup(Exec& exec) : m_exec(exec) {}
    void save(const World& world);
    // Puts the last saved state back.
    void restore(World& world) const;

private:
    Exec& m_exec;
    std::vector<Buffer<std::byte>> m_arrays;  // in the order of visitState
};

}  // namespace coalesce
