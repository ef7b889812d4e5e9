// Changes of single values in the text of a JSON file with comments. All other text stays as it is.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace coalesce {

// Way from the root to a value: names of keys and indices of elements.
using JsonPath = std::vector<std::variant<std::string, size_t>>;

// The characters of the value at a path, begin to end; nullopt: there is none, or the text is not JSON.
struct TextSpan {
    size_t begin = 0, end = 0;
};
std::optional<TextSpan> spanOfValue(std::string_view text, const JsonPath& path);
// Number of elements of the list, or keys of the object at a path; 0 where there is none.
size_t countAt(std::string_view text, const JsonPath& path);

// A text as a JSON string, with its quotation marks.
std::string quoted(const std::string& text);

// Each returns the new text, or nullopt where the path does not lead to a value of this kind.
std::optional<std::string> replaceValue(std::string_view text, const JsonPath& path, std::string_view json);
// Before the element at this index; at the end for the number of elements. On a line of its own where the
// elements beside it are.
std::optional<std::string> insertElement(std::string_view text, const JsonPath& list, size_t index,
                                         std::string_view json);
std::optional<std::string> removeElement(std::string_view text, const JsonPath& list, size_t index);
std::optional<std::string> removeKey(std::string_view text, const JsonPath& object, const std::string& key);
// Adds a key after the last one of an object.
std::optional<std::string> addKey(std::string_view text, const JsonPath& object, const std::string& key,
                                  std::string_view json);

}  // namespace coalesce
