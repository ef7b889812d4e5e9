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
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <thread>
#include <vector>

#include "core/error.h"
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

// MemAvailable of Linux, in bytes; 0 when unknown.
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

// Results are reproducible only with round-to-nearest and with denormals. Workers inherit the mode of the
// calling thread, so it is checked there; another library in the process may have changed it.
void refuseForeignFloatMode() {
    const volatile float smallest = 1.17549435e-38f;  // the smallest normal number
    const volatile float half = smallest * 0.5f;      // 0 when results are flushed
    const volatile float twice = half * 2;            // 0 when operands are flushed
    if (twice == smallest && std::fegetround() == FE_TONEAREST) return;
    fail(Exit::Simulation, "floating-point mode",
         "denormal numbers or rounding to nearest are switched off in this thread, so results would differ",
         "A library loaded into the program did that (often one built with -ffast-math): leave it out.");
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

CudaState cudaState() {
#ifdef __CUDACC__
    // Without a driver the runtime returns cudaErrorInsufficientDriver and leaves the count unchanged.
    int count = 0;
    const cudaError_t result = cudaGetDeviceCount(&count);
    if (result != cudaSuccess || count == 0) {
        (void)cudaGetLastError();
        int driver = 0, runtime = 0;
        (void)cudaDriverGetVersion(&driver);
        (void)cudaRuntimeGetVersion(&runtime);
        const char* reason = result == cudaSuccess ? "no CUDA device is visible" : cudaGetErrorString(result);
        return {true, false,
                driver == 0
                    ? fmt::format("no NVIDIA driver is loaded ({})", reason)
                    : fmt::format("{} (the driver supports {}.{}; this build needs {}.{})", reason,
                                  driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10)};
    }
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess)
        return {true, false, "the device does not answer"};
    return {true, true, properties.name};
#else
    return {false, false, "this program was built without CUDA"};
#endif
}

Exec::Exec(const ExecOptions& options)
    : m_shuffle(options.shuffle), m_scratch(std::make_unique<Scratch>(*this)) {
    const std::string& wanted = options.backend;
    if (wanted != "auto" && wanted != "cpu" && wanted != "cuda")
        fail(Exit::Usage, "--backend " + wanted, "no such backend", "Choose one of auto, cuda, cpu.");
    if (options.threads < 0 || options.threads > 1024)
        fail(Exit::Usage, fmt::format("--threads {}", options.threads), "out of range",
             "Give 1 to 1024 threads, or 0 for as many as the machine has.");

    std::string why;
    if (wanted != "cpu") {
        const CudaState cuda = cudaState();
        if (wanted == "cuda" && !cuda.built)
            fail(Exit::Device, "--backend cuda", cuda.device,
                 "On a machine with an NVIDIA GPU, install the CUDA toolkit and build again, or run with "
                 "--backend cpu. Only --backend auto chooses by itself.");
        if (wanted == "cuda" && !cuda.usable)
            fail(Exit::Device, "--backend cuda", "no usable CUDA device: " + cuda.device,
                 "Install or update the driver, or run with --backend cpu. Only --backend auto chooses by "
                 "itself.");
        if (cuda.usable) m_backend = Backend::Cuda;
        why = cuda.usable ? "" : "; not CUDA: " + cuda.device;
    }

    m_threads = options.threads > 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency());
    m_pool = std::make_unique<Threads>(m_threads);
    m_events = std::make_unique<Events>();
    m_description = fmt::format("CPU, {} thread{}{}", m_threads, m_threads == 1 ? "" : "s", why);
#ifdef __CUDACC__
    if (onCuda()) {
        cudaCheck(cudaSetDevice(options.cudaDevice), "choose device");
        cudaStream_t stream = nullptr;
        cudaCheck(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "create stream");
        m_stream = stream;
        cudaDeviceProp properties{};
        cudaCheck(cudaGetDeviceProperties(&properties, options.cudaDevice), "read device properties");
        m_description =
            fmt::format("CUDA, {} (sm_{}{})", properties.name, properties.major, properties.minor);
    }
#endif
}

Exec::~Exec() {
    m_scratch.reset();
#ifdef __CUDACC__
    for (auto& pair : m_events->pairs) {
        cudaEventDestroy(pair.begin);
        cudaEventDestroy(pair.end);
    }
    if (m_stream) cudaStreamDestroy(cudaStream_t(m_stream));
#endif
}

// ---- memory ----

void* Exec::allocate(size_t bytes) {
    constexpr size_t kAlign = 256, kLargest = SIZE_MAX / 2, kLarge = 64 << 20;
    const size_t padded = (std::clamp<size_t>(bytes, 1, kLargest) + kAlign - 1) / kAlign * kAlign;
    void* memory = nullptr;
#ifdef __CUDACC__
    if (onCuda()) {
        if (cudaMalloc(&memory, padded) != cudaSuccess) {
            (void)cudaGetLastError();
            memory = nullptr;
        }
    } else
#endif
    {
        // Linux overcommits memory and kills processes that use it, so large requests check first
        const size_t available = padded > kLarge ? hostAvailableBytes() : 0;
        if (available == 0 || padded <= available) memory = std::aligned_alloc(kAlign, padded);
    }
    if (!memory)
        fail(Exit::Simulation, "memory",
             fmt::format("{:.1f} MB more are needed, {:.1f} MB are available ({:.1f} MB in use)",
                         padded / 1e6, availableBytes() / 1e6, m_allocated / 1e6),
             "Use a smaller size of the scene (--size), or a coarser spacing.");
    m_blocks[memory] = padded;
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
        cudaFree(memory);
        return;
    }
#endif
    std::free(memory);
}

void Exec::copyToHost(void* host, const void* memory, size_t bytes) {
#ifdef __CUDACC__
    if (onCuda()) {
        cudaCheck(cudaMemcpyAsync(host, memory, bytes, cudaMemcpyDeviceToHost, cudaStream_t(m_stream)),
                  "download");
        cudaCheck(cudaStreamSynchronize(cudaStream_t(m_stream)), "download");
        return;
    }
#endif
    std::memcpy(host, memory, bytes);
}

void Exec::copyFromHost(void* memory, const void* host, size_t bytes) {
#ifdef __CUDACC__
    if (onCuda()) {
        cudaCheck(cudaMemcpyAsync(memory, host, bytes, cudaMemcpyHostToDevice, cudaStream_t(m_stream)),
                  "upload");
        cudaCheck(cudaStreamSynchronize(cudaStream_t(m_stream)), "upload");
        return;
    }
#endif
    std::memcpy(memory, host, bytes);
}

void Exec::copyWithin(void* to, const void* from, size_t bytes) {
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
        return cudaMemGetInfo(&available, &total) == cudaSuccess ? available : 0;
    }
#endif
    return hostAvailableBytes();
}

void Exec::synchronize([[maybe_unused]] const char* after) {
#ifdef __CUDACC__
    if (onCuda()) cudaCheck(cudaStreamSynchronize(cudaStream_t(m_stream)), after);
#endif
}

void Exec::parallelFor(int64_t n, int64_t chunk, const std::function<void(int64_t, int64_t)>& work) {
    refuseForeignFloatMode();
    const int64_t chunks = (n + chunk - 1) / chunk;
    const auto run = [&](int64_t c) { work(c * chunk, std::min(n, (c + 1) * chunk)); };
    if (m_shuffle != 0) {
        // Fisher-Yates shuffle with a splitmix generator; a new permutation for each launch
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
            [&] { tbb::parallel_for(int64_t{0}, chunks, [&](int64_t c) { run(order[c]); }); });
        return;
    }
    if (chunks == 1 || m_threads == 1) {
        for (int64_t c = 0; c < chunks; ++c) run(c);
        return;
    }
    m_pool->arena.execute([&] { tbb::parallel_for(int64_t{0}, chunks, run); });
}

// ---- profiling ----

Exec::Timer::Timer(Exec& exec, const char* name)
    : m_exec(exec), m_name(name), m_active(exec.profiler.enabled) {
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
        cudaCheck(cudaEventRecord(events.pairs[size_t(m_start)].begin, cudaStream_t(exec.stream())), name);
        return;
    }
#endif
    m_start = nowMs();
}

Exec::Timer::~Timer() {
#ifdef __CUDACC__
    if (m_exec.onCuda()) nvtxRangePop();
#endif
    if (!m_active) return;
#ifdef __CUDACC__
    if (m_exec.onCuda()) {
        cudaEventRecord(m_exec.m_events->pairs[size_t(m_start)].end, cudaStream_t(m_exec.stream()));
        return;
    }
#endif
    m_exec.profiler.add(m_name, nowMs() - m_start);
}

void Exec::endFrame() {
    if (!profiler.enabled) return;
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
