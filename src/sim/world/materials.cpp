// Kernel constants of materials, evaluated in double on a filled lattice.
#include <cmath>

#include "kernels/fluid/pairwise_tension.h"
#include "kernels/math/smoothing_kernel.h"
#include "sim/world/world.h"

namespace coalesce {

namespace {

constexpr double kPiExact = 3.14159265358979323846;

struct Prototype {
    double volume;  // V [m³]: the weight with which Σ_j V W = 1
    double
        gradients;  // Σ_k V² |∇W_ik|² of the neighbors [1/m²]; by symmetry Σ V ∇W of the particle itself is 0
    double linear;      // Σ_k V x_k · (−∂W/∂x): the sum's estimate of the gradient of f = x [-]
    double behindWall;  // fraction of φ that the first layer lacks at a wall at distance d/2 [-]
    double spread;      // ½ Σ_k V x_k² W: ∫ν dt [m²] of one XSPH pass with c = 1; h²/28 in the limit
    double strain;      // Σ_k V r³ |∇W| / (r² + h²/100) [-]; the number of dimensions in the limit
};

// A cubic lattice of spacing d around one particle, or a square one in a plane, with the weights of the
// density constraint.
Prototype filledLattice(double d, double h, bool planar) {
    const int reach = int(std::ceil(h / d)), deep = planar ? 0 : reach;
    double weights = 0, gradients = 0, linear = 0, behind = 0, spread = 0, strain = 0;
    for (int z = -deep; z <= deep; ++z)
        for (int y = -reach; y <= reach; ++y)
            for (int x = -reach; x <= reach; ++x) {
                const double r2 = d * d * (x * x + y * y + z * z), r = std::sqrt(r2);
                if (r >= h) continue;
                const double weight = 15 / (kPiExact * std::pow(h, 6)) * std::pow(h - r, 3);
                weights += weight;
                if (y < 0) behind += weight;
                spread += 0.5 * weight * d * d * x * x;
                const double slope = 45 / (kPiExact * std::pow(h, 6)) * (h - r) * (h - r);
                strain += slope * r * r2 / (r2 + 0.01 * h * h);
                if (r > 0) linear += slope * d * d * x * x / r;
                if (r > 0) gradients += std::pow(slope, 2);
            }
    const double volume = 1 / weights;
    return {volume,         volume * volume * gradients, volume * linear, volume * behind, volume * spread,
            volume * strain};
}

// q at which a half space, or a half plane, covers the fraction `hidden` of the kernel: the inverse of
// halfSpaceShare, by bisection.
double halfSpaceDistance(double hidden, bool planar) {
    double low = 0, high = 1;
    for (int step = 0; step < 60; ++step) {
        const double q = 0.5 * (low + high), a = 1 - q;
        const double share = planar ? double{halfPlaneShare(float(q))} : std::pow(a, 5) * (1.5 - a);
        (share > hidden ? low : high) = q;
    }
    return low;
}

// Rest volume of a particle [m³]: its lattice cell, in a plane one meter deep.
double cellVolume(double d, bool planar) {
    return planar ? d * d : d * d * d;
}

// Surface tension and adhesion that forces of strength 1 m/s² cause at the flat face of a cubic lattice.
struct FlatFace {
    double cohesion, curvature;  // tension / (ρ d² · 1 m/s²) [-]
    double adhesion;             // work of separation from a wall / (ρ d² · 1 m/s²) [-]
};

// Tension is the difference of the stresses across and along the face ([KB49]): summed over all pairs, each
// counted from both ends, per area
//     σ = ½ Σ z f_z − ½ (x f_x + y f_y),       f: pair force, (x, y, z): from the other
//     particle to this one
// Layers with filled neighborhoods add nothing. Lengths in d, masses in ρ d³.
FlatFace flatFace(double h) {
    const int reach = int(std::ceil(h));
    const double volume = filledLattice(1, h, false).volume;
    const auto forNeighbors = [&](int layer, auto&& visit) {
        for (int z = -reach; z <= std::min(layer, reach); ++z)
            for (int y = -reach; y <= reach; ++y)
                for (int x = -reach; x <= reach; ++x) {
                    const double r = std::sqrt(double(x * x + y * y + z * z));
                    if (r > 0 && r < h) visit(x, y, z, r, layer - z);
                }
    };
    // layer 0 is the outermost; z points out of the liquid
    const int layers = 3 * reach + 1;
    std::vector<double> phi(layers + reach + 1, 1.0), normal(layers + reach + 1, 0.0);
    for (int layer = 0; layer < layers; ++layer) {
        phi[layer] = volume * 15 / (kPiExact * std::pow(h, 3));
        forNeighbors(layer, [&](int, int, int z, double r, int) {
            phi[layer] += volume * 15 / (kPiExact * std::pow(h, 6)) * std::pow(h - r, 3);
            normal[layer] += h * volume * 45 / (kPiExact * std::pow(h, 6)) * (h - r) * (h - r) * z / r;
        });
    }
    FlatFace face{0, 0, 0};
    for (int layer = 0; layer < layers; ++layer)
        forNeighbors(layer, [&](int x, int y, int z, double r, int other) {
            // from the neighbor to the particle of this layer: (−x, −y, −z)
            const double q = r / h, a = (1 - q) * q, shape = q > 0.5 ? a * a * a : 2 * a * a * a - 1.0 / 64;
            const double thin = 2 / (phi[layer] + phi[other]);
            const double weight = volume * 15 / (kPiExact * std::pow(h, 6)) * std::pow(h - r, 3);
            face.cohesion += 0.5 * thin * shape / r * (0.5 * (x * x + y * y) - z * z);
            face.curvature += 0.5 * thin * weight * z * (normal[layer] - normal[other]);
        });
    // the work of separating each layer from the half space whose face is d/2 below the first
    for (int layer = 0; layer + 0.5 < h; ++layer) {
        const double from = (layer + 0.5) / h;
        constexpr int kSteps = 50;
        for (int step = 0; step < kSteps; ++step)
            face.adhesion += h * (1 - from) / kSteps *
                             double{adhesionOfHalfSpace(float(from + (1 - from) * (step + 0.5) / kSteps))};
    }
    return face;
}

// Cohesion provides three quarters of the tension and curvature the rest, about as in the paper at the
// density of water. Curvature alone pushes the outermost particles away; cohesion alone leaves the surface
// rough.
constexpr double kCohesionShare = 0.75;

// XSPH coefficient of a substep above which a liquid is stiff in any case, and more passes only cost time.
constexpr double kMostShare = 200;

constexpr double kAttraction = 0.03;  // f(κ)/κ, see density_constraint.h

}  // namespace

// The mass of a lattice cell: V is a weight of the kernel sum, and smaller where that sum overestimates.
float particleMass(const MaterialProperties& p, bool planar) {
    return float(double{p.density} * cellVolume(p.spacing, planar));
}

bool isFluid(const MaterialProperties& p) {
    return p.kind == MaterialKind::fluid || p.kind == MaterialKind::gas;
}

bool isFlowing(const MaterialProperties& p) {
    return isFluid(p) || p.kind == MaterialKind::grains;
}

float inertialDensity(const MaterialProperties& p, std::span<const Material> materials, float massRatio) {
    float density = p.density;
    if (!isFluid(p)) return density;
    for (const Material& m : materials)
        if (isFluid(m.properties)) density = std::max(density, m.properties.density / massRatio);
    return density;
}

bool hasVirtualMass(const MaterialProperties& p, std::span<const Material> materials, float massRatio) {
    return p.kind == MaterialKind::gas ||
           inertialDensity(p, materials, std::min(massRatio, kEvenInertia)) > p.density;
}

bool isLoose(const MaterialProperties& p) {
    return isShapeMatched(p) && p.stiffness == 0 && p.compliance == 0;
}

bool isShapeMatched(const MaterialProperties& p) {
    return p.kind == MaterialKind::rigid || p.kind == MaterialKind::soft;
}

bool isSprung(const MaterialProperties& p) {
    return p.kind == MaterialKind::cloth || p.kind == MaterialKind::rope;
}

MaterialConstants materialConstants(const MaterialProperties& p, bool planar, double dt,
                                    float inertialDensity) {
    const double d = p.spacing, h = d * p.supportRatio;
    const Prototype lattice = filledLattice(d, h, planar);
    const double density = inertialDensity > 0 ? inertialDensity : p.density;
    const double lightness = p.density / density;  // weight and dynamic viscosity stay those of the material
    const double inverseMass = 1 / (density * cellVolume(d, planar));
    // a mean of the directions of pairs, over all in space or in a plane, gives (2 E + tr E)/15 or /8; the force
    // acts on the volume of the cell, and V is a weight
    const double perStrain = (planar ? 16 : 30) / lattice.strain * cellVolume(d, planar) / lattice.volume;
    const double share = lightness * p.kinematicViscosity * dt / lattice.spread;
    // acceleration per tension [m/s² / (N/m)]
    const bool fluid = isFluid(p), gas = p.kind == MaterialKind::gas;
    const FlatFace face =
        fluid && (p.surfaceTension > 0 || p.adhesion > 0) ? flatFace(p.supportRatio) : FlatFace{1, 1, 1};
    const double perTension = fluid ? 1 / (density * d * d) : 0;
    return {
        .spacing = p.spacing,
        .support = float(h),
        .volume = float(lattice.volume),
        .inverseMass = float(inverseMass),
        .gradientScale = float(1 / lattice.linear),
        .wallShift = float(halfSpaceDistance(lattice.behindWall, planar) * h - 0.5 * d),
        .denominator = float(inverseMass * lattice.gradients),
        // compressed by C, a particle has the energy ½ K V C², V: its cell, and ½ w C²/|∇C|²
        .densityWeight = fluid ? float(double{p.bulkModulus} * cellVolume(d, planar) * lattice.gradients) : 0,
        .viscosity = p.kinematicViscosity > 0 ? float(std::min(share, kMostShare)) : p.viscosity,
        .strainViscosity = fluid ? float(perStrain * p.strainViscosity * p.density * dt) : 0,
        .vorticity = p.vorticity,
        .spinCorrection = fluid ? p.spinCorrection : 0,
        .staticFriction = p.staticFriction,
        .dynamicFriction = p.dynamicFriction,
        .restitution = p.restitution,
        .maxDepenetration = p.maxDepenetration,
        .gravityScale = lightness == 1 ? p.gravityScale : float(lightness * p.gravityScale),
        .damping = p.damping,
        .rollingResistance = p.rollingResistance,
        .cohesion = fluid ? 0 : p.cohesion,
        .cohesionPull = float(kCohesionShare * p.surfaceTension * perTension / face.cohesion),
        .curvaturePull = float((1 - kCohesionShare) * p.surfaceTension * perTension / face.curvature),
        .adhesionPull = float(p.adhesion * perTension / face.adhesion),
        .attraction = fluid ? float(kAttraction * p.tension / (inverseMass * lattice.gradients)) : 0,
        .airDrag = p.airDrag,
        .drag = p.drag,
        .lift = p.lift,
        .thermalExpansion = fluid ? float(lightness * p.thermalExpansion) : 0,
        .cooling = fluid ? p.cooling : 0,
        .baroclinity = gas ? p.baroclinity : 0,
        .turbulence = gas ? p.turbulence : 0,
        .vorticityDecay = p.vorticityDecay,
        .fluid = fluid,
        .gas = gas,
        .virtualMass = 0,      // by all materials of the world
        .forceFieldMask = 0};  // by the names of the world
}

}  // namespace coalesce
