// What stands behind the kinds of checks: one function for each, by subject. check_kinds.cpp names them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checks/measure.h"
#include "scene/build/groups.h"

namespace coalesce {

struct Region {
    Vec3d low{-1e300, -1e300, -1e300}, high{1e300, 1e300, 1e300};
    bool has(const Vec3d& p) const {
        for (int k = 0; k < 3; ++k)
            if (!(p[k] >= low[k] && p[k] <= high[k])) return false;
        return true;
    }
};

// All that a measure looks at.
struct MeasureContext {
    const Scene& scene;
    const Check& check;
    const Snapshot& now;
    const Snapshot& start;
    const std::vector<uint32_t>& selected;  // indices into `now`; not empty
    MeasureState& state;

    double number(const char* name, double otherwise) const;
    std::string word(const char* name, const char* otherwise) const;
    std::optional<Vec3d> point(const char* name) const;
    int axis(const char* otherwise = "x") const { return word("axis", otherwise)[0] - 'x'; }
    Region region() const;
    double spacing(const Snapshot& of, uint32_t i) const;
    double spacing(uint32_t i) const { return spacing(now, i); }
    MaterialProperties material(const Snapshot& of, uint32_t i) const;
    // The particles of a body or material in `now`.
    std::vector<uint32_t> select(const std::string& group) const;
};

// The same particles in another snapshot, by their ids; those that are not there are left out.
std::vector<uint32_t> sameAt(const Snapshot& other, const Snapshot& now,
                             const std::vector<uint32_t>& selected);
// Where the particle of this id is in a snapshot.
std::optional<uint32_t> findId(const Snapshot& in, uint32_t id);
// Number of the connected part that each point belongs to; points nearer than `reach` are connected.
std::vector<uint32_t> connectedParts(const std::vector<Vec3d>& points, double reach);

using Measured = std::optional<double>;  // empty: nothing to measure yet

namespace measures {

// measures_fluid.cpp
Measured densityError(const MeasureContext& s);
Measured level(const MeasureContext& s);
Measured splash(const MeasureContext& s);
Measured front(const MeasureContext& s);
Measured arrival(const MeasureContext& s);
Measured submerged(const MeasureContext& s);
Measured flow(const MeasureContext& s);
Measured flowVariation(const MeasureContext& s);

// measures_group.cpp: where the particles of a group are, and how they move
Measured height(const MeasureContext& s);
Measured width(const MeasureContext& s);
Measured angle(const MeasureContext& s);
Measured aspect(const MeasureContext& s);
Measured center(const MeasureContext& s);
Measured spread(const MeasureContext& s);
Measured spacing(const MeasureContext& s);
Measured components(const MeasureContext& s);
Measured contains(const MeasureContext& s);
Measured outside(const MeasureContext& s);
Measured crossings(const MeasureContext& s);
Measured rise(const MeasureContext& s);
Measured rest(const MeasureContext& s);
Measured speed(const MeasureContext& s);
Measured order(const MeasureContext& s);
Measured touched(const MeasureContext& s);

// measures_attributes.cpp: what particles carry
Measured attribute(const MeasureContext& s);

// measures_path.cpp: of a path over time
Measured drift(const MeasureContext& s);
Measured slide(const MeasureContext& s);
Measured acceleration(const MeasureContext& s);
Measured bounce(const MeasureContext& s);

// measures_conserved.cpp
Measured energy(const MeasureContext& s);
Measured momentum(const MeasureContext& s);
Measured angularMomentum(const MeasureContext& s);
Measured bytesPerParticle(const MeasureContext& s);

// measures_bodies.cpp: bodies that keep their form, and what touches them
Measured pose(const MeasureContext& s);
Measured tilt(const MeasureContext& s);
Measured rotation(const MeasureContext& s);
Measured wave(const MeasureContext& s);
Measured overlap(const MeasureContext& s);
Measured load(const MeasureContext& s);
Measured torque(const MeasureContext& s);
Measured entered(const MeasureContext& s);
Measured present(const MeasureContext& s);

// measures_spawning.cpp: births and deaths
Measured count(const MeasureContext& s);
Measured emitted(const MeasureContext& s);
Measured removedBySink(const MeasureContext& s);
Measured memory(const MeasureContext& s);

// measures_waves.cpp
Measured waveHeight(const MeasureContext& s);
Measured waveGrowth(const MeasureContext& s);
Measured wavePeriod(const MeasureContext& s);

// measures_shapes.cpp: who got through shapes
Measured passed(const MeasureContext& s);

// measures_soft.cpp: bodies of many clusters
Measured clusterPose(const MeasureContext& s);
Measured restChange(const MeasureContext& s);
Measured skinVolume(const MeasureContext& s);
Measured skinInverted(const MeasureContext& s);
Measured tipDrop(const MeasureContext& s);

// measures_cloth.cpp: cloth, ropes, balloons
Measured stretch(const MeasureContext& s);
Measured area(const MeasureContext& s);
Measured enclosed(const MeasureContext& s);
Measured inside(const MeasureContext& s);
Measured pierced(const MeasureContext& s);
Measured crossed(const MeasureContext& s);
Measured pieces(const MeasureContext& s);
Measured splits(const MeasureContext& s);
Measured nonManifold(const MeasureContext& s);

}  // namespace measures

}  // namespace coalesce
