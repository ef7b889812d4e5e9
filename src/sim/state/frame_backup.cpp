#include "sim/state/frame_backup.h"

#include "core/primitives.h"
#include "sim/state/visit_state.h"

namespace coalesce {

namespace {

class Save : public StateArchive<kRolledBack> {
public:
    Save(Exec& exec, std::vector<Buffer<std::byte>>& arrays) : m_exec(exec), m_arrays(arrays) {}
    template <class T>
    void particles(const ArrayInfo&, const Buffer<T>& array) {
        table("", array);
    }
    template <class T>
    void table(const char*, const Buffer<T>& table, EmptyTable = EmptyTable::skipped) {
        // kept from frame to frame, so that a running simulation allocates nothing
        if (m_next == m_arrays.size()) m_arrays.emplace_back(m_exec);
        Buffer<std::byte>& to = m_arrays[m_next++];
        to.resizeDiscard(table.size() * sizeof(T));
        if (table.size() > 0) m_copies.push_back({table.view().data, to.view().data, to.size()});
    }

    void finish() const { copyArrays(m_exec, "frame backup", m_copies); }

private:
    Exec& m_exec;
    std::vector<Buffer<std::byte>>& m_arrays;
    std::vector<ArrayCopy> m_copies;
    size_t m_next = 0;
};

class RollBack : public StateArchive<kRolledBack> {
public:
    RollBack(Exec& exec, const std::vector<Buffer<std::byte>>& arrays) : m_exec(exec), m_arrays(arrays) {}
    template <class T>
    void particles(const ArrayInfo&, Buffer<T>& array) {
        table("", array);
    }
    template <class T>
    void table(const char*, Buffer<T>& table, EmptyTable = EmptyTable::skipped) {
        const Buffer<std::byte>& from = m_arrays.at(m_next++);
        table.resizeDiscard(from.size() / sizeof(T));
        if (from.size() > 0) m_exec.copyWithin(table.view().data, from.view().data, from.size());
    }

private:
    Exec& m_exec;
    const std::vector<Buffer<std::byte>>& m_arrays;
    size_t m_next = 0;
};

}  // namespace

void FrameBackup::save(const World& world) {
    Save archive(m_exec, m_arrays);
    visitState(archive, world);
    archive.finish();
}

void FrameBackup::restore(World& world) const {
    RollBack archive(m_exec, m_arrays);
    visitState(archive, world);
}

}  // namespace coalesce
