// `expect`: what must hold in a scene. Each check is measured on the host, in double, by code that shares
// nothing with the solver's kernels but the definition of a volume fraction.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scene/format/check_kind.h"
#include "scene/format/scene.h"
#include "sim/world/status.h"
#include "sim/world/world.h"

namespace coalesce {

// NotReached: the run was too short, or a compared case did not run
enum class Verdict { Passed, Failed, NotReached };

struct CheckResult {
    std::string check;               // its key in `expect`, or the name of one that is always on
    std::string kind;                // what it measures
    std::optional<double> measured;  // in the unit of the kind
    std::string limits;              // "<= 0.05 m/s"
    Verdict verdict = Verdict::NotReached;
    std::string text;  // one line for people
    bool passed() const { return verdict == Verdict::Passed; }
};

// Watches one run of a scene. Checks that are always on: finite, balance, no_overflow, and inside when the
// scene has bounds. Compares between cases are not its matter: compareCases does them.
class Expectations {
public:
    explicit Expectations(const Scene& scene);
    ~Expectations();
    // To be called once before the first frame (with an empty status) and after every frame.
    void observe(World& world, const Status& status);
    // In the order of the file, those that are always on first.
    std::vector<CheckResult> results() const;

private:
    struct Watch;
    std::unique_ptr<Watch> m_watch;
};

// What a compare knows about a case that has run.
struct CaseMeasures {
    std::string caseName;
    std::vector<CheckResult> checks;
    uint64_t hash = 0;
    std::vector<Vec3d> places{};  // [m] of all particles at the end; for same_places
};
// The checks of the scene that relate cases: compare, hash, same_places.
std::vector<CheckResult> compareCases(const Scene& scene, const std::vector<CaseMeasures>& cases);

}  // namespace coalesce
