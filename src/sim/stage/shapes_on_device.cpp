#include "sim/stage/shapes_on_device.h"

#include <algorithm>
#include <cmath>

namespace coalesce {

void ShapesOnDevice::upload(const World& world, std::span<const Shape> shapes, double dt, int substeps) {
    m_dt = dt;
    m_substeps = substeps;
    m_count = uint32_t(shapes.size());
    const bool formsChanged = uploadGeometry(shapes);
    uploadStates(shapes, world.time, dt, formsChanged);

    // the unit of loads is 2^−24 of the force that moves the heaviest particle by its spacing in a substep:
    // the weight of a particle is 10^4 units and more, and the sum of 10^11 such forces does not overflow
    double largest = 0;  // [kg m]
    for (const Material& m : world.materials)
        largest = std::max(largest, double{particleMass(m.properties, world.parameters.solver.planar)} *
                                        m.properties.spacing);
    m_quantum = dt > 0 ? std::exp2(std::ceil(std::log2(largest / (dt * dt))) - 24) : 1;
    m_copies = std::clamp(2048 / int(m_count + 1), 1, 32);
    m_tallies.resize(size_t{m_count} * m_copies);
}

void ShapesOnDevice::clearTallies() {
    m_tallies.fillZero();
}

const ShapesOnDevice::Form& ShapesOnDevice::formOf(const Shape& shape) const {
    const auto found = std::find_if(m_forms.begin(), m_forms.end(), [&](const Form& form) {
        return form.geometry == shape.geometry && form.kind == shape.kind;
    });
    CHECK(found != m_forms.end());
    return *found;
}

bool ShapesOnDevice::uploadGeometry(std::span<const Shape> shapes) {
    std::vector<Form> forms;
    for (const Shape& s : shapes) {
        CHECK_EQ(s.geometry != nullptr, s.kind >= ShapeKind::convex);
        if (!s.geometry) continue;
        const bool known = std::any_of(forms.begin(), forms.end(), [&](const Form& form) {
            return form.geometry == s.geometry && form.kind == s.kind;
        });
        if (!known) forms.push_back({s.geometry, s.kind, 0, 0});
    }
    const auto same = [](const Form& a, const Form& b) {
        return a.geometry == b.geometry && a.kind == b.kind;
    };
    if (std::equal(forms.begin(), forms.end(), m_forms.begin(), m_forms.end(), same)) return false;

    std::vector<Vec4> planes;
    std::vector<SdfGrid> grids;
    std::vector<float> distances;
    std::vector<Vec3> motions;
    std::vector<BvhNode> nodes;
    std::vector<MeshTriangle> triangles;
    for (Form& form : forms) {
        const ShapeGeometry& g = *form.geometry;
        if (form.kind == ShapeKind::convex) {
            CHECK(!g.planes.empty());
            form.first = int32_t(planes.size()), form.count = int32_t(g.planes.size());
            planes.insert(planes.end(), g.planes.begin(), g.planes.end());
        } else if (form.kind == ShapeKind::sdf) {
            const DistanceVolume& v = g.volume;
            CHECK(!v.distance.empty());
            form.first = int32_t(grids.size()), form.count = 1;
            grids.push_back({v.origin, v.cell, v.nx, v.ny, v.nz, uint32_t(distances.size()),
                             g.motion.empty() ? kRigid : uint32_t(motions.size())});
            motions.insert(motions.end(), g.motion.begin(), g.motion.end());
            distances.insert(distances.end(), v.distance.begin(), v.distance.end());
        } else {
            const TriangleBvh& bvh = g.bvh;
            CHECK(!bvh.nodes.empty());
            const auto base = int32_t(nodes.size());
            form.first = base, form.count = int32_t(bvh.nodes.size());
            for (BvhNode node : bvh.nodes) {
                node.first += node.count > 0 ? int32_t(triangles.size()) : base;
                nodes.push_back(node);
            }
            const std::vector<Vec3>& v = bvh.mesh.vertices;
            for (const Triangle& t : bvh.mesh.triangles) triangles.push_back({v[t[0]], v[t[1]], v[t[2]]});
        }
    }
    m_planes.upload(planes);
    m_grids.upload(grids);
    m_distances.upload(distances);
    m_motions.upload(motions);
    m_anyDeforms = !motions.empty();
    m_meshNodes.upload(nodes);
    m_triangles.upload(triangles);
    m_forms = std::move(forms);
    return true;
}

void ShapesOnDevice::uploadStates(std::span<const Shape> shapes, double time, double dt, bool formsChanged) {
    const auto poseOf = [](const Pose& p) { return ShapePose{p.position, p.rotation}; };
    std::vector<uint32_t> everywhere, boxed;
    std::vector<Trigger> triggers;
    for (uint32_t k = 0; k < m_count; ++k) {
        const Shape& s = shapes[k];
        const SendTo target = s.sendTo.value_or(SendTo{});
        if (s.trigger)
            triggers.push_back({k, s.sendTo.has_value(), target.position, target.spread});
        else
            (isEverywhere(s) ? everywhere : boxed).push_back(k);
    }
    std::vector<ShapeState> states(size_t(m_substeps) * m_count);
    if (!states.empty())
        std::memset(static_cast<void*>(states.data()), 0,
                    states.size() * sizeof(ShapeState));  // padding too: states are compared by bytes
    for (size_t k = 0; k < states.size(); ++k) {
        const Shape& s = shapes[k % m_count];
        const double start = time + double(k / m_count) * dt;
        ShapeState& state = states[k];
        state.kind = s.kind;
        state.container = s.container;
        state.radius = s.radius;
        state.halfLength = s.halfLength;
        state.halfExtents = s.halfExtents;
        state.friction = s.friction;
        state.scale = s.scale;
        state.collisionMask = s.collisionMask;
        state.previous = poseOf(poseAt(s, start));
        state.present = poseOf(poseAt(s, start + dt));
        if (dt > 0 && s.geometry && !s.geometry->motion.empty() && !s.deforming) {
            // a field at rest whose surface flows: its motion is a velocity [m/s]
            state.aheadAtStart = float(dt);
        } else if (dt > 0 && s.geometry && !s.geometry->motion.empty()) {
            state.aheadAtStart = float(1 - double(k / m_count) / m_substeps);
            state.aheadAtEnd = float(1 - double(k / m_count + 1) / m_substeps);
        }
        if (s.geometry) state.first = formOf(s).first, state.count = formOf(s).count;
    }
    const bool sameKinds = !m_everywhere.set(std::move(everywhere)) & !m_triggers.set(std::move(triggers));
    if (!m_states.set(std::move(states)) && sameKinds && !formsChanged) return;

    // one tree per substep
    std::vector<BvhNode> nodes;
    std::vector<Bounds> own, boxes(boxed.size());
    for (const uint32_t k : boxed) own.push_back(boundsOf(shapes[k]));
    for (int substep = 0; substep < m_substeps; ++substep) {
        for (size_t b = 0; b < boxed.size(); ++b) {
            const ShapeState& s = m_states.host()[size_t(substep) * m_count + boxed[b]];
            boxes[b] = sweptBounds(own[b], {s.previous.position, s.previous.rotation},
                                   {s.present.position, s.present.rotation});
        }
        std::vector<uint32_t> order;
        std::vector<BvhNode> tree = buildTree(boxes, 1, order);
        for (BvhNode& node : tree)
            if (node.count > 0) node.first = int32_t(boxed[order[node.first]]);
        nodes.insert(nodes.end(), tree.begin(), tree.end());
    }
    m_nodesOfTree = m_substeps > 0 ? nodes.size() / m_substeps : 0;
    m_nodes.upload(nodes);
}

ShapeSet ShapesOnDevice::of(int substep) const {
    return {m_states.view().subview(size_t(substep) * m_count, m_count),
            m_everywhere.view(),
            m_nodes.view().subview(size_t(substep) * m_nodesOfTree, m_nodesOfTree),
            {m_planes.view(), m_grids.view(), m_distances.view(), m_motions.view(), m_meshNodes.view(),
             m_triangles.view()}};
}

ShapeLoads ShapesOnDevice::loads() {
    return {m_tallies.view(), m_copies, m_dt > 0 ? float(1 / (m_quantum * m_dt * m_dt)) : 0};
}

Exec::Download ShapesOnDevice::downloadTallies() {
    m_fetchedTallies.resize(m_tallies.size());
    return {m_fetchedTallies.data(), m_tallies.view().data, m_fetchedTallies.size() * sizeof(ShapeLoadSums)};
}

void ShapesOnDevice::report(World& world) const {
    world.shapeReports.resize(m_count);
    for (uint32_t s = 0; s < m_count; ++s) {
        ShapeLoadSums sum{};
        for (int k = 0; k < m_copies; ++k) {
            const ShapeLoadSums& t = m_fetchedTallies[s * m_copies + k];
            for (int axis = 0; axis < 3; ++axis)
                sum.force[axis] += t.force[axis], sum.torque[axis] += t.torque[axis];
            sum.entered += t.entered, sum.present += t.present;
        }
        const auto mean = [&](const int64_t(&fixed)[3]) {
            const double unit = m_quantum / m_substeps;
            return Vec3{float(double(fixed[0]) * unit), float(double(fixed[1]) * unit),
                        float(double(fixed[2]) * unit)};
        };
        ShapeReport& report = world.shapeReports[s];
        report.force = mean(sum.force), report.torque = mean(sum.torque);
        report.present = sum.present;
        report.entered += sum.entered;
    }
}

}  // namespace coalesce
