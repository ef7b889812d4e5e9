// Contents of one frame: plain arrays and numbers, filled by the bridge, drawn by the renderer. Includes only
// the standard library, so that caches, exporters and tests can use it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace coalesce {

// One OpenGL buffer per slot.
enum class Slot : uint8_t {
    Pos,          // vec4: position [m], inverse mass [1/kg]
    PosSmooth,    // vec4: position for drawing [m], number of neighbors (as float)
    Aniso1,       // vec4: unit axis of the drawn ellipsoid, half-length [m]
    Aniso2,       // vec4: second axis
    Aniso3,       // vec4: third axis
    Phase,        // uint32: material | group << 8 | flags << 28 (see src/sim/world/particles.def)
    Vel,          // vec4: velocity [m/s], volume fraction φ [-]
    Scalar,       // float: the quantity of the debug view
    Dye,          // float: attribute that tints liquids, in RenderFrame::dyeColors; optional
    Id,           // uint32: persistent id of the particle; optional, varies the shade of grains
    ClusterPose,  // 2 vec4: pose of a cluster: center [m], mass [kg] (0: removed); unit quaternion x y z w,
                  // world from body
    ClusterRest,  // vec4: rest center of the cluster, in the body's frame [m]
    Line,  // 2 vec4: ends of a debug line [m]; w of the first: value that colors it, of the second: radius of
           // its ball [m]
    ClothPos,      // vec4: cloth particle [m]
    ClothNormal,   // vec4: unit normal, fraction of the thickness
    ClothRest,     // vec4: rest position, in the body's frame [m]
    ClothIndex,    // uint32: triangle corners, vertex << 2 | 1 on the back | 2 on the rim
    RopeVertex,    // 2 vec4: tube vertex [m], rope coordinate in particles; unit normal, fraction of a turn
    RopeIndex,     // uint32: triangle corners, vertex << 1 | 1 on an end cap
    LiquidPos,     // vec4: vertex of the surface mesh of a liquid [m]; optional
    LiquidNormal,  // vec4: its unit normal, out of the liquid
    LiquidIndex,   // uint32: triangle corners
    PassivePos,    // vec4: spray, foam, bubble or marker of smoke [m], age [s]
    PassiveVel,    // vec4: its velocity [m/s], lifetime [s]
    PassiveTag,    // uint32: class (0 spray, 1 foam, 2 bubble, 3 smoke) | material << 8
    Count
};

// Bytes per element of a slot.
constexpr size_t slotStride(Slot slot) {
    switch (slot) {
        case Slot::Phase:
        case Slot::Scalar:
        case Slot::Dye:
        case Slot::Id:
        case Slot::ClothIndex:
        case Slot::RopeIndex:
        case Slot::LiquidIndex:
        case Slot::PassiveTag:
            return 4;
        case Slot::ClusterPose:
        case Slot::Line:
        case Slot::RopeVertex:
            return 32;
        default:
            return 16;
    }
}

// Appearance of a material, one per material of the scene, in the same order.
struct DrawMaterial {
    // fluid: smoothed surface; grains: lit spheres, shaded individually; solid: lit spheres shaded per body,
    // where no mesh, cloth or tube represents the body; gas: as `gas` says
    enum class Kind : uint8_t { Fluid, Grains, Solid, Gas };
    enum class GasStyle : uint8_t { Hidden, Points, Smoke };
    std::string name;
    Kind kind = Kind::Fluid;
    GasStyle gas = GasStyle::Hidden;
    float spacing = 0.05f;                            // d [m]; draw radius is 0.85 d for fluids, else d/2
    float support = 0.1f;                             // h [m], radius of the smoothing kernel
    std::array<float, 3> color{0.20f, 0.45f, 0.80f};  // linear RGB, for spheres and legends
    // liquids only
    std::array<float, 3> absorption{6.0f, 1.6f, 0.7f};    // σ [1/m] per color channel
    std::array<float, 3> scatter{0.004f, 0.05f, 0.085f};  // linear RGB of deep liquid
    float turbidity = 0;             // σ's [1/m], reduced scattering of suspended particles
    float refractiveIndex = 1.333f;  // [-]
    float roughness = 0;             // of the surface, 0 to 1
    float dye = 0;                   // [1/m] absorption by Slot::Dye
    std::array<float, 3> foamColor{0.92f, 0.95f, 0.97f};   // linear RGB of spray, foam and bubbles
    float foamSize = 0.012f;                               // [m] their radius
    std::array<float, 3> smokeColor{0.55f, 0.55f, 0.56f};  // linear RGB of smoke and dye
    float smokeOpacity = 0.1f;                             // [-] of a new marker in its center
    float smokeSize = 0.03f, smokeGrowth = 0.02f;          // [m], [m/s] its radius
};

// Shared vertices and triangles. The arrays belong to `owner` and stay unchanged while it exists: the
// renderer uploads them once and identifies them by its address.
struct MeshArrays {
    std::shared_ptr<const void> owner;
    std::span<const float> positions;     // 3 per vertex [m]
    std::span<const float> normals;       // 3 per vertex, unit; empty: computed from the faces, with creases
    std::span<const uint32_t> triangles;  // 3 vertices each, counterclockwise seen from outside
    // linear blend skinning: x = Σ weight (R (p − rest) + center) over up to four clusters
    std::span<const uint32_t>
        clusters;  // 4 per vertex, relative to the instance's first cluster; empty: only that cluster
    std::span<const float> weights;  // 4 per vertex, sum 1
};

// Bodies that share a mesh, drawn by one call.
struct DrawMesh {
    struct Instance {
        uint32_t firstCluster;       // in Slot::ClusterPose and Slot::ClusterRest
        std::array<float, 3> color;  // linear RGB
    };
    MeshArrays arrays;
    std::vector<Instance> instances;
};

// A cloth body: a run of Slot::ClothIndex that forms a closed shell. First the triangles of the front, then
// as many of the back, then the rim between them.
struct DrawCloth {
    uint32_t first = 0, frontIndices = 0, indices = 0;
    float thickness = 0.05f;              // [m]
    float checker = 0;                    // [m] size of the squares of a checker pattern; 0: plain
    std::array<float, 3> color{1, 1, 1};  // linear RGB
    std::array<float, 3> backColor{0.5f, 0.5f, 0.5f};  // linear RGB
};

// A rope body: a run of Slot::RopeIndex.
struct DrawRope {
    uint32_t first = 0, indices = 0;
    std::array<float, 3> color{1, 1, 1};               // linear RGB of one strand
    std::array<float, 3> backColor{0.5f, 0.5f, 0.5f};  // linear RGB of the other strand
};

// The surface mesh of a liquid: a run of Slot::LiquidIndex, whose
// corners count from a vertex of Slot::LiquidPos.
struct DrawLiquid {
    uint32_t material = 0, firstVertex = 0, first = 0, indices = 0;
};

// A collision shape; containers show only their inside and edges.
struct DrawShape {
    enum class Kind : uint8_t { Plane, Box, Sphere, Capsule, Mesh };
    Kind kind = Kind::Plane;
    bool container = false;
    bool holdsLiquid = false;  // plane, container box: liquid reaches it without a gap
    bool visible = true;
    std::array<float, 3> position{};                     // [m] center; for a plane a point on it
    std::array<float, 4> rotation{0, 0, 0, 1};           // unit quaternion x y z w, world from shape
    std::array<float, 3> halfExtents{0.5f, 0.5f, 0.5f};  // box: half sizes [m]
    float radius = 0.5f;                                 // sphere, capsule [m]
    float halfLength = 0.5f;              // capsule: half distance of the end centers along the y axis [m]
    MeshArrays mesh{};                    // mesh, in the shape's frame; without clusters
    std::array<float, 3> scale{1, 1, 1};  // mesh: scale along the axes of its frame [-]
    std::array<float, 3> color{0.62f, 0.60f, 0.57f};  // linear RGB
    float opacity = 1;  // [-] fraction of light stopped at normal incidence; below 1: glass
};                      // the normal of a plane is its y axis

// A run of Slot::Line, drawn over the finished frame: in one color, or colored by value with a diverging map
// from −range to range.
struct DrawLines {
    uint32_t first = 0, count = 0;
    std::array<float, 3> color{1, 1, 1};  // sRGB, like legend colors
    std::string name;                     // legend text, with unit where values color the lines
    float range = 0;                      // 0: single color
    bool sequential = false;              // sequential color map from 0 to range
    float lift = 0;                       // [m] offset towards the viewer, out of surrounding geometry
    bool balls = false;                   // draw a ball at the second end
};

// A few lines stored in the frame itself, drawn like those of Slot::Line.
struct DrawGizmo {
    std::array<float, 3> color{1, 1, 1};  // sRGB
    std::string name;
    std::vector<std::array<float, 3>> ends{};  // [m] two per line
};

struct RenderFrame {
    uint64_t step = 0;                                              // simulation step index
    double time = 0;                                                // [s] simulated
    uint32_t particles = 0;                                         // elements in each particle slot
    uint32_t passives = 0;                                          // elements in each passive slot
    bool smoke = false;                                             // some of them may be smoke
    float shutter = 0;                                              // [s] exposure, for motion blur
    bool ellipsoids = false;                                        // PosSmooth and Aniso1..3 are filled
    std::array<float, 3> boundsMin{-1, 0, -1}, boundsMax{1, 1, 1};  // [m] bounds of moving matter
    std::vector<DrawMaterial> materials;
    std::vector<DrawShape> shapes;
    std::vector<DrawMesh> meshes;
    std::vector<DrawCloth> cloth;
    std::vector<DrawRope> ropes;
    std::vector<DrawLiquid> liquids;     // none: the surfaces of liquids are drawn from the particles
    std::vector<uint32_t> meshGroups;    // a bit per group: its particles are not drawn in Surface mode,
                                         // because a mesh, cloth or tube is
    std::vector<uint32_t> hiddenGroups;  // a bit per group: its particles are not drawn at all
    std::vector<DrawLines> lines;
    std::vector<DrawGizmo> gizmos;
    bool scaleBar = false;     // scale bar at the distance of the camera's look point
    bool meshNormals = false;  // draw triangle normals of all meshes
    // debug quantity in Slot::Scalar
    std::string scalarName = "speed";
    std::string scalarUnit = "m/s";
    std::array<float, 2> scalarRange{0, 1};          // range of the colors below
    std::vector<std::array<float, 3>> scalarColors;  // linear RGB at even steps; empty: default color map
    // the same for Slot::Dye
    std::array<float, 2> dyeRange{0, 1};
    std::vector<std::array<float, 3>> dyeColors;
};

}  // namespace coalesce
