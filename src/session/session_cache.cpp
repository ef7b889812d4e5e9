// Playing a cache: frames are loaded instead of simulated.
#include <algorithm>
#include <cmath>

#include "session/session.h"

namespace coalesce {

void Session::play(const std::filesystem::path& cache, uint64_t first, uint64_t last) {
    auto reader = std::make_unique<CacheReader>(cache);
    std::vector<uint64_t> frames = reader->range(first, last);
    build(m_scene);  // the player keeps the world as it was built
    m_cache = std::move(reader);
    m_cached = std::move(frames);
    m_in = 0, m_out = m_cached.size() - 1;
    m_player = std::make_unique<CachePlayer>(*m_cache, m_scene, *m_world);
    showCached(0);
}

void Session::showCached(size_t index) {
    m_player->show(m_cached[index]);
    m_solver->stateReplaced();
    addSpawnedMaterials();
    captureBaseline();
    m_status = {};
}

// The frame of the cache that is nearest to this one.
size_t Session::cachedIndex(uint64_t frame) const {
    const auto after = std::ranges::lower_bound(m_cached, frame);
    if (after == m_cached.end()) return m_cached.size() - 1;
    if (after == m_cached.begin()) return 0;
    return size_t(after - m_cached.begin()) - (*after - frame > frame - *std::prev(after) ? 1 : 0);
}

// The next frame; at the out point the in point. False: the frame could not be read, now the problem().
bool Session::stepCached() {
    const size_t next = cachedIndex(m_world->frame) + 1;
    try {
        showCached(next > m_out ? m_in : next);
        return true;
    } catch (const std::exception& error) {
        m_problem = error.what();
        paused = true;
        return false;
    }
}

void Session::setInPoint(uint64_t frame) {
    m_in = cachedIndex(frame);
    m_out = std::max(m_in, m_out);
}

void Session::setOutPoint(uint64_t frame) {
    m_out = cachedIndex(frame);
    m_in = std::min(m_in, m_out);
}

double Session::firstTime() const {
    if (m_player) return double(m_cached.front()) / m_cache->info().frameRate;
    return m_snapshots.list().empty() ? m_world->time
                                      : std::min(m_world->time, m_snapshots.list().front().world.time());
}

double Session::lastTime() const {
    if (m_player) return double(m_cached.back()) / m_cache->info().frameRate;
    return m_snapshots.list().empty() ? m_world->time : std::max(m_world->time, m_snapshots.lastTime());
}

std::optional<uint64_t> Session::frameAt(double time) const {
    if (!m_player) return m_snapshots.frameAt(time);
    return m_cached[cachedIndex(uint64_t(std::max(0.0, std::round(time * m_cache->info().frameRate))))];
}

}  // namespace coalesce
