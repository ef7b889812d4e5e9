// Time per launch name, as passed to forEach and the primitives.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace coalesce {

class Profiler {
public:
    struct Row {
        std::string name;
        int launches = 0;  // in the last frame
        double ms = 0;     // sum over the last frame [ms]
    };

    bool enabled = false;

    // Adds one launch to the current frame.
    void add(const char* name, double ms);
    // Forgets the launches of the current frame.
    void discardFrame();
    // Closes the frame; rows() then returns it, in the order in which the names first appeared.
    void endFrame();
    const std::vector<Row>& rows() const { return m_last; }

private:
    std::vector<Row> m_current, m_last;
    std::map<std::string, size_t, std::less<>> m_index;
};

}  // namespace coalesce
