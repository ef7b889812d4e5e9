#include "export/exporter.h"

#include <algorithm>
#include <charconv>

#include "core/whole_file.h"
#include "geometry/mesh/mesh_vdb.h"

namespace coalesce {

namespace {
constexpr size_t kQueueLength = 2;  // tables; bounds the memory when the disk is the bottleneck

std::string fileOf(const std::string& name, uint64_t frame, const std::string& ending) {
    return fmt::format("{}_{:06}.{}", name, frame, ending);
}
}  // namespace

Exporter::Exporter(const ExportOptions& options) : m_options(options) {
    checkSurfaceOptions(options.surface);
    if (writes(ExportFormat::vdb) && !hasVdb()) failWithoutVdb("--export vdb");
    requireWritableFolder(m_options.folder);
    m_queue.emplace(kQueueLength, [this](const Job& job) { write(job); });
}

bool Exporter::writes(ExportFormat format) const {
    return std::ranges::find(m_options.formats, format) != m_options.formats.end();
}

bool Exporter::writesTables() const {
    return std::ranges::any_of(m_options.formats, [](ExportFormat format) {
        return format != ExportFormat::usd && format != ExportFormat::vdb;
    });
}

void Exporter::take(const World& world, const std::string& name, const std::vector<StageCamera>& cameras,
                    bool onlyPassives) {
    if (!takes(world)) return;
    m_queue->waitForSlot();  // before the copy, so that memory holds at most the queue and this table
    Job job{name, {}, {}, {}, double{world.parameters.solver.frameRate}, onlyPassives};
    if (hasPassives(world)) job.passives = takePassiveTable(world);
    if (writes(ExportFormat::usd)) {
        job.frame = takeStageFrame(world, cameras);
        job.frame.liquidPoints = m_options.liquids != StageLiquids::mesh;
        if (m_options.liquids != StageLiquids::points)
            job.frame.surfaces = LiquidMesher(world.exec).build(world, m_options.surface);
    } else if (!onlyPassives && writesTables())
        job.frame.table = takeTable(world);
    if (writes(ExportFormat::vdb)) job.volumes = takeVolumeFrame(world, m_options.surface, onlyPassives);
    m_queue->push(std::move(job));
}

size_t Exporter::finish() {
    m_queue->finish();
    for (auto& [name, stage] : m_stages) m_files += stage.finish() - stage.frames();
    for (const auto& [name, entries] : m_series) {
        writeFile(m_options.folder / (name + ".pvd"), encodeSeries(entries));
        ++m_files;
    }
    return m_files;
}

void Exporter::write(const Job& job) {
    for (const ExportFormat format : m_options.formats) {
        if (format == ExportFormat::usd) {
            const auto stage =
                m_stages.try_emplace(job.name, m_options.folder, job.name, job.frameRate).first;
            stage->second.write(job.frame);
            ++m_files;
            continue;
        }
        if (format == ExportFormat::vdb) {
            write(job.onlyPassives ? job.name + "_passive" : job.name, job.volumes.frame, format,
                  encodeVdb(job.volumes));
            continue;
        }
        if (!job.onlyPassives) write(job.frame.table, job.name, format);
        if (job.passives) write(*job.passives, job.name + "_passive", format);
    }
}

void Exporter::write(const ParticleTable& table, const std::string& name, ExportFormat format) {
    const std::string file = write(name, table.frame, format, encode(table, format));
    if (format == ExportFormat::vtp) m_series[name].push_back({table.time, file});
}

std::string Exporter::write(const std::string& name, uint64_t frame, ExportFormat format,
                            const std::string& content) {
    const std::string& ending = exportFormatNames()[size_t(format)];
    const std::string file = fileOf(name, frame, ending);
    writeFile(m_options.folder / file, content);
    if (format != ExportFormat::vtp) {
        const auto sequence = m_sequences.try_emplace(name + "." + ending, Sequence{name, file, frame}).first;
        sequence->second.last = frame;
    }
    ++m_files;
    return file;
}

std::vector<std::string> Exporter::toOpen() const {
    std::vector<std::string> files;
    for (const auto& [name, stage] : m_stages) files.push_back(name + ".usda");
    for (const auto& [name, entries] : m_series) files.push_back(name + ".pvd");
    for (const auto& [ending, sequence] : m_sequences) files.push_back(sequence.first);
    return files;
}

std::vector<std::string> Exporter::laterFrames() const {
    std::vector<std::string> files;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(m_options.folder, ignored)) {
        const std::string file = entry.path().filename().string();
        for (const auto& [key, sequence] : m_sequences) {
            if (!file.starts_with(sequence.name + "_")) continue;
            uint64_t frame = 0;
            std::from_chars(file.data() + sequence.name.size() + 1, file.data() + file.size(), frame);
            const std::string ending = key.substr(sequence.name.size() + 1);
            if (frame > sequence.last && file == fileOf(sequence.name, frame, ending)) files.push_back(file);
        }
    }
    std::ranges::sort(files);
    return files;
}

}  // namespace coalesce
