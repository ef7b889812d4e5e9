#include "sim/cloth/bending.h"

#include <algorithm>
#include <map>

#include "core/for_each.h"
#include "sim/cloth/distance_constraints.h"
#include "sim/stage/solve_colored.h"

namespace coalesce {

std::vector<DihedralBend> findDihedrals(std::span<const ClothTriangle> triangles,
                                        std::span<const Vec4> restPosition,
                                        std::span<const Material> materials) {
    struct Side {
        uint32_t from, to, across, material;
    };
    // edges of which only one triangle was met so far
    std::map<std::array<uint32_t, 2>, Side> open;
    std::vector<DihedralBend> bends;
    for (const ClothTriangle& t : triangles) {
        if ((t.material & kCut) || materials[t.material].properties.bending != Bending::dihedral) continue;
        const std::array rows{t.a, t.b, t.c};
        for (size_t k = 0; k < 3; ++k) {
            const uint32_t a = rows[k], b = rows[(k + 1) % 3], p = rows[(k + 2) % 3];
            const std::array edge{std::min(a, b), std::max(a, b)};
            const auto found = open.find(edge);
            if (found == open.end()) {
                open.emplace(edge, Side{a, b, p, t.material});
                continue;
            }
            const Side first = found->second;
            open.erase(found);
            if (first.across == p) continue;  // the same triangle twice
            DihedralAngle angle;
            const auto at = [&](uint32_t row) { return xyz(restPosition[row]); };
            if (angle.find(at(first.from), at(first.to), at(first.across), at(p)))
                bends.push_back({first.from, first.to, first.across, p, angle.sine2, first.material});
        }
    }
    return bends;
}

void DihedralBending::plan(const World& world) {
    std::vector<bool> dihedral;
    for (const Material& m : world.materials) dihedral.push_back(m.properties.bending == Bending::dihedral);
    if (m_topology == world.solids.topology && m_dihedral == dihedral) return;
    m_topology = world.solids.topology;
    m_dihedral = dihedral;
    ++m_revision;
    const bool any = std::find(dihedral.begin(), dihedral.end(), true) != dihedral.end();
    const std::vector<DihedralBend> bends =
        any ? findDihedrals(world.solids.triangles.download(), world.solids.restPosition.download(),
                            world.materials)
            : std::vector<DihedralBend>{};
    std::vector<uint32_t> rows, first{0};
    for (const DihedralBend& b : bends) {
        rows.insert(rows.end(), {b.a, b.b, b.p, b.q});
        first.push_back(uint32_t(rows.size()));
    }
    const size_t count = world.solids.rows();
    m_bends.upload(bends);
    m_colored.upload(orderByIsland(colorConstraints(rows, first, count), rows, first, count));
}

void DihedralBending::prepare(const StepContext& step) {
    World& world = step.world;
    if (world.solids.triangles.size() == 0) return;
    plan(world);
    if (m_bends.size() == 0) return;
    std::vector<SpringParams> params;
    for (const Material& material : world.materials) {
        const MaterialProperties& m = material.properties;
        params.push_back(
            springHold(m.bendStiffness, m.bendCompliance, world.parameters.solver.iterations, step.dt));
    }
    m_params.set(std::move(params));
    m_lambda.resizeDiscard(m_bends.size());
    m_lambda.fillZero();
}

void DihedralBending::solve(const StepContext& step) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    if (world.solids.triangles.size() == 0) return;
    solveColored(exec, "bending", m_colored, [&](View<const uint32_t> color) {
        return SolveBendsOfColor{.bending = m_bends.view(),
                                 .color = color,
                                 .params = m_params.view(),
                                 .slotOf = world.solids.slotOf.view(),
                                 .lambda = m_lambda.view(),
                                 .xStar = device.xStar.view()};
    });
}

}  // namespace coalesce
