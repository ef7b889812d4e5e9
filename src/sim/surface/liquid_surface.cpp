#include "sim/surface/liquid_surface.h"

namespace coalesce {

void LiquidSurface::update(const World& world, const SurfaceOptions& options) {
    m_parts.clear();
    for (Buffer<Vec4>* list : {&m_position, &m_normal}) list->resize(0);
    m_index.resize(0);
    const auto append = [this]<class T>(Buffer<T>& to, View<const T> more) {
        const size_t before = to.size();
        to.resize(before + more.size);
        exec.copyWithin(to.view().data + before, more.data, more.size * sizeof(T));
    };
    for (uint32_t m = 0; m < world.materials.size(); ++m) {
        if (world.materials[m].properties.kind != MaterialKind::fluid) continue;
        m_mesher.mesh(world, m, options);
        const SurfaceMesher& made = m_mesher.surface();
        if (made.triangles().size == 0) continue;
        m_parts.push_back(
            {m, uint32_t(m_position.size()), uint32_t(m_index.size()), uint32_t(made.triangles().size)});
        append(m_position, made.position());
        append(m_normal, made.normal());
        append(m_index, made.triangles());
    }
}

}  // namespace coalesce
