#include "sim/fluid/diffusion.h"

#include <algorithm>
#include <cmath>

#include "core/for_each.h"
#include "core/scratch.h"
#include "kernels/fluid/attribute_diffusion.h"

namespace coalesce {

namespace {

bool takesPart(const AttributeInfo& info, const World& world, size_t material) {
    const Material& m = world.materials[material];
    return info.diffusivity > 0 && m.properties.kind == MaterialKind::fluid &&
           (info.materials.empty() || std::ranges::find(info.materials, m.name) != info.materials.end());
}

// Σ_k −∇W·x/|x|² of a filled lattice of spacing d [1/m⁵], in a plane or in space
double filledSlope(double d, double h, bool planar) {
    const int reach = static_cast<int>(std::ceil(h / d));
    double sum = 0;
    for (int z = planar ? 0 : -reach; z <= (planar ? 0 : reach); ++z)
        for (int y = -reach; y <= reach; ++y)
            for (int x = -reach; x <= reach; ++x) {
                const double r = d * std::sqrt(x * x + y * y + z * z);
                if (r > 0 && r < h) sum += 45 / (double{kPi} * std::pow(h, 6)) * (h - r) * (h - r) / r;
            }
    return sum;
}

}  // namespace

int diffusionPasses(const MaterialConstants& liquid, double diffusivity, double dt, bool planar) {
    const double exchanged = 2 * diffusivity * dt * liquid.gradientScale * liquid.volume *
                             filledSlope(liquid.spacing, liquid.support, planar);
    return std::max(1, static_cast<int>(std::ceil(std::min(2 * exchanged, 1e9))));
}

void Diffusion::spread(World& world, DeviceWorld& device, const Neighbors& neighbors, float dt) {
    std::vector<Attribute>& attributes = world.particles.attributes;
    if (!device.hasFluid) return;
    const size_t materials = device.hostMaterials.size();
    std::vector<float> table(attributes.size() * materials, 0);
    std::vector<int> passes(attributes.size(), 0);
    for (size_t c = 0; c < attributes.size(); ++c)
        for (size_t m = 0; m < materials; ++m) {
            if (!takesPart(attributes[c].info, world, m)) continue;
            const MaterialConstants& liquid = device.hostMaterials[m];
            const int wanted =
                diffusionPasses(liquid, attributes[c].info.diffusivity, dt, world.parameters.solver.planar);
            const int made = std::min(wanted, kMostDiffusionPasses);
            const float diffusivity =
                attributes[c].info.diffusivity * static_cast<float>(made) / static_cast<float>(wanted);
            table[c * materials + m] = diffusivity * liquid.gradientScale;
            passes[c] = std::max(passes[c], made);
        }
    if (std::ranges::all_of(passes, [](int n) { return n == 0; })) return;
    if (table != m_uploaded) m_table.upload(table), m_uploaded = table;

    const size_t n = world.count();
    const ParticleArrays& p = world.particles;
    Scratch::Scope scratch(world.exec);
    const View<Vec4> traits = scratch.take<Vec4>("diffusion.traits", n);
    for (size_t c = 0; c < attributes.size(); ++c) {
        if (passes[c] == 0) continue;
        forEach(world.exec, "gather diffusivity", static_cast<int64_t>(n),
                GatherDiffusivity{p.phase.view(), device.materials.view(),
                                  m_table.view().part(c * materials, materials), traits});
        const auto resizeDiscard = [&]<class T>(Buffer<T>& values, Buffer<T>& spare) {
            for (int pass = 0; pass < passes[c]; ++pass) {
                spare.resizeDiscard(n);
                forEach(world.exec, "diffuse", static_cast<int64_t>(n),
                        Diffuse<T>{.x = p.x.view(),
                                   .traits = traits,
                                   .neighbors = neighbors.lists(),
                                   .value = values.view(),
                                   .renewed = spare.view(),
                                   .dt = dt / static_cast<float>(passes[c])});
                values.swap(spare);
            }
        };
        if (auto* number = std::get_if<Buffer<float>>(&attributes[c].values))
            resizeDiscard(*number, m_number);
        if (auto* vector = std::get_if<Buffer<Vec4>>(&attributes[c].values)) resizeDiscard(*vector, m_vector);
    }
}

}  // namespace coalesce
