// JSON as a tree that knows the line of everything in it, so that a mistake can be shown where it stands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace coalesce {

// Limits of what is read; beyond them a file is refused with a message.
constexpr size_t kMaxFileBytes = 64u << 20;
constexpr int kMaxNesting = 64;
constexpr size_t kMaxValues = 4'000'000;  // a tree of that many takes about half a gigabyte

struct Node {
    enum class Type { Null, Bool, Number, Text, Array, Object };
    Type type = Type::Null;
    bool boolean = false;
    double number = 0;
    std::string text;            // of a Text
    std::string key;             // inside an object: its name
    std::vector<Node> children;  // in file order
    int line = 0;                // 0: not from the file
    std::string origin;          // where it came from when not from the file itself: "--set a.b=c"

    bool isObject() const { return type == Type::Object; }
    bool isArray() const { return type == Type::Array; }
    bool isText() const { return type == Type::Text; }
    bool isNumber() const { return type == Type::Number; }
    // The child with this key; null when there is none.
    const Node* find(std::string_view name) const;
    Node* find(std::string_view name);
    // The value in words for messages, shortened: the number 3, the text "abc", a list of 4.
    std::string describe() const;
};

// How messages and --set call an element of a list: by its "name", or by its index when it has none.
std::string elementName(const Node& element, size_t index);

// One thing wrong with a text.
struct Diagnostic {
    int line = 0;        // 0: none to tell
    int column = 0;      // 0: none to tell
    std::string origin;  // see Node
    std::string path;    // "materials.water.spacing"; empty: the whole file
    std::string what, hint;
};

// Parses JSON with comments. False on a syntax error or a broken limit, which then is the last of the
// mistakes. Duplicate keys are mistakes too, and the first one counts.
bool parseJson(std::string_view text, Node& root, std::vector<Diagnostic>& diagnostics);

// Text made fit for one line of a terminal: control characters and broken UTF-8 replaced, length limited.
std::string printable(std::string_view text, size_t limit = 60);

}  // namespace coalesce
