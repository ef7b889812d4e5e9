// Which parameters each solving method reads.
#include <gtest/gtest.h>

#include "session/session.h"
#include "sim/state/state_hash.h"
#include "sim/world/method_parameters.h"
#include "support/every_value.h"

namespace coalesce::test {
namespace {

// A changed value that a method does not read changes no bit of its result; one that it reads does.
TEST(MethodParameters, AreReadByTheirMethodsOnly) {
    TemporaryFolder folder;
    const std::filesystem::path file = folder / "mixed.json";
    writeText(file, R"({
        "about": "Liquid, cohesive grains and a soft body that touch.", "duration": 1,
        "materials": {
            "water": { "spacing": 0.1, "tension": 0.5 },
            "sand": { "kind": "grains", "spacing": 0.1, "cohesion": 5 },
            "jelly": { "kind": "soft", "spacing": 0.1, "stiffness": 0.5 } },
        "bodies": [
            { "name": "pool", "material": "water", "block": { "min": [0, 0, 0], "max": [0.5, 0.5, 0.5] } },
            { "name": "heap", "material": "sand", "block": { "min": [0.5, 0, 0], "max": [0.8, 0.4, 0.4] } },
            { "name": "cube", "material": "jelly", "block": { "min": [0, 0.5, 0], "max": [0.3, 0.8, 0.3] } } ],
        "shapes": [{ "name": "floor", "plane": { "normal": [0, 1, 0], "offset": 0 } }]
    })");
    const auto hashAfter = [&](const std::string& method, const std::vector<Edit>& edits) {
        Session session(file, {}, {.backend = "cpu"});
        // what the other methods refuse
        std::vector<Edit> refused;
        if (method != "position") refused.push_back({"materials.water.tension", {0}, ""});
        if (method == "velocity") refused.push_back({"materials.sand.cohesion", {0}, ""});
        EXPECT_EQ(session.edit(refused), "");
        EXPECT_EQ(session.edit({"solver.method", {}, method}), "");
        for (const Edit& edit : edits) {
            // a method that does not read a value may refuse it
            const std::string issue = session.edit(edit);
            EXPECT_TRUE(issue.empty() || issue.find("needs solver.method") != std::string::npos) << issue;
        }
        for (int k = 0; k < 3; ++k) session.step();
        return stateHash(session.world());
    };
    const std::vector<Tunable> all = Session(file, {}, {.backend = "cpu"}).tunables();
    const auto& methods = choiceNames<Method>();
    for (size_t m = 0; m < methods.size(); ++m) {
        const std::string method(methods[m]);
        const uint64_t hash = hashAfter(method, {});
        int foreign = 0;
        for (const Tunable& t : all) {
            if (isUsedBy(Method(m), t.info.group, t.info.name)) continue;
            ++foreign;
            EXPECT_EQ(hashAfter(method, {otherValue(t)}), hash) << method << " reads " << t.value.path;
        }
        EXPECT_GE(foreign, 10) << method;
        int controls = 0;
        for (const Tunable& t : all) {
            const std::string& path = t.value.path;
            const bool control =
                (method == "position" && (path == "solver.iterations" || path == "fluid.overRelaxation" ||
                                          path == "materials.water.tension")) ||
                (method == "projective" &&
                 (path == "projective.iterations" || path == "materials.water.bulkModulus")) ||
                (method == "velocity" && (path == "velocity.relaxIterations" || path == "solver.iterations" ||
                                          path == "fluid.overRelaxation"));
            if (!control) continue;
            ++controls;
            EXPECT_NE(hashAfter(method, {otherValue(t)}), hash) << method << ", " << path;
        }
        EXPECT_GE(controls, 2) << method;
    }
}

TEST(MethodParameters, Exist) {
    for (const MethodParameter& entry : methodParameters()) {
        int found = 0;
        const auto count = [&](const auto&, const ParameterInfo& info) {
            found += entry.group == info.group && entry.name == info.name;
        };
        const Parameters parameters;
        const MaterialProperties material;
        forEachParameter(parameters, count);
        forEachParameter(material, count);
        EXPECT_EQ(found, 1) << entry.group << "." << entry.name;
    }
}

}  // namespace
}  // namespace coalesce::test
