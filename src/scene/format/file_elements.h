// Elements of the lists of a scene file (shapes, bodies, emitters, sinks, fields): added, duplicated, renamed
// and removed in its text. Comments and all other text stay.
#pragma once

#include <string>
#include <vector>

#include "kernels/math/vec.h"

namespace coalesce {

// Each returns the new text, and throws Exit::Scene: the text is not JSON, or has no such element; a size or
// a case refers to the element, or to others by numbers that would change. Whether other parts of the scene
// refer to an element is found out by reading the text.

// At the end of the list; json: the element. A section that the file omits is added.
std::string withElement(const std::string& text, const std::string& section, const std::string& json);
// A copy behind the element, of another name.
std::string withCopy(const std::string& text, const std::string& section, const std::string& element,
                     const std::string& name);
std::string withName(const std::string& text, const std::string& section, const std::string& element,
                     const std::string& name);
std::string withoutElement(const std::string& text, const std::string& section, const std::string& element);

// A body at another place: `center` is moved [m], or `min` and `max` of its block.
std::string withBodyMoved(const std::string& text, const std::string& body, Vec3 by);

// The names of the elements in the order of the list, for an element without one that which the scene gives
// it: its section and its place, from 0. None for a section that the file omits.
std::vector<std::string> elementNames(const std::string& text, const std::string& section);
// The place of an element in its list.
size_t placeOfElement(const std::string& text, const std::string& section, const std::string& element);

// The name, with a number behind it where the section has an element of that name: gate, gate_2, gate_3.
std::string freeElementName(const std::string& text, const std::string& section, const std::string& name);

// A difference between the elements of two texts.
struct ElementChange {
    enum class Kind { Added, Removed, Renamed, Changed };
    Kind kind;
    std::string section;
    std::string element;  // its name in the later text; empty: Removed
    std::string before;   // its name in the earlier one; empty: Added
};
// From the text of a file to a later one, section by section. An element of another name with the same values was
// renamed. Exit::Scene: a text is not JSON.
std::vector<ElementChange> changedElements(const std::string& file, const std::string& text);
// Takes one of these changes, all but an added element, back in the later text.
std::string withOriginal(const std::string& text, const std::string& file, const ElementChange& change);
// Whether two texts have the same values, so that they differ at most in layout and comments.
bool differInLayoutOnly(const std::string& a, const std::string& b);

}  // namespace coalesce
