// What the emulator reports: options from the environment, calls, findings, faults.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace emulated {

// From the environment, as `emulate --help` describes.
struct Options {
    bool eager;          // EMULATE_EAGER: run stream operations when they are put into a stream
    int order;           // EMULATE_ORDER: of threads; 0 forward, 1 backward, else the seed of a random order
    bool trace;          // EMULATE_TRACE: print every launch
    std::string report;  // EMULATE_REPORT: a file, or "1" for standard error; empty: findings only
    bool counts;         // EMULATE_COUNTS: mode counted writes a file
    bool callers;        // EMULATE_CALLERS: the report names who called
    // EMULATE_DEVICE: of each device none, pascal, busy, dead, dies:N (after N launches) or works
    std::vector<std::string> states;
    int devices;      // EMULATE_DEVICES: how many there are; 1
    uint64_t memory;  // EMULATE_MEMORY_KB: of the device, in bytes; 4 GiB
    bool opengl;      // not EMULATE_NO_OPENGL

    // The last state holds for all further devices.
    const std::string& stateOf(int device) const {
        return states[std::min(size_t(device), states.size() - 1)];
    }
    // Whether so many launches were executed, on whatever device, that every call for this one fails.
    bool hasDied(int device) const;
};
const Options& options();

// Counts a call of the runtime, or an amount, for the report.
void noteCall(const char* what, uint64_t amount = 1);
const std::map<std::string, uint64_t>& notedCalls();
constexpr const char* kCaller = "\n            ";  // before each caller of a call, with EMULATE_CALLERS
// Counts a launch of a kernel that took so many seconds on this CPU.
void noteLaunch(const char* kernel, double seconds);

// A violation of CUDA's rules. The first of its kind keeps its example; any finding makes the program end
// with exit status 86.
void addFinding(const std::string& what, const std::function<std::string()>& example);
// Ends the program at once with a message and the stack of the host.
[[noreturn]] void stop(const std::string& what);

// The functions of the host that are running, each with file and line; hostSymbols(): without lines, fast.
std::string hostStack();
std::string hostSymbols();
std::string demangled(const char* name);

}  // namespace emulated
