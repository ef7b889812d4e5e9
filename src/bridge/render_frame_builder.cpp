#include "bridge/render_frame_builder.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/hash.h"
#include "sim/surface/liquid_walls.h"

namespace coalesce {

namespace {

std::array<float, 3> triple(Vec3 a) {
    return {a.x, a.y, a.z};
}

DrawShape::Kind kindOf(ShapeKind kind) {
    switch (kind) {
        case ShapeKind::plane:
            return DrawShape::Kind::Plane;
        case ShapeKind::box:
            return DrawShape::Kind::Box;
        case ShapeKind::sphere:
            return DrawShape::Kind::Sphere;
        case ShapeKind::capsule:
            return DrawShape::Kind::Capsule;
        case ShapeKind::convex:
        case ShapeKind::sdf:
        case ShapeKind::mesh:
            return DrawShape::Kind::Mesh;
    }
    return DrawShape::Kind::Plane;
}

DrawMaterial::Kind kindOf(MaterialKind kind) {
    switch (kind) {
        case MaterialKind::fluid:
            return DrawMaterial::Kind::Fluid;
        case MaterialKind::grains:
            return DrawMaterial::Kind::Grains;
        case MaterialKind::gas:
            return DrawMaterial::Kind::Gas;
        case MaterialKind::rigid:
        case MaterialKind::soft:
        case MaterialKind::cloth:
        case MaterialKind::rope:
            return DrawMaterial::Kind::Solid;
    }
    return DrawMaterial::Kind::Fluid;
}

DrawMaterial::GasStyle styleOf(DrawAs drawAs) {
    switch (drawAs) {
        case DrawAs::hidden:
            return DrawMaterial::GasStyle::Hidden;
        case DrawAs::points:
            return DrawMaterial::GasStyle::Points;
        case DrawAs::smoke:
            return DrawMaterial::GasStyle::Smoke;
    }
    return DrawMaterial::GasStyle::Hidden;
}

// The color of a material, varied in brightness and warmth per body, so that single bodies of a pile can be
// told apart.
std::array<float, 3> colorOf(Vec3 color, uint64_t body) {
    const auto vary = [&](uint64_t which) {  // [-1, 1)
        return float(double(mixIn(mix(body), which) >> 11) * 0x1p-52 - 1);
    };
    const float light = 1 + 0.16f * vary(0), warm = 0.07f * vary(1);
    return {std::min(1.0f, color.x * light * (1 + warm)), std::min(1.0f, color.y * light),
            std::min(1.0f, color.z * light * (1 - warm))};
}

// Points, triangles or weights as a flat span of numbers.
template <class Number, class T>
std::span<const Number> numbersOf(const std::vector<T>& list) {
    static_assert(std::is_standard_layout_v<T> && sizeof(T) % sizeof(Number) == 0);
    return {reinterpret_cast<const Number*>(list.data()), list.size() * (sizeof(T) / sizeof(Number))};
}

MeshArrays arraysOf(const TriangleMesh& mesh, std::shared_ptr<const void> owner) {
    return {.owner = std::move(owner),
            .positions = numbersOf<float>(mesh.vertices),
            .normals = numbersOf<float>(mesh.normals),
            .triangles = numbersOf<uint32_t>(mesh.triangles),
            .clusters = {},
            .weights = {}};
}

MeshArrays arraysOf(const std::shared_ptr<const Skin>& skin) {
    MeshArrays arrays = arraysOf(skin->mesh, skin);
    arrays.clusters = numbersOf<uint32_t>(skin->clusters);
    arrays.weights = numbersOf<float>(skin->weights);
    return arrays;
}

bool isHidden(const RenderFrame& frame, uint32_t group) {
    return frame.hiddenGroups[group / 32] >> group % 32 & 1u;
}

// Bodies with the same skin become instances of one mesh.
void addBodies(const World& world, RenderFrame& frame) {
    frame.meshes.clear();
    std::unordered_map<const Skin*, size_t> meshOf;
    frame.meshGroups.assign((world.groups.size() + 31) / 32, 0);
    for (size_t b = 0; b < world.bodies.size(); ++b) {
        const SolidBody& body = world.bodies[b];
        const Material& material = world.materials[world.groups[body.group].material];
        // bodies that came apart have no skin; their particles are drawn
        if (!body.skin || body.gone || isLoose(material.properties)) continue;
        if (isHidden(frame, body.group)) continue;
        frame.meshGroups.at(body.group / 32) |= 1u << body.group % 32;
        const auto [found, isNew] = meshOf.try_emplace(body.skin.get(), frame.meshes.size());
        if (isNew) frame.meshes.push_back({arraysOf(body.skin), {}});
        frame.meshes[found->second].instances.push_back(
            {body.firstCluster, colorOf(material.properties.color, b)});
    }
}

// Every cloth or rope body is a run of the shared arrays.
void addClothAndRopes(const World& world, std::span<const ClothSurface::Part> cloth,
                      std::span<const RopeTubes::Part> ropes, RenderFrame& frame) {
    const auto propertiesOf = [&](uint32_t b) -> const MaterialProperties& {
        const SolidBody& body = world.bodies[b];
        frame.meshGroups.at(body.group / 32) |= 1u << body.group % 32;
        return world.materials[world.groups[body.group].material].properties;
    };
    frame.cloth.clear();
    for (const ClothSurface::Part& part : cloth) {
        if (isHidden(frame, world.bodies[part.body].group)) continue;
        const MaterialProperties& p = propertiesOf(part.body);
        frame.cloth.push_back({.first = part.first,
                               .frontIndices = part.frontIndices,
                               .indices = part.indices,
                               .thickness = p.spacing,
                               .checker = p.checker,
                               .color = colorOf(p.color, part.body),
                               .backColor = colorOf(p.backColor, part.body)});
    }
    frame.ropes.clear();
    for (const RopeTubes::Part& part : ropes) {
        if (isHidden(frame, world.bodies[part.body].group)) continue;
        const MaterialProperties& p = propertiesOf(part.body);
        frame.ropes.push_back({.first = part.first,
                               .indices = part.indices,
                               .color = colorOf(p.color, part.body),
                               .backColor = colorOf(p.backColor, part.body)});
    }
}

}  // namespace

LiquidLight liquidLightOf(const MaterialProperties& p) {
    const MaterialProperties defaults;
    if (p.absorption != defaults.absorption || p.scatter != defaults.scatter || p.color == defaults.color)
        return {p.absorption, p.scatter};
    constexpr float kLayer = 0.3f;                        // [m] thickness that shows the color
    constexpr float kDarkest = 0.02f, kBrightest = 0.9f;  // share of a channel that passes the layer
    constexpr float kGlow = 0.25f;                        // scatter / color
    const auto absorbed = [&](float c) { return -std::log(std::clamp(c, kDarkest, kBrightest)) / kLayer; };
    return {{absorbed(p.color.x), absorbed(p.color.y), absorbed(p.color.z)}, kGlow * p.color};
}

DrawShape drawShapeOf(const Shape& shape, double time) {
    const Pose pose = poseAt(shape, time);
    return {.kind = kindOf(shape.kind),
            .container = shape.container || shape.trigger,  // particles inside stay visible
            .visible = shape.visible,
            .position = triple(pose.position),
            .rotation = {pose.rotation.x, pose.rotation.y, pose.rotation.z, pose.rotation.w},
            .halfExtents = triple(shape.halfExtents),
            .radius = shape.radius,
            .halfLength = shape.halfLength,
            .mesh = shape.geometry ? arraysOf(shape.geometry->surface, shape.geometry) : MeshArrays{},
            .scale = triple(shape.scale),
            .color = triple(shape.color),
            .opacity = shape.opacity};
}

// Whether a shape keeps liquids on its side, as a flat wall.
static bool holdsLiquid(const World& world, const Shape& shape) {
    return isFlatWall(shape) && std::ranges::any_of(world.groups, [&](const Group& group) {
               return isFluid(world.materials[group.material].properties) &&
                      (group.collisionMask & shape.collisionMask) != 0;
           });
}

void buildRenderFrame(const World& world, std::span<const ClothSurface::Part> cloth,
                      std::span<const RopeTubes::Part> ropes, std::span<const uint32_t> hidden,
                      RenderFrame& frame) {
    frame.step = world.step;
    frame.time = world.time;
    frame.particles = uint32_t(world.count());
    frame.passives = uint32_t(world.passive.size());
    frame.smoke = world.passiveCounters.smoked > 0;
    // a shutter that is open for half of each frame
    frame.shutter = 0.5f / world.parameters.solver.frameRate;
    frame.materials.clear();
    for (const Material& material : world.materials) {
        const MaterialProperties& p = material.properties;
        const LiquidLight light = liquidLightOf(p);
        frame.materials.push_back({.name = material.name,
                                   .kind = kindOf(p.kind),
                                   .gas = styleOf(p.drawAs),
                                   .spacing = p.spacing,
                                   .support = p.supportRatio * p.spacing,
                                   .color = triple(p.color),
                                   .absorption = triple(light.absorption),
                                   .scatter = triple(light.scatter),
                                   .turbidity = p.turbidity,
                                   .refractiveIndex = p.refractiveIndex,
                                   .roughness = p.roughness,
                                   .dye = p.attributeTint,
                                   .foamColor = triple(p.foamColor),
                                   .foamSize = foamProperties(p).size,
                                   .smokeColor = triple(p.smokeColor),
                                   .smokeOpacity = p.smokeOpacity,
                                   .smokeSize = p.smokeSize,
                                   .smokeGrowth = p.smokeGrowth});
    }
    frame.hiddenGroups.assign((std::max(world.groups.size(), size_t{world.groupsNamed}) + 31) / 32, 0);
    for (const uint32_t group : hidden)
        if (group / 32 < frame.hiddenGroups.size()) frame.hiddenGroups[group / 32] |= 1u << group % 32;
    addBodies(world, frame);
    addClothAndRopes(world, cloth, ropes, frame);
    frame.shapes.clear();
    for (const Shape& shape : world.shapes) {
        frame.shapes.push_back(drawShapeOf(shape, world.time));
        frame.shapes.back().holdsLiquid = holdsLiquid(world, shape);
    }
}

}  // namespace coalesce
