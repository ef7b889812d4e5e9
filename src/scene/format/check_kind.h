// The kinds of checks of `expect`, as used by the reader, the schema, the documentation and `coalesce
// params`. src/checks declares each kind beside the function that measures it and defines checkKinds(), so
// that scene files can be read and validated without the measurements.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace coalesce {

struct MeasureContext;  // checks/measures.h

struct CheckOption {
    enum class Type { Number, Word, Words, Point };
    const char* name;
    Type type;
    const char* about;
    std::vector<const char*> choices = {};  // of a word; empty: any
    bool required = false;
    const char* formerName = nullptr;  // still accepted
};

struct CheckKind {
    // The value of a time window: the worst for each limit, the largest, or one value for the whole window.
    enum class Window { Worst, Peak, Whole };
    const char* name;
    const char* unit = "-";
    const char* measures;
    Window over = Window::Worst;
    std::optional<double> (*value)(const MeasureContext&) = nullptr;  // null: compareCases() evaluates it
    std::vector<CheckOption> options = {};
    bool everyFrame = false;           // must observe all frames, whatever the time of its verdict
    bool allowsEmptyGroup = false;     // has a value without particles too
    const char* formerName = nullptr;  // still accepted

    bool relatesCases() const { return value == nullptr; }
};
const std::vector<CheckKind>& checkKinds();
// By name or former name; null when there is none.
const CheckKind* findCheckKind(const std::string& name);

}  // namespace coalesce
