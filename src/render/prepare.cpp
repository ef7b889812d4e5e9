// What a frame holds, sorted for drawing: materials to passes, shapes to buffers, the two views.
#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>

#include "render/outlines.h"
#include "render/renderer_state.h"

namespace coalesce {

void Renderer::State::prepare() {
    const bool record = options.quality == Quality::Record;
    const int samples = std::clamp(std::max(options.ssaa, record ? 2 : 1), 1, 2);
    const int divisor = record ? 1 : 2;
    const int width = output.width * samples, height = output.height * samples;
    if (!targets || targets->width != width || targets->height != height || targets->divisor != divisor) {
        targets.reset();  // first free, then allocate
        targets = std::make_unique<Targets>(width, height, divisor);
    }
    fluidDrawn = false;
    prepareMaterials();
    prepareShapes();
    prepareCount();
}

// Liquids get passes 0..2 in material order; the clearest is composited last, so that it shows the
// others.
void Renderer::State::prepareMaterials() {
    std::vector<MaterialBlock> blocks;
    liquidOrder.clear();
    hasGrains = false;
    for (const DrawMaterial& m : frame->materials) {
        const bool fluid = m.kind == DrawMaterial::Kind::Fluid;
        int bit = kGrainsBit;
        if (fluid) {
            bit = std::min<int>(static_cast<int>(liquidOrder.size()), kLiquids - 1);
            if (static_cast<int>(liquidOrder.size()) < kLiquids) {
                liquid[static_cast<size_t>(bit)] = static_cast<int>(blocks.size());
                liquidOrder.push_back(bit);
            }
        } else {
            hasGrains = true;
        }
        blocks.push_back({glm::vec4(vec(m.color), (fluid ? kDrawRadius : 0.5f) * m.spacing),
                          glm::vec4(vec(m.absorption), m.spacing), glm::vec4(vec(m.scatter), 0),
                          glm::ivec4(bit, 0, 0, 0)});
    }
    const auto opacity = [&](int pass) {
        const auto& a = frame->materials[static_cast<size_t>(liquid[static_cast<size_t>(pass)])].absorption;
        return a[0] + a[1] + a[2];
    };
    std::stable_sort(liquidOrder.begin(), liquidOrder.end(),
                     [&](int a, int b) { return opacity(a) > opacity(b); });
    hasLiquid = !liquidOrder.empty();
    if (blocks.empty())
        blocks.push_back({glm::vec4(0.5f, 0.5f, 0.5f, 0.02f), glm::vec4(0, 0, 0, 0.04f), {}, {}});
    materials.upload(blocks.data(), blocks.size() * sizeof(MaterialBlock));
    glBindBufferRange(GL_SHADER_STORAGE_BUFFER, 1, materials.id(), 0,
                      static_cast<GLsizeiptr>(blocks.size() * sizeof(MaterialBlock)));
}

void Renderer::State::prepareShapes() {
    solids.clear();
    containers.clear();
    std::vector<Segment> outlines;
    for (const DrawShape& shape : frame->shapes) {
        if (!shape.visible || shape.kind == DrawShape::Kind::Plane || !options.shapes) continue;
        (shape.container ? containers : solids).push_back(&shape);
    }
    std::vector<ShapeBlock> blocks;
    for (const auto* list : {&solids, &containers}) {
        for (const DrawShape* shape : *list) {
            const glm::quat q = rotationOf(*shape);
            blocks.push_back({glm::vec4(vec(shape->position), static_cast<float>(shape->kind)),
                              glm::vec4(q.x, q.y, q.z, q.w),
                              glm::vec4(vec(shape->halfExtents), shape->radius),
                              glm::vec4(vec(shape->color), shape->halfLength)});
            if (list == &containers || options.wire) appendOutline(*shape, outlines);
        }
    }
    shapes.upload(blocks.data(), blocks.size() * sizeof(ShapeBlock));
    segments.upload(outlines.data(), outlines.size() * sizeof(Segment));
    segmentCount = static_cast<int>(outlines.size());
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 2, shapes.id());
}

// Never more particles than every array in use can answer for.
void Renderer::State::prepareCount() {
    showsParticles = options.mode == DrawMode::Particles || options.quality == Quality::Points;
    smooth = frame->ellipsoids && !showsParticles;
    count = frame->particles;
    const auto limit = [&](Slot slot) {
        count = std::min<uint32_t>(count, static_cast<uint32_t>(buffers->capacity(slot) / slotStride(slot)));
    };
    limit(Slot::Pos);
    limit(Slot::Phase);
    if (smooth) {
        for (const Slot slot : {Slot::PosSmooth, Slot::Aniso1, Slot::Aniso2, Slot::Aniso3}) limit(slot);
    }
    // optional arrays: a short one is not read at all
    const auto source = [&](GLuint index, Slot slot) {
        const bool there =
            buffers->capacity(slot) >= size_t{count} * slotStride(slot) && buffers->id(slot) != 0;
        splats.source(index, there ? buffers->id(slot) : zeros.id(), 0, there ? slotStride(slot) : 0);
    };
    source(1, Slot::Aniso1);
    source(2, Slot::Aniso2);
    source(3, Slot::Aniso3);
    source(4, Slot::Phase);
    source(5, Slot::Vel);
    source(6, Slot::Scalar);
    source(7, Slot::PosSmooth);
    source(8, Slot::Id);
}

// What casts shadows: everything that moves, and the solids near it.
std::pair<glm::vec3, glm::vec3> Renderer::State::casterBounds() const {
    glm::vec3 lower = vec(frame->boundsMin), upper = vec(frame->boundsMax);
    const auto finite = [](glm::vec3 v) { return std::isfinite(v.x + v.y + v.z); };
    if (!finite(lower) || !finite(upper) || glm::any(glm::greaterThan(lower, upper))) {
        lower = {-1, 0, -1};
        upper = {1, 1, 1};
    }
    const float moving = glm::length(upper - lower) + 0.1f;
    const glm::vec3 middle = (lower + upper) / 2.0f;
    for (const DrawShape* shape : solids) {
        const float radius = glm::length(extentsOf(*shape));
        if (radius > 2 * moving || glm::length(vec(shape->position) - middle) > 3 * moving) continue;
        lower = glm::min(lower, vec(shape->position) - radius);
        upper = glm::max(upper, vec(shape->position) + radius);
    }
    float margin = 0;
    for (const DrawMaterial& m : frame->materials) margin = std::max(margin, m.spacing);
    return {lower - margin, upper + margin};
}

void Renderer::State::prepareViews(const Camera& from) {
    const glm::vec2 size(targets->width, targets->height);
    const glm::vec3 sun =
        glm::length(options.sunDirection) > 1e-6f ? glm::normalize(options.sunDirection) : glm::vec3(0, 1, 0);
    // the sun looks at a sphere around all casters; its radius moves in steps and its center in whole
    // texels, so that shadow edges do not crawl while the liquid moves
    const auto [lower, upper] = casterBounds();
    const float exact = glm::length(upper - lower) / 2;
    const float radius = std::exp2(std::ceil(std::log2(std::max(exact, 1e-3f)) * 4) / 4);
    const float texel = 2 * radius / kShadowSize;
    const glm::vec3 up = std::abs(sun.y) < 0.99f ? glm::vec3(0, 1, 0) : glm::vec3(0, 0, 1);
    const glm::mat4 turn = glm::lookAt(glm::vec3(0), -sun, up);
    glm::vec3 center = glm::vec3(turn * glm::vec4((lower + upper) / 2.0f, 1));
    center = texel * glm::floor(center / texel);
    const glm::mat4 lightView = glm::translate(glm::mat4(1), -center - glm::vec3(0, 0, radius)) * turn;
    const glm::mat4 lightProjection = glm::ortho(-radius, radius, -radius, radius, 0.0f, 2 * radius);

    const auto fill = [&](ViewBlock& block, const glm::mat4& view, const glm::mat4& projection,
                          glm::vec2 extent, float near, float far) {
        block.view = view;
        block.projection = projection;
        block.viewInverse = glm::inverse(view);
        block.projectionInverse = glm::inverse(projection);
        block.viewProjection = projection * view;
        block.light = lightProjection * lightView;
        block.size = glm::vec4(extent, 1.0f / extent);
        block.clip = {near, far, projection[1][1], projection[0][0]};
        block.eye = block.viewInverse[3];
        block.sun = glm::vec4(sun, options.shadows ? 1 : 0);
        block.lightRange = {2 * radius, radius, texel, 0};
        const auto floor = floorHeight();
        block.ground = {floor.value_or(0), floor ? 1 : 0, static_cast<float>(options.background), 0};
    };
    fill(camera, viewMatrix(from), projectionMatrix(from, size.x / size.y), size, from.near, from.far);
    fill(light, lightView, lightProjection, glm::vec2(kShadowSize), 0, 2 * radius);
    cameraBlock.upload(&camera, sizeof camera);
    lightBlock.upload(&light, sizeof light);
}

// The highest level plane; without one, the ground that the lowest container stands on.
std::optional<float> Renderer::State::floorHeight() const {
    if (options.background != Background::Studio) return std::nullopt;
    std::optional<float> height;
    for (const DrawShape& shape : frame->shapes) {
        if (shape.kind != DrawShape::Kind::Plane || !shape.visible) continue;
        if ((rotationOf(shape) * glm::vec3(0, 1, 0)).y < 0.999f) continue;
        height = std::max(height.value_or(shape.position[1]), shape.position[1]);
    }
    if (height) return height;
    for (const DrawShape& shape : frame->shapes) {
        if (!shape.container || shape.kind == DrawShape::Kind::Plane) continue;
        const glm::mat3 turn = glm::mat3_cast(rotationOf(shape));
        const glm::vec3 half = extentsOf(shape);
        // reach of the shape below its center
        const float down =
            std::abs(turn[0][1]) * half.x + std::abs(turn[1][1]) * half.y + std::abs(turn[2][1]) * half.z;
        height = std::min(height.value_or(1e30f), shape.position[1] - down);
    }
    return height;
}

}  // namespace coalesce
