#include "cache/cache_writer.h"

#include "core/error.h"
#include "core/whole_file.h"
#include "sim/state/state_hash.h"

namespace coalesce {

namespace {
constexpr size_t kQueueLength = 3;  // states; bounds the memory when the disk is the bottleneck

// "dam_break, case cm5, size ci"
std::string runOf(const CacheInfo& info) {
    return info.scene + (info.caseName.empty() ? "" : ", case " + info.caseName) +
           (info.size.empty() ? "" : ", size " + info.size);
}
}  // namespace

CacheWriter::CacheWriter(const CacheOptions& options, const Scene& scene) : m_options(options) {
    const CacheInfo info = infoOf(scene, options.every, options.replay);
    m_key = info.key();
    const std::string where = "--cache " + options.folder.string();
    if (isCache(options.folder)) {
        if (!options.resume)
            fail(Exit::Output, where, "the folder has a cache already",
                 "Give --resume to continue it, or choose another folder.");
        const CacheInfo there = readCacheInfo(options.folder);
        if (there.text == info.text && there.replay != info.replay)
            fail(Exit::Usage, where,
                 there.replay.empty() ? "the cache is of a run without a replay"
                                      : "the cache is of a run with another replay, or with one",
                 there.replay.empty()
                     ? "Choose another folder."
                     : "Its replay is in replay.json there. Give that, or choose another folder.");
        if (runOf(there) != runOf(info))
            fail(Exit::Usage, where,
                 fmt::format("the cache is of {}, and this run is of {}", runOf(there), runOf(info)),
                 "Give the options of the first run, or choose another folder.");
        if (there.key() != m_key)
            fail(Exit::Usage, where,
                 there.text == info.text
                     ? fmt::format("the cache has a full frame every {} frames, not every {}", there.every,
                                   info.every)
                     : fmt::format("the cache is of {} with other values, or the scene file has changed",
                                   runOf(there)),
                 there.text == info.text ? fmt::format("Give --cache-full-every {}.", there.every)
                                         : "Give the options of the first run, or choose another folder. The "
                                           "scene as it was is in "
                                           "scene.json there.");
    } else {
        if (!framesIn(options.folder).empty())
            fail(Exit::Output, where, "the folder has frames of a cache, but no cache.json",
                 "Choose another folder.");
        writeCacheInfo(info, options.folder);
    }
    removeUnfinished(options.folder);
    m_reader = std::make_unique<CacheReader>(options.folder);
    for (const uint64_t frame : m_reader->frames()) {
        if (!m_reader->problemOf(frame).empty()) {
            ++m_damaged;
            continue;
        }
        m_there.insert(frame);
        if (frame % options.every == 0) m_fullThere.insert(frame);
    }
    m_kept = m_there.size();
    m_queue.emplace(kQueueLength, [this](Job job) { write(std::move(job)); });
}

std::optional<uint64_t> CacheWriter::jumpFrom(uint64_t present, uint64_t last) const {
    // the next frame that has to be simulated: one that is missing, or the last one
    uint64_t wanted = present + 1;
    while (wanted < last && m_there.contains(wanted)) ++wanted;
    const auto after = m_fullThere.upper_bound(m_there.contains(wanted) ? wanted : wanted - 1);
    if (after == m_fullThere.begin()) return {};
    const uint64_t full = *std::prev(after);
    return full > present ? std::optional(full) : std::nullopt;
}

void CacheWriter::jump(uint64_t to, CachePlayer& player) {
    CHECK(m_fullThere.contains(to));
    Job job;
    job.image = m_reader->image(to, &job.header);
    job.write = false;
    m_queue->push(std::move(job));
    player.show(to);
}

void CacheWriter::take(const World& world) {
    m_queue->waitForSlot();  // before the copy, so that memory holds at most the queue and this state
    const uint64_t hash = stateHash(world);
    const bool full = world.frame % m_options.every == 0, there = m_there.contains(world.frame);
    if (there) {
        const CacheFrame kept = m_reader->header(world.frame);
        if (kept.hash != hash)
            fail(Exit::Expect, frameFile(m_options.folder, world.frame).string(),
                 fmt::format("the state of this run, {:016x}, is not that of the cache, {:016x}", hash,
                             kept.hash),
                 "The program or a mesh has changed since the cache was begun. Begin another one.");
        if (!full) return;
    }
    m_queue->push({{.full = full,
                    .frame = world.frame,
                    .base = world.frame - world.frame % m_options.every,
                    .step = world.step,
                    .time = world.time,
                    .particles = world.count(),
                    .hash = hash,
                    .run = m_key,
                    .origin = originOf(world)},
                   captureState(world),
                   !there});
}

size_t CacheWriter::finish() {
    m_queue->finish();
    return m_written;
}

void CacheWriter::write(Job job) {
    if (job.write) {
        const bool full = job.header.full;
        CHECK(full || m_baseFrame == job.header.base);
        const std::string bytes = encodeFrame(job.header, job.image, full ? nullptr : &m_base);
        try {
            writeFile(frameFile(m_options.folder, job.header.frame), bytes);
        } catch (const Error& error) {
            throw Error(error.code, std::string(error.what()) +
                                        "\n    The frames before it are whole. Continue with --resume.");
        }
        ++m_written;
    }
    if (job.header.full) m_base = std::move(job.image), m_baseFrame = job.header.frame;
}

}  // namespace coalesce
