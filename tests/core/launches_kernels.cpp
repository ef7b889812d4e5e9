// Compiled by the tests device_sources_guard*, and by nothing else.
#include "core/for_each.h"

namespace coalesce {

struct DoNothing {
    HD void operator()(int) const {}
};
void launch(Exec& exec) {
    forEach(exec, "do nothing", 1, DoNothing{});
}

}  // namespace coalesce
