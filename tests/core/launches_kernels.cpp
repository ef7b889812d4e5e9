// Compiled only by the tests device_sources_guard*.
#include "core/for_each.h"

namespace coalesce {

struct DoNothing {
    HD void operator()(int) const {}
};
void launch(Exec& exec) {
    forEach(exec, "do nothing", 1, DoNothing{});
}

}  // namespace coalesce
