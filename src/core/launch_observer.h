// Looks at the arrays after every named launch, to find the launch at which two runs diverge.
#pragma once

#include <functional>

namespace coalesce {

class Exec;

// Calls `visit` after every launch, in the order of the launches; at most one observer exists at a time.
// While it exists, Exec fills the memory that it allocates with zeros, so that elements that no kernel writes
// are equal in all runs. `visit` must not throw, and its own launches are not observed.
class LaunchObserver {
public:
    using Visit = std::function<void(const char* launch)>;
    explicit LaunchObserver(Visit visit);
    ~LaunchObserver();
    LaunchObserver(const LaunchObserver&) = delete;
    LaunchObserver& operator=(const LaunchObserver&) = delete;

    static bool exists();
    // Called by Exec::Timer when a launch has been made.
    static void launched(const char* launch);

private:
    Visit m_visit;
    bool m_visiting = false;
};

}  // namespace coalesce
