// Measures the peak rates of this GPU: copy bandwidth, instruction issue, atomics, launches. Prints one JSON
// object. Compiled and run by tools/gpu-accept: nvcc -O3 -arch=native tools/ceilings.cu
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kBlock = 256;
constexpr int kRepeats = 20;
constexpr int kChains = 8;       // independent chains per thread: hides the latency of an instruction
constexpr int kRounds = 2048;    // instructions per chain
constexpr size_t kSlots = 4096;  // addresses that the atomics share, as particles share constraints

void check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "ceilings: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

__global__ void fill(float4* to, size_t n) {
    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = make_float4(i * 0.5f, i * 0.25f, i * 0.125f, 1);  // never zeros: memory may compress them
}

__global__ void copy(const float4* from, float4* to, size_t n) {
    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}

__global__ void multiplyAdd(float* out, float a, float b) {
    float x[kChains];
    for (int k = 0; k < kChains; ++k) x[k] = threadIdx.x + k;
    for (int round = 0; round < kRounds; ++round)
#pragma unroll
        for (int k = 0; k < kChains; ++k) x[k] = fmaf(x[k], a, b);
    float sum = 0;
    for (int k = 0; k < kChains; ++k) sum += x[k];
    if (sum == 0.1234f) out[0] = sum;  // keeps the chains alive
}

template <class T>
__global__ void addScattered(T* slots, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&slots[(i * 2654435761u) % kSlots], static_cast<T>(1));
}

__global__ void nothing() {}

// Median time of one call [ms], after one to warm up.
template <class Work>
double medianMs(Work work) {
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin), "create event");
    check(cudaEventCreate(&end), "create event");
    std::vector<float> times(kRepeats);
    work();
    for (float& ms : times) {
        check(cudaEventRecord(begin), "record event");
        work();
        check(cudaEventRecord(end), "record event");
        check(cudaEventSynchronize(end), "run");
        check(cudaEventElapsedTime(&ms, begin, end), "read event");
    }
    check(cudaGetLastError(), "launch");
    std::nth_element(times.begin(), times.begin() + kRepeats / 2, times.end());
    return times[kRepeats / 2];
}

unsigned blocksFor(size_t n) {
    return static_cast<unsigned>((n + kBlock - 1) / kBlock);
}

}  // namespace

int main() {
    cudaDeviceProp device{};
    check(cudaGetDeviceProperties(&device, 0), "find a device");

    // Copy: twice 1 GiB or a sixth of what is free; far beyond any cache.
    size_t freeBytes = 0, totalBytes = 0;
    check(cudaMemGetInfo(&freeBytes, &totalBytes), "ask for memory");
    const size_t n = std::min<size_t>(size_t{1} << 30, freeBytes / 6) / sizeof(float4);
    float4 *from = nullptr, *to = nullptr;
    check(cudaMalloc(&from, n * sizeof(float4)), "allocate");
    check(cudaMalloc(&to, n * sizeof(float4)), "allocate");
    fill<<<blocksFor(n), kBlock>>>(from, n);
    const double copyMs = medianMs([&] { copy<<<blocksFor(n), kBlock>>>(from, to, n); });

    // Issue: every thread runs nothing but independent multiply-adds.
    const size_t threads = static_cast<size_t>(device.multiProcessorCount) * 8 * kBlock;
    const double issueMs = medianMs(
        [&] { multiplyAdd<<<blocksFor(threads), kBlock>>>(reinterpret_cast<float*>(to), 0.999f, 0.001f); });

    // Atomics: spread over kSlots addresses.
    constexpr int kAdds = 1 << 22;
    check(cudaMemset(to, 0, kSlots * sizeof(uint64_t)), "clear");
    auto* integers = reinterpret_cast<unsigned long long*>(to);
    auto* floats = reinterpret_cast<float*>(to);
    const double integerMs = medianMs([&] { addScattered<<<blocksFor(kAdds), kBlock>>>(integers, kAdds); });
    const double floatMs = medianMs([&] { addScattered<<<blocksFor(kAdds), kBlock>>>(floats, kAdds); });

    // Launch: a hundred empty kernels in a row.
    constexpr int kLaunches = 100;
    const double launchMs = medianMs([] {
        for (int i = 0; i < kLaunches; ++i) nothing<<<1, 32>>>();
    });

    std::printf(
        "{\"copy_gbps\": %.1f, \"issue_ginstr\": %.1f, \"atomic_i64_g\": %.3f, \"atomic_f32_g\": %.3f, "
        "\"launch_us\": %.3f, \"multiprocessors\": %d, \"l2_bytes\": %d}\n",
        2.0 * n * sizeof(float4) / copyMs * 1e-6, 1.0 * threads * kChains * kRounds / issueMs * 1e-6,
        kAdds / integerMs * 1e-6, kAdds / floatMs * 1e-6, launchMs / kLaunches * 1e3,
        device.multiProcessorCount, device.l2CacheSize);
}
