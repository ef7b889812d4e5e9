// Which kinds of materials have which properties.
#include <algorithm>
#include <cctype>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "scene/reader.h"
#include "session/session.h"
#include "sim/state/state_hash.h"
#include "sim/world/material_kinds.h"
#include "sim/world/method_parameters.h"
#include "support/every_value.h"

namespace coalesce::test {
namespace {

// What the simulation computes does not depend on a property of other kinds, with any method.
TEST(MaterialKinds, HaveTheirPropertiesOnly) {
    TemporaryFolder folder;
    const std::filesystem::path file = folder / "kinds.json";
    writeText(file, R"({
        "about": "All kinds of materials, which touch each other, hot and foaming.", "duration": 1,
        "attributes": { "temperature": { "default": 293 } },
        "materials": {
            "water": { "spacing": 0.1, "foam": "custom", "foamSpeed": 0.01, "foamTrappedAirSpeed": 0.01 },
            "sand": { "kind": "grains", "spacing": 0.1, "cohesion": 5, "dynamicFriction": 0.3 },
            "brick": { "kind": "rigid", "spacing": 0.1, "staticFriction": 0.3, "dynamicFriction": 0.3 },
            "jelly": { "kind": "soft", "spacing": 0.1, "stiffness": 0.5, "dynamicFriction": 0.3 },
            "sheet": { "kind": "cloth", "spacing": 0.1, "dynamicFriction": 0.3 },
            "line": { "kind": "rope", "spacing": 0.1, "dynamicFriction": 0.3 },
            "air": { "kind": "gas", "spacing": 0.1, "density": 300 } },
        "bodies": [
            { "name": "pool", "material": "water", "block": { "min": [0, 0, 0], "max": [0.5, 0.5, 0.5] },
              "values": { "temperature": 350 }, "velocity": [1, 0, 0] },
            { "name": "heap", "material": "sand", "block": { "min": [0.5, 0, 0], "max": [0.8, 0.4, 0.4] } },
            { "name": "block", "material": "brick", "block": { "min": [0.5, 0.4, 0], "max": [0.8, 0.6, 0.3] } },
            { "name": "cube", "material": "jelly", "block": { "min": [0, 0.5, 0], "max": [0.3, 0.8, 0.3] } },
            { "name": "flag", "material": "sheet", "grid": { "size": [0.5, 0, 0.5] }, "center": [0.3, 0.9, 0.25] },
            { "name": "cord", "material": "line", "rope": { "points": [[0.3, 1, 0.2], [0.8, 1, 0.2]] } },
            { "name": "cloud", "material": "air", "block": { "min": [0, 0, 0.5], "max": [0.8, 0.4, 0.8] },
              "values": { "temperature": 350 } } ],
        "shapes": [{ "name": "floor", "plane": { "normal": [0, 1, 0], "offset": 0 } }]
    })");
    const Scene scene = readScene(file);
    for (const std::string_view& method : choiceNames<Method>()) {
        const std::string choice = "solver.method=" + std::string(method);
        const auto hashAfter = [&](const std::vector<std::string>& more) {
            std::vector<std::string> sets = {choice};
            if (method == "velocity") sets.emplace_back("materials.sand.cohesion=0");
            sets.insert(sets.end(), more.begin(), more.end());
            SceneChoice chosen;
            chosen.sets = sets;
            Session session(file, chosen, {.backend = "cpu"});
            for (int k = 0; k < 4; ++k) session.step();
            return stateHash(session.world());
        };
        const uint64_t hash = hashAfter({});
        int foreign = 0;
        for (const Tunable& t : Session(file, {}, {.backend = "cpu"}).tunables()) {
            if (t.section != "materials" ||
                !isUsedBy(Method(&method - choiceNames<Method>().data()), "material", t.info.name))
                continue;
            const std::vector<MaterialKind> kinds = kindsOf(t.info.about);
            const auto material = std::ranges::find(scene.materials, t.element, &Material::name);
            if (kinds.empty() || std::ranges::find(kinds, material->properties.kind) != kinds.end()) continue;
            const std::string set = asSet(otherValue(t));
            uint64_t changed = hash;
            try {
                changed = hashAfter({set});
            } catch (const Error&) {  // some properties are refused for kinds that do not have them
            }
            ++foreign;
            EXPECT_EQ(changed, hash) << choice << " " << set;
        }
        EXPECT_GE(foreign, 100);
    }
}

TEST(MaterialKinds, AreParsedFromTheDescription) {
    EXPECT_THAT(kindsOf("Cloth, rope: share of the bend."),
                testing::ElementsAre(MaterialKind::cloth, MaterialKind::rope));
    EXPECT_THAT(kindsOf("Liquid: tension."), testing::ElementsAre(MaterialKind::fluid));
    EXPECT_TRUE(kindsOf("Rest density.").empty());
    EXPECT_TRUE(kindsOf("XSPH viscosity coefficient c per substep: 0 none").empty());
}

// A misspelled kind in a description would move the property to the general ones.
TEST(MaterialKinds, AreAllNamedInDescriptionsThatBeginWithOne) {
    int ofKinds = 0;
    const MaterialProperties properties;
    forEachParameter(properties, [&](const auto&, const ParameterInfo& info) {
        const std::string about = info.about;
        std::string first = about.substr(0, about.find_first_of(" ,:"));
        if (!first.empty()) first[0] = char(std::tolower(first[0]));
        const auto& names = choiceNames<MaterialKind>();
        const bool named = first == "liquid" || std::find(names.begin(), names.end(), first) != names.end();
        const bool list = about.find(": ") < about.find_first_of(".;");
        if (!named || !list) return;
        EXPECT_FALSE(kindsOf(info.about).empty()) << info.name << ": " << about;
        ++ofKinds;
    });
    EXPECT_GT(ofKinds, 20);
}

}  // namespace
}  // namespace coalesce::test
