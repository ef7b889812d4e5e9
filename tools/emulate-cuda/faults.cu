// Mistakes on purpose, to see that the emulator finds them: faults NAME. `emulate faults` runs every case
// below in its mode, and looks for the words behind it in the output.
//
// CASE good checked: clean
// CASE barriers checked: clean
// CASE host_reads_device fast: the HOST accesses DEVICE MEMORY; faults.cu:LINE
// CASE host_memcpy fast: the HOST accesses DEVICE MEMORY
// CASE kernel_reads_host fast: is no device address
// CASE kernel_null fast: FAULT in kernel
// CASE out_of_bounds fast: behind the end of block
// CASE use_after_free fast: FAULT in kernel
// CASE misaligned checked: bad alignment
// CASE uninitialized checked: read of bytes that nothing wrote
// CASE download_unwritten checked: download of bytes that nothing wrote
// CASE race checked: RACE
// CASE race_of_writes checked: RACE write, then write
// CASE race_of_blocks checked: RACE
// CASE order_of_blocks fast: last block: 0
// CASE race_with_atomic checked: RACE
// CASE double_free fast: cudaFree of what is no block
// CASE leak fast: 1 blocks, 4096 bytes together
// CASE block_too_large fast: launch beyond the limits
// CASE empty_grid fast: launch beyond the limits
// CASE grid_too_large fast: launch beyond the limits
// CASE too_much_shared fast: launch beyond the limits
// CASE shared_on_request checked: clean
// CASE copy_beyond fast: leaves its block
// CASE wrong_kind fast: whose kind does not fit
// CASE deadlock fast: DEADLOCK
// CASE missing_wait fast: read too early: -1
// CASE pinned_reuse fast: source changed: 2
// CASE other_stream fast: other stream: 0
// CASE graph checked: clean
// CASE wait_in_capture fast: a wait for a stream whose launches are being captured
// CASE graph_changed fast: update: 910
// CASE freed_in_order checked: clean
// CASE freed_too_early fast: FAULT in kernel
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <string>

namespace {

constexpr int kCount = 1000, kBytes = 4096;

__device__ int indexOf() {
    return int(blockIdx.x * blockDim.x + threadIdx.x);
}

__global__ void fill(int* a, int n) {
    if (const int i = indexOf(); i < n) a[i] = i;
}
__global__ void sum(int* a, int n) {
    if (const int i = indexOf(); i < n) atomicAdd(a, i);
}
__global__ void shift(int* a, int n) {  // reads what its neighbor writes
    if (const int i = indexOf(); i + 1 < n) a[i] = a[i + 1] + 1;
}
__global__ void collide(int* a, int n) {
    if (const int i = indexOf(); i < n) a[i / 2] = i;
}
__global__ void mixAtomic(int* a, int n) {
    const int i = indexOf();
    if (i == 3)
        a[0] = 7;
    else if (i < n)
        atomicAdd(a, 1);
}
__global__ void reverse(int* a) {  // a correct use of barriers and shuffles
    __shared__ int s[64];
    s[threadIdx.x] = int(threadIdx.x);
    if (threadIdx.x < 32) a[64 + threadIdx.x] = __shfl_sync(0xffffffff, s[threadIdx.x], 3);
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void rotate(int* a) {  // barriers order the threads of a block, and not the blocks
    const int i = indexOf();
    const int next = a[(i + 1) % kCount];
    __syncthreads();
    a[i] = next;
}
__global__ void noteBlock(int* a) {
    __syncthreads();
    if (threadIdx.x == 0) a[0] = int(blockIdx.x);
}
__global__ void waitForNobody(int* a) {
    if (threadIdx.x == 0) a[0] = __shfl_sync(0x3, 1, 1);
    if (threadIdx.x == 1) __syncthreads();
    __syncthreads();
}
__global__ void __launch_bounds__(256) bounded(int* a) {
    a[threadIdx.x] = 1;
}
__global__ void misaligned(char* a) {
    *reinterpret_cast<int4*>(a + 4) = make_int4(1, 2, 3, 4);
}

}  // namespace

int main(int, char** arguments) {
    const std::string what = arguments[1];
    int *a = nullptr, *pinned = nullptr, host[kBytes / 4] = {};
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaMalloc(&a, kBytes);
    cudaMallocHost(&pinned, kBytes);
    const int grid = (kCount + 255) / 256;
    if (what != "uninitialized" && what != "download_unwritten") cudaMemsetAsync(a, 0, kBytes, s);

    if (what == "good") {
        sum<<<grid, 256, 0, s>>>(a, kCount);
    } else if (what == "barriers") {
        reverse<<<1, 64, 0, s>>>(a);
    } else if (what == "host_reads_device") {
        cudaStreamSynchronize(s);
        std::printf("%d\n", a[0]);  // LINE
    } else if (what == "host_memcpy") {
        cudaStreamSynchronize(s);
        std::memcpy(host, a, 64);
    } else if (what == "kernel_reads_host") {
        fill<<<grid, 256, 0, s>>>(host, kCount);
    } else if (what == "kernel_null") {
        fill<<<grid, 256, 0, s>>>(nullptr, kCount);
    } else if (what == "out_of_bounds") {
        fill<<<8, 256, 0, s>>>(a, kBytes / 4 + 1);
    } else if (what == "use_after_free") {
        cudaFree(a);
        fill<<<grid, 256, 0, s>>>(a, kCount);
        a = nullptr;
    } else if (what == "misaligned") {
        misaligned<<<1, 1, 0, s>>>(reinterpret_cast<char*>(a));
    } else if (what == "uninitialized") {
        shift<<<grid, 256, 0, s>>>(a, 2);
    } else if (what == "download_unwritten") {
        cudaMemcpyAsync(host, a, 64, cudaMemcpyDeviceToHost, s);
    } else if (what == "race") {
        shift<<<grid, 256, 0, s>>>(a, kCount);
    } else if (what == "race_of_writes") {
        collide<<<grid, 256, 0, s>>>(a, kCount);
    } else if (what == "race_of_blocks") {
        rotate<<<kCount / 100, 100, 0, s>>>(a);
    } else if (what == "order_of_blocks") {
        noteBlock<<<4, 64, 0, s>>>(a);
        cudaMemcpyAsync(host, a, 4, cudaMemcpyDeviceToHost, s);
        cudaStreamSynchronize(s);
        std::printf("last block: %d\n", host[0]);
    } else if (what == "race_with_atomic") {
        mixAtomic<<<grid, 256, 0, s>>>(a, kCount);
    } else if (what == "double_free") {
        cudaFree(a);
        cudaFree(a);
        a = nullptr;
    } else if (what == "leak") {
        a = nullptr;
    } else if (what == "block_too_large") {
        bounded<<<1, 512, 0, s>>>(a);
    } else if (what == "empty_grid") {
        bounded<<<0, 256, 0, s>>>(a);
    } else if (what == "grid_too_large") {
        fill<<<0x80000000u, 256, 0, s>>>(a, kCount);
    } else if (what == "too_much_shared") {
        bounded<<<1, 256, 60000, s>>>(a);
    } else if (what == "shared_on_request") {
        cudaFuncSetAttribute(bounded, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000);
        bounded<<<1, 256, 60000, s>>>(a);
    } else if (what == "copy_beyond") {
        cudaMemcpyAsync(host, a, kBytes + 4, cudaMemcpyDeviceToHost, s);
    } else if (what == "wrong_kind") {
        cudaMemcpyAsync(a, host, 64, cudaMemcpyDeviceToHost, s);
    } else if (what == "deadlock") {
        waitForNobody<<<1, 2, 0, s>>>(a);
    } else if (what == "graph" || what == "wait_in_capture" || what == "graph_changed") {
        cudaGraph_t graph;
        cudaGraphExec_t made;
        cudaGraphExecUpdateResultInfo info;
        cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
        fill<<<grid, 256, 0, s>>>(a, kCount);
        if (what == "wait_in_capture") cudaStreamSynchronize(s);
        cudaStreamEndCapture(s, &graph);
        cudaGraphInstantiate(&made, graph, 0);
        cudaGraphDestroy(graph);
        cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
        if (what == "graph_changed") cudaMemsetAsync(a, 0, kBytes, s);
        sum<<<grid, 256, 0, s>>>(a, kCount);
        cudaStreamEndCapture(s, &graph);
        std::printf("update: %d\n", int(cudaGraphExecUpdate(made, graph, &info)));
        cudaGraphLaunch(made, s);
        cudaGraphLaunch(made, s);
        cudaGraphDestroy(graph);
        cudaGraphExecDestroy(made);
    } else if (what == "freed_in_order" || what == "freed_too_early") {
        int* b = nullptr;
        cudaMallocAsync(&b, kBytes, s);
        fill<<<grid, 256, 0, s>>>(b, kCount);
        cudaFreeAsync(b, s);
        if (what == "freed_too_early") fill<<<grid, 256, 0, s>>>(b, kCount);
    } else if (what == "missing_wait") {
        pinned[5] = -1;
        fill<<<grid, 256, 0, s>>>(a, kCount);
        cudaMemcpyAsync(pinned, a, 4 * kCount, cudaMemcpyDeviceToHost, s);
        std::printf("read too early: %d\n", pinned[5]);
    } else if (what == "pinned_reuse") {
        pinned[0] = 1;
        cudaMemcpyAsync(a, pinned, 4, cudaMemcpyHostToDevice, s);
        pinned[0] = 2;
        cudaMemcpyAsync(host, a, 4, cudaMemcpyDeviceToHost, s);
        cudaStreamSynchronize(s);
        std::printf("source changed: %d\n", host[0]);
    } else if (what == "other_stream") {  // the default stream does not wait for a non-blocking one
        cudaStreamSynchronize(s);
        fill<<<grid, 256, 0, s>>>(a, kCount);
        cudaMemcpy(host, a, 40, cudaMemcpyDeviceToHost);
        std::printf("other stream: %d\n", host[5]);
    }
    cudaStreamSynchronize(s);
    cudaFree(a);
    cudaFreeHost(pinned);
}
