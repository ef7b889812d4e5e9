#include "findings.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>
#include <map>
#include <optional>
#include <signal.h>
#include <sstream>
#include <sys/auxv.h>
#include <unistd.h>
#include <vector>

#include "counts.h"
#include "launch.h"
#include "memory.h"

namespace emulated {

namespace {

constexpr int kExitOfFindings = 86;
constexpr const char* kDies = "dies:";

std::string text(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}
uint64_t number(const char* name, uint64_t otherwise) {
    const std::string value = text(name);
    return value.empty() ? otherwise : std::strtoull(value.c_str(), nullptr, 10);
}

// N of the state dies:N.
std::optional<uint32_t> launchesOfLife(const std::string& state) {
    if (!state.starts_with(kDies)) return {};
    uint32_t n = 0;
    const char* end = state.data() + state.size();
    const auto [last, error] = std::from_chars(state.data() + std::strlen(kDies), end, n);
    return error == std::errc() && last == end ? std::optional(n) : std::nullopt;
}

std::vector<std::string> deviceStates() {
    std::vector<std::string> states;
    std::stringstream list(text("EMULATE_DEVICE"));
    for (std::string state; std::getline(list, state, ',');) {
        if (state != "none" && state != "pascal" && state != "busy" && state != "dead" &&
            !launchesOfLife(state) && state != "works") {
            std::fprintf(stderr,
                         "emulated CUDA: EMULATE_DEVICE=%s: no such state; choose none, pascal, busy, dead, "
                         "dies:N or works\n",
                         state.c_str());
            std::exit(2);
        }
        states.push_back(state);
    }
    if (states.empty()) states.push_back("works");
    return states;
}

struct Finding {
    uint64_t count = 0;
    std::string example;
};
struct LaunchRow {
    uint64_t count = 0;
    double seconds = 0;
};
struct Record {
    std::map<std::string, uint64_t> calls;
    std::map<std::string, LaunchRow> launches;
    std::map<std::string, Finding> findings;
};
// never destroyed: atexit handlers and destructors of the program may still call
Record& record() {
    static auto* made = new Record;
    return *made;
}

void writeReport() {
    writeCounts();
    const std::string& where = options().report;
    FILE* out = where.size() > 1 ? std::fopen(where.c_str(), "a") : stderr;
    if (!out) out = stderr;
    if (!where.empty()) {
        uint64_t launches = 0;
        std::vector<std::pair<double, std::string>> rows;
        for (const auto& [name, row] : record().launches)
            launches += row.count, rows.push_back({row.seconds, name});
        std::sort(rows.rbegin(), rows.rend());
        std::fprintf(out, "emulated CUDA: %lu launches of %zu kernels\n", launches, rows.size());
        for (const auto& [what, n] : record().calls) std::fprintf(out, "    %8lu  %s\n", n, what.c_str());
        for (const auto& [seconds, name] : rows)
            std::fprintf(out, "    %9.3f s %8lu  %s\n", seconds, record().launches[name].count,
                         demangled(name.c_str()).c_str());
    }
    // what lies on a device that has died cannot be freed
    if (bytesInUse() > 0 && !options().hasDied(0))
        addFinding("device memory that is never freed", describeBlocks);
    for (const auto& [what, f] : record().findings)
        std::fprintf(out, "emulated CUDA: FINDING %s: %lu times; first: %s\n", what.c_str(), f.count,
                     f.example.c_str());
    if (out != stderr) std::fclose(out);
    if (record().findings.empty()) return;
    if (out != stderr)
        std::fprintf(stderr, "emulated CUDA: %zu kinds of findings, see %s\n", record().findings.size(),
                     where.c_str());
    std::fflush(nullptr);
    _exit(kExitOfFindings);
}

// The output of a command.
std::string outputOf(const std::string& command) {
    std::string output;
    if (FILE* f = popen(command.c_str(), "r")) {
        char part[4096];
        while (std::fgets(part, sizeof part, f)) output += part;
        pclose(f);
    }
    return output;
}

// Where the program itself is loaded.
const void* programBase() {
    Dl_info info;
    return dladdr(reinterpret_cast<const void*>(getauxval(AT_ENTRY)), &info) ? info.dli_fbase : nullptr;
}

// Function, file and line of each frame in the program, which is compiled with -g1; innermost first. Frames are return
// addresses, one instruction too far, but for that of a fault.
std::string linesOf(void* const* frames, int count, uint64_t fault = 0) {
    std::string addresses;
    for (int k = 0; k < count; ++k) {
        Dl_info info;
        if (!dladdr(frames[k], &info) || info.dli_fbase != programBase()) continue;
        const auto at = reinterpret_cast<uint64_t>(frames[k]);
        char offset[32];
        std::snprintf(offset, sizeof offset, " %#lx",
                      at - reinterpret_cast<uint64_t>(info.dli_fbase) - (at == fault ? 0 : 1));
        addresses += offset;
    }
    if (addresses.empty()) return "";
    std::stringstream output(
        outputOf("addr2line --exe=/proc/" + std::to_string(getpid()) + "/exe -Cfpi" + addresses));
    std::string lines;
    for (std::string line; std::getline(output, line);) lines += "\n        " + line;
    return lines;
}

void onFault(int, siginfo_t* info, void* context) {
    const auto a = reinterpret_cast<uint64_t>(info->si_addr);
    if (const Kernel* kernel = runningKernel()) {
        const Thread& t = *runningThread();
        std::fprintf(
            stderr,
            "emulated CUDA: FAULT in kernel %s, thread %u of block %u (%u threads in a block, %u blocks): ",
            kernel->name, t.tid, t.ctaid, t.ntid, t.nctaid);
        if (a >= kHeap + kAlias && a < kHeap + kAlias + kHeapBytes)
            std::fprintf(stderr, "device address, %s\n", describeAddress(a - kAlias).c_str());
        else
            std::fprintf(stderr, "%#lx is no device address: a host pointer?\n", a - kAlias);
    } else if (isDevice(info->si_addr)) {
        std::fprintf(stderr, "emulated CUDA: the HOST accesses DEVICE MEMORY: %s\n",
                     describeAddress(a).c_str());
    } else {
        std::fprintf(stderr, "emulated CUDA: segmentation fault at %#lx\n", a);
    }
    const auto fault = static_cast<uint64_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
    void* frames[32];
    const int n = backtrace(frames, 32);
    backtrace_symbols_fd(frames, n, 2);
    // allocates memory, which may hang if the fault was in malloc: what must be known is written by now
    std::fprintf(stderr, "%s\n", linesOf(frames, n, fault).c_str());
    signal(SIGSEGV, SIG_DFL);
    signal(SIGBUS, SIG_DFL);
}

}  // namespace

const Options& options() {
    // never destroyed, as record()
    static const auto* made = new Options{.eager = !text("EMULATE_EAGER").empty(),
                                          .order = int(number("EMULATE_ORDER", 0)),
                                          .trace = !text("EMULATE_TRACE").empty(),
                                          .report = text("EMULATE_REPORT"),
                                          .counts = !text("EMULATE_COUNTS").empty(),
                                          .callers = !text("EMULATE_CALLERS").empty(),
                                          .states = deviceStates(),
                                          .devices = int(number("EMULATE_DEVICES", 1)),
                                          .memory = number("EMULATE_MEMORY_KB", uint64_t{4} << 20) << 10,
                                          .opengl = text("EMULATE_NO_OPENGL").empty()};
    return *made;
}

bool Options::hasDied(int device) const {
    const auto life = launchesOfLife(stateOf(device));
    return life && launchNumber() >= *life;
}

void installReports() {
    static uint8_t alternate[64 << 10];
    stack_t stack{};
    stack.ss_sp = alternate, stack.ss_size = sizeof alternate;
    sigaltstack(&stack, nullptr);
    struct sigaction action {};
    action.sa_sigaction = onFault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, nullptr);
    sigaction(SIGBUS, &action, nullptr);
    std::atexit(writeReport);
}

const std::map<std::string, uint64_t>& notedCalls() {
    return record().calls;
}

void noteCall(const char* what, uint64_t amount) {
    if (options().report.empty() && !options().counts) return;
    record().calls[what] += amount;
    if (!options().callers) return;
    void* frames[24];
    const int n = backtrace(frames, 24);
    char** names = backtrace_symbols(frames, n);
    std::string line = what;
    for (int k = 2; k < n; ++k) {
        const std::string name = names[k];
        const size_t from = name.find("(_Z"), to = name.find('+', from == std::string::npos ? 0 : from);
        if (from != std::string::npos && to != std::string::npos)
            line += kCaller + demangled(name.substr(from + 1, to - from - 1).c_str());
    }
    std::free(names);
    record().calls[line] += 1;
}

void noteLaunch(const char* kernel, double seconds) {
    LaunchRow& row = record().launches[kernel];
    row.count += 1, row.seconds += seconds;
}

void addFinding(const std::string& what, const std::function<std::string()>& example) {
    Finding& f = record().findings[what];
    if (f.count++ == 0) f.example = example();
}

void stop(const std::string& what) {
    std::fprintf(stderr, "emulated CUDA: %s%s\n", what.c_str(), hostStack().c_str());
    std::abort();
}

std::string hostStack() {
    void* frames[24];
    return linesOf(frames, backtrace(frames, 24));
}

std::string hostSymbols() {
    void* frames[24];
    const int n = backtrace(frames, 24);
    char** names = backtrace_symbols(frames, n);
    std::string lines;
    for (int k = 2; k < n; ++k) lines += std::string("\n        ") + names[k];
    std::free(names);
    return lines;
}

std::string demangled(const char* name) {
    std::string line = outputOf(std::string("c++filt -p '") + name + "'");
    while (!line.empty() && line.back() == '\n') line.pop_back();
    return line.empty() ? name : line;
}

}  // namespace emulated
