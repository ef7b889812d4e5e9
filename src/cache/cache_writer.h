// Writes a cache on a background thread, frame by frame; each file is whole or not there.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <set>

#include "cache/cache_reader.h"
#include "core/background_queue.h"

namespace coalesce {

struct CacheOptions {
    std::filesystem::path folder;
    uint64_t every = 30;      // frames from one full frame to the next
    bool resume = false;      // keeps the good frames that are there
    std::string replay = {};  // the text of the replay that the run plays; empty: none
};

class CacheWriter {
public:
    // Describes the cache in its folder. Without `resume` the folder must not have a cache; with it, the
    // cache must be of this scene. Checks every frame that is there: damaged ones will be written again.
    // Exit::Output, Exit::Usage.
    CacheWriter(const CacheOptions& options, const Scene& scene);

    // Writes a frame, or compares its state hash with that of the frame that is there: Exit::Expect.
    void take(const World& world);
    // Waits until everything is written, rethrows errors, and returns the number of frames written.
    size_t finish();

    // Where a resumed run goes on: to be loaded instead of simulating up to it. present: the frame of the
    // world; last: of the run. Empty: simulate the next frame.
    std::optional<uint64_t> jumpFrom(uint64_t present, uint64_t last) const;
    // Loads the state of a full frame, and continues from it.
    void jump(uint64_t to, CachePlayer& player);
    CacheReader& reader() { return *m_reader; }
    size_t kept() const { return m_kept; }        // good frames that were there
    size_t damaged() const { return m_damaged; }  // that are written again

private:
    struct Job {
        CacheFrame header;
        StateImage image;
        bool write = true;  // false: the frame is there, and only others refer to it
    };
    void write(Job job);

    CacheOptions m_options;
    std::unique_ptr<CacheReader> m_reader;
    uint64_t m_key = 0;
    std::set<uint64_t> m_there, m_fullThere;  // good frames
    size_t m_kept = 0, m_damaged = 0;
    size_t m_written = 0;
    std::optional<uint64_t> m_baseFrame;  // of the background thread
    StateImage m_base;
    std::optional<BackgroundQueue<Job>> m_queue;  // last: its thread uses the other members
};

}  // namespace coalesce
