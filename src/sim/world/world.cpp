#include "sim/world/world.h"

#include <algorithm>

#include "core/for_each.h"
#include "core/primitives.h"
#include "core/scratch.h"
#include "kernels/motion/crossing_time.h"

namespace coalesce {

namespace {

struct MarkSurvivors {
    View<const uint32_t> id;
    View<const uint32_t> gone;  // ascending
    View<uint32_t> keep;        // written
    HD void operator()(int i) const {
        uint32_t low = 0, count = uint32_t(gone.size);
        while (count > 0) {
            const uint32_t half = count / 2;
            const bool right = gone[low + half] < id[i];
            low = right ? low + half + 1 : low;
            count = right ? count - half - 1 : half;
        }
        keep[i] = !(low < gone.size && gone[low] == id[i]);
    }
};

}  // namespace

// ids are 32 bits; the last ones are no particle's
static constexpr size_t kMostIds = 0xfff00000u;

World::World(Exec& e)
    : exec(e),
      solids(e),
      particles{
#define ARRAY(T, name, unit, role, about) Buffer<T>(e),
#include "sim/world/particles.def"
          {}},
      passive{
#define ARRAY(T, name, unit, about) Buffer<T>(e),
#include "sim/world/passive_particles.def"
      } {
}

size_t World::stateBytesPerParticle() {
    return 0
#define ARRAY(T, name, unit, role, about) +(ArrayRole::role == ArrayRole::Optional ? 0 : sizeof(T))
#include "sim/world/particles.def"
        ;
}

void World::addAttribute(const AttributeInfo& info) {
    for (const Attribute& other : particles.attributes)
        if (other.info.name == info.name)
            fail(Exit::Scene, fmt::format("attribute '{}'", info.name), "the name is already taken",
                 "Attribute names must be unique.");
    if (!fits(info.type, info.initial))
        fail(Exit::Scene, fmt::format("attribute '{}'", info.name), "its default is out of range",
             "Numbers must be finite; integers have 32 bits.");
    Attribute& attribute = particles.attributes.emplace_back(exec, info);
    std::visit(
        [&]<class T>(Buffer<T>& values) { values.upload(std::vector<T>(count(), stored<T>(info.initial))); },
        attribute.values);
}

void World::addParticles(std::span<const ParticleDef> spawned) {
    for (size_t k = 0; k < spawned.size(); ++k) {
        const ParticleDef& b = spawned[k];
        const std::string where = fmt::format("particle {} of {} to be added", k, spawned.size());
        if (b.material >= materials.size())
            fail(Exit::Scene, where, fmt::format("material {} does not exist", b.material),
                 fmt::format("The world has {} materials.", materials.size()));
        if (b.group >= kMaxGroups)
            fail(Exit::Scene, where, fmt::format("group {} is out of range", b.group),
                 fmt::format("There can be {} groups.", kMaxGroups));
        if (b.group < groups.size() && groups[b.group].body != Group::kNoBody)
            fail(Exit::Scene, where,
                 fmt::format("group {} is the solid body '{}'", b.group, groups[b.group].name),
                 "Add solid bodies as a whole, with addBodies.");
        if (!isFinite(b.x) || !isFinite(b.v) || !isFinite(b.inverseMass))
            fail(Exit::Scene, where, "position, velocity or mass is not a finite number",
                 "Check the body it comes from.");
        CHECK(b.values.empty() || b.values.size() == particles.attributes.size());
        for (size_t c = 0; c < b.values.size(); ++c)
            if (const AttributeInfo& info = particles.attributes[c].info; !fits(info.type, b.values[c]))
                fail(Exit::Scene, where,
                     fmt::format("its value of the attribute '{}' is out of range", info.name),
                     "Numbers must be finite; integers have 32 bits.");
    }
    size_t ids = spawned.size();
    for (const ParticleDef& b : spawned) ids += b.reserved;
    if (ids > kMostIds - std::min(kMostIds, size_t{nextId}))
        fail(Exit::Simulation, fmt::format("frame {}", frame),
             fmt::format("{} particles were added in this run, and there are no ids for {} more: there are "
                         "{} ids, and none "
                         "is reused",
                         nextId, ids, kMostIds),
             "Emit less, or for a shorter time.");

    spawnRecord.stamp(time, nextId);
    std::vector<float> inverseMass(materials.size(),
                                   0);  // of the materials whose particles do not say theirs
    const auto inverseMassOf = [&](const ParticleDef& b) {
        if (b.inverseMass >= 0) return b.inverseMass;
        float& known = inverseMass[b.material];
        if (known == 0) {
            const MaterialProperties& m = materials[b.material].properties;
            known = materialConstants(m, parameters.solver.planar, 0,
                                      inertialDensity(m, materials, parameters.fluid.massRatio))
                        .inverseMass;
        }
        return known;
    };
    std::vector<Vec4> x, v;
    std::vector<uint32_t> id, phase;
    for (const ParticleDef& b : spawned) {
        crossingTime = std::min(crossingTime, crossingTimeOf(b.v, materials[b.material].properties.spacing));
        x.push_back(vec4(b.x, inverseMassOf(b)));
        v.push_back(vec4(b.v, isFluid(materials[b.material].properties) ? 1.0f : 0.0f));
        id.push_back(nextId);
        nextId += 1 + b.reserved;
        phase.push_back(makePhase(b.material, b.group));
        groupsNamed = std::max(groupsNamed, b.group + 1);
    }
    const size_t before = count();
    if (before > 0 && before + spawned.size() > particles.id.capacity())
        forEachArray(particles, [&](auto& array, const ArrayInfo&) {
            array.reserve((before + spawned.size()) * 3 / 2);
        });
    particles.x.append(x);
    particles.v.append(v);
    particles.id.append(id);
    particles.phase.append(phase);
    if (particles.slip.size() > 0) particles.slip.append(std::vector<Vec4>(spawned.size()));
    for (size_t c = 0; c < particles.attributes.size(); ++c) {
        Attribute& attribute = particles.attributes[c];
        std::visit(
            [&]<class T>(Buffer<T>& values) {
                std::vector<T> host;
                host.reserve(spawned.size());
                for (const ParticleDef& b : spawned)
                    host.push_back(stored<T>(b.values.empty() ? attribute.info.initial : b.values[c]));
                values.append(host);
            },
            attribute.values);
    }
    particlesAdded += spawned.size();
}

size_t World::removeParticles(std::span<const uint32_t> ids) {
    if (ids.empty() || count() == 0) return 0;
    std::vector<uint32_t> sorted(ids.begin(), ids.end());
    std::sort(sorted.begin(), sorted.end());
    Buffer<uint32_t> gone(exec);
    gone.upload(sorted);

    const size_t n = count();
    Scratch::Scope scratch(exec);
    const View<uint32_t> keep = scratch.take<uint32_t>("world.keep", n);
    const View<uint32_t> survivors = scratch.take<uint32_t>("world.survivors", n);
    Buffer<uint32_t> left(exec, 1);
    forEach(exec, "mark survivors", int64_t(n), MarkSurvivors{particles.id.view(), gone.view(), keep});
    compact(exec, "find survivors", keep, survivors, left.view());
    const size_t remaining = left.download()[0];
    keepParticles(survivors.subview(0, remaining));
    return n - remaining;
}

void World::keepParticles(View<const uint32_t> survivors) {
    const size_t remaining = survivors.size;
    CHECK_LE(remaining, count());
    particlesRemoved += count() - remaining;
    forEachArray(particles, [&]<class T>(Buffer<T>& array, const ArrayInfo&) {
        Scratch::Scope scratch(exec);
        const View<T> kept = scratch.take<T>("world.kept", remaining);
        gather<T>(exec, "keep survivors", array.view(), survivors, kept);
        exec.copyWithin(array.view().data, kept.data, remaining * sizeof(T));
        array.resize(remaining);
        array.shrink(remaining);
    });
}

// Particles of a body that touch at rest have no contacts with each other: shape matching keeps them apart.
// Elastic bodies: 2% beyond the contact distance, as neighbors in a lattice touch at rest up to rounding.
// Plastic bodies: below it, because without contacts particles of a flowing rest shape collapse to one point.
// Melted bodies have no rest shape and rely on contacts alone.
static float restReach(const MaterialProperties& m) {
    if (isLoose(m)) return 0;
    // across the diagonal of a cell: cloth must be able to crumple between neighbors
    if (isSprung(m)) return 1.5f * 1.5f;
    return m.plasticYield > 0 && m.plasticCreep > 0 ? 0.96f : 1.02f;
}

std::vector<MaterialConstants> materialConstants(const World& world, double dt) {
    std::vector<MaterialConstants> constants;
    const float massRatio = world.parameters.fluid.massRatio;
    for (const Material& material : world.materials) {
        const MaterialProperties& p = material.properties;
        MaterialConstants m = materialConstants(p, world.parameters.solver.planar, dt,
                                                inertialDensity(p, world.materials, massRatio));
        m.virtualMass = hasVirtualMass(p, world.materials, massRatio);
        m.forceFieldMask = fieldsOnMaterial(world, material.name);
        constants.push_back(m);
    }
    return constants;
}

std::vector<GroupConstants> groupConstants(const World& world) {
    std::vector<GroupConstants> groups;
    for (const Group& group : world.groups) {
        GroupConstants g{};
        if (group.body != Group::kNoBody) {
            g.rowOffset = world.bodies[group.body].firstRow - group.first;
            g.solid = 1;
            g.volume = world.bodies[group.body].volume;
            g.selfCollide = uint8_t(group.selfCollide);
            g.restReach = restReach(world.materials[group.material].properties);
        }
        g.collisionMask = uint8_t(group.collisionMask);
        g.forceFieldMask = fieldsOnGroup(world, group.name);
        groups.push_back(g);
    }
    if (groups.size() < world.groupsNamed) groups.resize(world.groupsNamed);
    return groups;
}

}  // namespace coalesce
