#include "scene/channel_values.h"

#include <algorithm>
#include <cmath>

namespace coalesce {

namespace {

double along(Vec3 p, int axis) {
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

}  // namespace

ChannelValue channelValue(const std::vector<double>& numbers) {
    ChannelValue value{};
    std::copy_n(numbers.begin(), std::min<size_t>(numbers.size(), 3), value.begin());
    return value;
}

std::vector<ChannelValue> channelValues(const Scene& scene, const Body& body, std::span<const Vec3> places) {
    std::vector<ChannelValue> values;
    if (body.values.empty() && body.gradient.values.empty()) return values;
    const int axis = body.gradient.axis.empty() ? 1 : body.gradient.axis[0] - 'x';
    double low = 1e300, high = -1e300;
    for (const Vec3& p : places) low = std::min(low, along(p, axis)), high = std::max(high, along(p, axis));
    values.reserve(places.size() * scene.channels.size());
    for (const Vec3& p : places) {
        const double t = high > low ? (along(p, axis) - low) / (high - low) : 0;
        for (const ChannelInfo& channel : scene.channels) {
            const auto own = body.values.find(channel.name), top = body.gradient.values.find(channel.name);
            ChannelValue value = own == body.values.end() ? channel.initial : channelValue(own->second);
            if (top != body.gradient.values.end()) {
                const ChannelValue end = channelValue(top->second);
                for (size_t k = 0; k < value.size(); ++k) value[k] += t * (end[k] - value[k]);
                if (channel.type == ChannelType::whole) value[0] = std::round(value[0]);
            }
            values.push_back(value);
        }
    }
    return values;
}

}  // namespace coalesce
