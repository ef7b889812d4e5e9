#include "sim/surface/liquid_meshes.h"

#include "core/for_each.h"
#include "core/primitives.h"
#include "core/scratch.h"
#include "sim/surface/liquid_walls.h"

namespace coalesce {

std::vector<LiquidMesh> LiquidMesher::build(const World& world, const SurfaceOptions& options) {
    std::vector<LiquidMesh> all;
    for (uint32_t m = 0; m < world.materials.size(); ++m)
        if (world.materials[m].properties.kind == MaterialKind::fluid)
            all.push_back(buildOne(world, m, options));
    return all;
}

// Meshes the particles of a liquid, and returns their slots in the memory given.
View<const uint32_t> LiquidMesher::meshSelected(const World& world, uint32_t material,
                                                const SurfaceOptions& options, View<uint32_t> slots) {
    const ParticleArrays& p = world.particles;
    const size_t n = world.count();
    Scratch::Scope scratch(exec);
    const View<uint32_t> keep = scratch.take<uint32_t>("liquid.keep", n);
    const View<uint32_t> count = scratch.take<uint32_t>("liquid.count", 1);
    forEach(exec, "select liquid", n, SelectMaterial{p.phase.view(), keep, material});
    compact(exec, "select liquid", keep, slots, count);
    uint32_t found = 0;
    exec.copyToHost(&found, count.data, sizeof found);
    const View<const uint32_t> own = slots.subview(0, found);
    const View<Vec4> x = scratch.take<Vec4>("liquid.x", found);
    const View<Vec4> v = scratch.take<Vec4>("liquid.v", found);
    const View<uint32_t> id = scratch.take<uint32_t>("liquid.id", found);
    gather<Vec4>(exec, "select liquid", p.x.view(), own, x);
    gather<Vec4>(exec, "select liquid", p.v.view(), own, v);
    gather<uint32_t>(exec, "select liquid", p.id.view(), own, id);
    m_mesher.build({x, v, id, world.materials[material].properties.spacing}, options,
                   wallsOf(world, material));
    return own;
}

void LiquidMesher::mesh(const World& world, uint32_t material, const SurfaceOptions& options) {
    Scratch::Scope scratch(exec);
    meshSelected(world, material, options, scratch.take<uint32_t>("liquid.slots", world.count()));
}

LiquidMesh LiquidMesher::buildOne(const World& world, uint32_t material, const SurfaceOptions& options) {
    const double d = world.materials[material].properties.spacing;
    LiquidMesh made{.material = world.materials[material].name, .mesh = {}, .attributes = {}};
    Scratch::Scope scratch(exec);
    const View<const uint32_t> own =
        meshSelected(world, material, options, scratch.take<uint32_t>("liquid.slots", world.count()));
    made.particles = own.size;
    made.volume = double(own.size) * d * d * d;
    made.mesh = m_mesher.download();
    takeAttributes(world, own, made);
    return made;
}

void LiquidMesher::takeAttributes(const World& world, View<const uint32_t> slots, LiquidMesh& to) {
    const size_t vertices = to.mesh.position.size();
    if (vertices == 0) return;
    const auto sample = [&]<class T>(const Buffer<T>& carried) {
        Scratch::Scope scratch(exec);
        const View<T> own = scratch.take<T>("liquid.attribute", slots.size);
        Buffer<T> value(exec, vertices);
        gather<T>(exec, "select liquid", carried.view(), slots, own);
        m_mesher.interpolate(own, value.view());
        return value.download();
    };
    for (const Attribute& a : world.particles.attributes) {
        if (const auto* numbers = std::get_if<Buffer<float>>(&a.values))
            to.attributes.push_back({a.info.name, 1, sample(*numbers)});
        if (const auto* vectors = std::get_if<Buffer<Vec4>>(&a.values)) {
            VertexAttribute made{a.info.name, 3, {}};
            for (const Vec4 f : sample(*vectors)) made.values.insert(made.values.end(), {f.x, f.y, f.z});
            to.attributes.push_back(made);
        }
    }
}

}  // namespace coalesce
