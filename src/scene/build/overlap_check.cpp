#include "scene/build/overlap_check.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "geometry/math/hash_grid.h"
#include "scene/build/build.h"

namespace coalesce {

std::vector<Coincidence> coincidences(const Scene& scene) {
    struct Place {
        Vec3 x;
        uint32_t body;
        auto key() const { return std::tie(x.x, x.y, x.z, body); }
    };
    std::vector<Coincidence> found;
    std::vector<Place> places;
    for (size_t b = 0; b < scene.bodies.size(); ++b) {
        const Body& body = scene.bodies[b];
        if (body.jitter > 0 || body.at > 0) continue;
        const auto form = formOf(scene, body);
        for (uint32_t copy = 0; copy < copiesOf(body); ++copy)
            for (const Vec3& x : positionsOf(scene, b, copy, *form)) places.push_back({x, uint32_t(b)});
    }
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.key() < b.key(); });
    std::map<std::pair<uint32_t, uint32_t>, Coincidence> pairs;
    for (size_t i = 1; i < places.size(); ++i) {
        const Place &before = places[i - 1], &place = places[i];
        if (!(before.x == place.x)) continue;
        Coincidence& pair = pairs[{place.body, before.body}];
        if (pair.count++ == 0) pair = {place.body, before.body, 1, place.x};
    }
    for (const auto& [bodies, pair] : pairs) found.push_back(pair);
    return found;
}

namespace {

struct Copy {
    size_t body;
    uint32_t copy;
    Box box;
};

bool overlap(const Box& a, const Box& b) {
    return a.low.x < b.high.x && b.low.x < a.high.x && a.low.y < b.high.y && b.low.y < a.high.y &&
           a.low.z < b.high.z && b.low.z < a.high.z;
}

// Copies whose bounding boxes overlap those of others.
std::vector<Copy> overlappingBoxes(const Scene& scene) {
    std::vector<Copy> all;
    for (size_t b = 0; b < scene.bodies.size(); ++b) {
        if (scene.bodies[b].at > 0) continue;
        const std::vector<Box> boxes = boxesOf(scene, b);
        for (uint32_t copy = 0; copy < boxes.size(); ++copy) all.push_back({b, copy, boxes[copy]});
    }
    std::vector<Copy> found;
    if (all.size() > 4096) return found;
    for (const Copy& one : all)
        if (std::any_of(all.begin(), all.end(),
                        [&](const Copy& other) { return &one != &other && overlap(one.box, other.box); }))
            found.push_back(one);
    return found;
}

}  // namespace

std::vector<StartOverlap> startOverlaps(const Scene& scene) {
    const std::vector<Copy> solids = overlappingBoxes(scene);
    std::vector<Vec3d> points;
    std::vector<uint32_t> owner;  // of each point, index into `solids`
    double reach = 0;
    for (uint32_t s = 0; s < solids.size(); ++s) {
        const float d = spacingOf(scene, scene.bodies[solids[s].body]);
        const auto form = formOf(scene, scene.bodies[solids[s].body]);
        for (const Vec3& x : positionsOf(scene, solids[s].body, solids[s].copy, *form)) {
            points.push_back({x.x, x.y, x.z});
            owner.push_back(s);
        }
        reach = std::max(reach, 0.87 * d);
    }
    if (points.empty()) return {};
    std::map<std::pair<uint32_t, uint32_t>, size_t> pairs;
    HashGrid(points, reach).forEachPair([&](uint32_t i, uint32_t j, double r2) {
        if (owner[i] >= owner[j]) return;
        const double contact = 0.5 * (spacingOf(scene, scene.bodies[solids[owner[i]].body]) +
                                      spacingOf(scene, scene.bodies[solids[owner[j]].body]));
        if (r2 < 0.87 * 0.87 * contact * contact) ++pairs[{owner[i], owner[j]}];
    });
    std::vector<StartOverlap> found;
    const auto nameAt = [&](const Copy& c) { return nameOf(scene.bodies[c.body], c.copy); };
    for (const auto& [pair, count] : pairs) {
        const Copy &later = solids[pair.second], &former = solids[pair.first];
        found.push_back({later.body, former.body, nameAt(later), nameAt(former), count});
    }
    return found;
}

}  // namespace coalesce
