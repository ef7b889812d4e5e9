// What goes wrong in a running scene, in words, with what to do about it. Status speaks of one frame; a
// person needs longer to read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "scene/format/scene.h"
#include "sim/world/status.h"

namespace coalesce {

struct Warning {
    std::string what;
    std::string advice;
    std::string parameter;  // the path of a value that helps; empty: none
};

class Warnings {
public:
    // After a frame.
    void note(const Status& status, const World& world, const Scene& scene);
    void clear() { m_seen.clear(); }
    // What was seen after this frame has not happened.
    void backTo(uint64_t frame) {
        std::erase_if(m_seen, [&](const auto& entry) { return entry.second.frame > frame; });
    }
    // The worst first.
    std::vector<Warning> list() const;

private:
    enum class Kind { NotFinite, TooFar, Cut, Lost, TooFast, NoBall, NoJet };
    struct Seen {
        uint64_t frame = 0;   // the last one
        uint64_t frames = 0;  // in a row or with short pauses
        uint64_t count = 0;   // in the last of them, of NotFinite in all
        uint64_t more = 0;    // by kind
    };
    void see(Kind kind, uint64_t frame, uint64_t count, uint64_t more = 0);
    static Warning describe(Kind kind, const Seen& seen);

    std::map<Kind, Seen> m_seen;
};

}  // namespace coalesce
