// Builds a triangle mesh from the records of a file.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "geometry/mesh/mesh_reader.h"

namespace coalesce {

constexpr uint32_t kNone = 0xffffffff;

struct Corner {
    uint32_t position, normal;
};

class MeshBuilder {
public:
    // Throws with the position in the file.
    using Complain = std::function<void(const std::string& what, const std::string& hint)>;

    MeshBuilder(const MeshLimits& limits, Complain complain)
        : m_limits(limits), m_complain(std::move(complain)) {}

    std::vector<Vec3> positions, normals;

    void addPosition(double x, double y, double z);
    // any length; a zero vector discards all normals of the file
    void addNormal(double x, double y, double z);
    void addPolygon(const std::vector<Corner>& corners);
    TriangleMesh finish();

private:
    void checkCount(const std::vector<Vec3>& list, const char* what) const;
    size_t apexOf(const std::vector<Corner>& corners) const;

    const MeshLimits& m_limits;
    Complain m_complain;
    std::vector<std::array<Corner, 3>> m_triangles;
    bool m_normalsMissing = false;
};

}  // namespace coalesce
