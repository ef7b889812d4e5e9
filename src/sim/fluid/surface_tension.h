// Surface tension and adhesion of liquids: kernels of pairwise_tension.h. Costs nothing where no material has
// either.
#pragma once

#include "sim/contact/shape_contacts.h"
#include "sim/stage/neighbors.h"
#include "sim/stage/step_context.h"

namespace coalesce {

class SurfaceTension : Stage {
public:
    using Stage::Stage;

    // Once per substep, at x*: forces between particles; repeats the prediction.
    void applyForces(const StepContext& step);
    // Adhesion to shapes, once the contact planes are known.
    void applyShapeAdhesion(const StepContext& step, ShapeContacts& shapes);
};

}  // namespace coalesce
