// OpenGL fixed-function state of a pass.
#pragma once

#include "render/gl/gl.h"

namespace coalesce {

// Fixed-function state of a pass; everything not set is off.
struct FixedState {
    bool depthTest = false, depthWrite = false;
    bool blend = false;
    GLenum source = GL_ONE, destination = GL_ONE;
    GLenum cull = GL_NONE;
    bool depthClamp = false;
};

void apply(const FixedState& s);

// Hides what the vertex shader puts beyond the clip plane; in a
// vertex shader that writes gl_ClipDistance only.
class Clipping {
public:
    Clipping() { glEnable(GL_CLIP_DISTANCE0); }
    ~Clipping() { glDisable(GL_CLIP_DISTANCE0); }
    Clipping(const Clipping&) = delete;
    Clipping& operator=(const Clipping&) = delete;
};

// Draws over the image without changing alpha: draw(hidden) first for occluded parts, then for visible ones.
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

}  // namespace coalesce
