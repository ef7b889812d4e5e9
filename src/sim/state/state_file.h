// Saved states: files that a run of the same scene goes on from.
//
// A file is a header, a table of sections (name, version, bytes, checksum), and the sections. A section is a
// row of arrays, each with its name and the layout of its elements. Which sections and arrays there are is
// declared in visit_state.h.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sim/world/world.h"

namespace coalesce {

// Of the header and the table of sections. Sections have versions of their own.
constexpr int kStateFileVersion = 8;

// Writes the state of a run, atomically (part file, then rename); parameters, materials and shapes are the
// scene's. Exit::Output.
void saveState(const World& world, const std::filesystem::path& file);
// Reads it back into a world built from the same scene. A file that is corrupt, of another version or of
// another scene is refused with the reason, and the world stays as it was. Exit::Scene.
void loadState(World& world, const std::filesystem::path& file);
// A sentence for users when the last frame of a world was solved by another method than the coming one, as
// after loading a state under another method; else empty.
std::string noteOfMethod(const World& world);

// The same in two steps, for tools and tests. Which of the scene's worlds a file fits is checked by loadState
// only.
struct StateImage;
void writeStateImage(const StateImage& image, const World& world, const std::filesystem::path& file);
StateImage readStateImage(const std::filesystem::path& file);

// What a stored state expects of the program and of the world that it is loaded into.
struct StateOrigin {
    uint64_t manifest = 0;  // of the declared parameters and arrays
    uint64_t scene = 0;     // materials, shapes, emitters, sinks, attributes
    uint64_t bodies = 0;    // solid bodies
    bool operator==(const StateOrigin&) const = default;
};
StateOrigin originOf(const World& world);
// For other files that hold states, as loadState() does it: refuse() throws with the reason, and the world
// stays as it was.
using RefuseState = std::function<void(const std::string&)>;
void requireManifest(const StateOrigin& origin, const RefuseState& refuse);
void applyStateImage(const StateImage& image, const StateOrigin& origin, World& world,
                     const RefuseState& refuse);

// A line of the table of sections.
struct StateFileSection {
    std::string name;
    uint32_t version = 0;
    uint64_t offset = 0, bytes = 0;  // in the file
};
std::vector<StateFileSection> sectionsOf(const std::filesystem::path& stateFile);

}  // namespace coalesce
