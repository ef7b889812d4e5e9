// Memory layout of the plain types that a state consists of, spelled as text: it goes into state files, so
// that a reader recognizes an array of another type, and lets a comparison name and print components.
#pragma once

#include <cstddef>
#include <string_view>

#include "sim/state/host_state.h"

namespace coalesce {

// f float, u uint32, d double, q uint64, '.' four unused bytes.
template <class T>
struct StateLayout;

constexpr size_t bytesOfLayout(std::string_view layout) {
    size_t bytes = 0;
    for (const char c : layout) bytes += c == 'd' || c == 'q' ? 8 : 4;
    return bytes;
}

#define STATE_LAYOUT(T, spelled)                          \
    template <>                                           \
    struct StateLayout<T> {                               \
        static constexpr std::string_view text = spelled; \
    };                                                    \
    static_assert(bytesOfLayout(spelled) == sizeof(T))

STATE_LAYOUT(float, "f");
STATE_LAYOUT(uint32_t, "u");
STATE_LAYOUT(double, "d");
STATE_LAYOUT(uint64_t, "q");
STATE_LAYOUT(Vec4, "ffff");
STATE_LAYOUT(ClusterPose, "ffffffff");
STATE_LAYOUT(DistanceConstraint, "uufu");
STATE_LAYOUT(ClothTriangle, "uuuu");
STATE_LAYOUT(VolumeConstraint, "uuuuuf..");
STATE_LAYOUT(MouseConstraint, "uuffffff");
STATE_LAYOUT(EmitterProgress, "ddqqqfffu");
STATE_LAYOUT(Lifetime, "uud");
STATE_LAYOUT(SpawnTimestamp, "dq");
STATE_LAYOUT(BodySlot, "uuuuu");
STATE_LAYOUT(ShapeProgress, "dqfffffff.");

#undef STATE_LAYOUT

}  // namespace coalesce
