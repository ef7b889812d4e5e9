// Writes the surface meshes of liquids to files on a background thread, in order; none is dropped.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/background_queue.h"
#include "export/surface_formats.h"

namespace coalesce {

struct SurfaceExportOptions {
    std::vector<SurfaceFormat> formats;
    uint64_t every = 1;            // frames of the simulation
    std::filesystem::path folder;  // created if missing
    SurfaceOptions surface;
};

class SurfaceExporter {
public:
    // Creates the folder and checks that it is writable, before the simulation. Exit::Output.
    explicit SurfaceExporter(const SurfaceExportOptions& options);

    // Whether it takes this frame: one of `every`.
    bool wants(uint64_t frame) const { return frame % m_options.every == 0; }
    // Meshes a frame that it wants, and writes NAME_LIQUID_000120.ply etc., numbered by frame; a liquid
    // without particles gives a file without vertices, so that sequences have no holes. Rethrows errors of
    // the thread.
    void take(const World& world, const std::string& name);
    // Waits until everything is written, rethrows errors, and returns the number of files.
    size_t finish();
    // Mean wall time of the meshes of a frame, without the files [ms].
    double msPerFrame() const { return m_frames > 0 ? m_ms / double(m_frames) : 0; }

private:
    struct Job {
        std::string name;
        LiquidMesh liquid;
        uint64_t frame;
        double time;
    };
    void write(const Job& job);

    SurfaceExportOptions m_options;
    size_t m_files = 0, m_frames = 0;
    double m_ms = 0;                              // of all meshes
    std::optional<BackgroundQueue<Job>> m_queue;  // last: its thread uses the other members
};

}  // namespace coalesce
