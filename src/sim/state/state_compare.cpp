#include "sim/state/state_compare.h"

#include <algorithm>
#include <numeric>

namespace coalesce {

namespace {

template <class T>
T load(const std::byte* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

bool equals(char type, const std::byte* a, const std::byte* b) {
    if (type == '.') return true;
    const size_t bytes = bytesOfLayout({&type, 1});
    if (std::memcmp(a, b, bytes) == 0) return true;
    return type == 'f' && load<float>(a) == 0 && load<float>(b) == 0;
}

std::vector<uint32_t> idsOf(const StateImage& image) {
    const StateSectionImage* particles = image.find("particles");
    if (!particles) return {};
    const auto id = std::ranges::find(particles->arrays, std::string("id"), &StateArray::name);
    if (id == particles->arrays.end()) return {};
    std::vector<uint32_t> ids(id->count);
    if (!ids.empty()) std::memcpy(ids.data(), id->bytes.data(), id->bytes.size());
    return ids;
}

std::vector<size_t> orderOf(const std::vector<uint32_t>& ids) {
    std::vector<size_t> order(ids.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::sort(order, {}, [&](size_t i) { return ids[i]; });
    return order;
}

// The first id that only one of them has.
std::optional<StateDifference> differenceOfIds(std::vector<uint32_t> a, std::vector<uint32_t> b) {
    std::ranges::sort(a);
    std::ranges::sort(b);
    const auto [inA, inB] = std::ranges::mismatch(a, b);
    if (inA == a.end() && inB == b.end()) return {};
    const bool onlyA = inB == b.end() || (inA != a.end() && *inA < *inB);
    return StateDifference{.section = "particles",
                           .array = "id",
                           .ofParticle = true,
                           .id = onlyA ? *inA : *inB,
                           .a = onlyA ? "present" : "absent",
                           .b = onlyA ? "absent" : "present"};
}

class Comparison {
public:
    Comparison(const StateImage& a, const StateImage& b)
        : m_a(a), m_b(b), m_idsA(idsOf(a)), m_orderA(orderOf(m_idsA)), m_orderB(orderOf(idsOf(b))) {}

    std::optional<StateDifference> first() const {
        if (auto ids = differenceOfIds(m_idsA, idsOf(m_b))) return ids;
        for (const StateSectionImage& a : m_a.sections) {
            const StateSectionImage* b = m_b.find(a.name);
            if (!b || b->arrays.size() != a.arrays.size())
                return StateDifference{
                    .section = a.name,
                    .a = fmt::format("{} arrays", a.arrays.size()),
                    .b = b ? fmt::format("{} arrays", b->arrays.size()) : "no such section"};
            for (size_t k = 0; k < a.arrays.size(); ++k)
                if (auto found = firstOf(a.name, a.arrays[k], b->arrays[k])) return found;
        }
        for (const StateSectionImage& b : m_b.sections)
            if (!m_a.find(b.name))
                return StateDifference{.section = b.name,
                                       .a = "no such section",
                                       .b = fmt::format("{} arrays", b.arrays.size())};
        return {};
    }

private:
    std::optional<StateDifference> firstOf(const std::string& section, const StateArray& a,
                                           const StateArray& b) const {
        StateDifference found{.section = section, .array = a.name, .ofParticle = a.ofParticles};
        if (a.name != b.name || a.layout != b.layout) {
            found.a = a.name + " " + a.layout, found.b = b.name + " " + b.layout;
            return found;
        }
        const size_t stride = bytesOfLayout(a.layout);
        const bool byId = a.ofParticles && a.count == m_orderA.size() && b.count == m_orderB.size();
        for (uint64_t i = 0; i < std::min(a.count, b.count); ++i) {
            const std::byte* inA = a.bytes.data() + (byId ? m_orderA[i] : i) * stride;
            const std::byte* inB = b.bytes.data() + (byId ? m_orderB[i] : i) * stride;
            found.component = 0;
            for (const char type : a.layout) {
                if (!equals(type, inA, inB)) {
                    found.id = byId ? m_idsA[m_orderA[i]] : i;
                    found.a = componentText(type, inA), found.b = componentText(type, inB);
                    return found;
                }
                inA += bytesOfLayout({&type, 1}), inB += bytesOfLayout({&type, 1});
                ++found.component;
            }
        }
        if (a.count == b.count) return {};
        found.id = std::min(a.count, b.count), found.component = 0;
        found.a = fmt::format("{} elements", a.count), found.b = fmt::format("{} elements", b.count);
        return found;
    }

    const StateImage &m_a, &m_b;
    std::vector<uint32_t> m_idsA;
    std::vector<size_t> m_orderA, m_orderB;  // storage indices by id
};

}  // namespace

std::string StateDifference::message() const {
    if (array.empty()) return fmt::format("section '{}': {} and {}", section, a, b);
    return fmt::format("section '{}', {} {} of '{}', component {}: {} and {}", section,
                       ofParticle ? "particle" : "element", id, array, component, a, b);
}

std::optional<StateDifference> firstDifference(const StateImage& a, const StateImage& b) {
    return Comparison(a, b).first();
}

std::optional<StateDifference> firstDifference(const World& a, const World& b) {
    return firstDifference(captureState(a), captureState(b));
}

}  // namespace coalesce
