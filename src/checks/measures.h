// What the measuring functions of src/checks/measures_*.cpp share. Each of these files declares its kinds of
// checks at its end; check_kinds.cpp joins the lists.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checks/measure.h"
#include "geometry/math/vec3d.h"
#include "scene/build/groups.h"
#include "scene/format/check_kind.h"

namespace coalesce {

struct Region {
    Vec3d low{-1e300, -1e300, -1e300}, high{1e300, 1e300, 1e300};
    bool has(const Vec3d& p) const {
        for (int k = 0; k < 3; ++k)
            if (!(p[k] >= low[k] && p[k] <= high[k])) return false;
        return true;
    }
};

// The input of a measurement.
struct MeasureContext {
    const Scene& scene;
    const Check& check;
    const ParticleSnapshot& now;
    const ParticleSnapshot& start;
    const std::vector<uint32_t>& selected;  // indices into `now`; empty only for kinds that allow it
    MeasureState& state;

    // Options of the check.
    double number(const char* name, double otherwise) const;
    std::string word(const char* name, const char* otherwise) const;
    std::optional<Vec3d> point(const char* name) const;
    int axis(const char* otherwise = "x") const { return word("axis", otherwise)[0] - 'x'; }
    Region region() const;

    double spacing(const ParticleSnapshot& of, uint32_t i) const;
    double spacing(uint32_t i) const { return spacing(now, i); }
    MaterialProperties material(const ParticleSnapshot& of, uint32_t i) const;
    MaterialProperties material(uint32_t index) const;
    // Particles of a body or material in `now`.
    std::vector<uint32_t> select(const std::string& group) const;
    std::set<uint32_t> selectedGroups() const;
};

// Indices of the selected particles in another snapshot, by id; omits particles that it does not have.
std::vector<uint32_t> sameAt(const ParticleSnapshot& other, const ParticleSnapshot& now,
                             const std::vector<uint32_t>& selected);
// Index of the particle with this id.
std::optional<uint32_t> findId(const ParticleSnapshot& in, uint32_t id);
// Whether a passive particle is of the class of this name: spray, foam, bubble, smoke, or any.
bool isOfClass(uint32_t tag, const std::string& name);
// Index of the connected part of each point; points closer than `reach` are connected.
std::vector<uint32_t> connectedParts(const std::vector<Vec3d>& points, double reach);

using Measured = std::optional<double>;  // empty: nothing to measure yet

// The option `statistic` of the check (max, min or mean), or `otherwise`, over the values.
Measured statisticOf(const MeasureContext& s, const std::vector<double>& values, const char* otherwise);

namespace measures {

// The kinds of checks of each measures_*.cpp.
std::vector<CheckKind> attributeChecks();
std::vector<CheckKind> bodyChecks();
std::vector<CheckKind> clothChecks();
std::vector<CheckKind> conservationChecks();
std::vector<CheckKind> fluidChecks();
std::vector<CheckKind> groupChecks();
std::vector<CheckKind> shapeChecks();
std::vector<CheckKind> softBodyChecks();
std::vector<CheckKind> spawningChecks();
std::vector<CheckKind> trajectoryChecks();
std::vector<CheckKind> waveChecks();

}  // namespace measures

// Relations between the cases of a scene; compare.cpp.
std::vector<CheckKind> caseChecks();

}  // namespace coalesce
