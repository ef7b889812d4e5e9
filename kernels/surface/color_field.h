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
#include "kernels/search/neighbor_lists.h"
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
    View<const Vec4> x;       // [m]
    NeighborLists neighbors;  // within R
    SurfaceKernels kernels;   // written
    float radius;             // R [m]
    float spacing;            // d [m]

    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const Vec3T<R> xi = xyz(x[i]);
        Neighborhood<R> around;
        const R inverseRadius2(1 / (radius * radius));
        neighbors.forEach(i, [&](auto j, auto exists) {
            around.add(xyz(x[j]) - xi, inverseRadius2, select(exists, R(1.0f), R(0.0f)));
        });
        const Ellipsoid<R> e(around, radius, R(EllipsoidShape::full(radius, spacing)));
        // GᵀG = Σ a_k a_kᵀ/r_k², det G = 1/(r_1 r_2 r_3); the bounding box has half-size √(Σ r_k² a_k²)
        const R zero(0.0f);
        Vec3T<R> square{zero, zero, zero}, shear = square, box = square;
        R volume(1.0f);
        for (int k = 0; k < 3; ++k) {
            const Vec3T<R> a = e.axis[k];
            const R r = R(radius) * min(e.length[k], R(1.0f));
            const R r2 = r * r, inverse2 = R(1.0f) / r2;
            volume *= r;
            const Vec3T<R> aa{a.x * a.x, a.y * a.y, a.z * a.z};
            square += inverse2 * aa;
            shear += inverse2 * Vec3T<R>{a.x * a.y, a.x * a.z, a.y * a.z};
            box += r2 * aa;
        }
        put(kernels.center, i, vec4(xi, R(kPoly6 * (spacing * spacing * spacing)) / volume));
        put(kernels.square, i, vec4(square, zero));
        put(kernels.shear, i, vec4(shear, zero));
        put(kernels.extent, i, vec4(R(kReachMargin) * Vec3T<R>{sqrt(box.x), sqrt(box.y), sqrt(box.z)}, zero));
    }
};

// (1 − |G_j r|²)³, or 0 outside of the kernel, for lanes too.
template <bool kAnisotropic, class R, class S>
HD R kernelValue(Vec3T<R> r, Vec4T<S> square, Vec4T<S> shear) {
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

// visit(j, w) for the particles j of a row with w = (1 − |x − x_j|²/R²)³ > 0, in storage order.
template <class Visit>
HD void forEachWeight(Vec3 x, RowRange row, const SearchPositions& positions, float inverseRadius2,
                      Visit&& visit) {
#ifdef __CUDA_ARCH__
    for (uint32_t j = row.begin; j < row.end; ++j) {
        const Vec3 r = x - xyz(positions.points[j]);
        const float t = 1 - inverseRadius2 * dot(r, r);
        if (t > 0) visit(static_cast<int>(j), t * t * t);
    }
#else
    alignas(64) float weights[kLanes];
    for (uint32_t j = row.begin; j < row.end; j += kLanes) {
        const Vec3T<LaneFloat> r{LaneFloat(x.x) - loadFrom(&positions.x.data[j]),
                                 LaneFloat(x.y) - loadFrom(&positions.y.data[j]),
                                 LaneFloat(x.z) - loadFrom(&positions.z.data[j])};
        const LaneFloat t = LaneFloat(1.0f) - LaneFloat(inverseRadius2) * dot(r, r);
        uint32_t near = bitsOf(t > LaneFloat(0.0f));
        const uint32_t left = row.end - j;
        if (left < kLanes) near &= (1u << left) - 1;
        store(weights, LaneIndex{0}, t * t * t);
        for (; near != 0; near &= near - 1) {
            const int lane = lowestBit(near);
            visit(static_cast<int>(j) + lane, weights[lane]);
        }
    }
#endif
}

// Σ (1 − |x − x_j|²/R²)³ over the particles of the rows around a bin. Without a branch for each: sixteen sums, of
// every sixteenth particle of a row, and then their sum by halves.
HD float sumWeights(Vec3 x, const NeighborRows& rows, uint32_t bin, const SearchPositions& positions,
                    float inverseRadius2) {
    float sums[kLanes] = {};
#ifdef __CUDA_ARCH__
    for (int row = 0; row < kRows; ++row) {
        const RowRange range = rows.of(bin, row);
        for (uint32_t first = range.begin; first < range.end; first += kLanes)
#pragma unroll
            for (uint32_t k = 0; k < kLanes; ++k) {
                if (first + k >= range.end) continue;
                const Vec3 r = x - xyz(positions.points[first + k]);
                const float t = max(1 - inverseRadius2 * dot(r, r), 0.0f);
                sums[k] += t * t * t;
            }
    }
#else
    LaneFloat lanes(0.0f);
    for (int row = 0; row < kRows; ++row) {
        const RowRange range = rows.of(bin, row);
        for (uint32_t j = range.begin; j < range.end; j += kLanes) {
            const Vec3T<LaneFloat> r{LaneFloat(x.x) - loadFrom(&positions.x.data[j]),
                                     LaneFloat(x.y) - loadFrom(&positions.y.data[j]),
                                     LaneFloat(x.z) - loadFrom(&positions.z.data[j])};
            const LaneFloat t = max(LaneFloat(1.0f) - LaneFloat(inverseRadius2) * dot(r, r), LaneFloat(0.0f));
            const LaneMask exists =
                isBefore(LaneIndex{static_cast<int>(j)}, LaneInt(static_cast<int>(range.end)));
            lanes += select(exists, t * t * t, LaneFloat(0.0f));
        }
    }
    for (int k = 0; k < kLanes; ++k) sums[k] = lanes.bits[k];
#endif
    for (int half = kLanes / 2; half > 0; half /= 2)
        for (int k = 0; k < half; ++k) sums[k] += sums[k + half];
    return sums[0];
}

// V_j of thin parts: weight[j] = V_j/d³ of a particle by the color at its own place.
struct ThinParts {
    View<float> weight;  // written [-]
    View<int> interior;  // written: 1: φ is at least kInteriorColor
    float least;         // s φ_0
    template <class I>
    HD void put(I i, RealOf<I> color) const {
        using R = RealOf<I>;
        using N = IntOf<I>;
        coalesce::put(interior, i, select(color < R(kInteriorColor), N(0), N(1)));
        coalesce::put(weight, i, clamp(R(least) / color, R(1.0f), R(kLargestWeight)));
    }
};
// All kernels are equal, and each neighbor is visited once: lists would not pay.
struct WeighIsotropic {
    View<const Vec4> center, square;  // of SurfaceKernels
    SearchPositions positions;        // of the particles
    NeighborRows bins;                // rows around each particle
    ThinParts parts;
    HD void operator()(int i) const {
        const Vec4 c = center[i];
        parts.put(i, c.w * sumWeights(xyz(c), bins, bins.cellOf[i], positions, square[i].x));
    }
};
struct WeighAnisotropic {
    View<const Vec4> center, square, shear;  // of SurfaceKernels
    NeighborLists neighbors;
    ThinParts parts;
    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const Vec4T<R> c = center[i];
        const IntOf<I> count = neighbors.count[i];
        const R enough(max(kInteriorColor, parts.least));  // the sum only grows
        R color = c.w;
        for (int k = 0; any((k < count) & (color < enough)); ++k) {
            const auto exists = k < count;
            const IntOf<I> j = neighbors.at(k, i, exists);
            const Vec4T<R> other = center[j];
            const R value = kernelValue<true>(xyz(c) - xyz(other), square[j], shear[j]);
            color = select(exists, fma(other.w, value, color), color);
        }
        parts.put(i, color);
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
    View<const int> interior;        // per particle
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

// φ at the nodes of all blocks; 1 in interior ones. On the CPU a block at a time: its first lanes find the particles
// that reach it, and evaluate its four layers of sixteen nodes, which have x and y in common.
template <bool kAnisotropic>
struct EvaluateColor {
    View<const Vec4> center, square, shear, extent;  // of SurfaceKernels
    SearchPositions positions;                       // of the particles
    View<const uint64_t> bins;
    View<const RowRange> rows;              // kRows per bin
    View<const uint32_t> candidate;         // per block
    View<const uint32_t> interiorBlock;     // per block
    View<const float> nodeX, nodeY, nodeZ;  // offset of a node in its block [cells]
    View<float> color;                      // written: kBlockNodes per block
    SurfaceGrid grid;
    float reach;  // of the widest kernel [m]

    HD void operator()(int i) const {
        const int local = i % kBlockNodes;
        if (interiorBlock[i / kBlockNodes]) {
            color[i] = 1;
            return;
        }
        const SurfaceBlock b = blockOf(grid, bins, candidate[i / kBlockNodes]);
        const Vec3 x{grid.cell * (toFloat(b.node[0]) + nodeX[local]),
                     grid.cell * (toFloat(b.node[1]) + nodeY[local]),
                     grid.cell * (toFloat(b.node[2]) + nodeZ[local])};
        float sum = 0;
        for (int row = 0; row < kRows; ++row) {
            const RowRange range = rows[b.bin * kRows + row];
            for (uint32_t j = range.begin; j < range.end; ++j) {
                const Vec4 c = center[j], e = extent[j];
                const Vec3 r = x - xyz(c);
                if (fabsf(r.x) > e.x || fabsf(r.y) > e.y || fabsf(r.z) > e.z) continue;  // adds 0
                sum =
                    fma(c.w, kernelValue<kAnisotropic>(r, square[j], kAnisotropic ? shear[j] : Vec4{}), sum);
            }
        }
        color[i] = sum;
    }

    HD void operator()([[maybe_unused]] LaneIndex i) const {
#ifndef __CUDA_ARCH__
        if (i.first % kBlockNodes == 0) evaluateBlock(i.first / kBlockNodes);
#endif
    }

private:
#ifndef __CUDA_ARCH__
    // Nodes of a block, and φ there.
    struct Nodes {
        LaneFloat x, y;       // [m] of a layer
        float z[kBlockEdge];  // [m] of the layers
        LaneFloat sum[kBlockEdge];
    };

    void evaluateBlock(int block) const {
        Nodes nodes;
        for (LaneFloat& sum : nodes.sum) sum = LaneFloat(interiorBlock[block] ? 1.0f : 0.0f);
        if (!interiorBlock[block]) {
            const SurfaceBlock b = blockOf(grid, bins, candidate[block]);
            const Vec3 first{toFloat(b.node[0]), toFloat(b.node[1]), toFloat(b.node[2])};
            nodes.x = LaneFloat(grid.cell) * (LaneFloat(first.x) + nodeX[LaneIndex{0}]);
            nodes.y = LaneFloat(grid.cell) * (LaneFloat(first.y) + nodeY[LaneIndex{0}]);
            for (int k = 0; k < kBlockEdge; ++k) nodes.z[k] = grid.cell * (first.z + toFloat(k));
            constexpr int kHeld = 256;
            int32_t held[kHeld + kLanes];
            int found = 0;
            const auto release = [&] {
                for (int k = 0; k < found; ++k) addParticle(held[k], nodes);
                found = 0;
            };
            forEachReaching(b, [&](uint32_t j, uint32_t reaching) {
                found += appendSet(reaching, static_cast<int>(j), held + found);
                if (found > kHeld) release();
            });
            release();
        }
        for (int k = 0; k < kBlockEdge; ++k)
            put(color, LaneIndex{block * kBlockNodes + k * kLanes}, nodes.sum[k]);
    }

    // visit(j, reaching) for the candidates j … j + kLanes − 1, in storage order. Bits of reaching: those whose
    // distance from the box of the nodes is below the reach.
    template <class Visit>
    void forEachReaching(const SurfaceBlock& b, Visit&& visit) const {
        const auto low = [&](int axis) { return LaneFloat(grid.cell * toFloat(b.node[axis])); };
        const auto high = [&](int axis) {
            return LaneFloat(grid.cell * (toFloat(b.node[axis]) + (kBlockEdge - 1)));
        };
        const Vec3T<LaneFloat> lowest{low(0), low(1), low(2)}, highest{high(0), high(1), high(2)};
        const auto outside = [](LaneFloat x, LaneFloat from, LaneFloat to) {
            return max(max(from - x, x - to), LaneFloat(0.0f));
        };
        for (int row = 0; row < kRows; ++row) {
            const RowRange range = rows[b.bin * kRows + row];
            for (uint32_t j = range.begin; j < range.end; j += kLanes) {
                const Vec3T<LaneFloat> d{outside(loadFrom(&positions.x.data[j]), lowest.x, highest.x),
                                         outside(loadFrom(&positions.y.data[j]), lowest.y, highest.y),
                                         outside(loadFrom(&positions.z.data[j]), lowest.z, highest.z)};
                uint32_t reaching = bitsOf(dot(d, d) < LaneFloat(reach * reach));
                const uint32_t left = range.end - j;
                if (left < kLanes) reaching &= (1u << left) - 1;
                visit(j, reaching);
            }
        }
    }

    // The operations of kernelValue, in its order: those without z once for all layers.
    void addParticle(int j, Nodes& nodes) const {
        const Vec4 c = center[j], s = square[j];
        const LaneFloat x = nodes.x - LaneFloat(c.x), y = nodes.y - LaneFloat(c.y);
        const auto add = [&](int k, LaneFloat q2) {
            const LaneFloat t = max(LaneFloat(1.0f) - q2, LaneFloat(0.0f));
            nodes.sum[k] = fma(LaneFloat(c.w), t * t * t, nodes.sum[k]);
        };
        if constexpr (kAnisotropic) {
            const Vec4 e = extent[j], m = shear[j];
            const LaneFloat diagonal = fma(LaneFloat(s.y) * y, y, LaneFloat(s.x) * x * x);
            const LaneFloat mixed = LaneFloat(m.x) * x * y, xz = LaneFloat(m.y) * x, yz = LaneFloat(m.z) * y;
            for (int k = 0; k < kBlockEdge; ++k) {
                const float z = nodes.z[k] - c.z;
                if (fabsf(z) > e.z) continue;
                const LaneFloat sum = fma(yz, LaneFloat(z), fma(xz, LaneFloat(z), mixed));
                add(k, fma(LaneFloat(s.z * z), LaneFloat(z), diagonal) + (sum + sum));
            }
        } else {
            const LaneFloat flat = fma(y, y, x * x);
            for (int k = 0; k < kBlockEdge; ++k) {
                const LaneFloat z(nodes.z[k] - c.z);
                add(k, LaneFloat(s.x) * fma(z, z, flat));
            }
        }
    }
#endif
};

// A quantity of the particles at points near them: Σ_j w_j f_j / Σ_j w_j, w_j = V_j (1 − (r/R)²)³.
template <class T>
struct Interpolate {
    View<const Vec4> point;    // [m]
    View<const uint32_t> bin;  // of each point
    View<const RowRange> rows;
    SearchPositions positions;    // of the particles
    View<const uint32_t> source;  // sorted particle → particle of the input
    View<const T> quantity;       // per particle of the input
    View<T> value;                // written per point
    float inverseRadius2;         // 1/R² [1/m²]

    HD void operator()(int i) const {
        const Vec3 x = xyz(point[i]);
        T sum{};
        float weight = 0;
        for (int row = 0; row < kRows; ++row)
            forEachWeight(x, rows[bin[i] * kRows + row], positions, inverseRadius2, [&](int j, float w) {
                addTo(sum, w, quantity[source[j]]);
                weight += w;
            });
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
