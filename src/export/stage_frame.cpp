#include "export/stage_frame.h"

namespace coalesce {

StageFrame takeStageFrame(const World& world, const std::vector<StageCamera>& cameras) {
    StageFrame f{.table = takeTable(world),
                 .passives = takePassiveTable(world),
                 .materials = world.materials,
                 .groups = world.groups,
                 .bodies = world.bodies,
                 .poses = world.solids.pose.download(),
                 .clusterRest = world.solids.clusterRestCenter.download(),
                 .triangles = world.solids.triangles.download(),
                 .springs = world.solids.springs.download(),
                 .shapes = world.shapes,
                 .attributes = {},
                 .cameras = cameras,
                 .surfaces = {},
                 .liquidPoints = true};
    for (Shape& shape : f.shapes) {
        const Pose pose = poseAt(shape, world.time);
        shape.position = pose.position, shape.rotation = pose.rotation;
    }
    for (const Attribute& attribute : world.particles.attributes) f.attributes.push_back(attribute.info);
    return f;
}

bool isMeshed(const StageFrame& f, const SolidBody& body) {
    const MaterialProperties& p = f.materials[f.groups[body.group].material].properties;
    if (p.kind == MaterialKind::cloth || p.kind == MaterialKind::rope) return true;
    return body.skin && !isLoose(p);
}

}  // namespace coalesce
