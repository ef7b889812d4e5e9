#include "scene/format/file_elements.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/error.h"
#include "scene/format/json_edit.h"
#include "scene/format/json_text.h"
#include "scene/format/overrides.h"

namespace coalesce {

namespace {

Node parsed(const std::string& text) {
    Node root;
    std::vector<Diagnostic> diagnostics;
    if (!parseJson(text, root, diagnostics) || !diagnostics.empty())
        fail(Exit::Scene, "the scene file", diagnostics.empty() ? "is not JSON" : diagnostics.back().what,
             "Correct the file first.");
    return root;
}

const Node& sectionListOf(const Node& root, const std::string& section, const std::string& element) {
    const Node* list = root.find(section);
    if (!list || !childOf(*list, element))
        fail(Exit::Scene, section + "." + element, "is not in the list of the file",
             "A size, a case, --set or the simulation has made it. Change it there.");
    return *list;
}

size_t indexOf(const Node& list, const std::string& element) {
    return size_t(childOf(list, element) - list.children.data());
}

// Its own name; empty: it has none.
std::string ownName(const Node& element) {
    const Node* name = element.find("name");
    return name && name->isText() ? name->text : "";
}

// The text after a change of a list.
std::string changed(std::optional<std::string> text, const std::string& section) {
    if (!text) fail(Exit::Scene, section, "is not a list of elements", "Correct the file first.");
    return std::move(*text);
}

// Refuses a change that would break entries of sizes and cases. isBroken( index of the element that the entry
// refers to, whether by its number )
template <class IsBroken>
void checkEntries(const Node& root, const std::string& section, const Node& list, const std::string& element,
                  IsBroken&& isBroken) {
    for (const char* sets : {"sizes", "cases"}) {
        const Node* all = root.find(sets);
        if (!all) continue;
        for (const Node& set : all->children)
            for (const Node& entry : set.children) {
                const std::vector<std::string> names = splitPath(entry.key);
                const Node* meant =
                    names.size() > 1 && names[0] == section ? childOf(list, names[1]) : nullptr;
                if (!meant) continue;
                const auto at = size_t(meant - list.children.data());
                // the name that the scene gives an element without one is its number, too
                if (isBroken(at, ownName(*meant) != names[1]))
                    fail(Exit::Scene, section + "." + element,
                         fmt::format("\"{}\" of {}.{} would no longer fit", entry.key, sets, set.key),
                         "Change that entry in the file first, and save it.");
            }
    }
}

std::string quoted(const std::string& name) {
    return nlohmann::json(name).dump();
}

std::string named(const std::string& element, const std::string& name) {
    const auto renamed = replaceValue(element, {"name"}, quoted(name));
    return renamed ? *renamed : changed(addKey(element, {}, "name", quoted(name)), name);
}

}  // namespace

std::string withElement(const std::string& text, const std::string& section, const std::string& json) {
    const Node root = parsed(text);
    const Node* list = root.find(section);
    if (!list) return changed(addKey(text, {}, section, "[" + json + "]"), section);
    return changed(insertElement(text, {section}, list->children.size(), json), section);
}

std::string withCopy(const std::string& text, const std::string& section, const std::string& element,
                     const std::string& name) {
    const Node root = parsed(text);
    const Node& list = sectionListOf(root, section, element);
    const size_t index = indexOf(list, element);
    checkEntries(root, section, list, element,
                 [&](size_t at, bool byNumber) { return byNumber && at > index; });
    const TextSpan span = spanOfValue(text, {section, index}).value();
    return changed(insertElement(text, {section}, index + 1,
                                 named(text.substr(span.begin, span.end - span.begin), name)),
                   section);
}

std::string withName(const std::string& text, const std::string& section, const std::string& element,
                     const std::string& name) {
    const Node root = parsed(text);
    const Node& list = sectionListOf(root, section, element);
    const size_t index = indexOf(list, element);
    checkEntries(root, section, list, element,
                 [&](size_t at, bool byNumber) { return !byNumber && at == index; });
    const TextSpan span = spanOfValue(text, {section, index}).value();
    return changed(
        replaceValue(text, {section, index}, named(text.substr(span.begin, span.end - span.begin), name)),
        section);
}

std::string withoutElement(const std::string& text, const std::string& section, const std::string& element) {
    const Node root = parsed(text);
    const Node& list = sectionListOf(root, section, element);
    const size_t index = indexOf(list, element);
    checkEntries(root, section, list, element,
                 [&](size_t at, bool byNumber) { return at == index || (byNumber && at > index); });
    return changed(removeElement(text, {section}, index), section);
}

std::vector<std::string> elementNames(const std::string& text, const std::string& section) {
    const Node root = parsed(text);
    std::vector<std::string> names;
    if (const Node* list = root.find(section); list && list->isArray())
        for (const Node& element : list->children) {
            const std::string own = ownName(element);
            names.push_back(own.empty() ? section + std::to_string(names.size()) : own);
        }
    return names;
}

size_t placeOfElement(const std::string& text, const std::string& section, const std::string& element) {
    const Node root = parsed(text);
    return indexOf(sectionListOf(root, section, element), element);
}

std::string freeElementName(const std::string& text, const std::string& section, const std::string& name) {
    const Node root = parsed(text);
    const Node* list = root.find(section);
    std::string free = name;
    for (int number = 2; list && childOf(*list, free); ++number) free = fmt::format("{}_{}", name, number);
    return free;
}

}  // namespace coalesce
