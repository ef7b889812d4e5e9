// Distance fields kept on disk, so that a scene that is opened again need not build them.
//
// A file is named by the hash of all that its field depends on: the mesh, its earlier vertices, the grid, and
// the version of the method. It holds a checksum; a file that is broken, of another version or another field
// with the same name counts as missing and is written again. Results do not depend on the cache.
#pragma once

#include <filesystem>
#include <optional>

#include "geometry/shapes/surface_field.h"

namespace coalesce {

class FieldCache {
public:
    // mostBytes: of all files. Errors of the folder are no errors of the program: then nothing is kept.
    FieldCache(std::filesystem::path folder, uintmax_t mostBytes);

    // What $COALESCE_FIELD_CACHE says: "off", or MiB; 1024 when it is not set. In cacheFolder()/fields. Null:
    // off. Fails (Exit::Usage) for any other value.
    static FieldCache* shared();

    // As bakeSurface() gives it.
    SurfaceField surface(const TriangleMesh& mesh, const SurfaceFieldSpec& spec,
                         std::span<const Vec3> before = {});

    // Only fields of that many nodes are kept: smaller ones are built in less than a tenth of a second.
    static constexpr size_t kFewestNodes = size_t{1} << 17;

private:
    struct Key {
        uint64_t first, second;  // two hashes: equal ones for different fields do not occur
        bool operator==(const Key&) const = default;
    };
    static Key keyOf(const TriangleMesh& mesh, const SurfaceFieldSpec& spec, std::span<const Vec3> before);
    std::optional<SurfaceField> read(const std::filesystem::path& file, const Key& key) const;
    void write(const std::filesystem::path& file, const Key& key, const SurfaceField& field);
    // Removes the files that have not been used for longest, until `bytes` more fit; but
    // none that was used by this program: a sequence longer than the cache would replace
    // each field before its next use. False: no room.
    bool makeRoom(uintmax_t bytes) const;

    std::filesystem::path m_folder;
    uintmax_t m_mostBytes;
    std::filesystem::file_time_type m_began;  // of the program's use
};

// bakeSurface() through the shared cache, where it is on.
SurfaceField keptSurface(const TriangleMesh& mesh, const SurfaceFieldSpec& spec,
                         std::span<const Vec3> before = {});

}  // namespace coalesce
