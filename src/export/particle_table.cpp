#include "export/particle_table.h"

#include <algorithm>
#include <numeric>

namespace coalesce {

namespace {

template <class T>
Column column(const char* name, int width, size_t rows) {
    return {name, width, std::vector<T>(rows * size_t(width))};
}

// Adds a column to a table: number(row, component).
template <class T, class Number>
void add(ParticleTable& table, const char* name, int width, Number&& number) {
    Column& c = table.columns.emplace_back(column<T>(name, width, table.particles));
    auto& numbers = std::get<std::vector<T>>(c.numbers);
    for (size_t row = 0; row < table.particles; ++row)
        for (int k = 0; k < width; ++k) numbers[row * size_t(width) + size_t(k)] = number(row, k);
}

float part(const Vec4& a, int k) {
    return k == 0 ? a.x : k == 1 ? a.y : a.z;
}

}  // namespace

const std::vector<float>& ParticleTable::floats(const char* name) const {
    return std::get<std::vector<float>>(std::ranges::find(columns, name, &Column::name)->numbers);
}
const std::vector<uint32_t>& ParticleTable::wholes(const char* name) const {
    return std::get<std::vector<uint32_t>>(std::ranges::find(columns, name, &Column::name)->numbers);
}

ParticleTable takeTable(const World& world) {
    const std::vector<Vec4> x = world.particles.x.download(), v = world.particles.v.download();
    const std::vector<uint32_t> id = world.particles.id.download(), phase = world.particles.phase.download();
    const size_t n = id.size();
    std::vector<uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return id[a] < id[b]; });

    ParticleTable table{n, world.time, world.frame, {}};
    const auto add = [&]<class T>(const char* name, int width, T, auto&& number) {
        coalesce::add<T>(table, name, width, [&](size_t row, int k) { return number(order[row], k); });
    };
    add("P", 3, 0.0f, [&](uint32_t i, int k) { return part(x[i], k); });
    add("velocity", 3, 0.0f, [&](uint32_t i, int k) { return part(v[i], k); });
    add("id", 1, 0u, [&](uint32_t i, int) { return id[i]; });
    add("material", 1, 0u, [&](uint32_t i, int) { return materialOf(phase[i]); });
    add("group", 1, 0u, [&](uint32_t i, int) { return groupOf(phase[i]); });
    add("phi", 1, 0.0f, [&](uint32_t i, int) {
        return isFluid(world.materials[materialOf(phase[i])].properties) ? v[i].w : 0.0f;
    });
    add("radius", 1, 0.0f,
        [&](uint32_t i, int) { return 0.5f * world.materials[materialOf(phase[i])].properties.spacing; });
    for (const Attribute& attribute : world.particles.attributes) {
        const char* name = attribute.info.name.c_str();
        if (const auto* number = std::get_if<Buffer<float>>(&attribute.values)) {
            const std::vector<float> values = number->download();
            add(name, 1, 0.0f, [&](uint32_t i, int) { return values[i]; });
        } else if (const auto* vector = std::get_if<Buffer<Vec4>>(&attribute.values)) {
            const std::vector<Vec4> values = vector->download();
            add(name, 3, 0.0f, [&](uint32_t i, int k) { return part(values[i], k); });
        } else {
            const std::vector<uint32_t> values = std::get<Buffer<uint32_t>>(attribute.values).download();
            add(name, 1, int32_t{0}, [&](uint32_t i, int) { return int32_t(values[i]); });
        }
    }
    return table;
}

ParticleTable takePassiveTable(const World& world) {
    const std::vector<Vec4> x = world.passive.x.download(), v = world.passive.v.download();
    const std::vector<uint32_t> id = world.passive.id.download(), tag = world.passive.tag.download();
    ParticleTable table{id.size(), world.time, world.frame, {}};
    add<float>(table, "P", 3, [&](size_t i, int k) { return part(x[i], k); });
    add<float>(table, "velocity", 3, [&](size_t i, int k) { return part(v[i], k); });
    add<uint32_t>(table, "id", 1, [&](size_t i, int) { return id[i]; });
    add<uint32_t>(table, "class", 1, [&](size_t i, int) { return uint32_t(classOf(tag[i])); });
    add<uint32_t>(table, "material", 1, [&](size_t i, int) { return materialOfTag(tag[i]); });
    add<float>(table, "age", 1, [&](size_t i, int) { return x[i].w; });
    add<float>(table, "life", 1, [&](size_t i, int) { return v[i].w; });
    add<float>(table, "radius", 1, [&](size_t i, int) {
        const MaterialProperties& p = world.materials[materialOfTag(tag[i])].properties;
        const bool marker = classOf(tag[i]) == PassiveClass::smoke;
        return marker ? p.smokeSize + p.smokeGrowth * x[i].w : foamProperties(p).size;
    });
    return table;
}

bool hasPassives(const World& world) {
    const auto makes = [](const PassiveConstants& m) { return m.makesFoam() || m.makesSmoke(); };
    return world.passive.size() > 0 || std::ranges::any_of(passiveConstants(world), makes);
}

}  // namespace coalesce
