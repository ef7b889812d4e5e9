#include "sim/state/state_hash.h"

#include "core/for_each.h"
#include "core/primitives.h"
#include "core/scratch.h"
#include "kernels/math/atomics.h"
#include "sim/state/state_hasher.h"

namespace coalesce {

namespace {

// Adds one array's words to the particles' hashes.
template <class T>
struct HashArray {
    View<const T> array;
    View<uint64_t> hash;  // updated
    View<uint32_t> bad;   // [1], raised to id + 1 of a particle that is not finite
    View<const uint32_t> id;
    uint64_t salt;  // makes equal words in different arrays differ

    HD void operator()(int i) const {
        uint64_t h = hash[i];
        if constexpr (std::is_same_v<T, Vec4>) {
            const Vec4 a = array[i];
            if (!isFinite(a.x) || !isFinite(a.y) || !isFinite(a.z) || !isFinite(a.w))
                atomicMax(&bad[0], id[i] + 1);
            h = mixIn(h, wordOf(a.x) << 32 | wordOf(a.y));
            h = mixIn(h, (wordOf(a.z) << 32 | wordOf(a.w)) + salt);
        } else {
            if constexpr (std::is_same_v<T, float>)
                if (!isFinite(array[i])) atomicMax(&bad[0], id[i] + 1);
            h = mixIn(h, wordOf(array[i]) + salt);
        }
        hash[i] = h;
    }
};

struct StartHash {
    View<const uint32_t> id;
    View<uint64_t> hash;  // written
    HD void operator()(int i) const { hash[i] = mix(id[i]); }
};

// Hash of each element of a table, from what of it changes in a run.
template <class T>
struct HashTable {
    View<const T> table;
    View<uint64_t> hash;  // written
    uint64_t salt;
    HD void operator()(int i) const {
        uint64_t h = mix(uint64_t(i) + salt);
        if constexpr (std::is_same_v<T, ClusterPose>) {
            const ClusterPose p = table[i];
            h = mixIn(h, wordOf(p.center.x) << 32 | wordOf(p.center.y));
            h = mixIn(h, wordOf(p.center.z) << 32 | wordOf(p.mass));
            h = mixIn(h, wordOf(p.rotation.x) << 32 | wordOf(p.rotation.y));
            h = mixIn(h, wordOf(p.rotation.z) << 32 | wordOf(p.rotation.w));
        } else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, uint32_t>) {
            h = mixIn(h, wordOf(table[i]));
        } else if constexpr (std::is_same_v<T, DistanceConstraint>) {
            const DistanceConstraint s = table[i];
            h = mixIn(h, wordOf(s.a) << 32 | wordOf(s.b));
            h = mixIn(h, wordOf(s.length) << 32 | wordOf(s.params));
        } else if constexpr (std::is_same_v<T, ClothTriangle>) {
            const ClothTriangle t = table[i];
            h = mixIn(h, wordOf(t.a) << 32 | wordOf(t.b));
            h = mixIn(h, wordOf(t.c) << 32 | wordOf(t.material));
        } else if constexpr (std::is_same_v<T, VolumeConstraint>) {
            h = mixIn(h, wordOf(table[i].restVolume));
        } else {
            const Vec4 a = table[i];
            h = mixIn(h, wordOf(a.x) << 32 | wordOf(a.y));
            h = mixIn(h, wordOf(a.z) << 32 | wordOf(a.w));
        }
        hash[i] = h;
    }
};

}  // namespace

StateHasher::StateHasher(const World& world)
    : m_world(world), m_scratch(world.exec), m_sum(world.exec, 1), m_bad(world.exec, 1) {
    m_bad.fillZero();
    m_particles = m_scratch.take<uint64_t>("hash.particles", world.count());
    forEach(world.exec, "hash", int64_t(world.count()), StartHash{world.particles.id.view(), m_particles});
}

template <class T>
void StateHasher::particles(const ArrayInfo& info, const Buffer<T>& array) {
    CHECK(!m_summed);
    if (info.role == ArrayRole::Transient || (info.role == ArrayRole::Optional && array.size() == 0)) return;
    forEach(
        m_world.exec, "hash", int64_t(m_world.count()),
        HashArray<T>{array.view(), m_particles, m_bad.view(), m_world.particles.id.view(), ++m_arrays << 40});
}

void StateHasher::finishParticles() {
    if (m_summed) return;
    m_summed = true;
    reduceSum(m_world.exec, "hash", m_particles, m_sum.view());
    m_hash = m_sum.download()[0];
    word(m_world.count());
}

template <class T>
void StateHasher::table(const char*, const Buffer<T>& table, EmptyTable empty) {
    if (table.size() == 0 && empty == EmptyTable::skipped) return;
    Exec& exec = m_world.exec;
    Scratch::Scope scratch(exec);
    const View<uint64_t> hash = scratch.take<uint64_t>("hash.table", table.size());
    forEach(exec, "hash", int64_t(table.size()), HashTable<T>{table.view(), hash, ++m_tables << 40});
    reduceSum(exec, "hash", hash, m_sum.view());
    word(m_sum.download()[0]);
}

uint64_t StateHasher::result() {
    finishParticles();
    if (const uint32_t first = m_bad.download()[0])
        fail(Exit::Simulation, "state hash", fmt::format("particle {} is not finite", first - 1),
             "Often too few substeps for the speeds. Try --set solver.substeps=4.");
    return m_hash;
}

template void StateHasher::particles(const ArrayInfo&, const Buffer<float>&);
template void StateHasher::particles(const ArrayInfo&, const Buffer<Vec4>&);
template void StateHasher::particles(const ArrayInfo&, const Buffer<uint32_t>&);
template void StateHasher::table(const char*, const Buffer<float>&, EmptyTable);
template void StateHasher::table(const char*, const Buffer<Vec4>&, EmptyTable);
template void StateHasher::table(const char*, const Buffer<uint32_t>&, EmptyTable);
template void StateHasher::table(const char*, const Buffer<ClusterPose>&, EmptyTable);
template void StateHasher::table(const char*, const Buffer<DistanceConstraint>&, EmptyTable);
template void StateHasher::table(const char*, const Buffer<ClothTriangle>&, EmptyTable);
template void StateHasher::table(const char*, const Buffer<VolumeConstraint>&, EmptyTable);

uint64_t stateHash(const World& world) {
    StateHasher hasher(world);
    visitState(hasher, world);
    return hasher.result();
}

}  // namespace coalesce
