// Two visitors of scene_fields.h: the resolved scene as JSON, and the schema of scene files.
#include "scene/format/writer.h"

#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numbers>

#include "scene/format/scene_fields.h"

namespace coalesce {

namespace {

using Json = nlohmann::ordered_json;

// 0.1f is written 0.1, not 0.10000000149.
double shortest(double value) {
    return std::strtod(numberText(value).c_str(), nullptr);
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
    bool value(const T& value, const KeySpec& spec, bool write = true) {
        if (!write) return false;
        if constexpr (std::is_same_v<T, float>)
            json[spec.name] = shortest(value);
        else if constexpr (std::is_same_v<T, Vec3>)
            json[spec.name] = toJson(value);
        else if constexpr (std::is_same_v<T, std::optional<double>>) {
            if (value) json[spec.name] = *value;
        } else
            json[spec.name] = value;
        return false;
    }
    template <class Enum>
    bool choice(Enum value, const KeySpec& spec) {
        json[spec.name] = choiceNames<Enum>()[size_t(value)];
        return false;
    }
    bool rotation(const Quat& q, const KeySpec& spec, bool write = true) {
        if (write)
            json[spec.name] = Json::array({shortest(q.x), shortest(q.y), shortest(q.z), shortest(q.w)});
        return false;
    }
    bool degrees(const Vec3& radians, const KeySpec& spec) {
        const double factor = 180 / std::numbers::pi;
        json[spec.name] = Json::array({radians.x * factor, radians.y * factor, radians.z * factor});
        return false;
    }
    bool points(const std::vector<Vec3>& points, const KeySpec& spec, bool write) {
        if (!write) return false;
        Json list = Json::array();
        for (const Vec3& p : points) list.push_back(toJson(p));
        json[spec.name] = std::move(list);
        return false;
    }
    bool collisionMask(uint32_t mask, const KeySpec& spec) {
        if (mask == kAllCollisionBits) return false;
        json[spec.name] = Json::array();
        for (int k = 0; k < 8; ++k)
            if (mask >> k & 1) json[spec.name].push_back(k);
        return false;
    }
    bool numbers(const std::vector<double>& numbers, const KeySpec& spec) {
        if (numbers.size() == 1)
            json[spec.name] = numbers[0];
        else if (!numbers.empty())
            json[spec.name] = numbers;
        return false;
    }
    bool namedNumbers(const NamedNumbers& values, const KeySpec& spec) {
        if (values.empty()) return false;
        WriteFields inner;
        for (const auto& [name, value] : values) inner.numbers(value, {name.c_str(), ""});
        json[spec.name] = std::move(inner.json);
        return false;
    }
    template <class Body>
    bool object(const KeySpec& spec, bool write, Body&& body) {
        if (!write) return false;
        WriteFields inner;
        body(inner);
        json[spec.name] = std::move(inner.json);
        return false;
    }
    template <class T, class Body>
    bool list(const KeySpec& spec, std::vector<T>& elements, Body&& body) {
        if (elements.empty()) return false;
        Json out = Json::array();
        for (T& element : elements) {
            WriteFields inner;
            body(inner, element);
            out.push_back(std::move(inner.json));
        }
        json[spec.name] = std::move(out);
        return false;
    }
    template <class T, class Body>
    bool table(const KeySpec& spec, std::vector<T>& elements, Body&& body) {
        if (elements.empty()) return false;
        Json out = Json::object();
        for (T& element : elements) {
            WriteFields inner;
            body(inner, element);
            out[element.name] = std::move(inner.json);
        }
        json[spec.name] = std::move(out);
        return false;
    }
    template <class T>
    void reference(uint32_t index, const std::vector<T>& elements, const KeySpec& spec) {
        if (index < elements.size()) json[spec.name] = elements[index].name;
    }
    template <class T>
    void option(const std::map<std::string, T>& values, const KeySpec& spec) {
        if (const auto it = values.find(spec.name); it != values.end()) value(it->second, spec);
    }
    template <class T>
    void number(const std::map<std::string, T>& values, const KeySpec& spec) {
        option(values, spec);
    }
    void word(const std::map<std::string, std::string>& values, const KeySpec& spec,
              const std::vector<const char*>&) {
        option(values, spec);
    }
    void words(const std::map<std::string, std::vector<std::string>>& values, const KeySpec& spec) {
        option(values, spec);
    }
    void point(const std::map<std::string, Vec3>& values, const KeySpec& spec) { option(values, spec); }

    // The chosen set is already applied to the scene, so it is written empty. Keeps the names of the others,
    // which checks between cases refer to.
    void overrides(const KeySpec& spec, const std::vector<std::string>& names, const std::string& chosen,
                   const std::vector<std::string>* control) {
        if (names.empty()) return;
        Json sets = Json::object();
        for (const std::string& name : names) {
            sets[name] = Json::object();
            if (control && name == chosen && !control->empty()) sets[name]["control"] = *control;
        }
        json[spec.name] = std::move(sets);
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
    bool value(const T& value, const KeySpec& spec, bool = true) {
        if constexpr (std::is_same_v<T, bool>)
            add(spec, {{"type", "boolean"}}, value);
        else if constexpr (std::is_same_v<T, int> || std::is_same_v<T, uint64_t>)
            add(spec, {{"type", "integer"}, {"minimum", spec.min}, {"maximum", spec.max}}, value);
        else if constexpr (std::is_same_v<T, float>)
            add(spec, number(spec), shortest(value));
        else if constexpr (std::is_same_v<T, double>)
            add(spec, number(spec), value);
        else if constexpr (std::is_same_v<T, std::optional<double>>)
            add(spec, number(spec), nullptr);
        else if constexpr (std::is_same_v<T, std::string>)
            add(spec, {{"type", "string"}}, nullptr);
        else if constexpr (std::is_same_v<T, Vec3>)
            add(spec, vector(spec), toJson(value));
        else
            add(spec, {{"type", "array"}, {"items", {{"type", "string"}}}}, nullptr);
        return false;
    }
    template <class Enum>
    bool choice(Enum value, const KeySpec& spec) {
        const auto& names = choiceNames<Enum>();
        add(spec, {{"enum", std::vector<std::string>(names.begin(), names.end())}}, names[size_t(value)]);
        return false;
    }
    bool rotation(const Quat&, const KeySpec& spec, bool = true) {
        add(spec, numbers({spec.name, "", "", -1e6, 1e6}, 3, 4), nullptr);
        return false;
    }
    bool degrees(const Vec3&, const KeySpec& spec) {
        add(spec, numbers(spec, 3, 3), nullptr);
        return false;
    }
    bool points(const std::vector<Vec3>&, const KeySpec& spec, bool) {
        add(spec, {{"type", "array"}, {"minItems", 1}, {"items", vector(spec)}}, nullptr);
        return false;
    }
    bool collisionMask(uint32_t, const KeySpec& spec) {
        const Json attribute = {{"type", "integer"}, {"minimum", 0}, {"maximum", 7}};
        add(spec, {{"type", "array"}, {"minItems", 1}, {"items", attribute}}, nullptr);
        return false;
    }
    bool numbers(const std::vector<double>&, const KeySpec& spec) {
        add(spec, {{"anyOf", {number(spec), numbers(spec, 3, 3), colorText()}}}, nullptr);
        return false;
    }
    bool namedNumbers(const NamedNumbers&, const KeySpec& spec) {
        const KeySpec any{spec.name, "", "-", -kLargest, kLargest};
        const Json value = {{"anyOf", {number(any), numbers(any, 3, 3)}}};
        add(spec, {{"type", "object"}, {"additionalProperties", value}}, nullptr);
        return false;
    }
    template <class Body>
    bool object(const KeySpec& spec, bool, Body&& body) {
        SchemaFields inner;
        body(inner);
        add(spec, inner.schema(), nullptr);
        return false;
    }
    template <class T, class Body>
    bool list(const KeySpec& spec, const std::vector<T>&, Body&& body) {
        SchemaFields inner;
        T element;
        body(inner, element);
        add(spec, {{"type", "array"}, {"items", inner.schema()}}, nullptr);
        return false;
    }
    template <class T, class Body>
    bool table(const KeySpec& spec, const std::vector<T>&, Body&& body) {
        SchemaFields inner;
        if constexpr (std::is_same_v<T, Check>) {
            // a check may have the options of any kind
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
        add(spec, {{"type", "object"}, {"additionalProperties", inner.schema()}}, nullptr);
        return false;
    }
    template <class T>
    void reference(uint32_t, const std::vector<T>&, const KeySpec& spec) {
        add(spec, {{"type", "string"}}, nullptr);
    }
    template <class T>
    void number(const std::map<std::string, T>&, const KeySpec& spec) {
        addAny(spec, number(spec));
    }
    void word(const std::map<std::string, std::string>&, const KeySpec& spec,
              const std::vector<const char*>&) {
        addAny(spec, {{"type", "string"}});
    }
    void words(const std::map<std::string, std::vector<std::string>>&, const KeySpec& spec) {
        addAny(spec, {{"type", "array"}, {"items", {{"type", "string"}}}});
    }
    void point(const std::map<std::string, Vec3>&, const KeySpec& spec) { addAny(spec, numbers(spec, 3, 3)); }
    void overrides(const KeySpec& spec, const std::vector<std::string>&, const std::string&,
                   const std::vector<std::string>*) {
        add(spec, {{"type", "object"}, {"additionalProperties", {{"type", "object"}}}}, nullptr);
    }

    Json schema() const {
        Json out = {{"type", "object"}, {"additionalProperties", false}, {"properties", properties}};
        if (!required.empty()) out["required"] = required;
        return out;
    }

private:
    static Json number(const KeySpec& spec) {
        return {{"type", "number"}, {"minimum", shortest(spec.min)}, {"maximum", shortest(spec.max)}};
    }
    static Json numbers(const KeySpec& spec, int least, int most) {
        return {{"type", "array"}, {"minItems", least}, {"maxItems", most}, {"items", number(spec)}};
    }
    static Json vector(const KeySpec& spec) {
        const Json list = numbers(spec, 3, 3);
        if (!spec.isColor()) return list;
        return {{"anyOf", {list, colorText()}}};
    }
    static Json colorText() { return {{"type", "string"}, {"pattern", "^#[0-9a-fA-F]{6}$"}}; }
    void add(const KeySpec& spec, Json type, Json value) {
        const std::string_view unit = spec.unit;
        type["description"] =
            unit == "-" ? std::string(spec.about) : fmt::format("[{}] {}", unit, spec.about);
        if (!value.is_null()) type["default"] = std::move(value);
        properties[spec.name] = std::move(type);
        if (spec.required) required.push_back(spec.name);
        for (const char* former : spec.formerNames)
            properties[former] = {{"deprecated", true},
                                  {"description", fmt::format("Former name of `{}`.", spec.name)}};
    }
    // Kinds of checks may use the same name for different types: then either is allowed.
    void addAny(const KeySpec& spec, Json type) {
        const bool seen = properties.contains(spec.name);
        if (!seen) return add(spec, std::move(type), nullptr);
        Json& present = properties[spec.name];
        if (present.contains("type") && present["type"] != type["type"]) {
            const std::string about = present["description"];
            present = {{"description", about}};
        }
    }
};

}  // namespace

std::string writeScene(const Scene& scene) {
    Scene copy = scene;  // visitors take a mutable scene, since the reader fills it
    WriteFields fields;
    visitScene(fields, copy);
    return fields.json.dump(2) + "\n";
}

std::string writeFilm(const std::string& about, double duration, std::vector<TimedCommand> timeline,
                      const Scene& scene) {
    std::string text;
    for (TimedCommand& command : timeline) {
        WriteFields fields;
        visitCommand(fields, command, scene);
        text += (text.empty() ? "\n    " : ",\n    ") + fields.json.dump();
    }
    return fmt::format("{{\n  \"about\": {},\n  \"duration\": {},\n  \"timeline\": [{}\n  ]\n}}\n",
                       Json(about).dump(), Json(duration).dump(), text);
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
