// Labels and manifests of parameters.
#include <gtest/gtest.h>
#include <set>

#include "sim/world/parameters.h"

namespace coalesce::test {
namespace {

TEST(Parameters, LabelsAreTheWordsOfTheKey) {
    EXPECT_EQ(labelOf("maxDepenetration"), "Max depenetration");
    EXPECT_EQ(labelOf("substeps"), "Substeps");
    EXPECT_EQ(labelOf("gustLength"), "Gust length");
    EXPECT_EQ(labelOf("useLRAForCloth"), "Use LRA for cloth");
    EXPECT_EQ(labelOf("maxCFL"), "Max CFL");
    EXPECT_EQ(labelOf("axisX"), "Axis x");
    EXPECT_EQ(labelOf("cfl"), "CFL number");
    EXPECT_EQ(labelOf("Kind"), "Kind");
    EXPECT_EQ(labelOf(""), "");
}

template <class Properties>
void expectDistinctLabels() {
    Properties properties;
    std::set<std::string> labels;
    size_t parameters = 0;
    forEachParameter(properties, [&](auto&, const ParameterInfo& info) {
        ++parameters;
        labels.insert(std::string(info.group) + ": " + labelOf(info.name));
    });
    EXPECT_GT(parameters, 0u);
    EXPECT_EQ(labels.size(), parameters);
}

TEST(Parameters, LabelsAreDistinctWithinAGroup) {
    expectDistinctLabels<Parameters>();
    expectDistinctLabels<MaterialProperties>();
    expectDistinctLabels<ForceFieldProperties>();
    expectDistinctLabels<EmitterProperties>();
    expectDistinctLabels<SinkProperties>();
}

}  // namespace
}  // namespace coalesce::test
