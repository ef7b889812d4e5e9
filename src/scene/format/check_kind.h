// The kinds of checks that `expect` knows, as the reader, the documentation and `coalesce params` see them.
// src/checks declares each beside the function that measures it, and defines checkKinds(): scene files can so
// be read and validated without the measurements.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace coalesce {

struct MeasureContext;  // checks/measures.h

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
    std::optional<double> (*value)(const MeasureContext&);  // null: relates cases, which the runner does
    std::vector<CheckOption> options;
    bool everyFrame = false;  // must see all frames, whatever the time of its verdict
    bool ofNobody = false;    // says something also where no particle is meant

    bool between() const { return value == nullptr; }
};
const std::vector<CheckKind>& checkKinds();
const CheckKind* findCheckKind(const std::string& name);

}  // namespace coalesce
