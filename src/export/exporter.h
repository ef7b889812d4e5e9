// Writes particles to files on a background thread, in order; none is dropped.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/background_queue.h"
#include "export/formats.h"

namespace coalesce {

struct ExportOptions {
    std::vector<ExportFormat> formats;
    uint64_t every = 1;            // frames of the simulation
    std::filesystem::path folder;  // created if missing
};

class Exporter {
public:
    // Creates the folder and checks that it is writable, before the simulation. Exit::Output.
    explicit Exporter(const ExportOptions& options);

    // Writes every `every`-th frame to NAME_000120.ply etc., numbered by frame. Copies the state; waits while
    // the queue is full; rethrows errors of the thread.
    void take(const World& world, const std::string& name);
    // Waits until everything is written, rethrows errors, and returns the number of files.
    size_t finish();

private:
    struct Job {
        std::string name;
        ParticleTable table;
    };
    void write(const Job& job);

    ExportOptions m_options;
    size_t m_files = 0;
    std::optional<BackgroundQueue<Job>> m_queue;  // last: its thread uses the other members
};

}  // namespace coalesce
