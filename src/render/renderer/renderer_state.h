// Internals of the renderer: programs, textures, passes. Included only by the files of this folder.
#pragma once

#include <array>
#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "render/frame/legend.h"
#include "render/gl/mesh_store.h"
#include "render/renderer/fixed_state.h"
#include "render/renderer/gpu_blocks.h"
#include "render/renderer/pass_timer.h"
#include "render/renderer/render_targets.h"
#include "render/renderer/renderer.h"

namespace coalesce {

constexpr int kShadowSize = 2048;         // [px] solid shadow map
constexpr int kLightSize = 512;           // [px] light maps of liquids
constexpr int kCausticCells = 256;        // along each side of the light map
constexpr int kGlassSize = 1024;          // [px] light map of glass
constexpr int kLiquids = 8;               // number of separate liquid surfaces, as in shaders/view.glsl
constexpr int kGrainsBit = kLiquids;      // bit in pass masks
constexpr int kSmokeBit = kLiquids + 1;   // of gases drawn as sprites, as in shaders/view.glsl
constexpr int kHiddenBit = kLiquids + 2;  // of gases that only the Particles mode draws
constexpr int kUnseenBit = kLiquids + 3;  // of gases that nothing draws
constexpr int kMaxPlanes = 8;
constexpr int kLiquidMask = (1 << kLiquids) - 1;
constexpr int kEverything = kLiquidMask | 1 << kGrainsBit | 1 << kSmokeBit | 1 << kHiddenBit;
constexpr float kDrawRadius = 0.85f;    // [d] of liquids
constexpr float kPointRadius = 0.12f;   // [d] of gases drawn as points
constexpr float kPuffRadius = 0.9f;     // [d] at least, of gases drawn as smoke, so that they leave no gaps
constexpr float kReach720 = 32;         // [px] largest filter radius for an image height of 720
constexpr float kSmallestDisc = 1;      // [px] of foam and smoke: covers a pixel center wherever it lies
constexpr float kGroundAlbedo = 0.24f;  // of the plain ground, as in shaders/environment.glsl
constexpr float kSmallestSplat = 0.7f;  // [px] radius below which particles are enlarged

// A draw call: a mesh and its range of instances.
struct MeshCall {
    const GpuMesh* mesh;
    const MeshArrays* arrays;
    size_t first, count;
    bool body;              // placed by clusters; else by the pose of the instance
    bool allEdges = false;  // all edges (wire view), else sharp ones only
};

inline glm::vec3 vec(const std::array<float, 3>& a) {
    return {a[0], a[1], a[2]};
}

inline glm::quat rotationOf(const DrawShape& shape) {
    const auto& q = shape.rotation;
    return glm::normalize(glm::quat(q[3], q[0], q[1], q[2]));
}

struct Renderer::State {
    gl::ShaderLibrary library;

    // programs, named after what they draw
    gl::Program backdrop, shapeLit, shapeShadow, shapeContainer, line;
    gl::Program meshLit, meshShadow, meshContainer, meshLine;
    gl::Program clothLit, clothShadow, clothLine, ropeLit, ropeShadow, valueLine;
    gl::Program ball, meshNormal;
    gl::Program grains, grainShadow, debugParticles;
    gl::Program eyeSphere, eyeEllipsoid, farSphere, farEllipsoid, thickness, lightThickness, thicknessDyed,
        lightDyed;
    gl::Program causticSurface, causticLanding, caustic;
    gl::Program eyeMesh, eyeDroplet, farMesh, meshedNormal;
    gl::Program halfDepth, filterAxis, filterDisc, filterPlane, nearestSurface, thicknessBlur, normal;
    std::map<std::string, gl::Program> composites;  // variants by their defines, built on first use
    gl::Program eyeSurroundings;
    gl::Program shapeGlass, meshGlass, meshGlassNearest, meshDepth, meshBack, shapeGlassLight, meshGlassLight;
    gl::Program bufferView;
    gl::Program occlusion, occlusionApply;
    gl::Program foam, smoke, smokeLight, smokeComposite;
    gl::Program valueRange, addToMean, encodeMean, tonemap, legend, resolve, lightOutput;
    std::vector<gl::Program*> programs;  // all of them

    gl::Buffer cameraBlock{sizeof(ViewBlock)}, lightBlock{sizeof(ViewBlock)};
    gl::Buffer materials, shapes, segments, gizmoEnds, legendVertices;
    gl::Buffer meshInstances, groupMasks, walls;
    MeshStore meshStore;
    gl::Buffer surroundings{kLiquids * sizeof(uint32_t)}, range{2 * sizeof(uint32_t)}, zeros;
    gl::VertexArray empty, splats, passives, lines, overlay, meshes, meshEdges, cloth, ropes, liquidMeshes;

    gl::Texture shadow{GL_DEPTH_COMPONENT32F, kShadowSize, kShadowSize, GL_LINEAR};
    gl::Texture lightTau{GL_RGBA32F, kLightSize, kLightSize, GL_LINEAR};
    gl::Texture lightFluidDepth{GL_R32F, kLightSize, kLightSize, GL_LINEAR};
    gl::Framebuffer shadowBuffer{{}, &shadow};
    gl::Framebuffer lightBuffer{{&lightTau, &lightFluidDepth}, nullptr};
    // light through glass: optical depth per color channel, and distance of the first glass from the sun;
    // created on first use
    gl::Texture lightGlass;
    gl::Framebuffer lightGlassBuffer;
    // nearest faces of a glass mesh, towards the viewer and away from it; created on first use
    gl::Texture glassFront, glassBack, glassBackDepth;
    gl::Framebuffer glassFrontBuffer, glassBackBuffer;
    // caustics: surface of the liquids from the sun before and after smoothing, where light lands, and its
    // irradiance; created on first use
    gl::Texture lightSurface[2], lightLanding, lightCaustics;
    gl::Framebuffer lightCausticsBuffer;
    // smoke: optical depth from the sun, first and negative last depth [m]; weighted colors and
    // transmittance. Created on first use
    gl::Texture lightSmoke, lightSmokeRange, smokeColor, smokePasses;
    gl::Framebuffer lightSmokeBuffer, smokeBuffer;
    gl::Texture
        mean;  // linear light of the draws of an image so far, divided by their number; created on first use
    gl::Framebuffer meanBuffer;
    gl::Texture emptyMap{GL_R32F, 1, 1};
    std::optional<Font> font;                                // of legends and labels
    gl::Texture glyphs;                                      // its atlas
    std::shared_ptr<const EnvironmentMap> shownEnvironment;  // that is in `environment`
    gl::Texture environment;
    gl::Sampler plainSampler;
    std::unique_ptr<Targets> targets;
    PassTimer timer;

    // state of the current frame
    const RenderFrame* frame = nullptr;
    const GlBuffers* buffers = nullptr;
    DrawOptions options;
    OutputTarget output;
    ViewBlock camera{}, light{};
    float lookDistance = 1;  // [m] from the eye to the look point
    float sceneDistance =
        1;  // [m] the same, or where a perspective camera would see as much as an orthographic one
    uint32_t count = 0;                                         // number of particles
    bool smooth = false;                                        // draw smoothed positions
    std::vector<int> liquids;                                   // material index of each liquid pass
    std::vector<int> liquidPass;                                // of each material; -1: no liquid
    bool dyed = false, turbid = false, rough = false;           // any liquid is
    std::vector<const DrawShape*> solids, containers, glasses;  // in this order in the shape buffer
    std::vector<const DrawShape*> glassMeshShapes;              // the shape of each glass mesh
    int segmentCount = 0;                                       // number of outline segments
    size_t groupMaskBytes = 0, wallBytes = 0;
    std::vector<MeshCall> solidMeshes, containerMeshes, glassMeshes, outlinedMeshes;
    std::pair<float, float> shownRange{0, 1};
    std::optional<float> shownFloor;
    int shownLegend = 0;  // [px] its width
    bool hasLiquid = false, hasGrains = false, hasSmokyGas = false, showsParticles = false;
    bool fluidDrawn = false, occlusionDrawn = false;

    explicit State(gl::ShaderLibrary shaders);
    void draw(const Camera& from);
    void drawPasses();

    // draw_setup.cpp
    void prepare();
    void prepareMaterials();
    int gasBit(const DrawMaterial& material) const;
    void prepareShapes();
    void prepareWalls();
    void bindWalls() const;  // for walls.glsl
    void prepareMeshes();
    void prepareCount();

    // view_setup.cpp
    void prepareViews(const Camera& from);
    void prepareEnvironment();
    void setEnvironment(ViewBlock& block, bool hasFloor) const;
    std::pair<glm::vec3, glm::vec3> boundsOf(const DrawShape& shape);
    std::pair<glm::vec3, glm::vec3> casterBounds();
    std::optional<float> floorHeight();
    bool hasGround() const;
    std::pair<glm::ivec2, glm::ivec2> shownExtent(glm::vec3 low, glm::vec3 high) const;

    // draw_calls.cpp
    void useView(const gl::Buffer& block);
    void target(const gl::Framebuffer& framebuffer, int width, int height);
    void fullscreen(const gl::Program& program);
    // place: of the particles of liquids
    void splat(const gl::Program& program, int mask, bool particleRadius = false,
               Slot place = Slot::PosSmooth);
    void drawShapes(const gl::Program& program, size_t first, size_t number);
    void drawMeshes(const gl::Program& program, const std::vector<MeshCall>& calls);
    void bindMesh(const gl::Program& program, const MeshCall& call);
    ColorBy shownQuantity() const;

    // cloth_passes.cpp
    bool hasCloth() const, hasRopes() const;
    void drawCloth(const gl::Program& program);
    void drawClothEdges();
    void drawRopes(const gl::Program& program);

    // light_passes.cpp
    void bindLightMaps();
    void beginLightMap(const gl::Framebuffer& map);
    void drawSolidShadow();
    void drawLightThickness();
    bool hasCaustics() const;
    void drawCaustics();
    void drawGlassLight();

    // scene_passes.cpp
    void drawOpaque();
    void drawContainers();
    void setPlanes();
    void drawGlass();
    void drawGlassMesh(const MeshCall& call, glm::ivec2 first, glm::ivec2 last);
    void copyBehindGlass(glm::ivec2 first, glm::ivec2 last);

    // occlusion_passes.cpp
    void drawOcclusion();

    // outline_passes.cpp
    void drawOutlines();
    void drawEdges(glm::vec4 color);

    // liquid_passes.cpp
    bool eyeNearLiquid() const;
    bool hasSolids() const;
    void countAroundEye();
    const DrawMaterial& liquidOf(int pass) const { return frame->materials[size_t(liquids[size_t(pass)])]; }
    void drawLiquids();
    void setLiquids(const gl::Program& program) const;
    void setDye(const gl::Program& program) const;
    bool hasLiquidMeshes() const;
    int dropsPerParticle() const;
    void drawLiquidMeshes(const gl::Program& program, int pass);
    void drawEyeDepth(int pass);
    void copyScene();
    void filterDepth(const gl::Texture& raw, const gl::Texture& droplets, const gl::Texture& result,
                     float radius, int liquid);
    void findNearestSurface();
    std::pair<glm::ivec2, glm::ivec2> movingExtent() const;
    void drawThickness(int pass);
    const gl::Program& compositeProgram();
    void compositeFluid(int rank);

    // foam_passes.cpp
    bool hasPassives() const;
    void drawPassives(const gl::Program& program);
    void drawSprites(const gl::Program& program, Slot position, Slot velocity, Slot tag, uint32_t number);
    const gl::Framebuffer& bindSurfaces(const gl::Program& program);
    void drawFoam();

    // smoke_passes.cpp
    bool hasMarkers() const, hasSmoke() const;
    void drawMarkers(const gl::Program& program);
    void drawSmokeLight();
    void drawSmoke();

    // output_passes.cpp
    bool hasAnnotations() const;
    bool accumulate(const gl::Texture& drawn, bool displayColors);
    void toneMap();
    void showMean();
    void resolveOutput();
    void resolveLight();

    // debug_passes.cpp
    void drawDebugParticles();
    std::pair<float, float> measureRange(ColorBy quantity);
    void drawBalls();
    const DrawLines* linesByValue() const;
    void drawDebugLines();
    void drawMeshNormals();
    void drawGizmos();

    // overlay_passes.cpp
    void setPalette(const gl::Program& program, std::span<const std::array<float, 3>> colors) const;
    void drawLegend();
    void drawScaleBar();
    void drawLabel();
    const Font& fontOf();
    void drawOverlay(const std::vector<LegendVertex>& vertices);
    void drawColorBar(glm::vec2 range, const std::string& title);

    // buffer_view.cpp
    void showBuffer();
    const gl::Texture* findBuffer(std::string_view name, int& channels);
};

}  // namespace coalesce
