// What a frame holds, sorted for drawing: materials to passes, shapes to buffers, the two views.
#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>

#include "render/frame/outlines.h"
#include "render/renderer/renderer_state.h"

namespace coalesce {

glm::vec3 sunDirection(float azimuth, float elevation) {
    const float a = glm::radians(azimuth), e = glm::radians(elevation);
    return {std::sin(a) * std::cos(e), std::sin(e), -std::cos(a) * std::cos(e)};
}

glm::vec3 sunOf(Background background) {
    switch (background) {
        case Background::Sunset:
            return sunDirection(-35, 11);
        case Background::Overcast:
            return sunDirection(20, 75);
        case Background::Night:
            return sunDirection(40, 38);
        case Background::Studio:
        case Background::Sky:
        case Background::Plain:
            break;
    }
    return glm::normalize(DrawOptions().sunDirection);
}

void Renderer::State::prepare() {
    const bool record = options.quality == Quality::Record;
    const int samples = std::clamp(std::max(options.ssaa, record ? 2 : 1), 1, 2);
    const int divisor = record ? 1 : 2;
    const int width = output.width * samples, height = output.height * samples;
    fluidDrawn = false;
    prepareMaterials();
    prepareCount();
    const TargetSize wanted{width, height, divisor, std::max(static_cast<int>(liquids.size()), 1), dyed};
    if (!targets || static_cast<const TargetSize&>(*targets) != wanted) {
        targets.reset();  // first free, then allocate
        targets = std::make_unique<Targets>(wanted);
    }
    prepareShapes();
    prepareMeshes();
}

namespace {

// How far apart two liquids look; 0: they share a surface.
float difference(const DrawMaterial& a, const DrawMaterial& b) {
    float sum = std::abs(std::log(a.spacing / b.spacing)) +
                std::abs(std::log1p(a.turbidity) - std::log1p(b.turbidity)) +
                std::abs(a.refractiveIndex - b.refractiveIndex) + std::abs(a.roughness - b.roughness) +
                std::abs(std::log1p(a.dye) - std::log1p(b.dye));
    for (size_t k = 0; k < 3; ++k) {
        sum += std::abs(std::log1p(a.absorption[k]) - std::log1p(b.absorption[k])) +
               std::abs(a.scatter[k] - b.scatter[k]);
    }
    return sum;
}

}  // namespace

// Each look of a liquid is a pass, in material order; when there are too many, the nearest look is taken.
void Renderer::State::prepareMaterials() {
    std::vector<MaterialBlock> blocks;
    liquids.clear();
    hasGrains = dyed = turbid = rough = false;
    for (const DrawMaterial& m : frame->materials) {
        const bool fluid = m.kind == DrawMaterial::Kind::Fluid;
        const int solid = m.kind == DrawMaterial::Kind::Solid ? 1 : 0;
        int bit = kGrainsBit;
        if (fluid) {
            const auto apart = [&](int other) {
                return difference(m, frame->materials[static_cast<size_t>(other)]);
            };
            const auto like = std::ranges::min_element(liquids, {}, apart);
            bit = static_cast<int>(like - liquids.begin());
            if (liquids.empty() || (apart(*like) > 0 && liquids.size() < kLiquids)) {
                bit = static_cast<int>(liquids.size());
                liquids.push_back(static_cast<int>(blocks.size()));
            }
            dyed |= m.dye > 0;
            turbid |= m.turbidity > 0;
            rough |= m.roughness > 0;
        } else {
            hasGrains = true;
        }
        blocks.push_back({glm::vec4(vec(m.color), (fluid ? kDrawRadius : 0.5f) * m.spacing),
                          glm::vec4(vec(m.absorption), m.spacing), glm::vec4(vec(m.scatter), m.turbidity),
                          glm::vec4(m.refractiveIndex, m.roughness, m.dye, 0), glm::ivec4(bit, solid, 0, 0)});
    }
    hasLiquid = !liquids.empty();
    if (blocks.empty())
        blocks.push_back({glm::vec4(0.5f, 0.5f, 0.5f, 0.02f), glm::vec4(0, 0, 0, 0.04f), {}, {}, {}});
    materials.upload(blocks.data(), blocks.size() * sizeof(MaterialBlock));
    glBindBufferRange(GL_SHADER_STORAGE_BUFFER, 1, materials.id(), 0,
                      static_cast<GLsizeiptr>(blocks.size() * sizeof(MaterialBlock)));
}

void Renderer::State::prepareShapes() {
    solids.clear();
    containers.clear();
    glasses.clear();
    std::vector<Segment> outlines;
    for (const DrawShape& shape : frame->shapes) {
        if (!shape.visible || shape.kind == DrawShape::Kind::Plane || shape.kind == DrawShape::Kind::Mesh)
            continue;
        if (options.shapes)
            (shape.container ? containers : shape.opacity < 1 ? glasses : solids).push_back(&shape);
        if (options.wire || (shape.container && options.shapes)) appendOutline(shape, outlines);
    }
    std::vector<ShapeBlock> blocks;
    for (const auto* list : {&solids, &containers, &glasses}) {
        for (const DrawShape* shape : *list) {
            const glm::quat q = rotationOf(*shape);
            blocks.push_back(
                {glm::vec4(vec(shape->position), static_cast<float>(shape->kind)),
                 glm::vec4(q.x, q.y, q.z, q.w), glm::vec4(vec(shape->halfExtents), shape->radius),
                 glm::vec4(vec(shape->color), shape->halfLength), glm::vec4(shape->opacity, 0, 0, 0)});
        }
    }
    shapes.upload(blocks.data(), blocks.size() * sizeof(ShapeBlock));
    segments.upload(outlines.data(), outlines.size() * sizeof(Segment));
    segmentCount = static_cast<int>(outlines.size());
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 2, shapes.id());
}

// Bodies, where particles are not what is looked at, and the shapes that are meshes.
void Renderer::State::prepareMeshes() {
    solidMeshes.clear();
    containerMeshes.clear();
    glassMeshes.clear();
    glassPlaces.clear();
    outlinedMeshes.clear();
    meshStore.forgetUnowned();
    std::vector<InstanceBlock> blocks;
    const size_t clusters = std::min(buffers->capacity(Slot::ClusterPose) / slotStride(Slot::ClusterPose),
                                     buffers->capacity(Slot::ClusterRest) / slotStride(Slot::ClusterRest));
    for (const DrawMesh& mesh : frame->meshes) {
        if (showsParticles) break;
        const GpuMesh& uploaded = meshStore.find(mesh.arrays);
        const size_t first = blocks.size();
        for (const DrawMesh::Instance& body : mesh.instances) {
            if (size_t{body.firstCluster} + uploaded.clusters > clusters) continue;
            blocks.push_back(
                {.color = glm::vec4(vec(body.color), 1), .cluster = {body.firstCluster, 0, 0, 0}});
        }
        if (blocks.size() > first)
            solidMeshes.push_back({&uploaded, &mesh.arrays, first, blocks.size() - first, true});
    }
    for (const DrawShape& shape : frame->shapes) {
        if (!shape.visible || shape.kind != DrawShape::Kind::Mesh) continue;
        const glm::quat q = rotationOf(shape);
        const MeshCall call{&meshStore.find(shape.mesh), &shape.mesh, blocks.size(), 1, false, options.wire};
        blocks.push_back({glm::vec4(vec(shape.position), 1),
                          glm::vec4(q.x, q.y, q.z, q.w),
                          glm::vec4(vec(shape.scale), 1),
                          glm::vec4(vec(shape.color), shape.opacity),
                          {}});
        if (options.shapes)
            (shape.container     ? containerMeshes
             : shape.opacity < 1 ? glassMeshes
                                 : solidMeshes)
                .push_back(call);
        if (glassMeshes.size() > glassPlaces.size()) glassPlaces.push_back(vec(shape.position));
        if (options.wire || (shape.container && options.shapes)) outlinedMeshes.push_back(call);
    }
    meshInstances.upload(blocks.data(), blocks.size() * sizeof(InstanceBlock));
    const uint32_t none = 0;
    meshGroupWords = std::max<size_t>(frame->meshGroups.size(), 1);
    meshGroups.upload(frame->meshGroups.empty() ? &none : frame->meshGroups.data(),
                      meshGroupWords * sizeof(uint32_t));
}

// Box around a shape in the world [m]; planes have none.
std::pair<glm::vec3, glm::vec3> Renderer::State::boundsOf(const DrawShape& shape) {
    glm::vec3 upper(0), lower(0);  // in the shape's frame
    switch (shape.kind) {
        case DrawShape::Kind::Plane:
            break;
        case DrawShape::Kind::Box:
            upper = vec(shape.halfExtents);
            lower = -upper;
            break;
        case DrawShape::Kind::Sphere:
            upper = glm::vec3(shape.radius);
            lower = -upper;
            break;
        case DrawShape::Kind::Capsule:
            upper = glm::vec3(shape.radius) + glm::vec3(0, shape.halfLength, 0);
            lower = -upper;
            break;
        case DrawShape::Kind::Mesh: {
            const GpuMesh& mesh = meshStore.find(shape.mesh);
            const glm::vec3 scale = vec(shape.scale);
            lower = glm::min(scale * mesh.lower, scale * mesh.upper);
            upper = glm::max(scale * mesh.lower, scale * mesh.upper);
            break;
        }
    }
    const glm::mat3 turn = glm::mat3_cast(rotationOf(shape));
    const glm::vec3 middle = vec(shape.position) + turn * ((lower + upper) / 2.0f);
    const glm::vec3 half = (upper - lower) / 2.0f;
    const glm::vec3 reach =
        glm::abs(turn[0]) * half.x + glm::abs(turn[1]) * half.y + glm::abs(turn[2]) * half.z;
    return {middle - reach, middle + reach};
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
    source(9, Slot::Dye);
}

// What casts shadows: everything that moves, and the solids near it.
std::pair<glm::vec3, glm::vec3> Renderer::State::casterBounds() {
    glm::vec3 lower = vec(frame->boundsMin), upper = vec(frame->boundsMax);
    const auto finite = [](glm::vec3 v) { return std::isfinite(v.x + v.y + v.z); };
    if (!finite(lower) || !finite(upper) || glm::any(glm::greaterThan(lower, upper))) {
        lower = {-1, 0, -1};
        upper = {1, 1, 1};
    }
    const float moving = glm::length(upper - lower) + 0.1f;
    const glm::vec3 middle = (lower + upper) / 2.0f;
    std::pair<glm::vec3, glm::vec3> casters{lower, upper};
    for (const DrawShape& shape : frame->shapes) {
        if (!options.shapes || !shape.visible || shape.container || shape.kind == DrawShape::Kind::Plane)
            continue;
        const auto [low, high] = boundsOf(shape);
        if (glm::length(high - low) > 4 * moving || glm::length((low + high) / 2.0f - middle) > 3 * moving)
            continue;
        casters.first = glm::min(casters.first, low);
        casters.second = glm::max(casters.second, high);
    }
    float margin = 0;
    for (const DrawMaterial& m : frame->materials) margin = std::max(margin, m.spacing);
    return {casters.first - margin, casters.second + margin};
}

void Renderer::State::prepareViews(const Camera& from) {
    const glm::vec2 size(targets->width, targets->height);
    lookDistance = std::max(glm::distance(from.eye, from.look), 1e-3f);
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
        const bool glass = options.shadows && !(glasses.empty() && glassMeshes.empty());
        block.lightRange = {2 * radius, radius, texel, glass ? 1 : 0};
        const auto floor = floorHeight();
        block.ground = {floor.value_or(0), floor ? 1 : 0, static_cast<float>(options.background),
                        options.ground == Ground::Plain  ? 1.0f
                        : options.ground == Ground::Grid ? 2.0f
                                                         : 0.0f};
    };
    fill(camera, viewMatrix(from), projectionMatrix(from, size.x / size.y), size, from.near, from.far);
    fill(light, lightView, lightProjection, glm::vec2(kShadowSize), 0, 2 * radius);
    cameraBlock.upload(&camera, sizeof camera);
    lightBlock.upload(&light, sizeof light);
}

bool Renderer::State::hasGround() const {
    if (options.ground != Ground::Auto) return options.ground != Ground::None;
    return options.background != Background::Sky && options.background != Background::Plain;
}

// The highest level plane; without one, the ground that the lowest container stands on.
std::optional<float> Renderer::State::floorHeight() {
    if (!hasGround()) return std::nullopt;
    std::optional<float> height;
    for (const DrawShape& shape : frame->shapes) {
        if (shape.kind != DrawShape::Kind::Plane || !shape.visible) continue;
        if ((rotationOf(shape) * glm::vec3(0, 1, 0)).y < 0.999f) continue;
        height = std::max(height.value_or(shape.position[1]), shape.position[1]);
    }
    if (height) return height;
    for (const DrawShape& shape : frame->shapes) {
        if (!shape.container || shape.kind == DrawShape::Kind::Plane) continue;
        const float lowest = boundsOf(shape).first.y;
        height = std::min(height.value_or(lowest), lowest);
    }
    return height;
}

}  // namespace coalesce
