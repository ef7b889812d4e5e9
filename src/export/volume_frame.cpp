#include <algorithm>
#include <fmt/format.h>

#include "core/error.h"
#include "export/vdb_file.h"

namespace coalesce {

// Grids of a file have different names: fogs are called after the
// classes of passive particles, velocities end so.
static bool isNameOfOtherGrid(const std::string& name) {
    return name == "spray" || name == "foam" || name == "bubbles" || name == "smoke" ||
           name.ends_with("velocity");
}

VolumeFrame takeVolumeFrame(const World& world, const SurfaceOptions& options, bool onlyPassives) {
    VolumeFrame made{world.frame, world.time, {}, {}, 0};
    float finest = 0, other = 0;  // [m] spacings of liquids, and of what else makes smoke
    bool any = false;
    for (const Material& m : world.materials) {
        const bool liquid = m.properties.kind == MaterialKind::fluid;
        any |= liquid && !onlyPassives;
        float& least = liquid ? finest : other;
        if (least == 0 || m.properties.spacing < least) least = m.properties.spacing;
    }
    if (finest == 0) finest = other;
    if (hasPassives(world)) made.passives = takePassiveTable(world);
    if (!any && made.passives.columns.empty())
        fail(Exit::Usage, "--export vdb", "the scene has no liquid, spray, foam, bubbles or smoke",
             "Export grains and bodies as ply, vtp or usd.");
    made.fogVoxel = options.cell * finest;
    if (onlyPassives) return made;
    for (const Material& m : world.materials)
        if (m.properties.kind == MaterialKind::fluid && isNameOfOtherGrid(m.name))
            fail(Exit::Usage, "--export vdb",
                 fmt::format("the liquid \"{}\" has the name of a grid of fog or velocity", m.name),
                 "Rename the material: its level set has its name.");
    for (LiquidMesh& liquid : LiquidMesher(world.exec).build(world, options)) {
        const auto material = std::ranges::find(world.materials, liquid.material, &Material::name);
        made.liquids.push_back({std::move(liquid), options.cell * material->properties.spacing});
    }
    return made;
}

}  // namespace coalesce
