// The local step of closed sheets under pressure in projective dynamics, against Newton's method in double.
#include <Eigen/Dense>
#include <cmath>
#include <gtest/gtest.h>

#include "sim/make_bodies.h"
#include "sim/make_cloth_meshes.h"
#include "sim/open_system.h"

namespace coalesce::test {
namespace {

// Volume of a closed sheet, its derivatives, and the nearest point of another volume, in double. Coordinates
// are stored one after the other.
struct ClosedSheet {
    std::vector<ClothTriangle> triangles;
    Eigen::VectorXd mass;  // by coordinate

    static Eigen::Vector3d at(const Eigen::VectorXd& x, uint32_t row) { return x.segment<3>(3 * row); }
    // cross(a) b = a × b
    static Eigen::Matrix3d cross(const Eigen::Vector3d& a) {
        Eigen::Matrix3d m;
        m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
        return m;
    }
    double volume(const Eigen::VectorXd& x) const {
        double sum = 0;
        for (const ClothTriangle& t : triangles) sum += at(x, t.a).dot(at(x, t.b).cross(at(x, t.c))) / 6;
        return sum;
    }
    Eigen::VectorXd gradient(const Eigen::VectorXd& x) const {
        Eigen::VectorXd g = Eigen::VectorXd::Zero(x.size());
        for (const ClothTriangle& t : triangles) {
            g.segment<3>(3 * t.a) += at(x, t.b).cross(at(x, t.c)) / 6;
            g.segment<3>(3 * t.b) += at(x, t.c).cross(at(x, t.a)) / 6;
            g.segment<3>(3 * t.c) += at(x, t.a).cross(at(x, t.b)) / 6;
        }
        return g;
    }
    Eigen::MatrixXd hessian(const Eigen::VectorXd& x) const {
        Eigen::MatrixXd H = Eigen::MatrixXd::Zero(x.size(), x.size());
        const auto add = [&](uint32_t a, uint32_t b, uint32_t c) {  // ∂/∂b of b × c, and its transpose
            H.block<3, 3>(3 * a, 3 * b) -= cross(at(x, c)) / 6;
            H.block<3, 3>(3 * b, 3 * a) += cross(at(x, c)) / 6;
        };
        for (const ClothTriangle& t : triangles) add(t.a, t.b, t.c), add(t.b, t.c, t.a), add(t.c, t.a, t.b);
        return H;
    }
    double distance(const Eigen::VectorXd& x, const Eigen::VectorXd& y) const {
        return std::sqrt((x - y).dot(mass.cwiseProduct(x - y)));
    }
    // Minimum of ½ (y − x)ᵀ M (y − x) with V(y) = target: Newton's method on
    //     M (y − x) + μ ∇V(y) = 0,   V(y) − target = 0
    Eigen::VectorXd nearest(const Eigen::VectorXd& x, double target) const {
        const Eigen::Index n = x.size();
        Eigen::VectorXd y = x, rest(n + 1);
        double multiplier = 0;
        for (int step = 0; step < 8; ++step) {
            Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + 1, n + 1);
            const Eigen::VectorXd g = gradient(y);
            K.topLeftCorner(n, n) = multiplier * hessian(y);
            K.diagonal().head(n) += mass;
            K.topRightCorner(n, 1) = g;
            K.bottomLeftCorner(1, n) = g.transpose();
            rest << mass.cwiseProduct(y - x) + multiplier * g, volume(y) - target;
            const Eigen::VectorXd move = K.partialPivLu().solve(rest);
            y -= move.head(n), multiplier -= move[n];
        }
        return y;
    }
};

// The local step of a volume: p = x − C/|∇C|² ∇C in the norm of the masses. It lies next to the nearest point on
// C = 0, off by about half of the share of the volume that is missing.
TEST(VolumeProjection, IsNextToTheNearestPoint) {
    Exec exec({.backend = "cpu", .threads = 1});
    for (const float pressure : {0.8f, 0.97f, 1.001f, 1.05f, 1.3f}) {
        constexpr float kD = 0.05f;
        World world(exec);
        MaterialProperties m = cloth(kD);
        m.pressure = pressure;
        addMaterial(world, m);
        addCloth(world, closedBox(3, kD), 0.3f);
        std::vector<Vec4> x = world.particles.x.download();
        for (size_t i = 0; i < x.size(); ++i)
            x[i] = vec4(xyz(x[i]) + 0.1f * kD * randomVec3(9, i, -1, 1), x[i].w * (1 + randomUnit(8, i)));
        world.particles.x.upload(x);
        OpenSystem s(world);
        s.rows.project(s.open.step, s.constraints());
        const CoupledSystem system = s.rows.system(world);
        ASSERT_EQ(system.volumes.size, 1u);

        const std::vector<Vec4> byRow = placesByRow(world);
        const auto n = Eigen::Index(byRow.size());
        ClosedSheet sheet{world.solids.triangles.download(), Eigen::VectorXd(3 * n)};
        Eigen::VectorXd start(3 * n), gradient(3 * n);
        for (uint32_t row = 0; row < byRow.size(); ++row) {
            const Vec4 g = system.volumeGradient[row];
            start.segment<3>(3 * row) = toDouble(byRow[row]);
            sheet.mass.segment<3>(3 * row).setConstant(1 / double{byRow[row].w});
            gradient.segment<3>(3 * row) = toDouble(g);
        }
        const double rest = double{world.solids.volumeConstraints.download()[0].restVolume};
        const double target = double{pressure} * rest, c = sheet.volume(start) - target;
        const VolumeBlock block = system.volumes[0];
        EXPECT_NEAR(block.pull / block.weight, c, 1e-6 * rest);
        EXPECT_LT((gradient - sheet.gradient(start)).norm(), 1e-6 * gradient.norm());
        const Eigen::VectorXd ways = gradient.cwiseQuotient(sheet.mass);
        const double mobility = gradient.dot(ways);
        EXPECT_NEAR(block.weight * mobility, double{kStiffest}, 1e-4 * double{kStiffest});

        const Eigen::VectorXd projected = start - double{block.pull / block.weight} / mobility * ways,
                              nearest = sheet.nearest(start, target);
        ASSERT_NEAR(sheet.volume(nearest), target, 1e-12 * rest);
        const double missing = std::abs(c) / rest, way = sheet.distance(start, nearest);
        EXPECT_LT(sheet.distance(projected, nearest), (1e-4 + 0.6 * missing) * way) << pressure;
        EXPECT_NEAR(sheet.volume(projected), target, (1e-5 + 0.5 * missing * missing) * rest) << pressure;
        // control: the nearest point regardless of the masses is another one
        const Eigen::VectorXd regardless = start - c / gradient.squaredNorm() * gradient;
        EXPECT_GT(sheet.distance(regardless, nearest), 0.2 * way) << pressure;
    }
}

}  // namespace
}  // namespace coalesce::test
