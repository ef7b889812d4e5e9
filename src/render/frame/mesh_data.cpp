#include "render/frame/mesh_data.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

namespace coalesce {

namespace {

const float kSmooth = std::cos(glm::radians(40.0f)), kSharp = std::cos(glm::radians(30.0f)),
            kFlat = std::cos(glm::radians(1.0f));

// First vertex with the same position, for every vertex: mesh files repeat vertices.
std::vector<uint32_t> weld(const std::vector<MeshVertex>& vertices) {
    std::vector<uint32_t> order(vertices.size()), same(vertices.size());
    std::iota(order.begin(), order.end(), 0u);
    const auto key = [&](uint32_t v) {
        const glm::vec3 p = glm::vec3(vertices[v].position) + 0.0f;  // −0 is 0
        return std::array{std::bit_cast<uint32_t>(p.x), std::bit_cast<uint32_t>(p.y),
                          std::bit_cast<uint32_t>(p.z)};
    };
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        const auto ka = key(a), kb = key(b);
        return ka != kb ? ka < kb : a < b;
    });
    for (size_t k = 0; k < order.size(); ++k)
        same[order[k]] = k > 0 && key(order[k]) == key(order[k - 1]) ? same[order[k - 1]] : order[k];
    return same;
}

// Face normals, with twice the area as length.
std::vector<glm::vec3> faceNormals(const MeshData& mesh) {
    std::vector<glm::vec3> normals;
    for (size_t k = 0; k < mesh.indices.size(); k += 3) {
        const auto at = [&](size_t corner) {
            return glm::vec3(mesh.vertices[mesh.indices[k + corner]].position);
        };
        normals.push_back(glm::cross(at(1) - at(0), at(2) - at(0)));
    }
    return normals;
}

glm::vec3 unit(glm::vec3 v) {
    const float length = glm::length(v);
    return length > 0 ? v / length : glm::vec3(0);
}

// Splits vertices at creases and computes normals.
void makeNormals(MeshData& mesh) {
    const std::vector<uint32_t> same = weld(mesh.vertices);
    const std::vector<glm::vec3> faces = faceNormals(mesh);
    // corners sorted by position
    std::vector<uint32_t> corners(mesh.indices.size());
    std::iota(corners.begin(), corners.end(), 0u);
    const auto place = [&](uint32_t corner) { return same[mesh.indices[corner]]; };
    std::stable_sort(corners.begin(), corners.end(),
                     [&](uint32_t a, uint32_t b) { return place(a) < place(b); });

    std::vector<MeshVertex> vertices;
    std::vector<MeshBinding> bindings;
    std::vector<uint32_t> indices(mesh.indices.size());
    for (size_t first = 0, last; first < corners.size(); first = last) {
        for (last = first; last < corners.size() && place(corners[last]) == place(corners[first]);) ++last;
        const size_t made = vertices.size();
        for (size_t k = first; k < last; ++k) {
            const uint32_t corner = corners[k];
            const glm::vec3 own = unit(faces[corner / 3]);
            glm::vec3 sum(0);
            for (size_t other = first; other < last; ++other) {
                const glm::vec3 normal = faces[corners[other] / 3];
                if (glm::dot(own, unit(normal)) > kSmooth) sum += normal;
            }
            const MeshVertex vertex{mesh.vertices[mesh.indices[corner]].position,
                                    glm::vec4(sum == glm::vec3(0) ? own : unit(sum), 0)};
            // corners with equal normals share a vertex
            size_t v = made;
            while (v < vertices.size() && vertices[v].normal != vertex.normal) ++v;
            if (v == vertices.size()) {
                vertices.push_back(vertex);
                if (!mesh.bindings.empty()) bindings.push_back(mesh.bindings[mesh.indices[corner]]);
            }
            indices[corner] = uint32_t(v);
        }
    }
    mesh.vertices = std::move(vertices);
    mesh.bindings = std::move(bindings);
    mesh.indices = std::move(indices);
}

}  // namespace

MeshData prepareMesh(const MeshArrays& mesh) {
    MeshData data;
    const size_t count = mesh.positions.size() / 3;
    const bool hasNormals = count > 0 && mesh.normals.size() >= 3 * count;
    const auto triple = [](std::span<const float> from, size_t k) {
        return glm::vec3(from[3 * k], from[3 * k + 1], from[3 * k + 2]);
    };
    for (size_t k = 0; k < count; ++k) {
        const glm::vec3 p = triple(mesh.positions, k);
        data.lower = k == 0 ? p : glm::min(data.lower, p);
        data.upper = k == 0 ? p : glm::max(data.upper, p);
        data.vertices.push_back(
            {glm::vec4(p, 1), glm::vec4(hasNormals ? triple(mesh.normals, k) : glm::vec3(0), 0)});
    }
    if (mesh.clusters.size() >= 4 * count && mesh.weights.size() >= 4 * count) {
        for (size_t k = 0; k < count; ++k) {
            MeshBinding binding;
            for (int j = 0; j < 4; ++j) {
                binding.weights[j] = mesh.weights[4 * k + size_t(j)];
                // clusters without weight need not exist
                binding.clusters[j] = binding.weights[j] == 0 ? 0 : mesh.clusters[4 * k + size_t(j)];
                data.clusters = std::max(data.clusters, binding.clusters[j] + 1);
            }
            data.bindings.push_back(binding);
        }
    }
    for (size_t k = 0; k + 3 <= mesh.triangles.size(); k += 3) {
        const auto corners = mesh.triangles.subspan(k, 3);
        if (std::all_of(corners.begin(), corners.end(), [&](uint32_t v) { return v < count; }))
            data.indices.insert(data.indices.end(), corners.begin(), corners.end());
    }
    if (!hasNormals) makeNormals(data);
    return data;
}

MeshEdges findEdges(const MeshData& mesh) {
    const std::vector<uint32_t> same = weld(mesh.vertices);
    const std::vector<glm::vec3> faces = faceNormals(mesh);
    struct Side {
        uint32_t a, b, face;  // welded vertices, ascending
    };
    std::vector<Side> sides;
    for (size_t k = 0; k < mesh.indices.size(); ++k) {
        const size_t face = k / 3;
        if (faces[face] == glm::vec3(0)) continue;
        const uint32_t a = same[mesh.indices[k]], b = same[mesh.indices[3 * face + (k + 1) % 3]];
        sides.push_back({std::min(a, b), std::max(a, b), uint32_t(face)});
    }
    std::sort(sides.begin(), sides.end(), [](const Side& l, const Side& r) {
        return std::array{l.a, l.b, l.face} < std::array{r.a, r.b, r.face};
    });
    std::vector<glm::uvec2> sharp, blunt;
    for (size_t first = 0, last; first < sides.size(); first = last) {
        for (last = first;
             last < sides.size() && sides[last].a == sides[first].a && sides[last].b == sides[first].b;)
            ++last;
        const glm::uvec2 edge(sides[first].a, sides[first].b);
        const float cosine =
            last - first != 2 ? -1  // a boundary, or more than two faces
                              : glm::dot(unit(faces[sides[first].face]), unit(faces[sides[first + 1].face]));
        if (cosine < kSharp)
            sharp.push_back(edge);
        else if (cosine < kFlat)
            blunt.push_back(edge);
    }
    MeshEdges found{sharp, sharp.size()};
    found.edges.insert(found.edges.end(), blunt.begin(), blunt.end());
    return found;
}

}  // namespace coalesce
