// Text parsing of mesh files: numbered lines, words, numbers.
#pragma once

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.h"
#include "geometry/mesh/mesh_reader.h"

namespace coalesce {

// Printable excerpt of a word of the file, for messages.
inline std::string shown(std::string_view word) {
    std::string text;
    for (const char c : word.substr(0, 40)) text += c >= ' ' && c <= '~' ? c : '?';
    return "\"" + text + (word.size() > 40 ? "…\"" : "\"");
}

inline bool isBlank(char c) {
    return c == ' ' || c == '\t';
}

// Splits a line into words.
class Words {
public:
    explicit Words(std::string_view line) : m_rest(line) {}
    // empty at the end
    std::string_view next() {
        while (!m_rest.empty() && isBlank(m_rest.front())) m_rest.remove_prefix(1);
        size_t n = 0;
        while (n < m_rest.size() && !isBlank(m_rest[n])) ++n;
        const std::string_view word = m_rest.substr(0, n);
        m_rest.remove_prefix(n);
        return word;
    }

private:
    std::string_view m_rest;
};

template <class T>
std::optional<T> numberIn(std::string_view word) {
    if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
    T value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
    return value;
}

// Reads the content of a file line by line.
class Lines {
public:
    Lines(std::string_view content, const std::string& name, const MeshLimits& limits)
        : m_content(content), m_name(name), m_limits(limits) {}

    bool atEnd() const { return m_at >= m_content.size(); }
    // without its terminator: \n, \r\n or the end of the file
    std::string_view next() {
        ++m_number;
        const size_t end = std::min(m_content.find('\n', m_at), m_content.size());
        std::string_view line = m_content.substr(m_at, end - m_at);
        m_at = end + 1;
        if (line.size() > m_limits.line)
            fail(fmt::format("a line of more than {} characters", m_limits.line));
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        return line;
    }
    std::string_view rest() const { return atEnd() ? std::string_view{} : m_content.substr(m_at); }
    size_t at() const { return m_at; }

    [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const {
        coalesce::fail(Exit::Scene, fmt::format("{}:{}", m_name, m_number), what, hint);
    }

private:
    std::string_view m_content;
    const std::string& m_name;
    const MeshLimits& m_limits;
    size_t m_at = 0, m_number = 0;
};

}  // namespace coalesce
