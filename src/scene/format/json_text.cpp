#include "scene/format/json_text.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>

namespace coalesce {

namespace {

// Iterates over the text and counts the characters that the parser has read.
struct CountingIterator {
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    const char* at = nullptr;
    size_t* consumed = nullptr;

    reference operator*() const { return *at; }
    CountingIterator& operator++() {
        ++at;
        if (consumed) ++*consumed;
        return *this;
    }
    CountingIterator operator++(int) {
        CountingIterator before = *this;
        ++*this;
        return before;
    }
    bool operator==(const CountingIterator& other) const { return at == other.at; }
    bool operator!=(const CountingIterator& other) const { return at != other.at; }
};

// Receives the parser's events and builds the tree.
class TreeBuilder {
public:
    TreeBuilder(std::string_view text, Node& root, std::vector<Diagnostic>& diagnostics)
        : m_text(text), m_root(root), m_diagnostics(diagnostics) {}

    size_t consumed = 0;  // characters the parser has read

    // the parser prescribes the names of these functions
    bool null() { return add({}); }
    bool boolean(bool value) {
        Node node;
        node.type = Node::Type::Bool;
        node.boolean = value;
        return add(std::move(node));
    }
    bool number_integer(int64_t value) { return addNumber(double(value)); }
    bool number_unsigned(uint64_t value) { return addNumber(double(value)); }
    bool number_float(double value, const std::string&) { return addNumber(value); }
    bool string(std::string& value) {
        Node node;
        node.type = Node::Type::Text;
        node.text = std::move(value);
        return add(std::move(node));
    }
    bool binary(std::vector<uint8_t>&) { return false; }  // does not occur in text
    bool start_object(size_t) { return open(Node::Type::Object); }
    bool start_array(size_t) { return open(Node::Type::Array); }
    bool end_array() { return close(); }
    bool key(std::string& name) {
        m_key = std::move(name);
        return true;
    }
    bool end_object() {
        findDuplicates(m_stack.back());
        return close();
    }
    bool parse_error(size_t, const std::string&, const nlohmann::json::exception& error) {
        // "[json.exception…] parse error at line 3, column 5: syntax error while …": removes the location,
        // which the diagnostic has
        std::string what = error.what();
        if (const size_t place = what.find("column "); place != std::string::npos)
            if (const size_t colon = what.find(": ", place); colon != std::string::npos)
                what.erase(0, colon + 2);
        if (what.starts_with("[")) what.erase(0, what.find(']') + 2);
        const auto says = [&](const char* words) { return what.find(words) != std::string::npos; };
        const bool listGoesOn = (says("expected '}'") || says("expected ']'")) && !says("end of input") &&
                                !says("unexpected '}'") && !says("unexpected ']'") && !says("unexpected ':'");
        note(printable(what, 200),
             listGoesOn ? "A comma is missing before this."
                        : "The file is JSON with comments (// and /* */), without NaN and Infinity.");
        return false;
    }

private:
    bool addNumber(double value) {
        Node node;
        node.type = Node::Type::Number;
        node.number = value;
        return add(std::move(node));
    }
    bool open(Node::Type type) {
        if (m_stack.size() >= size_t(kMaxNesting))
            return note(fmt::format("lists and objects are nested deeper than {} levels", kMaxNesting), "");
        Node node;
        node.type = type;
        if (!stamp(node)) return false;
        m_stack.push_back(std::move(node));
        return true;
    }
    bool close() {
        Node node = std::move(m_stack.back());
        m_stack.pop_back();
        attach(std::move(node));
        return true;
    }
    bool add(Node node) {
        if (!stamp(node)) return false;
        attach(std::move(node));
        return true;
    }
    bool stamp(Node& node) {
        if (++m_count > kMaxValues)
            return note(fmt::format("the file holds more than {} values", kMaxValues),
                        "Describe bodies by blocks and spheres instead of single points.");
        node.line = line();
        if (!m_stack.empty() && m_stack.back().isObject()) node.key = std::move(m_key);
        return true;
    }
    void attach(Node node) {
        if (m_stack.empty())
            m_root = std::move(node);
        else
            m_stack.back().children.push_back(std::move(node));
    }
    void findDuplicates(const Node& object) {
        std::vector<const Node*> sorted;
        for (const Node& child : object.children) sorted.push_back(&child);
        std::stable_sort(sorted.begin(), sorted.end(),
                         [](const Node* a, const Node* b) { return a->key < b->key; });
        for (size_t i = 1; i < sorted.size() && m_diagnostics.size() < 100; ++i)
            if (sorted[i]->key == sorted[i - 1]->key)
                m_diagnostics.push_back({sorted[i]->line, 0, "", path() + printable(sorted[i]->key),
                                         fmt::format("duplicate key, first in line {}", sorted[i - 1]->line),
                                         "Remove one of them."});
    }
    // Path of the innermost open object: "bodies.cube.block.".
    std::string path() const {
        std::string out;
        for (size_t i = 1; i < m_stack.size(); ++i) {
            const Node &parent = m_stack[i - 1], &node = m_stack[i];
            out += (parent.isArray() ? elementName(node, parent.children.size()) : printable(node.key)) + ".";
        }
        return out;
    }
    // Line of the last character read. A number ends only with the next character, which is on the same line.
    int line() {
        const size_t place = consumed > 0 ? consumed - 1 : 0;
        for (; m_scanned < place; ++m_scanned)
            if (m_text[m_scanned] == '\n') ++m_lines, m_lineStart = m_scanned + 1;
        return m_lines;
    }
    bool note(std::string what, std::string hint) {
        const int at = line();
        m_diagnostics.push_back(
            {at, int(consumed - std::min(consumed, m_lineStart)), "", "", std::move(what), std::move(hint)});
        return false;
    }

    std::string_view m_text;
    Node& m_root;
    std::vector<Diagnostic>& m_diagnostics;
    std::vector<Node> m_stack;
    std::string m_key;
    size_t m_count = 0, m_scanned = 0, m_lineStart = 0;
    int m_lines = 1;
};

}  // namespace

const Node* Node::find(std::string_view name) const {
    for (const Node& child : children)
        if (child.key == name) return &child;
    return nullptr;
}
Node* Node::find(std::string_view name) {
    return const_cast<Node*>(std::as_const(*this).find(name));
}

std::string elementName(const Node& element, size_t index) {
    const Node* name = element.find("name");
    return name && name->isText() ? printable(name->text) : std::to_string(index);
}

std::string Node::describe() const {
    switch (type) {
        case Type::Null:
            return "null";
        case Type::Bool:
            return boolean ? "true" : "false";
        case Type::Number:
            return fmt::format("the number {}", number);
        case Type::Text:
            return fmt::format("the string \"{}\"", printable(text));
        case Type::Array:
            return fmt::format("a list of {}", children.size());
        case Type::Object:
            return "an object";
    }
    return {};
}

bool parseJson(std::string_view text, Node& root, std::vector<Diagnostic>& diagnostics) {
    if (text.size() > kMaxFileBytes) {
        diagnostics.push_back({0, 0, "", "",
                               fmt::format("the file has {} MB; at most {} MB are read", text.size() >> 20,
                                           kMaxFileBytes >> 20),
                               ""});
        return false;
    }
    TreeBuilder builder(text, root, diagnostics);
    const CountingIterator begin{text.data(), &builder.consumed}, end{text.data() + text.size(), nullptr};
    return nlohmann::json::sax_parse(begin, end, &builder, nlohmann::json::input_format_t::json, true, true);
}

std::string printable(std::string_view text, size_t limit) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
        if (out.size() >= limit) return out + "…";
        const auto byte = static_cast<unsigned char>(text[i]);
        // the length of a well-formed UTF-8 sequence, 0 for anything else
        const size_t length = byte < 0x80                   ? 1
                              : byte >= 0xc2 && byte < 0xe0 ? 2
                              : byte >= 0xe0 && byte < 0xf0 ? 3
                              : byte >= 0xf0 && byte < 0xf5 ? 4
                                                            : 0;
        bool good = length > 0 && i + length <= text.size() && byte >= 0x20 && byte != 0x7f;
        for (size_t k = 1; good && k < length; ++k)
            good = (static_cast<unsigned char>(text[i + k]) & 0xc0) == 0x80;
        if (good) {
            out.append(text.substr(i, length));
            i += length - 1;
        } else {
            out += byte == '\n' || byte == '\t' || byte == '\r' ? ' ' : '?';
        }
    }
    return out;
}

}  // namespace coalesce
