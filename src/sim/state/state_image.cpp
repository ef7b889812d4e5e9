#include "sim/state/state_image.h"

#include <algorithm>

namespace coalesce {

const StateSectionImage* StateImage::find(std::string_view section) const {
    const auto found = std::ranges::find(sections, section, &StateSectionImage::name);
    return found == sections.end() ? nullptr : &*found;
}

void StateImageReader::begin(const StateSection& section) {
    m_section = m_image.find(section.name);
    m_next = 0;
    if (!m_section) m_refuse(fmt::format("it lacks the section '{}'", section.name));
    if (m_section->version != section.version)
        m_refuse(fmt::format("its section '{}' has version {}, and this program reads version {}",
                             section.name, m_section->version, section.version));
    m_read.emplace_back(section.name);
}

void StateImageReader::end() {
    if (m_next < m_section->arrays.size())
        m_refuse(fmt::format("its section '{}' has an unknown array '{}'", m_section->name,
                             m_section->arrays[m_next].name));
}

void StateImageReader::finish() {
    for (const StateSectionImage& section : m_image.sections)
        if (std::ranges::count(m_read, section.name) != 1)
            m_refuse(fmt::format("it has an unknown section '{}'", section.name));
    if (m_read.size() != m_image.sections.size()) m_refuse("it has a section twice");
}

const StateArray& StateImageReader::next(const std::string& name, std::string_view layout) {
    if (m_next >= m_section->arrays.size())
        m_refuse(fmt::format("its section '{}' lacks the array '{}'", m_section->name, name));
    const StateArray& array = m_section->arrays[m_next++];
    if (array.name != name)
        m_refuse(fmt::format("its section '{}' has an array '{}' where '{}' is expected", m_section->name,
                             array.name, name));
    if (array.layout != layout || array.bytes.size() != array.count * bytesOfLayout(layout))
        m_refuse(misfit(name));
    return array;
}

std::string StateImageReader::misfit(const std::string& name) const {
    return fmt::format("the array '{}' of its section '{}' has another type or length", name,
                       m_section->name);
}

std::string componentText(char type, const std::byte* at) {
    const auto as = [at]<class T>(T value) {
        std::memcpy(&value, at, sizeof value);
        return fmt::format("{}", value == 0 ? T(0) : value);
    };
    switch (type) {
        case 'f':
            return as(float());
        case 'd':
            return as(double());
        case 'q':
            return as(uint64_t());
        default:
            return as(uint32_t());
    }
}

StateImage captureState(const World& world) {
    StateImage image;
    StateImageWriter writer(image);
    visitState(writer, world);
    return image;
}

}  // namespace coalesce
