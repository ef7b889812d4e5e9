// Values written into the text of a scene file. Its comments and all other text stay.
#pragma once

#include <string>
#include <vector>

#include "scene/format/scene.h"

namespace coalesce {

// The text with these values ("path=value", as of --set), for a scene that is read with this size and case. A
// value that the size or the case sets changes there, all others in the file's own values; what the file
// omits is added. Keys keep the names that the file gives them, former ones too.
// Exit::Scene: the text is not JSON; a path does not exist, or the size or the case sets only a part of it.
std::string withValues(std::string text, const std::filesystem::path& file,
                       const std::vector<std::string>& sets, const SceneChoice& choice);

}  // namespace coalesce
