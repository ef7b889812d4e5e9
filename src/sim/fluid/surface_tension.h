// Surface tension and adhesion of liquids. Nothing is done, or costs, where no material has either.
#pragma once

#include "sim/contact/shape_contacts.h"
#include "sim/stage/device_world.h"
#include "sim/stage/neighbors.h"

namespace coalesce {

class SurfaceTension {
public:
    // once per substep, at x*: what particles do to each other
    void pull(World& world, DeviceWorld& device, const Neighbors& neighbors, float dt);
    // what shapes do, once their planes are known
    void adhere(World& world, DeviceWorld& device, ShapeContacts& shapes, int substep, float dt);
};

}  // namespace coalesce
