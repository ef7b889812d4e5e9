#include "export/exporter.h"

#include <utility>

namespace coalesce {

namespace {
constexpr size_t kQueueLength = 2;  // tables; bounds the memory when the disk is the slowest
}

Exporter::Exporter(const ExportOptions& options) : m_options(options) {
    std::error_code failed;
    std::filesystem::create_directories(m_options.folder, failed);
    if (failed)
        fail(Exit::Output, "--export-to " + m_options.folder.string(),
             "the folder cannot be made: " + failed.message(),
             "Give a folder in a place that may be written.");
    const std::filesystem::path trial = m_options.folder / ".coalesce-export";
    writeWhole(trial, "");
    std::filesystem::remove(trial, failed);
    m_thread = std::thread([this] { work(); });
}

Exporter::~Exporter() {
    {
        std::lock_guard lock(m_mutex);
        m_queue.clear();
    }
    stop();
}

void Exporter::take(const World& world, const std::string& name) {
    if (world.frame % m_options.every != 0) return;
    {
        // before the copy, so that no more than the queue's length and this one are in memory
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [this] { return m_queue.size() < kQueueLength || m_failure; });
        if (m_failure) std::rethrow_exception(m_failure);
    }
    Job job{fmt::format("{}_{:06}", name, world.frame), takeTable(world)};
    std::lock_guard lock(m_mutex);
    m_queue.push_back(std::move(job));
    m_changed.notify_all();
}

size_t Exporter::finish() {
    stop();
    if (m_failure) std::rethrow_exception(m_failure);
    return m_files;
}

void Exporter::stop() {
    {
        std::lock_guard lock(m_mutex);
        m_closed = true;
        m_changed.notify_all();
    }
    if (m_thread.joinable()) m_thread.join();
}

void Exporter::work() {
    for (;;) {
        Job job;
        {
            std::unique_lock lock(m_mutex);
            m_changed.wait(lock, [this] { return !m_queue.empty() || m_closed; });
            if (m_queue.empty()) return;
            job = std::move(m_queue.front());
            m_queue.pop_front();
            m_changed.notify_all();
        }
        try {
            for (const ExportFormat format : m_options.formats) {
                const std::string& ending = exportFormatNames()[static_cast<size_t>(format)];
                writeWhole(m_options.folder / (job.name + "." + ending), encode(job.table, format));
                ++m_files;
            }
        } catch (...) {
            std::lock_guard lock(m_mutex);
            m_failure = std::current_exception();
            m_changed.notify_all();
            return;
        }
    }
}

}  // namespace coalesce
