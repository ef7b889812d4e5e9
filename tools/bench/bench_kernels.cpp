// Micro-benchmarks of primitives and particle kernels.
//
//     bench_kernels [--backend auto|cuda|cpu] [--threads N] [options of Google Benchmark]
//
// Primitives and streams are timed by the wall clock, the device waited for. Particle kernels run inside the
// solver, on a jittered block of liquid, and are timed by the profiler that every launch has: on CUDA, by
// device events.
#include <benchmark/benchmark.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/buffer.h"
#include "core/for_each.h"
#include "core/hash.h"
#include "core/primitives.h"
#include "sim/solver/solver.h"
#include "sim/world/world.h"

namespace coalesce {

// a = b + s c, sixteen bytes at a time: what memory gives at best
struct Triad {
    View<const Vec4> b, c;
    View<Vec4> a;  // written
    float s;
    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const Vec4T<R> x = b[i], y = c[i];
        put(a, i, vec4(fma(R(s), xyz(y), xyz(x)), fma(R(s), y.w, x.w)));
    }
};

namespace {

std::unique_ptr<Exec> machine;
Exec& exec() {
    return *machine;
}

constexpr int64_t kSizes[] = {10'000, 100'000, 1'000'000};

template <class T>
std::vector<T> randomKeys(int64_t n, int bits) {
    std::vector<T> keys(n);
    for (int64_t i = 0; i < n; ++i) keys[i] = static_cast<T>(mix(i) >> (64 - bits));
    return keys;
}

void report(benchmark::State& state, int64_t bytesPerItem) {
    const int64_t items = state.iterations() * state.range(0);
    state.SetItemsProcessed(items);
    if (bytesPerItem > 0) state.SetBytesProcessed(items * bytesPerItem);
}

// ---- primitives ----

// Keys as the neighbor grid has them, of `bits` bits. Sorting sorted keys costs the same: every pass moves
// all.
template <class Key>
void sortKeys(benchmark::State& state) {
    const int64_t n = state.range(0);
    const int bits = static_cast<int>(state.range(1));
    Buffer<Key> keys(exec());
    keys.upload(randomKeys<Key>(n, bits));
    Buffer<uint32_t> values(exec());
    values.upload(randomKeys<uint32_t>(n, 32));
    for ([[maybe_unused]] auto _ : state) {
        sortPairs(exec(), "sort", keys.view(), values.view(), bits);
        exec().synchronize();
    }
    report(state, 0);
}

void scan(benchmark::State& state) {
    const int64_t n = state.range(0);
    Buffer<uint32_t> in(exec()), out(exec(), n + 1);
    in.upload(randomKeys<uint32_t>(n, 8));
    for ([[maybe_unused]] auto _ : state) {
        exclusiveScan(exec(), "scan", in.view(), out.view());
        exec().synchronize();
    }
    report(state, 8);
}

void sum(benchmark::State& state) {
    const int64_t n = state.range(0);
    Buffer<float> in(exec()), result(exec(), 1);
    in.upload(std::vector<float>(n, 0.5f));
    for ([[maybe_unused]] auto _ : state) {
        reduceSum(exec(), "sum", in.view(), result.view());
        exec().synchronize();
    }
    report(state, 4);
}

void stream(benchmark::State& state) {
    const int64_t n = state.range(0);
    Buffer<Vec4> a(exec(), n), b(exec(), n), c(exec(), n);
    b.fillZero();
    c.fillZero();
    for ([[maybe_unused]] auto _ : state) {
        forEach(exec(), "triad", n, Triad{b.view(), c.view(), a.view(), 0.5f});
        exec().synchronize();
    }
    report(state, 3 * sizeof(Vec4));
}

// ---- particle kernels ----

// A cube of about n particles of liquid at rest density, each off its place by up to a tenth of the spacing.
struct Block {
    World world{exec()};
    Solver solver{world};

    explicit Block(int64_t n) {
        world.parameters.world.gravity = {0, 0, 0};
        world.parameters.solver.substeps = 1;
        world.parameters.solver.iterations = 1;
        world.materials.push_back({"liquid", {}});
        const float spacing = world.materials[0].properties.spacing;
        const auto perSide = static_cast<int64_t>(std::ceil(std::cbrt(static_cast<double>(n))));
        const auto jitter = [&](int64_t i, int axis) {
            return 0.2f * static_cast<float>(static_cast<double>(mix(3 * i + axis)) * 0x1p-64 - 0.5);
        };
        std::vector<ParticleDef> births(n);
        for (int64_t i = 0; i < n; ++i) {
            const int64_t x = i % perSide, y = i / perSide % perSide, z = i / perSide / perSide;
            births[i].x = spacing * Vec3{x + jitter(i, 0), y + jitter(i, 1), z + jitter(i, 2)};
        }
        world.addParticles(births);
        // room is made, memory touched, and storage in cell order
        for (int k = 0; k < 3; ++k) solver.step();
    }
};

Block& blockOf(int64_t n) {
    static std::map<int64_t, std::unique_ptr<Block>> blocks;
    auto& block = blocks[n];
    if (!block) block = std::make_unique<Block>(n);
    return *block;
}

// One launch of the solver's frame, by the name it has in the profiler.
void launch(benchmark::State& state, const char* name) {
    Block& block = blockOf(state.range(0));
    exec().profiler.enabled = true;
    for ([[maybe_unused]] auto _ : state) {
        block.solver.step();
        double ms = 0;
        int launches = 0;
        for (const Profiler::Row& row : exec().profiler.rows())
            if (row.name == name) ms = row.ms, launches = row.launches;
        if (launches == 0) {
            state.SkipWithError(fmt::format("the solver launches nothing named \"{}\"", name).c_str());
            break;
        }
        state.SetIterationTime(1e-3 * ms / launches);
    }
    exec().profiler.enabled = false;
    report(state, 0);
}

constexpr const char* kLaunches[] = {"cell keys",      "sort by cell",   "neighbor search",
                                     "density lambda", "density deltas", "viscosity (XSPH)"};

void registerAll() {
    using benchmark::RegisterBenchmark;
    for (const int64_t n : kSizes) {
        RegisterBenchmark("sort/32 bit keys", sortKeys<uint32_t>)
            ->Args({n, 32})
            ->UseRealTime()
            ->ArgNames({"n", "bits"});
        RegisterBenchmark("sort/64 bit keys", sortKeys<uint64_t>)
            ->Args({n, 24})
            ->UseRealTime()
            ->ArgNames({"n", "bits"});
        RegisterBenchmark("scan", scan)->Arg(n)->UseRealTime()->ArgName("n");
        RegisterBenchmark("sum", sum)->Arg(n)->UseRealTime()->ArgName("n");
        RegisterBenchmark("stream", stream)->Arg(n)->UseRealTime()->ArgName("n");
    }
    for (const char* name : kLaunches)
        for (const int64_t n : kSizes)
            RegisterBenchmark(name, launch, name)
                ->Arg(n)
                ->UseManualTime()
                ->Iterations(10)
                ->ArgName("n")
                ->Unit(benchmark::kMillisecond);
}

// Takes our own options out of argc and argv.
ExecOptions ownOptions(int& argc, char** argv) {
    ExecOptions options;
    int kept = 1;
    for (int i = 1; i < argc; ++i) {
        const bool hasValue = i + 1 < argc;
        if (std::strcmp(argv[i], "--backend") == 0 && hasValue)
            options.backend = argv[++i];
        else if (std::strcmp(argv[i], "--threads") == 0 && hasValue)
            options.threads = std::atoi(argv[++i]);
        else
            argv[kept++] = argv[i];
    }
    argc = kept;
    return options;
}

}  // namespace
}  // namespace coalesce

int main(int argc, char** argv) {
    using namespace coalesce;
    const ExecOptions options = ownOptions(argc, argv);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return static_cast<int>(Exit::Usage);
    try {
        machine = std::make_unique<Exec>(options);
        benchmark::AddCustomContext("machine", machine->description());
        registerAll();
        benchmark::RunSpecifiedBenchmarks();
    } catch (const Error& error) {
        fmt::print(stderr, "{}\n", error.what());
        return static_cast<int>(error.code);
    }
    return 0;
}
