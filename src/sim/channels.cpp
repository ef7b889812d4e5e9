#include "sim/channels.h"

#include <cmath>

namespace coalesce {

Channel::Channel(Exec& exec, const ChannelInfo& i) : info(i) {
    switch (info.type) {
        case ChannelType::number:
            values = Buffer<float>(exec);
            break;
        case ChannelType::vector:
            values = Buffer<Vec4>(exec);
            break;
        case ChannelType::whole:
            values = Buffer<uint32_t>(exec);
            break;
    }
}

bool fits(ChannelType type, const ChannelValue& value) {
    if (type == ChannelType::whole)
        return std::floor(value[0]) == value[0] && value[0] >= -2147483648.0 && value[0] <= 2147483647.0;
    for (int k = 0; k < (type == ChannelType::vector ? 3 : 1); ++k)
        if (!std::isfinite(static_cast<float>(value[k]))) return false;
    return true;
}

const std::vector<std::string>& channelTypeNames() {
    static const std::vector<std::string> names = {"float", "vec3", "int"};
    return names;
}

size_t bytesOf(ChannelType type) {
    return type == ChannelType::vector ? sizeof(Vec4) : sizeof(float);
}

std::vector<ChannelValue> download(const Channel& channel) {
    std::vector<ChannelValue> values;
    std::visit(
        [&](const auto& buffer) {
            values.reserve(buffer.size());
            for (const auto& a : buffer.download()) values.push_back(valueOf(a));
        },
        channel.values);
    return values;
}

void copyChannels(std::vector<Channel>& to, const std::vector<Channel>& from, Exec& exec) {
    // declared before the first particle, so their number changes once
    if (to.size() != from.size()) {
        to.clear();
        for (const Channel& channel : from) to.emplace_back(exec, channel.info);
    }
    for (size_t k = 0; k < from.size(); ++k)
        std::visit(
            [&]<class T>(const Buffer<T>& source) { std::get<Buffer<T>>(to[k].values).copyFrom(source); },
            from[k].values);
}

}  // namespace coalesce
