#include "render/gl/gl_buffers.h"

namespace coalesce {

void GlBuffers::reserve(Slot slot, size_t bytes) {
    if (at(slot).buffer.reserve(bytes)) ++at(slot).generation;
}

void GlBuffers::upload(Slot slot, const void* data, size_t bytes) {
    if (at(slot).buffer.upload(data, bytes)) ++at(slot).generation;
}

}  // namespace coalesce
