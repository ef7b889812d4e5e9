// Coupled rows of projective dynamics: energies and their differences in double, and Eigen's direct solvers;
// they share no code with the kernels.
#include <Eigen/Cholesky>
#include <Eigen/Dense>
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SVD>
#include <cmath>
#include <gtest/gtest.h>

#include "sim/make_bodies.h"
#include "sim/make_cloth_meshes.h"
#include "sim/open_system.h"
#include "support/each_backend.h"
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

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
    // dt² w [kg]
    double weightOf(const DistanceConstraint& s, const std::vector<Vec3d>& x) const {
        const MaterialProperties& m = world.materials[springParamsIndex(s) / kClothEdgeKinds].properties;
        const auto kind = static_cast<ClothEdgeKind>(springParamsIndex(s) % kClothEdgeKinds);
        const double mobility = inverseMass[s.a] + inverseMass[s.b];
        const auto weight = [&](float k, float alpha) {
            return alpha > 0 ? 1 / compliance(alpha) : stiffness(k, mobility);
        };
        switch (kind) {
            case ClothEdgeKind::stretch:
                return weight(m.stiffness, m.compliance);
            case ClothEdgeKind::shear:
                return weight(m.shearStiffness, m.shearCompliance);
            case ClothEdgeKind::bend:
                return m.bending == Bending::distance ? weight(m.bendStiffness, m.bendCompliance) : 0;
            case ClothEdgeKind::tether:
                return length(x[s.a] - x[s.b]) > double{s.length} && inverseMass[s.b] == 0
                           ? weight(m.tetherStiffness, 0)
                           : 0;
        }
        return 0;
    }
    double operator()(const std::vector<Vec3d>& x) const {
        double sum = 0;
        for (const DistanceConstraint& s : springs) {
            const double c = length(x[s.a] - x[s.b]) - double{s.length};
            sum += 0.5 * weightOf(s, x) * c * c;
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
    // The members of a cluster: their rows, their masses m, and c + R r − x, the way to the rigid motion that
    // is nearest to them; dt² w per mass.
    struct Match {
        std::vector<uint32_t> rows;
        std::vector<double> masses;
        std::vector<Eigen::Vector3d> ways;
        double mass = 0, weight = 0;
    };
    Match matchOf(const ClusterConstants& cluster, const std::vector<Vec3d>& x) const {
        const MaterialProperties& m = world.materials[cluster.material].properties;
        const uint32_t begin = chunks[cluster.firstChunk].begin,
                       end = chunks[cluster.firstChunk + cluster.chunks - 1].end;
        Eigen::Vector3d center = Eigen::Vector3d::Zero(), rest = Eigen::Vector3d::Zero();
        const auto now = [&](uint32_t k) { return x[memberRow[k]]; };
        const auto was = [&](uint32_t k) {
            return Eigen::Vector3d(memberRest[k].x, memberRest[k].y, memberRest[k].z);
        };
        Match match;
        for (uint32_t k = begin; k < end; ++k) {
            const double share = double{memberRest[k].w};
            match.mass += share, center += share * now(k), rest += share * was(k);
        }
        center /= match.mass, rest /= match.mass;
        Eigen::Matrix3d A = Eigen::Matrix3d::Zero();
        for (uint32_t k = begin; k < end; ++k)
            A += double{memberRest[k].w} * (now(k) - center) * (was(k) - rest).transpose();
        const Eigen::JacobiSVD<Eigen::Matrix3d> svd(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
        Eigen::Vector3d signs(1, 1, (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0 ? -1 : 1);
        const Eigen::Matrix3d R = svd.matrixU() * signs.asDiagonal() * svd.matrixV().transpose();
        match.weight = m.compliance > 0 ? inverseMass[memberRow[begin]] / compliance(m.compliance)
                                        : stiffness(m.stiffness, 1);
        for (uint32_t k = begin; k < end; ++k) {
            match.rows.push_back(memberRow[k]);
            match.masses.push_back(double{memberRest[k].w});
            match.ways.push_back(center + R * (was(k) - rest) - now(k));
        }
        return match;
    }
    double shapeEnergy(const ClusterConstants& cluster, const std::vector<Vec3d>& x) const {
        const Match match = matchOf(cluster, x);
        double sum = 0;
        for (size_t k = 0; k < match.rows.size(); ++k)
            sum += 0.5 * match.weight * match.masses[k] * match.ways[k].squaredNorm();
        return sum;
    }

    // A round of [PD14] without bends by angle and volumes: the projections p_i of x, and the minimum of
    //     Σ m/2 |x − s|² + Σ dt² w_i/2 |S_i x − p_i|²
    // by Eigen's direct solver. Its matrix is the same along all axes.
    std::vector<Vec3d> roundOf(const std::vector<Vec3d>& x, const std::vector<Vec3d>& s) const {
        const auto n = Eigen::Index(x.size());
        Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n), b = Eigen::MatrixXd::Zero(n, 3);
        for (Eigen::Index row = 0; row < n; ++row) {
            const double m = inverseMass[size_t(row)] > 0 ? 1 / inverseMass[size_t(row)] : 0;
            A(row, row) += m;
            b.row(row) += m * (s[size_t(row)] - x[size_t(row)]).transpose();
        }
        for (const DistanceConstraint& spring : springs) {
            const double w = weightOf(spring, x);
            const Vec3d d = x[spring.a] - x[spring.b];
            A(spring.a, spring.a) += w, A(spring.b, spring.b) += w;
            A(spring.a, spring.b) -= w, A(spring.b, spring.a) -= w;
            const Vec3d way = w * (double{spring.length} / length(d) - 1) * d;
            b.row(spring.a) += way.transpose(), b.row(spring.b) -= way.transpose();
        }
        for (const ClusterConstants& cluster : clusters) {
            const Match match = matchOf(cluster, x);
            for (size_t k = 0; k < match.rows.size(); ++k) {
                const double w = match.weight * match.masses[k];
                A(match.rows[k], match.rows[k]) += w;
                b.row(match.rows[k]) += w * match.ways[k].transpose();
                for (size_t l = 0; l < match.rows.size(); ++l)
                    A(match.rows[k], match.rows[l]) -= w * match.masses[l] / match.mass;
            }
        }
        for (Eigen::Index row = 0; row < n; ++row)
            if (inverseMass[size_t(row)] == 0) {
                A.row(row).setZero(), A.col(row).setZero(), b.row(row).setZero();
                A(row, row) = 1;
            }
        const Eigen::MatrixXd move = A.ldlt().solve(b);
        std::vector<Vec3d> moved = x;
        for (size_t row = 0; row < x.size(); ++row)
            for (int axis = 0; axis < 3; ++axis) moved[row][axis] += move(Eigen::Index(row), axis);
        return moved;
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
    world.parameters.projective.tolerance = 1e-9f;
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
    const auto solution = [&] {
        const View<const Vec4> dx = s.rows.solution();  // on the CPU
        Eigen::VectorXd found(3 * n);
        for (size_t row = 0; row < n; ++row)
            found.segment<3>(3 * row) = Eigen::Vector3d(dx[row].x, dx[row].y, dx[row].z);
        return found;
    };
    // In the norm of the matrix, in which the method minimizes the error, and in that of positions, where soft
    // directions count as much as stiff ones: single precision gets there at a tolerance of 1e-8, in 200
    // iterations; Eigen's conjugate gradients lose 2e-4 to 1e-3.
    const Eigen::VectorXd error = solution() - exact;
    EXPECT_LT(error.dot(A * error), 1e-12 * exact.dot(A * exact));
    EXPECT_LT(error.norm(), 1e-5 * exact.norm());
    const Eigen::MatrixXf single = A.cast<float>();
    Eigen::ConjugateGradient<Eigen::MatrixXf, Eigen::Lower | Eigen::Upper> reference(single);
    reference.setTolerance(1e-7f), reference.setMaxIterations(1000);
    const Eigen::VectorXd inSingle = reference.solve(b.cast<float>()).cast<double>();
    EXPECT_LT(error.norm(), (inSingle - exact).norm());
    // control: the same system, solved to a larger tolerance
    world.parameters.projective.tolerance = 1e-6f;
    s.rows.solve(s.open.step, s.densityRows.descent(), {}, 1, 0);
    EXPECT_GT((solution() - exact).norm(), 1e-4 * exact.norm());
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
        world.watchConvergence = true;
        OpenSystem s(world);
        const std::vector<Vec4> inertial = placesByRow(world);
        const double dt = double{s.open.step.dt};
        const Energy energy(world, dt, inertial, {});
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
            s.round(round);
            EXPECT_NEAR(double{s.open.device.status.download()[0].objectiveLast} * dt * dt, last,
                        1e-4 * first)
                << "solver " << int(solver) << ", round " << round;
            const double now = objective();
            EXPECT_LT(now, last * (1 + 1e-6)) << "solver " << int(solver) << ", round " << round;
            last = now;
        }
        EXPECT_LT(last, (solver == LinearSolver::diagonal ? 0.7 : 0.3) * first);
    }
}

// The objective falls as fast as with projections in double and a direct solver; with a single iteration of
// the linear solver it does not.
TEST(ProjectiveBodies, ObjectiveFallsAsInDouble) {
    Exec exec({.backend = "cpu", .threads = 1});
    for (const bool converged : {true, false}) {
        MixedBodies mixed(exec, false, 0);
        World& world = mixed.world;
        world.parameters.projective.rotationStiffness = 1;
        world.parameters.projective.linearIterations = converged ? 300 : 1;
        world.parameters.projective.tolerance = 0;
        world.watchConvergence = true;
        OpenSystem s(world);
        const double dt = double{s.open.step.dt};
        const Energy energy(world, dt, placesByRow(world), {});
        const std::vector<Vec3d> start = allToDouble(placesByRow(world));
        std::vector<Vec3d> x = start;
        const double first = energy(x);
        for (int round = 0; round < 12; ++round) {
            double expected = energy(x);
            for (size_t row = 0; row < x.size(); ++row)
                if (energy.inverseMass[row] > 0)
                    expected += 0.5 / energy.inverseMass[row] * dot(x[row] - start[row], x[row] - start[row]);
            s.round(round);
            const double found = double{s.open.device.status.download()[0].objectiveLast} * dt * dt;
            if (converged) {
                EXPECT_NEAR(found, expected, 1e-3 * expected) << "round " << round;
            } else if (round > 0) {
                EXPECT_GT(found, 1.2 * expected) << "round " << round;
            }
            x = energy.roundOf(x, start);
        }
        EXPECT_LT(energy(x), 0.01 * first);
    }
}

class ProjectiveObjective : public EachBackend {};

// The objective of all kinds of constraints that couple particles: bends and volumes, too.
TEST_P(ProjectiveObjective, IsTheSumOfTheEnergies) {
    MixedBodies mixed(exec);
    World& world = mixed.world;
    world.watchConvergence = true;
    OpenSystem s(world);
    s.round();
    const double dt = double{s.open.step.dt};
    const std::vector<Vec4> byRow = placesByRow(world);
    const Energy energy(world, dt, byRow, dihedralsOf(world));
    const double expected = energy(allToDouble(byRow)) / (dt * dt);
    const StatusBlock found = s.open.device.status.download()[0];
    EXPECT_GT(expected, 0.01);
    EXPECT_NEAR(found.objectiveFirst, expected, 1e-4 * expected);
    EXPECT_EQ(found.objectiveRounds, 1u);
}

class ProjectiveMomentum : public EachBackend {};

// Without outer forces momentum and angular momentum are those at the start, whatever the tolerance.
TEST_P(ProjectiveMomentum, IsThatAtTheStart) {
    MixedBodies mixed(exec);
    World& world = mixed.world;
    std::vector<Vec4> x = world.particles.x.download(), v = world.particles.v.download();
    for (size_t i = 0; i < x.size(); ++i) {
        if (x[i].w == 0) x[i].w = x[i + 1].w;
        v[i] = vec4(randomVec3(5, i, -1, 1), 0.0f);
    }
    world.particles.x.upload(x), world.particles.v.upload(v);
    world.parameters.solver.method = Method::projective;
    world.parameters.projective.iterations = 5;
    world.parameters.projective.linearIterations = 5;
    const Momenta before = momentaOf(world);
    Solver solver(world);
    stepFrames(solver, 200);
    const Momenta after = momentaOf(world);
    EXPECT_LT(length(after.linear - before.linear), 1e-5 * before.speed);
}

FOR_EACH_BACKEND(ProjectiveMomentum);
FOR_EACH_BACKEND(ProjectiveObjective);

}  // namespace
}  // namespace coalesce::test
