// Frame setup: sorts materials into passes, uploads shapes and meshes, binds particle arrays.
#include <algorithm>
#include <cmath>

#include "render/frame/outlines.h"
#include "render/renderer/renderer_state.h"

namespace coalesce {

void Renderer::State::prepare() {
    const bool record = options.quality == Quality::Final;
    const int samples = std::clamp(std::max(options.ssaa, record && options.sample.count == 1 ? 2 : 1), 1, 2);
    const int divisor = record ? 1 : 2;
    const auto drawn = [&](int size) { return options.halved ? (size + 1) / 2 : size * samples; };
    const int width = drawn(output.width), height = drawn(output.height);
    fluidDrawn = false;
    prepareMaterials();
    prepareCount();
    const TargetSize wanted{width, height,           divisor, std::max(int(liquids.size()), 1),
                            dyed,  hasLiquidMeshes()};
    if (!targets || static_cast<const TargetSize&>(*targets) != wanted) {
        targets.reset();  // free before allocating
        targets = std::make_unique<Targets>(wanted);
    }
    prepareShapes();
    prepareWalls();
    prepareMeshes();
}

namespace {

// Difference in appearance of two liquids; 0: they share a surface.
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

int Renderer::State::gasBit(const DrawMaterial& m) const {
    using Style = DrawMaterial::GasStyle;
    const auto asMaterial = [&] {
        return m.gas == Style::Points  ? GasDrawing::Points
               : m.gas == Style::Smoke ? GasDrawing::Smoke
                                       : GasDrawing::Material;
    };
    switch (options.gas == GasDrawing::Material ? asMaterial() : options.gas) {
        case GasDrawing::Points:
            return kGrainsBit;
        case GasDrawing::Smoke:
            return kSmokeBit;
        case GasDrawing::Material:
            return kHiddenBit;
        case GasDrawing::Hidden:
            return kUnseenBit;
    }
    return kHiddenBit;
}

// Each distinct liquid appearance is a pass, in material order; above the limit, the closest appearance is
// used.
void Renderer::State::prepareMaterials() {
    std::vector<MaterialBlock> blocks;
    liquids.clear();
    liquidPass.assign(frame->materials.size(), -1);
    hasGrains = hasSmokyGas = dyed = turbid = rough = false;
    for (const DrawMaterial& m : frame->materials) {
        const bool fluid = m.kind == DrawMaterial::Kind::Fluid;
        const bool gas = m.kind == DrawMaterial::Kind::Gas;
        int bit = kGrainsBit;
        if (fluid) {
            const auto apart = [&](int other) { return difference(m, frame->materials[size_t(other)]); };
            const auto like = std::ranges::min_element(liquids, {}, apart);
            bit = int(like - liquids.begin());
            if (liquids.empty() || (apart(*like) > 0 && liquids.size() < kLiquids)) {
                bit = int(liquids.size());
                liquids.push_back(int(blocks.size()));
            }
            liquidPass[blocks.size()] = bit;
            dyed |= m.dye > 0;
            turbid |= m.turbidity > 0;
            rough |= m.roughness > 0;
        } else {
            if (gas) bit = gasBit(m);
            hasGrains |= bit == kGrainsBit;
            hasSmokyGas |= bit == kSmokeBit;
        }
        const float radius = fluid ? kDrawRadius : gas && bit == kGrainsBit ? kPointRadius : 0.5f;
        blocks.push_back(
            {glm::vec4(vec(m.color), radius * m.spacing), glm::vec4(vec(m.absorption), m.spacing),
             glm::vec4(vec(m.scatter), m.turbidity),
             glm::vec4(m.refractiveIndex, m.roughness, m.dye, m.support),
             glm::vec4(vec(m.foamColor), m.foamSize), glm::vec4(vec(m.smokeColor), m.smokeOpacity),
             glm::vec4(m.smokeSize, m.smokeGrowth, std::max(m.smokeSize, kPuffRadius * m.spacing), 0),
             glm::ivec4(bit, int(m.kind), 0, 0)});
    }
    hasLiquid = !liquids.empty();
    if (blocks.empty())
        blocks.push_back(
            {glm::vec4(0.5f, 0.5f, 0.5f, 0.02f), glm::vec4(0, 0, 0, 0.04f), {}, {}, {}, {}, {}, {}});
    materials.upload(blocks.data(), blocks.size() * sizeof(MaterialBlock));
    glBindBufferRange(GL_SHADER_STORAGE_BUFFER, 1, materials.id(), 0,
                      GLsizeiptr(blocks.size() * sizeof(MaterialBlock)));
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
                {glm::vec4(vec(shape->position), float(shape->kind)), glm::vec4(q.x, q.y, q.z, q.w),
                 glm::vec4(vec(shape->halfExtents), shape->radius),
                 glm::vec4(vec(shape->color), shape->halfLength), glm::vec4(shape->opacity, 0, 0, 0)});
        }
    }
    shapes.upload(blocks.data(), blocks.size() * sizeof(ShapeBlock));
    segments.upload(outlines.data(), outlines.size() * sizeof(Segment));
    segmentCount = int(outlines.size());
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 2, shapes.id());
}

// Regions of the shapes that hold liquids, as in shaders/walls.glsl.
void Renderer::State::prepareWalls() {
    using Region = std::array<glm::vec4, 6>;
    constexpr glm::vec4 kNoWall(0, 0, 0, 1e9f);
    std::vector<Region> regions;
    const auto plane = [](const glm::vec3& normal, const glm::vec3& point) {
        return glm::vec4(normal, -dot(normal, point));
    };
    for (const DrawShape& shape : frame->shapes) {
        if (!shape.holdsLiquid) continue;
        const glm::vec3 center = vec(shape.position);
        const glm::mat3 axes = glm::mat3_cast(rotationOf(shape));
        Region& region = regions.emplace_back();
        region.fill(kNoWall);
        if (shape.kind == DrawShape::Kind::Plane) {
            region[0] = plane(axes[1], center);
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            const glm::vec3 toWall = shape.halfExtents[size_t(k)] * axes[k];
            region[size_t(2 * k)] = plane(axes[k], center - toWall);
            region[size_t(2 * k + 1)] = plane(-axes[k], center + toWall);
        }
    }
    if (regions.empty()) regions.emplace_back().fill(kNoWall);
    wallBytes = regions.size() * sizeof(Region);
    walls.upload(regions.data(), wallBytes);
}

void Renderer::State::bindWalls() const {
    glBindBufferRange(GL_SHADER_STORAGE_BUFFER, 4, walls.id(), 0, GLsizeiptr(wallBytes));
}

// Meshes of bodies (not in Particles mode) and of collision shapes.
void Renderer::State::prepareMeshes() {
    solidMeshes.clear();
    containerMeshes.clear();
    glassMeshes.clear();
    glassMeshShapes.clear();
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
        if (glassMeshes.size() > glassMeshShapes.size()) glassMeshShapes.push_back(&shape);
        if (options.wire || (shape.container && options.shapes)) outlinedMeshes.push_back(call);
    }
    meshInstances.upload(blocks.data(), blocks.size() * sizeof(InstanceBlock));
    // two words for 32 groups each
    const size_t words = std::max({frame->meshGroups.size(), frame->hiddenGroups.size(), size_t{1}});
    std::vector<uint32_t> masks(2 * words);
    for (size_t k = 0; k < words; ++k) {
        if (k < frame->meshGroups.size()) masks[2 * k] = frame->meshGroups[k];
        if (k < frame->hiddenGroups.size()) masks[2 * k + 1] = frame->hiddenGroups[k];
    }
    groupMasks.upload(masks.data(), masks.size() * sizeof(uint32_t));
    groupMaskBytes = masks.size() * sizeof(uint32_t);
}

// Limits the particle count to the shortest array in use.
void Renderer::State::prepareCount() {
    showsParticles = options.mode == DrawMode::Particles || options.quality == Quality::Points;
    smooth = frame->ellipsoids && !showsParticles;
    count = frame->particles;
    const auto limit = [&](Slot slot) {
        count = std::min<uint32_t>(count, uint32_t(buffers->capacity(slot) / slotStride(slot)));
    };
    limit(Slot::Pos);
    limit(Slot::Phase);
    if (smooth) {
        for (const Slot slot : {Slot::PosSmooth, Slot::Aniso1, Slot::Aniso2, Slot::Aniso3}) limit(slot);
    }
    // optional arrays: not read if too short
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

}  // namespace coalesce
