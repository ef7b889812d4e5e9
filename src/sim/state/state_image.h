// A saved state in host memory: named sections of named arrays. State files are written from it and read into
// it; two of them can be compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "sim/state/state_file.h"
#include "sim/state/state_layout.h"
#include "sim/state/visit_state.h"

namespace coalesce {

struct StateArray {
    std::string name;
    std::string layout;        // of one element, see state_layout.h
    bool ofParticles = false;  // one element per particle, in storage order
    uint64_t count = 0;        // elements
    std::vector<std::byte> bytes;
};
struct StateSectionImage {
    std::string name;
    uint32_t version = 0;
    std::vector<StateArray> arrays;
};
struct StateImage {
    std::vector<StateSectionImage> sections;

    const StateSectionImage* find(std::string_view section) const;
};

// Archive that appends to an image.
class StateImageWriter : public StateArchive<kSaved> {
public:
    explicit StateImageWriter(StateImage& image) : m_image(image) {}

    template <class Visit>
    void section(const StateSection& section, Visit&& visit) {
        if (!(section.use & use)) return;
        m_image.sections.push_back({section.name, section.version, {}});
        visit();
    }
    template <class T>
    void value(const char* name, const T& value, Hashed = Hashed::yes) {
        add(name, std::span<const T>(&value, 1), false);
    }
    template <class T>
    void list(const char* name, const std::vector<T>& records) {
        add(name, std::span<const T>(records), false);
    }
    template <class Gather, class Scatter>
    void gathered(const char* name, Gather&& gather, Scatter&&) {
        list(name, gather());
    }
    template <class T>
    void particles(const ArrayInfo& info, const Buffer<T>& array) {
        add(info.name, std::span<const T>(array.download()), true);
    }
    template <class T>
    void table(const char* name, const Buffer<T>& table, EmptyTable = EmptyTable::skipped) {
        add(name, std::span<const T>(table.download()), false);
    }

private:
    template <class T>
    void add(const std::string& name, std::span<const T> elements, bool ofParticles) {
        StateArray& array = m_image.sections.back().arrays.emplace_back();
        array.name = name;
        array.layout = StateLayout<T>::text;
        array.ofParticles = ofParticles;
        array.count = elements.size();
        array.bytes.resize(elements.size_bytes());
        if (!elements.empty()) std::memcpy(array.bytes.data(), elements.data(), elements.size_bytes());
    }

    StateImage& m_image;
};

// Archive that fills a HostState or a World from an image. Refuses an image with other sections, versions or
// arrays than those that it visits; what it has filled by then stays, so a HostState comes first.
class StateImageReader : public StateArchive<kSaved> {
public:
    StateImageReader(const StateImage& image, const RefuseState& refuse) : m_image(image), m_refuse(refuse) {}

    template <class Visit>
    void section(const StateSection& section, Visit&& visit) {
        if (!(section.use & use)) return;
        begin(section);
        visit();
        end();
    }
    template <class T>
    void value(const char* name, T& value, Hashed = Hashed::yes) {
        const std::vector<T> read = take<T>(name);
        if (read.size() != 1) m_refuse(misfit(name));
        value = read[0];
    }
    template <class T>
    void list(const char* name, std::vector<T>& records) {
        records = take<T>(name);
    }
    template <class Gather, class Scatter>
    void gathered(const char* name, Gather&&, Scatter&& scatter) {
        scatter(take<typename std::invoke_result_t<Gather>::value_type>(name));
    }
    template <class Array>
    void particles(const ArrayInfo& info, Array& array) {
        fill(array, info.name);
        if (m_particles == SIZE_MAX) m_particles = array.size();
        const bool absent = info.role == ArrayRole::Optional && array.size() == 0;
        if (array.size() != m_particles && !absent) m_refuse(misfit(info.name));
    }
    template <class Table>
    void table(const char* name, Table& table, EmptyTable = EmptyTable::skipped) {
        fill(table, name);
    }
    // After all sections: refuses an image that has others besides.
    void finish();

private:
    void begin(const StateSection& section);
    void end();
    const StateArray& next(const std::string& name, std::string_view layout);
    std::string misfit(const std::string& name) const;

    template <class T>
    std::vector<T> take(const std::string& name) {
        const StateArray& array = next(name, StateLayout<T>::text);
        std::vector<T> elements(array.count);
        if (!elements.empty()) std::memcpy(elements.data(), array.bytes.data(), array.bytes.size());
        return elements;
    }
    template <class T>
    void fill(std::vector<T>& to, const std::string& name) {
        to = take<T>(name);
    }
    template <class T>
    void fill(Buffer<T>& to, const std::string& name) {
        to.upload(take<T>(name));
    }

    const StateImage& m_image;
    const RefuseState& m_refuse;
    const StateSectionImage* m_section = nullptr;
    size_t m_next = 0;                // array of the section
    size_t m_particles = SIZE_MAX;    // length of the particle arrays; SIZE_MAX: not known yet
    std::vector<std::string> m_read;  // sections
};

// A component of an element as text: floats in the shortest form that gives back the same bits, but −0 as 0.
std::string componentText(char type, const std::byte* at);

// The present state of a world.
StateImage captureState(const World& world);

}  // namespace coalesce
