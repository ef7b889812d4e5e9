#include "sim/contact/contact_traits.h"

#include "core/for_each.h"

namespace coalesce {

void ContactTraits::gather(const StepContext& step, float scaling, bool positional) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    const size_t n = world.count();
    const Parameters::Contacts& contacts = world.parameters.contacts;
    m_traits.resizeDiscard(n);
    m_inverseMass.resizeDiscard(n);
    forEach(exec, "contact traits", n,
            GatherContactTraits{.xStar = device.xStar.view(),
                                .v = world.particles.v.view(),
                                .phase = world.particles.phase.view(),
                                .materials = device.materials.view(),
                                .pairs = step.neighbors.pairs().count,
                                .traits = m_traits.view(),
                                .inverseMass = m_inverseMass.view(),
                                .particleFriction = contacts.particleFriction,
                                .fluidFriction = contacts.fluidFriction,
                                .fluidDistance = contacts.fluidDistance,
                                .scaling = scaling,
                                .positional = positional});
}

}  // namespace coalesce
