#include "support/each_backend.h"

#include <cstdlib>

#include "core/cuda_state.h"
#include "core/error.h"

namespace coalesce::test {

std::vector<std::string> backends() {
    const char* set = std::getenv("COALESCE_TEST_BACKEND");
    const std::string wanted = set ? set : "auto";
    if (wanted != "auto" && wanted != "cpu" && wanted != "cuda")
        fail(Exit::Usage, "COALESCE_TEST_BACKEND=" + wanted, "no such backend",
             "Choose one of auto, cuda, cpu.");
    if (wanted == "cuda" || (wanted == "auto" && cudaState().usable)) return {"cpu", "cuda"};
    return {"cpu"};
}

std::vector<Machine> machines() {
    std::vector<Machine> all = {
        {"1 thread", {.backend = "cpu", .threads = 1}},
        {"2 threads", {.backend = "cpu", .threads = 2}},
        {"8 threads", {.backend = "cpu", .threads = 8}},
        {"1 thread, shuffled", {.backend = "cpu", .threads = 1, .shuffle = 1}},
        {"8 threads, shuffled", {.backend = "cpu", .threads = 8, .shuffle = 20261120}},
    };
    if (backends().size() > 1) all.push_back({"cuda", {.backend = "cuda"}});
    return all;
}

}  // namespace coalesce::test
