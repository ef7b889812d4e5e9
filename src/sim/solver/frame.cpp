#include "sim/solver/frame.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/stage/neighbors.h"

namespace coalesce {

namespace {

// The largest XSPH share that a particle takes over in a substep. Between two liquids C_ij / ρ_i counts, with
// the harmonic mean C of c ρ: see BlendVelocities.
float largestBlend(std::span<const MaterialConstants> materials) {
    float largest = 0;
    for (const MaterialConstants& a : materials)
        for (const MaterialConstants& b : materials) {
            if (!a.fluid || !b.fluid) continue;
            const float own = a.inverseMass * a.volume, mine = a.viscosity / own,
                        theirs = b.viscosity / (b.inverseMass * b.volume);
            if (mine + theirs > 0) largest = std::max(largest, 2 * mine * theirs / (mine + theirs) * own);
        }
    return largest;
}

void uploadMaterials(World& world, DeviceWorld& device, double dt) {
    device.hostMaterials.clear();
    device.largestSupport = device.largestVorticity = device.largestDenominator = 0;
    device.largestTension = device.largestAdhesion = device.largestAttraction = 0;
    device.largestSpacing = device.largestCohesion = device.largestRestitution = 0;
    device.leastDepenetration = device.leastSpacing = std::numeric_limits<float>::max();
    device.uniform = true;
    device.hasFluid = device.hasSolids = device.hasAirDrag = device.hasAerodynamics = false;
    for (const Material& material : world.materials) {
        MaterialConstants m = materialConstants(material.properties, world.parameters.solver.planar, dt);
        m.fields = fieldsOnMaterial(world, material.name);
        const MaterialConstants& first = device.hostMaterials.empty() ? m : device.hostMaterials[0];
        device.uniform &= m.fluid == first.fluid && m.spacing == first.spacing &&
                          m.support == first.support && m.viscosity == first.viscosity &&
                          m.inverseMass == first.inverseMass && m.attraction == first.attraction;
        device.largestSupport = std::max(device.largestSupport, m.support);
        device.largestSpacing = std::max(device.largestSpacing, m.spacing);
        device.hasAirDrag |= m.airDrag > 0;
        device.hasAerodynamics |= m.drag > 0 || m.lift > 0;
        device.leastSpacing = std::min(device.leastSpacing, m.spacing);
        if (m.fluid) {
            device.hasFluid = true;
            device.largestVorticity = std::max(device.largestVorticity, m.vorticity);
            device.largestDenominator = std::max(device.largestDenominator, m.denominator);
            device.largestTension = std::max({device.largestTension, m.cohesionPull, m.curvaturePull});
            device.largestAdhesion = std::max(device.largestAdhesion, m.adhesionPull);
            device.largestAttraction = std::max(device.largestAttraction, m.attraction);
        } else {
            device.hasSolids = true;
            device.leastDepenetration = std::min(device.leastDepenetration, m.maxDepenetration);
            device.largestCohesion = std::max(device.largestCohesion, m.cohesion);
            device.largestRestitution = std::max(device.largestRestitution, m.restitution);
        }
        device.hostMaterials.push_back(m);
    }
    device.largestViscosity = largestBlend(device.hostMaterials);
    CHECK(!device.hostMaterials.empty());
    CHECK_LE(device.hostMaterials.size(), size_t{kMaxMaterials});
    device.materials.upload(device.hostMaterials);
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
    uploadMaterials(world, device, dt);
    device.groups.upload(groupConstants(world));
    device.fields.upload(fieldConstants(world, world.time));
    device.shapes.upload(world, world.shapes, dt);
    const auto n = static_cast<uint32_t>(world.count());
    Capacities& c = device.capacity;
    if (c.cells == 0) {
        c.neighbors = world.parameters.neighbors.capacity;
        c.pairs = world.parameters.neighbors.pairCapacity;
        c.contacts = n / 4 + 1024;
        c.cells = n / 4 + 1024;
    }
    // the box of keys depends on the size of a cell and on where newborn particles are; where few come, a
    // frame that finds one outside is done again
    const float cell = Neighbors::cellSize(world, device);
    if (cell != device.plannedCell || n > device.plannedParticles + device.plannedParticles / 8)
        planFirstKeys(world, device);
    device.plannedCell = cell;
    device.plannedParticles = n;
    clearStatus(device);
}

void clearStatus(DeviceWorld& device) {
    const StatusBlock clean;
    device.status.upload({&clean, 1});
    device.shapes.clearTallies();
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

    // where a frame is done again, only its last run tells what is missing
    status.truncated = false;
    const auto fit = [&](uint32_t flag, int& capacity, uint32_t required, const char* of,
                         const char* parameter) {
        if (!(s.flags & flag)) return;
        if (policy == Overflow::grow)
            capacity = roundedUp(1.25 * required, 4), redo = true;
        else if (policy == Overflow::fail && !redo)
            fail(Exit::Simulation, fmt::format("frame {}", world.frame),
                 fmt::format("a particle has {} {}, the lists hold {}", required, of, capacity),
                 fmt::format("Set neighbors.{} to {} or more, or solver.overflow to grow.", parameter,
                             required));
        else
            status.truncated = !redo;
    };
    fit(kPairOverflow, c.pairs, s.requiredPairs, "contacts with others", "pairCapacity");
    fit(kNeighborOverflow, c.neighbors, s.requiredNeighbors, "neighbors", "capacity");
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
    const auto giveBack = [&](int& capacity, uint32_t required, int least) {
        const int enough = std::max(roundedUp(1.15 * required + 2, 4), least);
        if (policy == Overflow::grow && capacity > 1.25 * enough) capacity = enough;
    };
    giveBack(c.neighbors, s.requiredNeighbors, 0);
    // before bodies meet they have no contacts: the room to begin with stays
    giveBack(c.pairs, s.requiredPairs, world.parameters.neighbors.pairCapacity);
    return false;
}

void FrameBackup::save(World& world) {
#define ARRAY(T, name, unit, role, about) m_arrays.name.copyFrom(world.particles.name);
#include "sim/world/particles.def"
    copyAttributes(m_arrays.attributes, world.particles.attributes, world.exec);
#define TABLE(T, name, of, unit, about) m_solids.name.copyFrom(world.solids.name);
#include "sim/world/solids.def"
}

void FrameBackup::restore(World& world) {
#define ARRAY(T, name, unit, role, about) world.particles.name.copyFrom(m_arrays.name);
#include "sim/world/particles.def"
    copyAttributes(world.particles.attributes, m_arrays.attributes, world.exec);
#define TABLE(T, name, of, unit, about) world.solids.name.copyFrom(m_solids.name);
#include "sim/world/solids.def"
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
        say(fmt::format("Neighbor lists were cut; {} entries were needed, and {} for contacts.",
                        worst.requiredNeighbors, worst.requiredPairs));
    if (ballsBlocked > 0) say("A ball that was thrown had no room where it began.");
    if (jetsBlocked > 0) say("A jet had no room where it began.");
    if (worst.clamped > 0) say(fmt::format("{} speeds were limited to solver.maxSpeed.", worst.clamped));
    return text;
}

SolverMemory estimateMemory(std::span<const size_t> particles, const Parameters& parameters,
                            std::span<const Material> materials) {
    size_t n = 0;
    bool liquids = false, solids = false, tense = false, sticky = false;
    double rows = 0, members = 0, compliant = 0, sprung = 0;
    for (size_t k = 0; k < particles.size(); ++k) {
        n += particles[k];
        const MaterialProperties& m = materials[k].properties;
        (m.kind == MaterialKind::fluid ? liquids : solids) |= particles[k] > 0;
        tense |= particles[k] > 0 && m.surfaceTension > 0, sticky |= particles[k] > 0 && m.adhesion > 0;
        const auto held = static_cast<double>(particles[k]);
        const bool cloth = m.kind == MaterialKind::cloth;
        // a spare row for each corner of cloth
        if (isShapeMatched(m) || isSprung(m)) rows += cloth ? 2 * held : held;
        // springs with λ and their place in the order of colors, six for each particle of cloth and two of
        // ropes; two triangles; sums of springs, shares and carriers by row
        if (isSprung(m))
            sprung += held * ((cloth ? 6 : 2) * (2 * sizeof(DistanceConstraint) + 8) +
                              (cloth ? 4 * sizeof(ClothTriangle) + 2 * 32 : 32));
        if (!isShapeMatched(m)) continue;
        // Clusters a spacing apart, each reaching to its radius: less at a body's surface.
        const double reach = m.clusterRadius / m.clusterSpacing;
        const double overlap = m.kind == MaterialKind::rigid ? 1 : std::max(1.0, 4.2 * reach * reach * reach);
        members += held * overlap;
        if (m.compliance > 0) compliant += held * overlap;
    }
    SolverMemory m;
    // tables of rows, and of members with what their chunks sum up; those of solids.def twice
    m.state = 2 * n * World::stateBytesPerParticle() +
              static_cast<size_t>(rows * (4 * sizeof(Vec4) + 8) + members * (2 * sizeof(Vec4) + 12) + sprung);
    // x*, walls, x* with λ, the array in renewal; sorting; cells; contacts near walls
    m.scratch = n * (4 * sizeof(Vec4) + 2 * (sizeof(uint64_t) + sizeof(uint32_t)) + 28 + 18 + 16);
    // materials, strengths and normals of the surface tension; holds of the adhesion
    if (tense) m.scratch += n * (sizeof(float) + 2 * sizeof(Vec4));
    if (sticky) m.scratch += n * sizeof(Vec4);
    if (liquids) m.lists += n * sizeof(int) * (static_cast<size_t>(parameters.neighbors.capacity) + 1);
    if (solids) {
        m.lists += n * sizeof(int) * (static_cast<size_t>(parameters.neighbors.pairCapacity) + 1);
        // traits, x* in renewal, velocities before, restitution; with bodies fields, places before contacts,
        // gains
        m.scratch += n * (4 * sizeof(Vec4) + 8) + (rows > 0 ? n * (2 * sizeof(Vec4) + 8) : 0);
        // sums of chunks of sixteen members or more, and λ
        m.scratch += static_cast<size_t>(members * 16 + compliant * sizeof(Vec4));
    }
    return m;
}

}  // namespace coalesce
