#include "scene/format/overrides.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "core/error.h"
#include "scene/format/former_keys.h"
#include "sim/world/parameters.h"

namespace coalesce {

namespace {

// Names of the elements of a list or object in a path.
std::vector<std::string> namesIn(const Node& node) {
    std::vector<std::string> names;
    for (const Node& child : node.children) {
        const Node* name = node.isObject() ? nullptr : child.find("name");
        if (node.isObject())
            names.push_back(child.key);
        else if (name && name->isText())
            names.push_back(name->text);
        if (names.size() >= 64) break;
    }
    return names;
}

Node* step(Node& node, const std::string& name) {
    return const_cast<Node*>(childOf(node, name));
}

// What a path of two or more names probably means whose first one is none of the file: "material.viscosity" and
// "water.viscosity" in a scene with the material water are "materials.water.viscosity"; "": unknown.
std::string meantPath(const Node& root, const std::vector<std::string>& names) {
    std::string rest;
    for (size_t i = 1; i < names.size(); ++i) rest += "." + names[i];
    // "material.water.viscosity"
    if (const Node* section = root.find(names[0] + "s"); section && childOf(*section, names[1]))
        return section->key + rest;
    for (const Node& section : root.children) {
        if (section.key != "materials" && !section.isArray()) continue;
        for (const Node& element : section.children) {
            const Node* own = section.isArray() ? element.find("name") : nullptr;
            const std::string& name = own && own->isText() ? own->text : element.key;
            if (!name.empty() && (names[0] == name || names[0] + "s" == section.key))
                return section.key + "." + name + rest;
        }
    }
    return "";
}

bool isParameter(const std::string& group, const std::string& name) {
    bool found = false;
    const Parameters parameters;
    forEachParameter(parameters, [&](const auto&, const ParameterInfo& info) {
        found |= group == info.group && name == info.name;
    });
    return found;
}

// names[at] of the path does not exist in `node`.
Diagnostic unknownName(const Node& node, const std::string& path, const std::vector<std::string>& names,
                       size_t at, const Node& value) {
    const std::vector<std::string> there = namesIn(node);
    std::string hint = there.empty() ? "Elements of a list are addressed by name or index, from 0."
                                     : "There are: " + listOf(there) + ".";
    const bool index = !names[at].empty() && names[at].find_first_not_of("0123456789") == std::string::npos;
    if (index && node.isObject() && !there.empty()) {
        std::string example;
        for (size_t i = 0; i < names.size(); ++i) example += (i ? "." : "") + (i == at ? there[0] : names[i]);
        hint += " They are addressed by name, not by index: " + printable(example, 120) + ".";
    }
    return {value.line,
            0,
            value.origin,
            printable(path, 120),
            fmt::format("there is no \"{}\" here.{}", printable(names[at]), didYouMean(names[at], there)),
            std::move(hint)};
}

void setOrigin(Node& node, const std::string& origin) {
    node.origin = origin;
    node.line = 0;
    for (Node& child : node.children) setOrigin(child, origin);
}

}  // namespace

std::string chosenSize(const Node& root, const std::string& asked) {
    const Node* sizes = root.find("sizes");
    const bool hasDefault = sizes && sizes->isObject() && sizes->find(kDefaultSize);
    return asked.empty() && hasDefault ? kDefaultSize : asked;
}

std::string didYouMean(const std::string& word, const std::vector<std::string>& candidates) {
    if (word.size() > 64) return "";
    // other words for the same, before words that only look alike
    constexpr std::pair<std::string_view, std::string_view> kSynonyms[] = {
        {"liquid", "fluid"},    {"water", "fluid"},     {"sand", "grains"},   {"granular", "grains"},
        {"fabric", "cloth"},    {"air", "gas"},         {"smoke", "gas"},     {"elastic", "soft"},
        {"solid", "rigid"},     {"box", "block"},       {"cube", "block"},    {"cube", "box"},
        {"center", "position"}, {"position", "center"}, {"render", "record"}, {"simulate", "run"},
        {"sim", "run"},         {"open", "view"},       {"play", "view"},     {"check", "validate"},
    };
    std::string near;
    for (const auto& [other, name] : kSynonyms)
        if (near.empty() && word == other && std::ranges::find(candidates, name) != candidates.end())
            near = name;
    if (near.empty()) near = nearest(word, candidates);
    // two swapped letters, which nearest() counts as two errors
    for (size_t i = 0; near.empty() && i + 1 < word.size(); ++i) {
        std::string swapped = word;
        std::swap(swapped[i], swapped[i + 1]);
        if (std::find(candidates.begin(), candidates.end(), swapped) != candidates.end()) near = swapped;
    }
    return near.empty() ? "" : fmt::format(" Did you mean \"{}\"?", printable(near));
}

std::string numberText(double number) {
    // a number too large for a float is none
    const auto narrow = std::abs(number) <= std::numeric_limits<float>::max() ? float(number) : 0.0f;
    if (double(narrow) == number) {
        std::string text = fmt::format("{}", narrow);
        if (float(std::strtod(text.c_str(), nullptr)) == narrow) return text;
    }
    return fmt::format("{}", number);
}

std::string listOf(const std::vector<std::string>& names) {
    std::string out;
    for (size_t i = 0; i < names.size() && i < 24; ++i) out += (i ? ", " : "") + printable(names[i]);
    return names.size() > 24 ? out + ", …" : out;
}

std::vector<std::string> splitPath(const std::string& path) {
    std::vector<std::string> names(1);
    for (size_t i = 0; i < path.size(); ++i) {
        const size_t close = path[i] == '[' ? path.find_first_not_of("0123456789", i + 1) : std::string::npos;
        const bool isIndex = close != std::string::npos && close > i + 1 && path[close] == ']' &&
                             (close + 1 == path.size() || path[close + 1] == '.' || path[close + 1] == '[');
        if (path[i] == '.') {
            names.emplace_back();
        } else if (isIndex) {
            names.push_back(path.substr(i + 1, close - i - 1));
            i = close;
        } else {
            names.back() += path[i];
        }
    }
    return names;
}

const Node* childOf(const Node& node, const std::string& name) {
    if (node.isObject()) return node.find(name);
    if (!node.isArray()) return nullptr;
    for (const Node& child : node.children)
        if (const Node* own = child.find("name"); own && own->isText() && own->text == name) return &child;
    // an element without a name is called "shapes0" in the scene
    const bool isGiven = !node.key.empty() && name.starts_with(node.key);
    const char *begin = name.data() + (isGiven ? node.key.size() : 0), *last = name.data() + name.size();
    size_t index = 0;
    const auto [end, error] = std::from_chars(begin, last, index);
    const bool isIndex = error == std::errc() && end == last;
    if (isGiven && isIndex && index < node.children.size() && node.children[index].find("name"))
        return nullptr;
    return isIndex && index < node.children.size() ? &node.children[index] : nullptr;
}

bool applyOverride(Node& root, const std::string& path, Node value, std::vector<Diagnostic>& diagnostics) {
    const std::vector<std::string> names = splitPath(path);
    const std::string meant = names.size() > 1 && !root.find(names[0]) ? meantPath(root, names) : "";
    if (!meant.empty()) {
        diagnostics.push_back({value.line, 0, value.origin, printable(path, 120),
                               fmt::format("there is no \"{}\" here. Did you mean \"{}\"?",
                                           printable(names[0]), printable(meant, 120)),
                               "There are: " + listOf(namesIn(root)) + "."});
        return false;
    }
    if (names.size() == 3 && names[2].size() == 1 && std::string_view("xyz").find(names[2]) < 3) {
        diagnostics.push_back({value.line, 0, value.origin, printable(path, 120),
                               "the components of a vector have no names",
                               fmt::format("For example '{}.{}=[0, 1, 0]'.", names[0], names[1])});
        return false;
    }
    if (names.size() == 3 && isParameter(names[0], names[1]) &&
        !(root.find(names[0]) && root.find(names[0])->find(names[1]))) {
        diagnostics.push_back(
            {value.line, 0, value.origin, printable(path, 120),
             fmt::format("the file does not give {}.{}, of which this would be a component", names[0],
                         names[1]),
             fmt::format("Give the whole vector, for example '{}.{}=[0, 1, 0]'.", names[0], names[1])});
        return false;
    }
    Node* node = &root;
    for (size_t i = 0; i + 1 < names.size(); ++i) {
        Node* next = step(*node, names[i]);
        if (!next && i == 0 && node->isObject() && names.size() == 2) {
            // adds a section that the file omits; the reader reports misspelled ones
            Node section;
            section.type = Node::Type::Object;
            section.key = names[0];
            section.line = value.line;
            section.origin = value.origin;
            node->children.push_back(std::move(section));
            next = &node->children.back();
        }
        if (!next) {
            diagnostics.push_back(unknownName(*node, path, names, i, value));
            return false;
        }
        node = next;
    }
    const std::string& last = names.back();
    Node* old = step(*node, last);
    if (!old && (!node->isObject() || last.empty() || value.type == Node::Type::Null)) {
        diagnostics.push_back(unknownName(*node, path, names, names.size() - 1, value));
        return false;
    }
    if (value.type == Node::Type::Null) {
        node->children.erase(node->children.begin() + (old - node->children.data()));
        return true;
    }
    value.key = node->isObject() ? last : "";
    if (old)
        *old = std::move(value);
    else
        node->children.push_back(std::move(value));
    return true;
}

namespace {

// Spaces around "=" are easily typed within quotes, and belong to neither side.
std::string withoutSpacesAround(const std::string& text) {
    const size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
    return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

}  // namespace

bool applySet(Node& root, const std::string& set, std::vector<Diagnostic>& diagnostics) {
    const std::string origin = "--set " + printable(set, 120);
    const size_t equals = set.find('=');
    if (equals == std::string::npos || equals == 0) {
        diagnostics.push_back(
            {0, 0, origin, "", "expects path=value", "For example --set solver.substeps=4."});
        return false;
    }
    const std::string text = withoutSpacesAround(set.substr(equals + 1));
    Node value;
    std::vector<Diagnostic> syntax;
    const bool isVector = text.find(',') != std::string::npos &&
                          text.find_first_not_of("0123456789+-.eE, ") == std::string::npos;
    if (!parseJson(isVector ? "[" + text + "]" : text, value, syntax)) {
        if (text.empty() || std::string_view("[{\"").find(text.front()) != std::string_view::npos) {
            diagnostics.push_back({0, 0, origin, "", syntax.empty() ? "no value" : syntax.back().what,
                                   "The value is JSON: 4, [0, 1, 0], \"a string\"."});
            return false;
        }
        value = {};
        value.type = Node::Type::Text;
        value.text = text;
    }
    setOrigin(value, origin);
    std::string path = withoutSpacesAround(set.substr(0, equals));
    renameFormerKeys(path, value);
    return applyOverride(root, path, std::move(value), diagnostics);
}

}  // namespace coalesce
