#include "scene/format/read_fields.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/whole_file.h"

namespace coalesce {

namespace {

std::string textOf(const std::vector<SceneError::Entry>& entries) {
    std::string text;
    for (const SceneError::Entry& entry : entries) text += (text.empty() ? "" : "\n") + entry.text;
    return text;
}

}  // namespace

void failWith(const std::filesystem::path& file, std::vector<Diagnostic>& diagnostics) {
    std::stable_sort(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& a, const Diagnostic& b) { return a.line < b.line; });
    std::vector<SceneError::Entry> entries;
    for (size_t i = 0; i < diagnostics.size() && i < kMaxDiagnostics; ++i) {
        const Diagnostic& m = diagnostics[i];
        // "--set a.b=c" contains the path
        const bool hasPath = !m.path.empty() && m.origin.starts_with("--set " + m.path + "=");
        std::string where = m.origin.empty() ? file.string() : m.origin;
        if (m.line > 0) where += fmt::format(":{}", m.line);
        if (m.column > 0) where += fmt::format(":{}", m.column);
        std::string text = where + ": " + (m.path.empty() || hasPath ? "" : m.path + ": ") + m.what;
        if (!m.hint.empty()) text += "\n    " + m.hint;
        entries.push_back({m.line, std::move(text)});
    }
    if (diagnostics.size() > kMaxDiagnostics)
        entries.push_back(
            {std::numeric_limits<int>::max(),
             fmt::format("{}: … and {} more errors", file.string(), diagnostics.size() - kMaxDiagnostics)});
    throw SceneError(std::move(entries));
}

SceneError::SceneError(std::vector<Entry> diagnostics)
    : Error(Exit::Scene, textOf(diagnostics)), entries(std::move(diagnostics)) {}

std::string fileText(const std::filesystem::path& file, const std::string& hint) {
    std::error_code error;
    if (const std::string why = whyNoFile(file); !why.empty()) {
        // suggests scenes of the same folder
        std::vector<std::string> names;
        const std::filesystem::path folder =
            file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
        for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
             it.increment(error))
            if (it->path().extension() == ".json" && it->is_regular_file(error))
                names.push_back(it->path().filename().string());
        std::sort(names.begin(), names.end());
        fail(Exit::Scene, file.string(),
             "the file cannot be read: " + why + "." + didYouMean(file.filename().string(), names), hint);
    }
    const uintmax_t size = std::filesystem::file_size(file, error);
    if (size > kMaxFileBytes)
        fail(Exit::Scene, file.string(),
             fmt::format("the file has {} MB; at most {} MB are read", size >> 20, kMaxFileBytes >> 20));
    return readFile(file);
}

std::string joinPath(const std::string& path, const std::string& name) {
    return path.empty() ? name : name.empty() ? path : path + "." + name;
}

void ReadFields::report(const char* key, std::string what, std::string hint) {
    const Node* child = *key ? m_node.find(key) : nullptr;
    note(child ? *child : m_node, key, std::move(what), std::move(hint));
}

// "an emitter", "a shape"
static std::string withArticle(std::string_view thing) {
    const bool vowel = std::string_view("aeiou").find(thing.front()) != std::string_view::npos;
    return fmt::format("{} {}", vowel ? "an" : "a", thing);
}

void ReadFields::oneForm(int found, const char* thing, const std::vector<std::string>& forms,
                         const char* example) {
    if (found > 1)
        report("", fmt::format("{} can only be one of {}", withArticle(thing), listOf(forms)), example);
    if (found > 0) return;
    // an unknown key with an object or a list is probably a misspelled form
    for (const Node& child : m_node.children) {
        const bool known = std::find(m_known.begin(), m_known.end(), child.key) != m_known.end();
        if (known || !(child.isObject() || child.isArray())) continue;
        note(child, printable(child.key),
             fmt::format("there is no such kind of {}.{}", thing, didYouMean(child.key, forms)),
             fmt::format("Choose one of {}.", listOf(forms)));
        m_known.push_back(child.key);
        return;
    }
    report("", fmt::format("{} needs one of {}", withArticle(thing), listOf(forms)), example);
}

void ReadFields::unknownCheck(const std::string& kind) {
    std::vector<std::string> kinds;
    for (const CheckKind& known : checkKinds()) kinds.emplace_back(known.name);
    report(
        "check", fmt::format("no check is called \"{}\".{}", printable(kind), didYouMean(kind, kinds)),
        "All checks with their units and options: docs/scenes.md. With a custom label, \"check\" names the "
        "kind.");
    for (const Node& child : m_node.children)
        m_known.push_back(child.key);  // without a kind, other keys cannot be checked
}

// The full path of a parameter or property of materials that was given without its group, or in another, as a
// question.
static std::string didYouMeanParameter(const std::string& key) {
    std::vector<std::string> paths;
    const Parameters all;
    const MaterialProperties properties;
    forEachParameter(all, [&](const auto&, const ParameterInfo& info) {
        if (key == info.name) paths.push_back(fmt::format("\"{}.{}\"", info.group, info.name));
    });
    forEachParameter(properties, [&](const auto&, const ParameterInfo& info) {
        if (key == info.name) paths.push_back(fmt::format("\"materials.NAME.{}\"", info.name));
    });
    return paths.empty() ? "" : fmt::format(" Did you mean {}?", fmt::join(paths, " or "));
}

void ReadFields::finish() {
    for (const Node& child : m_node.children) {
        if (std::find(m_known.begin(), m_known.end(), child.key) != m_known.end()) continue;
        // the name of a parameter in another group, before words that only look alike
        std::string near = m_path.empty() || m_ofManifest ? didYouMeanParameter(child.key) : "";
        if (near.empty()) near = didYouMean(child.key, m_known);
        std::vector<std::string> known;  // several forms have keys in common
        for (const std::string& key : m_known)
            if (std::ranges::find(known, key) == known.end()) known.push_back(key);
        note(child, printable(child.key), "unknown key." + near,
             m_ofManifest ? "All properties with ranges and units: coalesce params."
                          : "Known keys: " + listOf(known) + ".");
        if (m_diagnostics.size() > kMaxDiagnostics) return;
    }
}

bool ReadFields::value(bool& out, const KeySpec& spec, bool) {
    const Node* node = take(spec);
    if (!node) return false;
    if (node->type != Node::Type::Bool) return wrongType(*node, spec, "true or false");
    out = node->boolean;
    return true;
}

bool ReadFields::value(double& out, const KeySpec& spec, bool) {
    const Node* node = take(spec);
    return node && readNumber(*node, spec.name, spec, out);
}

bool ReadFields::value(float& out, const KeySpec& spec, bool) {
    double number = 0;
    if (!value(number, spec)) return false;
    out = float(number);
    return true;
}

bool ReadFields::value(int& out, const KeySpec& spec, bool) {
    double number = 0;
    const Node* node = take(spec);
    if (!node || !readWhole(*node, spec, number)) return false;
    out = int(number);
    return true;
}

bool ReadFields::value(uint64_t& out, const KeySpec& spec, bool) {
    double number = 0;
    const Node* node = take(spec);
    if (!node || !readWhole(*node, spec, number)) return false;
    out = uint64_t(number);
    return true;
}

bool ReadFields::value(std::string& out, const KeySpec& spec, bool) {
    const Node* node = take(spec);
    if (!node) return false;
    if (!node->isText()) return wrongType(*node, spec, "a string");
    out = node->text;
    if (std::string_view(spec.name) == "name" &&
        (out.empty() || out.find('.') != std::string::npos || out.size() > 100)) {
        note(*node, spec.name, fmt::format("\"{}\" is not a valid name", printable(out)), kValidName);
        return false;
    }
    return true;
}

bool ReadFields::value(std::vector<std::string>& out, const KeySpec& spec, bool) {
    const Node* node = take(spec);
    return node && readTexts(*node, spec, out);
}

bool ReadFields::value(std::optional<double>& out, const KeySpec& spec, bool) {
    double number = 0;
    if (!value(number, spec)) return false;
    out = number;
    return true;
}

bool ReadFields::value(Vec3& out, const KeySpec& spec, bool) {
    const Node* node = take(spec);
    return node && readVector(*node, spec.name, spec, out);
}

bool ReadFields::rotation(Quat& out, const KeySpec& spec, bool) {
    const Node* node = take(spec);
    if (!node) return false;
    double numbers[4];
    if (!node->isArray() || (node->children.size() != 3 && node->children.size() != 4))
        return wrongType(*node, spec, "three angles in degrees, or a quaternion x, y, z, w");
    const bool angles = node->children.size() == 3;
    const KeySpec range{spec.name, "", angles ? "deg" : "-", angles ? -1e6 : -2, angles ? 1e6 : 2};
    for (size_t i = 0; i < node->children.size(); ++i)
        if (!readNumber(node->children[i], joinPath(spec.name, std::to_string(i)), range, numbers[i]))
            return false;
    if (angles) {
        const double radians = std::numbers::pi / 180;
        out = quatFromEuler(numbers[0] * radians, numbers[1] * radians, numbers[2] * radians);
        return true;
    }
    double norm = 0;
    for (const double number : numbers) norm += number * number;
    if (std::abs(norm - 1) > 1e-3) {
        note(*node, spec.name,
             fmt::format("the quaternion of a rotation has length 1, not {:.4g}", std::sqrt(norm)),
             "Normalize it, or give three angles in degrees.");
        return false;
    }
    out = {float(numbers[0]), float(numbers[1]), float(numbers[2]), float(numbers[3])};
    return true;
}

bool ReadFields::degrees(Vec3& out, const KeySpec& spec) {
    const Node* node = take(spec);
    double numbers[3];
    if (!node || !readNumbers(*node, spec.name, spec, numbers)) return false;
    const double radians = std::numbers::pi / 180;
    out = {float(numbers[0] * radians), float(numbers[1] * radians), float(numbers[2] * radians)};
    return true;
}

bool ReadFields::points(std::vector<Vec3>& out, const KeySpec& spec, bool) {
    const Node* node = take(spec);
    if (!node) return false;
    if (!node->isArray()) {
        wrongType(*node, spec, "a list of points [x, y, z]");
        return true;  // the key selects the form
    }
    if (node->children.empty())
        note(*node, spec.name, "the body has no particles", "Give at least one point [x, y, z].");
    out.reserve(node->children.size());
    for (size_t i = 0; i < node->children.size(); ++i) {
        Vec3 point{};
        if (!readVector(node->children[i], joinPath(spec.name, std::to_string(i)), spec, point) &&
            m_diagnostics.size() > kMaxDiagnostics)
            break;
        out.push_back(point);
    }
    return true;
}

bool ReadFields::numbers(std::vector<double>& out, const KeySpec& spec) {
    const Node* node = take(spec);
    if (!node) return false;
    double vector[3], number = 0;
    if (node->isText() && node->text.starts_with('#')) {
        if (Vec3 color; readColor(*node, spec.name, color)) out = {color.x, color.y, color.z};
        return !out.empty();
    }
    if (node->isArray() && readNumbers(*node, spec.name, spec, vector)) out.assign(vector, vector + 3);
    if (!node->isArray() && readNumber(*node, spec.name, spec, number)) out.assign(1, number);
    return !out.empty();
}

bool ReadFields::collisionMask(uint32_t& mask, const KeySpec& spec) {
    const Node* node = take(spec);
    if (!node) return false;
    if (!node->isArray()) return wrongType(*node, spec, "a list of bits, integers from 0 to 7");
    mask = 0;
    for (size_t i = 0; i < node->children.size(); ++i) {
        const KeySpec each{spec.name, "", "-", 0, 7};
        double number = 0;
        if (!readNumber(node->children[i], joinPath(spec.name, std::to_string(i)), each, number))
            return false;
        if (number != std::floor(number)) return wrongType(*node, spec, "integers from 0 to 7");
        mask |= 1u << uint32_t(number);
    }
    return true;
}

bool ReadFields::namedNumbers(NamedNumbers& out, const KeySpec& spec) {
    const Node* node = take(spec);
    if (!node) return false;
    if (!node->isObject()) return wrongType(*node, spec, "an object: name → number or [x, y, z]");
    for (const Node& child : node->children) {
        const std::string name = joinPath(spec.name, printable(child.key));
        const KeySpec each{spec.name, "", spec.unit, -kLargest, kLargest};
        double vector[3], number = 0;
        if (child.isArray() && readNumbers(child, name, each, vector))
            out[child.key].assign(vector, vector + 3);
        if (!child.isArray() && readNumber(child, name, each, number)) out[child.key].assign(1, number);
    }
    return true;
}

void ReadFields::reference(uint32_t& out, const std::vector<Material>&, const KeySpec& spec) {
    const Node* node = take(spec);
    if (!node) {
        if (!m_materials) return;
        if (m_materials->size() > 1)
            note(m_node, spec.name, "is missing, and the scene has several materials",
                 "Choose one of " + listOf(*m_materials) + ".");
        else if (m_materials->empty())
            note(m_node, spec.name, "the scene has no material",
                 "Add \"materials\": {\"water\": {\"spacing\": 0.05}}.");
        return;
    }
    if (!node->isText()) {
        wrongType(*node, spec, "the name of a material");
        return;
    }
    if (!m_materials) return;
    const auto found = std::find(m_materials->begin(), m_materials->end(), node->text);
    if (found == m_materials->end()) {
        note(*node, spec.name,
             fmt::format("no material is called \"{}\".{}", printable(node->text),
                         didYouMean(node->text, *m_materials)),
             m_materials->empty() ? "The scene has no materials."
                                  : "There are: " + listOf(*m_materials) + ".");
        return;
    }
    out = uint32_t(found - m_materials->begin());
}

void ReadFields::word(std::map<std::string, std::string>& out, const KeySpec& spec,
                      const std::vector<const char*>& choices) {
    std::string word;
    if (!value(word, spec)) return;
    const std::vector<std::string> words(choices.begin(), choices.end());
    if (!words.empty() && std::find(words.begin(), words.end(), word) == words.end()) {
        unknownWord(*m_node.find(spec.name), spec, words);
        return;
    }
    out[spec.name] = word;
}

void ReadFields::words(std::map<std::string, std::vector<std::string>>& out, const KeySpec& spec) {
    std::vector<std::string> words;
    if (value(words, spec)) out[spec.name] = words;
}

void ReadFields::point(std::map<std::string, Vec3>& out, const KeySpec& spec) {
    Vec3 point{};
    if (value(point, spec)) out[spec.name] = point;
}

void ReadFields::overrides(const KeySpec& spec, std::vector<std::string>& names, const std::string& chosen,
                           std::vector<std::string>* control) {
    const Node* node = take(spec);
    if (!node) return;
    if (!node->isObject()) {
        wrongType(*node, spec, "an object: name → overrides");
        return;
    }
    for (const Node& set : node->children) {
        names.push_back(set.key);
        const std::string path = joinPath(spec.name, printable(set.key));
        // it becomes part of file names
        if (set.key.empty() || set.key.size() > 100 || set.key.find('/') != std::string::npos ||
            set.key.starts_with('.') || printable(set.key) != set.key)
            m_diagnostics.push_back({set.line, 0, set.origin, spec.name,
                                     fmt::format("\"{}\" is not a valid name", printable(set.key)),
                                     "Names have 1 to 100 characters, no slash, and no dot in front."});
        if (!set.isObject()) {
            m_diagnostics.push_back({set.line, 0, set.origin, path,
                                     "expects an object of dotted paths, got " + set.describe(),
                                     "For example {\"solver.substeps\": 4}."});
            continue;
        }
        std::vector<std::string> former;
        if (const Node* list = set.find("formerly")) readTexts(*list, {"formerly", ""}, former);
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

const Node* ReadFields::take(const KeySpec& spec) {
    m_known.emplace_back(spec.name);
    const Node* node = m_node.find(spec.name);
    if (!node && spec.required) note(m_node, spec.name, "is missing", spec.about);
    return node;
}

bool ReadFields::wrongType(const Node& node, const KeySpec& spec, const std::string& wanted,
                           const std::string& advice) {
    note(node, spec.name, fmt::format("expects {}, got {}", wanted, node.describe()), advice);
    return false;
}

bool ReadFields::unknownWord(const Node& node, const KeySpec& spec, const std::vector<std::string>& words) {
    note(node, spec.name,
         fmt::format("\"{}\" is not a valid choice.{}", printable(node.text), didYouMean(node.text, words)),
         "Choose one of " + listOf(words) + ".");
    return false;
}

static std::string unitText(const KeySpec& spec) {
    return std::string_view(spec.unit) == "-" ? "" : std::string(" ") + spec.unit;
}

// For example "Allowed: 1 to 64 m."; empty where every number is.
static std::string rangeHint(const KeySpec& spec) {
    const std::string unit = unitText(spec);
    const bool from = spec.min > -kLargest, to = spec.max < kLargest;
    if (from && to)
        return fmt::format("Allowed: {} to {}{}.", numberText(spec.min), numberText(spec.max), unit);
    if (from) return fmt::format("Allowed: at least {}{}.", numberText(spec.min), unit);
    return to ? fmt::format("Allowed: at most {}{}.", numberText(spec.max), unit) : "";
}

// The parameters that the word is a choice of, as in substeps: "cfl", which is meant for timeStep.
static std::string choiceHint(const std::string& word) {
    std::string keys;
    const Parameters parameters;
    forEachParameter(parameters, [&](const auto& value, const ParameterInfo& info) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_enum_v<T>) {
            const auto& names = choiceNames<T>();
            if (std::find(names.begin(), names.end(), word) != names.end())
                keys += fmt::format("{}{}.{}", keys.empty() ? "" : ", ", info.group, info.name);
        }
    });
    return keys.empty() ? "" : fmt::format(" \"{}\" is a choice of {}.", word, keys);
}

bool ReadFields::readNumber(const Node& node, const std::string& name, const KeySpec& spec, double& out) {
    if (node.isText() && isNotFiniteWord(node.text)) {
        note(node, name, fmt::format("\"{}\" is not a finite number", printable(node.text)), rangeHint(spec));
        return false;
    }
    if (!node.isNumber()) {
        note(node, name, fmt::format("expects a number, got {}", node.describe()),
             rangeHint(spec) + (node.isText() ? choiceHint(node.text) : ""));
        return false;
    }
    if (!isWithin(node.number, spec.min, spec.max)) {
        note(node, name, fmt::format("{}{} is out of range", numberText(node.number), unitText(spec)),
             rangeHint(spec));
        return false;
    }
    out = node.number;
    return true;
}

bool ReadFields::readWhole(const Node& node, const KeySpec& spec, double& out) {
    if (!readNumber(node, spec.name, spec, out)) return false;
    if (out == std::floor(out) && out >= spec.min && out <= spec.max) return true;
    note(node, spec.name, fmt::format("expects an integer, got {}", numberText(out)), rangeHint(spec));
    return false;
}

bool ReadFields::readNumbers(const Node& node, const std::string& name, const KeySpec& spec,
                             double (&out)[3]) {
    if (!node.isArray() || node.children.size() != 3) {
        note(node, name, fmt::format("expects three numbers [x, y, z], got {}", node.describe()), "");
        return false;
    }
    bool good = true;
    for (size_t i = 0; i < 3; ++i)
        good &= readNumber(node.children[i], joinPath(name, std::to_string(i)), spec, out[i]);
    return good;
}

// "#rrggbb", sRGB as programs for pictures show it, to linear RGB: IEC 61966-2-1.
bool ReadFields::readColor(const Node& node, const std::string& name, Vec3& out) {
    const std::string& text = node.text;
    const bool good =
        text.size() == 7 && text[0] == '#' &&
        std::all_of(text.begin() + 1, text.end(), [](char c) { return std::isxdigit(uint8_t(c)); });
    if (!good) {
        note(node, name, fmt::format("\"{}\" is not a color", printable(text)),
             "A color is three numbers [r, g, b], linear, or sRGB like \"#c83219\".");
        return false;
    }
    const auto channel = [&](size_t k) {
        const double s = std::stoi(text.substr(1 + 2 * k, 2), nullptr, 16) / 255.0;
        return float(s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4));
    };
    out = {channel(0), channel(1), channel(2)};
    return true;
}

bool ReadFields::readVector(const Node& node, const std::string& name, const KeySpec& spec, Vec3& out) {
    if (spec.isColor() && node.isText()) return readColor(node, name, out);
    double numbers[3];
    if (!readNumbers(node, name, spec, numbers)) return false;
    out = {float(numbers[0]), float(numbers[1]), float(numbers[2])};
    return true;
}

bool ReadFields::readTexts(const Node& node, const KeySpec& spec, std::vector<std::string>& out) {
    bool good = node.isArray();
    for (const Node& child : node.children) good &= child.isText();
    if (!good) return wrongType(node, spec, "a list of strings");
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
