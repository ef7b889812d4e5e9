// Two more visitors over scene_fields.h: the resolved scene as JSON, and the schema of scene files.
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "scene/format/scene.h"
#include "scene/format/scene_fields.h"

namespace coalesce {

namespace {

using Json = nlohmann::ordered_json;

// The shortest decimal that reads back to this float, as a double: 0.1f is written 0.1, not 0.10000000149.
double shortest(float value) {
    return std::strtod(fmt::format("{}", value).c_str(), nullptr);
}
Json toJson(Vec3 v) {
    return Json::array({shortest(v.x), shortest(v.y), shortest(v.z)});
}

class WriteFields {
public:
    static constexpr bool kReading = false, kSchema = false;
    Json json = Json::object();

    void report(const char*, const std::string&, const std::string&) {}
    void unknownCheck(const std::string&) {}

    template <class T>
    bool value(const T& value, const Field& field, bool write = true) {
        if (!write) return false;
        if constexpr (std::is_same_v<T, float>)
            json[field.name] = shortest(value);
        else if constexpr (std::is_same_v<T, Vec3>)
            json[field.name] = toJson(value);
        else if constexpr (std::is_same_v<T, std::optional<double>>) {
            if (value) json[field.name] = *value;
        } else
            json[field.name] = value;
        return false;
    }
    template <class Enum>
    bool choice(Enum value, const Field& field) {
        json[field.name] = choiceNames<Enum>()[static_cast<size_t>(value)];
        return false;
    }
    bool rotation(const Quat& q, const Field& field, bool write = true) {
        if (write)
            json[field.name] = Json::array({shortest(q.x), shortest(q.y), shortest(q.z), shortest(q.w)});
        return false;
    }
    bool degrees(const Vec3& radians, const Field& field) {
        const double factor = 180 / std::acos(-1.0);
        json[field.name] = Json::array({radians.x * factor, radians.y * factor, radians.z * factor});
        return false;
    }
    bool points(const std::vector<Vec3>& points, const Field& field, bool write) {
        if (!write) return false;
        Json list = Json::array();
        for (const Vec3& p : points) list.push_back(toJson(p));
        json[field.name] = std::move(list);
        return false;
    }
    bool attributes(uint32_t mask, const Field& field) {
        if (mask == kAllCollisionBits) return false;
        json[field.name] = Json::array();
        for (int k = 0; k < 8; ++k)
            if (mask >> k & 1) json[field.name].push_back(k);
        return false;
    }
    bool numbers(const std::vector<double>& numbers, const Field& field) {
        if (numbers.size() == 1)
            json[field.name] = numbers[0];
        else if (!numbers.empty())
            json[field.name] = numbers;
        return false;
    }
    bool namedNumbers(const NamedNumbers& values, const Field& field) {
        if (values.empty()) return false;
        WriteFields inner;
        for (const auto& [name, value] : values) inner.numbers(value, {name.c_str(), ""});
        json[field.name] = std::move(inner.json);
        return false;
    }
    template <class Body>
    bool object(const Field& field, bool write, Body&& body) {
        if (!write) return false;
        WriteFields inner;
        body(inner);
        json[field.name] = std::move(inner.json);
        return false;
    }
    template <class T, class Body>
    bool list(const Field& field, std::vector<T>& elements, Body&& body) {
        if (elements.empty()) return false;
        Json out = Json::array();
        for (T& element : elements) {
            WriteFields inner;
            body(inner, element);
            out.push_back(std::move(inner.json));
        }
        json[field.name] = std::move(out);
        return false;
    }
    template <class T, class Body>
    bool table(const Field& field, std::vector<T>& elements, Body&& body) {
        if (elements.empty()) return false;
        Json out = Json::object();
        for (T& element : elements) {
            WriteFields inner;
            body(inner, element);
            out[element.name] = std::move(inner.json);
        }
        json[field.name] = std::move(out);
        return false;
    }
    template <class T>
    void reference(uint32_t index, const std::vector<T>& elements, const Field& field) {
        if (index < elements.size()) json[field.name] = elements[index].name;
    }
    template <class T>
    void option(const std::map<std::string, T>& values, const Field& field) {
        if (const auto it = values.find(field.name); it != values.end()) value(it->second, field);
    }
    template <class T>
    void number(const std::map<std::string, T>& values, const Field& field) {
        option(values, field);
    }
    void word(const std::map<std::string, std::string>& values, const Field& field,
              const std::vector<const char*>&) {
        option(values, field);
    }
    void words(const std::map<std::string, std::vector<std::string>>& values, const Field& field) {
        option(values, field);
    }
    void point(const std::map<std::string, Vec3>& values, const Field& field) { option(values, field); }

    // What the chosen set changed is in the scene already, so the set itself is empty now. The others stay as
    // names: checks between cases speak of them.
    void overrides(const Field& field, const std::vector<std::string>& names, const std::string& chosen,
                   const std::vector<std::string>* control) {
        if (names.empty()) return;
        Json sets = Json::object();
        for (const std::string& name : names) {
            sets[name] = Json::object();
            if (control && name == chosen && !control->empty()) sets[name]["control"] = *control;
        }
        json[field.name] = std::move(sets);
    }
};

class SchemaFields {
public:
    static constexpr bool kReading = false, kSchema = true;
    Json properties = Json::object();
    Json required = Json::array();

    void report(const char*, const std::string&, const std::string&) {}
    void unknownCheck(const std::string&) {}

    template <class T>
    bool value(const T& value, const Field& field, bool = true) {
        if constexpr (std::is_same_v<T, bool>)
            add(field, {{"type", "boolean"}}, value);
        else if constexpr (std::is_same_v<T, int> || std::is_same_v<T, uint64_t>)
            add(field, {{"type", "integer"}, {"minimum", field.min}, {"maximum", field.max}}, value);
        else if constexpr (std::is_same_v<T, float>)
            add(field, number(field), shortest(value));
        else if constexpr (std::is_same_v<T, double>)
            add(field, number(field), value);
        else if constexpr (std::is_same_v<T, std::optional<double>>)
            add(field, number(field), nullptr);
        else if constexpr (std::is_same_v<T, std::string>)
            add(field, {{"type", "string"}}, nullptr);
        else if constexpr (std::is_same_v<T, Vec3>)
            add(field, numbers(field, 3, 3), toJson(value));
        else
            add(field, {{"type", "array"}, {"items", {{"type", "string"}}}}, nullptr);
        return false;
    }
    template <class Enum>
    bool choice(Enum value, const Field& field) {
        const auto& names = choiceNames<Enum>();
        add(field, {{"enum", std::vector<std::string>(names.begin(), names.end())}},
            names[static_cast<size_t>(value)]);
        return false;
    }
    bool rotation(const Quat&, const Field& field, bool = true) {
        add(field, numbers({field.name, "", "", -1e6, 1e6}, 3, 4), nullptr);
        return false;
    }
    bool degrees(const Vec3&, const Field& field) {
        add(field, numbers(field, 3, 3), nullptr);
        return false;
    }
    bool points(const std::vector<Vec3>&, const Field& field, bool) {
        add(field, {{"type", "array"}, {"minItems", 1}, {"items", numbers(field, 3, 3)}}, nullptr);
        return false;
    }
    bool attributes(uint32_t, const Field& field) {
        const Json attribute = {{"type", "integer"}, {"minimum", 0}, {"maximum", 7}};
        add(field, {{"type", "array"}, {"minItems", 1}, {"items", attribute}}, nullptr);
        return false;
    }
    bool numbers(const std::vector<double>&, const Field& field) {
        add(field, {{"anyOf", {number(field), numbers(field, 3, 3)}}}, nullptr);
        return false;
    }
    bool namedNumbers(const NamedNumbers&, const Field& field) {
        const Field any{field.name, "", "-", -kLargest, kLargest};
        const Json value = {{"anyOf", {number(any), numbers(any, 3, 3)}}};
        add(field, {{"type", "object"}, {"additionalProperties", value}}, nullptr);
        return false;
    }
    template <class Body>
    bool object(const Field& field, bool, Body&& body) {
        SchemaFields inner;
        body(inner);
        add(field, inner.schema(), nullptr);
        return false;
    }
    template <class T, class Body>
    bool list(const Field& field, const std::vector<T>&, Body&& body) {
        SchemaFields inner;
        T element;
        body(inner, element);
        add(field, {{"type", "array"}, {"items", inner.schema()}}, nullptr);
        return false;
    }
    template <class T, class Body>
    bool table(const Field& field, const std::vector<T>&, Body&& body) {
        SchemaFields inner;
        if constexpr (std::is_same_v<T, Check>) {
            // a check may have the options of every kind
            for (const CheckKind& kind : checkKinds()) {
                Check check;
                check.kind = check.name = kind.name;
                body(inner, check);
            }
            inner.required = Json::array();
        } else {
            T element;
            body(inner, element);
        }
        add(field, {{"type", "object"}, {"additionalProperties", inner.schema()}}, nullptr);
        return false;
    }
    template <class T>
    void reference(uint32_t, const std::vector<T>&, const Field& field) {
        add(field, {{"type", "string"}}, nullptr);
    }
    template <class T>
    void number(const std::map<std::string, T>&, const Field& field) {
        addAny(field, number(field));
    }
    void word(const std::map<std::string, std::string>&, const Field& field,
              const std::vector<const char*>&) {
        addAny(field, {{"type", "string"}});
    }
    void words(const std::map<std::string, std::vector<std::string>>&, const Field& field) {
        addAny(field, {{"type", "array"}, {"items", {{"type", "string"}}}});
    }
    void point(const std::map<std::string, Vec3>&, const Field& field) {
        addAny(field, numbers(field, 3, 3));
    }
    void overrides(const Field& field, const std::vector<std::string>&, const std::string&,
                   const std::vector<std::string>*) {
        add(field, {{"type", "object"}, {"additionalProperties", {{"type", "object"}}}}, nullptr);
    }

    Json schema() const {
        Json out = {{"type", "object"}, {"additionalProperties", false}, {"properties", properties}};
        if (!required.empty()) out["required"] = required;
        return out;
    }

private:
    static Json number(const Field& field) {
        return {{"type", "number"}, {"minimum", field.min}, {"maximum", field.max}};
    }
    static Json numbers(const Field& field, int least, int most) {
        return {{"type", "array"}, {"minItems", least}, {"maxItems", most}, {"items", number(field)}};
    }
    void add(const Field& field, Json type, Json value) {
        const std::string_view unit = field.unit;
        type["description"] =
            unit == "-" ? std::string(field.about) : fmt::format("[{}] {}", unit, field.about);
        if (!value.is_null()) type["default"] = std::move(value);
        properties[field.name] = std::move(type);
        if (field.required) required.push_back(field.name);
    }
    // Two kinds of check may use one name for a number and for a word: then either is allowed.
    void addAny(const Field& field, Json type) {
        const bool seen = properties.contains(field.name);
        if (!seen) return add(field, std::move(type), nullptr);
        Json& present = properties[field.name];
        if (present.contains("type") && present["type"] != type["type"]) {
            const std::string about = present["description"];
            present = {{"description", about}};
        }
    }
};

}  // namespace

std::string writeScene(const Scene& scene) {
    Scene copy = scene;  // one visitor reads and writes, so it wants a scene that may change
    WriteFields fields;
    visitScene(fields, copy);
    return fields.json.dump(2) + "\n";
}

std::string sceneSchema() {
    Scene scene;
    SchemaFields fields;
    visitScene(fields, scene);
    Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                   {"title", "A scene of Coalesce"}};
    schema.update(fields.schema());
    return schema.dump(2) + "\n";
}

}  // namespace coalesce
