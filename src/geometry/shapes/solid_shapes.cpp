#include "geometry/shapes/solid_shapes.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "geometry/shapes/solid_forms.h"

namespace coalesce {

namespace {

constexpr SolidNumberInfo kIcosphere[] = {
    {"subdivisions", 3, 0, 7, "each divides every triangle into four; 0: an icosahedron"}};
constexpr SolidNumberInfo kDisc[] = {{"thickness", 0.1f, 0.01f, 1, "thickness over the height"}};
constexpr SolidNumberInfo kTorus[] = {
    {"tube", 0.15f, 0.02f, 0.24f, "radius of the tube over the height"},
    {"circles", 0, 0, 1024,
     "number of circles of nearly equal triangles around the tube, for inflatables; 0: polygonized"}};
constexpr SolidNumberInfo kKnot[] = {
    {"tube", 0.075f, 0.02f, 0.12f, "approximate radius of the tube over the height"}};
constexpr SolidNumberInfo kBanana[] = {
    {"bend", 100, 10, 180, "angle from end to end [degrees]"},
    {"radius", 0.11f, 0.03f, 0.2f, "approximate radius at the middle over the height"}};
constexpr SolidNumberInfo kU[] = {
    {"thickness", 0.28f, 0.05f, 0.45f, "thickness of its three bars over the height"}};
constexpr SolidNumberInfo kBowl[] = {{"wall", 0.1f, 0.02f, 0.4f, "approximate thickness over the height"}};
constexpr SolidNumberInfo kCup[] = {{"wall", 0.06f, 0.01f, 0.2f, "thickness over the height"}};
constexpr SolidNumberInfo kWineGlass[] = {
    {"wall", 0.04f, 0.02f, 0.1f, "thickness of the bowl over the height"}};
constexpr SolidNumberInfo kRiverbed[] = {
    {"rough", 0.012f, 0, 0.03f, "height of the bumps over the height"},
    {"sill", 0.3f, 0.2f, 0.45f, "height of the basin's sill over the height"}};
constexpr SolidNumberInfo kStreet[] = {{"opening", 0.25f, 0.1f, 0.5f, "width of the opening over the length"},
                                       {"bars", 2, 0, 8, "number of bars of the grate"}};
constexpr SolidNumberInfo kGlass[] = {
    {"neck", 0.08f, 0.01f, 0.4f, "inner diameter of the neck over the height"},
    {"wall", 0.04f, 0.02f, 0.1f, "thickness over the height"}};

struct Entry {
    SolidShapeInfo info;
    SolidForm (*make)(const forms::ShapeParameters&);
};
constexpr Entry kEntries[] = {
    {{"brick", "a box, 2:1:1 unless a size is given", {}}, forms::brick},
    {{"cube", "a box, 1:1:1 unless a size is given", {}}, forms::cube},
    {{"rod", "an upright box, 1:8:1 unless a size is given", {}}, forms::rod},
    {{"sheet", "an upright box, 12:12:1 unless a size is given", {}}, forms::sheet},
    {{"sphere", "a ball; with a size, an ellipsoid", {}}, forms::sphere},
    {{"icosphere", "a ball with triangle edges of nearly equal length, for balloons", kIcosphere},
     forms::icosphere},
    {{"disc", "a thin cylinder, its axis forward", kDisc}, forms::disc},
    {{"torus", "a ring, its axis forward", kTorus}, forms::torus},
    {{"torus_knot", "a trefoil knot, its axis forward", kKnot}, forms::torusKnot},
    {{"banana", "a tapered arc, upright", kBanana}, forms::banana},
    {{"u_shape", "three bars, open at the top", kU}, forms::uShape},
    {{"rock", "convex, bounded by 6 to 12 random planes; depends on the seed", {}}, forms::rock},
    {{"cup", "a thin-walled open cup", kCup}, forms::cup},
    {{"bowl", "half a hollow ball, open at the top", kBowl}, forms::bowl},
    {{"hourglass", "a closed hollow glass with a neck", kGlass}, forms::hourglass},
    {{"glass", "a wine glass", kWineGlass}, forms::glass},
    {{"teapot", "body, lid, spout and handle; solid", {}}, forms::teapot},
    {{"bunny", "thirteen blended ellipsoids", {}}, forms::bunny},
    {{"octopus", "a head on eight arms", {}}, forms::octopus},
    {{"figure", "an armored animal on two legs", {}}, forms::figure},
    {{"serpent", "a coiled body with two wings", {}}, forms::serpent},
    {{"horse", "a horse on its four legs, which can walk", {}}, forms::horse},
    {{"castle", "four towers, walls with a gate, a keep", {}}, forms::castle},
    {{"idol", "a stone head on a squat body, with an open mouth", {}}, forms::idol},
    {{"riverbed", "a canyon along x with a waterfall, a basin and a sill; rocks depend on the seed",
      kRiverbed},
     forms::riverbed},
    {{"street", "cobbles between kerbs, with a grated opening in the middle", kStreet}, forms::street},
};

}  // namespace

std::span<const SolidShapeInfo> solidShapes() {
    static const auto infos = [] {
        std::array<SolidShapeInfo, std::size(kEntries)> all;
        std::transform(std::begin(kEntries), std::end(kEntries), all.begin(),
                       [](const Entry& e) { return e.info; });
        return all;
    }();
    return infos;
}

SolidForm solidForm(const std::string& name, const SolidNumbers& numbers, uint64_t seed, Vec3d size) {
    const Entry* entry = std::find_if(std::begin(kEntries), std::end(kEntries),
                                      [&](const Entry& e) { return name == e.info.name; });
    CHECK(entry != std::end(kEntries));
    return entry->make({numbers, seed, size});
}

}  // namespace coalesce
