// libFuzzer's entry to the mesh reader: whatever the bytes, it returns a sound mesh or throws an Error. The
// first byte chooses the format.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/error.h"
#include "geometry/mesh/mesh_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace coalesce;
    if (size == 0) return 0;
    const std::string_view content(reinterpret_cast<const char*>(data) + 1, size - 1);
    try {
        const TriangleMesh mesh = parseMesh(content, MeshFormat(data[0] % 4), "fuzz");
        if (mesh.triangles.empty() || mesh.normals.size() != mesh.vertices.size()) std::abort();
        for (const Triangle& t : mesh.triangles)
            for (const uint32_t v : t)
                if (v >= mesh.vertices.size()) std::abort();
        for (const Vec3& v : mesh.vertices)
            if (!isFinite(v)) std::abort();
        for (const Vec3& n : mesh.normals)
            if (!(std::abs(dot(n, n) - 1) < 1e-3f)) std::abort();
    } catch (const Error& error) {
        if (error.code != Exit::Scene) std::abort();
    }
    return 0;
}
