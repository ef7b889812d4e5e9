// Advances a World. One Solver belongs to one World.
#pragma once

#include <memory>

#include "kernels/contact/contact_planes.h"
#include "kernels/search/neighbor_lists.h"
#include "sim/world/status.h"
#include "sim/world/world.h"

namespace coalesce {

struct Stages;
struct StateImage;
struct StepContext;

class Solver {
public:
    explicit Solver(World& world);
    ~Solver();

    // One frame of `solver.substeps` substeps. Overflow under policy grow enlarges the lists and redoes the
    // frame; policy fail throws Exit::Simulation. A frame that throws leaves the world as it was before its substeps: what it has
    // spawned stays, and is not spawned again when the frame is repeated.
    Status step();

    // Neighbors within the support of liquids, as of the last substep; in a world without liquids:
    // contactLists(). Slots of the current storage order. Empty before the first step or findNeighbors.
    NeighborLists neighborLists() const;
    // Pairs that may touch; empty in a world of liquids only.
    NeighborLists contactLists() const;
    View<const int> neighborCounts() const { return neighborLists().count; }
    // The planes of shapes that each particle may touch, of the same substep.
    Contacts shapeContacts() const;
    // Edge length of the cells of the neighbor grid [m], as of the last search.
    float cellSize() const;
    // Finds neighbors and contacts at the current positions, for drawing and measuring a state that no step
    // has made. Changes the storage order, and no result.
    void findNeighbors();
    // Births, motion and deaths of passive particles during the frame that ends now, without simulating
    // anything else: from those of the world, as of the frame before. They are those of the run bit for bit, also from
    // velocities as a cache keeps them, if the frame before was shown to beginPassives, and except where liquids have
    // foamMass. Without it the start of the frame follows from its end and the velocities.
    void beginPassives();
    void advancePassives();
    // To be called when the state of the world was replaced by one that is only drawn or measured: drops the
    // neighbor lists of the old one. A run that goes on from a replaced state needs a new solver.
    void stateReplaced();

    // The state, and in a section "solver" the arrays that the stages share; also in the middle of a
    // frame, for comparisons launch by launch. Particles are in storage order.
    StateImage captureArrays() const;

    // Peak device memory of this world and solver per particle [B].
    double bytesPerParticle() const;

    // Enables or disables the sums of λ of the density constraint, from which pressures are computed.
    void watchPressure(bool on = true);
    bool watchesPressure() const;
    // Σλ of each particle in the last substep, on the device, by slot; 0 for what is not liquid. Empty before
    // the first watched frame. The pressure is p = −Σλ · scale of the material [Pa]; its mean over a frame or
    // more is steadier. See SumLambda.
    View<const float> lambdaSums() const;
    std::vector<float> pressureScales() const;  // g / (dt² cell) [1/(m³ s²)] by material

private:
    void solveFrame(double dt, Status& status);
    void findNeighbors(const StepContext& step);

    World& m_world;
    std::unique_ptr<Stages> m_stages;
    std::optional<double> m_passivesFrom;  // [s] see beginPassives
};

}  // namespace coalesce
