#include "core/stop_signal.h"

#include <csignal>

namespace coalesce {

namespace {

volatile std::sig_atomic_t requested = 0;

}  // namespace

void catchStopSignals() {
    const auto note = [](int signal) {
        requested = 1;
        std::signal(signal, SIG_DFL);
    };
    std::signal(SIGINT, note);
    std::signal(SIGTERM, note);
}

bool stopRequested() {
    return requested != 0;
}

}  // namespace coalesce
