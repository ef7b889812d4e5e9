#include "export/exporter.h"

namespace coalesce {

namespace {
constexpr size_t kQueueLength = 2;  // tables; bounds the memory when the disk is the bottleneck
}

Exporter::Exporter(const ExportOptions& options) : m_options(options) {
    std::error_code failed;
    std::filesystem::create_directories(m_options.folder, failed);
    if (failed)
        fail(Exit::Output, "--export-to " + m_options.folder.string(),
             "the folder cannot be created: " + failed.message(), "Choose a folder in a writable location.");
    const std::filesystem::path trial = m_options.folder / ".coalesce-export";
    writeWhole(trial, "");
    std::filesystem::remove(trial, failed);
    m_queue.emplace(kQueueLength, [this](const Job& job) { write(job); });
}

void Exporter::take(const World& world, const std::string& name) {
    if (world.frame % m_options.every != 0) return;
    m_queue->waitForSlot();  // before the copy, so that memory holds at most the queue and this table
    m_queue->push({fmt::format("{}_{:06}", name, world.frame), takeTable(world)});
}

size_t Exporter::finish() {
    m_queue->finish();
    return m_files;
}

void Exporter::write(const Job& job) {
    for (const ExportFormat format : m_options.formats) {
        const std::string& ending = exportFormatNames()[size_t(format)];
        writeWhole(m_options.folder / (job.name + "." + ending), encode(job.table, format));
        ++m_files;
    }
}

}  // namespace coalesce
