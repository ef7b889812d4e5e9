// The density of liquids as a velocity constraint: kernels of density_impulse.h.
#pragma once

#include "kernels/velocity/pass.h"
#include "sim/contact/shape_contacts.h"
#include "sim/fluid/density.h"

namespace coalesce {

class DensityImpulses : Stage {
public:
    using Stage::Stage;

    // Once per pass, at the positions of the pass: density errors, effective masses, walls. The biased pass
    // starts without impulses, the others go on with those of the pass before.
    void prepare(const StepContext& step, const DensityConstraint& density, ShapeContacts& shapes,
                 VelocityPass pass);
    // One iteration.
    void solve(const StepContext& step, const DensityConstraint& density, VelocityPass pass);
    // After each pass: what the liquid has pressed on shapes in it.
    void sumPressureOnShapes(const StepContext& step, const ShapeContacts& shapes);
    // After all passes: adds the pressure to the impulses of the shapes, and reports it as Σλ.
    void report(const StepContext& step, DensityConstraint& density, ShapeContacts& shapes);

    // μ of each particle in this substep [kg m²/s]
    View<const float> impulses() const { return m_impulse.view(); }

private:
    Buffer<float> m_impulse{exec};
    Buffer<float> m_counted{exec};   // impulses that m_pressures holds
    Buffer<Vec3> m_pressures{exec};  // by contact: P dt [kg m]
    Buffer<Vec4> m_setup{exec};
    Buffer<Vec4> m_change{exec};
    Buffer<float> m_closing{exec};
};

}  // namespace coalesce
