// Lines that can be drawn over a picture, by name: on the command line, in the panel, in legends.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>

namespace coalesce {

enum class LineView : uint8_t {
    Contacts,
    Normals,
    Planes,
    DistanceConstraints,
    Batches,
    Velocities,
    Frames,
    Triangles,
    Emitters,
    Sinks,
    Bounds,
    Cells,
    Neighbors,
    MouseConstraints,
    Axes,
    Scale
};

struct LineViewInfo {
    LineView view;
    const char* word;
    const char* about;
};
inline constexpr std::array<LineViewInfo, 16> kLineViews = {{
    {LineView::Contacts, "contacts", "between particles that touch, and at shapes"},
    {LineView::Normals, "normals", "normals of contacts, 0.1 m long"},
    {LineView::Planes, "planes", "planes of shapes that particles touch"},
    {LineView::DistanceConstraints, "springs", "springs of cloth and ropes, by strain"},
    {LineView::Batches, "batches", "the same springs, by the batch in which they are solved"},
    {LineView::Velocities, "velocities", "velocities of up to 4000 particles, the way in 1/20 s"},
    {LineView::Frames, "frames", "axes of rigid bodies and of the parts of soft ones, 0.1 m long"},
    {LineView::Triangles, "triangles", "normals of the triangles of cloth and meshes"},
    {LineView::Emitters, "emitters", "mouths of emitters, and where they emit to"},
    {LineView::Sinks, "sinks", "outlines of sinks"},
    {LineView::Bounds, "bounds", "the box around all particles"},
    {LineView::Cells, "cells", "cells of the neighbor grid that hold particles"},
    {LineView::Neighbors, "neighbors", "from the picked particle to its neighbors, and these as balls"},
    {LineView::MouseConstraints, "hands", "from what hands hold to where they pull it"},
    {LineView::Axes, "axes", "x red, y green, z blue, at the origin"},
    {LineView::Scale, "scale", "a scale bar at the distance that the camera looks to"},
}};

// Which of them are drawn.
class LineSet {
public:
    constexpr LineSet() = default;
    constexpr LineSet(std::initializer_list<LineView> views) {
        for (const LineView view : views) set(view);
    }
    constexpr bool has(LineView view) const { return m_bits >> static_cast<int>(view) & 1; }
    constexpr void set(LineView view, bool on = true) {
        const uint32_t bit = uint32_t{1} << static_cast<int>(view);
        m_bits = on ? m_bits | bit : m_bits & ~bit;
    }
    constexpr void toggle(LineView view) { set(view, !has(view)); }
    constexpr bool empty() const { return m_bits == 0; }
    bool operator==(const LineSet&) const = default;

private:
    uint32_t m_bits = 0;
};

}  // namespace coalesce
