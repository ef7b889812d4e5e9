// Quantities of the groups and shapes of a world, for expressions and cameras.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "geometry/math/vec3d.h"
#include "scene/build/groups.h"
#include "scene/format/scene.h"
#include "scene/timeline/expression.h"

namespace coalesce {

// Of one state of a world: particles are downloaded at the first question. Sums are of integers, so that they
// do not depend on the order in which particles are stored.
class Measurements {
public:
    Measurements(const GroupNames& names, const World& world) : m_names(names), m_world(world) {}

    // Mean position of the particles of a group, or position of a shape [m]; nullopt: no particles.
    std::optional<Vec3d> centerOf(const std::string& name);
    // 0 where there are no particles.
    double valueOf(const MeasureCall& call);

private:
    struct Sums {
        double count = 0;
        Vec3d center = Vec3d::Zero(), velocity = Vec3d::Zero();  // [m], [m/s] means
        double top = 0;                                          // [m]
    };
    const Sums& sumsOf(const std::string& name);

    const GroupNames& m_names;
    const World& m_world;
    bool m_downloaded = false;
    std::vector<Vec4> m_x, m_v;
    std::vector<uint32_t> m_phase;
    std::map<std::string, Sums> m_sums;
};

}  // namespace coalesce
