// Channels that diffuse in liquids.
#pragma once

#include "sim/stage/device_world.h"
#include "sim/stage/neighbors.h"

namespace coalesce {

class Diffusion {
public:
    explicit Diffusion(Exec& exec) : m_table(exec), m_number(exec), m_vector(exec) {}

    // once per substep, when the particles are where they end
    void spread(World& world, DeviceWorld& device, const Neighbors& neighbors, float dt);

private:
    std::vector<float> m_uploaded;  // what m_table holds
    Buffer<float> m_table;          // [m²/s] by channel and material
    Buffer<float> m_number;         // exchanged with the channel that is renewed
    Buffer<Vec4> m_vector;
};

// Passes in which a channel of the diffusivity D [m²/s] spreads through a liquid in a substep of dt [s]: an
// explicit step is stable, and makes no value larger or smaller than those around it, as long as no more than
// a half of a particle's content is exchanged.
// No more than kMostDiffusionPasses are made: beyond, it spreads more slowly.
constexpr int kMostDiffusionPasses = 100;
int diffusionPasses(const MaterialConstants& liquid, double diffusivity, double dt, bool planar);

}  // namespace coalesce
