#include "scene/format/json_edit.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "scene/format/json_text.h"

namespace coalesce {

namespace {

// A value with the places of its parts in the text.
struct Placed {
    TextSpan span;
    bool isList = false, isObject = false;
    struct Child {
        std::string key;  // of an object
        TextSpan whole;   // with its key
        TextSpan value;
    };
    std::vector<Child> children;
};

// Scans text that parseJson() has accepted.
class Scanner {
public:
    explicit Scanner(std::string_view text, size_t at = 0) : m_text(text), m_at(at) {}

    // The value that begins at or after this place. Children of children are skipped.
    Placed value() {
        skipSpace();
        Placed placed;
        placed.span.begin = m_at;
        placed.isList = peek() == '[', placed.isObject = peek() == '{';
        if (placed.isList || placed.isObject) {
            ++m_at;
            for (skipSpace(); m_at < m_text.size() && peek() != ']' && peek() != '}'; skipSpace()) {
                if (peek() == ',') {
                    ++m_at;
                    continue;
                }
                Placed::Child child;
                child.whole.begin = m_at;
                if (placed.isObject) {
                    const size_t begin = m_at;
                    text();
                    child.key = unquoted(m_text.substr(begin, m_at - begin));
                    skipSpace();
                    if (peek() == ':') ++m_at;
                    skipSpace();
                }
                child.value = value().span;
                child.whole.end = child.value.end;
                placed.children.push_back(std::move(child));
            }
            if (m_at < m_text.size()) ++m_at;
        } else if (peek() == '"') {
            text();
        } else {
            while (m_at < m_text.size() &&
                   std::string_view(",]}:/ \t\r\n").find(peek()) == std::string_view::npos)
                ++m_at;
        }
        placed.span.end = m_at;
        return placed;
    }

    void skipSpace() {
        while (m_at < m_text.size()) {
            if (std::string_view(" \t\r\n").find(peek()) != std::string_view::npos) {
                ++m_at;
            } else if (m_text.substr(m_at).starts_with("//")) {
                m_at = std::min(m_text.find('\n', m_at), m_text.size());
            } else if (m_text.substr(m_at).starts_with("/*")) {
                const size_t end = m_text.find("*/", m_at + 2);
                m_at = end == std::string_view::npos ? m_text.size() : end + 2;
            } else {
                return;
            }
        }
    }
    size_t at() const { return m_at; }

private:
    char peek() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }
    void text() {
        for (++m_at; m_at < m_text.size() && peek() != '"'; ++m_at)
            if (peek() == '\\') ++m_at;
        m_at = std::min(m_at + 1, m_text.size());
    }
    static std::string unquoted(std::string_view text) {
        Node node;
        std::vector<Diagnostic> ignored;
        return parseJson(text, node, ignored) ? node.text : std::string();
    }

    std::string_view m_text;
    size_t m_at;
};

std::optional<Placed> find(std::string_view text, const JsonPath& path) {
    Node parsed;
    std::vector<Diagnostic> errors;
    if (!parseJson(text, parsed, errors) || !errors.empty()) return {};
    Placed here = Scanner(text).value();
    for (const auto& step : path) {
        const Placed::Child* next = nullptr;
        if (const auto* index = std::get_if<size_t>(&step)) {
            if (here.isList && *index < here.children.size()) next = &here.children[*index];
        } else if (here.isObject) {
            const auto found =
                std::find_if(here.children.begin(), here.children.end(),
                             [&](const Placed::Child& c) { return c.key == std::get<std::string>(step); });
            if (found != here.children.end()) next = &*found;
        }
        if (!next) return {};
        const size_t begin = next->value.begin;
        here = Scanner(text, begin).value();
    }
    return here;
}

// White space between the start of a line and a place in it; nullopt: something else stands before the place.
std::optional<std::string> indentationBefore(std::string_view text, size_t place) {
    const size_t line = text.rfind('\n', place == 0 ? 0 : place - 1);
    const size_t begin = line == std::string_view::npos ? 0 : line + 1;
    const std::string_view before = text.substr(begin, place - begin);
    if (line == std::string_view::npos || before.find_first_not_of(" \t") != std::string_view::npos)
        return {};
    return std::string(before);
}

// Inserts a child of a list or object.
std::string insertChild(std::string_view text, const Placed& parent, size_t index, std::string_view json) {
    const auto& children = parent.children;
    std::string out(text);
    if (children.empty()) {
        out.insert(parent.span.begin + 1, std::string(json));
        return out;
    }
    const Placed::Child& beside = children[std::min(index, children.size() - 1)];
    const auto indentation = indentationBefore(text, beside.whole.begin);
    const std::string gap = indentation ? "\n" + *indentation : " ";
    if (index < children.size())
        out.insert(beside.whole.begin, std::string(json) + "," + gap);
    else
        out.insert(beside.whole.end, "," + gap + std::string(json));
    return out;
}

// The text without one of the children of a list or object.
std::string removeChild(std::string_view text, const std::vector<Placed::Child>& children, size_t index) {
    const TextSpan span = children[index].whole;
    std::string out(text);
    // the comma after it, or of the last element the one before it; comments in between stay
    const bool last = index + 1 == children.size();
    std::optional<size_t> comma;
    if (!last || index > 0) {
        Scanner scanner(text, last ? children[index - 1].whole.end : span.end);
        scanner.skipSpace();
        if (scanner.at() < text.size() && text[scanner.at()] == ',') comma = scanner.at();
    }
    if (comma && *comma > span.end) out.erase(*comma, 1);
    if (comma && *comma == span.end) out.erase(*comma, 1);
    out.erase(span.begin, span.end - span.begin);
    size_t place = span.begin;
    if (comma && *comma < span.begin) out.erase(*comma, 1), --place;
    // a line that is now empty
    const size_t line = out.rfind('\n', place == 0 ? 0 : place - 1);
    const size_t end = out.find_first_not_of(" \t", place);
    if (line != std::string::npos && end != std::string::npos && (out[end] == '\n' || out[end] == '\r') &&
        out.find_first_not_of(" \t", line + 1) == end)
        out.erase(line, out.find('\n', end) - line);
    else if (last) {
        // the space before it
        size_t begin = place;
        while (begin > 0 && (out[begin - 1] == ' ' || out[begin - 1] == '\t')) --begin;
        if (begin > 0 && out[begin - 1] != '\n') out.erase(begin, place - begin);
    } else if (end != std::string::npos && place > 0 &&
               std::string_view(" \t[").find(out[place - 1]) != std::string_view::npos) {
        out.erase(place, end - place);  // the space after it
    }
    return out;
}

}  // namespace

std::optional<TextSpan> spanOfValue(std::string_view text, const JsonPath& path) {
    const auto found = find(text, path);
    if (!found) return {};
    return found->span;
}

size_t countAt(std::string_view text, const JsonPath& path) {
    const auto found = find(text, path);
    return found ? found->children.size() : 0;
}

std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump();
}

std::optional<std::string> replaceValue(std::string_view text, const JsonPath& path, std::string_view json) {
    const auto span = spanOfValue(text, path);
    if (!span) return {};
    std::string out(text);
    out.replace(span->begin, span->end - span->begin, json);
    return out;
}

std::optional<std::string> insertElement(std::string_view text, const JsonPath& list, size_t index,
                                         std::string_view json) {
    const auto found = find(text, list);
    if (!found || !found->isList || index > found->children.size()) return {};
    return insertChild(text, *found, index, json);
}

std::optional<std::string> addKey(std::string_view text, const JsonPath& object, const std::string& key,
                                  std::string_view json) {
    const auto found = find(text, object);
    if (!found || !found->isObject) return {};
    return insertChild(text, *found, found->children.size(), quoted(key) + ": " + std::string(json));
}

std::optional<std::string> removeElement(std::string_view text, const JsonPath& list, size_t index) {
    const auto found = find(text, list);
    if (!found || !found->isList || index >= found->children.size()) return {};
    return removeChild(text, found->children, index);
}

std::optional<std::string> removeKey(std::string_view text, const JsonPath& object, const std::string& key) {
    const auto found = find(text, object);
    if (!found || !found->isObject) return {};
    const auto at = std::ranges::find(found->children, key, &Placed::Child::key);
    if (at == found->children.end()) return {};
    return removeChild(text, found->children, size_t(at - found->children.begin()));
}

}  // namespace coalesce
