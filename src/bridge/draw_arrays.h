// Per-particle arrays for drawing, in the memory of the simulation's backend. No OpenGL here.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "bridge/debug_lines.h"
#include "bridge/line_views.h"
#include "bridge/quantities.h"
#include "bridge/spring_strains.h"
#include "core/buffer.h"
#include "core/mirror.h"
#include "kernels/draw/draw_quantities.h"
#include "render/frame/render_frame.h"
#include "sim/solver/solver.h"
#include "sim/surface/anisotropic_kernels.h"
#include "sim/surface/cloth_surface.h"
#include "sim/surface/liquid_surface.h"
#include "sim/surface/rope_tubes.h"
#include "sim/world/world.h"

namespace coalesce {

// Whether an attribute tints liquids. It then does so in every frame, not only in particle views.
bool dyesLiquid(const World& world);

struct DrawRequest {
    Quantity quantity = Quantity::Material;
    bool ellipsoids = true;                // compute smoothed positions and axes
    LineSet lines{};                       // compute lines of these views
    std::optional<uint32_t> picked{};      // id of the selected particle
    std::optional<SurfaceOptions> mesh{};  // compute surface meshes of the liquids
    std::vector<uint32_t> hidden{};        // groups that are not drawn
    bool operator==(const DrawRequest&) const = default;
};

// The contents of one slot.
struct DrawArray {
    Slot slot;
    const void* data;  // in the memory of the backend
    size_t bytes;
};

class DrawArrays {
public:
    DrawArrays(World& world, Solver& solver);

    // Computes the requested arrays; they stay valid until the next update or step.
    const std::vector<DrawArray>& update(const DrawRequest& request);
    // Bounding box of all particles [m] at the last update; low > high when there are none.
    Vec3 low() const { return m_low; }
    Vec3 high() const { return m_high; }
    // Runs of Slot::Line, of the last update.
    const std::vector<DrawLines>& lines() const { return m_lines.sets(); }
    // Cloth and rope bodies as runs of their slots, of the last update.
    const std::vector<ClothSurface::Part>& cloth() const { return m_cloth.parts(); }
    const std::vector<RopeTubes::Part>& ropes() const { return m_ropes.parts(); }
    // Surface meshes of liquids, of the last update; none unless they were requested.
    const std::vector<LiquidSurface::Part>& liquids() const { return m_liquids.parts(); }

private:
    void takeQuantity(Quantity quantity);
    void takeAttribute(Buffer<float>& to);
    void findSlots();
    void watchPressure(bool wanted);
    void takePressure();
    void takeAge();
    void takeResidual();
    ContactQuery contactQuery() const;
    void findExtent();

    World& m_world;
    Solver& m_solver;
    AnisotropicKernels m_ellipsoids;
    ClothSurface m_cloth;
    RopeTubes m_ropes;
    LiquidSurface m_liquids;
    SpringStrains m_strains;
    Buffer<float> m_scalar;
    Buffer<float> m_dye;
    Mirror<MaterialConstants> m_materials;
    Mirror<GroupConstants> m_groups;
    Buffer<uint32_t>
        m_slotOf;           // by row of the solid bodies; the solver's own table is that of its last substep
    Buffer<float> m_table;  // by material, or by spawn timestamp
    Buffer<uint32_t> m_firstIds;  // first id of each spawn timestamp
    DebugLines m_lines;
    bool m_watching = false;  // enabled the recording of pressures, because they are shown
    Buffer<IntegerBox> m_extent;
    Vec3 m_low{}, m_high{};
    std::vector<DrawArray> m_arrays;
};

}  // namespace coalesce
