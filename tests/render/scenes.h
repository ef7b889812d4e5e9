// Particles with a known surface, and their ellipsoids computed in double: the reference shares no code with
// the renderer or the solver.
#pragma once

#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <string>
#include <vector>

#include "render/renderer/renderer.h"

namespace coalesce::test {

struct Particles {
    std::vector<glm::vec4> position, smooth, axis1, axis2, axis3, velocity;
    std::vector<uint32_t> phase;
    std::vector<float> scalar;
    size_t size() const { return position.size(); }
    void add(glm::dvec3 x, uint32_t phaseBits = 0, glm::vec3 v = {});
};

// Height of the reference surface: waves, a crown around a hollow, and a ridge [m].
double surfaceHeight(double x, double z);
glm::dvec3 surfaceNormal(double x, double z);

// A jittered lattice below the surface, x in [-1,1], z in [-0.5,0.5]; about `number` particles. Returns the
// spacing d [m].
double fillPool(Particles& out, int number);

// A box of liquid on a regular lattice.
void fillBox(Particles& out, glm::dvec3 lower, glm::dvec3 upper, double spacing, uint32_t phaseBits = 0);

// Smoothed positions and axes, Yu and Turk 2013 with search radius h = supportRatio d.
void computeEllipsoids(Particles& particles, double spacing, double supportRatio = 2, bool planar = false);

// Uploads all arrays and returns a frame with one liquid of this spacing.
RenderFrame publish(const Particles& particles, GlBuffers& buffers, double spacing, bool ellipsoids);

// A surface mesh of a liquid, appended to those that the frame has; corners count from its first vertex.
struct LiquidArrays {
    std::vector<glm::vec4> position, normal;
    std::vector<uint32_t> index;
};
void addLiquidMesh(RenderFrame& frame, GlBuffers& buffers, LiquidArrays& all, uint32_t material,
                   const LiquidArrays& mesh);
// The surface of the pool above, as a grid with the true normals.
LiquidArrays poolMesh(int cells);
// Two triangles per side, normals of the sides.
LiquidArrays boxMesh(glm::vec3 lower, glm::vec3 upper);

DrawShape plane(float height = 0);
DrawShape box(glm::vec3 center, glm::vec3 half, bool container = false);

// Draws and reads back, rows from top to bottom.
std::vector<uint8_t> drawImage(Renderer& renderer, const RenderFrame& frame, const GlBuffers& buffers,
                               const Camera& camera, const DrawOptions& options, int width, int height);

// For inspection: writes RGBA8 rows from top to bottom.
void writePng(const std::string& path, const std::vector<uint8_t>& pixels, int width, int height);

}  // namespace coalesce::test
