#include "scenes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include <stb_image_write.h>
#pragma GCC diagnostic pop

namespace coalesce::test {

namespace {

// Reproducible pseudo-random numbers: a counter hashed to [-0.5, 0.5).
double centered(uint64_t counter) {
    uint64_t x = counter + 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return double((x ^ (x >> 31)) >> 11) * 0x1p-53 - 0.5;
}

// Eigenvectors (columns) and eigenvalues of a symmetric matrix by Jacobi rotations, largest first.
void eigen(glm::dmat3 a, glm::dmat3& vectors, glm::dvec3& values) {
    vectors = glm::dmat3(1);
    for (int sweep = 0; sweep < 12; ++sweep) {
        for (int p = 0; p < 2; ++p) {
            for (int q = p + 1; q < 3; ++q) {
                if (std::abs(a[p][q]) < 1e-300) continue;
                const double theta = 0.5 * std::atan2(2 * a[p][q], a[q][q] - a[p][p]);
                glm::dmat3 r(1);
                r[p][p] = r[q][q] = std::cos(theta);
                r[q][p] = std::sin(theta);
                r[p][q] = -std::sin(theta);
                a = glm::transpose(r) * a * r;
                vectors = vectors * r;
            }
        }
    }
    int order[3] = {0, 1, 2};
    std::sort(order, order + 3, [&](int i, int j) { return a[i][i] > a[j][j]; });
    const glm::dmat3 unsorted = vectors;
    for (int k = 0; k < 3; ++k) {
        vectors[k] = unsorted[order[k]];
        values[k] = a[order[k]][order[k]];
    }
}

}  // namespace

void Particles::add(glm::dvec3 x, uint32_t phaseBits, glm::vec3 v) {
    position.emplace_back(glm::vec3(x), 1.0f);
    velocity.emplace_back(v, 0.0f);
    phase.push_back(phaseBits);
    scalar.push_back(glm::length(v));
}

double surfaceHeight(double x, double z) {
    const double rho = std::hypot(x - 0.25, z);
    const double ring = (rho - 0.26) / 0.05, ridge = (x + 0.75) / 0.12;
    return 0.24 + 0.035 * std::sin(6 * x + 2 * z) + 0.02 * std::sin(11 * z - 4 * x) +
           0.22 * std::exp(-ring * ring) * (1 + 0.35 * std::sin(9 * std::atan2(z, x - 0.25))) -
           0.12 * std::exp(-rho * rho / 0.03) + 0.25 * std::exp(-ridge * ridge);
}

glm::dvec3 surfaceNormal(double x, double z) {
    const double e = 1e-5;
    const double hx = (surfaceHeight(x + e, z) - surfaceHeight(x - e, z)) / (2 * e);
    const double hz = (surfaceHeight(x, z + e) - surfaceHeight(x, z - e)) / (2 * e);
    return glm::normalize(glm::dvec3(-hx, 1, -hz));
}

double fillPool(Particles& out, int number) {
    const double d = std::cbrt(0.68 / number);  // 0.68 m^3 of liquid
    uint64_t counter = 0;
    for (double x = -1 + d / 2; x < 1; x += d) {
        for (double z = -0.5 + d / 2; z < 0.5; z += d) {
            for (double y = d / 2; y < 1; y += d) {
                glm::dvec3 p{x, y, z};
                for (int k = 0; k < 3; ++k) p[k] += 0.35 * d * centered(counter++);
                if (p.y < surfaceHeight(p.x, p.z)) out.add(p);
            }
        }
    }
    return d;
}

void fillBox(Particles& out, glm::dvec3 lower, glm::dvec3 upper, double d, uint32_t phaseBits) {
    const glm::ivec3 cells = glm::ivec3(glm::round((upper - lower) / d));
    for (int i = 0; i < cells.x; ++i) {
        for (int j = 0; j < cells.y; ++j) {
            for (int k = 0; k < cells.z; ++k) out.add(lower + d * (glm::dvec3(i, j, k) + 0.5), phaseBits);
        }
    }
}

void computeEllipsoids(Particles& particles, double d, double supportRatio, bool planar) {
    const double h = supportRatio * d;
    const size_t n = particles.size();
    const auto cellOf = [&](glm::dvec3 x) { return glm::ivec3(glm::floor(x / h)); };
    const auto key = [](glm::ivec3 c) {
        return (uint64_t(c.x + 4096) << 40) | (uint64_t(c.y + 4096) << 20) | uint64_t(c.z + 4096);
    };
    std::unordered_map<uint64_t, std::vector<size_t>> grid;
    for (size_t i = 0; i < n; ++i) grid[key(cellOf(glm::dvec3(particles.position[i])))].push_back(i);

    particles.smooth.resize(n);
    particles.axis1.resize(n);
    particles.axis2.resize(n);
    particles.axis3.resize(n);
    // neighbors of a filled sphere, or disc, of radius h
    const double full =
        planar ? M_PI * std::pow(supportRatio, 2) : 4.0 / 3 * M_PI * std::pow(supportRatio, 3);
    const double reference = 0.145 * h * h;  // variance in a cubic lattice [m^2]
    for (size_t i = 0; i < n; ++i) {
        const glm::dvec3 xi(particles.position[i]);
        std::vector<std::pair<glm::dvec3, double>> near;
        const glm::ivec3 cell = cellOf(xi);
        for (int c = 0; c < 27; ++c) {
            const auto found = grid.find(key(cell + glm::ivec3(c % 3 - 1, c / 3 % 3 - 1, c / 9 - 1)));
            if (found == grid.end()) continue;
            for (const size_t j : found->second) {
                const glm::dvec3 xj(particles.position[j]);
                const double q = glm::length(xj - xi) / h;
                if (q < 1) near.emplace_back(xj, 1 - q * q * q);
            }
        }
        double weights = 0;
        glm::dvec3 mean(0);
        for (const auto& [x, w] : near) {
            mean += w * x;
            weights += w;
        }
        mean /= weights;
        glm::dmat3 covariance(0);
        for (const auto& [x, w] : near) covariance += w / weights * glm::outerProduct(x - mean, x - mean);
        glm::dmat3 axes(1);
        glm::dvec3 lengths(0.6 * 0.85 * d);
        if (double(near.size()) >= 0.18 * full) {
            glm::dvec3 values;
            eigen(covariance, axes, values);
            for (int k = 0; k < 3; ++k) {
                const double s = std::max(values[k], values[0] / 4);
                lengths[k] = 0.85 * d * std::clamp(std::sqrt(s / reference), 0.35, 1.6);
            }
        }
        const glm::dvec3 smooth = 0.1 * xi + 0.9 * mean;
        particles.smooth[i] = glm::vec4(glm::vec3(smooth), float(near.size()));
        particles.axis1[i] = glm::vec4(glm::vec3(axes[0]), lengths[0]);
        particles.axis2[i] = glm::vec4(glm::vec3(axes[1]), lengths[1]);
        particles.axis3[i] = glm::vec4(glm::vec3(axes[2]), lengths[2]);
    }
}

RenderFrame publish(const Particles& p, GlBuffers& buffers, double spacing, bool ellipsoids) {
    const auto upload = [&](Slot slot, const auto& array) {
        buffers.upload(slot, array.data(), array.size() * sizeof(array[0]));
    };
    upload(Slot::Pos, p.position);
    upload(Slot::Vel, p.velocity);
    upload(Slot::Phase, p.phase);
    upload(Slot::Scalar, p.scalar);
    if (ellipsoids) {
        upload(Slot::PosSmooth, p.smooth);
        upload(Slot::Aniso1, p.axis1);
        upload(Slot::Aniso2, p.axis2);
        upload(Slot::Aniso3, p.axis3);
    }
    RenderFrame frame;
    frame.particles = uint32_t(p.size());
    frame.ellipsoids = ellipsoids;
    DrawMaterial water;
    water.name = "water";
    water.spacing = float(spacing), water.support = float(2 * spacing);
    frame.materials.push_back(water);
    glm::vec3 lower(1e9f), upper(-1e9f);
    for (const glm::vec4& x : p.position) {
        lower = glm::min(lower, glm::vec3(x));
        upper = glm::max(upper, glm::vec3(x));
    }
    if (p.size() > 0) {
        frame.boundsMin = {lower.x, lower.y, lower.z};
        frame.boundsMax = {upper.x, upper.y, upper.z};
    }
    return frame;
}

void addLiquidMesh(RenderFrame& frame, GlBuffers& buffers, LiquidArrays& all, uint32_t material,
                   const LiquidArrays& mesh) {
    frame.liquids.push_back(
        {material, uint32_t(all.position.size()), uint32_t(all.index.size()), uint32_t(mesh.index.size())});
    const auto append = [](auto& to, const auto& more) { to.insert(to.end(), more.begin(), more.end()); };
    append(all.position, mesh.position);
    append(all.normal, mesh.normal);
    append(all.index, mesh.index);
    buffers.upload(Slot::LiquidPos, all.position.data(), all.position.size() * sizeof(glm::vec4));
    buffers.upload(Slot::LiquidNormal, all.normal.data(), all.normal.size() * sizeof(glm::vec4));
    buffers.upload(Slot::LiquidIndex, all.index.data(), all.index.size() * sizeof(uint32_t));
}

LiquidArrays poolMesh(int cells) {
    LiquidArrays mesh;
    for (int i = 0; i <= 2 * cells; ++i)
        for (int k = 0; k <= cells; ++k) {
            const double x = double(i) / cells - 1, z = double(k) / cells - 0.5;
            mesh.position.emplace_back(x, surfaceHeight(x, z), z, 1);
            mesh.normal.emplace_back(glm::vec3(surfaceNormal(x, z)), 0);
        }
    const auto vertex = [&](int i, int k) { return uint32_t(i * (cells + 1) + k); };
    for (int i = 0; i < 2 * cells; ++i)
        for (int k = 0; k < cells; ++k)
            for (const uint32_t corner : {vertex(i, k), vertex(i, k + 1), vertex(i + 1, k + 1), vertex(i, k),
                                          vertex(i + 1, k + 1), vertex(i + 1, k)})
                mesh.index.push_back(corner);
    return mesh;
}

LiquidArrays boxMesh(glm::vec3 lower, glm::vec3 upper) {
    LiquidArrays mesh;
    for (int axis = 0; axis < 3; ++axis)
        for (const int side : {0, 1}) {
            const int u = (axis + 1) % 3, v = (axis + 2) % 3;
            const auto first = uint32_t(mesh.position.size());
            for (const int corner : {0, 1, 3, 2}) {
                glm::vec3 p(0), n(0);
                p[axis] = side ? upper[axis] : lower[axis];
                p[u] = corner & 1 ? upper[u] : lower[u];
                p[v] = corner & 2 ? upper[v] : lower[v];
                n[axis] = side ? 1.0f : -1.0f;
                mesh.position.emplace_back(p, 1);
                mesh.normal.emplace_back(n, 0);
            }
            // counterclockwise seen from outside
            for (const uint32_t corner :
                 side ? std::array<uint32_t, 6>{0, 1, 2, 0, 2, 3} : std::array<uint32_t, 6>{0, 2, 1, 0, 3, 2})
                mesh.index.push_back(first + corner);
        }
    return mesh;
}

DrawShape plane(float height) {
    DrawShape shape;
    shape.kind = DrawShape::Kind::Plane;
    shape.position = {0, height, 0};
    shape.holdsLiquid = true;
    return shape;
}

DrawShape box(glm::vec3 center, glm::vec3 half, bool container) {
    DrawShape shape;
    shape.kind = DrawShape::Kind::Box;
    shape.container = shape.holdsLiquid = container;
    shape.position = {center.x, center.y, center.z};
    shape.halfExtents = {half.x, half.y, half.z};
    return shape;
}

std::vector<uint8_t> drawImage(Renderer& renderer, const RenderFrame& frame, const GlBuffers& buffers,
                               const Camera& camera, const DrawOptions& options, int width, int height) {
    const RenderTarget target(width, height);
    renderer.draw(frame, buffers, camera, options, target.output());
    return readPixels(target.output());
}

void writePng(const std::string& path, const std::vector<uint8_t>& pixels, int width, int height) {
    stbi_write_png(path.c_str(), width, height, 4, pixels.data(), width * 4);
}

}  // namespace coalesce::test
