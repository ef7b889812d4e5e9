// Writes particles to files on a thread of its own, in order, none dropped.
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
    std::filesystem::path folder;  // made where it is missing
};

class Exporter {
public:
    // Makes the folder and shows that it can be written, before anything is simulated. Exit::Output.
    explicit Exporter(const ExportOptions& options);

    // Takes the state of a world whose frame is one of every `every`, to NAME_000120.ply and so on by the
    // number of the frame. Copies it; waits while the queue is full; throws what the thread stumbled over.
    void take(const World& world, const std::string& name);
    // Waits until everything is on the disk, throws what went wrong, and gives the number of files.
    size_t finish();

private:
    struct Job {
        std::string name;
        ParticleTable table;
    };
    void write(const Job& job);

    ExportOptions m_options;
    size_t m_files = 0;
    std::optional<BackgroundQueue<Job>> m_queue;  // last: its thread uses the others
};

}  // namespace coalesce
