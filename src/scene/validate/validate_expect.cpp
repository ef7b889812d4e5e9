#include <fmt/format.h>

#include "scene/format/overrides.h"
#include "scene/format/scene_fields.h"
#include "scene/validate/scene_validator.h"

namespace coalesce {

// A shape that can be measured by the check.
void SceneValidator::validateShapeName(const Check& check, const Node* node, const std::string& path,
                                       const std::string& name) {
    const bool trigger = check.kind == "entered" || check.kind == "present", form = check.kind == "passed",
               inside = check.kind == "share_inside";
    Names names;
    for (const Shape& shape : m_scene.shapes)
        if (!(trigger && !shape.trigger) && !(form && shape.kind < ShapeKind::convex) &&
            !(inside && shape.kind == ShapeKind::mesh))
            names.push_back(shape.name);
    const char* thing = trigger  ? "trigger"
                        : form   ? "convex, sdf or mesh"
                        : inside ? "shape with an inside"
                                 : "shape";
    if (!has(names, name) && !m_erroneous.contains("shapes"))
        reportUnknown(node, path + ".shape", thing, name, names);
}

void SceneValidator::validateOrder(const Check& check, const Node* node, const std::string& path) {
    const auto measure = check.words.find("measure");
    if (hasError(path) || measure == check.words.end()) return;
    const CheckKind* kind = findCheckKind(measure->second);
    Names kinds;
    for (const CheckKind& known : checkKinds())
        if (!known.relatesCases() && std::string_view(known.name) != "order") kinds.emplace_back(known.name);
    if (!kind || !has(kinds, measure->second))
        report(node, path + ".measure",
               fmt::format("\"{}\" is not a kind of check that can be measured.{}",
                           printable(measure->second), didYouMean(measure->second, kinds)),
               "All checks: docs/scenes.md.");
    if (const auto it = check.lists.find("groups"); it != check.lists.end() && it->second.size() < 2)
        report(node, path + ".groups", "order needs at least two groups", "");
}

void SceneValidator::validateLimits(const Check& check, const CheckKind& kind, const Node* node,
                                    const std::string& path) {
    const bool expected = check.numbers.contains("expected");
    if (!hasError(path) && !kind.relatesCases() && expected != check.numbers.contains("tolerance"))
        report(node, path, "expected and tolerance must be given together",
               "For example \"expected\": 0.5, \"tolerance\": 0.05.");
    if (!hasError(path) && !kind.relatesCases() && !check.min && !check.max && !expected)
        report(node, path, "the check has no limit, so it cannot fail",
               "Give min, max, or expected with tolerance.");
    if (!hasError(path) && check.min && check.max && *check.min > *check.max)
        report(node, path,
               fmt::format("min {:g} is above max {:g}, so the check cannot pass", *check.min, *check.max),
               "");
    if (int(check.always) + int(check.at >= 0) + int(check.from >= 0 || check.to >= 0) > 1)
        report(node, path, "at, always and from/to exclude each other", "Give one of them.");
}

void SceneValidator::validateComparison(const Check& check, const Node* node, const std::string& path) {
    if (!hasError(path) && check.kind == "compare") {
        const auto relation = check.words.find("relation");
        const std::string word = relation == check.words.end() ? "" : relation->second;
        const bool pair = check.words.contains("of") && check.words.contains("to");
        const auto list = check.lists.find("cases");
        const bool several = list != check.lists.end() && list->second.size() >= 2;
        const char* needs = (word == "<" || word == ">") && !pair ? "`of` and `to`"
                            : word == "~" && !pair && !several ? "`of` and `to`, or `cases` with at least two"
                            : (word == "grows" || word == "falls") && !several ? "`cases` with at least two"
                            : word == "converges" && !(pair && check.words.contains("base"))
                                ? "`of`, `to` and `base`"
                                : nullptr;
        if (needs) report(node, path, fmt::format("the relation {} needs {}", word, needs), "");
    }
    for (const char* word : {"of", "to", "base"})
        if (const auto it = check.words.find(word); it != check.words.end())
            validateCaseName(node, path + "." + word, it->second);
    if (const auto it = check.lists.find("cases"); it != check.lists.end())
        for (const std::string& name : it->second) validateCaseName(node, path + ".cases", name);
    if (const auto it = check.words.find("measure"); it != check.words.end() && !has(m_labels, it->second))
        report(node, path + ".measure",
               fmt::format("no check is called \"{}\".{}", printable(it->second),
                           didYouMean(it->second, m_labels)),
               "measure is the name of another check in this file.");
}

void SceneValidator::validateChecks() {
    const Node* expect = m_root.find("expect");
    for (const Check& check : m_scene.expect) {
        const CheckKind* kind = findCheckKind(check.kind);
        if (!kind) continue;
        const Node* node = expect ? expect->find(check.name) : nullptr;
        const std::string path = "expect." + printable(check.name);
        validateGroupName(node, path + ".group", check.group, false);
        if (const auto it = check.words.find("other"); it != check.words.end())
            validateGroupName(node, path + ".other", it->second, check.kind != "submerged");
        if (check.kind == "pierced" && check.words.contains("other") && check.words.contains("class"))
            report(node, path, "`other` and `class` exclude each other",
                   "Give one of them: `other` counts particles of a body or material, `class` passive ones. "
                   "Two checks count both.");
        if (const auto it = check.words.find("emitter"); it != check.words.end())
            validateElementName(node, path + ".emitter", "emitter", it->second, m_scene.emitters);
        if (const auto it = check.words.find("sink"); it != check.words.end())
            validateElementName(node, path + ".sink", "sink", it->second, m_scene.sinks);
        if (const auto it = check.words.find("shape"); it != check.words.end())
            validateShapeName(check, node, path, it->second);
        if (const auto it = check.lists.find("groups"); it != check.lists.end())
            for (const std::string& name : it->second) validateGroupName(node, path + ".groups", name, false);
        if (check.kind == "order") validateOrder(check, node, path);
        if (const auto it = check.words.find("attribute"); it != check.words.end()) {
            Names attributes;
            for (const AttributeInfo& attribute : m_scene.attributes) attributes.push_back(attribute.name);
            if (!has(attributes, it->second))
                report(node, path + ".attribute",
                       fmt::format("no attribute is called \"{}\".{}", printable(it->second),
                                   didYouMean(it->second, attributes)),
                       attributes.empty() ? "The scene has no attributes."
                                          : "There are: " + listOf(attributes) + ".");
        }
        validateLimits(check, *kind, node, path);
        if (kind->relatesCases()) validateComparison(check, node, path);
    }
}

void SceneValidator::validateControls() {
    Names labels = m_labels;
    labels.insert(labels.end(), {"finite", "balance", "no_overflow", "inside", "repeatable"});
    const Node* cases = m_root.find("cases");
    if (!cases) return;
    for (const Node& set : cases->children) {
        // checks may be removed in one case and required to fail in another
        if (!m_scene.caseName.empty() && set.key != m_scene.caseName) continue;
        const Node* control = set.find("control");
        if (!control || !control->isArray()) continue;
        for (const Node& name : control->children)
            if (name.isText() && !has(labels, name.text))
                report(&name, fmt::format("cases.{}.control", printable(set.key)),
                       fmt::format("no check is called \"{}\".{}", printable(name.text),
                                   didYouMean(name.text, labels)),
                       "A control names checks of `expect`.");
    }
}

}  // namespace coalesce
