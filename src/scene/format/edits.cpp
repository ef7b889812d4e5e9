#include "scene/format/edits.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <numbers>
#include <type_traits>

#include "scene/format/scene_fields.h"

namespace coalesce {

namespace {

// ---- one value ----

// Radians in the scene, degrees in the file.
struct Degrees {
    Vec3& radians;
};
const double kDegree = std::numbers::pi / 180;

// The number of degrees with the fewest digits that gives the same radians.
double degreesOf(float radians) {
    const double exact = radians / kDegree, round = float(exact);
    return float(round * kDegree) == radians ? round : exact;
}

template <class T>
Edit toEdit(const std::string& path, const T& value) {
    if constexpr (std::is_same_v<T, Vec3>)
        return {path, {value.x, value.y, value.z}, {}};
    else if constexpr (std::is_same_v<T, Quat>)
        return {path, {value.x, value.y, value.z, value.w}, {}};
    else if constexpr (std::is_same_v<T, Degrees>)
        return {
            path, {degreesOf(value.radians.x), degreesOf(value.radians.y), degreesOf(value.radians.z)}, {}};
    else if constexpr (std::is_same_v<T, bool>)
        return {path, {}, value ? "true" : "false"};
    else if constexpr (std::is_enum_v<T>)
        return {path, {}, std::string(choiceNames<T>()[size_t(value)])};
    else
        return {path, {double(value)}, {}};
}

template <class T>
constexpr Tunable::Type typeOf() {
    if constexpr (std::is_same_v<T, Vec3> || std::is_same_v<T, Degrees>)
        return Tunable::Type::Vector;
    else if constexpr (std::is_same_v<T, Quat>)
        return Tunable::Type::Rotation;
    else if constexpr (std::is_same_v<T, bool>)
        return Tunable::Type::Switch;
    else if constexpr (std::is_enum_v<T>)
        return Tunable::Type::Choice;
    else if constexpr (std::is_integral_v<T>)
        return Tunable::Type::Whole;
    else
        return Tunable::Type::Number;
}

Vec3 toVec3(const std::vector<double>& n) {
    return {float(n[0]), float(n[1]), float(n[2])};
}

// value: a T&, or Degrees
template <class T>
std::string fromEdit(T&& field, const ParameterInfo& info, const Edit& edit) {
    using Value = std::remove_cvref_t<T>;
    for (const double number : edit.numbers)
        if (!isWithin(number, info.min, info.max))
            return fmt::format("{} is out of range: {} to {}", numberText(number), numberText(info.min),
                               numberText(info.max));
    const auto counted = [&](size_t count) { return edit.word.empty() && edit.numbers.size() == count; };
    const auto& n = edit.numbers;
    if constexpr (std::is_same_v<Value, Vec3>) {
        if (!counted(3)) return "it is a vector: [x, y, z]";
        field = toVec3(n);
    } else if constexpr (std::is_same_v<Value, Degrees>) {
        if (!counted(3)) return "it is a vector: [x, y, z]";
        // rounded as in the reader of scenes
        const auto radians = [&](int k) { return float(n[k] * kDegree); };
        field.radians = {radians(0), radians(1), radians(2)};
    } else if constexpr (std::is_same_v<Value, Quat>) {
        if (!counted(4)) return "it is a rotation: a quaternion [x, y, z, w]";
        if (std::abs(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] + n[3] * n[3] - 1) > 1e-3)
            return "the quaternion of a rotation has length 1";
        const Vec3 xyz = toVec3(n);
        field = {xyz.x, xyz.y, xyz.z, float(n[3])};
    } else if constexpr (std::is_same_v<Value, bool>) {
        if (edit.word != "true" && edit.word != "false") return "it is a switch: true or false";
        field = edit.word == "true";
    } else if constexpr (std::is_enum_v<Value>) {
        const auto& names = choiceNames<Value>();
        const auto found = std::find(names.begin(), names.end(), edit.word);
        if (found == names.end()) {
            const std::vector<std::string> words(names.begin(), names.end());
            return fmt::format("it is one of {}.{}", listOf(words), didYouMean(edit.word, words));
        }
        field = static_cast<Value>(found - names.begin());
    } else {
        if (!counted(1)) return "it is one number";
        if (std::is_integral_v<Value> && n[0] != std::floor(n[0])) return "it is an integer";
        field = static_cast<Value>(n[0]);
    }
    return "";
}

// ---- the values of a shape ----

// A visitor of scene_fields.h for the keys of a shape, or of the form of a sink, that may change.
template <class Visit>
class TunableFields {
public:
    static constexpr bool kReading = false, kSchema = false;
    TunableFields(const char* group, std::vector<std::string_view> names, Visit& visit)
        : m_group(group), m_names(std::move(names)), m_visit(visit) {}

    template <class T>
    bool value(T& value, const KeySpec& spec, bool = true) {
        if constexpr (std::is_same_v<T, Vec3> || std::is_same_v<T, float> || std::is_same_v<T, bool>)
            offer(value, spec);
        return false;
    }
    bool rotation(Quat& value, const KeySpec& spec, bool = true) {
        offer(value, {spec.name, spec.about, "-", -2, 2});
        return false;
    }
    bool degrees(Vec3& value, const KeySpec& spec) {
        offer(Degrees{value}, spec);
        return false;
    }
    // keys that cannot change
    template <class Enum>
    bool choice(Enum&, const KeySpec&) {
        return false;
    }
    template <class... Any>
    bool object(const KeySpec&, Any&&...) {
        return false;
    }
    template <class... Any>
    bool list(const KeySpec&, Any&&...) {
        return false;
    }
    bool points(const std::vector<Vec3>&, const KeySpec&, bool) { return false; }
    bool collisionMask(uint32_t, const KeySpec&) { return false; }
    template <class Map>
    void number(const Map&, const KeySpec&) {}
    void report(const char*, const std::string&, const std::string&) {}

private:
    template <class T>
    void offer(T&& value, const KeySpec& spec) {
        if (std::find(m_names.begin(), m_names.end(), spec.name) != m_names.end())
            m_visit(value, ParameterInfo{m_group, spec.name, spec.min, spec.max, spec.unit, Scale::Linear,
                                         spec.about});
    }
    const char* m_group;
    std::vector<std::string_view> m_names;
    Visit& m_visit;
};

template <class Visit>
void visitTunables(Shape& shape, Visit&& visit) {
    std::vector<std::string_view> names{"position", "rotation", "velocity", "angularVelocity",
                                        "friction", "visible",  "color"};
    // keys replace the motion
    if (!shape.keys.empty()) names.erase(names.begin(), names.begin() + 4);
    TunableFields<Visit> fields("shape", names, visit);
    visitShape(fields, shape);
}

template <class Visit>
void visitTunables(Sink& sink, Visit&& visit) {
    forEachParameter(sink.properties, visit);
    if (!sink.formed) return;
    TunableFields<Visit> fields("sink", {"position", "rotation", "velocity"}, visit);
    visitSink(fields, sink);
}

bool isMotion(std::string_view name) {
    return name == "position" || name == "rotation" || name == "velocity" || name == "angularVelocity";
}

// ---- all values ----

// visit(value, info, section, element) for all values. The visitors change nothing themselves, so they also
// serve const objects.
template <class Visit>
void visitAll(const ConstTunables& values, Visit&& visit) {
    forEachParameter(values.parameters, [&](const auto& value, const ParameterInfo& info) {
        visit(value, info, info.group, std::string());
    });
    const auto properties = [&](const auto& list, const char* section) {
        for (const auto& element : list)
            forEachParameter(element.properties, [&](const auto& value, const ParameterInfo& info) {
                visit(value, info, section, element.name);
            });
    };
    properties(values.materials, "materials");
    properties(values.forceFields, "fields");
    properties(values.emitters, "emitters");
    const auto formed = [&](const auto& list, const char* section) {
        for (const auto& element : list)
            visitTunables(
                const_cast<std::remove_cvref_t<decltype(element)>&>(element),
                [&](auto&& value, const ParameterInfo& info) { visit(value, info, section, element.name); });
    };
    formed(values.sinks, "sinks");
    if (values.shapes) formed(*values.shapes, "shapes");
}

std::string pathOf(const char* section, const std::string& element, const char* name) {
    return element.empty() ? fmt::format("{}.{}", section, name)
                           : fmt::format("{}.{}.{}", section, element, name);
}

template <class T>
bool same(const T& a, const T& b) {
    if constexpr (std::is_same_v<T, Quat>)
        return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
    else if constexpr (std::is_same_v<T, Degrees>)
        return a.radians == b.radians;
    else
        return a == b;
}

template <class Fields>
void addEdits(const Fields& before, const Fields& now, const char* section, const std::string& element,
              std::vector<Edit>& edits) {
    // visits both structs in parallel
    std::vector<const void*> was;
    forEachParameter(before, [&](const auto& value, const ParameterInfo&) { was.push_back(&value); });
    size_t at = 0;
    forEachParameter(now, [&]<class T>(const T& value, const ParameterInfo& info) {
        if (!(*static_cast<const T*>(was[at++]) == value))
            edits.push_back(
                toEdit(pathOf(element.empty() ? info.group : section, element, info.name), value));
    });
}

// The same for shapes and the forms of sinks.
template <class T>
void addFormEdits(const T& before, const T& now, const char* section, std::vector<Edit>& edits) {
    std::vector<Edit> was;
    const auto collect = [&](const T& of, std::vector<Edit>& into) {
        visitTunables(const_cast<T&>(of), [&](auto&& value, const ParameterInfo& info) {
            into.push_back(
                toEdit<std::remove_cvref_t<decltype(value)>>(pathOf(section, of.name, info.name), value));
        });
    };
    collect(before, was);
    std::vector<Edit> is;
    collect(now, is);
    CHECK_EQ(was.size(), is.size());
    for (size_t k = 0; k < is.size(); ++k)
        if (!(was[k] == is[k])) edits.push_back(is[k]);
}

// ---- text ----

}  // namespace

std::string applyEdit(const Tunables& values, const Edit& edit) {
    std::string answer = "?";
    std::vector<std::string> paths;
    const auto visit = [&](auto&& field, const ParameterInfo& info, const char* section,
                           const std::string& element) {
        paths.push_back(pathOf(section, element, info.name));
        if (paths.back() == edit.path) answer = fromEdit(field, info, edit);
    };
    forEachParameter(values.parameters, [&](auto& value, const ParameterInfo& info) {
        visit(value, info, info.group, std::string());
    });
    const auto properties = [&](auto& list, const char* section) {
        for (auto& element : list)
            forEachParameter(element.properties, [&](auto& value, const ParameterInfo& info) {
                visit(value, info, section, element.name);
            });
    };
    properties(values.materials, "materials");
    properties(values.forceFields, "fields");
    properties(values.emitters, "emitters");
    const auto formed = [&](auto& element, Shape& shape, const char* section) {
        visitTunables(element, [&](auto&& value, const ParameterInfo& info) {
            const std::string path = pathOf(section, element.name, info.name);
            // a new motion starts at the current pose
            if (path == edit.path && isMotion(info.name) && values.time > 0) startAnew(shape, values.time);
            visit(value, info, section, element.name);
        });
    };
    for (Sink& sink : values.sinks) formed(sink, sink.form, "sinks");
    if (values.shapes)
        for (Shape& shape : *values.shapes) formed(shape, shape, "shapes");
    return answer == "?" ? "there is no such value." + didYouMean(edit.path, paths) : answer;
}

std::vector<Edit> editsBetween(const ConstTunables& before, const ConstTunables& now) {
    std::vector<Edit> edits;
    addEdits(before.parameters, now.parameters, "", "", edits);
    const auto addList = [&](const auto& was, const auto& is, const char* section) {
        CHECK_EQ(was.size(), is.size());
        for (size_t k = 0; k < is.size(); ++k)
            addEdits(was[k].properties, is[k].properties, section, is[k].name, edits);
    };
    addList(before.materials, now.materials, "materials");
    addList(before.forceFields, now.forceFields, "fields");
    addList(before.emitters, now.emitters, "emitters");
    const auto addForms = [&](const auto& was, const auto& is, const char* section) {
        CHECK_EQ(was.size(), is.size());
        for (size_t k = 0; k < is.size(); ++k) addFormEdits(was[k], is[k], section, edits);
    };
    addForms(before.sinks, now.sinks, "sinks");
    if (before.shapes && now.shapes) addForms(*before.shapes, *now.shapes, "shapes");
    return edits;
}

Edit editAt(const ConstTunables& values, const std::string& path) {
    Edit found;
    visitAll(values, [&](const auto& value, const ParameterInfo& info, const char* section,
                         const std::string& element) {
        if (pathOf(section, element, info.name) == path) found = toEdit(path, value);
    });
    return found;
}

std::vector<Tunable> listTunables(const ConstTunables& values) {
    std::vector<Tunable> list;
    visitAll(values, [&](const auto& value, const ParameterInfo& info, const char* section,
                         const std::string& element) {
        using T = std::remove_cvref_t<decltype(value)>;
        Tunable t{
            info,   section, element, typeOf<T>(), toEdit<T>(pathOf(section, element, info.name), value),
            nullptr};
        if constexpr (std::is_enum_v<T>) t.choices = &choiceNames<T>();
        list.push_back(std::move(t));
    });
    return list;
}

bool isFixedAtStart(std::string_view group, std::string_view name) {
    const auto among = [name](std::initializer_list<std::string_view> names) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (group == "material")
        return among({"kind", "spacing", "supportRatio", "density", "areaDensity", "clusterSpacing",
                      "clusterRadius", "tetherSlack"});
    if (group == "neighbors") return among({"capacity", "pairCapacity"});
    return group == "solver" && name == "planar";
}

std::string asSet(const Edit& edit) {
    if (!edit.word.empty()) return edit.path + "=" + edit.word;
    std::string text;
    for (const double number : edit.numbers) text += (text.empty() ? "" : ",") + numberText(number);
    return edit.path + "=" + (edit.numbers.size() == 1 ? text : "[" + text + "]");
}

std::vector<std::string> asSets(const Scene& scene, const std::vector<Edit>& edits) {
    std::vector<std::string> sets;
    for (const Edit& edit : edits) {
        for (const Shape& shape : scene.shapes) {
            // removes normal and offset of a plane in the file, which would exclude these values
            if (shape.kind != ShapeKind::plane || edit.path != "shapes." + shape.name + ".rotation") continue;
            sets.push_back("shapes." + shape.name + ".plane={}");
            const std::string place = "shapes." + shape.name + ".position";
            if (std::none_of(edits.begin(), edits.end(), [&](const Edit& e) { return e.path == place; }))
                sets.push_back(asSet(toEdit(place, shape.position)));
        }
        sets.push_back(asSet(edit));
    }
    return sets;
}

std::string asOptions(const std::vector<std::string>& sets) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.=:,+-/";
    std::string options;
    for (const std::string& set : sets) {
        options += options.empty() ? "--set " : " --set ";
        if (set.find_first_not_of(kPlain) == std::string::npos) {
            options += set;
            continue;
        }
        options += '\'';
        for (const char c : set) options += c == '\'' ? std::string("'\\''") : std::string(1, c);
        options += '\'';
    }
    return options;
}

}  // namespace coalesce
