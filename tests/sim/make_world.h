// Worlds for tests, built in code, and looks into them that do not depend on the order of storage.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "geometry/math/vec3d.h"
#include "sim/solver/capacity.h"
#include "sim/solver/frame_setup.h"
#include "sim/solver/solver.h"
#include "sim/stage/neighbors.h"
#include "sim/state/state_file.h"
#include "sim/state/state_hash.h"
#include "support/random_values.h"

namespace coalesce::test {

using coalesce::toDouble;
inline Vec3d toDouble(Vec4 a) {  // without w
    return {a.x, a.y, a.z};
}

// Gives the index of the new material.
inline uint32_t addMaterial(World& world, const MaterialProperties& properties) {
    world.materials.push_back({"material" + std::to_string(world.materials.size()), properties});
    return static_cast<uint32_t>(world.materials.size() - 1);
}
inline MaterialProperties water(float spacing) {
    MaterialProperties m;
    m.spacing = spacing;
    return m;
}

inline Shape& addPlane(World& world, Vec3 point, Vec3 normal) {
    Shape plane;
    plane.name = "plane" + std::to_string(world.shapes.size());
    plane.position = point;
    plane.rotation = quatFromNormal(normal);
    return world.shapes.emplace_back(plane);
}
inline Shape& addFloor(World& world, float height = 0) {
    return addPlane(world, {0, height, 0}, {0, 1, 0});
}

struct Block {
    Vec3 low{};  // [m] corner; particles stand half a spacing inside
    int nx = 8, ny = 8, nz = 8;
    uint32_t material = 0;
    Vec3 velocity{};   // [m/s]
    float jitter = 0;  // of the spacing, per axis and side
    uint64_t seed = 1;
};
inline void addBlock(World& world, const Block& b) {
    const float d = world.materials[b.material].properties.spacing;
    std::vector<ParticleDef> births;
    for (int z = 0; z < b.nz; ++z)
        for (int y = 0; y < b.ny; ++y)
            for (int x = 0; x < b.nx; ++x) {
                const Vec3 moved = d * b.jitter * randomVec3(b.seed, births.size(), -1, 1);
                births.push_back({.x = b.low + d * Vec3{x + 0.5f, y + 0.5f, z + 0.5f} + moved,
                                  .v = b.velocity,
                                  .material = b.material});
            }
    world.addParticles(births);
}
inline void addAt(World& world, Vec3 x, Vec3 v = {}, uint32_t material = 0, float inverseMass = -1) {
    const ParticleDef one{.x = x, .v = v, .material = material, .inverseMass = inverseMass};
    world.addParticles({&one, 1});
}

// An array in the order of ids.
template <class T>
std::vector<T> byId(const World& world, const Buffer<T>& array) {
    const std::vector<uint32_t> id = world.particles.id.download();
    const std::vector<T> stored = array.download();
    std::vector<size_t> order(stored.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return id[a] < id[b]; });
    std::vector<T> sorted;
    for (const size_t i : order) sorted.push_back(stored[i]);
    return sorted;
}
inline std::vector<Vec4> positions(const World& world) {
    return byId(world, world.particles.x);
}
inline std::vector<Vec4> velocities(const World& world) {
    return byId(world, world.particles.v);
}

// The same particles in another order of storage.
inline void shuffleStorage(World& world, uint64_t seed) {
    std::vector<size_t> order(world.count());
    std::iota(order.begin(), order.end(), size_t{0});
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[randomBits(seed, i) % i]);
    forEachArray(world.particles, [&]<class T>(Buffer<T>& array, const ArrayInfo&) {
        const std::vector<T> stored = array.download();
        std::vector<T> shuffled;
        for (const size_t from : order) shuffled.push_back(stored[from]);
        array.upload(shuffled);
    });
}

// Writes a new value over the array's element of the particle with this id.
template <class T>
void setById(World& world, Buffer<T>& array, uint32_t id, const T& value) {
    const std::vector<uint32_t> ids = world.particles.id.download();
    std::vector<T> stored = array.download();
    stored.at(std::find(ids.begin(), ids.end(), id) - ids.begin()) = value;
    array.upload(stored);
}

inline Status stepFrames(Solver& solver, int frames) {
    Status last;
    for (int f = 0; f < frames; ++f) last = solver.step();
    return last;
}

// A world with neighbor lists at the current positions (x* = x), for tests of single stages.
struct OpenWorld {
    explicit OpenWorld(World& w, double dt = 1.0 / 120)
        : world(w), device(w.exec), neighbors(w.exec), step{world, device, neighbors, 0, float(dt)} {
        beginFrame(world, device, dt);
        build();
    }
    // as in a frame: repeated with larger lists until everything fits
    void build() {
        for (;;) {
            device.xStar.copyFrom(world.particles.x);
            neighbors.build(step);
            status = {};
            status.worst = readStatus(world, device);
            device.wall.resize(world.count());
            device.wall.fillZero();
            if (!growCapacities(world, device, status)) return;
            clearStatus(device);
        }
    }
    // the list of slot i
    std::vector<int> listOf(size_t i) const {
        if (m_count.empty()) {
            const NeighborLists lists = neighbors.lists();
            m_count.resize(lists.count.size);
            m_entries.resize(lists.entries.size);
            world.exec.copyToHost(m_count.data(), lists.count.data, m_count.size() * sizeof(int));
            world.exec.copyToHost(m_entries.data(), lists.entries.data, m_entries.size() * sizeof(int));
        }
        std::vector<int> list;
        for (int k = 0; k < m_count[i]; ++k) list.push_back(m_entries[k * neighbors.lists().stride + i]);
        return list;
    }

    World& world;
    DeviceWorld device;
    Neighbors neighbors;
    StepContext step;  // the first substep
    Status status;

private:
    mutable std::vector<int> m_count, m_entries;
};

}  // namespace coalesce::test
