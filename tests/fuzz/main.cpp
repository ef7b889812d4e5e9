// libFuzzer's entry. COALESCE_FUZZ_TARGET in the environment names the target.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "fuzz/targets.h"

using namespace coalesce::fuzz;

namespace {

const Target& chosen() {
    const char* name = std::getenv("COALESCE_FUZZ_TARGET");
    for (const Target& target : targets())
        if (name && std::strcmp(name, target.name) == 0) return target;
    std::fputs("COALESCE_FUZZ_TARGET must be one of", stderr);
    for (const Target& target : targets()) std::fprintf(stderr, " %s", target.name);
    std::fputs("; tools/fuzz sets it.\n", stderr);
    std::exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const Target& target = chosen();
    target.read({reinterpret_cast<const char*>(data), size});  // what it throws ends the fuzzer with a report
    return 0;
}
