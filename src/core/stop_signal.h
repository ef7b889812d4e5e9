// Ctrl+C and SIGTERM: the first asks the program to stop in order, the second ends it at once.
#pragma once

namespace coalesce {

void catchStopSignals();
bool stopRequested();  // since catchStopSignals()

}  // namespace coalesce
