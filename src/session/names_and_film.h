// The parts of a scene that can be replaced while it runs: names of elements; cameras, shots, cuts and markers of the
// timeline.
#pragma once

#include <string>
#include <vector>

#include "scene/format/edits.h"
#include "scene/format/scene.h"
#include "sim/world/world.h"

namespace coalesce {

// Gives elements the names that those of another scene have at their places; lists of other lengths keep
// theirs.
void takeNames(Scene& to, const Scene& from);
// The same for elements of a world, and for its groups of bodies and emitters.
void takeNames(World& to, const Scene& from);

// The same element by another name, as beginnings of the paths of its values: "shapes.gate.".
struct Renaming {
    std::string from, to;
};
std::vector<Renaming> renamings(const Scene& before, const Scene& after);
// Gives an edit the path of the element by its new name.
void rename(Edit& edit, const std::vector<Renaming>& renamed);

// Takes cameras, shots, cuts, markers of the timeline and the text. Other commands of the timeline stay; cuts and
// markers do, too, where their number differs.
void takeFilm(Scene& to, const Scene& from);

}  // namespace coalesce
