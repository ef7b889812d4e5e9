#include "cache/cache_reader.h"

#include <algorithm>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/whole_file.h"
#include "scene/timeline/timeline.h"

namespace coalesce {

CacheReader::CacheReader(const std::filesystem::path& folder)
    : m_folder(folder), m_info(readCacheInfo(folder)), m_frames(framesIn(folder)) {}

std::vector<uint64_t> CacheReader::range(uint64_t first, uint64_t last) const {
    std::vector<uint64_t> list;
    for (const uint64_t frame : m_frames)
        if (frame >= first && frame <= last) list.push_back(frame);
    if (list.empty())
        fail(Exit::Usage, m_folder.string(),
             m_frames.empty() ? "this cache has no frames"
                              : fmt::format("the cache has frames {} to {}, and none of the range",
                                            m_frames.front(), m_frames.back()),
             "Give another --cache-range, or continue the run: coalesce run SCENE --cache DIR --resume.");
    std::vector<uint64_t> missing;
    uint64_t count = 0, expected = list.front();
    for (const uint64_t frame : list) {
        for (; expected < frame; ++expected, ++count)
            if (missing.size() < 5) missing.push_back(expected);
        expected = frame + 1;
    }
    if (count > 0)
        fail(Exit::Scene, m_folder.string(),
             fmt::format("{} missing: {}{}", count == 1 ? "1 frame is" : fmt::format("{} frames are", count),
                         fmt::join(missing, ", "), count > missing.size() ? ", …" : ""),
             "Make them again: coalesce run SCENE --cache DIR --resume.");
    return list;
}

RefuseState CacheReader::refusalOf(uint64_t frame) const {
    return [file = frameFile(m_folder, frame)](const std::string& why) {
        fail(Exit::Scene, file.string(), "this frame is refused: " + why,
             "Make it again: coalesce run SCENE --cache DIR --resume.");
    };
}

std::string CacheReader::bytesOf(uint64_t frame) const {
    try {
        return readFile(frameFile(m_folder, frame));
    } catch (const Error&) {
        refusalOf(frame)("it is missing or cannot be read");
        throw;
    }
}

namespace {

void requireRun(const CacheFrame& header, uint64_t frame, const CacheInfo& info, const RefuseState& refuse) {
    if (header.run != info.key()) refuse("it belongs to another scene, or to other values");
    if (header.frame != frame) refuse(fmt::format("it is frame {}, under the name of another", header.frame));
    requireManifest(header.origin, refuse);
}

}  // namespace

CacheFrame CacheReader::header(uint64_t frame) const {
    const RefuseState refuse = refusalOf(frame);
    const CacheFrame header = decodeHeader(bytesOf(frame), refuse);
    requireRun(header, frame, m_info, refuse);
    return header;
}

CacheFrame CacheReader::verify(uint64_t frame) const {
    const RefuseState refuse = refusalOf(frame);
    const std::string bytes = bytesOf(frame);
    const CacheFrame header = decodeHeader(bytes, refuse);
    requireRun(header, frame, m_info, refuse);
    verifyFrame(bytes, refuse);
    return header;
}

std::string CacheReader::problemOf(uint64_t frame) const {
    try {
        verify(frame);
        return {};
    } catch (const Error& error) {
        return error.what();
    }
}

const StateImage& CacheReader::baseImage(uint64_t frame) {
    if (m_baseFrame != frame) {
        const RefuseState refuse = refusalOf(frame);
        const std::string bytes = bytesOf(frame);
        const CacheFrame header = decodeHeader(bytes, refuse);
        requireRun(header, frame, m_info, refuse);
        if (!header.full) refuse("it is no full frame, and others refer to it");
        m_baseFrame.reset();
        m_base = decodeFrame(bytes, nullptr, refuse);
        m_baseFrame = frame;
    }
    return m_base;
}

StateImage CacheReader::image(uint64_t frame, CacheFrame* answer) {
    const RefuseState refuse = refusalOf(frame);
    const std::string bytes = bytesOf(frame);
    const CacheFrame header = decodeHeader(bytes, refuse);
    requireRun(header, frame, m_info, refuse);
    if (answer) *answer = header;
    return decodeFrame(bytes, header.full ? nullptr : &baseImage(header.base), refuse);
}

std::optional<uint64_t> CacheReader::fullFrameBefore(uint64_t frame) const {
    for (uint64_t full = frame / m_info.every * m_info.every;; full -= m_info.every) {
        if (std::ranges::binary_search(m_frames, full) && problemOf(full).empty()) return full;
        if (full == 0) return {};
    }
}

CachePlayer::CachePlayer(CacheReader& reader, const Scene& scene, World& world)
    : m_reader(reader), m_scene(scene), m_world(world), m_start(world) {}

CacheFrame CachePlayer::show(uint64_t frame) {
    CacheFrame header;
    const StateImage image = m_reader.image(frame, &header);
    // what timelines and balls have changed since is undone
    m_start.restore(m_world);
    applyStateImage(image, header.origin, m_world, [&](const std::string& why) {
        fail(Exit::Scene, frameFile(m_reader.folder(), frame).string(), "this frame is refused: " + why,
             "The meshes of the scene may have changed. Write the cache again.");
    });
    Timeline(m_scene).catchUp(m_world);
    return header;
}

}  // namespace coalesce
