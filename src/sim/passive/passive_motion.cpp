#include "sim/passive/passive_motion.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/for_each.h"
#include "core/primitives.h"
#include "core/scratch.h"
#include "kernels/passive/advection.h"
#include "kernels/passive/cloth_barrier.h"
#include "sim/stage/cell_table.h"
#include "sim/stage/row_index.h"

namespace coalesce {

namespace {

// Whether the scene has liquids and gases, so that passive particles must tell them apart.
bool hasBoth(const World& world) {
    const auto is = [&](MaterialKind kind) {
        return std::ranges::any_of(world.materials,
                                   [&](const Material& m) { return m.properties.kind == kind; });
    };
    return is(MaterialKind::fluid) && is(MaterialKind::gas);
}

FluidSamples samplesOf(const StepContext& step) {
    const ParticleArrays& p = step.world.particles;
    return {p.x.view(), p.v.view(), 0.5f * step.dt};
}

// Sorts the particles by cell. The result lies in `scratch`. foams: liquids make foam.
FluidGrid sortFluid(const StepContext& step, bool foams, Scratch::Scope& scratch) {
    Exec& exec = step.world.exec;
    const DeviceWorld& device = step.device;
    const ParticleArrays& p = step.world.particles;
    const size_t n = step.world.count();
    if (n == 0 || !device.summary.hasFluid) return {};
    const FluidSamples samples = samplesOf(step);
    const CellKeyLayout& plan = device.capacity.keys;
    const float inverseCell = 1 / Neighbors::cellSize(step.world, device.summary);

    const View<uint32_t> order = scratch.take<uint32_t>("passive.order", n);
    const View<uint64_t> cellKey = scratch.take<uint64_t>("passive.cellKey", n);
    const View<uint32_t> cellStart = scratch.take<uint32_t>("passive.cellStart", n + 1);
    const View<uint32_t> cellCount = scratch.take<uint32_t>("passive.cellCount", 1);
    {
        Scratch::Scope inner(exec);
        const View<uint64_t> keys = inner.take<uint64_t>("passive.keys", n);
        const View<uint32_t> cellOf = inner.take<uint32_t>("passive.cellOf", n);
        forEach(exec, "sort fluid", n, MakePointKeys{samples, keys, order, plan, inverseCell});
        sortPairs(exec, "sort fluid", keys, order, plan.keyBits());
        runLengthEncode(exec, "sort fluid", keys, cellOf, cellKey, cellStart, cellCount);
    }
    // fewer buckets of keys than in Neighbors::build: a group of points looks up nine rows
    const KeyBuckets buckets = KeyBuckets::plan(plan.keyBits(), n / 2);
    const CellTable cells = makeCellTable(exec, "sort fluid", cellKey, cellStart, cellCount.data, buckets,
                                          scratch.take<uint32_t>("passive.buckets", buckets.count + 1));
    const auto take = [&](const char* name) { return scratch.take<float>(name, n + kLanes); };
    const SortFluid sorted{
        .samples = samples,
        .phase = p.phase.view(),
        .materials = device.materials.view(),
        .order = order,
        .x = take("passive.x"),
        .y = take("passive.y"),
        .z = take("passive.z"),
        .xOfAll = scratch.take<float>("passive.xOfAll", foams && device.summary.hasSolids ? n + kLanes : 0),
        .v = scratch.take<Vec4>("passive.v", n),
        .isGas = scratch.take<int32_t>("passive.isGas", hasBoth(step.world) ? n : 0)};
    forEach(exec, "sort fluid", n, sorted);
    return {.x = sorted.x,
            .y = sorted.y,
            .z = sorted.z,
            .xOfAll = sorted.xOfAll,
            .v = sorted.v,
            .isGas = sorted.isGas,
            .source = order,
            .cells = cells,
            .plan = plan,
            .inverseCell = inverseCell};
}

// [kg] of the heaviest foam and bubbles; 0: none acts on the liquid
float foamMass(const StepContext& step, const std::vector<PassiveConstants>& materials) {
    if (!step.device.summary.hasFluid || materials.empty()) return 0;
    return std::ranges::max(materials, {}, &PassiveConstants::mass).mass;
}

bool makesFoam(const StepContext& step, const std::vector<PassiveConstants>& materials) {
    return step.device.summary.hasFluid && std::ranges::any_of(materials, &PassiveConstants::makesFoam);
}

}  // namespace

void PassiveMotion::beginFrame(World& world, const DeviceWorld& device) {
    m_knowsClothStart = world.passive.size() > 0 && world.solids.triangles.size() > 0;
    if (!m_knowsClothStart) return;
    m_clothStart.resizeDiscard(world.solids.rows());
    indexRows(world, device);
    forEach(exec, "gather cloth", world.solids.rows(),
            GatherRows{world.solids.slotOf.view(), world.particles.x.view(), m_clothStart.view()});
}

// x, v: at the end of the frame, changed.
void PassiveMotion::keepOffCloth(const StepContext& step, float frameLength, View<Vec4> x, View<Vec4> v) {
    World& world = step.world;
    const SolidTables& solids = world.solids;
    const size_t triangles = solids.triangles.size(), rows = solids.rows();
    if (triangles == 0) return;
    Scratch::Scope scratch(exec);
    const View<Vec4> end = scratch.take<Vec4>("passive.clothEnd", rows);
    indexRows(world, step.device);
    forEach(exec, "gather cloth", rows, GatherRows{solids.slotOf.view(), world.particles.x.view(), end});
    // of a single state, as in a cache, the start of the frame is not known
    if (!m_knowsClothStart) {
        m_clothStart.resizeDiscard(rows);
        forEach(exec, "move cloth back", rows,
                MoveRowsBack{solids.slotOf.view(), world.particles.v.view(), end, m_clothStart.view(),
                             frameLength});
    }
    m_knowsClothStart = false;
    KeepOffCloth keepOff{.cloth = {solids.triangles.view(), m_clothStart.view(), end},
                         .bounds = {},
                         .x = world.passive.x.view(),
                         .tag = world.passive.tag.view(),
                         .materials = m_materials.view(),
                         .xNew = x,
                         .vNew = v,
                         .dt = frameLength};
    size_t below = triangles;
    for (int level = 0; level < kBoundLevels; ++level) {
        const View<Bounds> nodes =
            scratch.take<Bounds>("passive.clothBounds", (below + kBoundTogether - 1) / kBoundTogether);
        if (level == 0)
            forEach(exec, "bound cloth", nodes.size, BoundTriangles{keepOff.cloth, nodes});
        else
            forEach(exec, "bound cloth", nodes.size, BoundNodes{keepOff.bounds[level - 1], nodes});
        keepOff.bounds[level] = nodes;
        below = nodes.size;
    }
    forEach(exec, "keep passive particles off cloth", world.passive.size(), keepOff);
}

// Number of particles that each liquid particle makes in this frame.
void PassiveMotion::countBirths(const StepContext& step, const DensityConstraint& density, FluidGrid grid,
                                const std::vector<PassiveConstants>& materials, float frameLength,
                                View<uint32_t> births) {
    const World& world = step.world;
    const ParticleArrays& p = world.particles;
    float leastEnergy = std::numeric_limits<float>::max();
    bool usesVorticity = false;
    for (const PassiveConstants& m : materials) {
        if (m.makesFoam()) leastEnergy = std::min(leastEnergy, m.leastEnergy);
        usesVorticity |= m.vorticity > 0;
    }
    Scratch::Scope scratch(exec);
    const size_t n = world.count();
    const View<Vec4> potential = scratch.take<Vec4>("passive.potential", n);
    const View<float> swirl = scratch.take<float>("passive.swirl", usesVorticity ? n : 0);
    if (grid.xOfAll.size > 0) grid.x = grid.xOfAll;
    const float widest = step.device.summary.maxSupport;
    density.withPairs(step, [&]<class Pairs>(const Pairs& pairs) {
        constexpr bool kUniform = isUniform<Pairs>;
        forEach(exec, "potentials of foam", n,
                FindFoamPotentials<kUniform>{grid, pairs, widest, potential, swirl, leastEnergy});
        forEach(exec, "normals of foam", n,
                FindSurfaceNormals{.grid = grid,
                                   .phase = p.phase.view(),
                                   .materials = step.device.materials.view(),
                                   .groups = step.device.groups.view(),
                                   .shapes = step.device.shapes.of(step.substep),
                                   .potential = potential,
                                   .wallShare = world.parameters.fluid.wallDensity,
                                   .planar = world.parameters.solver.planar});
        forEach(exec, "count births", n,
                CountBirths<kUniform>{.grid = grid,
                                      .id = p.id.view(),
                                      .phase = p.phase.view(),
                                      .potential = potential,
                                      .swirl = swirl,
                                      .pairs = pairs,
                                      .widest = widest,
                                      .materials = m_materials.view(),
                                      .births = births,
                                      .most = mostBirths(n),
                                      .dt = frameLength,
                                      .frame = uint32_t(world.frame)});
    });
}

void PassiveMotion::exchangeDrag(const StepContext& step, const DragPartners& foam, View<Vec4> around,
                                 float frameLength, FixedPointSums momentum, float perKilogram) {
    const PassiveArrays& passive = step.world.passive;
    Scratch::Scope scratch(exec);
    const View<int64_t> load = scratch.take<int64_t>("passive.load", step.world.count());
    exec.fillBytes(load, 0);
    exec.fillBytes(momentum.sums, 0);
    forEach(exec, "drag of foam on the liquid", passive.size(), SpreadFoamMass{foam, load, perKilogram});
    forEach(exec, "drag of foam on the liquid", passive.size(),
            ExchangeDrag{.foam = foam,
                         .x = step.world.particles.x.view(),
                         .load = load,
                         .v = passive.v.view(),
                         .aroundNew = around,
                         .momentum = momentum,
                         .perKilogram = perKilogram,
                         .gravity = step.world.parameters.world.gravity,
                         .dt = frameLength,
                         .planar = step.world.parameters.solver.planar});
}

void PassiveMotion::advance(const StepContext& step, const DensityConstraint& density, Reaction reaction) {
    World& world = step.world;
    const std::vector<PassiveConstants> materials = passiveConstants(world);
    const bool foams = makesFoam(step, materials);
    const bool makesSmoke = std::ranges::any_of(materials, &PassiveConstants::makesSmoke);
    const bool makes = foams || makesSmoke;
    const size_t before = world.passive.size();
    m_counters = world.passiveCounters;
    m_counters.seen = world.nextId;
    if (makesSmoke) m_counters.smoked = 1;
    m_changed = makes || before > 0;
    const View<float> smokeless = viewOf<float>(world.particles.attributes, kSmokeless);
    if (!m_changed && smokeless.size == 0) return;
    m_materials.upload(materials);
    const float frameLength = step.dt * float(step.substeps);
    const ParticleArrays& p = world.particles;

    // births
    Scratch::Scope scratch(exec);
    const size_t makers = makes ? world.count() : 0;
    const View<uint32_t> foam = scratch.take<uint32_t>("passive.foam", foams ? makers : 0);
    // without markers these are all births
    const View<uint32_t> births = makesSmoke ? scratch.take<uint32_t>("passive.births", makers) : foam;
    const View<uint32_t> firstBirth = scratch.take<uint32_t>("passive.firstBirth", makers + 1);
    const FluidGrid grid = foams || before > 0 ? sortFluid(step, foams, scratch) : FluidGrid{};
    if (foams) countBirths(step, density, grid, materials, frameLength, foam);
    forEach(exec, "count births", makesSmoke ? makers : 0,
            CountMarkers{.id = p.id.view(),
                         .phase = p.phase.view(),
                         .materials = m_materials.view(),
                         .foam = foam,
                         .births = births,
                         .newFrom = uint32_t(world.passiveCounters.seen),
                         .most = mostBirths(makers),
                         .dt = frameLength,
                         .frame = uint32_t(world.frame)});
    exclusiveScan(exec, "count births", births, firstBirth);

    // motion and death
    const View<Vec4> x = scratch.take<Vec4>("passive.moved", before);
    const View<Vec4> v = scratch.take<Vec4>("passive.velocity", before);
    const View<uint32_t> tag = scratch.take<uint32_t>("passive.tag", before);
    const View<uint32_t> keep = scratch.take<uint32_t>("passive.keep", before);
    const View<uint32_t> survivors = scratch.take<uint32_t>("passive.survivors", before);
    const View<uint32_t> nearSmoke = scratch.take<uint32_t>("passive.nearSmoke", smokeless.size);
    exec.fillBytes(nearSmoke, 0);
    // Units of the sums of drag: some 2⁻³⁶ of the mass of the heaviest foam, so that they hold 6·10⁷ m/s of it.
    const float heaviest = reaction == Reaction::applied && before > 0 ? foamMass(step, materials) : 0.0f;
    const bool reacts = heaviest > 1e-20f;  // [kg] of less the units have no float
    const float perKilogram = reacts ? std::ldexp(1.0f, 36 - std::ilogb(heaviest)) : 1.0f;
    const FixedPointSums momentum{scratch.take<int64_t>("passive.momentum", reacts ? 3 * world.count() : 0),
                                  perKilogram};
    if (before > 0) {
        Scratch::Scope motion(exec);
        const View<uint32_t> order = motion.take<uint32_t>("passive.byCell", before);
        const View<Vec4> point = motion.take<Vec4>("passive.point", before);
        const View<Vec4> around = motion.take<Vec4>("passive.around", before);
        const View<float> weightSum = motion.take<float>("passive.weightSum", reacts ? before : 0);
        {
            Scratch::Scope inner(exec);
            const View<uint64_t> keys = inner.take<uint64_t>("passive.keys", before);
            forEach(exec, "sort passive particles", before,
                    PlacePassive{.x = world.passive.x.view(),
                                 .v = world.passive.v.view(),
                                 .tag = world.passive.tag.view(),
                                 .materials = m_materials.view(),
                                 .point = point,
                                 .key = keys,
                                 .order = order,
                                 .plan = grid.plan,
                                 .inverseCell = grid.inverseCell,
                                 .half = 0.5f * frameLength});
            sortPairs(exec, "sort passive particles", keys, order, grid.plan.keyBits());
        }
        forEach(exec, "fluid around passive particles", before,
                FindFluidAround{grid, order, point, nearSmoke, around, weightSum});
        const ShapeSet shapes = step.device.shapes.of(step.substep);
        forEach(exec, "shapes around passive particles", before,
                DiscountShapes{world.passive.x.view(), world.passive.tag.view(), m_materials.view(), shapes,
                               around, world.parameters.solver.planar});
        if (reacts)
            exchangeDrag(
                step, {grid, order, point, around, weightSum, world.passive.tag.view(), m_materials.view()},
                around, frameLength, momentum, perKilogram);
        const float change = kFullWeight * frameLength / kBlendTime;
        forEach(exec, "move passive particles", before,
                MovePassive{.around = around,
                            .materials = m_materials.view(),
                            .fields = {step.device.forceFields.view(), frameLength},
                            .shapes = shapes,
                            .x = world.passive.x.view(),
                            .v = world.passive.v.view(),
                            .tag = world.passive.tag.view(),
                            .xNew = x,
                            .vNew = v,
                            .tagNew = tag,
                            .keep = keep,
                            .gravity = world.parameters.world.gravity,
                            .dt = frameLength,
                            .maxSpeed = world.parameters.solver.maxSpeed,
                            .maxChange = int(std::clamp(change + 0.5f, 1.0f, float(kFullWeight))),
                            .planar = world.parameters.solver.planar});
    }
    if (before > 0) keepOffCloth(step, frameLength, x, v);
    // of a state that has been simulated the times are there
    forEach(exec, "age gas without smoke", reaction == Reaction::applied ? smokeless.size : 0,
            AgeSmokeless{.phase = p.phase.view(),
                         .nearSmoke = nearSmoke,
                         .materials = step.device.materials.view(),
                         .smokeless = smokeless,
                         .dt = frameLength});
    if (!m_changed) return;

    // the only read-back: how many there are
    Buffer<uint32_t> counts(exec, 2);
    compact(exec, "find survivors", keep, survivors, counts.view().subview(0, 1));
    exec.copyWithin(counts.view().data + 1, firstBirth.data + makers, sizeof(uint32_t));
    const std::vector<uint32_t> found = counts.download();
    const size_t alive = found[0], born = found[1];

    // the oldest make room
    const size_t capacity = size_t(world.parameters.passive.capacity);
    const size_t written = std::min(born, capacity), kept = std::min(alive, capacity - written);
    m_counters.expired += before - alive;
    m_counters.displaced += alive - kept + born - written;
    if (m_counters.born + born > 0xffffffffu)
        fail(Exit::Simulation, fmt::format("frame {}", world.frame),
             "there are no ids left for more spray, foam and bubbles: none is reused",
             "Make less of them, or run for a shorter time.");
    forEachPassiveArray(m_next, [&](auto& array, const char*) { array.resizeDiscard(kept + written); });
    const View<const uint32_t> from = survivors.subview(alive - kept, kept);
    gather<Vec4>(exec, "keep survivors", x, from, m_next.x.view().subview(0, kept));
    gather<Vec4>(exec, "keep survivors", v, from, m_next.v.view().subview(0, kept));
    gather<uint32_t>(exec, "keep survivors", world.passive.id.view(), from,
                     m_next.id.view().subview(0, kept));
    gather<uint32_t>(exec, "keep survivors", tag, from, m_next.tag.view().subview(0, kept));
    if (written > 0)
        forEach(exec, "write births", makers,
                WriteBirths{.samples = samplesOf(step),
                            .id = p.id.view(),
                            .phase = p.phase.view(),
                            .grid = grid,
                            .foam = foam,
                            .first = firstBirth,
                            .materials = m_materials.view(),
                            .xNew = m_next.x.view(),
                            .vNew = m_next.v.view(),
                            .idNew = m_next.id.view(),
                            .tagNew = m_next.tag.view(),
                            .skip = uint32_t(born - written),
                            .at = uint32_t(kept),
                            .firstId = uint32_t(m_counters.born),
                            .dt = frameLength,
                            .frame = uint32_t(world.frame),
                            .planar = world.parameters.solver.planar});
    m_counters.born += born;

    // after the births, whose places follow from the velocities of the frame
    if (reacts)
        forEach(exec, "drag of foam on the liquid", world.count(),
                ApplyDragReaction{p.x.view(), p.phase.view(), momentum, world.particles.v.view()});
}

void PassiveMotion::commit(World& world) {
    world.passiveCounters = m_counters;
    if (!m_changed) return;
    world.passive.x.swap(m_next.x);
    world.passive.v.swap(m_next.v);
    world.passive.id.swap(m_next.id);
    world.passive.tag.swap(m_next.tag);
}

}  // namespace coalesce
