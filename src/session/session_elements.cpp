// Elements of the scene that the user adds, duplicates, renames and removes.
#include <fmt/format.h>
#include <utility>

#include "core/error.h"
#include "scene/format/file_elements.h"
#include "scene/format/read_fields.h"
#include "scene/reader.h"
#include "session/session.h"

namespace coalesce {

std::string Session::documentText() const {
    return m_document ? *m_document : fileText(m_scene.file, "");
}

// Goes on with another text of the scene. what: the change, for display.
std::string Session::changeDocument(const std::function<std::string(const std::string&)>& change,
                                    const std::string& what) {
    try {
        if (m_player)
            fail(Exit::Usage, what, "a cache is played, whose scene cannot change", "Open the scene.");
        if (m_recording)
            fail(Exit::Usage, what, "a replay is being recorded, which fits the scene of the file only",
                 "Start without --save-replay.");
        std::string text = change(documentText());
        Scene scene = readSceneText(text, m_scene.file, m_choice);
        Run left = *runToLeave();
        const WatchedFiles files = m_files;
        removeSpawnedMaterials();
        try {
            build(withEdits(scene));
        } catch (...) {
            addSpawnedMaterials();
            throw;
        }
        setScene(std::move(scene), m_choice);
        m_files = files;
        m_document = std::move(text);
        leave(std::move(left), what);
        return "";
    } catch (const Error& error) {
        m_notices.emplace_back(error.what());
        return error.what();
    }
}

std::string Session::freeName(const std::string& section, const std::string& name) const {
    return freeElementName(documentText(), section, name);
}

std::string Session::addElement(const std::string& section, const std::string& json) {
    return changeDocument([&](const std::string& text) { return withElement(text, section, json); },
                          "Adding to " + section);
}

std::string Session::duplicateElement(const std::string& section, const std::string& element,
                                      const std::string& name) {
    return changeDocument([&](const std::string& text) { return withCopy(text, section, element, name); },
                          "Duplicating " + element);
}

std::string Session::renameElement(const std::string& section, const std::string& element,
                                   const std::string& name) {
    return changeDocument(
        [&](const std::string& text) {
            if (freeName(section, name) != name)
                fail(Exit::Scene, section + "." + element, "there is another one called " + name,
                     "Choose another name.");
            return withName(text, section, element, name);
        },
        "Renaming " + element);
}

std::string Session::removeElement(const std::string& section, const std::string& element) {
    return changeDocument([&](const std::string& text) { return withoutElement(text, section, element); },
                          "Removing " + element);
}

}  // namespace coalesce
