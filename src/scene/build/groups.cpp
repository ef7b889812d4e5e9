#include "scene/build/groups.h"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "scene/build/build.h"

namespace coalesce {

std::vector<size_t> spawnOrder(const Scene& scene) {
    std::vector<size_t> order(scene.bodies.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return scene.bodies[a].at < scene.bodies[b].at; });
    return order;
}

GroupNames::GroupNames(const Scene& scene) {
    m_emitters = m_groups = uint32_t(scene.emitters.size());
    for (const Body& body : scene.bodies) m_names.push_back(body.name);
    m_meanings.resize(m_names.size());
    for (const size_t b : spawnOrder(scene)) {
        const uint32_t copies = copiesOf(scene.bodies[b]);
        m_meanings[b] = {m_groups, copies, {}, false};
        m_order.push_back(uint32_t(b));
        m_groups += copies;
    }
    for (uint32_t m = 0; m < scene.materials.size(); ++m) {
        m_names.push_back(scene.materials[m].name);
        m_meanings.push_back({0, 0, m});
    }
    for (uint32_t e = 0; e < m_emitters; ++e) {
        m_names.push_back(scene.emitters[e].name);
        m_meanings.push_back({e, 1, {}, true});
    }
}

std::optional<GroupNames::Meaning> GroupNames::find(const std::string& name) const {
    if (name.empty()) return Meaning{0, kMaxGroups, {}};
    const size_t dot = name.find('.');
    const auto it = std::find(m_names.begin(), m_names.end(), name.substr(0, dot));
    if (it == m_names.end()) return {};
    const Meaning all = m_meanings[it - m_names.begin()];
    if (dot == std::string::npos) return all;
    uint32_t copy = 0;
    const char* const end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + dot + 1, end, copy);
    if (error != std::errc() || stop != end || all.material || copy >= all.count) return {};
    return Meaning{all.first + copy, 1, {}, all.emitted};
}

GroupNames::BodyCopy GroupNames::bodyOf(uint32_t group) const {
    // the last body whose first group is not after this one
    const auto after = std::upper_bound(m_order.begin(), m_order.end(), group,
                                        [&](uint32_t g, uint32_t b) { return g < m_meanings[b].first; });
    CHECK(after != m_order.begin());
    const uint32_t body = *(after - 1);
    return {body, group - m_meanings[body].first};
}

}  // namespace coalesce
