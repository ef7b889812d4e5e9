// Reads a cache: its frames into a world that was built from its scene.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cache/cache_folder.h"
#include "cache/cache_frame.h"
#include "sim/state/world_snapshot.h"

namespace coalesce {

class CacheReader {
public:
    // Exit::Scene where there is no cache, or one of another version.
    explicit CacheReader(const std::filesystem::path& folder);

    const std::filesystem::path& folder() const { return m_folder; }
    const CacheInfo& info() const { return m_info; }
    // The frames that have a file, in ascending order; as of the opening.
    const std::vector<uint64_t>& frames() const { return m_frames; }
    // The frames there are from `first` to `last`; Exit::Usage when there are none, Exit::Scene, with their
    // names, when some are missing between them.
    std::vector<uint64_t> range(uint64_t first, uint64_t last) const;

    // Exit::Scene, with file and reason, for a frame that is missing, damaged, or of another run.
    CacheFrame header(uint64_t frame) const;
    // As header(), and checks all blocks of the frame.
    CacheFrame verify(uint64_t frame) const;
    // Why a frame cannot be used; empty: it can.
    std::string problemOf(uint64_t frame) const;
    StateImage image(uint64_t frame, CacheFrame* header = nullptr);
    // The newest usable full frame that is not after this one.
    std::optional<uint64_t> fullFrameBefore(uint64_t frame) const;

private:
    std::string bytesOf(uint64_t frame) const;
    RefuseState refusalOf(uint64_t frame) const;
    const StateImage& baseImage(uint64_t frame);

    std::filesystem::path m_folder;
    CacheInfo m_info;
    std::vector<uint64_t> m_frames;
    std::optional<uint64_t> m_baseFrame;
    StateImage m_base;
};

// Puts frames of a cache into one world, in any order.
class CachePlayer {
public:
    // world: as it was built from the scene, before any frame
    CachePlayer(CacheReader& reader, const Scene& scene, World& world);

    // The world is as after this frame of the run, except for what draw frames round. A solver of the world
    // must be told: Solver::stateReplaced.
    CacheFrame show(uint64_t frame);

private:
    CacheReader& m_reader;
    const Scene& m_scene;
    World& m_world;
    WorldSnapshot m_start;
};

}  // namespace coalesce
