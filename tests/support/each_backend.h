// Tests that hold on every machine a simulation can run on.
#pragma once

#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <type_traits>
#include <vector>

#include "core/exec.h"

namespace coalesce::test {

// "cpu", and "cuda" where a device answers. The environment variable COALESCE_TEST_BACKEND decides otherwise:
// cpu: the CPU only;  cuda: both, and then a missing device fails the tests instead of leaving them out.
std::vector<std::string> backends();

// Base of a suite whose tests run once per backend: derive, and name the suite in FOR_EACH_BACKEND.
class EachBackend : public ::testing::TestWithParam<std::string> {
protected:
    Exec exec{ExecOptions{.backend = GetParam()}};
};

#define FOR_EACH_BACKEND(Suite)                                                            \
    INSTANTIATE_TEST_SUITE_P(On, Suite, ::testing::ValuesIn(::coalesce::test::backends()), \
                             [](const ::testing::TestParamInfo<std::string>& info) { return info.param; })

// All ways to execute that must give the same bits: 1, 2 and 8 threads, two shuffles, and CUDA when it is
// there.
struct Machine {
    std::string name;
    ExecOptions options;
};
std::vector<Machine> machines();

// run(exec) gives a std::vector; it must be the same on every machine, bit for bit.
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
