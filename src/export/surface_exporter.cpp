#include "export/surface_exporter.h"

#include <chrono>

#include "core/whole_file.h"
#include "export/formats.h"

namespace coalesce {

SurfaceExporter::SurfaceExporter(const SurfaceExportOptions& options) : m_options(options) {
    checkSurfaceOptions(options.surface);
    requireWritableFolder(m_options.folder);
    constexpr size_t kWaitingMeshes = 4;  // bounds the memory when the disk is the bottleneck
    m_queue.emplace(kWaitingMeshes, [this](const Job& job) { write(job); });
}

void SurfaceExporter::take(const World& world, const std::string& name) {
    if (!wants(world.frame)) return;
    const auto start = std::chrono::steady_clock::now();
    std::vector<LiquidMesh> liquids = LiquidMesher(world.exec).build(world, m_options.surface);
    m_ms += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    ++m_frames;
    for (LiquidMesh& liquid : liquids)
        m_queue->push({fmt::format("{}_{}_{:06}", name, liquid.material, world.frame), std::move(liquid),
                       world.frame, world.time});
}

size_t SurfaceExporter::finish() {
    m_queue->finish();
    return m_files;
}

void SurfaceExporter::write(const Job& job) {
    for (const SurfaceFormat format : m_options.formats) {
        const std::string& ending = surfaceFormatNames()[size_t(format)];
        writeFile(m_options.folder / (job.name + "." + ending),
                  encode(job.liquid, format, job.frame, job.time));
        ++m_files;
    }
}

}  // namespace coalesce
