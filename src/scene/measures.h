// What stands behind the kinds of checks: one function for each, by subject. check_kinds.cpp names them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scene/groups.h"
#include "scene/measure.h"

namespace coalesce {

struct Region {
    Double3 low{-1e300, -1e300, -1e300}, high{1e300, 1e300, 1e300};
    bool has(const Double3& p) const {
        for (int k = 0; k < 3; ++k)
            if (!(p[k] >= low[k] && p[k] <= high[k])) return false;
        return true;
    }
};

// All that a measure looks at.
struct Sight {
    const Scene& scene;
    const Check& check;
    const Snapshot& now;
    const Snapshot& start;
    const std::vector<uint32_t>& selected;  // indices into `now`; not empty
    MeasureState& state;

    double number(const char* name, double otherwise) const;
    std::string word(const char* name, const char* otherwise) const;
    std::optional<Double3> point(const char* name) const;
    int axis(const char* otherwise = "x") const { return word("axis", otherwise)[0] - 'x'; }
    Region region() const;
    double spacing(const Snapshot& of, uint32_t i) const;
    double spacing(uint32_t i) const { return spacing(now, i); }
    MaterialProperties material(const Snapshot& of, uint32_t i) const;
    // The particles of a body or material in `now`.
    std::vector<uint32_t> select(const std::string& group) const;
};

inline double dotOf(const Double3& a, const Double3& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Double3 minus(const Double3& a, const Double3& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Double3 wide(Vec3 a) {
    return {a.x, a.y, a.z};
}
// The same particles in another snapshot, by their ids; those that are not there are left out.
std::vector<uint32_t> sameAt(const Snapshot& other, const Snapshot& now,
                             const std::vector<uint32_t>& selected);
// Where the particle of this id is in a snapshot.
std::optional<uint32_t> findId(const Snapshot& in, uint32_t id);
// Number of the connected part that each point belongs to; points nearer than `reach` are connected.
std::vector<uint32_t> connectedParts(const std::vector<Double3>& points, double reach);

using Measured = std::optional<double>;  // empty: nothing to measure yet

namespace measures {

// measures_fluid.cpp
Measured densityError(const Sight& s);
Measured level(const Sight& s);
Measured splash(const Sight& s);
Measured front(const Sight& s);
Measured arrival(const Sight& s);
Measured submerged(const Sight& s);
Measured flow(const Sight& s);
Measured flowVariation(const Sight& s);

// measures_group.cpp: where the particles of a group are, and how they move
Measured height(const Sight& s);
Measured width(const Sight& s);
Measured angle(const Sight& s);
Measured aspect(const Sight& s);
Measured center(const Sight& s);
Measured spread(const Sight& s);
Measured spacing(const Sight& s);
Measured components(const Sight& s);
Measured contains(const Sight& s);
Measured outside(const Sight& s);
Measured crossings(const Sight& s);
Measured rise(const Sight& s);
Measured rest(const Sight& s);
Measured speed(const Sight& s);
Measured order(const Sight& s);
Measured touched(const Sight& s);

// measures_channels.cpp: what particles carry
Measured channel(const Sight& s);

// measures_path.cpp: of a path over time
Measured drift(const Sight& s);
Measured slide(const Sight& s);
Measured acceleration(const Sight& s);
Measured bounce(const Sight& s);

// measures_conserved.cpp
Measured energy(const Sight& s);
Measured momentum(const Sight& s);
Measured angularMomentum(const Sight& s);
Measured bytesPerParticle(const Sight& s);

// measures_bodies.cpp: bodies that keep their form, and what touches them
Measured pose(const Sight& s);
Measured tilt(const Sight& s);
Measured rotation(const Sight& s);
Measured wave(const Sight& s);
Measured overlap(const Sight& s);
Measured load(const Sight& s);
Measured torque(const Sight& s);
Measured entered(const Sight& s);
Measured present(const Sight& s);

// measures_turnover.cpp: births and deaths
Measured count(const Sight& s);
Measured emitted(const Sight& s);
Measured sunk(const Sight& s);
Measured memory(const Sight& s);

// measures_waves.cpp
Measured waveHeight(const Sight& s);
Measured waveGrowth(const Sight& s);
Measured wavePeriod(const Sight& s);

// measures_shapes.cpp: who got through shapes
Measured passed(const Sight& s);

// measures_soft.cpp: bodies of many clusters
Measured clusterPose(const Sight& s);
Measured restChange(const Sight& s);
Measured skinVolume(const Sight& s);
Measured skinInverted(const Sight& s);
Measured tipDrop(const Sight& s);

// measures_sheets.cpp: cloth, ropes, balloons
Measured stretch(const Sight& s);
Measured area(const Sight& s);
Measured enclosed(const Sight& s);
Measured inside(const Sight& s);
Measured pierced(const Sight& s);
Measured crossed(const Sight& s);
Measured pieces(const Sight& s);
Measured splits(const Sight& s);
Measured nonManifold(const Sight& s);

}  // namespace measures

}  // namespace coalesce
