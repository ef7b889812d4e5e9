// Writes particles to files on a thread of its own, in order, none dropped.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

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
    ~Exporter();  // not finished: what waits is thrown away

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
    void work();
    void stop();

    ExportOptions m_options;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Job> m_queue;
    bool m_closed = false;
    size_t m_files = 0;
    std::exception_ptr m_failure;
    std::thread m_thread;
};

}  // namespace coalesce
