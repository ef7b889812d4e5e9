#include "bridge/debug_lines.h"

#include <algorithm>

#include "core/for_each.h"
#include "core/primitives.h"
#include "core/scratch.h"

namespace coalesce {

namespace {

constexpr float kNormalLength = 0.1f;   // [m] of contact normals and axes of bodies
constexpr float kArrowSeconds = 0.05f;  // [s] of motion that an arrow shows
constexpr uint32_t kMaxArrows = 4000;   // more would hide each other
constexpr float kMinStrain = 0.01f;     // [-] so that tiny strains do not use the full color range

}  // namespace

bool DebugLines::needsNeighbors(const LineSet& wanted) {
    return std::ranges::any_of(
        std::initializer_list<LineView>{LineView::Contacts, LineView::Normals, LineView::Planes,
                                        LineView::Cells, LineView::Neighbors},
        [&](LineView view) { return wanted.has(view); });
}

void DebugLines::update(const LineSet& wanted, const Sources& sources) {
    m_sets.clear();
    m_ends.resize(0);
    if (m_world.count() == 0) return;
    if (wanted.has(LineView::Contacts) || wanted.has(LineView::Normals) || wanted.has(LineView::Planes))
        takeContacts(wanted, {m_world.particles.x.view(), m_world.particles.phase.view(), sources.materials,
                              m_solver.contactLists()});
    const bool springs = m_world.solids.springs.size() > 0 && sources.slotOf.size > 0;
    if (wanted.has(LineView::DistanceConstraints) && springs) takeSprings(sources);
    if (wanted.has(LineView::Batches) && springs) takeBatches(sources);
    if (wanted.has(LineView::Velocities)) takeVelocities();
    if (wanted.has(LineView::Frames) && m_world.solids.pose.size() > 0) takeFrames();
    if (wanted.has(LineView::Triangles)) takeTriangles(sources.cloth);
    if (wanted.has(LineView::Cells)) takeCells();
    if (wanted.has(LineView::Neighbors) && sources.picked) takeNeighbors(*sources.picked, sources.materials);
}

View<Vec4> DebugLines::add(size_t lines, DrawLines style) {
    const size_t before = m_ends.size();
    style.first = uint32_t(before / 2);
    style.count = uint32_t(lines);
    m_sets.push_back(std::move(style));
    m_ends.resize(before + 2 * lines);
    return m_ends.view().subview(before, 2 * lines);
}

float DebugLines::largestSpacing() const {
    float spacing = 0;
    for (const Material& m : m_world.materials) spacing = std::max(spacing, m.properties.spacing);
    return spacing;
}

bool DebugLines::countContacts(const ContactQuery& contactQuery) {
    const size_t n = m_world.count();
    const Contacts contacts = m_solver.shapeContacts();
    CHECK_EQ(contacts.start.size, n + 1);
    Scratch::Scope scratch(m_world.exec);
    const View<uint32_t> pairs = scratch.take<uint32_t>("lines.pairs", n);
    const View<uint32_t> planes = scratch.take<uint32_t>("lines.planes", n);
    for (Buffer<uint32_t>& start : m_start) start.resize(n + 1);
    forEach(m_world.exec, "count contact lines", int64_t(n),
            CountContactLines{contactQuery, contacts, pairs, planes});
    exclusiveScan(m_world.exec, "place pair lines", pairs, m_start[0].view());
    exclusiveScan(m_world.exec, "place plane lines", planes, m_start[1].view());
    m_world.exec.copyToHost(&m_pairs, m_start[0].view().data + n, sizeof(uint32_t));
    m_world.exec.copyToHost(&m_planes, m_start[1].view().data + n, sizeof(uint32_t));
    return m_pairs + m_planes > 0;
}

void DebugLines::takeContacts(const LineSet& wanted, const ContactQuery& contactQuery) {
    const bool any = countContacts(contactQuery);
    const auto n = int64_t(m_world.count());
    const Contacts contacts = m_solver.shapeContacts();
    const View<const uint32_t> pairStart = m_start[0].view(), planeStart = m_start[1].view();
    // pairs first, then planes: two runs with a color each
    const auto addBoth = [&](DrawLines pairs, DrawLines planes) {
        const size_t before = m_ends.size();
        add(m_pairs, std::move(pairs));
        add(m_planes, std::move(planes));
        return m_ends.view().subview(before, m_ends.size() - before);
    };
    if (wanted.has(LineView::Contacts)) {
        const View<Vec4> ends = addBoth({.color = {1, 0.82f, 0.2f}, .name = "contacts between particles"},
                                        {.color = {0.25f, 0.9f, 1}, .name = "contacts with shapes"});
        if (any)
            forEach(m_world.exec, "write contact lines", n,
                    WriteContactLines{contactQuery, contacts, pairStart, planeStart, ends});
    }
    if (wanted.has(LineView::Normals)) {
        const View<Vec4> ends = addBoth({.color = {1, 0.55f, 0.15f}, .name = "normals between particles"},
                                        {.color = {0.4f, 0.65f, 1}, .name = "normals at shapes"});
        if (any)
            forEach(m_world.exec, "write contact normals", n,
                    WriteContactNormals{contactQuery, contacts, pairStart, planeStart, kNormalLength, ends});
    }
    if (wanted.has(LineView::Planes) && m_planes > 0) {
        const View<Vec4> ends =
            add(size_t{4} * m_planes, {.color = {0.55f, 0.95f, 0.75f}, .name = "contact planes"});
        forEach(m_world.exec, "write contact planes", n,
                WriteContactPlanes{contactQuery, contacts, planeStart, ends});
    }
}

void DebugLines::takeSprings(const Sources& sources) {
    const size_t count = m_strains.count(m_world);
    if (count == 0) return;
    // lifted out of the cloth and tubes drawn around them
    const float lift = 0.55f * largestSpacing();
    const View<Vec4> ends = add(count, {.name = "strain [-]", .lift = lift});
    m_sets.back().range = std::max(m_strains.takeLines(m_world, sources.slotOf, ends), kMinStrain);
}

void DebugLines::takeBatches(const Sources& sources) {
    const size_t count = m_strains.count(m_world);
    if (count == 0) return;
    const View<Vec4> ends =
        add(count, {.name = "batch", .sequential = true, .lift = 0.55f * largestSpacing()});
    const uint32_t batches = m_strains.takeBatches(m_world, sources.slotOf, ends);
    m_sets.back().range = float(std::max(batches, 2u) - 1);
}

void DebugLines::takeVelocities() {
    const size_t n = m_world.count();
    const ParticleArrays& p = m_world.particles;
    const auto every = uint32_t((n + kMaxArrows - 1) / kMaxArrows);
    Scratch::Scope scratch(m_world.exec);
    const View<uint32_t> count = scratch.take<uint32_t>("lines.arrows", n);
    const View<uint32_t> start = scratch.take<uint32_t>("lines.arrowStart", n + 1);
    forEach(m_world.exec, "count arrows", int64_t(n), CountArrows{p.id.view(), every, count});
    exclusiveScan(m_world.exec, "count arrows", count, start);
    uint32_t arrows = 0;
    m_world.exec.copyToHost(&arrows, start.data + n, sizeof arrows);
    if (arrows == 0) return;
    const int32_t nothing = 0;  // bits of 0.0f
    m_largest.upload({&nothing, 1});
    const View<Vec4> ends = add(size_t{kArrowLines} * arrows, {.name = "velocity [m/s]", .sequential = true});
    forEach(m_world.exec, "write arrows", int64_t(n),
            WriteArrows{p.x.view(), p.v.view(), start, kArrowSeconds, ends, m_largest.view()});
    m_sets.back().range = std::max(asFloat(orderedBits(m_largest.download()[0])), 1e-3f);
}

void DebugLines::takeFrames() {
    const View<const ClusterPose> pose = m_world.solids.pose.view();
    const auto clusters = uint32_t(pose.size);
    const View<Vec4> ends = add(size_t{3} * clusters, {});
    const uint32_t first = m_sets.back().first;
    m_sets.pop_back();
    const std::array<std::array<float, 3>, 3> colors = {
        {{0.95f, 0.3f, 0.3f}, {0.4f, 0.85f, 0.35f}, {0.35f, 0.55f, 1}}};
    for (uint32_t k = 0; k < 3; ++k)
        m_sets.push_back({.first = first + k * clusters,
                          .count = clusters,
                          .color = colors[k],
                          .name = std::string(1, char('x' + k)) + " axes"});
    forEach(m_world.exec, "write frames", clusters, WriteFrames{pose, kNormalLength, ends});
}

void DebugLines::takeTriangles(const ClothSurface& cloth) {
    for (const ClothSurface::Part& part : cloth.parts()) {
        const uint32_t triangles = part.frontIndices / 3;
        if (triangles == 0) continue;
        const float spacing =
            m_world.materials[m_world.groups[m_world.bodies[part.body].group].material].properties.spacing;
        const View<Vec4> ends =
            add(triangles, {.color = {0.9f, 0.5f, 0.95f}, .name = "cloth normals", .lift = 0.55f * spacing});
        forEach(m_world.exec, "write triangle normals", triangles,
                WriteTriangleNormals{cloth.index().subview(part.first, part.frontIndices), cloth.position(),
                                     spacing, ends});
    }
}

void DebugLines::takeCells() {
    const size_t n = m_world.count();
    const float cell = m_solver.cellSize();
    if (!(cell > 0)) return;
    Scratch::Scope scratch(m_world.exec);
    const View<uint32_t> count = scratch.take<uint32_t>("lines.cells", n);
    const View<uint32_t> start = scratch.take<uint32_t>("lines.cellStart", n + 1);
    const CountCells cells{m_world.particles.x.view(), 1 / cell, count};
    forEach(m_world.exec, "count drawn cells", int64_t(n), cells);
    exclusiveScan(m_world.exec, "count drawn cells", count, start);
    uint32_t occupied = 0;
    m_world.exec.copyToHost(&occupied, start.data + n, sizeof occupied);
    const View<Vec4> ends =
        add(size_t{kCellLines} * occupied, {.color = {0.75f, 0.75f, 0.8f}, .name = "cells"});
    forEach(m_world.exec, "write cells", int64_t(n), WriteCells{cells, start, cell, ends});
}

void DebugLines::takeNeighbors(uint32_t picked, View<const MaterialConstants> materials) {
    const ParticleArrays& p = m_world.particles;
    const uint32_t none = kNoSlot;
    m_slot.upload({&none, 1});
    forEach(m_world.exec, "find selected", int64_t(m_world.count()),
            FindSlot{p.id.view(), picked, m_slot.view()});
    const uint32_t slot = m_slot.download()[0];
    if (slot == kNoSlot) return;
    const auto take = [&](const NeighborLists& lists, DrawLines style) {
        if (lists.count.size <= slot) return;
        int count = 0;
        m_world.exec.copyToHost(&count, lists.count.data + slot, sizeof count);
        if (count <= 0) return;
        style.balls = true;
        const View<Vec4> ends = add(size_t(count) + 1, std::move(style));
        forEach(m_world.exec, "write neighbor lines", count + 1,
                WriteNeighborLines{p.x.view(), p.phase.view(), materials, lists, int(slot), ends});
        // the line of the particle itself has length 0 and its own color
        DrawLines own = m_sets.back();
        --m_sets.back().count;
        own.first += own.count - 1, own.count = 1, own.color = {1, 1, 1}, own.name = "selected";
        m_sets.push_back(std::move(own));
    };
    const NeighborLists near = m_solver.neighborLists(), touching = m_solver.contactLists();
    take(near, {.color = {0.35f, 0.95f, 1}, .name = "neighbors"});
    if (touching.count.data != near.count.data)
        take(touching, {.color = {1, 0.82f, 0.2f}, .name = "contact candidates"});
}

}  // namespace coalesce
