#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <set>

#include "scene/build.h"
#include "scene/json_text.h"
#include "scene/overrides.h"
#include "scene/scene.h"
#include "scene/scene_fields.h"

namespace coalesce {

namespace {

constexpr size_t kMaxMistakes = 100;  // shown of one file

std::string join(const std::string& path, const std::string& name) {
    return path.empty() ? name : name.empty() ? path : path + "." + name;
}

// Reads one object. What it was not asked for is a mistake.
class ReadFields {
public:
    static constexpr bool kReading = true;

    // materials: their names; null when the section is no table of them, and so nothing can be said
    ReadFields(const Node& node, std::string path, const std::vector<std::string>* materials,
               std::vector<Mistake>& mistakes)
        : m_node(node), m_path(std::move(path)), m_materials(materials), m_mistakes(mistakes) {}

    void mistake(const char* key, std::string what, std::string hint) {
        const Node* child = *key ? m_node.find(key) : nullptr;
        note(child ? *child : m_node, key, std::move(what), std::move(hint));
    }
    bool has(const char* key) const { return m_node.find(key) != nullptr; }
    // A thing takes one of several forms; called when all its keys are known.
    void oneForm(int found, const char* thing, const std::vector<std::string>& forms, const char* example) {
        if (found > 1) mistake("", fmt::format("a {} can be only one of {}", thing, listOf(forms)), example);
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
        mistake("", fmt::format("a {} needs one of {}", thing, listOf(forms)), example);
    }
    void unknownCheck(const std::string& kind) {
        std::vector<std::string> kinds;
        for (const CheckKind& known : checkKinds()) kinds.emplace_back(known.name);
        mistake("check",
                fmt::format("no check is called \"{}\".{}", printable(kind), didYouMean(kind, kinds)),
                "All checks with their units and options: docs/scenes.md. A label of your own needs "
                "\"check\": the kind.");
        for (const Node& child : m_node.children)
            m_known.push_back(child.key);  // without a kind nothing more can be said
    }

    // Everything asked for: what else is there?
    void finish() {
        for (const Node& child : m_node.children) {
            if (std::find(m_known.begin(), m_known.end(), child.key) != m_known.end()) continue;
            note(child, printable(child.key), fmt::format("no such key.{}", didYouMean(child.key, m_known)),
                 m_ofManifest ? "All properties with ranges and units: coalesce params."
                              : "Known here: " + listOf(m_known) + ".");
            if (m_mistakes.size() > kMaxMistakes) return;
        }
    }

    bool value(bool& out, const Field& field, bool = true) {
        const Node* node = take(field);
        if (!node) return false;
        if (node->type != Node::Type::Bool) return wrongType(*node, field, "true or false");
        out = node->boolean;
        return true;
    }
    bool value(double& out, const Field& field, bool = true) {
        const Node* node = take(field);
        return node && readNumber(*node, field.name, field, out);
    }
    bool value(float& out, const Field& field, bool = true) {
        double number = 0;
        if (!value(number, field)) return false;
        out = static_cast<float>(number);
        return true;
    }
    bool value(int& out, const Field& field, bool = true) {
        double number = 0;
        const Node* node = take(field);
        if (!node || !readWhole(*node, field, number)) return false;
        out = static_cast<int>(number);
        return true;
    }
    bool value(uint64_t& out, const Field& field, bool = true) {
        double number = 0;
        const Node* node = take(field);
        if (!node || !readWhole(*node, field, number)) return false;
        out = static_cast<uint64_t>(number);
        return true;
    }
    bool value(std::string& out, const Field& field, bool = true) {
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
    bool value(std::vector<std::string>& out, const Field& field, bool = true) {
        const Node* node = take(field);
        return node && readTexts(*node, field, out);
    }
    bool value(std::optional<double>& out, const Field& field, bool = true) {
        double number = 0;
        if (!value(number, field)) return false;
        out = number;
        return true;
    }
    bool value(Vec3& out, const Field& field, bool = true) {
        const Node* node = take(field);
        return node && readVector(*node, field.name, field, out);
    }

    template <class Enum>
    bool choice(Enum& out, const Field& field) {
        const Node* node = take(field);
        if (!node) return false;
        const auto& names = choiceNames<Enum>();
        const std::vector<std::string> words(names.begin(), names.end());
        if (!node->isText()) return wrongType(*node, field, "one of " + listOf(words));
        const auto found = std::find(words.begin(), words.end(), node->text);
        if (found == words.end()) return unknownWord(*node, field, words);
        out = static_cast<Enum>(found - words.begin());
        return true;
    }

    bool rotation(Quat& out, const Field& field, bool = true) {
        const Node* node = take(field);
        if (!node) return false;
        double numbers[4];
        if (!node->isArray() || (node->children.size() != 3 && node->children.size() != 4))
            return wrongType(*node, field, "three angles in degrees, or a quaternion x, y, z, w");
        const bool angles = node->children.size() == 3;
        const Field range{field.name, "", angles ? "deg" : "-", angles ? -1e6 : -2, angles ? 1e6 : 2};
        for (size_t i = 0; i < node->children.size(); ++i)
            if (!readNumber(node->children[i], join(field.name, std::to_string(i)), range, numbers[i]))
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
    bool degrees(Vec3& out, const Field& field) {
        const Node* node = take(field);
        double numbers[3];
        if (!node || !readNumbers(*node, field.name, field, numbers)) return false;
        const double radians = std::acos(-1.0) / 180;
        out = {static_cast<float>(numbers[0] * radians), static_cast<float>(numbers[1] * radians),
               static_cast<float>(numbers[2] * radians)};
        return true;
    }
    bool points(std::vector<Vec3>& out, const Field& field, bool) {
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
            if (!readVector(node->children[i], join(field.name, std::to_string(i)), field, point) &&
                m_mistakes.size() > kMaxMistakes)
                break;
            out.push_back(point);
        }
        return true;
    }

    template <class Body>
    bool object(const Field& field, bool, Body&& body) {
        const Node* node = take(field);
        if (!node) return false;
        if (!node->isObject()) {
            wrongType(*node, field, "an object");
            return true;
        }
        ReadFields inner(*node, join(m_path, field.name), m_materials, m_mistakes);
        inner.m_ofManifest = isManifest(field.name);
        body(inner);
        inner.finish();
        return true;
    }
    template <class T, class Body>
    bool list(const Field& field, std::vector<T>& out, Body&& body) {
        const Node* node = take(field);
        if (!node) return false;
        if (!node->isArray()) return wrongType(*node, field, "a list of objects");
        std::set<std::string> names;
        for (size_t i = 0; i < node->children.size() && m_mistakes.size() <= kMaxMistakes; ++i) {
            const Node& child = node->children[i];
            const std::string path = join(join(m_path, field.name), elementName(child, i));
            if (!child.isObject()) {
                m_mistakes.push_back(
                    {child.line, 0, child.origin, path, "expects an object, got " + child.describe(), ""});
                out.emplace_back();  // the others keep their index
                continue;
            }
            T element;
            ReadFields inner(child, path, m_materials, m_mistakes);
            body(inner, element);
            inner.finish();
            if constexpr (requires { element.name; }) {
                if (element.name.empty()) element.name = fmt::format("{}{}", field.name, i);
                if (!names.insert(element.name).second)
                    inner.mistake("name", fmt::format("two {} are called \"{}\"", field.name, element.name),
                                  "Names must differ.");
            }
            out.push_back(std::move(element));
            if (out.size() > kMaxElements) {
                note(*node, field.name, fmt::format("more than {} elements", kMaxElements), "");
                break;
            }
        }
        return true;
    }
    template <class T, class Body>
    bool table(const Field& field, std::vector<T>& out, Body&& body) {
        const Node* node = take(field);
        if (!node) return false;
        if (!node->isObject()) return wrongType(*node, field, "an object: name → properties");
        for (const Node& child : node->children) {
            if (m_mistakes.size() > kMaxMistakes) break;
            const std::string path = join(join(m_path, field.name), printable(child.key));
            if (!child.isObject()) {
                m_mistakes.push_back(
                    {child.line, 0, child.origin, path, "expects an object, got " + child.describe(), ""});
                out.emplace_back().name = child.key;  // it can be spoken of, and the others keep their index
                continue;
            }
            T element;
            element.name = child.key;
            if constexpr (requires { element.line; }) element.line = child.line;
            ReadFields inner(child, path, m_materials, m_mistakes);
            inner.m_ofManifest = isManifest(field.name);
            body(inner, element);
            inner.finish();
            out.push_back(std::move(element));
        }
        return true;
    }
    template <class T>
    void reference(uint32_t& out, const std::vector<T>&, const Field& field) {
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

    // Options of a check, which keeps what it was given by name.
    void number(std::map<std::string, double>& out, const Field& field) {
        double number = 0;
        if (value(number, field)) out[field.name] = number;
    }
    void word(std::map<std::string, std::string>& out, const Field& field,
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
    void words(std::map<std::string, std::vector<std::string>>& out, const Field& field) {
        std::vector<std::string> words;
        if (value(words, field)) out[field.name] = words;
    }
    void point(std::map<std::string, Vec3>& out, const Field& field) {
        Vec3 point{};
        if (value(point, field)) out[field.name] = point;
    }

    // Their content was applied before reading; here only their names and the control list are taken.
    void overrides(const Field& field, std::vector<std::string>& names, const std::string& chosen,
                   std::vector<std::string>* control) {
        const Node* node = take(field);
        if (!node) return;
        if (!node->isObject()) {
            wrongType(*node, field, "an object: name → overrides");
            return;
        }
        for (const Node& set : node->children) {
            names.push_back(set.key);
            const std::string path = join(field.name, printable(set.key));
            if (!set.isObject()) {
                m_mistakes.push_back({set.line, 0, set.origin, path,
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

private:
    static constexpr size_t kMaxElements = 1u << 16;

    static bool isManifest(std::string_view name) {
        if (name == "materials") return true;
        const auto& groups = parameterGroups();
        return std::find(groups.begin(), groups.end(), name) != groups.end();
    }

    void note(const Node& node, const std::string& key, std::string what, std::string hint) {
        m_mistakes.push_back(
            {node.line, 0, node.origin, join(m_path, key), std::move(what), std::move(hint)});
    }
    const Node* take(const Field& field) {
        m_known.emplace_back(field.name);
        const Node* node = m_node.find(field.name);
        if (!node && field.required) note(m_node, field.name, "is missing", field.about);
        return node;
    }
    bool wrongType(const Node& node, const Field& field, const std::string& wanted) {
        note(node, field.name, fmt::format("expects {}, got {}", wanted, node.describe()), "");
        return false;
    }
    bool unknownWord(const Node& node, const Field& field, const std::vector<std::string>& words) {
        note(node, field.name,
             fmt::format("\"{}\" is not a choice.{}", printable(node.text), didYouMean(node.text, words)),
             "Choose one of " + listOf(words) + ".");
        return false;
    }
    bool readNumber(const Node& node, const std::string& name, const Field& field, double& out) {
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
    bool readWhole(const Node& node, const Field& field, double& out) {
        if (!readNumber(node, field.name, field, out)) return false;
        if (out == std::floor(out)) return true;
        note(node, field.name, fmt::format("expects a whole number, got {:g}", out), "");
        return false;
    }
    bool readNumbers(const Node& node, const std::string& name, const Field& field, double (&out)[3]) {
        if (!node.isArray() || node.children.size() != 3) {
            note(node, name, fmt::format("expects three numbers [x, y, z], got {}", node.describe()), "");
            return false;
        }
        bool good = true;
        for (size_t i = 0; i < 3; ++i)
            good &= readNumber(node.children[i], join(name, std::to_string(i)), field, out[i]);
        return good;
    }
    bool readVector(const Node& node, const std::string& name, const Field& field, Vec3& out) {
        double numbers[3];
        if (!readNumbers(node, name, field, numbers)) return false;
        out = {static_cast<float>(numbers[0]), static_cast<float>(numbers[1]),
               static_cast<float>(numbers[2])};
        return true;
    }
    bool readTexts(const Node& node, const Field& field, std::vector<std::string>& out) {
        bool good = node.isArray();
        for (const Node& child : node.children) good &= child.isText();
        if (!good) return wrongType(node, field, "a list of texts");
        out.clear();
        for (const Node& child : node.children) out.push_back(child.text);
        return true;
    }
    static bool isNotFiniteWord(std::string word) {
        std::transform(word.begin(), word.end(), word.begin(),
                       [](unsigned char c) { return std::tolower(c); });
        if (word.starts_with("-") || word.starts_with("+")) word.erase(0, 1);
        return word == "nan" || word == "inf" || word == "infinity";
    }

    const Node& m_node;
    std::string m_path;
    const std::vector<std::string>* m_materials;
    std::vector<Mistake>& m_mistakes;
    std::vector<std::string> m_known;
    bool m_ofManifest = false;
};

// What the parts must be to each other, once each is right by itself: a part with a mistake is not judged.
void checkWhole(const Scene& scene, const Node& root, std::vector<Mistake>& mistakes) {
    std::set<std::string> wrong;  // the paths of all mistakes and of what they stand in
    for (const Mistake& m : mistakes)
        for (size_t end = m.path.size(); end != std::string::npos && end > 0;
             end = m.path.rfind('.', end - 1))
            wrong.insert(m.path.substr(0, end));
    std::set<std::string> wrongThemselves;
    for (const Mistake& m : mistakes) wrongThemselves.insert(m.path);
    const auto note = [&](const Node* node, std::string path, std::string what, std::string hint) {
        const Node& at = node ? *node : root;
        mistakes.push_back({at.line, 0, at.origin, std::move(path), std::move(what), std::move(hint)});
    };
    const auto element = [&](const char* section, size_t i) -> const Node* {
        const Node* list = root.find(section);
        return list && i < list->children.size() ? &list->children[i] : nullptr;
    };
    if (scene.materials.size() > static_cast<size_t>(kMaxMaterials))
        note(root.find("materials"), "materials",
             fmt::format("{} materials; at most {} are possible", scene.materials.size(), kMaxMaterials), "");
    if (scene.bodies.empty() && !wrong.contains("bodies"))
        note(root.find("bodies"), "bodies", "the scene has no bodies, so nothing would happen",
             "Add for example \"bodies\": [{\"block\": {\"size\": [1, 1, 1]}}].");
    if (scene.bounded && !wrong.contains("bounds") &&
        !(scene.boundsMin.x < scene.boundsMax.x && scene.boundsMin.y < scene.boundsMax.y &&
          scene.boundsMin.z < scene.boundsMax.z))
        note(root.find("bounds"), "bounds", "min must be less than max on every axis", "");

    double total = 0;
    for (size_t i = 0; i < scene.bodies.size(); ++i) {
        const Body& body = scene.bodies[i];
        if (body.material >= scene.materials.size()) continue;  // said already
        const Node* node = element("bodies", i);
        const std::string path = "bodies." + (node ? elementName(*node, i) : std::to_string(i));
        if (wrong.contains(path) ||
            wrong.contains("materials." + printable(scene.materials[body.material].name)))
            continue;
        const double n = countBody(body, scene.materials[body.material].properties.spacing);
        total += n;
        if (n == 0)
            note(node, path, "the body is too small for a single particle",
                 fmt::format("Its material's spacing is {:g} m; make the body larger or the spacing smaller.",
                             scene.materials[body.material].properties.spacing));
    }
    if (total > kMaxParticles)
        note(root.find("bodies"), "bodies",
             fmt::format("{:.3g} particles; at most {:.3g} are possible", total, kMaxParticles),
             "Use a coarser spacing or smaller bodies.");

    for (size_t i = 0; i < scene.shapes.size(); ++i) {
        const Node* node = element("shapes", i);
        const std::string path = "shapes." + (node ? elementName(*node, i) : std::to_string(i));
        if (wrong.contains(path + ".keys")) continue;
        for (size_t k = 1; k < scene.shapes[i].keys.size(); ++k)
            if (!(scene.shapes[i].keys[k].t > scene.shapes[i].keys[k - 1].t))
                note(node, fmt::format("{}.keys.{}.t", path, k), "the times of keys must grow", "");
    }
    for (const CameraView& view : scene.cameras)
        if (view.eye == view.look && !wrong.contains("camera") && !wrong.contains("cameras"))
            note(root.find("camera") ? root.find("camera") : root.find("cameras"), "camera",
                 "eye and look are the same point, so there is no direction to look in", "");

    // names that checks and cases speak of
    std::vector<std::string> groups, labels,
        always{"finite", "balance", "no_overflow", "inside", "repeatable"};
    for (const Body& body : scene.bodies) groups.push_back(body.name);
    for (const Material& material : scene.materials) groups.push_back(material.name);
    for (const Check& check : scene.expect) labels.push_back(check.name);
    const auto has = [](const std::vector<std::string>& list, const std::string& word) {
        return std::find(list.begin(), list.end(), word) != list.end();
    };
    const Node* expect = root.find("expect");
    for (const Check& check : scene.expect) {
        const CheckKind* kind = findCheckKind(check.kind);
        if (!kind) continue;
        const Node* node = expect ? expect->find(check.name) : nullptr;
        const std::string path = "expect." + printable(check.name);
        const bool whole = !wrong.contains(path);
        if (!check.group.empty() && !has(groups, check.group) && !wrongThemselves.contains("bodies") &&
            !wrongThemselves.contains("materials"))
            note(node, path + ".group",
                 fmt::format("no body or material is called \"{}\".{}", printable(check.group),
                             didYouMean(check.group, groups)),
                 "There are: " + listOf(groups) + ".");
        if (whole && !kind->between &&
            check.numbers.contains("expected") != check.numbers.contains("tolerance"))
            note(node, path, "expected and tolerance belong together",
                 "For example \"expected\": 0.5, \"tolerance\": 0.05.");
        if (whole && !kind->between && !check.min && !check.max && !check.numbers.contains("expected"))
            note(node, path, "the check has no limit, so it cannot fail",
                 "Give min, max, or expected with tolerance.");
        if (int(check.always) + int(check.at >= 0) + int(check.from >= 0 || check.to >= 0) > 1)
            note(node, path, "at, always and from/to exclude each other", "Give one of them.");
        if (!kind->between) continue;
        if (whole && check.kind == "compare") {
            const auto relation = check.words.find("relation");
            const std::string word = relation == check.words.end() ? "" : relation->second;
            const bool pair = check.words.contains("of") && check.words.contains("to");
            const auto list = check.lists.find("cases");
            const bool several = list != check.lists.end() && list->second.size() >= 2;
            const char* needs =
                (word == "<" || word == ">") && !pair ? "`of` and `to`"
                : word == "~" && !pair && !several    ? "`of` and `to`, or `cases` with at least two"
                : (word == "grows" || word == "falls") && !several               ? "`cases` with at least two"
                : word == "converges" && !(pair && check.words.contains("base")) ? "`of`, `to` and `base`"
                                                                                 : nullptr;
            if (needs) note(node, path, fmt::format("the relation {} needs {}", word, needs), "");
        }
        for (const char* word : {"of", "to", "base"})
            if (const auto it = check.words.find(word);
                it != check.words.end() && !has(scene.cases, it->second))
                note(node, path + "." + word,
                     fmt::format("no case is called \"{}\".{}", printable(it->second),
                                 didYouMean(it->second, scene.cases)),
                     "There are: " + listOf(scene.cases) + ".");
        if (const auto it = check.lists.find("cases"); it != check.lists.end())
            for (const std::string& name : it->second)
                if (!has(scene.cases, name))
                    note(node, path + ".cases",
                         fmt::format("no case is called \"{}\".{}", printable(name),
                                     didYouMean(name, scene.cases)),
                         "There are: " + listOf(scene.cases) + ".");
        if (const auto it = check.words.find("measure"); it != check.words.end() && !has(labels, it->second))
            note(node, path + ".measure",
                 fmt::format("no check is called \"{}\".{}", printable(it->second),
                             didYouMean(it->second, labels)),
                 "measure is the name of another check of this file.");
    }
    labels.insert(labels.end(), always.begin(), always.end());
    if (const Node* cases = root.find("cases"))
        for (const Node& set : cases->children)
            if (const Node* control = set.find("control"); control && control->isArray())
                for (const Node& name : control->children)
                    if (name.isText() && !has(labels, name.text))
                        note(&name, fmt::format("cases.{}.control", printable(set.key)),
                             fmt::format("no check is called \"{}\".{}", printable(name.text),
                                         didYouMean(name.text, labels)),
                             "A control names checks of `expect`.");
}

// Applies the chosen set of `sizes` or `cases`.
void applyChosen(Node& root, const char* section, const char* option, const std::string& name,
                 std::vector<Mistake>& mistakes) {
    if (name.empty()) return;
    const Node* sets = root.find(section);
    std::vector<std::string> names;
    if (sets && sets->isObject())
        for (const Node& set : sets->children) names.push_back(set.key);
    const Node* chosen = sets && sets->isObject() ? sets->find(name) : nullptr;
    if (!chosen) {
        mistakes.push_back({0, 0, fmt::format("{} {}", option, printable(name)), "",
                            fmt::format("the scene has no such {}.{}", option + 2, didYouMean(name, names)),
                            names.empty() ? fmt::format("It has no {} at all.", section)
                                          : "It has: " + listOf(names) + "."});
        return;
    }
    const Node copy = *chosen;  // the tree changes under it
    for (const Node& entry : copy.children)
        if (entry.key != "control") applyOverride(root, entry.key, entry, mistakes);
}

[[noreturn]] void failWith(const std::filesystem::path& file, std::vector<Mistake>& mistakes) {
    std::stable_sort(mistakes.begin(), mistakes.end(),
                     [](const Mistake& a, const Mistake& b) { return a.line < b.line; });
    std::vector<SceneError::Entry> entries;
    for (size_t i = 0; i < mistakes.size() && i < kMaxMistakes; ++i) {
        const Mistake& m = mistakes[i];
        // "--set a.b=c" says the path itself
        const bool saysPath = !m.path.empty() && m.origin.starts_with("--set " + m.path + "=");
        std::string where = m.origin.empty() ? file.string() : m.origin;
        if (m.line > 0) where += fmt::format(":{}", m.line);
        if (m.column > 0) where += fmt::format(":{}", m.column);
        std::string text = where + ": " + (m.path.empty() || saysPath ? "" : m.path + ": ") + m.what;
        if (!m.hint.empty()) text += "\n    " + m.hint;
        entries.push_back({m.line, std::move(text)});
    }
    if (mistakes.size() > kMaxMistakes)
        entries.push_back(
            {std::numeric_limits<int>::max(),
             fmt::format("{}: … and {} more mistakes", file.string(), mistakes.size() - kMaxMistakes)});
    throw SceneError(std::move(entries));
}

std::string textOf(const std::vector<SceneError::Entry>& entries) {
    std::string text;
    for (const SceneError::Entry& entry : entries) text += (text.empty() ? "" : "\n") + entry.text;
    return text;
}

}  // namespace

SceneError::SceneError(std::vector<Entry> mistakes)
    : Error(Exit::Scene, textOf(mistakes)), entries(std::move(mistakes)) {}

Scene readSceneText(const std::string& text, const std::filesystem::path& file, const SceneChoice& choice) {
    Node root;
    std::vector<Mistake> mistakes;
    if (!parseJson(text, root, mistakes)) failWith(file, mistakes);
    if (!root.isObject()) {
        mistakes.push_back(
            {root.line, 0, "", "", "a scene file holds one object, got " + root.describe(), ""});
        failWith(file, mistakes);
    }
    applyChosen(root, "sizes", "--size", choice.size, mistakes);
    applyChosen(root, "cases", "--case", choice.caseName, mistakes);
    for (const std::string& set : choice.sets) applySet(root, set, mistakes);

    Scene scene;
    scene.file = file;
    scene.name = file.stem().string();
    scene.size = choice.size;
    scene.caseName = choice.caseName;
    std::vector<std::string> materials;
    const Node* table = root.find("materials");
    const bool readable = !table || table->isObject();
    if (table && readable)
        for (const Node& child : table->children) materials.push_back(child.key);
    for (const std::string& name : materials)
        if (name.empty() || name.find('.') != std::string::npos || name.size() > 100)
            mistakes.push_back({table->find(name)->line, 0, "", "materials",
                                fmt::format("\"{}\" cannot be a name", printable(name)),
                                "A name is not empty, has no dot (dots divide the paths of --set), and has "
                                "at most 100 letters."});
    ReadFields fields(root, "", readable ? &materials : nullptr, mistakes);
    visitScene(fields, scene);
    fields.finish();
    if (choice.seed) scene.seed = *choice.seed;
    if (mistakes.size() < kMaxMistakes) checkWhole(scene, root, mistakes);
    if (!mistakes.empty()) failWith(file, mistakes);
    if (scene.cameras.empty()) scene.cameras.push_back(defaultCamera(scene));
    scene.text = writeScene(scene);
    return scene;
}

Scene readScene(const std::filesystem::path& file, const SceneChoice& choice) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) {
        // the scene of that name elsewhere in its folder is the likeliest thing meant
        std::vector<std::string> names;
        const std::filesystem::path folder =
            file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
        for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
             it.increment(error))
            if (it->path().extension() == ".json") names.push_back(it->path().filename().string());
        std::sort(names.begin(), names.end());
        fail(Exit::Scene, file.string(),
             "there is no such file." + didYouMean(file.filename().string(), names),
             "All scenes: coalesce list.");
    }
    const uintmax_t size = std::filesystem::file_size(file, error);
    if (error || size > kMaxFileBytes)
        fail(Exit::Scene, file.string(),
             fmt::format("the file has {} MB; at most {} MB are read", size >> 20, kMaxFileBytes >> 20));
    std::ifstream in(file, std::ios::binary);
    std::string text(size, '\0');
    in.read(text.data(), static_cast<std::streamsize>(size));
    if (!in) fail(Exit::Scene, file.string(), "the file cannot be read", "Is it readable for you?");
    return readSceneText(text, file, choice);
}

}  // namespace coalesce
