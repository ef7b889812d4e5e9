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

// 10: glass, sorted from back to front; each body shows, refracted, the image of all that is behind it. Liquids
// inside are already drawn: they show through the near side, and their depth hides the far side.
void Renderer::State::drawGlass() {
    if (glasses.empty() && glassMeshes.empty()) return;
    copyScene();
    const PassTimer::Scope scope(timer, "glass");
    struct Pane {
        const DrawShape* shape;
        size_t index;    // in glasses, or in glassMeshes
        float distance;  // [m] from the eye
    };
    const glm::vec3 eye(camera.eye);
    std::vector<Pane> panes;
    const auto add = [&](const std::vector<const DrawShape*>& list) {
        for (size_t k = 0; k < list.size(); ++k)
            panes.push_back({list[k], k, glm::distance(vec(list[k]->position), eye)});
    };
    add(glasses), add(glassMeshShapes);
    std::ranges::stable_sort(panes, std::ranges::greater{}, &Pane::distance);
    const int steps = options.quality == Quality::Final ? 80 : 40;
    for (const gl::Program* program : {&shapeGlass, &meshGlassNearest}) program->set("marchSteps", steps);
    glEnable(GL_SCISSOR_TEST);
    for (const Pane& pane : panes) {
        const auto [low, high] = boundsOf(*pane.shape);
        const auto [first, last] = shownExtent(low, high);
        if (first.x == last.x || first.y == last.y) continue;
        glScissor(first.x, first.y, last.x - first.x, last.y - first.y);
        if (pane.shape->kind == DrawShape::Kind::Mesh) {
            drawGlassMesh(glassMeshes[pane.index], first, last);
            continue;
        }
        copyBehindGlass(first, last);
        apply({.depthTest = true, .cull = GL_FRONT, .depthClamp = true});
        drawShapes(shapeGlass, solids.size() + containers.size() + pane.index, 1);
    }
    glDisable(GL_SCISSOR_TEST);
}

// What is behind the next body of glass, for its refraction.
void Renderer::State::copyBehindGlass(glm::ivec2 first, glm::ivec2 last) {
    const Targets& t = *targets;
    glBlitNamedFramebuffer(t.scene.id(), t.copy.id(), first.x, first.y, last.x, last.y, first.x, first.y,
                           last.x, last.y, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    target(t.scene, t.width, t.height);
    t.copyColor.bind(0);
    t.copyDepth.bind(1);
}

// The wall of a mesh is as thick as its nearest faces are apart: a hollow vessel bends light little.
void Renderer::State::drawGlassMesh(const MeshCall& call, glm::ivec2 first, glm::ivec2 last) {
    const Targets& t = *targets;
    if (glassFront.width() != t.width || glassFront.height() != t.height) {
        glassFront = gl::Texture(GL_DEPTH_COMPONENT32F, t.width, t.height);
        glassBack = gl::Texture(GL_RGBA32F, t.width, t.height);
        glassBackDepth = gl::Texture(GL_DEPTH_COMPONENT32F, t.width, t.height);
        glassFrontBuffer = gl::Framebuffer({}, &glassFront);
        glassBackBuffer = gl::Framebuffer({&glassBack}, &glassBackDepth);
    }
    const std::vector<MeshCall> calls{call};
    const std::array<float, 4> none{};
    const float far = 1;
    apply({.depthTest = true, .depthWrite = true, .cull = GL_BACK});
    glClearNamedFramebufferfv(glassFrontBuffer.id(), GL_DEPTH, 0, &far);
    target(glassFrontBuffer, t.width, t.height);
    drawMeshes(meshDepth, calls);
    apply({.depthTest = true, .depthWrite = true, .cull = GL_FRONT});
    glClearNamedFramebufferfv(glassBackBuffer.id(), GL_COLOR, 0, none.data());
    glClearNamedFramebufferfv(glassBackBuffer.id(), GL_DEPTH, 0, &far);
    target(glassBackBuffer, t.width, t.height);
    drawMeshes(meshBack, calls);

    target(t.scene, t.width, t.height);
    glassFront.bind(2);
    glassBack.bind(3);
    for (const GLenum hidden : {GL_FRONT, GL_BACK}) {
        apply({.depthTest = true, .blend = true, .destination = GL_ONE_MINUS_SRC_ALPHA, .cull = hidden});
        drawMeshes(meshGlass, calls);
    }
    copyBehindGlass(first, last);
    apply({.depthTest = true, .cull = GL_BACK});
    drawMeshes(meshGlassNearest, calls);
}

}  // namespace coalesce
