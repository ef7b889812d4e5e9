// `expect`: the checks of a scene. They are measured on the host, in double, by code that shares only the
// definition of the volume fraction with the solver's kernels.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "geometry/math/vec3d.h"
#include "scene/format/check_kind.h"
#include "scene/format/scene.h"
#include "sim/world/status.h"
#include "sim/world/world.h"

namespace coalesce {

// NotReached: the run was too short, or a compared case did not run
enum class Verdict { Passed, Failed, NotReached };

struct CheckResult {
    std::string check;               // its key in `expect`, or the name of a built-in check
    std::string kind;                // its kind
    std::optional<double> measured;  // in the unit of the kind
    std::string limits;              // "<= 0.05 m/s"
    Verdict verdict = Verdict::NotReached;
    std::string text;  // the result in one line
    bool passed() const { return verdict == Verdict::Passed; }
};

// Evaluates the checks of one run of a scene. Built-in checks: finite, balance, no_overflow, and inside when
// the scene has bounds. compareCases evaluates the checks between cases.
class Expectations {
public:
    explicit Expectations(const Scene& scene);
    ~Expectations();
    // Call once before the first frame (with an empty status) and after every frame.
    void observe(World& world, const Status& status);
    // Built-in checks first, then in the order of the file.
    std::vector<CheckResult> results() const;

private:
    struct Watch;
    std::unique_ptr<Watch> m_watch;
};

// Results of a case that has run.
struct CaseMeasures {
    std::string caseName;
    std::vector<CheckResult> checks;
    uint64_t hash = 0;
    std::vector<Vec3d> positions{};  // [m] of all particles at the end, for same_places
};
// Evaluates the checks that relate cases: compare, hash, same_places.
std::vector<CheckResult> compareCases(const Scene& scene, const std::vector<CaseMeasures>& cases);

}  // namespace coalesce
