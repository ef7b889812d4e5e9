// Runs tests on every backend of this computer.
#pragma once

#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <type_traits>
#include <vector>

#include "core/exec.h"

namespace coalesce::test {

// "cpu", and "cuda" if there is a usable device. The environment variable COALESCE_TEST_BACKEND overrides
// this: cpu: the CPU only;  cuda: both, and a missing device fails the tests instead of skipping them.
std::vector<std::string> backends();

// Base of a suite whose tests run once per backend: derive, and name the suite in FOR_EACH_BACKEND.
class EachBackend : public ::testing::TestWithParam<std::string> {
protected:
    Exec exec{ExecOptions{.backend = GetParam()}};
};

#define FOR_EACH_BACKEND(Suite)                                                            \
    INSTANTIATE_TEST_SUITE_P(On, Suite, ::testing::ValuesIn(::coalesce::test::backends()), \
                             [](const ::testing::TestParamInfo<std::string>& info) { return info.param; })

// All executions that must give bitwise equal results: 1, 2 and 8 threads, two shuffled orders, and CUDA if
// available.
struct Machine {
    std::string name;
    ExecOptions options;
};
std::vector<Machine> machines();

// run(exec) returns a std::vector, which must be bitwise equal for all of these executions.
template <class Run>
void expectSameBitsOnEveryMachine(Run&& run) {
    std::invoke_result_t<Run, Exec&> first;
    const std::vector<Machine> all = machines();
    for (const Machine& machine : all) {
        Exec exec(machine.options);
        const auto result = run(exec);
        if (&machine == all.data()) {
            first = result;
            continue;
        }
        ASSERT_EQ(first.size(), result.size()) << machine.name;
        for (size_t i = 0; i < first.size(); ++i)
            ASSERT_EQ(0, std::memcmp(&first[i], &result[i], sizeof first[i]))
                << machine.name << " differs from " << all[0].name << " at element " << i << " of "
                << first.size();
    }
}

}  // namespace coalesce::test
