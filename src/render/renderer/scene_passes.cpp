// Pass 3, the opaque scene, and pass 10, glass.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "render/renderer/renderer_state.h"

namespace coalesce {

// 3: sky, ground, shapes, meshes, cloth, ropes, grains
void Renderer::State::drawOpaque() {
    const PassTimer::Scope scope(timer, "opaque scene");
    useView(cameraBlock);
    bindLightMaps();
    target(targets->scene, targets->width, targets->height);
    const float far = 1;
    apply({.depthWrite = true});
    glClearNamedFramebufferfv(targets->scene.id(), GL_DEPTH, 0, &far);

    // the backdrop writes the depth of every pixel, so its test always passes
    apply({.depthTest = true, .depthWrite = true});
    glDepthFunc(GL_ALWAYS);
    setPlanes();
    fullscreen(backdrop);
    glDepthFunc(GL_LESS);

    apply({.depthTest = true, .depthWrite = true, .cull = GL_FRONT, .depthClamp = true});
    drawShapes(shapeLit, 0, solids.size());
    if (hasGrains && !showsParticles) {
        apply({.depthTest = true, .depthWrite = true});
        splat(grains, 1 << kGrainsBit);
    }
    apply({.depthTest = true, .depthWrite = true});
    drawMeshes(meshLit, solidMeshes);
    apply({.depthTest = true, .depthWrite = true, .cull = GL_BACK});
    if (options.cloth != ClothStyle::Wire) drawCloth(clothLit);
    drawRopes(ropeLit);
}

// 5: containers: only a faint inside; their edges are drawn after the liquids
void Renderer::State::drawContainers() {
    const PassTimer::Scope scope(timer, "containers");
    useView(cameraBlock);
    target(targets->scene, targets->width, targets->height);
    apply({.depthTest = true,
           .blend = true,
           .destination = GL_ONE_MINUS_SRC_ALPHA,
           .cull = GL_FRONT,
           .depthClamp = true});
    drawShapes(shapeContainer, solids.size(), containers.size());
    drawMeshes(meshContainer, containerMeshes);
}

void Renderer::State::setPlanes() {
    int number = 0;
    const auto add = [&](glm::vec3 normal, float distance, glm::vec3 color) {
        if (number == kMaxPlanes) return;
        std::string name = "planes[0]", colorName = "planeColors[0]";
        *(name.end() - 2) = *(colorName.end() - 2) = char('0' + number++);
        backdrop.set(name.c_str(), glm::vec4(normal, distance));
        backdrop.set(colorName.c_str(), glm::vec4(color, 1));
    };
    const DrawShape standard;  // its color leaves the checker gray
    if (hasGround()) {
        const auto floor = floorHeight();
        if (floor) add({0, 1, 0}, *floor, glm::vec3(1));
        for (const DrawShape& shape : frame->shapes) {
            if (shape.kind != DrawShape::Kind::Plane || !shape.visible || !options.shapes) continue;
            const glm::vec3 normal = rotationOf(shape) * glm::vec3(0, 1, 0);
            // skip the floor itself, and container walls that would block the view
            if (normal.y > 0.999f && floor && std::abs(shape.position[1] - *floor) < 1e-6f) continue;
            if (shape.container && normal.y < 0.5f) continue;
            add(normal, glm::dot(normal, vec(shape.position)), vec(shape.color) / vec(standard.color));
        }
    }
    backdrop.set("planeCount", number);
}

// 10: glass, sorted from back to front, far sides first. Liquids inside are already drawn: they show through
// the near side, and their depth hides the far side.
void Renderer::State::drawGlass() {
    if (glasses.empty() && glassMeshes.empty()) return;
    const PassTimer::Scope scope(timer, "glass");
    target(targets->scene, targets->width, targets->height);
    struct Pane {
        float distance;  // [m] from the eye
        size_t shape, mesh;
    };
    constexpr size_t kNone = ~size_t{0};
    const glm::vec3 eye(camera.eye);
    std::vector<Pane> panes;
    for (size_t k = 0; k < glasses.size(); ++k)
        panes.push_back({glm::distance(vec(glasses[k]->position), eye), k, kNone});
    for (size_t k = 0; k < glassMeshes.size(); ++k)
        panes.push_back({glm::distance(glassPositions[k], eye), kNone, k});
    std::ranges::stable_sort(panes, std::ranges::greater{}, &Pane::distance);
    const size_t first = solids.size() + containers.size();
    for (const Pane& pane : panes)
        for (const bool far : {true, false}) {
            // round shapes show only their near side
            if (far && pane.mesh == kNone && glasses[pane.shape]->kind != DrawShape::Kind::Box) continue;
            apply({.depthTest = true,
                   .blend = true,
                   .destination = GL_ONE_MINUS_SRC_ALPHA,
                   .cull = pane.mesh == kNone || far ? GLenum{GL_FRONT} : GLenum{GL_BACK},
                   .depthClamp = true});
            if (pane.mesh == kNone)
                drawShapes(far ? shapeGlassFar : shapeGlass, first + pane.shape, 1);
            else
                drawMeshes(meshGlass, {glassMeshes[pane.mesh]});
        }
}

}  // namespace coalesce
