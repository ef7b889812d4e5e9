// Elements of the scene that the user adds, duplicates, renames and removes.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "scene/build/body_form.h"
#include "scene/build/build.h"
#include "scene/format/file_elements.h"
#include "scene/format/overrides.h"
#include "scene/reader.h"
#include "session/names_and_film.h"
#include "session/session.h"

namespace coalesce {

Session::Document::Document(std::string textNow, std::string textOfFile)
    : text(std::move(textNow)), file(std::move(textOfFile)) {
    if (text == file) return;
    // the file as it is, if all changes were taken back
    if (differInLayoutOnly(text, file))
        text = file;
    else
        changes = changedElements(file, text);
}

namespace {

// Width of a body with all of its copies along x, and a gap [m].
float widthOf(const Scene& scene, const std::string& body) {
    const auto found = std::ranges::find(scene.bodies, body, &Body::name);
    if (found == scene.bodies.end()) return 0;
    float low = INFINITY, high = -INFINITY;
    for (const Box& box : boxesOf(scene, size_t(found - scene.bodies.begin())))
        low = std::min(low, box.low.x), high = std::max(high, box.high.x);
    return high - low + 2 * spacingOf(scene, *found);
}

}  // namespace

// Goes on with another text of the scene. what: the change, for display.
std::string Session::changeDocument(const std::string& section, const std::string& what,
                                    const std::function<std::string(const std::string&)>& change,
                                    const Places& places, const std::function<void(const Scene&)>& check) {
    try {
        if (m_player)
            fail(Exit::Usage, what, "a cache is played, whose scene cannot change", "Open the scene.");
        if (m_recording)
            fail(Exit::Usage, what, "a replay is being recorded, which fits the scene of the file only",
                 "Start without --save-replay.");
        Document document{change(m_document.text), m_document.file};
        const std::vector<std::string> before = elementNames(m_document.text, section),
                                       after = elementNames(document.text, section);
        const auto placeOf = [&](const std::string& element) {
            return size_t(std::ranges::find(before, element) - before.begin());
        };
        // elements without a name are called by their number
        for (const std::string& set : m_choice.sets) {
            const std::vector<std::string> path = splitPath(set.substr(0, set.find('=')));
            if (path.size() < 2 || path[0] != section) continue;
            for (size_t k = 0; k < before.size(); ++k) {
                const bool byNumber = path[1] == std::to_string(k) ||
                                      (path[1] == before[k] && before[k] == section + std::to_string(k));
                if (byNumber && places(k) != std::vector<size_t>{k})
                    fail(Exit::Scene, "--set " + set,
                         "it refers to an element by its index, which would change",
                         "Give the element a name in the file, and use that.");
            }
        }
        Scene scene = readSceneText(document.text, m_scene.file, m_choice);
        if (check) check(scene);
        collectUserEdits();
        if (takeInPlace(scene)) {
            m_history.addText(what, m_document.text, document.text);
            m_later.clear();
            m_document = std::move(document);
            return "";
        }
        rebuildWith(
            std::move(scene), std::move(document), what,
            [&](const std::string& of, const std::string& element) {
                const size_t place = of == section ? placeOf(element) : before.size();
                if (place == before.size()) return std::vector{element};
                std::vector<std::string> names;
                for (const size_t to : places(place)) names.push_back(after.at(to));
                return names;
            },
            captureRunToLeave());
        return "";
    } catch (const std::exception& error) {
        m_notices.emplace_back(error.what());
        return error.what();
    }
}

std::string Session::freeName(const std::string& section, const std::string& name) const {
    try {
        return freeElementName(m_document.text, section, name);
    } catch (const Error&) {
        return name;  // the change itself will say what is wrong with the text
    }
}

std::string Session::addElement(const std::string& section, const std::string& json) {
    return changeDocument(
        section, "Adding to " + section,
        [&](const std::string& text) { return withElement(text, section, json); },
        [](size_t place) { return std::vector{place}; });
}

std::string Session::duplicateElement(const std::string& section, const std::string& element,
                                      const std::string& name) {
    size_t copied = 0;
    return changeDocument(
        section, "Duplicating " + element,
        [&](const std::string& text) {
            copied = placeOfElement(text, section, element);
            const std::string with = withCopy(text, section, element, name);
            return section == "bodies" ? withBodyMoved(with, name, {widthOf(m_scene, element), 0, 0}) : with;
        },
        // the copy has the edits of the original
        [&](size_t place) {
            return place == copied ? std::vector{place, place + 1} : std::vector{place + (place > copied)};
        });
}

std::string Session::renameElement(const std::string& section, const std::string& element,
                                   const std::string& name) {
    return changeDocument(
        section, "Renaming " + element,
        [&](const std::string& text) {
            if (freeElementName(text, section, name) != name)
                fail(Exit::Scene, section + "." + element, "there is another one called " + name,
                     "Choose another name.");
            return withName(text, section, element, name);
        },
        [](size_t place) { return std::vector{place}; });
}

std::string Session::removeElement(const std::string& section, const std::string& element) {
    size_t removed = 0;
    return changeDocument(
        section, "Removing " + element,
        [&](const std::string& text) {
            removed = placeOfElement(text, section, element);
            return withoutElement(text, section, element);
        },
        [&](size_t place) {
            return place == removed ? std::vector<size_t>{} : std::vector{place - (place > removed)};
        });
}

std::string Session::undoElementChange(const ElementChange& change) {
    using Kind = ElementChange::Kind;
    if (change.kind == Kind::Added) return removeElement(change.section, change.element);
    size_t back = 0;
    return changeDocument(
        change.section, "Restoring " + change.section + "." + change.before,
        [&](const std::string& text) {
            std::string restored = withOriginal(text, m_document.file, change);
            back = placeOfElement(restored, change.section, change.before);
            return restored;
        },
        [&](size_t place) { return std::vector{place + (change.kind == Kind::Removed && place >= back)}; });
}

std::string Session::placeBody(const std::string& body, Vec3 center) {
    const auto indexIn = [&](const Scene& scene) {
        const auto found = std::ranges::find(scene.bodies, body, &Body::name);
        if (found == scene.bodies.end())
            fail(Exit::Scene, "bodies." + body, "the scene has no such body", "Choose one of the list.");
        return size_t(found - scene.bodies.begin());
    };
    return changeDocument(
        "bodies", "Moving " + body,
        [&](const std::string& text) {
            return withBodyMoved(text, body, center - m_scene.bodies[indexIn(m_scene)].center);
        },
        [](size_t place) { return std::vector{place}; },
        [&](const Scene& scene) {
            const Vec3 now = scene.bodies[indexIn(scene)].center;
            if (length(now - center) > 1e-3f * (length(center) + 1e-3f))
                fail(Exit::Scene, "bodies." + body, "its position is set by a size, a case or --set",
                     "Change it there.");
        });
}

std::string Session::changeText(const std::string& what, const std::string& text) {
    return changeDocument(
        "", what, [&](const std::string&) { return text; }, [](size_t place) { return std::vector{place}; });
}

}  // namespace coalesce
