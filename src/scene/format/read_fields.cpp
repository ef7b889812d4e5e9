#include "scene/format/read_fields.h"

#include <cmath>

namespace coalesce {

std::string joinPath(const std::string& path, const std::string& name) {
    return path.empty() ? name : name.empty() ? path : path + "." + name;
}

void ReadFields::report(const char* key, std::string what, std::string hint) {
    const Node* child = *key ? m_node.find(key) : nullptr;
    note(child ? *child : m_node, key, std::move(what), std::move(hint));
}

void ReadFields::oneForm(int found, const char* thing, const std::vector<std::string>& forms,
                         const char* example) {
    if (found > 1) report("", fmt::format("a {} can be only one of {}", thing, listOf(forms)), example);
    if (found > 0) return;
    // a key that is not known, and holds what a form holds, is meant to be one
    for (const Node& child : m_node.children) {
        const bool known = std::find(m_known.begin(), m_known.end(), child.key) != m_known.end();
        if (known || !(child.isObject() || child.isArray())) continue;
        note(child, printable(child.key),
             fmt::format("no kind of {} is called that.{}", thing, didYouMean(child.key, forms)),
             fmt::format("A {} is one of {}.", thing, listOf(forms)));
        m_known.push_back(child.key);
        return;
    }
    report("", fmt::format("a {} needs one of {}", thing, listOf(forms)), example);
}

void ReadFields::unknownCheck(const std::string& kind) {
    std::vector<std::string> kinds;
    for (const CheckKind& known : checkKinds()) kinds.emplace_back(known.name);
    report("check", fmt::format("no check is called \"{}\".{}", printable(kind), didYouMean(kind, kinds)),
           "All checks with their units and options: docs/scenes.md. A label of your own needs "
           "\"check\": the kind.");
    for (const Node& child : m_node.children)
        m_known.push_back(child.key);  // without a kind nothing more can be said
}

void ReadFields::finish() {
    for (const Node& child : m_node.children) {
        if (std::find(m_known.begin(), m_known.end(), child.key) != m_known.end()) continue;
        note(child, printable(child.key), fmt::format("no such key.{}", didYouMean(child.key, m_known)),
             m_ofManifest ? "All properties with ranges and units: coalesce params."
                          : "Known here: " + listOf(m_known) + ".");
        if (m_diagnostics.size() > kMaxDiagnostics) return;
    }
}

bool ReadFields::value(bool& out, const Field& field, bool) {
    const Node* node = take(field);
    if (!node) return false;
    if (node->type != Node::Type::Bool) return wrongType(*node, field, "true or false");
    out = node->boolean;
    return true;
}

bool ReadFields::value(double& out, const Field& field, bool) {
    const Node* node = take(field);
    return node && readNumber(*node, field.name, field, out);
}

bool ReadFields::value(float& out, const Field& field, bool) {
    double number = 0;
    if (!value(number, field)) return false;
    out = static_cast<float>(number);
    return true;
}

bool ReadFields::value(int& out, const Field& field, bool) {
    double number = 0;
    const Node* node = take(field);
    if (!node || !readWhole(*node, field, number)) return false;
    out = static_cast<int>(number);
    return true;
}

bool ReadFields::value(uint64_t& out, const Field& field, bool) {
    double number = 0;
    const Node* node = take(field);
    if (!node || !readWhole(*node, field, number)) return false;
    out = static_cast<uint64_t>(number);
    return true;
}

bool ReadFields::value(std::string& out, const Field& field, bool) {
    const Node* node = take(field);
    if (!node) return false;
    if (!node->isText()) return wrongType(*node, field, "a text");
    out = node->text;
    if (std::string_view(field.name) == "name" &&
        (out.empty() || out.find('.') != std::string::npos || out.size() > 100)) {
        note(*node, field.name, fmt::format("\"{}\" cannot be a name", printable(out)),
             "A name is not empty, has no dot (dots divide the paths of --set), and has at most 100 "
             "letters.");
        return false;
    }
    return true;
}

bool ReadFields::value(std::vector<std::string>& out, const Field& field, bool) {
    const Node* node = take(field);
    return node && readTexts(*node, field, out);
}

bool ReadFields::value(std::optional<double>& out, const Field& field, bool) {
    double number = 0;
    if (!value(number, field)) return false;
    out = number;
    return true;
}

bool ReadFields::value(Vec3& out, const Field& field, bool) {
    const Node* node = take(field);
    return node && readVector(*node, field.name, field, out);
}

bool ReadFields::rotation(Quat& out, const Field& field, bool) {
    const Node* node = take(field);
    if (!node) return false;
    double numbers[4];
    if (!node->isArray() || (node->children.size() != 3 && node->children.size() != 4))
        return wrongType(*node, field, "three angles in degrees, or a quaternion x, y, z, w");
    const bool angles = node->children.size() == 3;
    const Field range{field.name, "", angles ? "deg" : "-", angles ? -1e6 : -2, angles ? 1e6 : 2};
    for (size_t i = 0; i < node->children.size(); ++i)
        if (!readNumber(node->children[i], joinPath(field.name, std::to_string(i)), range, numbers[i]))
            return false;
    if (angles) {
        const double radians = std::acos(-1.0) / 180;
        out = quatFromEuler(numbers[0] * radians, numbers[1] * radians, numbers[2] * radians);
        return true;
    }
    double norm = 0;
    for (const double number : numbers) norm += number * number;
    if (std::abs(norm - 1) > 1e-3) {
        note(*node, field.name,
             fmt::format("a rotation's quaternion has length 1; this one has {:.4g}", std::sqrt(norm)),
             "Divide it by its length, or give three angles in degrees.");
        return false;
    }
    out = {static_cast<float>(numbers[0]), static_cast<float>(numbers[1]), static_cast<float>(numbers[2]),
           static_cast<float>(numbers[3])};
    return true;
}

bool ReadFields::degrees(Vec3& out, const Field& field) {
    const Node* node = take(field);
    double numbers[3];
    if (!node || !readNumbers(*node, field.name, field, numbers)) return false;
    const double radians = std::acos(-1.0) / 180;
    out = {static_cast<float>(numbers[0] * radians), static_cast<float>(numbers[1] * radians),
           static_cast<float>(numbers[2] * radians)};
    return true;
}

bool ReadFields::points(std::vector<Vec3>& out, const Field& field, bool) {
    const Node* node = take(field);
    if (!node) return false;
    if (!node->isArray()) {
        wrongType(*node, field, "a list of points [x, y, z]");
        return true;  // the key is there: the body is meant to be points
    }
    if (node->children.empty())
        note(*node, field.name, "a body without particles", "Give at least one point [x, y, z].");
    out.reserve(node->children.size());
    for (size_t i = 0; i < node->children.size(); ++i) {
        Vec3 point{};
        if (!readVector(node->children[i], joinPath(field.name, std::to_string(i)), field, point) &&
            m_diagnostics.size() > kMaxDiagnostics)
            break;
        out.push_back(point);
    }
    return true;
}

bool ReadFields::numbers(std::vector<double>& out, const Field& field) {
    const Node* node = take(field);
    if (!node) return false;
    double vector[3], number = 0;
    if (node->isArray() && readNumbers(*node, field.name, field, vector)) out.assign(vector, vector + 3);
    if (!node->isArray() && readNumber(*node, field.name, field, number)) out.assign(1, number);
    return !out.empty();
}

bool ReadFields::attributes(uint32_t& mask, const Field& field) {
    const Node* node = take(field);
    if (!node) return false;
    if (!node->isArray() || node->children.empty())
        return wrongType(*node, field, "a list of channels, whole numbers from 0 to 7");
    mask = 0;
    for (size_t i = 0; i < node->children.size(); ++i) {
        const Field each{field.name, "", "-", 0, 7};
        double number = 0;
        if (!readNumber(node->children[i], joinPath(field.name, std::to_string(i)), each, number))
            return false;
        if (number != std::floor(number)) return wrongType(*node, field, "whole numbers from 0 to 7");
        mask |= 1u << static_cast<uint32_t>(number);
    }
    return true;
}

bool ReadFields::namedNumbers(NamedNumbers& out, const Field& field) {
    const Node* node = take(field);
    if (!node) return false;
    if (!node->isObject()) return wrongType(*node, field, "an object: name → number or [x, y, z]");
    for (const Node& child : node->children) {
        const std::string name = joinPath(field.name, printable(child.key));
        const Field each{field.name, "", field.unit, -kLargest, kLargest};
        double vector[3], number = 0;
        if (child.isArray() && readNumbers(child, name, each, vector))
            out[child.key].assign(vector, vector + 3);
        if (!child.isArray() && readNumber(child, name, each, number)) out[child.key].assign(1, number);
    }
    return true;
}

void ReadFields::reference(uint32_t& out, const std::vector<Material>&, const Field& field) {
    const Node* node = take(field);
    if (!node) {
        if (!m_materials) return;
        if (m_materials->size() > 1)
            note(m_node, field.name, "which material? There are several",
                 "Write \"material\": one of " + listOf(*m_materials) + ".");
        else if (m_materials->empty())
            note(m_node, field.name, "the scene has no material",
                 "Add \"materials\": {\"water\": {\"spacing\": 0.05}}.");
        return;
    }
    if (!node->isText()) {
        wrongType(*node, field, "the name of a material");
        return;
    }
    if (!m_materials) return;
    const auto found = std::find(m_materials->begin(), m_materials->end(), node->text);
    if (found == m_materials->end()) {
        note(*node, field.name,
             fmt::format("no material is called \"{}\".{}", printable(node->text),
                         didYouMean(node->text, *m_materials)),
             m_materials->empty() ? "The scene has no materials."
                                  : "There are: " + listOf(*m_materials) + ".");
        return;
    }
    out = static_cast<uint32_t>(found - m_materials->begin());
}

void ReadFields::word(std::map<std::string, std::string>& out, const Field& field,
                      const std::vector<const char*>& choices) {
    std::string word;
    if (!value(word, field)) return;
    const std::vector<std::string> words(choices.begin(), choices.end());
    if (!words.empty() && std::find(words.begin(), words.end(), word) == words.end()) {
        unknownWord(*m_node.find(field.name), field, words);
        return;
    }
    out[field.name] = word;
}

void ReadFields::words(std::map<std::string, std::vector<std::string>>& out, const Field& field) {
    std::vector<std::string> words;
    if (value(words, field)) out[field.name] = words;
}

void ReadFields::point(std::map<std::string, Vec3>& out, const Field& field) {
    Vec3 point{};
    if (value(point, field)) out[field.name] = point;
}

void ReadFields::overrides(const Field& field, std::vector<std::string>& names, const std::string& chosen,
                           std::vector<std::string>* control) {
    const Node* node = take(field);
    if (!node) return;
    if (!node->isObject()) {
        wrongType(*node, field, "an object: name → overrides");
        return;
    }
    for (const Node& set : node->children) {
        names.push_back(set.key);
        const std::string path = joinPath(field.name, printable(set.key));
        if (!set.isObject()) {
            m_diagnostics.push_back({set.line, 0, set.origin, path,
                                     "expects an object of dotted paths, got " + set.describe(),
                                     "For example {\"solver.substeps\": 4}."});
            continue;
        }
        const Node* list = set.find("control");
        if (!list) continue;
        std::vector<std::string> checks;
        if (readTexts(*list, {"control", ""}, checks) && set.key == chosen && control) *control = checks;
    }
}

bool ReadFields::isManifest(std::string_view name) {
    if (name == "materials") return true;
    const auto& groups = parameterGroups();
    return std::find(groups.begin(), groups.end(), name) != groups.end();
}

void ReadFields::note(const Node& node, const std::string& key, std::string what, std::string hint) {
    m_diagnostics.push_back(
        {node.line, 0, node.origin, joinPath(m_path, key), std::move(what), std::move(hint)});
}

const Node* ReadFields::take(const Field& field) {
    m_known.emplace_back(field.name);
    const Node* node = m_node.find(field.name);
    if (!node && field.required) note(m_node, field.name, "is missing", field.about);
    return node;
}

bool ReadFields::wrongType(const Node& node, const Field& field, const std::string& wanted) {
    note(node, field.name, fmt::format("expects {}, got {}", wanted, node.describe()), "");
    return false;
}

bool ReadFields::unknownWord(const Node& node, const Field& field, const std::vector<std::string>& words) {
    note(node, field.name,
         fmt::format("\"{}\" is not a choice.{}", printable(node.text), didYouMean(node.text, words)),
         "Choose one of " + listOf(words) + ".");
    return false;
}

bool ReadFields::readNumber(const Node& node, const std::string& name, const Field& field, double& out) {
    if (node.isText() && isNotFiniteWord(node.text)) {
        note(node, name, fmt::format("\"{}\" is not a finite number", printable(node.text)), "");
        return false;
    }
    if (!node.isNumber()) {
        note(node, name, fmt::format("expects a number, got {}", node.describe()), "");
        return false;
    }
    if (!std::isfinite(node.number) || node.number < field.min || node.number > field.max) {
        const std::string unit = std::string_view(field.unit) == "-" ? "" : std::string(" ") + field.unit;
        note(node, name, fmt::format("{:g}{} is out of range", node.number, unit),
             fmt::format("Allowed: {:g} to {:g}{}.", field.min, field.max, unit));
        return false;
    }
    out = node.number;
    return true;
}

bool ReadFields::readWhole(const Node& node, const Field& field, double& out) {
    if (!readNumber(node, field.name, field, out)) return false;
    if (out == std::floor(out)) return true;
    note(node, field.name, fmt::format("expects a whole number, got {:g}", out), "");
    return false;
}

bool ReadFields::readNumbers(const Node& node, const std::string& name, const Field& field,
                             double (&out)[3]) {
    if (!node.isArray() || node.children.size() != 3) {
        note(node, name, fmt::format("expects three numbers [x, y, z], got {}", node.describe()), "");
        return false;
    }
    bool good = true;
    for (size_t i = 0; i < 3; ++i)
        good &= readNumber(node.children[i], joinPath(name, std::to_string(i)), field, out[i]);
    return good;
}

bool ReadFields::readVector(const Node& node, const std::string& name, const Field& field, Vec3& out) {
    double numbers[3];
    if (!readNumbers(node, name, field, numbers)) return false;
    out = {static_cast<float>(numbers[0]), static_cast<float>(numbers[1]), static_cast<float>(numbers[2])};
    return true;
}

bool ReadFields::readTexts(const Node& node, const Field& field, std::vector<std::string>& out) {
    bool good = node.isArray();
    for (const Node& child : node.children) good &= child.isText();
    if (!good) return wrongType(node, field, "a list of texts");
    out.clear();
    for (const Node& child : node.children) out.push_back(child.text);
    return true;
}

bool ReadFields::isNotFiniteWord(std::string word) {
    std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
    if (word.starts_with("-") || word.starts_with("+")) word.erase(0, 1);
    return word == "nan" || word == "inf" || word == "infinity";
}

}  // namespace coalesce
