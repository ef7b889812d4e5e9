// Warnings about a running scene, with advice. Status covers one frame; warnings stay long enough to be read. Those about
// the scene as it starts stay until they are dismissed.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "scene/format/scene.h"
#include "sim/world/status.h"

namespace coalesce {

struct Warning {
    std::string what;
    std::string advice;
    std::string parameter;  // path of a value that helps; empty: none
    int id = 0;             // stays the same while its numbers change
};

class Warnings {
public:
    // To be called after each frame.
    void update(const Status& status, const World& world, const Scene& scene);
    void clear() { m_active.clear(), m_ofScene.clear(); }
    // At the start of a scene from this file: what briefWarningsOf() has found.
    void begin(const std::string& file, std::vector<std::string> ofScene);
    // Drops warnings of later frames.
    void truncate(uint64_t frame) {
        std::erase_if(m_active, [&](const auto& entry) { return entry.second.frame > frame; });
    }
    // What only says why a click did nothing goes after some seconds of wall time, also while the scene is paused.
    void elapse(double seconds);
    // Hides a warning of the list until it comes again after having ended; one about the scene for good.
    void dismiss(int id);
    // The most severe first, then a few about the scene.
    std::vector<Warning> list() const;

private:
    enum class Kind {
        NotFinite,
        OutOfGrid,
        ListsTruncated,
        OutOfBounds,
        SpeedLimited,
        StepTooLong,
        StrainUnsolved,
        BallBlocked,
        JetBlocked
    };
    struct Entry {
        uint64_t frame = 0;   // when it happened last
        uint64_t frames = 0;  // number of frames in which it happened
        uint64_t count = 0;   // of the last frame; of NotFinite the total
        uint64_t more = 0;    // second number, by kind
        std::string where;    // of OutOfBounds and OutOfGrid
        bool dismissed = false;
        double age = 0;  // [s] wall time since it happened last
    };
    Entry& add(Kind kind, uint64_t frame, uint64_t count, uint64_t more = 0);
    static bool isAboutClick(Kind kind) { return kind == Kind::BallBlocked || kind == Kind::JetBlocked; }
    static Warning describe(Kind kind, const Entry& entry);

    static constexpr int kFirstOfScene = 1000;  // id

    std::map<Kind, Entry> m_active;
    std::string m_file;
    std::vector<std::string> m_ofScene;
    std::set<std::string> m_dismissed;  // of scenes of this file
};

}  // namespace coalesce
