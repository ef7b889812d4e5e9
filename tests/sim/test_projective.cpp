// Projective dynamics. References: nearest points, energies and their differences in double, and Eigen's
// direct solvers; they share no code with the kernels.
#include <Eigen/Cholesky>
#include <Eigen/Dense>
#include <Eigen/SVD>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "kernels/projective/project_density.h"
#include "sim/make_bodies.h"
#include "sim/make_cloth_meshes.h"
#include "sim/projective/coupled_rows.h"
#include "sim/projective/density_rows.h"
#include "support/each_backend.h"
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

using std::numbers::pi;

// ---- density constraints ----

double weight(double r, double h) {
    return r < h ? 15 / (pi * std::pow(h, 6)) * std::pow(h - r, 3) : 0;
}
Vec3d weightGradient(Vec3d d, double h) {
    const double r = length(d);
    return r < h && r > 0 ? (-45 / (pi * std::pow(h, 6)) * (h - r) * (h - r) / r) * d : Vec3d{};
}

// A particle (the first point) and its neighbors; C of the particle and its gradient with respect to all.
struct Neighborhood {
    std::vector<Vec3d> x;
    double h, V;

    double constraint(const std::vector<Vec3d>& p) const {
        double phi = -1;
        for (const Vec3d& q : p) phi += V * weight(length(p[0] - q), h);
        return phi;
    }
    std::vector<Vec3d> gradient(const std::vector<Vec3d>& p) const {
        std::vector<Vec3d> g(p.size());
        for (size_t k = 1; k < p.size(); ++k) {
            g[k] = -V * weightGradient(p[0] - p[k], h);
            g[0] = g[0] - g[k];
        }
        return g;
    }
    // The point nearest to x on C = 0, with gradients that follow it: the fixed point satisfies
    // p = x − λ ∇C(p), C(p) = 0.
    std::vector<Vec3d> nearest() const {
        std::vector<Vec3d> p = x;
        for (int step = 0; step < 1000; ++step) {
            const std::vector<Vec3d> g = gradient(p);
            double error = constraint(p), squares = 0;
            for (size_t k = 0; k < p.size(); ++k) error += dot(g[k], x[k] - p[k]), squares += dot(g[k], g[k]);
            // half steps: full ones may circle where C bends strongly
            for (size_t k = 0; k < p.size(); ++k) p[k] = 0.5 * (p[k] + x[k] - (error / squares) * g[k]);
        }
        return p;
    }
};
double distance(const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
    double sum = 0;
    for (size_t k = 0; k < a.size(); ++k) sum += dot(a[k] - b[k], a[k] - b[k]);
    return std::sqrt(sum);
}

// Fifty random neighborhoods, squeezed by up to a tenth: the projection onto C = 0 along frozen gradients
// lies on the constraint, and next to the nearest point.
TEST(ProjectiveDensity, ProjectionIsNextToTheNearestPoint) {
    Exec exec({.backend = "cpu", .threads = 1});
    constexpr float kD = 0.05f;
    for (int sample = 0; sample < 50; ++sample) {
        World world(exec);
        addMaterial(world, water(kD));
        addBlock(world, {.nx = 5, .ny = 5, .nz = 5, .jitter = 0.15f, .seed = uint64_t(sample) + 1});
        // squeeze towards the middle
        const float squeeze = 0.999f - 0.03f * randomUnit(7, sample);
        std::vector<Vec4> x = world.particles.x.download();
        for (Vec4& p : x) p = vec4(squeeze * xyz(p), p.w);
        world.particles.x.upload(x);
        OpenWorld open(world);
        const MaterialConstants& m = open.device.hostMaterials[0];
        Buffer<Vec4> xLambda(exec, world.count());
        Buffer<float> error(exec, world.count());
        const ProjectDensity<true> kernel{
            .xStar = open.device.xStar.view(),
            .wall = open.device.wall.view(),
            .neighbors = open.neighbors.lists(),
            .pairs = {m.support, m.volume, 0, m.gradientScale, m.denominator / m.inverseMass, m.attraction,
                      smoothing(m.support)},
            .weights = {1},  // Λ = −λ
            .newtonSteps = 8,
            .tolerance = 1e-6f,
            .xLambda = xLambda.view(),
            .error = error.view(),
            .energy = {}};
        for (size_t i = 0; i < world.count(); ++i) kernel(static_cast<int>(i));

        // the particle in the middle
        size_t center = 0;
        const Vec3d middle = 2.5 * double{squeeze * kD} * Vec3d{1, 1, 1};
        x = open.device.xStar.download();
        for (size_t i = 0; i < x.size(); ++i)
            if (length(toDouble(x[i]) - middle) < length(toDouble(x[center]) - middle)) center = i;
        Neighborhood around{{toDouble(x[center])}, double{m.support}, double{m.volume}};
        for (const int j : open.listOf(center)) around.x.push_back(toDouble(x[j]));
        const double c = around.constraint(around.x), lambda = -double{xLambda.download()[center].w};
        ASSERT_NEAR(error.download()[center], std::max(c, 0.0), 2e-5) << sample;
        if (c <= 0) {
            EXPECT_EQ(lambda, 0) << sample;
            continue;
        }
        const std::vector<Vec3d> g = around.gradient(around.x);
        std::vector<Vec3d> projected = around.x;
        for (size_t k = 0; k < g.size(); ++k) projected[k] = projected[k] - lambda * g[k];
        EXPECT_NEAR(around.constraint(projected), 0, 2e-5) << sample << ": C was " << c;
        const std::vector<Vec3d> nearest = around.nearest();
        ASSERT_NEAR(around.constraint(nearest), 0, 1e-9);
        // frozen gradients: the way is off by about its share C, and hardly longer
        const double way = distance(around.x, nearest);
        EXPECT_LT(distance(projected, nearest), (0.005 + 1.2 * c) * way) << sample << ": C was " << c;
        EXPECT_GT(distance(around.x, projected), 0.9999 * way) << sample << ": C was " << c;
        EXPECT_LT(distance(around.x, projected), (1 + 2 * c * c) * way) << sample << ": C was " << c;
    }
}

// The energy that a compressed cell stores is that of its bulk modulus.
TEST(ProjectiveDensity, WeightIsTheBulkModulus) {
    MaterialProperties m = water(0.05f);
    m.bulkModulus = 3e6f;
    const MaterialConstants constants = materialConstants(m);
    // w C²/(2 |∇C|²) = ½ K V C²
    const double squares = constants.denominator / constants.inverseMass;
    EXPECT_NEAR(constants.densityWeight / squares / (3e6 * std::pow(0.05, 3)), 1, 1e-5);
}

class Projective : public EachBackend {
protected:
    static void projective(World& world, int iterations) {
        world.parameters.solver.method = Method::projective;
        world.parameters.projective.iterations = iterations;
    }
};

// Kinetic and potential energy [J].
double energyOf(const World& world) {
    double sum = 0;
    const std::vector<Vec4> x = positions(world), v = velocities(world);
    for (size_t i = 0; i < x.size(); ++i)
        if (x[i].w > 0)
            sum += (0.5 * dot(toDouble(v[i]), toDouble(v[i])) + 9.81 * double{x[i].y}) / double{x[i].w};
    return sum;
}

// A column in a tank of its width settles: it is never too dense, at no time it gains energy, and the tank
// carries its weight.
TEST_P(Projective, ColumnSettlesWithoutGainOfEnergy) {
    constexpr float kD = 0.05f;
    World world(exec);
    MaterialProperties m = water(kD);
    m.bulkModulus = 4.7e7f;
    addMaterial(world, m);
    addBlock(world, {.nx = 6, .ny = 16, .nz = 6});
    addFloor(world);
    addPlane(world, {0, 0, 0}, {1, 0, 0}), addPlane(world, {0.3f, 0, 0}, {-1, 0, 0});
    addPlane(world, {0, 0, 0}, {0, 0, 1}), addPlane(world, {0, 0, 0.3f}, {0, 0, -1});
    projective(world, 30);
    world.parameters.solver.frameRate = 100;
    world.parameters.solver.substeps = 2;
    Solver solver(world);
    const double before = energyOf(world);
    double weightSum = 0, carried = 0;
    for (const Vec4& x : positions(world)) weightSum += 9.81 / double{x.w};
    for (int f = 0; f < 100; ++f) {
        solver.step();
        EXPECT_LE(energyOf(world) - before, 1e-3 * before) << f;
        if (f >= 50) carried -= double{world.shapeReports[0].force.y} / 50;
    }
    double densest = 0;
    for (const Vec4& v : velocities(world)) densest = std::max(densest, double{v.w} - 1);
    // ρ g H/K = 1.7e-4; rounds end before the last wave is gone
    EXPECT_LT(densest, 2e-3);
    EXPECT_NEAR(carried, weightSum, 0.03 * weightSum);
}

// ---- coupled rows ----

// About 300 particles of every material whose constraints couple particles, deformed at random.
struct MixedBodies {
    explicit MixedBodies(Exec& exec, bool byAngle = true, float pressure = 1.2f) : world(exec) {
        world.parameters.world.gravity = {0, 0, 0};
        MaterialProperties sheet = cloth(kD), skin = cloth(kD), jelly = solid(MaterialKind::soft, kD),
                           stone = solid(MaterialKind::rigid, kD), cord = rope(kD);
        sheet.compliance = 1e-3f, sheet.shearCompliance = 2e-3f;
        sheet.bending = byAngle ? Bending::dihedral : Bending::distance;
        sheet.bendCompliance = byAngle ? 10.0f : 1e-2f;
        sheet.tetherStiffness = 0.5f;
        skin.stiffness = 0.9f, skin.pressure = pressure;
        jelly.compliance = 1e-3f;
        cord.stiffness = 0.99f;
        for (const MaterialProperties& m : {sheet, skin, jelly, stone, cord}) addMaterial(world, m);
        const ClothMesh grid = makeGrid(10, 10, kD);
        addCloth(world, grid, 0.3f, 0, makeTethers(grid, std::vector<uint32_t>{0}, 0));
        addCloth(world, closedBox(3, kD), 0.3f, 1, {}, {0.6f, 0, 0});
        addBody(world,
                {.position = {0, 0.5f, 0}, .nx = 5, .ny = 4, .nz = 4, .material = 2, .clusterSpacing = 0.1f});
        addBody(world, {.position = {0.6f, 0.5f, 0}, .nx = 3, .ny = 3, .nz = 3, .material = 3});
        addCloth(world, makeRope(straight(20, kD)), 0.1f, 4, {}, {-0.3f, 1, 0});
        pin(world, std::vector<uint32_t>{0});
        inertial = world.particles.x.download();
        for (size_t i = 0; i < inertial.size(); ++i)
            if (inertial[i].w > 0)
                inertial[i] = vec4(xyz(inertial[i]) + 0.15f * kD * randomVec3(3, i, -1, 1), inertial[i].w);
        world.particles.x.upload(inertial);
    }
    static constexpr float kD = 0.05f;
    World world;
    std::vector<Vec4> inertial;
};

// The stages of a substep, opened at x* = x.
struct OpenSystem {
    explicit OpenSystem(World& world)
        : open(world),
          bodies(world.exec),
          springs(world.exec),
          bending(world.exec),
          volumes(world.exec),
          density(world.exec),
          densityRows(world.exec),
          rows(world.exec) {
        bodies.indexParticles(open.step);
        springs.prepare(open.step);
        bending.prepare(open.step);
        volumes.prepare(open.step);
        density.prepare(open.step);
        densityRows.prepare(open.step);
        rows.prepare(open.step, constraints());
    }
    BodyConstraints constraints() { return {bodies, springs, bending, volumes}; }
    void round() {
        rows.project(open.step, constraints());
        densityRows.solve(open.step, density, 0);
        rows.solve(open.step, densityRows.descent(), {});
    }

    OpenWorld open;
    ShapeMatching bodies;
    DistanceConstraints springs;
    DihedralBending bending;
    VolumeConstraints volumes;
    DensityConstraint density;
    DensityRows densityRows;
    CoupledRows rows;
};

// dt² E of all constraints in double, from the tables of the world and the properties of its materials.
// Weights that depend on gradients are those at the positions of the constructor.
struct Energy {
    struct Bend {
        DihedralBend rows;
        double weight;
    };
    World& world;
    double dt;
    std::vector<DistanceConstraint> springs;
    std::vector<Bend> bends;
    std::vector<VolumeConstraint> volumes;
    std::vector<double> volumeWeight;
    std::vector<ClothTriangle> triangles;
    std::vector<uint32_t> memberRow;
    std::vector<Vec4> memberRest;
    std::vector<ClusterConstants> clusters;
    std::vector<ClusterChunk> chunks;
    std::vector<double> inverseMass;  // by row

    Energy(World& w, double length, const std::vector<Vec4>& byRow, std::span<const DihedralBend> dihedrals)
        : world(w),
          dt(length),
          springs(w.solids.springs.download()),
          volumes(w.solids.volumeConstraints.download()),
          triangles(w.solids.triangles.download()),
          memberRow(w.solids.memberRow.download()),
          memberRest(w.solids.memberRestPosition.download()),
          clusters(w.solids.clusters.download()),
          chunks(w.solids.chunks.download()) {
        std::vector<Vec3d> x;
        for (const Vec4& p : byRow) x.push_back(toDouble(p)), inverseMass.push_back(double{p.w});
        for (const DihedralBend& b : dihedrals)
            bends.push_back({b, 1 / compliance(world.materials[b.material].properties.bendCompliance)});
        for (const VolumeConstraint& v : volumes) {
            double mobility = 0;
            for (uint32_t row = v.firstRow; row < v.firstRow + v.rows; ++row) {
                // exact: V is linear in one corner
                Vec3d g;
                for (int axis = 0; axis < 3; ++axis) {
                    std::vector<Vec3d> moved = x;
                    moved[row][axis] += 1;
                    g[axis] = volumeOf(v, moved) - volumeOf(v, x);
                }
                mobility += inverseMass[row] * dot(g, g);
            }
            volumeWeight.push_back(1000 / mobility);
        }
    }

    double compliance(float alpha) const { return double{alpha} / (dt * dt); }
    double stiffness(float k, double mobility) const {
        return std::min(double{k} / (1 - double{k}), 1000.0) / mobility;
    }

    double volumeOf(const VolumeConstraint& v, const std::vector<Vec3d>& x) const {
        double sum = 0;
        const Vec3d o = x[v.firstRow];
        for (uint32_t k = v.firstTriangle; k < v.firstTriangle + v.triangles; ++k)
            sum += dot(x[triangles[k].a] - o, cross(x[triangles[k].b] - o, x[triangles[k].c] - o)) / 6;
        return sum;
    }
    double operator()(const std::vector<Vec3d>& x) const {
        double sum = 0;
        for (const DistanceConstraint& s : springs) {
            const MaterialProperties& m = world.materials[springParamsIndex(s) / kClothEdgeKinds].properties;
            const auto kind = static_cast<ClothEdgeKind>(springParamsIndex(s) % kClothEdgeKinds);
            const double mobility = inverseMass[s.a] + inverseMass[s.b], l = length(x[s.a] - x[s.b]);
            double w = 0;
            if (kind == ClothEdgeKind::stretch)
                w = m.compliance > 0 ? 1 / compliance(m.compliance) : stiffness(m.stiffness, mobility);
            else if (kind == ClothEdgeKind::shear)
                w = m.shearCompliance > 0 ? 1 / compliance(m.shearCompliance)
                                          : stiffness(m.shearStiffness, mobility);
            else if (kind == ClothEdgeKind::tether)
                w = l > s.length && inverseMass[s.b] == 0 ? stiffness(m.tetherStiffness, mobility) : 0;
            else if (m.bending == Bending::distance)
                w = m.bendCompliance > 0 ? 1 / compliance(m.bendCompliance)
                                         : stiffness(m.bendStiffness, mobility);
            const double c = l - double{s.length};
            sum += 0.5 * w * c * c;
        }
        for (const Bend& bend : bends) {
            const DihedralBend& b = bend.rows;
            const Vec3d e = x[b.b] - x[b.a], n1 = cross(x[b.p] - x[b.a], x[b.p] - x[b.b]),
                        n2 = cross(x[b.q] - x[b.b], x[b.q] - x[b.a]);
            const double cosine = dot(n1, n2) / (length(n1) * length(n2)),
                         side = dot(cross(n1, n2), e) > 0 ? -1 : 1;
            const double c = side * 2 * std::sqrt(0.5 * (1 - std::min(cosine, 1.0))) - double{b.rest};
            sum += 0.5 * bend.weight * c * c;
        }
        for (size_t k = 0; k < volumes.size(); ++k) {
            const double p = double{world.materials[volumes[k].material].properties.pressure};
            const double c = volumeOf(volumes[k], x) - p * double{volumes[k].restVolume};
            if (p > 0) sum += 0.5 * volumeWeight[k] * c * c;
        }
        for (const ClusterConstants& cluster : clusters) sum += shapeEnergy(cluster, x);
        return sum;
    }
    double shapeEnergy(const ClusterConstants& cluster, const std::vector<Vec3d>& x) const {
        const MaterialProperties& m = world.materials[cluster.material].properties;
        const uint32_t begin = chunks[cluster.firstChunk].begin,
                       end = chunks[cluster.firstChunk + cluster.chunks - 1].end;
        Eigen::Vector3d center = Eigen::Vector3d::Zero(), rest = Eigen::Vector3d::Zero();
        const auto now = [&](uint32_t k) { return x[memberRow[k]]; };
        const auto was = [&](uint32_t k) {
            return Eigen::Vector3d(memberRest[k].x, memberRest[k].y, memberRest[k].z);
        };
        double mass = 0;
        for (uint32_t k = begin; k < end; ++k) {
            const double share = double{memberRest[k].w};
            mass += share, center += share * now(k), rest += share * was(k);
        }
        center /= mass, rest /= mass;
        Eigen::Matrix3d A = Eigen::Matrix3d::Zero();
        for (uint32_t k = begin; k < end; ++k)
            A += double{memberRest[k].w} * (now(k) - center) * (was(k) - rest).transpose();
        const Eigen::JacobiSVD<Eigen::Matrix3d> svd(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
        Eigen::Vector3d signs(1, 1, (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0 ? -1 : 1);
        const Eigen::Matrix3d R = svd.matrixU() * signs.asDiagonal() * svd.matrixV().transpose();
        const double weight = m.compliance > 0 ? inverseMass[memberRow[begin]] / compliance(m.compliance)
                                               : stiffness(m.stiffness, 1);
        double sum = 0;
        for (uint32_t k = begin; k < end; ++k)
            sum += 0.5 * weight * double{memberRest[k].w} *
                   (now(k) - center - R * (was(k) - rest)).squaredNorm();
        return sum;
    }
};

std::vector<Vec3d> allToDouble(const std::vector<Vec4>& x) {
    std::vector<Vec3d> y;
    for (const Vec4& p : x) y.push_back(toDouble(p));
    return y;
}
std::vector<DihedralBend> dihedralsOf(const World& world) {
    return findDihedrals(world.solids.triangles.download(), world.solids.restPosition.download(),
                         world.materials);
}

// What the local projections give as forces is the derivative of the energies of the constraints.
TEST(ProjectiveBodies, ForcesAreDerivativesOfEnergy) {
    Exec exec({.backend = "cpu", .threads = 1});
    MixedBodies mixed(exec);
    World& world = mixed.world;
    OpenSystem s(world);
    s.round();
    const CoupledSystem system = s.rows.system(world);
    const std::vector<Vec4> byRow = placesByRow(world);
    const Energy energy(world, double{s.open.step.dt}, byRow, dihedralsOf(world));
    const std::vector<Vec3d> x = allToDouble(byRow);
    double largest = 0;
    for (uint32_t row = 0; row < x.size(); ++row)
        largest = std::max(largest, length(toDouble(system.force(row))));
    ASSERT_GT(largest, 1e-5);
    for (uint32_t row = 0; row < x.size(); ++row) {
        Vec3d expected;
        for (int axis = 0; axis < 3; ++axis) {
            const double step = 1e-6;
            std::vector<Vec3d> low = x, high = x;
            low[row][axis] -= step, high[row][axis] += step;
            expected[axis] = (energy(low) - energy(high)) / (2 * step);
        }
        // stretch of float edges: 3e-8 m of 7 mm, times the stiffest weight
        EXPECT_LT(length(toDouble(system.force(row)) - expected), 1e-4 * largest + 1e-3 * length(expected))
            << "row " << row;
    }
}

// The matrix of the coupled rows in double, from its products with unit vectors.
Eigen::MatrixXd matrixOf(World& world, CoupledRows& rows) {
    const size_t n = world.solids.rows();
    Eigen::MatrixXd A(3 * n, 3 * n);
    Buffer<Vec4> y(world.exec, n), q(world.exec, n);
    for (size_t c = 0; c < 3 * n; ++c) {
        std::vector<Vec4> unit(n, Vec4{0, 0, 0, 0});
        (&unit[c / 3].x)[c % 3] = 1;
        y.upload(unit);
        rows.multiply(world, y.view(), q.view());
        const std::vector<Vec4> product = q.download();
        for (size_t r = 0; r < n; ++r)
            A(3 * r, c) = product[r].x, A(3 * r + 1, c) = product[r].y, A(3 * r + 2, c) = product[r].z;
    }
    return A;
}

class Solvers : public ::testing::TestWithParam<float> {};
INSTANTIATE_TEST_SUITE_P(RotationStiffness, Solvers, ::testing::Values(0.0f, 0.3f, 1.0f));

TEST_P(Solvers, MatrixIsSymmetricAndPositiveAndSolvedAsByADirectSolver) {
    Exec exec({.backend = "cpu", .threads = 1});
    MixedBodies mixed(exec);
    World& world = mixed.world;
    world.parameters.projective.rotationStiffness = GetParam();
    world.parameters.projective.linearIterations = 1000;
    world.parameters.projective.tolerance = 1e-7f;
    OpenSystem s(world);
    s.round();
    const size_t n = world.solids.rows();
    EXPECT_GT(n, 290u);

    // rows of held particles are empty
    Eigen::MatrixXd A = matrixOf(world, s.rows);
    const std::vector<Vec4> byRow = placesByRow(world);
    Eigen::VectorXd b = Eigen::VectorXd::Zero(3 * n);
    const CoupledSystem system = s.rows.system(world);
    for (uint32_t row = 0; row < n; ++row) {
        if (byRow[row].w > 0) {
            const Vec3 f = system.force(row);
            b.segment<3>(3 * row) = Eigen::Vector3d(f.x, f.y, f.z);
        } else {
            A.middleCols(3 * row, 3).setZero();
            A.block(3 * row, 3 * row, 3, 3).setIdentity();
        }
    }
    EXPECT_LT((A - A.transpose()).cwiseAbs().maxCoeff(), 2e-6 * A.cwiseAbs().maxCoeff());
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(0.5 * (A + A.transpose()),
                                                               Eigen::EigenvaluesOnly);
    double lightest = 1;
    for (const Vec4& x : byRow)
        if (x.w > 0) lightest = std::min(lightest, 1 / double{x.w});
    // no constraint takes from the inertia
    EXPECT_GT(eigen.eigenvalues().minCoeff(), 0.99 * lightest);

    const Eigen::VectorXd exact = A.ldlt().solve(b);
    const View<const Vec4> dx = s.rows.solution();  // on the CPU
    Eigen::VectorXd found(3 * n);
    for (size_t row = 0; row < n; ++row)
        found.segment<3>(3 * row) = Eigen::Vector3d(dx[row].x, dx[row].y, dx[row].z);
    // in the norm of the matrix, in which the method minimizes the error; soft directions lose more to
    // rounding
    const Eigen::VectorXd error = found - exact;
    EXPECT_LT(error.dot(A * error), 1e-10 * exact.dot(A * exact));
    EXPECT_LT(error.norm(), 1e-4 * exact.norm());
    // momentum: translations are free of forces
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (size_t row = 100; row < n; ++row)
        sum += b.segment<3>(3 * row);  // all but the sheet, which is pinned
    EXPECT_LT(sum.norm(), 1e-5 * b.cwiseAbs().sum());
}

// With the matrix of [PD14] every round lowers the objective, with every linear solver.
TEST(ProjectiveBodies, ObjectiveFallsInEveryRound) {
    Exec exec({.backend = "cpu", .threads = 1});
    for (const LinearSolver solver : {LinearSolver::cg, LinearSolver::chebyshev, LinearSolver::diagonal}) {
        MixedBodies mixed(exec, false, 0);
        World& world = mixed.world;
        world.parameters.projective.rotationStiffness = 1;
        world.parameters.projective.solver = solver;
        world.parameters.projective.linearIterations = 40;
        world.parameters.projective.tolerance = 0;
        OpenSystem s(world);
        const std::vector<Vec4> inertial = placesByRow(world);
        const Energy energy(world, double{s.open.step.dt}, inertial, {});
        const auto objective = [&] {
            // by row: x* is in the order of storage, as x
            world.particles.x.swap(s.open.device.xStar);
            const std::vector<Vec4> x = placesByRow(world);
            world.particles.x.swap(s.open.device.xStar);
            double sum = energy(allToDouble(x));
            for (size_t row = 0; row < x.size(); ++row)
                if (x[row].w > 0)
                    sum += 0.5 / double{x[row].w} *
                           dot(toDouble(x[row]) - toDouble(inertial[row]),
                               toDouble(x[row]) - toDouble(inertial[row]));
            return sum;
        };
        double last = objective();
        const double first = last;
        for (int round = 0; round < 12; ++round) {
            s.round();
            const double now = objective();
            EXPECT_LT(now, last * (1 + 1e-6)) << "solver " << int(solver) << ", round " << round;
            last = now;
        }
        EXPECT_LT(last, (solver == LinearSolver::diagonal ? 0.7 : 0.3) * first);
    }
}

// Without outer forces momentum and angular momentum are those at the start, whatever the tolerance.
TEST_P(Projective, BodiesConserveMomentum) {
    MixedBodies mixed(exec);
    World& world = mixed.world;
    std::vector<Vec4> x = world.particles.x.download(), v = world.particles.v.download();
    for (size_t i = 0; i < x.size(); ++i) {
        if (x[i].w == 0) x[i].w = x[i + 1].w;
        v[i] = vec4(randomVec3(5, i, -1, 1), 0.0f);
    }
    world.particles.x.upload(x), world.particles.v.upload(v);
    projective(world, 5);
    world.parameters.projective.linearIterations = 5;
    const Momenta before = momentaOf(world);
    Solver solver(world);
    stepFrames(solver, 30);
    const Momenta after = momentaOf(world);
    EXPECT_LT(length(after.linear - before.linear), 1e-5 * before.speed);
}

// ---- whole frames ----

// How far a clamped sheet sags [m], by the method of the world.
double sagOf(Exec& exec, Method method, bool hanging) {
    World world(exec);
    MaterialProperties m = cloth(0.1f);
    m.compliance = m.shearCompliance = hanging ? 0.01f : 1e-3f;
    m.bending = Bending::dihedral;
    m.bendCompliance = 10;
    m.damping = 4;
    addMaterial(world, m);
    world.parameters.solver.method = method;
    world.parameters.solver.substeps = 4;
    world.parameters.solver.iterations = 40;
    world.parameters.projective.iterations = 20;
    constexpr uint32_t kNx = 8, kNz = 4;
    const Quat down = quatFromEuler(0, 0, hanging ? -std::numbers::pi / 2 : 0);
    addCloth(world, makeGrid(kNx, kNz, 0.1f), 0.3f, 0, {}, {}, down);
    std::vector<uint32_t> clamped;
    for (uint32_t k = 0; k < kNz; ++k) clamped.insert(clamped.end(), {k * kNx, k * kNx + 1});
    pin(world, clamped);
    const std::vector<Vec4> before = placesByRow(world);
    Solver solver(world);
    stepFrames(solver, 180);
    const std::vector<Vec4> x = placesByRow(world);
    double sag = 0;
    for (uint32_t k = 0; k < kNz; ++k) sag += (before[k * kNx + kNx - 1].y - x[k * kNx + kNx - 1].y) / kNz;
    return sag;
}

// One compliance, two methods: a cantilever and a hanging strip sag alike.
TEST_P(Projective, SagIsThatOfThePositionBasedMethod) {
    for (const bool hanging : {false, true}) {
        const double expected = sagOf(exec, Method::position, hanging),
                     found = sagOf(exec, Method::projective, hanging);
        EXPECT_GT(expected, 0.001);
        EXPECT_NEAR(found, expected, 0.05 * expected) << (hanging ? "hanging strip" : "cantilever");
    }
}

// Liquid of two densities, grains, a soft body and cloth: the same bits for any number of threads, in any
// order of execution and of storage, and after save and load.
TEST(ProjectiveFrames, AreReproducible) {
    const auto build = [](World& world) {
        world.parameters.solver.method = Method::projective;
        world.parameters.projective.iterations = 4;
        MaterialProperties oil = water(0.05f), sand = solid(MaterialKind::grains, 0.05f, 0.5f),
                           jelly = solid(MaterialKind::soft, 0.05f);
        oil.density = 800, oil.bulkModulus = 1e6f;
        for (const MaterialProperties& m : {water(0.05f), oil, sand, jelly, cloth(0.05f)})
            addMaterial(world, m);
        addBlock(world, {.low = {0, 0, 0}, .nx = 8, .ny = 5, .nz = 8, .jitter = 0.1f});
        addBlock(world, {.low = {0, 0.3f, 0}, .nx = 8, .ny = 3, .nz = 8, .material = 1});
        addBlock(world, {.low = {0, 0.5f, 0}, .nx = 4, .ny = 3, .nz = 4, .material = 2});
        addBody(world, {.position = {0.3f, 0.6f, 0.3f},
                        .nx = 4,
                        .ny = 3,
                        .nz = 3,
                        .material = 3,
                        .clusterSpacing = 0.1f});
        addCloth(world, makeGrid(9, 9, 0.05f), 0.3f, 4, {}, {0.2f, 0.75f, 0.2f});
        addFloor(world);
    };
    const auto hashAfter = [&](ExecOptions options, bool shuffle) {
        Exec exec(options);
        World world(exec);
        build(world);
        if (shuffle) shuffleStorage(world, 5);
        Solver solver(world);
        stepFrames(solver, 6);
        return stateHash(world);
    };
    const uint64_t expected = hashAfter({.backend = "cpu", .threads = 1}, false);
    EXPECT_EQ(hashAfter({.backend = "cpu", .threads = 4}, false), expected);
    EXPECT_EQ(hashAfter({.backend = "cpu", .threads = 2, .shuffle = 9}, false), expected);
    EXPECT_EQ(hashAfter({.backend = "cpu", .threads = 1}, true), expected);

    const TemporaryFolder folder;
    Exec exec({.backend = "cpu", .threads = 1});
    World half(exec), other(exec);
    build(half), build(other);
    Solver first(half), second(other);
    stepFrames(first, 3);
    saveState(half, folder / "state");
    loadState(other, folder / "state");
    stepFrames(second, 3);
    EXPECT_EQ(stateHash(other), expected);
}

FOR_EACH_BACKEND(Projective);

}  // namespace
}  // namespace coalesce::test
