#include "bridge/frame_source.h"

#include <algorithm>

#include "bridge/gizmos.h"
#include "bridge/render_frame_builder.h"
#ifdef COALESCE_CUDA
#include "bridge/cuda_sources.h"
#endif

namespace coalesce {

DrawRequest drawRequest(const DrawOptions& draw, Quantity quantity, const LineSet& lines,
                        const std::optional<SurfaceOptions>& mesh) {
    const bool surface = draw.mode == DrawMode::Surface;
    DrawRequest request{
        .quantity = quantity, .ellipsoids = surface && draw.quality >= Quality::Standard, .lines = lines};
    if (surface && draw.quality > Quality::Points) request.mesh = mesh;
    return request;
}

void FrameSource::updateFrame(RenderFrame& frame) const {
    buildRenderFrame(m_world, m_arrays.cloth(), m_arrays.ropes(), m_request.hidden, frame);
    frame.gizmos = buildGizmos(m_world, m_request.lines, m_arrays.low(), m_arrays.high(), m_request.picked);
    frame.scaleBar = m_request.lines.has(LineView::Scale);
    frame.meshNormals = m_request.lines.has(LineView::Triangles);
}

// Name, range and colors of the shown attribute.
void FrameSource::setAttributeColors(RenderFrame& frame) const {
    const Attribute* shown = shownAttribute(m_world.particles.attributes);
    if (!shown) return;
    const AttributeInfo& info = shown->info;
    frame.scalarName = info.name;
    frame.scalarUnit = info.unit;
    frame.scalarRange = {info.low, info.high};
    for (const Vec3& color : info.colors) frame.scalarColors.push_back({color.x, color.y, color.z});
}

// Range and colors of the same attribute, where it tints liquids.
void FrameSource::setDyeColors(RenderFrame& frame) const {
    frame.dyeColors.clear();
    if (!dyesLiquid(m_world)) return;
    const AttributeInfo& info = shownAttribute(m_world.particles.attributes)->info;
    frame.dyeRange = {info.low, info.high};
    for (const Vec3& color : info.colors) frame.dyeColors.push_back({color.x, color.y, color.z});
}

void FrameSource::publish(const DrawRequest& request, GlBuffers& buffers, RenderFrame& frame) {
    m_request = request;
    const std::vector<DrawArray>& arrays = m_arrays.update(request);
    updateFrame(frame);
    setDyeColors(frame);
    frame.lines = m_arrays.lines();
    frame.liquids.clear();
    for (const LiquidSurface::Part& part : m_arrays.liquids())
        frame.liquids.push_back({part.material, part.firstVertex, part.first, part.indices});
    frame.ellipsoids = request.ellipsoids;
    frame.scalarName = infoOf(request.quantity).label;
    frame.scalarUnit = infoOf(request.quantity).unit;
    frame.scalarColors.clear();
    if (request.quantity == Quantity::Attribute) setAttributeColors(frame);

    // particles extend half a spacing around their centers
    float margin = 0;
    for (const DrawMaterial& material : frame.materials) margin = std::max(margin, 0.5f * material.spacing);
    const Vec3 low = m_arrays.low(), high = m_arrays.high();
    if (low.x <= high.x) {
        frame.boundsMin = {low.x - margin, low.y - margin, low.z - margin};
        frame.boundsMax = {high.x + margin, high.y + margin, high.z + margin};
    } else {
        frame.boundsMin = RenderFrame{}.boundsMin;
        frame.boundsMax = RenderFrame{}.boundsMax;
    }
    transfer(arrays, buffers);
}

void HostSource::transfer(std::span<const DrawArray> arrays, GlBuffers& buffers) {
    for (const DrawArray& array : arrays) buffers.upload(array.slot, array.data, array.bytes);
}

std::unique_ptr<FrameSource> makeFrameSource(World& world, Solver& solver, [[maybe_unused]] LogLine log) {
#ifdef COALESCE_CUDA
    if (world.exec.onCuda()) return makeCudaSource(world, solver, std::move(log));
#endif
    return std::make_unique<HostSource>(world, solver);
}

}  // namespace coalesce
