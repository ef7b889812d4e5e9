// All kinds of checks: the lists declared at the end of each measures_*.cpp and of compare.cpp.
#include "checks/measures.h"

namespace coalesce {

const std::vector<CheckKind>& checkKinds() {
    static const std::vector<CheckKind> all = [] {
        std::vector<CheckKind> joined;
        for (auto& list : {measures::fluidChecks(), measures::groupChecks(), measures::conservationChecks(),
                           measures::trajectoryChecks(), measures::bodyChecks(), measures::softBodyChecks(),
                           measures::clothChecks(), measures::shapeChecks(), measures::spawningChecks(),
                           measures::waveChecks(), measures::attributeChecks(), caseChecks()})
            joined.insert(joined.end(), list.begin(), list.end());
        return joined;
    }();
    return all;
}

const CheckKind* findCheckKind(const std::string& name) {
    for (const CheckKind& kind : checkKinds())
        if (name == kind.name || (kind.formerName && name == kind.formerName)) return &kind;
    return nullptr;
}

}  // namespace coalesce
