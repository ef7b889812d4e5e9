// The log of --hash-stages: what every launch of a run has changed.
#pragma once

#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/launch_observer.h"
#include "scene/format/scene.h"
#include "sim/solver/solver.h"

namespace coalesce {

struct StateArray;
struct StateImage;

// Two logs of the same scene are equal line by line if every launch has changed the same arrays to the same
// values. Their first lines that differ name the launch and the array:
//     launch 37 frame 1: density lambda
//         solver.xLambda 5e07c3a1d2b4f688
class LaunchLog {
public:
    // An empty path: no log. valuesAt: number of a launch; the log ends with the values of all arrays after
    // it. 0: hashes only. Made before the Exec whose launches it observes.
    LaunchLog(const std::filesystem::path& file, uint64_t valuesAt);
    bool wanted() const { return m_file != nullptr; }
    // Starts with the run of this solver; null ends it.
    void observe(const Scene& scene, const World& world, const Solver* solver);
    void finish();  // throws if an array could not be read or a line not be written

private:
    void afterLaunch(const char* name);
    void writeHashes(const StateImage& image);
    void writeValues(const StateImage& image);

    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::filesystem::path m_path;
    std::unique_ptr<std::FILE, Close> m_file;
    uint64_t m_valuesAt = 0, m_launches = 0;
    const World* m_world = nullptr;
    const Solver* m_solver = nullptr;
    std::map<std::string, uint64_t> m_hashes;  // by array, after the launch before
    std::exception_ptr m_failure;
    std::optional<LaunchObserver> m_observer;
};

}  // namespace coalesce
