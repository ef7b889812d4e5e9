// What a stage needs of a world, in host memory.
#pragma once

#include <string>
#include <vector>

#include "export/particle_table.h"
#include "sim/surface/liquid_meshes.h"

namespace coalesce {

struct StageCamera {
    std::string name;
    Vec3 eye{}, look{};            // [m]
    float fov = 45;                // vertical [deg]
    float orthographicHeight = 0;  // [m]; 0: perspective
    Vec3 up{0, 1, 0};              // of its image, not along the line of sight
    bool zooms = false;            // whether fov, height or projection change in the film
};

struct StageFrame {
    ParticleTable table, passives;
    std::vector<Material> materials;
    std::vector<Group> groups;
    std::vector<SolidBody> bodies;
    std::vector<ClusterPose> poses;
    std::vector<Vec4> clusterRest;
    std::vector<ClothTriangle> triangles;
    std::vector<DistanceConstraint> springs;
    std::vector<Shape> shapes;  // at their present poses
    std::vector<AttributeInfo> attributes;
    std::vector<StageCamera> cameras;
    std::vector<LiquidMesh> surfaces;  // of the liquids, where they are wanted
    bool liquidPoints = true;          // whether liquids are points, too
};
StageFrame takeStageFrame(const World& world, const std::vector<StageCamera>& cameras);
// Whether a body is drawn by a mesh or curve of its own, not by its particles.
bool isMeshed(const StageFrame& frame, const SolidBody& body);

}  // namespace coalesce
