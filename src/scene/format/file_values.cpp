#include "scene/format/file_values.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "core/error.h"
#include "scene/format/former_keys.h"
#include "scene/format/json_edit.h"
#include "scene/format/overrides.h"
#include "scene/format/read_fields.h"

namespace coalesce {

namespace {

// A place in the file, as the file spells it, and the same one with current names of keys.
struct Place {
    const Node* written;
    const Node* current;
    JsonPath path;

    // The child of this name; nullopt: none.
    std::optional<Place> child(const std::string& name) const {
        const Node* found = childOf(*current, name);
        if (!found) return {};
        const auto index = size_t(found - current->children.data());
        Place place{&written->children[index], found, path};
        if (written->isObject())
            place.path.emplace_back(place.written->key);
        else
            place.path.emplace_back(index);
        return place;
    }
};

class FileValues {
public:
    FileValues(std::string text, const std::filesystem::path& file, const SceneChoice& choice)
        : m_text(std::move(text)), m_file(file), m_choice(choice) {
        parse();
    }

    void set(const std::string& assignment) {
        const size_t equals = assignment.find('=');
        CHECK(equals != std::string::npos);  // the sets of a session were read before
        std::string path = assignment.substr(0, equals);
        const std::string value = jsonOf(assignment.substr(equals + 1));
        Node none;
        renameFormerKeys(path, none);
        if (value == "null")
            change(path, removed(path));
        else
            change(path, placed(path, value));
        parse();
    }

    std::string text() && { return std::move(m_text); }

private:
    void parse() {
        std::vector<Diagnostic> diagnostics;
        m_written = {};
        if (!parseJson(m_text, m_written, diagnostics) || !diagnostics.empty()) failWith(m_file, diagnostics);
        m_current = m_written;
        std::vector<std::string> notes;
        renameFormerKeys(m_current, notes);
    }

    void change(const std::string& path, std::optional<std::string> text) {
        if (!text)
            fail(Exit::Scene, m_file.string(), path + " cannot be written: the file has no place for it",
                 "Save the other values as a preset, or set this one in the file by hand.");
        m_text = std::move(*text);
    }

    // As in the file: 4, [0, 1, 0], "a word".
    static std::string jsonOf(const std::string& value) {
        Node node;
        std::vector<Diagnostic> ignored;
        if (!parseJson(value, node, ignored)) return quoted(value);
        std::string text;
        bool inString = false;
        for (size_t i = 0; i < value.size(); ++i) {
            text += value[i];
            if (value[i] == '"' && (i == 0 || value[i - 1] != '\\')) inString = !inString;
            if (value[i] == ',' && !inString && i + 1 < value.size() && value[i + 1] != ' ') text += ' ';
        }
        return text;
    }

    Place root() const { return {&m_written, &m_current, {}}; }

    // A path whose elements of lists are indices, so that two ways to write it are equal.
    std::vector<std::string> indexed(const std::string& path) const {
        std::vector<std::string> names = splitPath(path);
        std::optional<Place> at = root();
        for (std::string& name : names) {
            const bool isList = at && at->current->isArray();
            at = at ? at->child(name) : std::nullopt;
            if (at && isList) name = std::to_string(std::get<size_t>(at->path.back()));
        }
        return names;
    }

    // The entry of the case or the size that sets this path or something that it is a part of, and the names
    // of the path within that entry.
    struct Entry {
        Place place;
        std::vector<std::string> rest;
    };
    std::optional<Entry> entryFor(const std::string& path) const {
        const std::vector<std::string> wanted = indexed(path);
        for (const auto& [section, set] : {std::pair("cases", m_choice.caseName),
                                           std::pair("sizes", chosenSize(m_current, m_choice.size))}) {
            const std::optional<Place> sets = set.empty() ? std::nullopt : root().child(section);
            const std::optional<Place> chosen = sets ? sets->child(set) : std::nullopt;
            if (!chosen) continue;
            // the last entry counts
            for (size_t k = chosen->current->children.size(); k-- > 0;) {
                const std::string& key = chosen->current->children[k].key;
                const std::vector<std::string> names = indexed(key);
                const size_t common = std::min(names.size(), wanted.size());
                if (!std::equal(names.begin(), names.begin() + std::ptrdiff_t(common), wanted.begin()))
                    continue;
                if (names.size() > wanted.size())
                    fail(Exit::Scene, m_file.string(),
                         fmt::format("{} cannot be written: \"{}\" of {} sets a part of it", path, key, set),
                         "Set it there by hand.");
                return Entry{*chosen->child(key), {wanted.begin() + std::ptrdiff_t(common), wanted.end()}};
            }
        }
        return {};
    }

    // The text with a value at the path; nullopt: there is no place for it.
    std::optional<std::string> placed(const std::string& path, const std::string& value) const {
        const std::optional<Entry> entry = entryFor(path);
        Place at = entry ? entry->place : root();
        const std::vector<std::string> names = entry ? entry->rest : splitPath(path);
        for (size_t i = 0; i < names.size(); ++i) {
            if (const std::optional<Place> child = at.child(names[i])) {
                at = *child;
                continue;
            }
            if (!at.current->isObject()) return {};
            if (i + 1 == names.size()) return addKey(m_text, at.path, names[i], value);
            // a section that the file omits
            if (i == 0 && !entry && names.size() == 2)
                return addKey(m_text, at.path, names[0],
                              fmt::format("{{ {}: {} }}", quoted(names[1]), value));
            return {};
        }
        return replaceValue(m_text, at.path, value);
    }

    std::optional<std::string> removed(const std::string& path) const {
        std::optional<Place> at = root();
        for (const std::string& name : splitPath(path))
            if (at) at = at->child(name);
        if (!at || at->path.empty() || entryFor(path)) return {};
        JsonPath parent = at->path;
        parent.pop_back();
        if (const auto* key = std::get_if<std::string>(&at->path.back()))
            return removeKey(m_text, parent, *key);
        return removeElement(m_text, parent, std::get<size_t>(at->path.back()));
    }

    std::string m_text;
    const std::filesystem::path m_file;
    const SceneChoice m_choice;
    Node m_written, m_current;  // of the text; with current names
};

}  // namespace

std::string withValues(std::string text, const std::filesystem::path& file,
                       const std::vector<std::string>& sets, const SceneChoice& choice) {
    FileValues values(std::move(text), file, choice);
    for (const std::string& set : sets) values.set(set);
    return std::move(values).text();
}

}  // namespace coalesce
