// Draws the present state of a world into an image: with one draw, or as the mean of several.
#pragma once

#include <functional>
#include <memory>

#include "bridge/frame_source.h"
#include "record/accumulation.h"
#include "render/renderer/renderer.h"

namespace coalesce {

struct ImageOptions {
    int width = 1280, height = 720;  // [px]
    DrawOptions draw;
    DrawRequest request;
    AccumulationOptions accumulation;
    double interval = 1.0 / 60;  // [s] of film from image to image
    int bits = 8;                // per channel, as in OutputTarget
};

class ImageDrawer {
public:
    // Needs a current OpenGL context. Exit::Usage for a focus that the scene does not have.
    ImageDrawer(const Scene& scene, World& world, Solver& solver, const ImageOptions& options, LogLine log);

    // The camera at a time of film after the state [s], also before it.
    using CameraAt = std::function<Camera(double later)>;
    // The target stays the same and is overwritten by the next image. beforeDraw: called before each draw; it
    // may throw. Afterwards the world is as it was, bit for bit.
    OutputTarget draw(
        const CameraAt& cameraAt, const std::function<void()>& beforeDraw = [] {});

    const char* path() const { return m_source->path(); }  // of the frame data, see FrameSource

private:
    void drawSamples(const CameraAt& cameraAt, const std::function<void()>& beforeDraw);
    void drawFrom(const Camera& camera, const DrawOptions& options);

    World& m_world;
    ImageOptions m_options;
    Focus m_focus;
    GlBuffers m_buffers;  // before the source, which unregisters them from CUDA on destruction
    std::unique_ptr<FrameSource> m_source;
    Renderer m_renderer;
    RenderTarget m_target;
    RenderFrame m_frame;
};

}  // namespace coalesce
