// Archive that hashes a state.
//
// The order of mixing is frozen: tests/golden/hashes.json, replays and published results hold hashes of it.
// So
//   - particles add up, so that storage order does not matter, and their sum begins the hash;
//   - words of the first sections (HashRule::words) follow, mixed in one by one;
//   - every later section has a hash of its own, which begins with its seed and is mixed in at its end,
//     unless the scene has nothing of the kind.
// Sections and items are visited in the order of visitRunState. A new item of an old section changes the hash
// of every scene; a new section leaves the hash of scenes without it.
#pragma once

#include <cstring>
#include <vector>

#include "core/hash.h"
#include "core/scratch.h"
#include "sim/state/visit_state.h"

namespace coalesce {

// ---- words of the host types ----
inline uint64_t wordOf(uint64_t a) {
    return a;
}
HD uint64_t wordOf(uint32_t a) {
    return a;
}
HD uint64_t wordOf(float a) {
    return uint32_t(a == 0 ? 0 : asInt(a));  // −0 counts as +0
}
inline uint64_t wordOf(double a) {
    uint64_t word;
    std::memcpy(&word, &a, sizeof word);
    return word;
}

// mix(word) for every word of a record that enters the hash.
template <class Mix>
void forEachWord(uint64_t n, Mix&& mix) {
    mix(n);
}
template <class Mix>
void forEachWord(const MouseConstraint& c, Mix&& mix) {
    mix(uint64_t{c.number} << 32 | c.id);
    mix(wordOf(c.to.x) << 32 | wordOf(c.to.y));
    mix(wordOf(c.to.z));
}
template <class Mix>
void forEachWord(const EmitterProgress& p, Mix&& mix) {
    mix(wordOf(p.until));
    mix(wordOf(p.next));
    mix(p.events);
    mix(p.emitted);
    mix(p.blocked);
    mix(wordOf(p.nozzle.x) << 32 | wordOf(p.nozzle.y));
    mix(wordOf(p.nozzle.z) << 32 | p.flags);
}
template <class Mix>
void forEachWord(const Lifetime& l, Mix&& mix) {
    mix(uint64_t{l.first} << 32 | l.end);
    mix(wordOf(l.dies));
}
template <class Mix>
void forEachWord(const SpawnTimestamp& m, Mix&& mix) {
    mix(m.first);
    mix(wordOf(m.time));
}
template <class Mix>
void forEachWord(const BodySlot& s, Mix&& mix) {
    mix(uint64_t{s.first} << 1 | s.alive);
    mix(s.prefab);
}

// ---- the archive ----
class StateHasher : public StateArchive<kHashed> {
public:
    explicit StateHasher(const World& world);
    StateHasher(const StateHasher&) = delete;
    StateHasher& operator=(const StateHasher&) = delete;

    template <class Visit>
    void section(const StateSection& section, Visit&& visit) {
        const bool own = section.hash == HashRule::own;
        if (!(section.use & kHashed) || (own && !section.hashed)) return;
        if (section.hash != HashRule::particles) finishParticles();
        const uint64_t whole = m_hash;
        if (own) m_hash = section.hashSeed, m_tables = 0;
        visit();
        if (own) m_hash = mixIn(whole, m_hash);
    }
    template <class T>
    void value(const char*, const T& value, Hashed hashed = Hashed::yes) {
        if (hashed == Hashed::yes) word(wordOf(value));
    }
    template <class T>
    void list(const char*, const std::vector<T>& records) {
        for (const T& record : records) forEachWord(record, [&](uint64_t w) { word(w); });
    }
    // T: float, Vec4, uint32_t
    template <class T>
    void particles(const ArrayInfo& info, const Buffer<T>& array);
    // T: as for particles, and the types of solids.def
    template <class T>
    void table(const char* name, const Buffer<T>& table, EmptyTable empty = EmptyTable::skipped);

    uint64_t result();

private:
    void word(uint64_t w) { m_hash = mixIn(m_hash, w); }
    void finishParticles();

    const World& m_world;
    Scratch::Scope m_scratch;
    View<uint64_t> m_particles;  // hash of each particle, in storage order; empty once their sum is taken
    Buffer<uint64_t> m_sum;
    Buffer<uint32_t> m_bad;  // id + 1 of a particle that is not finite; 0: none
    // Number of arrays before, in the upper bits: makes equal words in different arrays differ.
    uint64_t m_arrays = 0, m_tables = 0;
    uint64_t m_hash = 0;
    bool m_summed = false;
};

}  // namespace coalesce
