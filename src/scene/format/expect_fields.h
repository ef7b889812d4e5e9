// Keys of the checks of `expect`.
#pragma once

#include <string>

#include "scene/format/check_kind.h"
#include "scene/format/key_spec.h"

namespace coalesce {

template <class F>
void visitOptions(F& f, Check& check, const CheckKind& kind) {
    for (const CheckOption& option : kind.options) {
        const KeySpec spec{option.name,
                           option.about,
                           "-",
                           -1e18,
                           1e18,
                           option.required,
                           option.formerName ? std::vector{option.formerName} : std::vector<const char*>()};
        switch (option.type) {
            case CheckOption::Type::Number:
                f.number(check.numbers, spec);
                break;
            case CheckOption::Type::Word:
                f.word(check.words, spec, option.choices);
                break;
            case CheckOption::Type::Words:
                f.words(check.lists, spec);
                break;
            case CheckOption::Type::Point:
                f.point(check.points, spec);
                break;
        }
    }
}

// One check of `expect`; for kinds and options see check_kind.h.
template <class F>
void visitCheck(F& f, Check& check) {
    std::string kind = check.kind;
    const bool named =
        f.value(kind, {"check", "Kind of the check; the key itself when omitted."}, check.kind != check.name);
    if constexpr (F::kReading) check.kind = named ? kind : check.name;
    const CheckKind* known = findCheckKind(check.kind);
    if (F::kReading && !known) {
        f.unknownCheck(check.kind);
        return;
    }
    if (F::kReading) check.kind = known->name;  // it may have been written by its former name
    if (!known || !known->relatesCases()) {
        f.value(check.group, {"group", "Body or material; all particles when omitted."},
                !check.group.empty());
        f.value(check.at, {"at", "Time of the measurement; the end when omitted.", "s", 0, 1e6},
                check.at >= 0);
        f.value(check.always, {"always", "Worst value of the whole run instead of one time."}, check.always);
        f.value(check.from,
                {"from", "Start of a time window; its worst value (or peak) counts.", "s", 0, 1e6},
                check.from >= 0);
        f.value(check.to, {"to", "End of the time window.", "s", 0, 1e6}, check.to >= 0);
        f.value(check.min, {"min", "Least value allowed, in the unit of the kind.", "-", -1e18, 1e18});
        f.value(check.max, {"max", "Largest value allowed, in the unit of the kind.", "-", -1e18, 1e18});
        f.number(check.numbers, {"expected", "Expected value; with tolerance.", "-", -1e18, 1e18});
        f.number(check.numbers,
                 {"tolerance", "Largest relative deviation from the expected value.", "-", 0, 1e6});
    }
    if (!known) return;
    visitOptions(f, check, *known);
    // `order` also takes the options of its measure
    const auto measure = check.words.find("measure");
    if (check.kind != "order" || measure == check.words.end()) return;
    if (const CheckKind* measured = findCheckKind(measure->second)) visitOptions(f, check, *measured);
}

}  // namespace coalesce
