// `expect`: what must hold in a scene. Each check is measured on the host, in double, by code that shares
// nothing with the solver's kernels but the definition of a volume fraction.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scene/scene.h"
#include "sim/status.h"
#include "sim/world.h"

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

struct Sight;  // measures.h

// One kind of check, as docs/scenes.md, the reader and `coalesce params` know it.
struct CheckOption {
    enum class Type { Number, Word, Words, Point };
    const char* name;
    Type type;
    const char* about;
    std::vector<const char*> choices;  // of a word; empty: any
    bool required = false;
};
struct CheckKind {
    // What of a time window counts: the worst value for each limit, the largest value, or one value of the
    // window as a whole.
    enum class Window { Worst, Peak, Whole };
    const char* name;
    const char* unit;
    const char* measures;
    Window over;
    std::optional<double> (*value)(const Sight&);  // null: relates cases, which the runner does
    std::vector<CheckOption> options;
    bool everyFrame = false;  // must see all frames, whatever the time of its verdict
    bool ofNobody = false;    // says something also where no particle is meant

    bool between() const { return value == nullptr; }
};
const std::vector<CheckKind>& checkKinds();
const CheckKind* findCheckKind(const std::string& name);

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
    std::vector<std::array<double, 3>> places{};  // [m] of all particles at the end; for same_places
};
// The checks of the scene that relate cases: compare, hash, same_places.
std::vector<CheckResult> compareCases(const Scene& scene, const std::vector<CaseMeasures>& cases);

}  // namespace coalesce
