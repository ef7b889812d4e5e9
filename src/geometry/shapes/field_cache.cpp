#include "geometry/shapes/field_cache.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <vector>

#include "core/checksum.h"
#include "core/config_folder.h"
#include "core/error.h"
#include "core/whole_file.h"

namespace coalesce {

namespace fs = std::filesystem;

namespace {

// Changes whenever bakeSurface() gives other values.
constexpr uint64_t kVersion = hashText("coalesce field 2");
constexpr const char* kVariable = "COALESCE_FIELD_CACHE";

struct Header {
    uint64_t version, keyFirst, keySecond, checksum;  // checksum: of all that follows the header
    Vec3 origin;
    float cell;
    int32_t nx, ny, nz;
    uint32_t hasMotion;
};
static_assert(sizeof(Header) == 64);

template <class T>
std::string_view bytesOf(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

uint64_t checksumOf(const SurfaceField& field) {
    const std::string_view distance = bytesOf(field.volume.distance), motion = bytesOf(field.motion);
    return mixIn(checksum(distance.data(), distance.size()), checksum(motion.data(), motion.size()));
}

std::mutex g_mutex;  // one look at the folder at a time

}  // namespace

FieldCache::FieldCache(fs::path folder, uintmax_t mostBytes)
    : m_folder(std::move(folder)), m_mostBytes(mostBytes), m_began(fs::file_time_type::clock::now()) {}

FieldCache* FieldCache::shared() {
    static const std::unique_ptr<FieldCache> cache = []() -> std::unique_ptr<FieldCache> {
        const char* text = std::getenv(kVariable);
        uint32_t mebibytes = 1024;
        if (text && *text) {
            if (std::string_view(text) == "off") return nullptr;
            const char* end = text + std::strlen(text);
            if (const auto [rest, error] = std::from_chars(text, end, mebibytes);
                error != std::errc() || rest != end)
                fail(Exit::Usage, kVariable, fmt::format("\"{}\" is no size", text),
                     "Give the size of the cache of distance fields in MiB, for example 1024, or \"off\".");
        }
        const fs::path folder = cacheFolder();
        if (folder.empty() || mebibytes == 0) return nullptr;
        return std::make_unique<FieldCache>(folder / "fields", uintmax_t{mebibytes} << 20);
    }();
    return cache.get();
}

FieldCache::Key FieldCache::keyOf(const TriangleMesh& mesh, const SurfaceFieldSpec& spec,
                                  std::span<const Vec3> before) {
    const float numbers[] = {spec.cell, spec.margin, spec.offset};
    const auto hash = [&](uint64_t h) {
        h = mixIn(h, checksum(mesh.vertices.data(), mesh.vertices.size() * sizeof(Vec3)));
        h = mixIn(h, checksum(mesh.triangles.data(), mesh.triangles.size() * sizeof(Triangle)));
        h = mixIn(h, checksum(before.data(), before.size_bytes()));
        h = mixIn(h, checksum(numbers, sizeof numbers));
        return mixIn(h, uint64_t{spec.shell} | uint64_t{spec.closed} << 1);
    };
    // the second one from vertices in another order of mixing
    uint64_t second = kVersion;
    for (const Vec3& v : mesh.vertices) second = mixIn(second, checksum(&v, sizeof v));
    return {hash(kVersion), mixIn(hash(~kVersion), second)};
}

SurfaceField FieldCache::surface(const TriangleMesh& mesh, const SurfaceFieldSpec& spec,
                                 std::span<const Vec3> before) {
    const Key key = keyOf(mesh, spec, before);
    const fs::path file = m_folder / fmt::format("{:016x}.field", key.first);
    {
        const std::lock_guard lock(g_mutex);
        if (auto field = read(file, key)) return std::move(*field);
    }
    SurfaceField field = bakeSurface(mesh, spec, before);
    if (field.volume.distance.size() >= kFewestNodes) {
        const std::lock_guard lock(g_mutex);
        write(file, key, field);
    }
    return field;
}

std::optional<SurfaceField> FieldCache::read(const fs::path& file, const Key& key) const {
    if (std::error_code error; !fs::is_regular_file(file, error)) return std::nullopt;
    std::string bytes;
    try {
        bytes = readFile(file, m_mostBytes);
    } catch (const Error&) {
        return std::nullopt;
    }
    Header header;
    if (bytes.size() < sizeof header) return std::nullopt;
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.version != kVersion || Key{header.keyFirst, header.keySecond} != key) return std::nullopt;
    const auto edge = [](int32_t n) { return n > 1 && n < 1 << 16; };
    if (!edge(header.nx) || !edge(header.ny) || !edge(header.nz) || header.hasMotion > 1) return std::nullopt;
    const size_t nodes = size_t(header.nx) * size_t(header.ny) * size_t(header.nz);
    if ((bytes.size() - sizeof header) / (header.hasMotion ? 16 : 4) != nodes) return std::nullopt;
    SurfaceField field;
    field.volume = {header.origin, header.cell, header.nx, header.ny, header.nz, std::vector<float>(nodes)};
    field.motion.resize(header.hasMotion ? nodes : 0);
    const char* data = bytes.data() + sizeof header;
    std::memcpy(field.volume.distance.data(), data, nodes * sizeof(float));
    if (header.hasMotion)
        std::memcpy(field.motion.data(), data + nodes * sizeof(float), nodes * sizeof(Vec3));
    if (checksumOf(field) != header.checksum) return std::nullopt;
    std::error_code ignored;  // the time of the file is that of its last use
    fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);
    return field;
}

void FieldCache::write(const fs::path& file, const Key& key, const SurfaceField& field) {
    const std::string_view distance = bytesOf(field.volume.distance), motion = bytesOf(field.motion);
    const DistanceVolume& v = field.volume;
    const Header header{kVersion, key.first, key.second, checksumOf(field),    v.origin, v.cell,
                        v.nx,     v.ny,      v.nz,       !field.motion.empty()};
    std::error_code error;
    fs::create_directories(m_folder, error);
    if (error || !makeRoom(sizeof header + distance.size() + motion.size())) return;
    try {
        OutputFile output(file);
        output.write({reinterpret_cast<const char*>(&header), sizeof header});
        output.write(distance);
        output.write(motion);
        output.finish();
    } catch (const Error&) {  // a full disk, or a folder that cannot be written: nothing is kept
    }
}

bool FieldCache::makeRoom(uintmax_t bytes) const {
    struct Kept {
        fs::path file;
        fs::file_time_type used;
        uintmax_t bytes;
    };
    std::vector<Kept> files;
    uintmax_t sum = 0;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(m_folder, error)) {
        if (entry.path().extension() != ".field") continue;
        const Kept kept{entry.path(), entry.last_write_time(error), entry.file_size(error)};
        if (error) continue;
        files.push_back(kept), sum += kept.bytes;
    }
    std::sort(files.begin(), files.end(), [](const Kept& a, const Kept& b) { return a.used < b.used; });
    for (const Kept& kept : files) {
        if (sum + bytes <= m_mostBytes) break;
        if (kept.used >= m_began) return false;
        if (fs::remove(kept.file, error)) sum -= kept.bytes;
    }
    return sum + bytes <= m_mostBytes;
}

SurfaceField keptSurface(const TriangleMesh& mesh, const SurfaceFieldSpec& spec,
                         std::span<const Vec3> before) {
    FieldCache* cache = FieldCache::shared();
    return cache ? cache->surface(mesh, spec, before) : bakeSurface(mesh, spec, before);
}

}  // namespace coalesce
