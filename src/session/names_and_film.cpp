#include "session/names_and_film.h"

#include <algorithm>
#include <iterator>

#include "scene/build/build.h"
#include "scene/build/groups.h"
#include "scene/timeline/timeline.h"

namespace coalesce {

namespace {

template <class List, class Names>
void takeFrom(List& list, const Names& names) {
    if (list.size() != names.size()) return;
    for (size_t k = 0; k < list.size(); ++k) list[k].name = names[k].name;
}

template <class To>
void takeNamesOfElements(To& to, const Scene& from) {
    takeFrom(to.shapes, from.shapes);
    takeFrom(to.emitters, from.emitters);
    takeFrom(to.sinks, from.sinks);
    takeFrom(to.forceFields, from.forceFields);
}

}  // namespace

void takeNames(Scene& to, const Scene& from) {
    takeNamesOfElements(to, from);
    takeFrom(to.bodies, from.bodies);
    takeFrom(to.markers, from.markers);
}

void takeNames(World& to, const Scene& from) {
    takeNamesOfElements(to, from);
    const GroupNames names(from);
    for (uint32_t g = 0; g < to.groups.size(); ++g) {
        if (g < from.emitters.size()) to.groups[g].name = from.emitters[g].name;
        if (!names.isOfBody(g)) continue;
        const auto [body, copy] = names.bodyOf(g);
        to.groups[g].name = nameOf(from.bodies[body], copy);
    }
}

std::vector<Renaming> renamings(const Scene& before, const Scene& after) {
    std::vector<Renaming> list;
    const auto compare = [&](const std::string& section, const auto& a, const auto& b) {
        for (size_t k = 0; k < std::min(a.size(), b.size()); ++k)
            if (a[k].name != b[k].name)
                list.push_back({section + "." + a[k].name + ".", section + "." + b[k].name + "."});
    };
    compare("shapes", before.shapes, after.shapes);
    compare("bodies", before.bodies, after.bodies);
    compare("emitters", before.emitters, after.emitters);
    compare("sinks", before.sinks, after.sinks);
    compare("fields", before.forceFields, after.forceFields);
    compare("markers", before.markers, after.markers);
    return list;
}

void rename(Edit& edit, const std::vector<Renaming>& renamed) {
    for (const Renaming& r : renamed)
        if (edit.path.starts_with(r.from)) {
            edit.path = r.to + edit.path.substr(r.from.size());
            return;
        }
}

void takeFilm(Scene& to, const Scene& from) {
    to.cameras = from.cameras, to.shots = from.shots, to.text = from.text;
    const auto isOfWorld = [](const TimedCommand& command) { return !isOfFilm(command); };
    std::vector<TimedCommand> own;
    std::ranges::copy_if(to.timeline, std::back_inserter(own), isOfWorld);
    if (std::ptrdiff_t(own.size()) != std::ranges::count_if(from.timeline, isOfWorld)) return;
    to.timeline = from.timeline;
    size_t next = 0;
    for (TimedCommand& command : to.timeline)
        if (isOfWorld(command)) command = own[next++];
}

}  // namespace coalesce
