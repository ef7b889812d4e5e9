#include "sim/state/world_snapshot.h"

#include "sim/state/visit_state.h"

namespace coalesce {

namespace {

using Bytes = std::vector<std::byte>;  // of a device array

class CaptureSnapshot : public StateArchive<kSnapshot> {
public:
    CaptureSnapshot(Exec& exec, std::vector<std::any>& items) : m_exec(exec), m_items(items) {}
    template <class T>
    void value(const char*, const T& value, Hashed = Hashed::yes) {
        m_items.emplace_back(value);
    }
    template <class Records>
    void list(const char*, const Records& records) {
        m_items.emplace_back(records);
    }
    template <class Gather, class Scatter>
    void gathered(const char*, Gather&& gather, Scatter&&) {
        m_items.emplace_back(gather());
    }
    template <class T>
    void setting(const char*, const T& object) {
        m_items.emplace_back(object);
    }
    template <class T>
    void particles(const ArrayInfo&, const Buffer<T>& array) {
        table("", array);
    }
    template <class T>
    void table(const char*, const Buffer<T>& table, EmptyTable = EmptyTable::skipped) {
        Bytes host(table.size() * sizeof(T));
        if (!host.empty()) m_exec.copyToHost(host.data(), table.view().data, host.size());
        m_items.emplace_back(std::move(host));
    }

private:
    Exec& m_exec;
    std::vector<std::any>& m_items;
};

// Both passes of a restore: the first allocates device memory, which may fail, and changes nothing else.
class RestoreSnapshot : public StateArchive<kSnapshot> {
public:
    enum class Pass { allocate, apply };
    RestoreSnapshot(Exec& exec, const std::vector<std::any>& items, Pass pass)
        : m_exec(exec), m_items(items), m_allocate(pass == Pass::allocate) {}

    template <class T>
    void value(const char*, T& value, Hashed = Hashed::yes) {
        assign(value);
    }
    template <class Records>
    void list(const char*, Records& records) {
        assign(records);
    }
    template <class Gather, class Scatter>
    void gathered(const char*, Gather&&, Scatter&& scatter) {
        const std::any& item = next();
        if (!m_allocate) scatter(std::any_cast<const std::invoke_result_t<Gather>&>(item));
    }
    template <class T>
    void setting(const char*, T& object) {
        assign(object);
    }
    template <class T>
    void particles(const ArrayInfo&, Buffer<T>& array) {
        table("", array);
    }
    template <class T>
    void table(const char*, Buffer<T>& table, EmptyTable = EmptyTable::skipped) {
        const auto& host = std::any_cast<const Bytes&>(next());
        if (m_allocate) return table.reserve(host.size() / sizeof(T));
        table.resize(host.size() / sizeof(T));
        if (!host.empty()) m_exec.copyFromHost(table.view().data, host.data(), host.size());
    }

    void finish() const { CHECK_EQ(m_next, m_items.size()); }

private:
    const std::any& next() {
        CHECK_LT(m_next, m_items.size());
        return m_items[m_next++];
    }
    template <class T>
    void assign(T& to) {
        const std::any& item = next();
        if (!m_allocate) to = std::any_cast<const T&>(item);
    }

    Exec& m_exec;
    const std::vector<std::any>& m_items;
    bool m_allocate;
    size_t m_next = 0;
};

// Adds up what grows with the world; settings other than lists are small.
class Measure : public StateArchive<kSnapshot> {
public:
    template <class T>
    void list(const char*, const std::vector<T>& records) {
        bytes += records.size() * sizeof(T);
    }
    template <class T>
    void setting(const char*, const T& object) {
        if constexpr (requires { object.bytes(); })
            bytes += object.bytes();
        else if constexpr (requires { object.size(); })
            bytes += object.size() * sizeof(typename T::value_type);
        else
            bytes += sizeof(T);
    }
    template <class T>
    void particles(const ArrayInfo&, const Buffer<T>& array) {
        bytes += array.size() * sizeof(T);
    }
    template <class T>
    void table(const char*, const Buffer<T>& table, EmptyTable = EmptyTable::skipped) {
        bytes += table.size() * sizeof(T);
    }
    size_t bytes = sizeof(WorldSnapshot);
};

}  // namespace

WorldSnapshot::WorldSnapshot(const World& world)
    : m_frame(world.frame), m_time(world.time), m_bytes(bytesOf(world)) {
    CaptureSnapshot archive(world.exec, m_items);
    visitState(archive, world);
}

size_t WorldSnapshot::bytesOf(const World& world) {
    Measure archive;
    visitState(archive, world);
    return archive.bytes;
}

void WorldSnapshot::restore(World& world) const {
    RestoreSnapshot allocate(world.exec, m_items, RestoreSnapshot::Pass::allocate);
    visitState(allocate, world);
    RestoreSnapshot apply(world.exec, m_items, RestoreSnapshot::Pass::apply);
    visitState(apply, world);
    apply.finish();
    ++world.solids.topology;
    world.commands.clear();
}

}  // namespace coalesce
