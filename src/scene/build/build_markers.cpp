#include "scene/build/build_markers.h"

#include "geometry/math/random.h"
#include "kernels/shapes/shape_primitive.h"
#include "sim/world/shapes.h"

namespace coalesce {

namespace {

constexpr uint64_t kMarkerSeed = 0x6d61726b65727300ull;

bool isInside(const Shape& form, Vec3 p) {
    Vec3 normal{};
    return form.kind == ShapeKind::box ||
           capsuleDistance(form.radius, form.kind == ShapeKind::capsule ? form.halfLength : 0, p, normal) <=
               0;
}

}  // namespace

void addMarkers(const Scene& scene, World& world) {
    if (scene.markers.empty()) return;
    std::vector<Vec4> x, v;
    std::vector<uint32_t> id, tag;
    for (size_t k = 0; k < scene.markers.size(); ++k) {
        const MarkerRegion& region = scene.markers[k];
        const uint64_t seed = mixIn(mixIn(scene.seed, kMarkerSeed), k);
        const Vec3 half = boundsOf(region.form).high;
        const float life = scene.materials[region.material].properties.smokeLife;
        int placed = 0;
        for (uint64_t draw = 0; placed < region.count; ++draw) {
            const Vec3 p{half.x * randomShift(seed, draw, 0), half.y * randomShift(seed, draw, 1),
                         half.z * randomShift(seed, draw, 2)};
            if (!isInside(region.form, p)) continue;
            Vec3 at = rotate(region.form.rotation, p) + region.form.position;
            if (scene.parameters.solver.planar) at.z = 0;
            x.push_back(vec4(at, 0.0f));
            v.push_back({0, 0, 0, life * (1 + 0.5f * randomShift(seed, draw, 3))});
            id.push_back(static_cast<uint32_t>(id.size()));
            tag.push_back(makeTag(PassiveClass::smoke, region.material));
            ++placed;
        }
    }
    world.passive.x.upload(x);
    world.passive.v.upload(v);
    world.passive.id.upload(id);
    world.passive.tag.upload(tag);
    world.passiveCounters.born = id.size();
    world.passiveCounters.smoked = 1;
}

}  // namespace coalesce
