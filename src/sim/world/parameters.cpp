#include "sim/world/parameters.h"

#include "core/hash.h"

namespace coalesce {

namespace {

// "local, global" → {"local", "global"}
std::vector<std::string_view> splitNames(std::string_view list) {
    std::vector<std::string_view> names;
    while (!list.empty()) {
        const size_t comma = list.find(',');
        std::string_view name = list.substr(0, comma);
        while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
        names.push_back(name);
        list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
    }
    return names;
}

}  // namespace

#define CHOICES(Enum, ...)                                                           \
    template <>                                                                      \
    const std::vector<std::string_view>& choiceNames<Enum>() {                       \
        static const std::vector<std::string_view> names = splitNames(#__VA_ARGS__); \
        return names;                                                                \
    }
#include "sim/world/choices.def"

std::span<const RenamedParameter> renamedParameters() {
#define FORMER(group, former, current) {#group, #former, #current},
    static constexpr RenamedParameter kRenamed[] = {
#include "sim/world/former_names.def"
    };
    return kRenamed;
}

std::string labelOf(std::string_view name) {
    if (name == "cfl") return "CFL number";
    const auto isLower = [](char c) { return c >= 'a' && c <= 'z'; };
    const auto isUpper = [](char c) { return c >= 'A' && c <= 'Z'; };
    std::string label;
    for (size_t i = 0; i < name.size(); ++i) {
        const char c = name[i];
        // a capital begins a word; letters of an acronym stay together and upper case
        const bool afterUpper = i > 0 && isUpper(name[i - 1]);
        const bool beforeLower = i + 1 < name.size() && isLower(name[i + 1]);
        const bool acronym = isUpper(c) && !beforeLower && (afterUpper || i + 1 < name.size());
        if (i > 0 && isUpper(c) && (!afterUpper || beforeLower)) label += ' ';
        if (i == 0 && isLower(c))
            label += char(c - 'a' + 'A');
        else if (i > 0 && isUpper(c) && !acronym)
            label += char(c - 'A' + 'a');
        else
            label += c;
    }
    return label;
}

uint64_t manifestHash() {
    constexpr const char* kText =
#define GROUP_BEGIN(Type, name) #name "{"
#define PARAM(T, name, value, lowest, highest, unit, scale, about) #T " " #name ";"
#define SWITCH(name, value, about) "bool " #name ";"
#define CHOICE(Enum, name, value, about) #Enum " " #name ";"
#define GROUP_END(Type, name) "}"
#include "sim/world/parameters.def"
#define PARAM(T, name, value, lowest, highest, unit, scale, about) #T " " #name ";"
#define SWITCH(name, value, about) "bool " #name ";"
#define CHOICE(Enum, name, value, about) #Enum " " #name ";"
#include "sim/world/materials.def"
#define PARAM(T, name, value, lowest, highest, unit, scale, about) #T " " #name ";"
#define SWITCH(name, value, about) "bool " #name ";"
#define CHOICE(Enum, name, value, about) #Enum " " #name ";"
#include "sim/world/force_fields.def"
#define PARAM(T, name, value, lowest, highest, unit, scale, about) #T " " #name ";"
#define SWITCH(name, value, about) "bool " #name ";"
#include "sim/world/emitters.def"
#define PARAM(T, name, value, lowest, highest, unit, scale, about) #T " " #name ";"
#define SWITCH(name, value, about) "bool " #name ";"
#include "sim/world/sinks.def"
#define ARRAY(T, name, unit, role, about) #T " " #name " " #role ";"
#include "sim/world/particles.def"
#define CHOICES(Enum, ...) #Enum ":" #__VA_ARGS__ ";"
#include "sim/world/choices.def"
        ;
    return hashText(kText);
}

}  // namespace coalesce
