// Scenes as text, and what the reader says of them.
#pragma once

#include <gtest/gtest.h>
#include <string>

#include "core/error.h"
#include "scene/reader.h"

namespace coalesce::test {

// Error message of the reader; "" for a valid text.
inline std::string complaint(const std::string& text, const SceneChoice& choice = {}) {
    try {
        readSceneText(text, "test.json", choice);
        return "";
    } catch (const Error& error) {
        EXPECT_EQ(error.code, Exit::Scene);
        return error.what();
    }
}
// Paragraphs of a message: an indented line belongs to the one above.
inline size_t paragraphs(const std::string& message) {
    size_t n = message.empty() ? 0 : 1;
    for (size_t at = 0; (at = message.find('\n', at)) != std::string::npos; ++at) n += message[at + 1] != ' ';
    return n;
}
inline size_t count(const std::string& text, const std::string& part) {
    size_t n = 0;
    for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++n;
    return n;
}

// A small valid scene; `more` is inserted at its end.
inline std::string scene(const std::string& more = "",
                         const std::string& body = R"("block": {"size": [0.2, 0.2, 0.2]})") {
    return R"({ "materials": { "water": { "spacing": 0.05 } },
  "bodies": [ { "name": "cube", )" +
           body + R"( } ],
  "shapes": [ { "name": "floor", "plane": { "normal": [0, 1, 0] } } ])" +
           (more.empty() ? "" : ",\n  " + more) + " }";
}

}  // namespace coalesce::test
