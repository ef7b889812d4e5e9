// The help window: keys and mouse gestures, in groups. Dear ImGui only.
#pragma once

#include <string>
#include <vector>

namespace coalesce {

struct HelpLine {
    std::string keys, help;
};
struct HelpSection {
    std::string title;
    std::vector<HelpLine> lines;
};

// In the middle of a window of this size, in as many columns as fit best. [ImGui's units]
void drawHelp(const std::vector<HelpSection>& sections, float width, float height);

}  // namespace coalesce
