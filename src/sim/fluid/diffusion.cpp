#include "sim/fluid/diffusion.h"

#include <algorithm>
#include <cmath>

#include "core/for_each.h"
#include "core/scratch.h"
#include "kernels/fluid/attribute_diffusion.h"

namespace coalesce {

namespace {

bool diffusesIn(const World& world, const AttributeInfo& info, size_t material) {
    const Material& m = world.materials[material];
    return info.diffusivity > 0 && isFluid(m.properties) &&
           (info.materials.empty() || std::ranges::find(info.materials, m.name) != info.materials.end());
}

// Σ_k −∇W·x/|x|² of a filled lattice of spacing d [1/m⁵], in a plane or in space
double filledSlope(double d, double h, bool planar) {
    const int reach = int(std::ceil(h / d));
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
    return std::max(1, int(std::ceil(std::min(2 * exchanged, 1e9))));
}

void Diffusion::diffuse(const StepContext& step) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    std::vector<Attribute>& attributes = world.particles.attributes;
    if (!device.summary.hasFluid) return;
    const size_t materials = device.materials.host().size();
    std::vector<float> table(attributes.size() * materials, 0);
    std::vector<int> passes(attributes.size(), 0);
    for (size_t a = 0; a < attributes.size(); ++a)
        for (size_t m = 0; m < materials; ++m) {
            const AttributeInfo& info = attributes[a].info;
            if (!diffusesIn(world, info, m)) continue;
            const MaterialConstants& liquid = device.materials.host()[m];
            const int wanted =
                diffusionPasses(liquid, info.diffusivity, step.dt, world.parameters.solver.planar);
            const int made = std::min(wanted, kMostDiffusionPasses);
            const float diffusivity = info.diffusivity * float(made) / float(wanted);
            table[a * materials + m] = diffusivity * liquid.gradientScale;
            passes[a] = std::max(passes[a], made);
        }
    if (std::ranges::all_of(passes, [](int n) { return n == 0; })) return;
    m_table.set(std::move(table));

    const size_t n = world.count();
    const ParticleArrays& p = world.particles;
    Scratch::Scope scratch(exec);
    const View<Vec4> traits = scratch.take<Vec4>("diffusion.traits", n);
    for (size_t a = 0; a < attributes.size(); ++a) {
        if (passes[a] == 0) continue;
        forEach(exec, "diffusion traits", n,
                GatherDiffusivity{p.phase.view(), device.materials.view(),
                                  m_table.view().subview(a * materials, materials), traits});
        const auto diffuseValues = [&]<class T>(Buffer<T>& values, Buffer<T>& spare) {
            for (int pass = 0; pass < passes[a]; ++pass) {
                spare.resizeDiscard(n);
                forEach(exec, "diffusion", n,
                        Diffuse<T>{.x = p.x.view(),
                                   .traits = traits,
                                   .neighbors = step.neighbors.lists(),
                                   .value = values.view(),
                                   .valueNew = spare.view(),
                                   .dt = step.dt / float(passes[a])});
                values.swap(spare);
            }
        };
        if (auto* number = std::get_if<Buffer<float>>(&attributes[a].values))
            diffuseValues(*number, m_number);
        if (auto* vector = std::get_if<Buffer<Vec4>>(&attributes[a].values)) diffuseValues(*vector, m_vector);
    }
}

}  // namespace coalesce
