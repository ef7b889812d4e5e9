#include "view/tools/particle_readout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/counted.h"
#include "view/widgets/format.h"

namespace coalesce {

namespace {

std::string withUnit(const std::string& number, const std::string& unit) {
    return unit.empty() || unit == "-" ? number : number + " " + unit;
}

std::string triple(Vec3 a, const char* unit) {
    return withUnit(fmt::format("{:.4g}, {:.4g}, {:.4g}", a.x, a.y, a.z), unit);
}

// The fourth component of a vector has a meaning and a unit of its own: the inverse mass, the density.
std::string listOf(const std::vector<double>& numbers, const std::string& unit) {
    const size_t own = numbers.size() == 4 && !unit.empty() && unit != "-" ? 3 : numbers.size();
    std::string list;
    for (size_t k = 0; k < own; ++k) list += fmt::format("{}{:.5g}", k == 0 ? "" : ", ", numbers[k]);
    list = withUnit(list, unit);
    return own < numbers.size() ? list + fmt::format("\nw {:.5g}", numbers[own]) : list;
}

}  // namespace

void ParticleReadout::follow(std::optional<uint32_t> id) {
    m_id = id;
    m_facts.reset();
    m_removed = false;
}

void ParticleReadout::read(World& world, Solver& solver) {
    if (!m_id) return;
    std::optional<ParticleFacts> now = readParticle(world, solver, *m_id);
    m_removed = !now;
    if (now) m_facts = std::move(now);
}

std::vector<ParticleReadout::Line> ParticleReadout::lines(const World& world) const {
    std::vector<Line> out;
    if (!m_facts) return out;
    const ParticleFacts& f = *m_facts;
    const auto add = [&](const char* name, std::string value) {
        out.push_back({"", name, std::move(value)});
    };
    add("id", fmt::format("{}", f.id));
    if (f.material < world.materials.size()) add("material", world.materials[f.material].name);
    add("group", f.group < world.groups.size() ? world.groups[f.group].name : fmt::format("{}", f.group));
    if (f.body != Group::kNoBody) add("body", fmt::format("{}", f.body));
    add("position", triple(f.x, "m"));
    add("velocity", triple(f.v, "m/s"));
    add("speed", fmt::format("{:.4g} m/s", length(f.v)));
    if (f.density) add("density", fmt::format("{:.5g} kg/m^3", *f.density));
    if (f.pressure) add("pressure", fmt::format("{:.4g} Pa", *f.pressure));
    add("neighbors", fmt::format("{}", f.neighbors));
    add("contacts", counted(size_t(f.touching), "particle") + ", " + counted(size_t(f.planes), "plane"));
    add("mass", f.mass > 0 ? fmt::format("{:.4g} kg", f.mass) : std::string("pinned"));
    add("age", fmt::format("{:.3f} s", f.age));
    if (f.asleep) add("state", "asleep");
    if (f.frozen) add("state", "frozen: its values were not finite");
    for (const ParticleFacts::Value& value : f.attributes)
        out.push_back({"attributes", value.name, listOf(value.numbers, value.unit)});
    for (const ParticleFacts::Value& value : f.arrays)
        out.push_back({"arrays", value.name, listOf(value.numbers, value.unit)});
    return out;
}

}  // namespace coalesce
