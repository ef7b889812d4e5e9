#include "checks/measure.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "checks/cloth_state.h"
#include "checks/measures.h"
#include "checks/soft_state.h"
#include "core/disjoint_sets.h"
#include "sim/world/ball.h"

namespace coalesce {

double MeasureContext::number(const char* name, double otherwise) const {
    const auto it = check.numbers.find(name);
    return it == check.numbers.end() ? otherwise : it->second;
}
std::string MeasureContext::word(const char* name, const char* otherwise) const {
    const auto it = check.words.find(name);
    return it == check.words.end() ? otherwise : it->second;
}
std::optional<Vec3d> MeasureContext::point(const char* name) const {
    const auto it = check.points.find(name);
    return it == check.points.end() ? std::nullopt : std::optional(toDouble(it->second));
}
Region MeasureContext::region() const {
    Region region;
    region.low = point("regionMin").value_or(region.low);
    region.high = point("regionMax").value_or(region.high);
    return region;
}
double MeasureContext::spacing(const ParticleSnapshot& of, uint32_t i) const {
    return material(of, i).spacing;
}
MaterialProperties MeasureContext::material(const ParticleSnapshot& of, uint32_t i) const {
    return material(materialOf(of.phase[i]));
}
MaterialProperties MeasureContext::material(uint32_t m) const {
    // a material unknown to the scene is that of a ball thrown by the user
    return (m < scene.materials.size() ? scene.materials[m] : ballMaterial(scene.materials)).properties;
}
std::vector<uint32_t> MeasureContext::select(const std::string& group) const {
    std::vector<uint32_t> found;
    const auto meaning = GroupNames(scene).find(group);
    for (uint32_t i = 0; meaning && i < now.id.size(); ++i)
        if (meaning->has(now.phase[i])) found.push_back(i);
    return found;
}

std::set<uint32_t> MeasureContext::selectedGroups() const {
    std::set<uint32_t> groups;
    for (const uint32_t i : selected) groups.insert(groupOf(now.phase[i]));
    return groups;
}

Measured statisticOf(const MeasureContext& s, const std::vector<double>& values, const char* otherwise) {
    if (values.empty()) return {};
    const std::string statistic = s.word("statistic", otherwise);
    if (statistic == "min") return *std::min_element(values.begin(), values.end());
    if (statistic == "max") return *std::max_element(values.begin(), values.end());
    return std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
}

std::optional<uint32_t> findId(const ParticleSnapshot& in, uint32_t id) {
    const auto it = std::lower_bound(in.id.begin(), in.id.end(), id);
    if (it == in.id.end() || *it != id) return {};
    return uint32_t(it - in.id.begin());
}

std::vector<uint32_t> sameAt(const ParticleSnapshot& other, const ParticleSnapshot& now,
                             const std::vector<uint32_t>& selected) {
    std::vector<uint32_t> found;
    for (const uint32_t i : selected)
        if (const auto there = findId(other, now.id[i])) found.push_back(*there);
    return found;
}

bool isOfClass(uint32_t tag, const std::string& name) {
    return name == "any" || name == kPassiveClassNames[static_cast<size_t>(classOf(tag))];
}

std::vector<uint32_t> connectedParts(const std::vector<Vec3d>& points, double reach) {
    DisjointSets parts(points.size());
    HashGrid(points, reach).forEachPair([&](uint32_t i, uint32_t j, double) { parts.join(i, j); });
    std::vector<uint32_t> part;
    parts.number(part);
    return part;
}

double kernelOf(double h, double r2) {
    const double a = h - std::sqrt(r2);
    return a > 0 ? 15 / (std::numbers::pi * std::pow(h, 6)) * a * a * a : 0;
}

double latticeVolume(double d, double h, bool planar) {
    const int n = int(std::ceil(h / d)), deep = planar ? 0 : n;
    double sum = 0;
    for (int i = -n; i <= n; ++i)
        for (int j = -n; j <= n; ++j)
            for (int k = -deep; k <= deep; ++k) sum += kernelOf(h, d * d * (i * i + j * j + k * k));
    return 1 / sum;
}

// Mass [kg] of an inner particle: a cube of a lattice, a square of a grid, a segment of a round rope.
static double restMass(const MaterialProperties& m, bool planar) {
    const double d = m.spacing;
    if (m.kind == MaterialKind::cloth) return m.areaDensity * d * d;
    if (m.kind == MaterialKind::rope) return m.density * std::numbers::pi / 4 * d * d * d;
    return particleMass(m, planar);
}

ParticleSnapshot takeSnapshot(World& world) {
    const std::vector<Vec4> x = world.particles.x.download(), v = world.particles.v.download();
    const std::vector<uint32_t> id = world.particles.id.download(), phase = world.particles.phase.download();
    std::vector<uint32_t> order(id.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return id[a] < id[b]; });
    std::vector<double> pinnedMass;  // mass of a pinned particle by its material
    for (const Material& material : world.materials)
        pinnedMass.push_back(restMass(material.properties, world.parameters.solver.planar));
    ParticleSnapshot s;
    s.time = world.time;
    s.id.reserve(id.size()), s.phase.reserve(id.size()), s.x.reserve(id.size()), s.v.reserve(id.size()),
        s.mass.reserve(id.size()), s.pull.reserve(id.size());
    for (const uint32_t i : order) {
        s.id.push_back(id[i]);
        s.phase.push_back(phase[i]);
        s.x.push_back({x[i].x, x[i].y, x[i].z});
        s.v.push_back({v[i].x, v[i].y, v[i].z});
        s.mass.push_back(x[i].w > 0 ? 1.0 / x[i].w : pinnedMass[materialOf(phase[i])]);
        s.held.push_back(x[i].w == 0);
        s.pull.push_back(toDouble(world.materials[materialOf(phase[i])].properties.gravityScale *
                                  world.parameters.world.gravity));
    }
    for (const Attribute& attribute : world.particles.attributes) {
        const std::vector<AttributeValue> values = download(attribute);
        std::vector<AttributeValue>& sorted = s.attributes.emplace_back();
        sorted.reserve(order.size());
        for (const uint32_t i : order) sorted.push_back(values[i]);
    }
    s.shapes = world.shapes;
    s.reports = world.shapeReports;
    s.globalStep = world.globalStep;
    s.strainViscosity = world.strainViscosity;
    s.convergence = world.convergence;
    s.emitters = world.spawning.emitters;
    s.removedBySink = world.spawning.removedBySink;
    s.births = world.particlesAdded, s.deaths = world.particlesRemoved;
    for (const Vec4& x : world.passive.x.download()) s.passive.push_back({x.x, x.y, x.z});
    s.passiveTags = world.passive.tag.download();
    s.passiveIds = world.passive.id.download();
    s.passiveCounters = world.passiveCounters;
    s.megabytes = double(world.exec.allocatedBytes()) / 1e6;
    s.soft = readSoftState(world);
    s.cloth = readClothState(world);
    s.bytesPerParticle = id.empty() ? 0 : double(world.exec.peakBytes()) / double(id.size());
    return s;
}

// Keeps only the particles that still exist.
static void dropRemoved(ParticleSnapshot& start, const ParticleSnapshot& now) {
    size_t kept = 0, j = 0;
    for (size_t i = 0; i < start.id.size(); ++i) {
        while (j < now.id.size() && now.id[j] < start.id[i]) ++j;
        if (j == now.id.size() || now.id[j] != start.id[i]) continue;
        const auto move = [&](auto& array) {
            if (i < array.size()) array[kept] = array[i];
        };
        move(start.id), move(start.phase), move(start.x), move(start.v), move(start.mass), move(start.pull),
            move(start.form), move(start.held);
        for (auto& attribute : start.attributes) move(attribute);
        ++kept;
    }
    const auto cut = [&](auto& array) { array.resize(std::min(array.size(), kept)); };
    cut(start.id), cut(start.phase), cut(start.x), cut(start.v), cut(start.mass), cut(start.pull),
        cut(start.form), cut(start.held);
    for (auto& attribute : start.attributes) cut(attribute);
}

void addSpawned(ParticleSnapshot& start, const ParticleSnapshot& now) {
    if (start.id.size() > 2 * now.id.size() + 1024) dropRemoved(start, now);
    // ids grow and are never used twice
    const auto first =
        start.id.empty() ? now.id.begin() : std::upper_bound(now.id.begin(), now.id.end(), start.id.back());
    start.attributes.resize(now.attributes.size());
    for (auto i = size_t(first - now.id.begin()); i < now.id.size(); ++i) {
        start.id.push_back(now.id[i]);
        start.phase.push_back(now.phase[i]);
        start.x.push_back(now.x[i]);
        start.v.push_back(now.v[i]);
        start.mass.push_back(now.mass[i]);
        if (i < now.held.size()) start.held.push_back(now.held[i]);
        if (i < now.pull.size()) start.pull.push_back(now.pull[i]);
        for (size_t c = 0; c < now.attributes.size(); ++c)
            start.attributes[c].push_back(now.attributes[c][i]);
    }
}

std::optional<double> measure(const Scene& scene, const Check& check, const ParticleSnapshot& now,
                              const ParticleSnapshot& start, const std::vector<uint32_t>& selected,
                              MeasureState& state) {
    const CheckKind* kind = findCheckKind(check.kind);
    if (!kind || kind->relatesCases() || (selected.empty() && !kind->allowsEmptyGroup)) return {};
    const MeasureContext context{scene, check, now, start, selected, state};
    std::optional<double> value = kind->value(context);
    if (value && !selected.empty() && context.word("unit", "") == "d") *value /= context.spacing(selected[0]);
    return value;
}

}  // namespace coalesce
