// In units of d. By symmetry the kernels of a layer are equal, and have one axis along the normal y.
#include "sim/surface/flat_surface.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/surface/color_field.h"

namespace coalesce {

namespace {

struct Layer {
    double y;                   // height; the surface is at 0
    double normal, tangential;  // radii of its kernels
};

// visit(x, y, w) for the particles around one of layer k, relative to it
template <class Visit>
void forEachNeighbor(const std::vector<Layer>& layers, size_t k, double radius, Visit&& visit) {
    const int reach = int(radius);
    for (const Layer& other : layers)
        for (int z = -reach; z <= reach; ++z)
            for (int x = -reach; x <= reach; ++x) {
                const double y = other.y - layers[k].y, q = std::sqrt(x * x + y * y + z * z) / radius;
                if (q < 1) visit(x, y, 1 - q * q * q);
            }
}

// As FitAnisotropic does for a particle.
void fitLayer(std::vector<Layer>& layers, size_t k, double radius) {
    double weight = 0, mean = 0, normal = 0, tangential = 0;
    forEachNeighbor(layers, k, radius, [&](double, double y, double w) { weight += w, mean += w * y; });
    mean /= weight;
    forEachNeighbor(layers, k, radius, [&](double x, double y, double w) {
        normal += w * (y - mean) * (y - mean), tangential += w * x * x;
    });
    const double reference = weight * EllipsoidShape::kReference * radius * radius;
    const double least = EllipsoidShape::kFlattest * std::max(normal, tangential) / reference;
    const auto radiusOf = [&](double variance) {
        const double length = std::clamp(std::sqrt(std::max(variance / reference, least)),
                                         double(EllipsoidShape::kShortest), double(EllipsoidShape::kLongest));
        return radius * std::min(length, 1.0);
    };
    layers[k].normal = radiusOf(normal);
    layers[k].tangential = radiusOf(tangential);
}

double colorAt(const std::vector<Layer>& layers, double radius, double px, double py, double pz) {
    const int reach = int(radius) + 1;
    double color = 0;
    for (const Layer& layer : layers)
        for (int z = -reach; z <= reach; ++z)
            for (int x = -reach; x <= reach; ++x) {
                const double along = ((px - x) * (px - x) + (pz - z) * (pz - z)) /
                                     (layer.tangential * layer.tangential),
                             across = (py - layer.y) / layer.normal,
                             t = std::max(1 - along - across * across, 0.0);
                color += kPoly6 / (layer.tangential * layer.tangential * layer.normal) * t * t * t;
            }
    return color;
}

}  // namespace

FlatSurface measureFlatSurface(double radius, bool anisotropic) {
    // the field at the first layer has kernels down to R, and these have neighbors down to 2 R
    std::vector<Layer> layers(size_t(2 * radius) + 2);
    for (size_t k = 0; k < layers.size(); ++k) {
        const double y = -(double(k) + 0.5);
        layers[k] = {y, radius, radius};
    }
    if (anisotropic)
        for (size_t k = 0; double(k) <= radius; ++k) fitLayer(layers, k, radius);
    // mean over a unit of the lattice
    constexpr int kSamples = 8;
    double level = 0;
    for (int i = 0; i < kSamples * kSamples; ++i)
        level += colorAt(layers, radius, (i % kSamples + 0.5) / kSamples, 0, (i / kSamples + 0.5) / kSamples);
    return {float(level / (kSamples * kSamples)), float(colorAt(layers, radius, 0, layers[0].y, 0))};
}

}  // namespace coalesce
