// Writes particles to files on a background thread, in order; none is dropped.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/background_queue.h"
#include "export/formats.h"
#include "export/usd_stage.h"
#include "export/vdb_file.h"

namespace coalesce {

// How a stage represents liquids. With both, the points have the
// purpose proxy, and the mesh the purpose render.
enum class StageLiquids { points, mesh, both };

struct ExportOptions {
    std::vector<ExportFormat> formats;
    uint64_t every = 1;            // frames of the simulation
    std::filesystem::path folder;  // created if missing
    StageLiquids liquids = StageLiquids::points;
    SurfaceOptions surface = {};  // of the meshes and level sets of liquids
};

class Exporter {
public:
    // Creates the folder and checks that it is writable, before the simulation. Exit::Output; Exit::Usage for
    // vdb in a program without OpenVDB.
    explicit Exporter(const ExportOptions& options);

    bool takes(const World& world) const { return world.frame % m_options.every == 0; }
    bool writes(ExportFormat format) const;
    // Writes every `every`-th frame to NAME_000120.ply etc., numbered by frame, and spray, foam, bubbles and
    // smoke to NAME_passive_000120.ply etc.; onlyPassives: nothing else. Stages and volumes have both;
    // cameras: of a stage. Copies the state; waits while the queue is full; rethrows errors of the thread.
    void take(const World& world, const std::string& name, const std::vector<StageCamera>& cameras = {},
              bool onlyPassives = false);
    // Waits until everything is written, writes the files that join the frames, rethrows errors, and returns
    // the number of files.
    size_t finish();
    // Then: the files that other programs open, in the folder: stages, series, and of each sequence the first.
    std::vector<std::string> toOpen() const;
    // Files of later frames in the folder that it has not written: other programs play them as the end of its sequences.
    std::vector<std::string> laterFrames() const;

private:
    struct Job {
        std::string name;
        StageFrame frame;                       // only the tables unless there is a stage
        std::optional<ParticleTable> passives;  // none: the scene makes none
        VolumeFrame volumes;                    // for vdb
        double frameRate = 60;
        bool onlyPassives = false;
    };
    struct Sequence {
        std::string name, first;  // NAME; file of its first frame
        uint64_t last;            // frame
    };
    void write(const Job& job);
    void write(const ParticleTable& table, const std::string& name, ExportFormat format);
    // Returns the name of the file.
    std::string write(const std::string& name, uint64_t frame, ExportFormat format,
                      const std::string& content);
    bool writesTables() const;  // of particles, in any format

    ExportOptions m_options;
    size_t m_files = 0;
    std::map<std::string, StageWriter> m_stages;               // by name
    std::map<std::string, std::vector<SeriesEntry>> m_series;  // .vtp files by name
    std::map<std::string, Sequence> m_sequences;               // by name and format, without series
    std::optional<BackgroundQueue<Job>> m_queue;               // last: its thread uses the other members
};

}  // namespace coalesce
