#include "core/exec.h"

#include <algorithm>
#include <cfenv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <numeric>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <thread>
#include <utility>
#include <vector>

#include "core/cuda_state.h"
#include "core/error.h"
#include "core/launch_observer.h"
#include "core/parallel.h"
#include "core/scratch.h"

#ifdef __CUDACC__
#include <nvtx3/nvToolsExt.h>

#include "core/cuda_check.h"
#endif

namespace coalesce {

namespace {

double nowMs() {
    using namespace std::chrono;
    return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

// MemAvailable of Linux [bytes]; 0 when unknown.
size_t hostAvailableBytes() {
    std::FILE* file = std::fopen("/proc/meminfo", "r");
    if (!file) return 0;
    char line[256];
    size_t kib = 0;
    while (std::fgets(line, sizeof line, file))
        if (std::sscanf(line, "MemAvailable: %zu", &kib) == 1) break;
    std::fclose(file);
    return kib * 1024;
}

// Results are reproducible only with round-to-nearest and with denormals. Worker threads inherit the mode of
// the calling thread, so it is checked there; another library in the process may have changed it.
void refuseForeignFloatMode() {
    const volatile float smallest = 1.17549435e-38f;  // the smallest normal number
    const volatile float half = smallest * 0.5f;      // 0 when results are flushed
    const volatile float twice = half * 2;            // 0 when operands are flushed
    if (twice == smallest && std::fegetround() == FE_TONEAREST) return;
    fail(Exit::Simulation, "floating-point mode",
         "denormal numbers or rounding to nearest are disabled in this thread, so results would differ",
         "A library loaded into the process changed it, often one built with -ffast-math. Do not load it.");
}

}  // namespace

struct Exec::Threads {
    tbb::global_control limit;  // lets --threads exceed the number of cores
    tbb::task_arena arena;
    explicit Threads(int n) : limit(tbb::global_control::max_allowed_parallelism, size_t(n)), arena(n) {}
};

struct Exec::Events {
#ifdef __CUDACC__
    struct Pair {
        const char* name;
        cudaEvent_t begin, end;
    };
    std::deque<Pair> pairs;
    size_t used = 0;
#endif
};

struct Exec::Graphs {
#ifdef __CUDACC__
    std::vector<cudaGraphExec_t> made;  // by their order in a batch
    size_t used = 0;                    // of the batch that is recorded
#endif
};

namespace {

// Refuses options that contradict each other or are out of range.
void checkOptions(const ExecOptions& options) {
    const std::string& backend = options.backend;
    if (backend != "auto" && backend != "cpu" && backend != "cuda")
        fail(Exit::Usage, "--backend " + backend, "no such backend", "Choose one of auto, cuda, cpu.");
    if (options.threads < 0 || options.threads > 1024)
        fail(Exit::Usage, fmt::format("--threads {}", options.threads), "out of range",
             "Give 1 to 1024 threads, or 0 for all hardware threads.");
    if (options.device >= 0 && backend == "cpu")
        fail(Exit::Usage, fmt::format("--device {}", options.device), "the CPU backend has no devices",
             "Leave --device out, or run with --backend cuda.");
}

}  // namespace

Exec::Exec(const ExecOptions& options)
    : m_shuffle(options.shuffle), m_scratch(std::make_unique<Scratch>(*this)) {
    checkOptions(options);
    std::string why;
    if (options.backend != "cpu") {
        const CudaState cuda = cudaState(options.device, options.preferredDevice);
        const bool named = options.device >= 0, required = named || options.backend == "cuda";
        const std::string where = named ? fmt::format("--device {}", options.device) : "--backend cuda";
        if (required && !cuda.built)
            fail(Exit::Device, where, cuda.device,
                 "On a computer with an NVIDIA GPU, install the CUDA toolkit and build again, or run with "
                 "--backend cpu. Only --backend auto falls back to the CPU.");
        if (required && !cuda.usable)
            fail(Exit::Device, where, "no usable CUDA device: " + cuda.device,
                 fmt::format("{}or run with --backend cpu. Only --backend auto{} falls back to the CPU.",
                             named ? "Choose another device, install or update the driver, "
                                   : "Install or update the driver, ",
                             named ? " without --device" : ""));
        if (cuda.usable) m_backend = Backend::Cuda, m_device = cuda.index;
        why = cuda.usable ? "" : "; no CUDA: " + cuda.device;
    }

    m_threads = options.threads > 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency());
    m_pool = std::make_unique<Threads>(m_threads);
    m_events = std::make_unique<Events>();
    m_graphs = std::make_unique<Graphs>();
    m_description = fmt::format("CPU, {} thread{}{}", m_threads, m_threads == 1 ? "" : "s", why);
#ifdef __CUDACC__
    if (onCuda()) {
        cudaCheck(cudaSetDevice(m_device), "select device");
        cudaStream_t stream = nullptr;
        cudaCheck(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "create stream");
        m_stream = stream;
        // released memory stays in the pool of the device, so that
        // lists which grow or shrink do not wait for it
        int pools = 0;
        cudaMemPool_t pool = nullptr;
        cudaCheck(cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, m_device),
                  "find memory pools");
        if (pools) {
            uint64_t keep = UINT64_MAX;
            cudaCheck(cudaDeviceGetDefaultMemPool(&pool, m_device), "open memory pool");
            cudaCheck(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep),
                      "open memory pool");
            m_memoryPool = pool;
        }
        cudaDeviceProp properties{};
        cudaCheck(cudaGetDeviceProperties(&properties, m_device), "read device properties");
        m_readsPageable = properties.pageableMemoryAccess != 0;
        m_description =
            fmt::format("CUDA, {} (sm_{}{})", properties.name, properties.major, properties.minor);
    }
#endif
}

Exec::~Exec() {
    m_scratch.reset();
#ifdef __CUDACC__
    if (m_memoryPool) {  // the process shares it, OpenGL cannot use it
        cudaStreamSynchronize(cudaStream_t(m_stream));
        cudaMemPoolTrimTo(cudaMemPool_t(m_memoryPool), 0);
    }
    for (auto& pair : m_events->pairs) {
        cudaEventDestroy(pair.begin);
        cudaEventDestroy(pair.end);
    }
    for (cudaGraphExec_t graph : m_graphs->made)
        if (graph) cudaGraphExecDestroy(graph);
    if (m_stream) cudaStreamDestroy(cudaStream_t(m_stream));
    if (m_pinned) cudaFreeHost(m_pinned);
#endif
}

// ---- recording ----

// Submits what was recorded; recording goes on at the end of the scope.
class Exec::Pause {
public:
    explicit Pause(Exec& exec) : m_exec(exec), m_was(exec.m_recording) {
        if (m_was) exec.submitRecording();
    }
    ~Pause() {
        if (m_was) m_exec.beginRecording();
    }

private:
    Exec& m_exec;
    bool m_was;
};

Exec::Batch::Batch(Exec& exec) : m_exec(exec) {
#if defined(__CUDACC__) && !defined(COALESCE_CHECK_BOUNDS)
    if (!exec.onCuda() || exec.m_profiling || LaunchObserver::exists()) return;
    CHECK(!exec.m_recording);
    exec.m_graphs->used = 0;
    exec.beginRecording();
#endif
}
Exec::Batch::~Batch() {
    m_exec.dropRecording();
}
void Exec::Batch::flush() {
    const Pause pause(m_exec);
}
void Exec::Batch::submit() {
    m_exec.submitRecording();
}

void Exec::beginRecording() {
#ifdef __CUDACC__
    m_recording = cudaStreamBeginCapture(cudaStream_t(m_stream), cudaStreamCaptureModeRelaxed) == cudaSuccess;
    // without graphs, launches go to the stream; if the device failed, the first of them reports it
    if (!m_recording) (void)cudaGetLastError();
#endif
}

void Exec::dropRecording() {
    if (!std::exchange(m_recording, false)) return;
#ifdef __CUDACC__
    cudaGraph_t graph = nullptr;
    if (cudaStreamEndCapture(cudaStream_t(m_stream), &graph) == cudaSuccess)
        cudaGraphDestroy(graph);
    else
        (void)cudaGetLastError();  // the error that ends the batch is reported, this one follows from it
    freeReleased();
#endif
}

void Exec::submitRecording() {
    if (!std::exchange(m_recording, false)) return;
#ifdef __CUDACC__
    struct Recorded {  // also ends where a call fails
        Exec& exec;
        cudaGraph_t graph = nullptr;
        ~Recorded() {
            if (graph) cudaGraphDestroy(graph);
            exec.freeReleased();
        }
    } recorded{*this};
    cudaGraph_t& graph = recorded.graph;
    cudaCheck(cudaStreamEndCapture(cudaStream_t(m_stream), &graph), "record launches");
    size_t nodes = 0;
    cudaCheck(cudaGraphGetNodes(graph, nullptr, &nodes), "record launches");
    if (nodes > 0) {
        Graphs& graphs = *m_graphs;
        if (graphs.used == graphs.made.size()) graphs.made.push_back(nullptr);
        cudaGraphExec_t& made = graphs.made[graphs.used++];
        // a frame mostly has the launches of the last one, with other arguments
        cudaGraphExecUpdateResultInfo info{};
        if (made && cudaGraphExecUpdate(made, graph, &info) != cudaSuccess) {
            (void)cudaGetLastError();
            cudaGraphExecDestroy(std::exchange(made, nullptr));
        }
        if (!made) cudaCheck(cudaGraphInstantiate(&made, graph, 0), "record launches");
        cudaCheck(cudaGraphLaunch(made, cudaStream_t(m_stream)), "recorded launches");
    }
#endif
}

// A failed call is reported by the next launch: destructors release memory.
void Exec::freeReleased() {
#ifdef __CUDACC__
    for (void* memory : std::exchange(m_released, {}))
        m_memoryPool ? cudaFreeAsync(memory, cudaStream_t(m_stream)) : cudaFree(memory);
#endif
}

// ---- memory ----

#ifdef __CUDACC__
namespace {

// From the pool of the device, or without pools from the device itself.
cudaError_t allocateOnDevice(void** memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    if (!pool) return cudaMalloc(memory, bytes);
    cudaError_t result = cudaMallocAsync(memory, bytes, stream);
    if (result != cudaErrorMemoryAllocation) return result;
    // what is free in the pool may be in pieces that are too small: give them back and try again
    (void)cudaGetLastError();
    if ((result = cudaStreamSynchronize(stream)) != cudaSuccess) return result;
    if ((result = cudaMemPoolTrimTo(pool, 0)) != cudaSuccess) return result;
    return cudaMallocAsync(memory, bytes, stream);
}

}  // namespace
#endif

void* Exec::allocate(size_t bytes) {
    constexpr size_t kAlign = 256, kLargest = SIZE_MAX / 2, kLarge = 64 << 20;
    const size_t padded = (std::clamp<size_t>(bytes, 1, kLargest) + kAlign - 1) / kAlign * kAlign;
    // its record comes first: memory that cannot be recorded would be lost
    std::unordered_map<void*, size_t> record{{nullptr, padded}};
    m_blocks.reserve(m_blocks.size() + 1);
    void* memory = nullptr;
#ifdef __CUDACC__
    if (onCuda()) {
        const Pause pause(*this);
        const cudaError_t result =
            allocateOnDevice(&memory, padded, cudaMemPool_t(m_memoryPool), cudaStream_t(m_stream));
        if (result != cudaSuccess) {
            memory = nullptr;
            (void)cudaGetLastError();
            // an earlier launch may have failed: its error is reported here, and is not one of memory
            if (result != cudaErrorMemoryAllocation) cudaCheck(result, "allocate device memory");
        }
    } else
#endif
    {
        // Linux overcommits and kills processes that use what they were promised: check large requests first
        const size_t available = padded > kLarge ? hostAvailableBytes() : 0;
        if (available == 0 || padded <= available) memory = std::aligned_alloc(kAlign, padded);
    }
    if (!memory)
        fail(Exit::Simulation, "memory",
             fmt::format("{:.1f} MB more are needed, {:.1f} MB are available ({:.1f} MB in use)",
                         padded / 1e6, availableBytes() / 1e6, m_allocated / 1e6),
             "Use a smaller size of the scene (--size), or a coarser spacing.");
    auto recorded = record.extract(nullptr);
    recorded.key() = memory;
    m_blocks.insert(std::move(recorded));
    if (LaunchObserver::exists()) fillBytes(memory, 0, padded);
    m_allocated += padded;
    m_peak = std::max(m_peak, m_allocated);
    return memory;
}

void Exec::release(void* memory) {
    if (!memory) return;
    const auto block = m_blocks.find(memory);
    CHECK(block != m_blocks.end());
    m_allocated -= block->second;
    m_blocks.erase(block);
#ifdef __CUDACC__
    if (onCuda()) {
        // what is recorded may use it, and a destructor cannot submit that: a launch that fails throws
        m_released.push_back(memory);
        if (!m_recording) freeReleased();
        return;
    }
#endif
    std::free(memory);
}

void Exec::copyToHost(void* host, const void* memory, size_t bytes) {
    if (bytes == 0) return;
#ifdef __CUDACC__
    if (onCuda()) {
        const Pause pause(*this);
        cudaCheck(cudaMemcpyAsync(host, memory, bytes, cudaMemcpyDeviceToHost, cudaStream_t(m_stream)),
                  "download");
        cudaCheck(cudaStreamSynchronize(cudaStream_t(m_stream)), "download");
        return;
    }
#endif
    std::memcpy(host, memory, bytes);
}

void Exec::copyToHost(std::span<const Download> downloads) {
#ifdef __CUDACC__
    if (onCuda()) {
        const Pause pause(*this);
        size_t total = 0;
        for (const Download& d : downloads) total += d.bytes;
        if (total > m_pinnedBytes) {
            if (m_pinned) cudaFreeHost(std::exchange(m_pinned, nullptr));
            m_pinnedBytes = 0;
            cudaCheck(cudaMallocHost(&m_pinned, total), "pin host memory");
            m_pinnedBytes = total;
        }
        // a copy to memory that is not pinned would wait for the device each time
        char* const pinned = static_cast<char*>(m_pinned);
        const auto forEachPlace = [&](auto&& visit) {
            size_t offset = 0;
            for (const Download& d : downloads) {
                if (d.bytes > 0) visit(d, pinned + offset);
                offset += d.bytes;
            }
        };
        forEachPlace([&](const Download& d, char* at) {
            cudaCheck(cudaMemcpyAsync(at, d.memory, d.bytes, cudaMemcpyDeviceToHost, cudaStream_t(m_stream)),
                      "download");
        });
        cudaCheck(cudaStreamSynchronize(cudaStream_t(m_stream)), "download");
        forEachPlace([](const Download& d, const char* at) { std::memcpy(d.host, at, d.bytes); });
        return;
    }
#endif
    for (const Download& d : downloads)
        if (d.bytes > 0) std::memcpy(d.host, d.memory, d.bytes);
}

void Exec::copyFromHost(void* memory, const void* host, size_t bytes) {
    if (bytes == 0) return;
#ifdef __CUDACC__
    if (onCuda()) {
        const Pause pause(*this);
        cudaCheck(cudaMemcpyAsync(memory, host, bytes, cudaMemcpyHostToDevice, cudaStream_t(m_stream)),
                  "upload");
        // pageable memory is staged before the call returns, unless the device can read it itself
        if (m_readsPageable) cudaCheck(cudaStreamSynchronize(cudaStream_t(m_stream)), "upload");
        return;
    }
#endif
    std::memcpy(memory, host, bytes);
}

void Exec::copyWithin(void* to, const void* from, size_t bytes) {
    if (bytes == 0) return;
#ifdef __CUDACC__
    if (onCuda()) {
        cudaCheck(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, cudaStream_t(m_stream)), "copy");
        return;
    }
#endif
    constexpr int64_t kBytesPerTask = 1 << 20;
    parallelFor(int64_t(bytes), kBytesPerTask, [&](int64_t begin, int64_t end) {
        std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin, end - begin);
    });
}

void Exec::fillBytes(void* memory, int byte, size_t bytes) {
    if (bytes == 0) return;
#ifdef __CUDACC__
    if (onCuda()) {
        cudaCheck(cudaMemsetAsync(memory, byte, bytes, cudaStream_t(m_stream)), "fill");
        return;
    }
#endif
    std::memset(memory, byte, bytes);
}

size_t Exec::availableBytes() const {
#ifdef __CUDACC__
    if (onCuda()) {
        size_t available = 0, total = 0;
        if (cudaMemGetInfo(&available, &total) != cudaSuccess) return 0;
        // the device counts what was released into the pool as taken
        const auto pool = cudaMemPool_t(m_memoryPool);
        uint64_t reserved = 0, used = 0;
        if (pool &&
            cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved) == cudaSuccess &&
            cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used) == cudaSuccess)
            available += reserved - used;
        return available;
    }
#endif
    return hostAvailableBytes();
}

void Exec::synchronize([[maybe_unused]] const char* after) {
#ifdef __CUDACC__
    if (!onCuda()) return;
    const Pause pause(*this);
    cudaCheck(cudaStreamSynchronize(cudaStream_t(m_stream)), after);
#endif
}

void Exec::parallelFor(int64_t n, int64_t chunk, const std::function<void(int64_t, int64_t)>& work) {
    refuseForeignFloatMode();
    const int64_t chunks = (n + chunk - 1) / chunk;
    const auto run = [&](int64_t c) { work(c * chunk, std::min(n, (c + 1) * chunk)); };
    if (m_shuffle != 0) {
        // Fisher-Yates permutation from a splitmix generator, a new one for each launch
        std::vector<int64_t> order(chunks);
        std::iota(order.begin(), order.end(), int64_t{0});
        uint64_t state = m_shuffle + 0x9e3779b97f4a7c15ull * ++m_shuffleCount;
        for (int64_t i = chunks - 1; i > 0; --i) {
            uint64_t z = (state += 0x9e3779b97f4a7c15ull);
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
            z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
            std::swap(order[i], order[(z ^ (z >> 31)) % (i + 1)]);
        }
        m_pool->arena.execute(
            [&] { coalesce::parallelFor(int64_t{0}, chunks, [&](int64_t c) { run(order[c]); }); });
        return;
    }
    if (chunks == 1 || m_threads == 1) {
        for (int64_t c = 0; c < chunks; ++c) run(c);
        return;
    }
    m_pool->arena.execute([&] { coalesce::parallelFor(int64_t{0}, chunks, run); });
}

// ---- profiling ----

Exec::Timer::Timer(Exec& exec, const char* name) : m_exec(exec), m_name(name), m_active(exec.m_profiling) {
#ifdef __CUDACC__
    if (exec.onCuda()) nvtxRangePushA(name);
#endif
    if (!m_active) return;
#ifdef __CUDACC__
    if (exec.onCuda()) {
        Events& events = *exec.m_events;
        if (events.used == events.pairs.size()) {
            Events::Pair pair{name, nullptr, nullptr};
            cudaCheck(cudaEventCreate(&pair.begin), name);
            cudaCheck(cudaEventCreate(&pair.end), name);
            events.pairs.push_back(pair);
        }
        events.pairs[events.used].name = name;
        m_start = double(events.used++);
        cudaCheck(
            cudaEventRecord(events.pairs[size_t(m_start)].begin, static_cast<cudaStream_t>(exec.stream())),
            name);
        return;
    }
#endif
    m_start = nowMs();
}

Exec::Timer::~Timer() {
    LaunchObserver::launched(m_name);
#ifdef __CUDACC__
    if (m_exec.onCuda()) nvtxRangePop();
#endif
    if (!m_active) return;
#ifdef __CUDACC__
    if (m_exec.onCuda()) {
        cudaEventRecord(m_exec.m_events->pairs[size_t(m_start)].end,
                        static_cast<cudaStream_t>(m_exec.stream()));
        return;
    }
#endif
    m_exec.profiler.add(m_name, nowMs() - m_start);
}

void Exec::beginFrame() {
    m_profiling = profiler.enabled;
#ifdef __CUDACC__
    m_events->used = 0;
#endif
    profiler.discardFrame();
}

void Exec::endFrame() {
    if (!std::exchange(m_profiling, false)) return;
#ifdef __CUDACC__
    if (onCuda()) {
        synchronize("end of frame");
        for (size_t i = 0; i < m_events->used; ++i) {
            float ms = 0;
            cudaCheck(cudaEventElapsedTime(&ms, m_events->pairs[i].begin, m_events->pairs[i].end),
                      m_events->pairs[i].name);
            profiler.add(m_events->pairs[i].name, ms);
        }
        m_events->used = 0;
    }
#endif
    profiler.endFrame();
}

}  // namespace coalesce
