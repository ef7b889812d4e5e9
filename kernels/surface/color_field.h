// Color field of a liquid, about 1 inside and 0 outside. Its surface is where the field has the value that it
// has at the flat surface of a filled half-space, about 1/2: src/sim/surface/flat_surface.h.
//
//     φ(x) = Σ_j V_j W_j(x − x_j),   W_j(r) = 315/(64π) det(G_j) (1 − |G_j r|²)³ for |G_j r| < 1
//                                                                                            [MCG03] eq. 20
//
// Isotropic kernels: G = 1/R. Anisotropic kernels [YT13]: G stretches space along the axes of the
// neighborhood (kernels/draw/ellipsoid.h), so that sheets and edges stay thin; none is longer than R. Differs
// from [YT13] 4.1, which also moves the particles to the means of their neighborhoods: that loses volume. The
// mesh is smoothed instead.
//
// V_j = d³ where the liquid is thick. A particle of a drop or of a sheet has a lower φ at its own place than
// one of a flat surface, φ_0; its V_j is the larger of d³ and s d³ φ_0/φ(x_j), s = kThinShare, so that lone
// drops have a surface, too.
//
// Particles are visited in the order of bins and ids.
#pragma once

#include "kernels/draw/ellipsoid.h"
#include "kernels/surface/surface_blocks.h"

namespace coalesce {

// shares of φ_0 below which a particle belongs to a thin part; flattened kernels keep sheets by themselves
constexpr float kThinShare = 0.87f, kThinShareAnisotropic = 0.7f;
constexpr float kPoly6 = 1.56668147f;    // 315/(64π)
constexpr float kReachMargin = 1.0001f;  // of bounding boxes, for rounding
constexpr float kLargestWeight = 20.0f;  // of φ_0/φ
// A block is interior if every particle in the bins around it has at least this φ, and every row of three of
// these bins has at least this share of the particles that it holds at rest density.
constexpr float kInteriorColor = 0.9f, kInteriorShare = 0.8f;

// Kernels of the particles, sorted by bin.
struct SurfaceKernels {
    View<Vec4> center;  // [m]; w: V_j 315/(64π) det(G) [-]
    View<Vec4> square;  // diagonal of GᵀG [1/m²]; isotropic kernels have x only
    View<Vec4> shear;   // xy, xz, yz of GᵀG [1/m²]; anisotropic kernels only
    View<Vec4> extent;  // half-size of the bounding box [m]
};

struct FitIsotropic {
    View<const Vec4> x;      // [m]
    SurfaceKernels kernels;  // written
    float radius;            // R [m]
    float spacing;           // d [m]
    HD void operator()(int i) const {
        const float q = spacing / radius;
        kernels.center[i] = vec4(xyz(x[i]), kPoly6 * q * q * q);
        const float inverse2 = 1 / (radius * radius);
        kernels.square[i] = {inverse2, inverse2, inverse2, 0};
        const float reach = kReachMargin * radius;
        kernels.extent[i] = {reach, reach, reach, 0};
    }
};

struct FitAnisotropic {
    View<const Vec4> x;        // [m]
    View<const Vec4> axis[3];  // of FitEllipsoids; w: half-length [m]
    SurfaceKernels kernels;    // written
    float radius;              // R [m]
    float spacing;             // d [m]

    HD void operator()(int i) const {
        // GᵀG = Σ a_k a_kᵀ/r_k², det G = 1/(r_1 r_2 r_3); the bounding box has half-size √(Σ r_k² a_k²)
        Vec3 square{0, 0, 0}, shear{0, 0, 0}, box{0, 0, 0};
        float volume = 1;
        for (int k = 0; k < 3; ++k) {
            const Vec3 a = xyz(axis[k][i]);
            const float length = axis[k][i].w / (FitEllipsoids::kDrawRadius * spacing);
            const float r = radius * min(length, 1.0f);
            const float r2 = r * r, inverse2 = 1 / r2;
            volume *= r;
            const Vec3 aa{a.x * a.x, a.y * a.y, a.z * a.z};
            square += inverse2 * aa;
            shear += inverse2 * Vec3{a.x * a.y, a.x * a.z, a.y * a.z};
            box += r2 * aa;
        }
        kernels.center[i] = vec4(xyz(x[i]), kPoly6 * (spacing * spacing * spacing) / volume);
        kernels.square[i] = vec4(square, 0.0f);
        kernels.shear[i] = vec4(shear, 0.0f);
        kernels.extent[i] = vec4(kReachMargin * Vec3{sqrt(box.x), sqrt(box.y), sqrt(box.z)}, 0.0f);
    }
};

// (1 − |G_j r|²)³, or 0 outside of the kernel, for lanes too.
template <bool kAnisotropic, class R>
HD R kernelValue(Vec3T<R> r, Vec4 square, Vec4 shear) {
    R q2;
    if constexpr (kAnisotropic) {
        const R diagonal = fma(R(square.z) * r.z, r.z, fma(R(square.y) * r.y, r.y, R(square.x) * r.x * r.x));
        const R mixed = fma(R(shear.z) * r.y, r.z, fma(R(shear.y) * r.x, r.z, R(shear.x) * r.x * r.y));
        q2 = diagonal + (mixed + mixed);
    } else {
        q2 = R(square.x) * fma(r.z, r.z, fma(r.y, r.y, r.x * r.x));
    }
    const R t = max(R(1.0f) - q2, R(0.0f));
    return t * t * t;
}

// V_j of thin parts: weight[j] = V_j/d³ of a particle by the color at its own place.
template <bool kAnisotropic>
struct WeighThinParts {
    View<const Vec4> center, square, shear;  // of SurfaceKernels
    NeighborLists neighbors;                 // of the particles
    View<float> weight;                      // written [-]
    View<uint32_t> interior;                 // written: 1: φ is at least kInteriorColor
    float layer;                             // φ_0
    HD void operator()(int i) const {
        const Vec4 c = center[i];
        float color = c.w;
        for (int k = 0; k < neighbors.count[i]; ++k) {
            const int j = neighbors.at(k, i, true);
            const Vec3 r = xyz(c) - xyz(center[j]);
            color = fma(center[j].w,
                        kernelValue<kAnisotropic>(r, square[j], kAnisotropic ? shear[j] : Vec4{}), color);
        }
        interior[i] = color >= kInteriorColor;
        weight[i] =
            clamp((kAnisotropic ? kThinShareAnisotropic : kThinShare) * layer / color, 1.0f, kLargestWeight);
    }
};
struct ApplyWeights {
    View<const float> weight;
    View<Vec4> center;
    HD void operator()(int i) const { center[i].w *= weight[i]; }
};

// Marks the blocks that lie so far inside the liquid that no surface passes through them.
struct MarkInteriorBlocks {
    View<const RowRange> rows;       // kRows per bin
    View<const uint32_t> candidate;  // per block
    View<const uint32_t> interior;   // per particle
    View<uint32_t> interiorBlock;    // written
    float least;                     // number of particles in a row of three bins
    int blocksOfBin;

    HD void operator()(int i) const {
        const uint32_t bin = candidate[i] / static_cast<uint32_t>(blocksOfBin);
        interiorBlock[i] = 0;
        for (int row = 0; row < kRows; ++row) {
            const RowRange range = rows[bin * kRows + row];
            if (toFloat(static_cast<int>(range.end - range.begin)) < least) return;
        }
        for (int row = 0; row < kRows; ++row) {
            const RowRange range = rows[bin * kRows + row];
            for (uint32_t j = range.begin; j < range.end; ++j)
                if (interior[j] == 0) return;
        }
        interiorBlock[i] = 1;
    }
};

// φ at the nodes of all blocks; 1 in interior ones. Sixteen lanes are a 4 × 4 layer of a block.
template <bool kAnisotropic>
struct EvaluateColor {
    View<const Vec4> center, square, shear, extent;  // of SurfaceKernels
    View<const uint64_t> bins;
    View<const RowRange> rows;              // kRows per bin
    View<const uint32_t> candidate;         // per block
    View<const uint32_t> interiorBlock;     // per block
    View<const float> nodeX, nodeY, nodeZ;  // offset of a node in its block [cells]
    View<float> color;                      // written: kBlockNodes per block
    SurfaceGrid grid;

    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const int first = firstOf(i), local = first % kBlockNodes;
        if (interiorBlock[first / kBlockNodes]) {
            put(color, i, R(1.0f));
            return;
        }
        const SurfaceBlock b = blockOf(grid, bins, candidate[first / kBlockNodes]);
        const Vec3 base{toFloat(b.node[0]), toFloat(b.node[1]), toFloat(b.node[2])};
        const Vec3T<R> x{R(grid.cell) * (R(base.x) + offset<I>(nodeX, local)),
                         R(grid.cell) * (R(base.y) + offset<I>(nodeY, local)),
                         R(grid.cell) * (R(base.z) + offset<I>(nodeZ, local))};
        // box of the lanes; a kernel whose box does not touch it adds 0
        const float wide = kWide<I> ? kBlockEdge - 1.0f : 0.0f;
        const Vec3 low{grid.cell * (base.x + nodeX[local]), grid.cell * (base.y + nodeY[local]),
                       grid.cell * (base.z + nodeZ[local])};
        const Vec3 high{grid.cell * (base.x + nodeX[local] + wide),
                        grid.cell * (base.y + nodeY[local] + wide), low.z};
        R sum(0.0f);
        for (int row = 0; row < kRows; ++row) {
            const RowRange range = rows[b.bin * kRows + row];
            for (uint32_t j = range.begin; j < range.end; ++j) {
                const Vec4 c = center[j], e = extent[j];
                if (fabsf(c.z - low.z) > e.z || c.x + e.x < low.x || c.x - e.x > high.x ||
                    c.y + e.y < low.y || c.y - e.y > high.y)
                    continue;
                const Vec3T<R> r{x.x - R(c.x), x.y - R(c.y), x.z - R(c.z)};
                sum = fma(R(c.w), kernelValue<kAnisotropic>(r, square[j], kAnisotropic ? shear[j] : Vec4{}),
                          sum);
            }
        }
        put(color, i, sum);
    }

private:
    template <class I>
    static constexpr bool kWide = std::is_same_v<I, LaneIndex>;
    static HD int firstOf(int i) { return i; }
    static HD int firstOf(LaneIndex i) { return i.first; }
    template <class I>
    static HD RealOf<I> offset(View<const float> table, int local) {
        if constexpr (kWide<I>)
            return table[LaneIndex{local}];
        else
            return table[local];
    }
};

// A quantity of the particles at points near them: Σ_j w_j f_j / Σ_j w_j, w_j = V_j (1 − (r/R)²)³.
template <class T>
struct Interpolate {
    View<const Vec4> point;    // [m]
    View<const uint32_t> bin;  // of each point
    View<const RowRange> rows;
    View<const Vec4> center;      // of SurfaceKernels
    View<const uint32_t> source;  // sorted particle → particle of the input
    View<const T> quantity;       // per particle of the input
    View<T> value;                // written per point
    float inverseRadius2;         // 1/R² [1/m²]

    HD void operator()(int i) const {
        const Vec3 x = xyz(point[i]);
        T sum{};
        float weight = 0;
        for (int row = 0; row < kRows; ++row) {
            const RowRange range = rows[bin[i] * kRows + row];
            for (uint32_t j = range.begin; j < range.end; ++j) {
                const Vec3 r = x - xyz(center[j]);
                const float t = 1 - inverseRadius2 * dot(r, r);
                if (t <= 0) continue;
                const float w = t * t * t;
                addTo(sum, w, quantity[source[j]]);
                weight += w;
            }
        }
        value[i] = weight > 0 ? scaled(1 / weight, sum) : sum;
    }

private:
    static HD void addTo(float& sum, float w, float f) { sum = fma(w, f, sum); }
    static HD void addTo(Vec4& sum, float w, Vec4 f) {
        sum = {fma(w, f.x, sum.x), fma(w, f.y, sum.y), fma(w, f.z, sum.z), 0};
    }
    static HD float scaled(float s, float a) { return s * a; }
    static HD Vec4 scaled(float s, Vec4 a) { return {s * a.x, s * a.y, s * a.z, 0}; }
};

}  // namespace coalesce
