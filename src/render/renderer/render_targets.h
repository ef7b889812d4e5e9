// Intermediate textures and framebuffers of a frame.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "render/gl/gl.h"

namespace coalesce {

constexpr int kTile = 16;  // [px] as in shaders/tile.vert and filter_plane.comp

constexpr int kBlurLevels = 5;  // of the scene seen through liquids

inline int groupsOf(int count, int size) {
    return (count + size - 1) / size;
}

// Parameters that determine the render targets.
struct TargetSize {
    int width, height;
    int divisor;  // full size / size of the thickness map
    int liquids;  // number of surfaces, at least 1
    bool dyed;    // any liquid has a dye
    bool meshed;  // liquids are drawn from surface meshes
    bool several() const { return liquids > 1; }
    bool operator==(const TargetSize&) const = default;
};

// Render targets whose size depends on the image size.
struct Targets : TargetSize {
    gl::Texture sceneColor, sceneDepth, copyColor, copyDepth;
    // eye z [m] per liquid; filtered, with several liquids also of the nearest surface
    gl::TextureArray raw, droplets, surfaces;
    gl::TextureArray meshNormals;  // of surface meshes in eye space, per liquid
    gl::Texture fluidDepth, eyeA, eyeB, nearest, nearestDroplets, radii;
    gl::Texture covered;  // tiles of kTile pixels that contain liquid
    // [m] per liquid and, with several liquids, up to the next surface; optical depth of its dye
    gl::TextureArray thickness, dyes;
    gl::Texture thicknessB, dyesB, thicknessDepth, nextSurface;
    gl::Texture normal, ldr;
    gl::Texture occlusion;  // half size: light from all around that arrives, eye z [m]
    gl::Framebuffer scene, behind, copy, openness, thicknessTest, display;
    std::vector<gl::Framebuffer> eyes, thicknesses;  // one per liquid

    explicit Targets(const TargetSize& of) : Targets(of, of.width, of.height, of.divisor) {}

private:
    Targets(const TargetSize& of, int w, int h, int d)
        : TargetSize(of),
          sceneColor(GL_RGBA16F, w, h, GL_LINEAR),
          sceneDepth(GL_DEPTH_COMPONENT32F, w, h),
          copyColor(GL_RGBA16F, w, h, GL_LINEAR,
                    std::min(kBlurLevels, int(std::bit_width(unsigned(std::min(w, h)))))),
          copyDepth(GL_DEPTH_COMPONENT32F, w, h),
          raw(GL_R32F, w, h, of.liquids),
          droplets(GL_R8, w, h, of.liquids),
          surfaces(GL_R32F, w, h, of.several() ? of.liquids + 1 : 1),
          meshNormals(GL_RGBA16F, of.meshed ? w : 1, of.meshed ? h : 1, of.liquids),
          fluidDepth(GL_DEPTH_COMPONENT32F, w, h),
          eyeA(GL_R32F, w, h),
          eyeB(GL_R32F, w, h),
          nearest(GL_R32F, of.several() ? w : 1, of.several() ? h : 1),
          nearestDroplets(GL_R8, of.several() ? w : 1, of.several() ? h : 1),
          radii(GL_R32F, of.several() ? w : 1, of.several() ? h : 1),
          covered(GL_R8UI, groupsOf(w, kTile), groupsOf(h, kTile)),
          // 32 bits: 16 would round off the contributions of millimeter particles in a pool of a meter
          thickness(of.several() ? GL_RG32F : GL_R32F, groupsOf(w, d), groupsOf(h, d), of.liquids, GL_LINEAR),
          dyes(GL_RGBA32F, of.dyed ? groupsOf(w, d) : 1, of.dyed ? groupsOf(h, d) : 1, of.liquids, GL_LINEAR),
          thicknessB(of.several() ? GL_RG32F : GL_R32F, groupsOf(w, d), groupsOf(h, d)),
          dyesB(GL_RGBA32F, of.dyed ? groupsOf(w, d) : 1, of.dyed ? groupsOf(h, d) : 1),
          thicknessDepth(GL_DEPTH_COMPONENT32F, groupsOf(w, d), groupsOf(h, d)),
          nextSurface(GL_R32F, groupsOf(w, d), groupsOf(h, d)),
          ldr(GL_RGBA16F, w, h, GL_LINEAR),
          occlusion(GL_RGBA32F, groupsOf(w, 2), groupsOf(h, 2)),
          scene({&sceneColor}, &sceneDepth),
          behind({&sceneColor}, &copyDepth),  // scene color with the depth before the last liquid
          copy({&copyColor}, &copyDepth),
          openness({&occlusion}, nullptr),
          thicknessTest({&nextSurface}, &thicknessDepth),
          display({&ldr}, &sceneDepth) {
        for (int k = 0; k < liquids; ++k) {
            eyes.push_back(
                of.meshed
                    ? gl::Framebuffer({&raw.layer(k), &droplets.layer(k), &meshNormals.layer(k)}, &fluidDepth)
                    : gl::Framebuffer({&raw.layer(k), &droplets.layer(k)}, &fluidDepth));
            thicknesses.push_back(
                of.dyed ? gl::Framebuffer({&thickness.layer(k), &dyes.layer(k)}, &thicknessDepth)
                        : gl::Framebuffer({&thickness.layer(k)}, &thicknessDepth));
        }
    }
};

}  // namespace coalesce
