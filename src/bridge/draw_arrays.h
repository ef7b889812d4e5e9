// What a picture needs of the particles, as arrays in the memory of the machine that simulates. No OpenGL
// here.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "bridge/spring_strains.h"
#include "core/buffer.h"
#include "kernels/draw_quantities.h"
#include "render/render_frame.h"
#include "sim/rope_tubes.h"
#include "sim/sheet_surface.h"
#include "sim/solver.h"
#include "sim/surface.h"
#include "sim/world.h"

namespace coalesce {

// What particles are colored by.
enum class Quantity {
    Material,
    Speed,
    DensityError,
    Neighbors,
    Id,
    Contacts,
    Distance,
    Height,
    Sleeping,
    Body,
    Strain,
    Channel
};

struct QuantityInfo {
    Quantity quantity;
    const char* word;   // on the command line
    const char* label;  // in legend and panel
    const char* unit;
};
inline constexpr std::array<QuantityInfo, 12> kQuantities = {{
    {Quantity::Material, "material", "material", "-"},
    {Quantity::Speed, "speed", "speed", "m/s"},
    {Quantity::DensityError, "density", "density error", "-"},
    {Quantity::Neighbors, "neighbors", "neighbors", "-"},
    {Quantity::Id, "id", "id", "-"},
    {Quantity::Contacts, "contacts", "contacts", "-"},
    {Quantity::Distance, "sdf", "signed distance", "m"},
    {Quantity::Height, "height", "stack height", "m"},
    {Quantity::Sleeping, "sleeping", "asleep", "-"},
    {Quantity::Body, "body", "body", "-"},
    {Quantity::Strain, "strain", "strain", "-"},
    {Quantity::Channel, "channel", "channel", "-"},
}};
const QuantityInfo& infoOf(Quantity quantity);

// Whether a channel colors liquids, in every picture and not only where particles are looked at.
bool dyesLiquid(const World& world);

struct DrawRequest {
    Quantity quantity = Quantity::Material;
    bool ellipsoids = true;     // also smoothed positions and axes
    bool contactLines = false;  // also lines along the normals of contacts
    bool springLines = false;   // also lines along springs, by their strain
    bool operator==(const DrawRequest&) const = default;
};

// One array for one slot.
struct DrawArray {
    Slot slot;
    const void* data;  // on the machine of the world
    size_t bytes;
};

class DrawArrays {
public:
    DrawArrays(World& world, Solver& solver);

    // Computes what is asked for; the arrays stay valid until the next update or step.
    const std::vector<DrawArray>& update(const DrawRequest& request);
    // Box around all particles [m]; low > high when there are none. Of the last update.
    Vec3 low() const { return m_low; }
    Vec3 high() const { return m_high; }
    // What the lines of Slot::Line show; of the last update.
    const std::vector<DrawLines>& lines() const { return m_lines; }
    // Bodies of cloth and rope in their slots; of the last update.
    const std::vector<SheetSurface::Part>& sheets() const { return m_sheets.parts(); }
    const std::vector<RopeTubes::Part>& ropes() const { return m_ropes.parts(); }

private:
    void takeQuantity(Quantity quantity);
    void takeChannel(Buffer<float>& to);
    void locateRows();
    void takeContactLines();
    void takeSpringLines();
    Touching touching() const;
    void findExtent();

    World& m_world;
    Solver& m_solver;
    Surface m_surface;
    SheetSurface m_sheets;
    RopeTubes m_ropes;
    SpringStrains m_strains;
    Buffer<float> m_scalar;
    Buffer<float> m_dye;
    Buffer<MaterialConstants> m_materials;
    Buffer<GroupConstants> m_groups;
    Buffer<uint32_t> m_slotOf;        // by row of the solid bodies; the solver's own is of its last substep
    Buffer<uint32_t> m_lineStart[2];  // of pairs, of planes: the first line of each particle
    Buffer<Vec4> m_lineEnds;
    Buffer<Extent> m_extent;
    Vec3 m_low{}, m_high{};
    std::vector<DrawArray> m_arrays;
    std::vector<DrawLines> m_lines;
};

}  // namespace coalesce
