#include "bridge/debug_lines.h"

#include <algorithm>

#include "core/for_each.h"
#include "core/primitives.h"
#include "core/scratch.h"

namespace coalesce {

namespace {

constexpr float kNormalLength = 0.1f;   // [m] of contact normals and axes of bodies
constexpr float kArrowSeconds = 0.05f;  // [s] whose way an arrow shows
constexpr uint32_t kMostArrows = 4000;  // more hide each other
constexpr float kLeastStrain = 0.01f;   // [-] what hardly pulls shall not look torn

}  // namespace

bool DebugLines::needNeighbors(const LineSet& wanted) {
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

View<Vec4> DebugLines::add(size_t lines, DrawLines look) {
    const size_t before = m_ends.size();
    look.first = static_cast<uint32_t>(before / 2);
    look.count = static_cast<uint32_t>(lines);
    m_sets.push_back(std::move(look));
    m_ends.resize(before + 2 * lines);
    return m_ends.view().subview(before, 2 * lines);
}

float DebugLines::largestSpacing() const {
    float spacing = 0;
    for (const Material& m : m_world.materials) spacing = std::max(spacing, m.properties.spacing);
    return spacing;
}

bool DebugLines::countContacts(const Touching& touching) {
    const size_t n = m_world.count();
    const Contacts contacts = m_solver.shapeContacts();
    CHECK_EQ(contacts.start.size, n + 1);
    Scratch::Scope scratch(m_world.exec);
    const View<uint32_t> pairs = scratch.take<uint32_t>("lines.pairs", n);
    const View<uint32_t> planes = scratch.take<uint32_t>("lines.planes", n);
    for (Buffer<uint32_t>& start : m_start) start.resize(n + 1);
    forEach(m_world.exec, "count contact lines", static_cast<int64_t>(n),
            CountContactLines{touching, contacts, pairs, planes});
    exclusiveScan(m_world.exec, "place lines of pairs", pairs, m_start[0].view());
    exclusiveScan(m_world.exec, "place lines of planes", planes, m_start[1].view());
    m_world.exec.copyToHost(&m_pairs, m_start[0].view().data + n, sizeof(uint32_t));
    m_world.exec.copyToHost(&m_planes, m_start[1].view().data + n, sizeof(uint32_t));
    return m_pairs + m_planes > 0;
}

void DebugLines::takeContacts(const LineSet& wanted, const Touching& touching) {
    const bool any = countContacts(touching);
    const auto n = static_cast<int64_t>(m_world.count());
    const Contacts contacts = m_solver.shapeContacts();
    const View<const uint32_t> pairStart = m_start[0].view(), planeStart = m_start[1].view();
    // pairs first, planes after them: two runs, two colors
    const auto both = [&](DrawLines ofPairs, DrawLines ofPlanes) {
        const size_t before = m_ends.size();
        add(m_pairs, std::move(ofPairs));
        add(m_planes, std::move(ofPlanes));
        return m_ends.view().subview(before, m_ends.size() - before);
    };
    if (wanted.has(LineView::Contacts)) {
        const View<Vec4> ends = both({.color = {1, 0.82f, 0.2f}, .name = "contacts of particles"},
                                     {.color = {0.25f, 0.9f, 1}, .name = "contacts with shapes"});
        if (any)
            forEach(m_world.exec, "write contact lines", n,
                    WriteContactLines{touching, contacts, pairStart, planeStart, ends});
    }
    if (wanted.has(LineView::Normals)) {
        const View<Vec4> ends = both({.color = {1, 0.55f, 0.15f}, .name = "normals between particles"},
                                     {.color = {0.4f, 0.65f, 1}, .name = "normals of shapes"});
        if (any)
            forEach(m_world.exec, "write contact normals", n,
                    WriteContactNormals{touching, contacts, pairStart, planeStart, kNormalLength, ends});
    }
    if (wanted.has(LineView::Planes) && m_planes > 0) {
        const View<Vec4> ends =
            add(size_t{4} * m_planes, {.color = {0.55f, 0.95f, 0.75f}, .name = "contact planes"});
        forEach(m_world.exec, "write contact planes", n,
                WriteContactPlanes{touching, contacts, planeStart, ends});
    }
}

void DebugLines::takeSprings(const Sources& sources) {
    const size_t count = m_strains.count(m_world);
    if (count == 0) return;
    // out of the sheets and tubes that are drawn about them
    const float lift = 0.55f * largestSpacing();
    const View<Vec4> ends = add(count, {.name = "strain [-]", .lift = lift});
    m_sets.back().range = std::max(m_strains.takeLines(m_world, sources.slotOf, ends), kLeastStrain);
}

void DebugLines::takeBatches(const Sources& sources) {
    const size_t count = m_strains.count(m_world);
    if (count == 0) return;
    const View<Vec4> ends =
        add(count, {.name = "batch", .sequential = true, .lift = 0.55f * largestSpacing()});
    const uint32_t batches = m_strains.takeBatches(m_world, sources.slotOf, ends);
    m_sets.back().range = static_cast<float>(std::max(batches, 2u) - 1);
}

void DebugLines::takeVelocities() {
    const size_t n = m_world.count();
    const ParticleArrays& p = m_world.particles;
    const auto every = static_cast<uint32_t>((n + kMostArrows - 1) / kMostArrows);
    Scratch::Scope scratch(m_world.exec);
    const View<uint32_t> count = scratch.take<uint32_t>("lines.arrows", n);
    const View<uint32_t> start = scratch.take<uint32_t>("lines.arrowStart", n + 1);
    forEach(m_world.exec, "count arrows", static_cast<int64_t>(n), CountArrows{p.id.view(), every, count});
    exclusiveScan(m_world.exec, "count arrows", count, start);
    uint32_t arrows = 0;
    m_world.exec.copyToHost(&arrows, start.data + n, sizeof arrows);
    if (arrows == 0) return;
    const int32_t nothing = 0;  // the bits of 0
    m_largest.upload({&nothing, 1});
    const View<Vec4> ends = add(size_t{kArrowLines} * arrows, {.name = "velocity [m/s]", .sequential = true});
    forEach(m_world.exec, "write arrows", static_cast<int64_t>(n),
            WriteArrows{p.x.view(), p.v.view(), start, kArrowSeconds, ends, m_largest.view()});
    m_sets.back().range = std::max(asFloat(orderedBits(m_largest.download()[0])), 1e-3f);
}

void DebugLines::takeFrames() {
    const View<const ClusterPose> pose = m_world.solids.pose.view();
    const auto clusters = static_cast<uint32_t>(pose.size);
    const View<Vec4> ends = add(size_t{3} * clusters, {});
    const uint32_t first = m_sets.back().first;
    m_sets.pop_back();
    const std::array<std::array<float, 3>, 3> colors = {
        {{0.95f, 0.3f, 0.3f}, {0.4f, 0.85f, 0.35f}, {0.35f, 0.55f, 1}}};
    for (uint32_t k = 0; k < 3; ++k)
        m_sets.push_back({.first = first + k * clusters,
                          .count = clusters,
                          .color = colors[k],
                          .name = std::string(1, static_cast<char>('x' + k)) + " axes of bodies"});
    forEach(m_world.exec, "write frames", clusters, WriteFrames{pose, kNormalLength, ends});
}

void DebugLines::takeTriangles(const ClothSurface& cloth) {
    for (const ClothSurface::Part& part : cloth.parts()) {
        const uint32_t triangles = part.frontIndices / 3;
        if (triangles == 0) continue;
        const float spacing =
            m_world.materials[m_world.groups[m_world.bodies[part.body].group].material].properties.spacing;
        const View<Vec4> ends = add(
            triangles, {.color = {0.9f, 0.5f, 0.95f}, .name = "normals of cloth", .lift = 0.55f * spacing});
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
    forEach(m_world.exec, "count drawn cells", static_cast<int64_t>(n), cells);
    exclusiveScan(m_world.exec, "count drawn cells", count, start);
    uint32_t occupied = 0;
    m_world.exec.copyToHost(&occupied, start.data + n, sizeof occupied);
    const View<Vec4> ends =
        add(size_t{kCellLines} * occupied, {.color = {0.75f, 0.75f, 0.8f}, .name = "cells"});
    forEach(m_world.exec, "write cells", static_cast<int64_t>(n), WriteCells{cells, start, cell, ends});
}

void DebugLines::takeNeighbors(uint32_t picked, View<const MaterialConstants> materials) {
    const ParticleArrays& p = m_world.particles;
    const uint32_t none = kNoSlot;
    m_slot.upload({&none, 1});
    forEach(m_world.exec, "find picked", static_cast<int64_t>(m_world.count()),
            FindSlot{p.id.view(), picked, m_slot.view()});
    const uint32_t slot = m_slot.download()[0];
    if (slot == kNoSlot) return;
    const auto take = [&](const NeighborLists& lists, DrawLines look) {
        if (lists.count.size <= slot) return;
        int count = 0;
        m_world.exec.copyToHost(&count, lists.count.data + slot, sizeof count);
        if (count <= 0) return;
        look.balls = true;
        const View<Vec4> ends = add(static_cast<size_t>(count) + 1, std::move(look));
        forEach(
            m_world.exec, "write neighbor lines", count + 1,
            WriteNeighborLines{p.x.view(), p.phase.view(), materials, lists, static_cast<int>(slot), ends});
        // the particle itself has no length of line, and a color of its own
        DrawLines own = m_sets.back();
        --m_sets.back().count;
        own.first += own.count - 1, own.count = 1, own.color = {1, 1, 1}, own.name = "picked";
        m_sets.push_back(std::move(own));
    };
    const NeighborLists near = m_solver.neighborLists(), touching = m_solver.contactLists();
    take(near, {.color = {0.35f, 0.95f, 1}, .name = "neighbors"});
    if (touching.count.data != near.count.data)
        take(touching, {.color = {1, 0.82f, 0.2f}, .name = "who may touch"});
}

}  // namespace coalesce
