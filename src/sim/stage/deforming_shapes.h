// Fields of shapes whose surfaces deform: one for each frame,
// built in the background during the frame before.
#pragma once

#include <future>
#include <memory>
#include <vector>

#include "sim/world/world.h"

namespace coalesce {

class DeformingShapes {
public:
    // Sets the geometry of the deforming shapes to that at the end of the frame, with the displacement since
    // its start; waits for it if it is not ready. Fields depend on times only, so results do not depend on
    // when they are built. length: of the frame [s]
    void beginFrame(World& world, double length);

private:
    struct Job {
        std::shared_ptr<const DeformingField> of;
        double from = 0, to = 0;  // [s]
        std::future<std::shared_ptr<const ShapeGeometry>> geometry;
    };
    std::vector<Job> m_ahead;  // by shape: of the next frame
};

}  // namespace coalesce
