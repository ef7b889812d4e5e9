#include "core/launch_observer.h"

#include <utility>

#include "core/error.h"

namespace coalesce {

namespace {

LaunchObserver* observer = nullptr;

}  // namespace

LaunchObserver::LaunchObserver(Visit visit) : m_visit(std::move(visit)) {
    CHECK(observer == nullptr);
    observer = this;
}
LaunchObserver::~LaunchObserver() {
    observer = nullptr;
}

bool LaunchObserver::exists() {
    return observer != nullptr;
}

void LaunchObserver::launched(const char* launch) {
    if (!observer || std::exchange(observer->m_visiting, true)) return;
    observer->m_visit(launch);
    observer->m_visiting = false;
}

}  // namespace coalesce
