#include "session/launch_log.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>

#include "core/hash.h"
#include "sim/state/state_image.h"

namespace coalesce {

namespace {

// Calls visit(type, address) for every component of an array; unused bytes are left out.
template <class Visit>
void forEachComponent(const StateArray& array, Visit&& visit) {
    const std::byte* at = array.bytes.data();
    for (uint64_t i = 0; i < array.count; ++i)
        for (const char type : array.layout) {
            if (type != '.') visit(type, at);
            at += bytesOfLayout({&type, 1});
        }
}

// −0 counts as +0, as in the state hash.
uint64_t arrayHash(const StateArray& array) {
    uint64_t hash = mix(array.count);
    forEachComponent(array, [&](char type, const std::byte* at) {
        uint64_t word = 0;
        std::memcpy(&word, at, bytesOfLayout({&type, 1}));
        constexpr uint64_t kMinusZero = 0x80000000;
        hash = mixIn(hash, type == 'f' && word == kMinusZero ? 0 : word);
    });
    return hash;
}

template <class Visit>
void forEachNamedArray(const StateImage& image, Visit&& visit) {
    for (const StateSectionImage& section : image.sections)
        for (const StateArray& array : section.arrays) {
            std::string name = section.name + "." + array.name;
            std::ranges::replace(name, ' ', '_');
            visit(name, array);
        }
}

}  // namespace

LaunchLog::LaunchLog(const std::filesystem::path& file, uint64_t valuesAt)
    : m_path(file), m_valuesAt(valuesAt) {
    if (file.empty()) return;
    m_file.reset(std::fopen(file.c_str(), "w"));
    if (!m_file)
        fail(Exit::Output, file.string(), std::string("cannot be written: ") + std::strerror(errno),
             "Give --hash-stages a file in an existing, writable folder.");
    m_observer.emplace([this](const char* name) { afterLaunch(name); });
}

void LaunchLog::observe(const Scene& scene, const World& world, const Solver* solver) {
    m_world = &world, m_solver = solver;
    m_hashes.clear();
    if (solver)
        fmt::print(m_file.get(), "scene {} case {}\n", scene.name,
                   scene.caseName.empty() ? "-" : scene.caseName);
}

void LaunchLog::afterLaunch(const char* name) {
    if (!m_solver || m_failure || (m_valuesAt > 0 && m_launches >= m_valuesAt)) return;
    ++m_launches;
    fmt::print(m_file.get(), "launch {} frame {}: {}\n", m_launches, m_world->frame + 1, name);
    if (m_valuesAt > 0 && m_launches < m_valuesAt) return;
    try {
        const StateImage image = m_solver->captureArrays();
        if (m_valuesAt > 0)
            writeValues(image);
        else
            writeHashes(image);
    } catch (...) {  // this runs in a destructor
        m_failure = std::current_exception();
    }
}

void LaunchLog::writeHashes(const StateImage& image) {
    forEachNamedArray(image, [&](const std::string& name, const StateArray& array) {
        const uint64_t hash = arrayHash(array);
        const auto [known, isNew] = m_hashes.try_emplace(name, hash);
        if (!isNew && known->second == hash) return;
        known->second = hash;
        fmt::print(m_file.get(), "    {} {:016x}\n", name, hash);
    });
}

void LaunchLog::writeValues(const StateImage& image) {
    std::vector<uint32_t> ids;
    forEachNamedArray(image, [&](const std::string& name, const StateArray& array) {
        if (name != "particles.id") return;
        ids.resize(array.count);
        if (!ids.empty()) std::memcpy(ids.data(), array.bytes.data(), array.bytes.size());
    });
    forEachNamedArray(image, [&](const std::string& name, const StateArray& array) {
        std::string line;
        size_t component = 0;
        const size_t width = array.layout.size() - size_t(std::ranges::count(array.layout, '.'));
        forEachComponent(array, [&](char type, const std::byte* at) {
            line += " " + componentText(type, at);
            if (++component % width != 0) return;
            const size_t i = component / width - 1;
            if (array.ofParticles && i < ids.size())
                fmt::print(m_file.get(), "    {} particle {}:{}\n", name, ids[i], line);
            else
                fmt::print(m_file.get(), "    {} element {}:{}\n", name, i, line);
            line.clear();
        });
    });
}

void LaunchLog::finish() {
    if (!m_file) return;
    m_observer.reset();
    if (m_failure) std::rethrow_exception(m_failure);
    if (std::fflush(m_file.get()) != 0 || std::ferror(m_file.get()))
        fail(Exit::Output, m_path.string(), "the log could not be written completely", "Free disk space.");
}

}  // namespace coalesce
