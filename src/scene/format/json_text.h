// JSON as a tree in which every value has its line, for error messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace coalesce {

// Limits of a file; larger ones are rejected with a message.
constexpr size_t kMaxFileBytes = 64u << 20;
constexpr int kMaxNesting = 64;
constexpr size_t kMaxValues = 4'000'000;  // such a tree takes about 500 MB

struct Node {
    enum class Type { Null, Bool, Number, Text, Array, Object };
    Type type = Type::Null;
    bool boolean = false;
    double number = 0;
    std::string text;            // of a Text
    std::string key;             // inside an object: its name
    std::vector<Node> children;  // in file order
    int line = 0;                // 0: not from the file
    std::string origin;          // source, if not the file itself: "--set a.b=c"

    bool isObject() const { return type == Type::Object; }
    bool isArray() const { return type == Type::Array; }
    bool isText() const { return type == Type::Text; }
    bool isNumber() const { return type == Type::Number; }
    // The child with this key, or null.
    const Node* find(std::string_view name) const;
    Node* find(std::string_view name);
    // The value for messages, shortened: the number 3, the string "abc", a list of 4.
    std::string describe() const;
};

// Name of a list element in messages and --set: its "name", or its index.
std::string elementName(const Node& element, size_t index);

// One error in a text.
struct Diagnostic {
    int line = 0;        // 0: unknown
    int column = 0;      // 0: unknown
    std::string origin;  // see Node
    std::string path;    // "materials.water.spacing"; empty: the whole file
    std::string what, hint;
};

// Parses JSON with comments. False on a syntax error or an exceeded limit, which is then the last diagnostic.
// Duplicate keys are errors too; the first one counts.
bool parseJson(std::string_view text, Node& root, std::vector<Diagnostic>& diagnostics);

// Text for one line of a terminal: without control characters and invalid UTF-8, of limited length.
std::string printable(std::string_view text, size_t limit = 60);

}  // namespace coalesce
