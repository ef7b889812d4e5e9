#include "sim/surface/surface_mesher.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "core/for_each.h"
#include "core/primitives.h"
#include "core/scratch.h"
#include "geometry/query/mesh_reduction.h"
#include "kernels/surface/mesh_smoothing.h"
#include "sim/stage/cell_table.h"
#include "sim/surface/cube_cases.h"

namespace coalesce {

void checkSurfaceOptions(const SurfaceOptions& options) {
    const auto check = [](const char* name, auto value, auto low, auto high, const char* unit) {
        if (value >= low && value <= high) return;
        fail(Exit::Usage, std::string("surface option ") + name,
             fmt::format("{} {} is outside of {} … {}", value, unit, low, high),
             "Choose a value of this range.");
    };
#define OPTION(type, name, standard, low, high, unit, sentence) \
    if constexpr (!std::is_same_v<type, bool>) check(#name, options.name, type(low), type(high), unit);
#include "sim/surface/surface_options.def"
}

SurfaceMesher::SurfaceMesher(Exec& e) : Stage(e) {
    m_cases.upload(makeCubeCases());
    std::vector<float> x, y, z;
    for (int n = 0; n < kBlockNodes; ++n) {
        x.push_back(float(n % kBlockEdge));
        y.push_back(float(n / kBlockEdge % kBlockEdge));
        z.push_back(float(n / (kBlockEdge * kBlockEdge)));
    }
    m_nodeX.upload(x);
    m_nodeY.upload(y);
    m_nodeZ.upload(z);
}

void SurfaceMesher::build(const LiquidParticles& particles, const SurfaceOptions& options,
                          const SurfaceWalls& walls) {
    checkSurfaceOptions(options);
    CHECK_EQ(particles.v.size, particles.x.size);
    CHECK_EQ(particles.id.size, particles.x.size);
    for (Buffer<Vec4>* array : {&m_raw, &m_position, &m_normal, &m_velocity}) array->resizeDiscard(0);
    m_vertexBin.resizeDiscard(0);
    m_onWalls.resizeDiscard(0);
    m_triangle.resizeDiscard(0);
    if (particles.x.size == 0) return;
    m_given = particles.x.size;
    m_walls = walls;
    for (int k = 0; k < walls.count; ++k) m_walls.plane[k].w += options.wallOverlap * particles.spacing;
    m_radius = options.radius * particles.spacing;
    m_flat = measureFlatSurface(options.radius, options.anisotropic);
    m_grid.cell = options.cell * particles.spacing;
    m_grid.blocksPerBin = int(std::ceil(m_radius / (m_grid.cell * kBlockEdge) - 1e-4f));

    // particles → field
    addImages(particles, walls);
    sortIntoBins();
    findBinsAround();
    if (options.anisotropic) findNeighbors();
    fitKernels(particles, options);
    findBlocks();
    options.anisotropic ? evaluateColor<true>(particles.spacing) : evaluateColor<false>(particles.spacing);
    // field → mesh
    polygonize();
    const float d = particles.spacing;
    if (options.minPiece > 0 || options.merge > 0)
        reduce([&](ReducedMesh& mesh) {
            if (options.minPiece > 0) dropSmallPieces(mesh, double(options.minPiece) * d * d * d);
            if (options.merge > 0) mergeAtNodes(mesh, m_grid.cell, options.merge);
        });
    smooth(options.smoothing);
    constexpr float kLongestEdge = 4;  // [d] so that velocities at the vertices still show the flow
    if (options.decimation > 0)
        reduce([&](ReducedMesh& mesh) { decimate(mesh, options.decimation * d, kLongestEdge * d); });
    findNormals();
    m_velocity.resizeDiscard(m_position.size());
    interpolate(particles.v, m_velocity.view());
}

uint32_t SurfaceMesher::readCount(View<const uint32_t> count) const {
    uint32_t host = 0;
    exec.copyToHost(&host, count.data, sizeof host);
    return host;
}

void SurfaceMesher::addImages(const LiquidParticles& particles, const SurfaceWalls& walls) {
    for (Buffer<uint32_t>* list : {&m_allId, &m_original}) list->resizeDiscard(m_given);
    m_all.resizeDiscard(m_given);
    exec.copyWithin(m_all.view().data, particles.x.data, m_given * sizeof(Vec4));
    exec.copyWithin(m_allId.view().data, particles.id.data, m_given * sizeof(uint32_t));
    forEach(exec, "surface images", m_given, ListOriginals{m_original.view()});
    for (int wall = 0; wall < walls.count; ++wall) {
        const size_t n = m_all.size();
        Scratch::Scope scratch(exec);
        const View<uint32_t> near = scratch.take<uint32_t>("surface.nearWall", n);
        const View<uint32_t> selected = scratch.take<uint32_t>("surface.mirrored", n);
        const View<uint32_t> count = scratch.take<uint32_t>("surface.count", 1);
        forEach(exec, "surface images", n, SelectNearWall{m_all.view(), near, walls, wall, m_radius});
        compact(exec, "surface images", near, selected, count);
        const uint32_t images = readCount(count);
        m_all.resize(n + images);
        m_allId.resize(n + images);
        m_original.resize(n + images);
        forEach(exec, "surface images", images,
                MirrorAtWall{selected, m_all.view(), m_allId.view(), m_original.view(), walls, wall, n});
    }
}

void SurfaceMesher::sortIntoBins() {
    const size_t n = m_all.size();
    Scratch::Scope scratch(exec);
    const float inverseEdge = 1 / m_grid.binEdge();

    // box of the bins, with the bins around them and an empty layer
    IntegerBox box = IntegerBox::identity();
    const View<IntegerBox> bound = scratch.take<IntegerBox>("surface.bound", 1);
    exec.copyFromHost(bound.data, &box, sizeof box);
    forEachReduce(exec, "surface bounds", n, FindBinBounds{m_all.view(), bound.data, inverseEdge});
    exec.copyToHost(&box, bound.data, sizeof box);
    for (int k = 0; k < 3; ++k) {
        m_grid.plan.origin[k] = box.low[k] - 2;
        m_grid.plan.size[k] = box.high[k] - box.low[k] + 5;
    }

    // sort by bin, by id inside a bin; a particle comes before its images, and these by wall
    const View<uint64_t> keys = scratch.take<uint64_t>("surface.keys", n);
    const View<uint32_t> order = scratch.take<uint32_t>("surface.order", n);
    const View<uint32_t> binOf = scratch.take<uint32_t>("surface.binOf", n);
    const View<uint32_t> ranked = scratch.take<uint32_t>("surface.ranked", n);
    const View<uint32_t> count = scratch.take<uint32_t>("surface.count", 1);
    forEach(exec, "surface bins", n, MakeBinKeys{m_all.view(), keys, order, m_grid.plan, inverseEdge});
    sortPairs(exec, "surface bins", keys, order, m_grid.plan.keyBits());
    m_occupied.resizeDiscard(n);
    m_binStart.resizeDiscard(n + 1);
    runLengthEncode(exec, "surface bins", keys, binOf, m_occupied.view(), m_binStart.view(), count);
    const uint32_t bins = readCount(count);
    m_occupied.resize(bins);
    m_source.resizeDiscard(n);
    forEach(exec, "surface bins", n, RankInBin{binOf, m_binStart.view(), order, m_allId.view(), ranked});
    m_x.resizeDiscard(n);
    gather<Vec4>(exec, "surface particles", m_all.view(), ranked, m_x.view());
    gather<uint32_t>(exec, "surface particles", m_original.view(), ranked, m_source.view());
    for (Buffer<float>& axis : m_axis) axis.resizeDiscard(exec.onCuda() ? 0 : n + kLanes);
    if (!exec.onCuda()) forEach(exec, "surface particles", n, ToSoA{{}, {}, positions()});
}

SearchPositions SurfaceMesher::positions() {
    return {m_x.view(), m_axis[0].view(), m_axis[1].view(), m_axis[2].view(), {}, {}};
}

CellTable SurfaceMesher::makeTable(View<const uint64_t> keys, View<const uint32_t> start,
                                   Buffer<uint32_t>& first) {
    // one bucket of keys for every few bins, so that a bin is found in a few steps
    const KeyBuckets buckets = KeyBuckets::plan(m_grid.plan.keyBits(), 4 * keys.size);
    first.resizeDiscard(buckets.count + 1);
    return makeCellTable(exec, "surface bins", keys, start, nullptr, buckets, first.view());
}

void SurfaceMesher::findBinsAround() {
    // along one axis after the other: 3 · 3 · 3 bins around each, every bin once
    m_bins.copyFrom(m_occupied);
    for (const int64_t step : {int64_t{1}, m_grid.stepY(), m_grid.stepZ()}) {
        Scratch::Scope scratch(exec);
        const size_t n = 3 * m_bins.size();
        const View<uint64_t> keys = scratch.take<uint64_t>("surface.keys", n);
        const View<uint32_t> order = scratch.take<uint32_t>("surface.order", n);
        const View<uint32_t> binOf = scratch.take<uint32_t>("surface.binOf", n);
        const View<uint32_t> start = scratch.take<uint32_t>("surface.start", n + 1);
        const View<uint32_t> count = scratch.take<uint32_t>("surface.count", 1);
        exec.fillBytes(order, 0);
        forEach(exec, "surface bins around", n, DilateBins{m_bins.view(), keys, step});
        sortPairs(exec, "surface bins around", keys, order, m_grid.plan.keyBits());
        m_bins.resizeDiscard(n);
        runLengthEncode(exec, "surface bins around", keys, binOf, m_bins.view(), start, count);
        m_bins.resize(readCount(count));
    }
    const CellTable occupied = makeTable(m_occupied.view(), m_binStart.view(), m_occupiedBuckets);
    m_table = makeTable(m_bins.view(), {}, m_binBuckets);
    m_rows.resizeDiscard(m_bins.size() * kRows);
    forEach(exec, "surface rows", m_bins.size() * kRows,
            FindBinRows{m_bins.view(), occupied, m_rows.view(), m_grid.plan});
    m_home.resizeDiscard(m_x.size());
    forEach(exec, "surface rows", m_x.size(),
            FindHomeBins{m_x.view(), m_table, m_home.view(), m_grid.plan, 1 / m_grid.binEdge()});
}

// Lists of the particles within R of each, as those of the solver; in the order of bins.
void SurfaceMesher::findNeighbors() {
    const size_t n = m_x.size();
    m_stride = int64_t((n + kLanes - 1) / kLanes * kLanes);
    Scratch::Scope scratch(exec);
    const View<StatusBlock> status = scratch.take<StatusBlock>("surface.status", 1);
    m_neighborCount.resizeDiscard(n);
    for (;;) {
        StatusBlock state;
        exec.copyFromHost(status.data, &state, sizeof state);
        m_neighbors.resizeDiscard(size_t(m_stride) * m_neighborCapacity);
        forEachReduce(exec, "surface neighbors", n,
                      BuildNeighborLists<true, false>{.positions = positions(),
                                                      .rows = {m_home.view(), m_rows.view(), {}},
                                                      .count = m_neighborCount.view(),
                                                      .entries = m_neighbors.view(),
                                                      .stride = m_stride,
                                                      .capacity = m_neighborCapacity,
                                                      .status = status.data,
                                                      .support = m_radius,
                                                      .reach = 0.5f});
        exec.copyToHost(&state, status.data, sizeof state);
        if (int(state.requiredNeighbors) <= m_neighborCapacity) return;
        m_neighborCapacity = int(state.requiredNeighbors + state.requiredNeighbors / 4);
    }
}

void SurfaceMesher::fitKernels(const LiquidParticles& particles, const SurfaceOptions& options) {
    const size_t n = m_x.size();
    for (Buffer<Vec4>* array : {&m_center, &m_square, &m_extent}) array->resizeDiscard(n);
    m_shear.resizeDiscard(options.anisotropic ? n : 0);
    const SurfaceKernels kernels{m_center.view(), m_square.view(), m_shear.view(), m_extent.view()};
    const NeighborLists neighbors{m_neighborCount.view(), m_neighbors.view(), m_stride};
    if (options.anisotropic)
        forEach(exec, "surface kernels", n,
                FitAnisotropic{.x = m_x.view(),
                               .neighbors = neighbors,
                               .kernels = kernels,
                               .radius = m_radius,
                               .spacing = particles.spacing});
    else
        forEach(exec, "surface kernels", n, FitIsotropic{m_x.view(), kernels, m_radius, particles.spacing});

    Scratch::Scope scratch(exec);
    const View<float> weight = scratch.take<float>("surface.weight", n);
    m_interior.resizeDiscard(n);
    const ThinParts parts{weight, m_interior.view(),
                          (options.anisotropic ? kThinShareAnisotropic : kThinShare) * m_flat.layer};
    if (options.anisotropic)
        forEach(exec, "surface weights", n,
                WeighAnisotropic{.center = m_center.view(),
                                 .square = m_square.view(),
                                 .shear = m_shear.view(),
                                 .neighbors = neighbors,
                                 .parts = parts});
    else
        forEach(exec, "surface weights", n,
                WeighIsotropic{.center = m_center.view(),
                               .square = m_square.view(),
                               .positions = positions(),
                               .bins = {m_home.view(), m_rows.view(), {}},
                               .parts = parts});
    forEach(exec, "surface weights", n, ApplyWeights{weight, m_center.view()});
}

void SurfaceMesher::findBlocks() {
    const size_t candidates = m_bins.size() * size_t(m_grid.blocksOfBin());
    if (candidates > INT32_MAX / kBlockNodes)
        fail(Exit::Simulation, "surface mesh", fmt::format("{} blocks are too many", candidates),
             "Choose larger cells.");
    Scratch::Scope scratch(exec);
    const View<uint32_t> reached = scratch.take<uint32_t>("surface.reached", candidates);
    const View<uint32_t> blockAt = scratch.take<uint32_t>("surface.blockAt", candidates);
    const View<uint32_t> count = scratch.take<uint32_t>("surface.count", 1);
    forEach(
        exec, "surface blocks", candidates,
        MarkReachedBlocks{m_bins.view(), m_rows.view(), m_center.view(), m_extent.view(), reached, m_grid});
    m_candidate.resizeDiscard(candidates);
    compact(exec, "surface blocks", reached, m_candidate.view(), count);
    m_candidate.resize(readCount(count));
    exec.fillBytes(blockAt, 0xff);  // kNoBlock
    forEach(exec, "surface blocks", m_candidate.size(), IndexBlocks{m_candidate.view(), blockAt});
    m_upper.resizeDiscard(8 * m_candidate.size());
    forEach(exec, "surface blocks", m_upper.size(),
            FindUpperBlocks{m_bins.view(), m_table, m_candidate.view(), blockAt, m_upper.view(), m_grid});
}

template <bool kAnisotropic>
void SurfaceMesher::evaluateColor(float spacing) {
    Scratch::Scope scratch(exec);
    const View<uint32_t> interiorBlock = scratch.take<uint32_t>("surface.interiorBlock", m_candidate.size());
    const float perEdge = m_grid.binEdge() / spacing;  // particles
    forEach(exec, "surface blocks", m_candidate.size(),
            MarkInteriorBlocks{m_rows.view(), m_candidate.view(), m_interior.view(), interiorBlock,
                               kInteriorShare * 3 * perEdge * perEdge * perEdge, m_grid.blocksOfBin()});
    m_color.resizeDiscard(m_candidate.size() * kBlockNodes);
    forEach(exec, "surface field", m_color.size(),
            EvaluateColor<kAnisotropic>{.center = m_center.view(),
                                        .square = m_square.view(),
                                        .shear = m_shear.view(),
                                        .extent = m_extent.view(),
                                        .positions = positions(),
                                        .bins = m_bins.view(),
                                        .rows = m_rows.view(),
                                        .candidate = m_candidate.view(),
                                        .interiorBlock = interiorBlock,
                                        .nodeX = m_nodeX.view(),
                                        .nodeY = m_nodeY.view(),
                                        .nodeZ = m_nodeZ.view(),
                                        .color = m_color.view(),
                                        .grid = m_grid,
                                        .reach = kReachMargin * m_radius});
}

void SurfaceMesher::polygonize() {
    const size_t blocks = m_candidate.size();
    Scratch::Scope scratch(exec);
    const View<uint8_t> corners = scratch.take<uint8_t>("surface.corners", m_color.size());
    const View<uint32_t> vertices = scratch.take<uint32_t>("surface.vertices", blocks);
    const View<uint32_t> triangles = scratch.take<uint32_t>("surface.triangles", blocks);
    const View<uint32_t> firstVertex = scratch.take<uint32_t>("surface.firstVertex", blocks + 1);
    const View<uint32_t> firstTriangle = scratch.take<uint32_t>("surface.firstTriangle", blocks + 1);
    const View<uint32_t> vertexAt = scratch.take<uint32_t>("surface.vertexAt", m_color.size());
    const BlockNodes nodes{m_upper.view()};
    const View<uint64_t> inside = scratch.take<uint64_t>("surface.inside", blocks);
    forEach(exec, "surface cells", blocks, MarkInside{m_color.view(), inside, m_flat.level});
    if (m_walls.count > 0)
        forEach(exec, "surface cells", blocks,
                CutAtWalls{m_bins.view(), m_candidate.view(), inside, m_grid, m_walls});
    forEach(exec, "surface cells", blocks,
            ClassifyCells{m_upper.view(), inside, m_cases.view(), corners, vertices, triangles});
    exclusiveScan(exec, "surface counts", vertices, firstVertex);
    exclusiveScan(exec, "surface counts", triangles, firstTriangle);
    const uint32_t vertexCount = readCount(firstVertex.subview(blocks, 1));
    const uint32_t triangleCount = readCount(firstTriangle.subview(blocks, 1));
    if (triangleCount > INT32_MAX / 3)
        fail(Exit::Simulation, "surface mesh", fmt::format("{} triangles are too many", triangleCount),
             "Choose larger cells.");
    m_raw.resizeDiscard(vertexCount);
    m_vertexBin.resizeDiscard(vertexCount);
    m_onWalls.resizeDiscard(m_walls.count > 0 ? vertexCount : 0);
    m_triangle.resizeDiscard(3 * size_t{triangleCount});
    forEach(
        exec, "surface vertices", blocks,
        EmitVertices{nodes, m_bins.view(), m_candidate.view(), m_color.view(), corners, firstVertex, vertexAt,
                     m_raw.view(), m_vertexBin.view(), m_onWalls.view(), m_grid, m_walls, m_flat.level});
    forEach(exec, "surface triangles", blocks,
            EmitTriangles{nodes, corners, m_cases.view(), firstTriangle, vertexAt, m_triangle.view()});
    m_position.copyFrom(m_raw);
}

// A step that leaves fewer vertices and triangles, on the host. The remaining vertices
// take their quantities from where they lay before.
template <class Step>
void SurfaceMesher::reduce(Step&& step) {
    ReducedMesh mesh;
    for (const Vec4 x : m_position.download()) mesh.position.push_back(xyz(x));
    mesh.source.resize(mesh.size());
    std::iota(mesh.source.begin(), mesh.source.end(), 0u);
    const std::vector<uint32_t> index = m_triangle.download();
    for (size_t i = 0; i < index.size(); i += 3)
        mesh.triangle.push_back({index[i], index[i + 1], index[i + 2]});
    step(mesh);
    std::vector<Vec4> position;
    for (const Vec3 x : mesh.position) position.push_back(vec4(x, 0.0f));
    m_position.upload(position);
    m_triangle.upload(
        std::span(mesh.triangle.empty() ? nullptr : mesh.triangle[0].data(), 3 * mesh.triangle.size()));
    const auto keep = [&]<class T>(Buffer<T>& all) {
        const std::vector<T> before = all.download();
        std::vector<T> kept;
        for (const uint32_t v : mesh.source) kept.push_back(before[v]);
        all.upload(kept);
    };
    keep(m_raw);
    keep(m_vertexBin);
    if (m_walls.count > 0) keep(m_onWalls);
    moveOntoWalls();
}

void SurfaceMesher::moveOntoWalls() {
    if (m_walls.count == 0) return;
    forEach(exec, "surface smoothing", m_position.size(),
            MoveOntoWalls{m_position.view(), m_onWalls.view(), m_walls});
}

template <class T>
void SurfaceMesher::interpolateAny(View<const T> quantity, View<T> value) {
    CHECK_EQ(value.size, m_raw.size());
    if (value.size == 0) return;
    CHECK_EQ(quantity.size, m_given);
    forEach(exec, "surface quantities", value.size,
            Interpolate<T>{m_raw.view(), m_vertexBin.view(), m_rows.view(), positions(), m_source.view(),
                           quantity, value, 1 / (m_radius * m_radius)});
}
void SurfaceMesher::interpolate(View<const float> quantity, View<float> value) {
    interpolateAny(quantity, value);
}
void SurfaceMesher::interpolate(View<const Vec4> quantity, View<Vec4> value) {
    interpolateAny(quantity, value);
}

void SurfaceMesher::smooth(int passes) {
    if (passes == 0 || m_position.size() == 0) return;
    const size_t vertices = m_position.size(), edges = m_triangle.size();
    m_degree.resizeDiscard(vertices);
    m_degree.fillZero();
    Scratch::Scope scratch(exec);
    const View<uint32_t> first = scratch.take<uint32_t>("surface.firstNeighbor", vertices + 1);
    const View<uint32_t> neighbor = scratch.take<uint32_t>("surface.neighbor", edges);
    const View<Vec4> other = scratch.take<Vec4>("surface.smoothed", vertices);
    forEach(exec, "surface smoothing", edges, CountNeighborVertices{m_triangle.view(), m_degree.view()});
    exclusiveScan(exec, "surface smoothing", m_degree.view(), first);
    const View<uint32_t> from = scratch.take<uint32_t>("surface.edge", edges);
    forEach(exec, "surface smoothing", edges, ListDirectedEdges{m_triangle.view(), from, neighbor});
    sortPairs(exec, "surface smoothing", from, neighbor, std::bit_width(vertices));
    const View<uint32_t> part = scratch.take<uint32_t>("surface.part", m_onWalls.size());
    forEach(exec, "surface smoothing", part.size, FindWallVertices{first, neighbor, m_onWalls.view(), part});
    // positions differ by a few cells: 2⁻³⁰ of a cell is far below their rounding
    int exponent;
    std::frexp(m_grid.cell, &exponent);
    const float perUnit = std::ldexp(1.0f, 30 - exponent);
    for (int pass = 0; pass < passes; ++pass) {
        forEach(exec, "surface smoothing", vertices,
                MoveToMean{first, neighbor, part, m_position.view(), other, perUnit, kTaubinShrink});
        forEach(exec, "surface smoothing", vertices,
                MoveToMean{first, neighbor, part, other, m_position.view(), perUnit, kTaubinGrow});
        moveOntoWalls();
    }
}

void SurfaceMesher::findNormals() {
    const size_t vertices = m_position.size();
    m_sums.resizeDiscard(3 * vertices);
    m_sums.fillZero();
    m_normal.resizeDiscard(vertices);
    const FixedPointSums sums{m_sums.view(), 0x1p30f};
    forEach(exec, "surface normals", m_triangle.size() / 3,
            SumTriangleNormals{m_triangle.view(), m_position.view(), sums, m_walls, 1 / m_grid.cell});
    forEach(exec, "surface normals", vertices,
            NormalizeNormals{sums, m_position.view(), m_normal.view(), m_walls, 1 / m_grid.cell});
}

SurfaceMesh SurfaceMesher::download() const {
    SurfaceMesh mesh;
    const auto take = [](const Buffer<Vec4>& from, std::vector<Vec3>& to) {
        const std::vector<Vec4> all = from.download();
        to.resize(all.size());
        std::ranges::transform(all, to.begin(), [](Vec4 a) { return xyz(a); });
    };
    take(m_position, mesh.position);
    take(m_normal, mesh.normal);
    take(m_velocity, mesh.velocity);
    static_assert(sizeof(Triangle) == 3 * sizeof(uint32_t));
    mesh.triangle.resize(m_triangle.size() / 3);
    if (m_triangle.size() > 0)
        exec.copyToHost(mesh.triangle.data(), m_triangle.view().data, m_triangle.size() * sizeof(uint32_t));
    return mesh;
}

}  // namespace coalesce
