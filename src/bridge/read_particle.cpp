#include "bridge/read_particle.h"

#include "core/for_each.h"
#include "kernels/draw/debug_line.h"

namespace coalesce {

namespace {

template <class T>
T read(Exec& exec, View<const T> view, uint32_t slot) {
    T value{};
    exec.copyToHost(&value, view.data + slot, sizeof value);
    return value;
}

std::vector<double> numbersOf(float a) {
    return {a};
}
std::vector<double> numbersOf(uint32_t a) {
    return {double(a)};
}
std::vector<double> numbersOf(const Vec4& a) {
    return {a.x, a.y, a.z, a.w};
}

}  // namespace

std::optional<ParticleFacts> readParticle(World& world, Solver& solver, uint32_t id) {
    Exec& exec = world.exec;
    if (world.count() > 0 && solver.neighborCounts().size != world.count() &&
        solver.contactLists().count.size != world.count())
        solver.findNeighbors();
    const ParticleArrays& p = world.particles;
    Buffer<uint32_t> found(exec);
    const uint32_t none = kNoSlot;
    found.upload({&none, 1});
    forEach(exec, "find selected", int64_t(world.count()), FindSlot{p.id.view(), id, found.view()});
    ParticleFacts facts;
    facts.id = id, facts.slot = found.download()[0];
    if (facts.slot == kNoSlot) return {};

    const Vec4 x = read<Vec4>(exec, p.x.view(), facts.slot), v = read<Vec4>(exec, p.v.view(), facts.slot);
    const auto phase = read<uint32_t>(exec, p.phase.view(), facts.slot);
    facts.material = materialOf(phase), facts.group = groupOf(phase);
    if (facts.group < world.groups.size()) facts.body = world.groups[facts.group].body;
    facts.x = xyz(x), facts.v = xyz(v);
    facts.mass = x.w > 0 ? 1 / x.w : 0;
    facts.asleep = phase & kAsleep, facts.frozen = phase & kFrozen;
    facts.age = world.spawnRecord.ageOf(id, world.time);
    const MaterialProperties& material = world.materials[facts.material].properties;
    if (isFluid(material)) {
        facts.density = v.w * material.density;
        if (const View<const float> sums = solver.lambdaSums(); sums.size == world.count())
            facts.pressure =
                -double{read<float>(exec, sums, facts.slot)} * solver.pressureScales()[facts.material];
    }

    // neighbors and contacts
    if (const View<const int> counts = solver.neighborCounts(); counts.size > facts.slot)
        facts.neighbors = read<int>(exec, counts, facts.slot);
    Buffer<MaterialConstants> materials(exec);
    materials.upload(materialConstants(world));
    Buffer<int32_t> touched(exec, 2);
    touched.fillZero();
    const Contacts contacts = solver.shapeContacts();
    forEach(exec, "count contacts of one particle", 1,
            CountContactsOf{{p.x.view(), p.phase.view(), materials.view(), solver.contactLists()},
                            contacts,
                            int(facts.slot),
                            touched.view()});
    const std::vector<int32_t> numbers = touched.download();
    facts.touching = numbers[0], facts.planes = numbers[1];

    forEachArray(p, [&]<class T>(const Buffer<T>& array, const ArrayInfo& info) {
        facts.arrays.push_back({info.name, info.unit, numbersOf(read<T>(exec, array.view(), facts.slot))});
    });
    // attributes come last among the arrays; they are reported with their name and unit instead
    facts.arrays.resize(facts.arrays.size() - p.attributes.size());
    for (const Attribute& attribute : p.attributes)
        std::visit(
            [&]<class T>(const Buffer<T>& values) {
                const AttributeValue value = valueOf(read<T>(exec, values.view(), facts.slot));
                const size_t size = attribute.info.type == AttributeType::vector ? 3 : 1;
                facts.attributes.push_back(
                    {attribute.info.name, attribute.info.unit, {value.begin(), value.begin() + size}});
            },
            attribute.values);
    return facts;
}

}  // namespace coalesce
