// The inside of the renderer: its programs, maps and passes. Included by the files that implement it, by
// nobody else.
#pragma once

#include <array>
#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "render/gl/mesh_store.h"
#include "render/renderer/pass_timer.h"
#include "render/renderer/renderer.h"

namespace coalesce {

constexpr int kShadowSize = 2048;     // [px] of the solid shadow map
constexpr int kLightSize = 512;       // [px] of the liquid's light maps
constexpr int kGlassSize = 1024;      // [px] of the map of light through glass
constexpr int kLiquids = 8;           // liquids with a surface of their own, as in shaders/view.glsl
constexpr int kGrainsBit = kLiquids;  // bit of pass masks
constexpr int kMaxPlanes = 8;
constexpr int kTile = 16;  // [px] as in shaders/tile.vert and filter_plane.comp
constexpr int kLiquidMask = (1 << kLiquids) - 1;
constexpr int kEverything = kLiquidMask | 1 << kGrainsBit;
constexpr float kDrawRadius = 0.85f;    // [d] of liquids
constexpr float kReach720 = 32;         // [px] largest filter radius in a picture 720 high
constexpr float kSmallestSplat = 0.7f;  // [px] radius below which particles are enlarged

// As in shaders/view.glsl.
struct ViewBlock {
    glm::mat4 view, projection, viewInverse, projectionInverse, viewProjection, light;
    glm::vec4 size, clip, eye, sun, lightRange, ground;
};

struct MaterialBlock {
    glm::vec4 color, absorption, scatter, look;
    glm::ivec4 kind;
};

struct ShapeBlock {
    glm::vec4 position, rotation, halfExtents, color, look;
};

// As in shaders/mesh.glsl.
struct InstanceBlock {
    glm::vec4 position{0}, rotation{0}, scale{1}, color{0};
    glm::uvec4 cluster{0};
};

// One draw call: a mesh and its run of the instances.
struct MeshCall {
    const GpuMesh* mesh;
    const MeshArrays* arrays;
    size_t first, count;
    bool body;              // placed by matches; else by the pose of its instance
    bool allEdges = false;  // in wire view, else the sharp ones
};

inline glm::vec3 vec(const std::array<float, 3>& a) {
    return {a[0], a[1], a[2]};
}

inline glm::quat rotationOf(const DrawShape& shape) {
    const auto& q = shape.rotation;
    return glm::normalize(glm::quat(q[3], q[0], q[1], q[2]));
}

inline int groupsOf(int count, int size) {
    return (count + size - 1) / size;
}

// What the maps of a picture depend on.
struct TargetSize {
    int width, height;
    int divisor;  // full size / size of the thickness map
    int liquids;  // surfaces, at least 1
    bool dyed;    // a liquid has a dye
    bool several() const { return liquids > 1; }
    bool operator==(const TargetSize&) const = default;
};

// Everything whose size depends on the picture's.
struct Targets : TargetSize {
    gl::Texture sceneColor, sceneDepth, copyColor, copyDepth;
    // eye z [m]: of each liquid; filtered, of several then also the nearest
    gl::TextureArray raw, droplets, surfaces;
    gl::Texture fluidDepth, eyeA, eyeB, nearest, nearestDroplets, radii;
    gl::Texture covered;  // squares of kTile pixels that show liquid
    // [m] of each liquid and, where there are several, of it before the next surface; optical depth of its
    // dye
    gl::TextureArray thickness, dyes;
    gl::Texture thicknessB, dyesB, thicknessDepth, nextSurface;
    gl::Texture normal, ldr;
    gl::Framebuffer scene, behind, copy, thicknessTest, display;
    std::vector<gl::Framebuffer> eyes, thicknesses;  // one for each liquid

    explicit Targets(const TargetSize& of) : Targets(of, of.width, of.height, of.divisor) {}

private:
    Targets(const TargetSize& of, int w, int h, int d)
        : TargetSize(of),
          sceneColor(GL_RGBA16F, w, h, GL_LINEAR),
          sceneDepth(GL_DEPTH_COMPONENT32F, w, h),
          copyColor(GL_RGBA16F, w, h, GL_LINEAR),
          copyDepth(GL_DEPTH_COMPONENT32F, w, h),
          raw(GL_R32F, w, h, of.liquids),
          droplets(GL_R8, w, h, of.liquids),
          surfaces(GL_R32F, w, h, of.several() ? of.liquids + 1 : 1),
          fluidDepth(GL_DEPTH_COMPONENT32F, w, h),
          eyeA(GL_R32F, w, h),
          eyeB(GL_R32F, w, h),
          nearest(GL_R32F, of.several() ? w : 1, of.several() ? h : 1),
          nearestDroplets(GL_R8, of.several() ? w : 1, of.several() ? h : 1),
          radii(GL_R32F, of.several() ? w : 1, of.several() ? h : 1),
          covered(GL_R8UI, groupsOf(w, kTile), groupsOf(h, kTile)),
          // 32 bits: in 16 a pool of a meter would round away the contributions of millimeter particles
          thickness(of.several() ? GL_RG32F : GL_R32F, groupsOf(w, d), groupsOf(h, d), of.liquids, GL_LINEAR),
          dyes(GL_RGBA32F, of.dyed ? groupsOf(w, d) : 1, of.dyed ? groupsOf(h, d) : 1, of.liquids, GL_LINEAR),
          thicknessB(of.several() ? GL_RG32F : GL_R32F, groupsOf(w, d), groupsOf(h, d)),
          dyesB(GL_RGBA32F, of.dyed ? groupsOf(w, d) : 1, of.dyed ? groupsOf(h, d) : 1),
          thicknessDepth(GL_DEPTH_COMPONENT32F, groupsOf(w, d), groupsOf(h, d)),
          nextSurface(GL_R32F, groupsOf(w, d), groupsOf(h, d)),
          ldr(GL_RGBA8, w, h, GL_LINEAR),
          scene({&sceneColor}, &sceneDepth),
          behind({&sceneColor}, &copyDepth),  // the scene with the depth it had before the last liquid
          copy({&copyColor}, &copyDepth),
          thicknessTest({&nextSurface}, &thicknessDepth),
          display({&ldr}, &sceneDepth) {
        for (int k = 0; k < liquids; ++k) {
            eyes.push_back(gl::Framebuffer({&raw.layer(k), &droplets.layer(k)}, &fluidDepth));
            thicknesses.push_back(
                of.dyed ? gl::Framebuffer({&thickness.layer(k), &dyes.layer(k)}, &thicknessDepth)
                        : gl::Framebuffer({&thickness.layer(k)}, &thicknessDepth));
        }
    }
};

// Fixed-function state of a pass; everything not named is off.
struct FixedState {
    bool depthTest = false, depthWrite = false;
    bool blend = false;
    GLenum source = GL_ONE, destination = GL_ONE;
    GLenum cull = GL_NONE;
    bool depthClamp = false;
};

void apply(const FixedState& s);

// Over the picture, whose alpha stays: draw(hidden) first for what something hides, then for what is seen.
template <class Draw>
void drawOver(bool writesDepth, Draw&& draw) {
    for (const bool hidden : {true, false}) {
        apply({.depthTest = !hidden,
               .depthWrite = writesDepth && !hidden,
               .blend = true,
               .source = GL_SRC_ALPHA,
               .destination = GL_ONE_MINUS_SRC_ALPHA});
        glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_FALSE);
        draw(hidden);
    }
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
}

struct Renderer::State {
    gl::ShaderLibrary library;

    // programs, each named by what it draws
    gl::Program backdrop, shapeLit, shapeShadow, shapeContainer, line;
    gl::Program meshLit, meshShadow, meshContainer, meshLine;
    gl::Program clothLit, clothShadow, clothLine, ropeLit, ropeShadow, valueLine;
    gl::Program ball, meshNormal;
    gl::Program grains, grainShadow, debugParticles;
    gl::Program eyeSphere, eyeEllipsoid, farSphere, farEllipsoid, thickness, lightThickness, thicknessDyed,
        lightDyed;
    gl::Program halfDepth, filterAxis, filterPlane, nearestSurface, thicknessBlur, normal;
    std::map<std::string, gl::Program> composites;  // by what they leave out, built when first wanted
    gl::Program eyeSurroundings;
    gl::Program shapeGlass, shapeGlassFar, meshGlass, shapeGlassLight, meshGlassLight, bufferView;
    gl::Program valueRange, tonemap, legend, resolve;
    std::vector<gl::Program*> programs;  // all of them

    gl::Buffer cameraBlock{sizeof(ViewBlock)}, lightBlock{sizeof(ViewBlock)};
    gl::Buffer materials, shapes, segments, gizmoEnds, legendVertices;
    gl::Buffer meshInstances, meshGroups;
    MeshStore meshStore;
    gl::Buffer surroundings{kLiquids * sizeof(uint32_t)}, range{2 * sizeof(uint32_t)}, zeros;
    gl::VertexArray empty, splats, lines, flat, meshes, meshEdges, cloth, ropes;

    gl::Texture shadow{GL_DEPTH_COMPONENT32F, kShadowSize, kShadowSize, GL_LINEAR};
    gl::Texture lightTau{GL_RGBA32F, kLightSize, kLightSize, GL_LINEAR};
    gl::Texture lightFluidDepth{GL_R32F, kLightSize, kLightSize, GL_LINEAR};
    gl::Framebuffer shadowBuffer{{}, &shadow};
    gl::Framebuffer lightBuffer{{&lightTau, &lightFluidDepth}, nullptr};
    // light through glass: optical depth per channel, and how far from the sun the first glass is; made when
    // there is some
    gl::Texture lightGlass;
    gl::Framebuffer lightGlassBuffer;
    gl::Texture emptyMap{GL_R32F, 1, 1};
    gl::Sampler plainSampler;
    std::unique_ptr<Targets> targets;
    PassTimer timer;

    // of the draw in progress
    const RenderFrame* frame = nullptr;
    const GlBuffers* buffers = nullptr;
    DrawOptions options;
    OutputTarget output;
    ViewBlock camera{}, light{};
    float lookDistance = 1;                                     // [m] from the eye to what it looks at
    uint32_t count = 0;                                         // particles
    bool smooth = false;                                        // smoothed positions are there and wanted
    std::vector<int> liquids;                                   // materials, each gives a pass its look
    bool dyed = false, turbid = false, rough = false;           // one of them is
    std::vector<const DrawShape*> solids, containers, glasses;  // in this order in the shape buffer
    std::vector<glm::vec3> glassPlaces;                         // [m] of glassMeshes
    int segmentCount = 0;                                       // outlines
    size_t meshGroupWords = 0;
    std::vector<MeshCall> solidMeshes, containerMeshes, glassMeshes, outlinedMeshes;
    std::pair<float, float> shownRange{0, 1};
    std::optional<float> shownFloor;
    bool hasLiquid = false, hasGrains = false, showsParticles = false;
    bool fluidDrawn = false;

    explicit State(gl::ShaderLibrary shaders);
    void draw(const Camera& from);

    // preparation: what this frame holds
    void prepare();
    void prepareMaterials();
    void prepareShapes();
    void prepareMeshes();
    std::pair<glm::vec3, glm::vec3> boundsOf(const DrawShape& shape);
    void prepareCount();
    std::pair<glm::vec3, glm::vec3> casterBounds();
    void prepareViews(const Camera& from);
    std::optional<float> floorHeight();
    bool hasGround() const;

    // tools of the passes
    void useView(const gl::Buffer& block);
    void target(const gl::Framebuffer& framebuffer, int width, int height);
    void fullscreen(const gl::Program& program);
    void splat(const gl::Program& program, int mask, bool particleRadius = false);
    void drawShapes(const gl::Program& program, size_t first, size_t number);
    void drawMeshes(const gl::Program& program, const std::vector<MeshCall>& calls);
    void bindMesh(const gl::Program& program, const MeshCall& call);
    void drawGlass();
    void drawOutlines();
    bool hasCloth() const, hasRopes() const;
    void drawCloth(const gl::Program& program);
    void drawClothEdges();
    void drawRopes(const gl::Program& program);
    void drawEdges(glm::vec4 color);
    ColorBy shownQuantity() const;
    const DrawLines* linesByValue() const;

    // passes of the scene
    void drawSolidShadow();
    void drawLightThickness();
    void drawGlassLight();
    void drawOpaque();
    void setPlanes();
    void toneMap();
    void resolveOutput();

    // passes of a liquid
    bool eyeNearLiquid() const;
    bool hasSolids() const;
    void countAroundEye();
    const DrawMaterial& lookOf(int pass) const {
        return frame->materials[static_cast<size_t>(liquids[static_cast<size_t>(pass)])];
    }
    void drawLiquids();
    void setLiquids(const gl::Program& program) const;
    void setDye(const gl::Program& program) const;
    void drawEyeDepth(int pass);
    void copyScene();
    void filterDepth(const gl::Texture& raw, const gl::Texture& droplets, const gl::Texture& result,
                     float radius, int liquid);
    void findNearestSurface();
    std::pair<glm::ivec2, glm::ivec2> shownExtent() const;
    void drawThickness(int pass);
    const gl::Program& compositeProgram();
    void compositeFluid(int rank);

    // passes of the debug views
    void drawDebugParticles();
    void drawBalls();
    void drawDebugLines();
    void drawMeshNormals();
    void drawGizmos();
    void showBuffer();
    const gl::Texture* findMap(std::string_view name, int& channels);
    void drawScaleBar();
    void drawFlat(const std::vector<glm::vec4>& vertices);
    void setPalette(const gl::Program& program, std::span<const std::array<float, 3>> colors) const;
    std::pair<float, float> measureRange(ColorBy quantity);
    void drawLegend();
};

}  // namespace coalesce
