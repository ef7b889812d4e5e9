// Pass 4: ambient occlusion of the opaque scene.
#include "render/renderer/renderer_state.h"

namespace coalesce {

constexpr float kOcclusionReach = 0.2f;      // [-] of the radius of the lit scene
constexpr float kOccluderThickness = 0.05f;  // [-] of the reach, of what hides light

void Renderer::State::drawOcclusion() {
    occlusionDrawn = options.occlusion && options.quality != Quality::Points && !showsParticles;
    if (!occlusionDrawn) return;
    copyScene();
    const PassTimer::Scope scope(timer, "ambient occlusion");
    const bool record = options.quality == Quality::Final;
    const float reach = kOcclusionReach * camera.lightRange.y;
    const Targets& t = *targets;
    apply({});
    target(t.openness, t.occlusion.width(), t.occlusion.height());
    t.copyDepth.bind(0);
    occlusion.set("reach", reach).set("thickness", kOccluderThickness * reach);
    occlusion.set("lines", record ? 4 : 2).set("steps", record ? 8 : 4);
    fullscreen(occlusion);

    target(t.scene, t.width, t.height);
    t.occlusion.bind(0);
    t.copyColor.bind(1);
    t.copyDepth.bind(2);
    occlusionApply.set("reach", reach);
    fullscreen(occlusionApply);
}

}  // namespace coalesce
