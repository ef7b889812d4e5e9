// What one picture shows: plain arrays and numbers, filled by the bridge, drawn by the renderer.
// This header includes nothing but the standard library, so that caches, exporters and tests can speak it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace coalesce {

// One GL buffer per slot. Later materials bring further slots (foam, smoke).
enum class Slot : uint8_t {
    Pos,          // vec4: position [m], inverse mass [1/kg]
    PosSmooth,    // vec4: position for drawing [m], number of neighbors (as float)
    Aniso1,       // vec4: unit axis of the drawn ellipsoid, half-length [m]
    Aniso2,       // vec4: second axis
    Aniso3,       // vec4: third axis
    Phase,        // uint32: material | group << 8 | flags << 28 (see src/sim/world/particles.def)
    Vel,          // vec4: velocity [m/s], volume fraction φ [-]
    Scalar,       // float: the quantity chosen for the debug view
    Dye,          // float: what colors liquids with a dye, in the colors of RenderFrame::dyeColors; optional
    Id,           // uint32: persistent name of the particle; optional, grains take their own shade from it
    ClusterPose,  // 2 vec4: where a part of a body is: its center [m], mass [kg] (0: it is gone); unit
                  // quaternion x y z w, world from body
    ClusterRest,  // vec4: that center at rest, in the body's frame [m]
    Line,         // 2 vec4: ends of a segment of a debug view [m]; w: the value that colors it, if one does;
                  // of lines with balls the second w is the radius of the ball [m]
    ClothPos,     // vec4: particle of a sheet [m]
    ClothNormal,  // vec4: unit normal there, share of the thickness
    ClothRest,    // vec4: where it is at rest, in the body's frame [m]
    ClothIndex,   // uint32: corners of triangles, vertex << 2 | 1 on the back | 2 of the rim
    RopeVertex,   // 2 vec4: corner of a tube [m], particles passed along the rope; unit normal, share of a
                  // turn
    RopeIndex,    // uint32: corners of triangles, vertex << 1 | 1 of a flat end
    Count
};

// Bytes of one element of a slot.
constexpr size_t slotStride(Slot slot) {
    switch (slot) {
        case Slot::Phase:
        case Slot::Scalar:
        case Slot::Dye:
        case Slot::Id:
        case Slot::ClothIndex:
        case Slot::RopeIndex:
            return 4;
        case Slot::ClusterPose:
        case Slot::Line:
        case Slot::RopeVertex:
            return 32;
        default:
            return 16;
    }
}

// How a material is drawn. One per material of the scene, in material order.
struct DrawMaterial {
    // fluid: smoothed surface; grains: lit spheres, each of its own shade; solid: lit spheres of one shade
    // per body, where no mesh, sheet or tube shows the body
    enum class Kind : uint8_t { Fluid, Grains, Solid };
    std::string name;
    Kind kind = Kind::Fluid;
    float spacing = 0.05f;                            // d [m]; draw radius is 0.85 d for fluids, else d/2
    std::array<float, 3> color{0.20f, 0.45f, 0.80f};  // linear RGB, for spheres and legends
    // of liquids
    std::array<float, 3> absorption{6.0f, 1.6f, 0.7f};    // σ [1/m] per channel, of light through it
    std::array<float, 3> scatter{0.004f, 0.05f, 0.085f};  // linear RGB that it shows where it is deep
    float turbidity = 0;                                  // σ's [1/m] of what floats in it
    float refractiveIndex = 1.333f;                       // [-]
    float roughness = 0;                                  // of its surface, 0 to 1
    float dye = 0;                                        // [1/m] how much Slot::Dye colors it
};

// Vertices and triangles, shared by all that is drawn with them. The arrays belong to `owner` and do not
// change while it lives: the renderer takes them over once and knows them again by its address.
struct MeshArrays {
    std::shared_ptr<const void> owner;
    std::span<const float> positions;     // 3 per vertex [m]
    std::span<const float> normals;       // 3 per vertex, unit; empty: from the faces, sharp where they bend
    std::span<const uint32_t> triangles;  // 3 vertices each, counterclockwise seen from outside
    // linear blend skinning: x = Σ weight (R (p − rest) + center) over up to four matches
    std::span<const uint32_t>
        clusters;                    // 4 per vertex, counted from the instance's first; empty: that one alone
    std::span<const float> weights;  // 4 per vertex, their sum is 1
};

// Bodies that share a mesh, drawn at once.
struct DrawMesh {
    struct Instance {
        uint32_t firstCluster;       // in Slot::ClusterPose and Slot::ClusterRest
        std::array<float, 3> color;  // linear RGB
    };
    MeshArrays arrays;
    std::vector<Instance> instances;
};

// A body of cloth: a run of Slot::ClothIndex that makes a closed shell of its thickness. First the triangles
// of the front, then as many of the back, then the rim between them.
struct DrawCloth {
    uint32_t first = 0, frontIndices = 0, indices = 0;
    float thickness = 0.05f;                           // [m]
    float checker = 0;                                 // [m] side of the squares of a checker; 0: plain
    std::array<float, 3> color{1, 1, 1};               // linear RGB
    std::array<float, 3> backColor{0.5f, 0.5f, 0.5f};  // linear RGB
};

// A body of rope: a run of Slot::RopeIndex.
struct DrawRope {
    uint32_t first = 0, indices = 0;
    std::array<float, 3> color{1, 1, 1};               // linear RGB, of one strand
    std::array<float, 3> backColor{0.5f, 0.5f, 0.5f};  // linear RGB, of the other
};

// A collision shape as drawn: solid, or (container) only its inside and edges.
struct DrawShape {
    enum class Kind : uint8_t { Plane, Box, Sphere, Capsule, Mesh };
    Kind kind = Kind::Plane;
    bool container = false;
    bool visible = true;
    std::array<float, 3> position{};                     // [m] center; for a plane a point on it
    std::array<float, 4> rotation{0, 0, 0, 1};           // unit quaternion x y z w, world from shape
    std::array<float, 3> halfExtents{0.5f, 0.5f, 0.5f};  // box: half sizes [m]
    float radius = 0.5f;                                 // sphere, capsule [m]
    float halfLength = 0.5f;              // capsule: half distance of the end centers along its y axis [m]
    MeshArrays mesh{};                    // mesh, in the shape's frame; drawn without matches
    std::array<float, 3> scale{1, 1, 1};  // mesh: along the axes of its frame [-]
    std::array<float, 3> color{0.62f, 0.60f, 0.57f};  // linear RGB
    float opacity = 1;  // [-] share of the light that it stops, seen face on; below 1 it is glass
};                      // a plane's normal is its y axis

// A run of Slot::Line, drawn over the finished picture: in one color, or each line by its value in the colors
// of a diverging map from −range to range.
struct DrawLines {
    uint32_t first = 0, count = 0;
    std::array<float, 3> color{1, 1, 1};  // sRGB, as the legend's colors
    std::string name;                     // of what the lines show; with its unit where values color them
    float range = 0;                      // 0: one color
    bool sequential = false;              // values from 0 to range, in the map of quantities
    float lift = 0;      // [m] drawn so much nearer to the viewer, out of what surrounds them
    bool balls = false;  // each with a ball at its second end
};

// A few lines that come with the frame itself, drawn like those of Slot::Line.
struct DrawGizmo {
    std::array<float, 3> color{1, 1, 1};  // sRGB
    std::string name;
    std::vector<std::array<float, 3>> ends{};  // [m] two for each line
};

struct RenderFrame {
    uint64_t step = 0;                                              // simulation step index
    double time = 0;                                                // [s] simulated
    uint32_t particles = 0;                                         // elements in each particle slot
    bool ellipsoids = false;                                        // PosSmooth and Aniso1..3 are filled
    std::array<float, 3> boundsMin{-1, 0, -1}, boundsMax{1, 1, 1};  // [m] of what moves
    std::vector<DrawMaterial> materials;
    std::vector<DrawShape> shapes;
    std::vector<DrawMesh> meshes;
    std::vector<DrawCloth> cloth;
    std::vector<DrawRope> ropes;
    std::vector<uint32_t> meshGroups;  // a bit per group: one of these shows its particles (Surface mode)
    std::vector<DrawLines> lines;
    std::vector<DrawGizmo> gizmos;
    bool scaleBar = false;     // a bar of a round length, at the distance of what the camera looks at
    bool meshNormals = false;  // of the triangles of all meshes, as lines
    // the debug quantity in Slot::Scalar
    std::string scalarName = "speed";
    std::string scalarUnit = "m/s";
    std::array<float, 2> scalarRange{0, 1};          // of the colors below
    std::vector<std::array<float, 3>> scalarColors;  // linear RGB at even steps; empty: the map of quantities
    // the same of Slot::Dye
    std::array<float, 2> dyeRange{0, 1};
    std::vector<std::array<float, 3>> dyeColors;
};

}  // namespace coalesce
