#include "record/image_drawer.h"

#include <optional>

#include "bridge/graphics_error.h"
#include "bridge/moved_world.h"

namespace coalesce {

ImageDrawer::ImageDrawer(const Scene& scene, World& world, Solver& solver, const ImageOptions& options,
                         LogLine log)
    : m_world(world),
      m_options(options),
      m_focus(scene, options.accumulation),
      m_source(makeFrameSource(world, solver, std::move(log))),
      m_renderer(asGraphicsErrors([] { return Renderer(); })),
      m_target(options.width, options.height, options.bits) {}

OutputTarget ImageDrawer::draw(const CameraAt& cameraAt, const std::function<void()>& beforeDraw) {
    m_source->publish(m_options.request, m_buffers, m_frame);
    if (m_options.accumulation.samples > 1)
        drawSamples(cameraAt, beforeDraw);
    else
        drawFrom(cameraAt(0), m_options.draw);
    return m_target.output();
}

void ImageDrawer::drawSamples(const CameraAt& cameraAt, const std::function<void()>& beforeDraw) {
    const AccumulationOptions& o = m_options.accumulation;
    const double focus = m_focus.distance(cameraAt(0), m_world);
    const double open = o.shutter / 360 * m_options.interval;  // [s] of film
    std::optional<MovedWorld> moved;
    if (open > 0) moved.emplace(m_world);
    for (int k = 0; k < o.samples; ++k) {
        beforeDraw();
        const ImageSample sample = imageSample(k, o.samples);
        const double later = open * (sample.time - 0.5);
        if (moved) {
            moved->moveTo(later * double(m_world.parameters.solver.timeScale));
            m_source->publish(m_options.request, m_buffers, m_frame);
        }
        m_frame.shutter = 0;  // the draws blur foam, too
        DrawOptions draw = m_options.draw;
        draw.sample = {k, o.samples};
        draw.sunDirection = sampledSun(draw.sunDirection, sample);
        drawFrom(sampledCamera(cameraAt(later), sample, o.aperture, focus, m_options.width, m_options.height),
                 draw);
    }
}

void ImageDrawer::drawFrom(const Camera& camera, const DrawOptions& options) {
    asGraphicsErrors([&] { m_renderer.draw(m_frame, m_buffers, camera, options, m_target.output()); });
}

}  // namespace coalesce
