#include <algorithm>

#include "core/error.h"
#include "export/vdb_file.h"

namespace coalesce {

VolumeFrame takeVolumeFrame(const World& world, const SurfaceOptions& options, bool onlyPassives) {
    VolumeFrame made{world.frame, world.time, {}, {}, 0};
    float finest = 0;
    bool any = false;
    for (const Material& m : world.materials) {
        const bool liquid = m.properties.kind == MaterialKind::fluid;
        any |= liquid && !onlyPassives;
        if (finest == 0 || (liquid && m.properties.spacing < finest)) finest = m.properties.spacing;
    }
    if (hasPassives(world)) made.passives = takePassiveTable(world);
    if (!any && made.passives.columns.empty())
        fail(Exit::Usage, "--export vdb", "the scene has no liquid, spray, foam, bubbles or smoke",
             "Export grains and bodies as ply, vtp or usd.");
    made.fogVoxel = options.cell * finest;
    if (onlyPassives) return made;
    for (LiquidMesh& liquid : LiquidMesher(world.exec).build(world, options)) {
        const auto material = std::ranges::find(world.materials, liquid.material, &Material::name);
        made.liquids.push_back({std::move(liquid), options.cell * material->properties.spacing});
    }
    return made;
}

}  // namespace coalesce
