// Debug lines by name: for the command line, the panel, legends.
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
    {LineView::Contacts, "contacts", "Contacts between particles and with shapes."},
    {LineView::Normals, "normals", "Contact normals, 0.1 m long."},
    {LineView::Planes, "planes", "Contact planes of shapes."},
    {LineView::DistanceConstraints, "springs", "Springs of cloth and ropes, by strain."},
    {LineView::Batches, "batches", "The same springs, by solver batch (graph color)."},
    {LineView::Velocities, "velocities", "Velocities of up to 4000 particles: distance traveled in 0.05 s."},
    {LineView::Frames, "frames", "Axes of rigid bodies and of soft-body clusters, 0.1 m long."},
    {LineView::Triangles, "triangles", "Triangle normals of cloth and meshes."},
    {LineView::Emitters, "emitters", "Emitter nozzles and directions."},
    {LineView::Sinks, "sinks", "Sink outlines."},
    {LineView::Bounds, "bounds", "Bounding box of all particles."},
    {LineView::Cells, "cells", "Occupied cells of the neighbor grid."},
    {LineView::Neighbors, "neighbors", "Neighbors of the selected particle, marked with balls."},
    {LineView::MouseConstraints, "hands", "Mouse constraints: from the grabbed point to its target."},
    {LineView::Axes, "axes", "World axes at the origin: x red, y green, z blue."},
    {LineView::Scale, "scale", "Scale bar at the distance of the camera's target."},
}};

// The set of lines to draw.
class LineSet {
public:
    constexpr LineSet() = default;
    constexpr LineSet(std::initializer_list<LineView> views) {
        for (const LineView view : views) set(view);
    }
    constexpr bool has(LineView view) const { return m_bits >> int(view) & 1; }
    constexpr void set(LineView view, bool on = true) {
        const uint32_t bit = uint32_t{1} << int(view);
        m_bits = on ? m_bits | bit : m_bits & ~bit;
    }
    constexpr void toggle(LineView view) { set(view, !has(view)); }
    constexpr bool empty() const { return m_bits == 0; }
    bool operator==(const LineSet&) const = default;

private:
    uint32_t m_bits = 0;
};

}  // namespace coalesce
