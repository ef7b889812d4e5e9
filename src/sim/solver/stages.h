// All stages of the solver and the data that they share. Internal to sim/solver: each method calls these
// stages in its own order.
#pragma once

#include "sim/cloth/aerodynamics.h"
#include "sim/cloth/bending.h"
#include "sim/cloth/distance_constraints.h"
#include "sim/cloth/tearing.h"
#include "sim/cloth/volume_constraints.h"
#include "sim/contact/particle_contacts.h"
#include "sim/contact/round_body_contacts.h"
#include "sim/contact/shape_contacts.h"
#include "sim/fluid/density.h"
#include "sim/fluid/density_error.h"
#include "sim/fluid/diffusion.h"
#include "sim/fluid/gas.h"
#include "sim/fluid/surface_tension.h"
#include "sim/fluid/viscosity.h"
#include "sim/interaction/mouse_constraints.h"
#include "sim/passive/passive_motion.h"
#include "sim/projective/coupled_rows.h"
#include "sim/projective/density_rows.h"
#include "sim/projective/objective.h"
#include "sim/solid/shape_matching.h"
#include "sim/spawn/spawner.h"
#include "sim/stage/deforming_shapes.h"
#include "sim/stage/integration.h"
#include "sim/stage/neighbors.h"
#include "sim/state/frame_backup.h"
#include "sim/velocity/contact_impulses.h"
#include "sim/velocity/density_impulses.h"
#include "sim/velocity/splashes.h"
#include "sim/velocity/velocity_integration.h"

namespace coalesce {

struct Stages : Stage {
    using Stage::Stage;

    DeviceWorld device{exec};
    FrameBackup backup{exec};

    // once per frame
    DeformingShapes deformingShapes;
    Spawner spawner{exec};
    Tearing tearing{exec};
    PassiveMotion passive{exec};

    // once per substep
    MouseConstraints mouse{exec};
    Integration integration{exec};
    Aerodynamics air{exec};
    Neighbors neighbors{exec};
    SurfaceTension tension{exec};
    Viscosity viscosity{exec};
    Diffusion diffusion{exec};
    Gas gas{exec};
    DensityError densityError{exec};

    // constraints
    DensityConstraint density{exec};
    ShapeMatching bodies{exec};
    DistanceConstraints springs{exec};
    DihedralBending bending{exec};
    VolumeConstraints volumes{exec};
    ParticleContacts particleContacts{exec};
    ShapeContacts shapeContacts{exec};
    RoundBodyContacts roundContacts{exec};

    // projective dynamics
    DensityRows densityRows{exec};
    CoupledRows coupledRows{exec};
    Objective objective{exec};

    // of the method velocity; splashes are also cleared after a change of the method
    Splashes splashes{exec};
    DensityImpulses densityImpulses{exec};
    ContactImpulses contactImpulses{exec};
    VelocityIntegration velocityIntegration{exec};
};

}  // namespace coalesce
