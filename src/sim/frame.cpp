#include "sim/frame.h"

#include <algorithm>
#include <cmath>

#include "sim/neighbors.h"

namespace coalesce {

namespace {

void uploadMaterials(World& world, DeviceWorld& device) {
    device.hostMaterials.clear();
    device.largestSupport = device.largestViscosity = device.largestVorticity = device.largestDenominator = 0;
    device.uniform = true;
    for (const Material& material : world.materials) {
        const MaterialConstants m = materialConstants(material.properties);
        const MaterialConstants& first = device.hostMaterials.empty() ? m : device.hostMaterials[0];
        device.uniform &=
            m.spacing == first.spacing && m.support == first.support && m.viscosity == first.viscosity;
        device.largestSupport = std::max(device.largestSupport, m.support);
        device.largestViscosity = std::max(device.largestViscosity, m.viscosity);
        device.largestVorticity = std::max(device.largestVorticity, m.vorticity);
        device.largestDenominator = std::max(device.largestDenominator, m.denominator);
        device.hostMaterials.push_back(m);
    }
    CHECK(!device.hostMaterials.empty());
    CHECK_LE(device.hostMaterials.size(), size_t{kMaxMaterials});
    device.materials.upload(device.hostMaterials);
}

void uploadShapes(const World& world, DeviceWorld& device, double dt) {
    std::vector<ShapeState> states;
    const auto poseOf = [](const Pose& p) { return ShapePose{p.position, p.rotation}; };
    for (int substep = 0; substep < world.parameters.solver.substeps; ++substep) {
        const double start = world.time + substep * dt;
        for (const Shape& s : world.shapes)
            states.push_back({.kind = s.kind,
                              .container = s.container,
                              .radius = s.radius,
                              .halfLength = s.halfLength,
                              .halfExtents = s.halfExtents,
                              .friction = s.friction,
                              .previous = poseOf(poseAt(s, start)),
                              .present = poseOf(poseAt(s, start + dt))});
    }
    device.shapeCount = static_cast<uint32_t>(world.shapes.size());
    device.shapes.upload(states);
}

// the first plan, from where the particles are now; later plans come from the status
void planFirstKeys(World& world, DeviceWorld& device) {
    const float inverse = 1 / Neighbors::cellSize(world, device);
    int32_t low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    bool first = true;
    for (const Vec4& p : world.particles.x.download()) {
        const int cell[3] = {cellCoordinate(p.x, inverse), cellCoordinate(p.y, inverse),
                             cellCoordinate(p.z, inverse)};
        for (int k = 0; k < 3; ++k) {
            low[k] = first ? cell[k] : std::min(low[k], cell[k]);
            high[k] = first ? cell[k] : std::max(high[k], cell[k]);
        }
        first = false;
    }
    device.capacity.keys = Neighbors::planKeys(low, high);
}

int roundedUp(double wanted, int multiple) {
    return static_cast<int>(std::ceil(wanted / multiple)) * multiple;
}

}  // namespace

void openFrame(World& world, DeviceWorld& device, double dt) {
    uploadMaterials(world, device);
    uploadShapes(world, device, dt);
    const auto n = static_cast<uint32_t>(world.count());
    Capacities& c = device.capacity;
    if (c.cells == 0) {
        c.neighbors = world.parameters.neighbors.capacity;
        c.contacts = n / 4 + 1024;
        c.cells = n / 4 + 1024;
    }
    // the box of keys depends on the size of a cell and on where newborn particles are
    const float cell = Neighbors::cellSize(world, device);
    if (cell != device.plannedCell || n > device.plannedParticles) planFirstKeys(world, device);
    device.plannedCell = cell;
    device.plannedParticles = n;
    clearStatus(device);
}

void clearStatus(DeviceWorld& device) {
    const StatusBlock clean;
    device.status.upload({&clean, 1});
}

StatusBlock readStatus(const DeviceWorld& device) {
    return device.status.download()[0];
}

bool growCapacities(World& world, DeviceWorld& device, Status& status) {
    Capacities& c = device.capacity;
    const StatusBlock& s = status.worst;
    const Overflow policy = world.parameters.solver.overflow;
    bool redo = false;

    // not a limit that a user sets: always follows
    if (s.flags & kKeyOverflow) {
        c.keys = Neighbors::planKeys(s.cellMin, s.cellMax);
        redo = true;
    }
    if (s.flags & kCellOverflow) c.cells = s.requiredCells + s.requiredCells / 2, redo = true;
    if (s.flags & kContactOverflow) c.contacts = s.requiredContacts + s.requiredContacts / 2, redo = true;

    if (s.flags & kNeighborOverflow) {
        if (policy == Overflow::fail)
            fail(Exit::Simulation, fmt::format("frame {}", world.frame),
                 fmt::format("a particle has {} neighbors, the lists hold {}", s.requiredNeighbors,
                             c.neighbors),
                 fmt::format("Set neighbors.capacity to {} or more, or solver.overflow to grow.",
                             s.requiredNeighbors));
        if (policy == Overflow::grow)
            c.neighbors = roundedUp(1.25 * s.requiredNeighbors, 4), redo = true;
        else
            status.truncated = true;
    }
    if (redo || s.cellMin[0] > s.cellMax[0]) return redo;

    // plan the next frame's keys when the particles near the box's border, or fill little of it
    for (int k = 0; k < 3; ++k) {
        const int64_t first = c.keys.origin[k] + 1,
                      last = c.keys.origin[k] + (int64_t{1} << c.keys.bits[k]) - 2;
        const int64_t extent = int64_t{s.cellMax[k]} - s.cellMin[k] + 1;
        const bool close = s.cellMin[k] - first < 2 || last - s.cellMax[k] < 2;
        if (close || last - first > 8 * extent + 64) {
            c.keys = Neighbors::planKeys(s.cellMin, s.cellMax);
            break;
        }
    }
    if (policy == Overflow::grow) {
        const int enough = roundedUp(1.15 * s.requiredNeighbors + 2, 4);
        if (c.neighbors > 1.25 * enough) c.neighbors = enough;
    }
    return false;
}

void FrameStart::save(World& world) {
#define ARRAY(T, name, unit, role, about) m_arrays.name.copyFrom(world.particles.name);
#include "sim/particles.def"
}

void FrameStart::restore(World& world) {
#define ARRAY(T, name, unit, role, about) world.particles.name.copyFrom(m_arrays.name);
#include "sim/particles.def"
}

std::string Status::message() const {
    std::string text;
    const auto say = [&](const std::string& sentence) { text += (text.empty() ? "" : " ") + sentence; };
    if (worst.nonFinite > 0)
        say(fmt::format("{} particles are not finite and were frozen, first id {}; try more substeps.",
                        worst.nonFinite, worst.firstBadId));
    if (worst.flags & kDomainOverflow)
        say("Particles are 2^20 cells or more from the origin; their neighbors are not found.");
    if (truncated)
        say(fmt::format("Neighbor lists were cut; {} entries were needed.", worst.requiredNeighbors));
    if (worst.clamped > 0) say(fmt::format("{} speeds were limited to solver.maxSpeed.", worst.clamped));
    return text;
}

SolverMemory estimateMemory(size_t n, const Parameters& parameters) {
    SolverMemory m;
    m.state = 2 * n * World::stateBytesPerParticle();
    m.lists = n * sizeof(int) * (static_cast<size_t>(parameters.neighbors.capacity) + 1);
    // x*, walls, x* with λ, the array in renewal; sorting; cells; contacts near walls
    m.scratch = n * (4 * sizeof(Vec4) + 2 * (sizeof(uint64_t) + sizeof(uint32_t)) + 28 + 18 + 16);
    return m;
}

}  // namespace coalesce
