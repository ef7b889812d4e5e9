// Force fields of a world: properties, affected materials and groups, constants for kernels.
#pragma once

#include <string>
#include <vector>

#include "kernels/motion/force_field.h"
#include "sim/world/parameters.h"

namespace coalesce {

struct World;

struct ForceField {
    std::string name;
    ForceFieldProperties properties;
    std::vector<std::string> actsOn;  // materials and bodies; empty: everything
};

// Constants of the enabled fields at time t [s].
std::vector<ForceFieldConstants> fieldConstants(const World& world, double t);

// Bit masks of the fields that act on all of a material, and on a group by its name. Copies of a body are
// named "body.3".
uint32_t fieldsOnMaterial(const World& world, const std::string& material);
uint32_t fieldsOnGroup(const World& world, const std::string& group);

}  // namespace coalesce
