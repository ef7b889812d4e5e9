#include "scene/format/file_elements.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string_view>
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

std::string withBodyMoved(const std::string& text, const std::string& body, Vec3 by) {
    const Node root = parsed(text);
    const Node& list = sectionListOf(root, "bodies", body);
    const size_t index = indexOf(list, body);
    const Node& element = list.children[index];
    // [m] a vector of the file, moved; nullopt: there is none
    const auto moved = [&](const Node* from) -> std::optional<std::string> {
        if (!from || !from->isArray() || from->children.size() != 3) return {};
        const float offset[] = {by.x, by.y, by.z};
        std::string numbers;
        for (size_t k = 0; k < 3; ++k)
            numbers +=
                fmt::format("{}{:.6g}", k ? ", " : "", from->children[k].number + double{offset[k]} + 0.0);
        return "[" + numbers + "]";
    };
    const Node* block = element.find("block");
    const auto low = moved(block ? block->find("min") : nullptr),
               high = moved(block ? block->find("max") : nullptr);
    if (low && high)
        return changed(
            replaceValue(changed(replaceValue(text, {"bodies", index, "block", "min"}, *low), body),
                         {"bodies", index, "block", "max"}, *high),
            body);
    if (const auto center = moved(element.find("center")))
        return changed(replaceValue(text, {"bodies", index, "center"}, *center), body);
    return changed(
        addKey(text, {"bodies", index}, "center", fmt::format("[{:.6g}, {:.6g}, {:.6g}]", by.x, by.y, by.z)),
        body);
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

namespace {

constexpr std::string_view kSections[] = {"shapes", "bodies", "emitters", "sinks", "fields"};

bool isSame(const Node& a, const Node& b) {
    if (a.type != b.type || a.boolean != b.boolean || a.number != b.number || a.text != b.text ||
        a.children.size() != b.children.size())
        return false;
    for (size_t k = 0; k < a.children.size(); ++k)
        if (a.children[k].key != b.children[k].key || !isSame(a.children[k], b.children[k])) return false;
    return true;
}

bool isSameButForName(Node a, Node b) {
    for (Node* node : {&a, &b}) std::erase_if(node->children, [](const Node& n) { return n.key == "name"; });
    return isSame(a, b);
}

const std::vector<Node>& elementsOf(const Node& root, const std::string& section) {
    static const std::vector<Node> kNone;
    const Node* list = root.find(section);
    return list && list->isArray() ? list->children : kNone;
}

std::string nameIn(const std::string& section, const std::vector<Node>& elements, const Node& element) {
    const std::string own = ownName(element);
    return own.empty() ? section + std::to_string(&element - elements.data()) : own;
}

}  // namespace

std::vector<ElementChange> changedElements(const std::string& file, const std::string& text) {
    using Kind = ElementChange::Kind;
    const Node before = parsed(file), after = parsed(text);
    std::vector<ElementChange> changes;
    for (const std::string_view name : kSections) {
        const std::string section(name);
        const std::vector<Node>&olds = elementsOf(before, section), &news = elementsOf(after, section);
        std::vector<const Node*> gone, added;
        for (const Node& node : olds) gone.push_back(&node);
        for (const Node& node : news) added.push_back(&node);
        // calls found( old, new ) for pairs of the remaining elements, and removes them
        const auto match = [&](auto&& isPair, auto&& found) {
            std::erase_if(gone, [&](const Node* old) {
                const auto other =
                    std::ranges::find_if(added, [&](const Node* n) { return isPair(*old, *n); });
                if (other == added.end()) return false;
                found(*old, **other);
                added.erase(other);
                return true;
            });
        };
        const auto isKept = [](const Node& a, const Node& b) {
            return ownName(a) == ownName(b) && (!ownName(a).empty() || isSame(a, b));
        };
        match(isKept, [&](const Node& a, const Node& b) {
            if (!isSame(a, b))
                changes.push_back(
                    {Kind::Changed, section, nameIn(section, news, b), nameIn(section, olds, a)});
        });
        match(isSameButForName, [&](const Node& a, const Node& b) {
            changes.push_back({Kind::Renamed, section, nameIn(section, news, b), nameIn(section, olds, a)});
        });
        for (const Node* node : gone)
            changes.push_back({Kind::Removed, section, "", nameIn(section, olds, *node)});
        for (const Node* node : added)
            changes.push_back({Kind::Added, section, nameIn(section, news, *node), ""});
    }
    return changes;
}

std::string withOriginal(const std::string& text, const std::string& file, const ElementChange& change) {
    const std::string& section = change.section;
    const size_t place = placeOfElement(file, section, change.before);
    const TextSpan span = spanOfValue(file, {section, place}).value();
    const std::string original = file.substr(span.begin, span.end - span.begin);
    if (change.kind == ElementChange::Kind::Renamed || change.kind == ElementChange::Kind::Changed)
        return changed(replaceValue(text, {section, placeOfElement(text, section, change.element)}, original),
                       section);
    // behind the last one of those that were before it in the file, under their present names
    std::vector<std::string> earlier = elementNames(file, section);
    earlier.resize(place);
    for (const ElementChange& other : changedElements(file, text))
        if (other.section == section && other.kind == ElementChange::Kind::Renamed)
            std::ranges::replace(earlier, other.before, other.element);
    const std::vector<std::string> present = elementNames(text, section);
    size_t at = 0;
    for (size_t k = 0; k < present.size(); ++k)
        if (std::ranges::count(earlier, present[k]) > 0) at = k + 1;
    const Node root = parsed(text);
    if (!root.find(section)) return changed(addKey(text, {}, section, "[" + original + "]"), section);
    return changed(insertElement(text, {section}, at, original), section);
}

bool differInLayoutOnly(const std::string& a, const std::string& b) {
    Node roots[] = {parsed(a), parsed(b)};
    // an empty list of elements is as none
    for (Node& root : roots)
        std::erase_if(root.children, [](const Node& n) {
            return n.isArray() && n.children.empty() && std::ranges::count(kSections, n.key) > 0;
        });
    return isSame(roots[0], roots[1]);
}

}  // namespace coalesce
