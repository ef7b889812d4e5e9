// The functions of the CUDA runtime that Coalesce and CUB call, over memory.h, stream.h and launch.h.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime_api.h>
#include <driver_types.h>
#include <memory>
#include <unordered_map>
#include <utility>

#include "findings.h"
#include "launch.h"
#include "memory.h"
#include "stream.h"

#define API extern "C" __attribute__((visibility("default")))

#ifndef EMULATE_ARCH
#define EMULATE_ARCH 75
#endif

namespace emulated {

namespace {

// limits of the emulated device [CUDA programming guide, compute capabilities]
constexpr uint32_t kMaxGrid = 0x7fffffff;
constexpr size_t kSharedByDefault = 48 << 10;
constexpr size_t kMaxShared = EMULATE_ARCH == 75                         ? 64 << 10
                              : EMULATE_ARCH == 80 || EMULATE_ARCH == 87 ? 163 << 10
                              : EMULATE_ARCH >= 90 && EMULATE_ARCH < 120 ? 227 << 10
                                                                         : 99 << 10;
constexpr size_t kMaxParameterBytes = EMULATE_ARCH >= 70 ? 32764 : 4096;

thread_local cudaError_t lastError = cudaSuccess;
cudaError_t fail(cudaError_t e) {
    if (e != cudaSuccess) lastError = e;
    return e;
}

thread_local int currentDevice = 0;

// The error of every call that needs a device which cannot be used.
cudaError_t trouble() {
    const std::string& state = options().stateOf(currentDevice);
    if (state == "none") return cudaErrorNoDevice;
    if (state == "busy") return cudaErrorDevicesUnavailable;
    if (state == "dead" || options().hasDied(currentDevice)) return cudaErrorIllegalAddress;
    return cudaSuccess;
}
bool tooOld(int device) {
    return options().stateOf(device) == "pascal";
}

// Host functions that stand for kernels, as nvcc's start-up code registers them.
struct Launchable {
    const Kernel* kernel;
    std::string name;
    size_t maxShared = kSharedByDefault;  // more on request
};
std::unordered_map<const void*, Launchable>& functions() {
    static auto* made = new std::unordered_map<const void*, Launchable>;
    return *made;
}

struct Configuration {
    dim3 grid, block;
    size_t shared;
    void* stream;
};
thread_local std::vector<Configuration> configurations;

cudaError_t launch(const void* host, dim3 grid, dim3 block, void** args, size_t shared, cudaStream_t stream) {
    if (const cudaError_t e = trouble()) return fail(e);
    if (tooOld(currentDevice)) return fail(cudaErrorNoKernelImageForDevice);
    const auto it = functions().find(host);
    if (it == functions().end()) return fail(cudaErrorInvalidDeviceFunction);
    const Kernel* kernel = it->second.kernel;
    if (!kernel) stop("no translation of kernel " + demangled(it->second.name.c_str()));
    if (grid.x == 0 || grid.x > kMaxGrid || grid.y != 1 || grid.z != 1 || block.x == 0 ||
        block.x > kMaxThreads || block.y != 1 || block.z != 1 ||
        (kernel->maxThreads && block.x > kernel->maxThreads) ||
        kernel->sharedBytes + shared > it->second.maxShared || kernel->paramBytes > kMaxParameterBytes) {
        addFinding(std::string("launch beyond the limits of the device: ") + kernel->name, [&] {
            return std::to_string(grid.x) + " blocks of " + std::to_string(block.x) + " threads, " +
                   std::to_string(kernel->sharedBytes + shared) + " bytes of shared memory, " +
                   std::to_string(kernel->paramBytes) + " of parameters" + hostStack();
        });
        return fail(cudaErrorInvalidConfiguration);
    }
    std::vector<uint8_t> params(kernel->paramBytes + 16);
    for (size_t k = 0; k < kernel->params.size(); ++k)
        std::memcpy(params.data() + kernel->params[k].offset, args[k], kernel->params[k].bytes);
    if (options().trace)
        std::fprintf(stderr, "emulated CUDA: %s <<<%u, %u>>>\n", kernel->name, grid.x, block.x);
    streamOf(stream).add(kernel->name, [kernel, grid, block, params = std::move(params), shared] {
        runKernel(*kernel, grid.x, block.x, params, shared);
    });
    return cudaSuccess;
}

// ---- copies ----

void copyWithinDevice(void* to, const void* from, size_t n, Stream& stream) {
    const auto* begin = static_cast<const char*>(from);
    if (to != from && to < begin + n && begin < static_cast<char*>(to) + n)
        addFinding("a copy within the device that overlaps", hostStack);
    stream.add("copy", [=] {
        std::memmove(bytesAt(to), bytesAt(from), n);
        copyWritten(reinterpret_cast<uint64_t>(to), reinterpret_cast<uint64_t>(from), n);
    });
}

void copyToDevice(void* to, const void* from, size_t n, Stream& stream) {
    const auto write = [=](const void* source) {
        std::memcpy(bytesAt(to), source, n);
        markWritten(reinterpret_cast<uint64_t>(to), n);
    };
    if (isPinned(from)) {  // read only when the stream comes to it
        stream.add("copy", [=] { write(from); });
        return;
    }
    // pageable memory is staged before the call returns
    const auto* begin = static_cast<const char*>(from);
    auto staged = std::make_shared<std::vector<char>>(begin, begin + n);
    stream.add("copy", [=] { write(staged->data()); });
}

void copyToHost(void* to, const void* from, size_t n, Stream& stream) {
    stream.add("copy", [=] {
        const auto a = reinterpret_cast<uint64_t>(from);
        if (const size_t k = firstUnwritten(a, n); k < n)
            addFinding("download of bytes that nothing wrote",
                       [&] { return describeAddress(a + k) + hostStack(); });
        std::memcpy(to, bytesAt(from), n);
    });
    if (!isPinned(to)) stream.runAll();
}

cudaError_t copy(void* to, const void* from, size_t n, cudaMemcpyKind kind, Stream& stream, bool wait) {
    if (const cudaError_t e = trouble()) return fail(e);
    if (n == 0) return cudaSuccess;
    const bool toDevice = isDevice(to), fromDevice = isDevice(from);
    const bool wantTo = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool wantFrom = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (kind != cudaMemcpyDefault && (wantTo != toDevice || wantFrom != fromDevice)) {
        addFinding("a copy whose kind does not fit its pointers", hostStack);
        return fail(cudaErrorInvalidValue);
    }
    if (toDevice) requireInside("copy to the device", to, n);
    if (fromDevice) requireInside("copy from the device", from, n);
    noteCall(toDevice ? fromDevice ? "copy within the device" : "copy to the device" : "copy to the host");
    if (toDevice && fromDevice) noteCall("bytes copied within the device", n);
    if (toDevice && fromDevice)
        copyWithinDevice(to, from, n, stream);
    else if (toDevice)
        copyToDevice(to, from, n, stream);
    else if (fromDevice)
        copyToHost(to, from, n, stream);
    else
        std::memcpy(to, from, n);
    if (wait) stream.runAll();
    return cudaSuccess;
}

}  // namespace

}  // namespace emulated

using namespace emulated;

// ---- registration and launches ----

API void** __cudaRegisterFatBinary(void* binary) {
    setUp();
    static void* handle = nullptr;
    handle = binary;
    return &handle;
}
API void __cudaRegisterFatBinaryEnd(void**) {}
API void __cudaUnregisterFatBinary(void**) {}
API void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}
API void __cudaRegisterFunction(void**, const char* host, char*, const char* name, int, uint3*, uint3*, dim3*,
                                dim3*, int*) {
    functions()[host] = {findKernel(name), name};
}
API char __cudaInitModule(void**) {
    return 1;
}
API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st* stream) {
    configurations.push_back({grid, block, shared, stream});
    return 0;
}
API cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
    const Configuration c = configurations.back();
    configurations.pop_back();
    *grid = c.grid, *block = c.block, *shared = c.shared;
    *static_cast<void**>(stream) = c.stream;
    return cudaSuccess;
}
API cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host) {
    *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(host));
    return cudaSuccess;
}
API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** args, size_t shared,
                                   cudaStream_t stream) {
    return launch(reinterpret_cast<const void*>(kernel), grid, block, args, shared, stream);
}
API cudaError_t cudaLaunchKernel(const void* f, dim3 grid, dim3 block, void** args, size_t shared,
                                 cudaStream_t stream) {
    return launch(f, grid, block, args, shared, stream);
}
API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* c, const void* f, void** args) {
    return launch(f, c->gridDim, c->blockDim, args, c->dynamicSmemBytes, c->stream);
}
API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* a, const void* f) {
    std::memset(a, 0, sizeof *a);
    if (const cudaError_t e = trouble()) return fail(e);
    if (tooOld(currentDevice)) return fail(cudaErrorNoKernelImageForDevice);
    const auto it = functions().find(f);
    if (it == functions().end()) return fail(cudaErrorInvalidDeviceFunction);
    a->ptxVersion = a->binaryVersion = EMULATE_ARCH;
    a->maxThreadsPerBlock = int(kMaxThreads), a->numRegs = 64;
    if (it->second.kernel) a->sharedSizeBytes = it->second.kernel->sharedBytes;
    return cudaSuccess;
}
API cudaError_t cudaFuncSetAttribute(const void* f, cudaFuncAttribute attribute, int value) {
    if (const cudaError_t e = trouble()) return fail(e);
    const auto it = functions().find(f);
    if (it == functions().end()) return fail(cudaErrorInvalidDeviceFunction);
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
    const size_t bytes = size_t(value) + (it->second.kernel ? it->second.kernel->sharedBytes : 0);
    if (value < 0 || bytes > kMaxShared) return fail(cudaErrorInvalidValue);
    it->second.maxShared = std::max(bytes, kSharedByDefault);
    return cudaSuccess;
}
API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* n, const void*, int, size_t,
                                                                       unsigned) {
    *n = 2;
    return cudaSuccess;
}

// ---- memory ----

API cudaError_t cudaMalloc(void** p, size_t bytes) {
    noteCall("cudaMalloc");
    setUp();
    *p = nullptr;
    if (const cudaError_t e = trouble()) return fail(e);
    if (bytes == 0) return cudaSuccess;
    *p = allocate(bytes);
    return *p ? cudaSuccess : fail(cudaErrorMemoryAllocation);
}
API cudaError_t cudaFree(void* p) {
    noteCall("cudaFree");
    if (const cudaError_t e = trouble()) return fail(e);
    if (!p) return cudaSuccess;
    runEverything();
    if (release(p)) return cudaSuccess;
    addFinding("cudaFree of what is no block of device memory", hostStack);
    return fail(cudaErrorInvalidValue);
}
API cudaError_t cudaMallocAsync(void** p, size_t bytes, cudaStream_t s) {
    Stream& stream = streamOf(s);
    if (stream.captured()) addFinding("memory is taken from a pool while launches are captured", hostStack);
    noteCall("cudaMallocAsync");
    *p = nullptr;
    if (const cudaError_t e = trouble()) return fail(e);
    if (bytes == 0) return cudaSuccess;
    *p = allocate(bytes);
    if (*p) takeFromPool(bytes);
    return *p ? cudaSuccess : fail(cudaErrorMemoryAllocation);
}
// The memory is in use until the stream comes to this call.
API cudaError_t cudaFreeAsync(void* p, cudaStream_t s) {
    Stream& stream = streamOf(s);
    if (stream.captured()) addFinding("memory is returned to a pool while launches are captured", hostStack);
    noteCall("cudaFreeAsync");
    if (const cudaError_t e = trouble()) return fail(e);
    requireInside("cudaFreeAsync", p, 1);
    stream.add("free", [=] {
        if (!releaseIntoPool(p)) addFinding("cudaFreeAsync of what is no block of device memory", hostStack);
    });
    return cudaSuccess;
}
API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
    *pool = reinterpret_cast<cudaMemPool_t>(intptr_t{device + 1});
    return cudaSuccess;
}
API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
    return cudaSuccess;
}
API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr attribute, void* value) {
    if (attribute != cudaMemPoolAttrReservedMemCurrent && attribute != cudaMemPoolAttrUsedMemCurrent)
        return fail(cudaErrorNotSupported);
    const bool reserved = attribute == cudaMemPoolAttrReservedMemCurrent;
    *static_cast<uint64_t*>(value) = bytesInUse() + (reserved ? bytesInPool() : 0);
    return cudaSuccess;
}
API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) {
    trimPool();
    return cudaSuccess;
}
API cudaError_t cudaMemGetInfo(size_t* available, size_t* total) {
    *available = options().memory - bytesInUse() - bytesInPool(), *total = options().memory;
    return fail(trouble());
}
API cudaError_t cudaHostAlloc(void** p, size_t bytes, unsigned) {
    setUp();
    constexpr size_t kPage = 4096;
    *p = std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage);
    if (!*p) return fail(cudaErrorMemoryAllocation);
    addPinned(*p, bytes);
    return cudaSuccess;
}
API cudaError_t cudaMallocHost(void** p, size_t bytes) {
    return cudaHostAlloc(p, bytes, 0);
}
API cudaError_t cudaFreeHost(void* p) {
    if (!p) return cudaSuccess;
    runEverything();
    removePinned(p);
    std::free(p);
    return cudaSuccess;
}
API cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t n, cudaMemcpyKind kind,
                                cudaStream_t stream) {
    return copy(to, from, n, kind, streamOf(stream), false);
}
API cudaError_t cudaMemcpy(void* to, const void* from, size_t n, cudaMemcpyKind kind) {
    return copy(to, from, n, kind, streamOf(nullptr), true);
}
API cudaError_t cudaMemsetAsync(void* p, int value, size_t n, cudaStream_t stream) {
    noteCall("cudaMemsetAsync");
    if (const cudaError_t e = trouble()) return fail(e);
    if (n == 0) return cudaSuccess;
    noteCall("bytes filled", n);
    requireInside("cudaMemset", p, n);
    streamOf(stream).add("fill", [=] {
        std::memset(bytesAt(p), value, n);
        markWritten(reinterpret_cast<uint64_t>(p), n);
    });
    return cudaSuccess;
}

// ---- streams and events ----

API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* s, unsigned) {
    setUp();
    if (const cudaError_t e = trouble()) return fail(e);
    *s = reinterpret_cast<cudaStream_t>(makeStream());
    return cudaSuccess;
}
API cudaError_t cudaStreamDestroy(cudaStream_t s) {
    destroyStream(&streamOf(s));
    return cudaSuccess;
}
API cudaError_t cudaStreamSynchronize(cudaStream_t s) {
    noteCall("cudaStreamSynchronize");
    if (const cudaError_t e = trouble()) return fail(e);
    streamOf(s).runAll();
    return cudaSuccess;
}
API cudaError_t cudaDeviceSynchronize() {
    noteCall("cudaDeviceSynchronize");
    if (const cudaError_t e = trouble()) return fail(e);
    runEverything();
    return cudaSuccess;
}
API cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned) {
    const auto* event = reinterpret_cast<const Event*>(e);
    Stream* other = event->stream;
    const uint64_t number = event->number;
    if (other)
        streamOf(s).add("wait", [=] {
            if (exists(other)) other->runUntil(number);
        });
    return cudaSuccess;
}
API cudaError_t cudaEventCreate(cudaEvent_t* e) {
    *e = reinterpret_cast<cudaEvent_t>(new Event);
    return cudaSuccess;
}
API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* e, unsigned) {
    return cudaEventCreate(e);
}
API cudaError_t cudaEventDestroy(cudaEvent_t) {
    return cudaSuccess;  // an operation in a stream may still name it
}
API cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s) {
    auto* event = reinterpret_cast<Event*>(e);
    Stream& stream = streamOf(s);
    stream.add("event", [=] { event->time = std::chrono::steady_clock::now(); });
    event->stream = &stream, event->number = stream.added();
    return cudaSuccess;
}
API cudaError_t cudaEventSynchronize(cudaEvent_t e) {
    noteCall("cudaEventSynchronize");
    const auto* event = reinterpret_cast<const Event*>(e);
    if (event->stream && exists(event->stream)) event->stream->runUntil(event->number);
    return cudaSuccess;
}
API cudaError_t cudaEventQuery(cudaEvent_t e) {
    const auto* event = reinterpret_cast<const Event*>(e);
    Stream* stream = event->stream;
    if (!stream || !exists(stream) || stream->done() >= event->number) return cudaSuccess;
    stream->runUntil(stream->done() + 1);  // a loop that asks again and again comes to an end
    return stream->done() >= event->number ? cudaSuccess : cudaErrorNotReady;
}
API cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t a, cudaEvent_t b) {
    const auto *from = reinterpret_cast<const Event*>(a), *to = reinterpret_cast<const Event*>(b);
    if (!from->stream || !to->stream) return fail(cudaErrorInvalidResourceHandle);
    if (from->stream->done() < from->number || to->stream->done() < to->number)
        return fail(cudaErrorNotReady);
    *ms = std::chrono::duration<float, std::milli>(to->time - from->time).count();
    return cudaSuccess;
}

// ---- errors and devices ----

API cudaError_t cudaGetLastError() {
    return std::exchange(lastError, cudaSuccess);
}
API cudaError_t cudaPeekAtLastError() {
    return lastError;
}
API const char* cudaGetErrorString(cudaError_t e) {
    static thread_local char text[40];
    std::snprintf(text, sizeof text, "CUDA error %d", int(e));
    return text;
}
API const char* cudaGetErrorName(cudaError_t e) {
    return cudaGetErrorString(e);
}
API cudaError_t cudaGetDeviceCount(int* n) {
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    const bool none = (visible && !*visible) || options().stateOf(0) == "none";
    *n = none ? 0 : options().devices;
    return none ? fail(cudaErrorNoDevice) : cudaSuccess;
}
API cudaError_t cudaGetDevice(int* d) {
    *d = currentDevice;
    return cudaSuccess;
}
API cudaError_t cudaSetDevice(int d) {
    if (d < 0 || d >= options().devices) return fail(cudaErrorInvalidDevice);
    currentDevice = d;
    return fail(trouble());
}
API cudaError_t cudaDriverGetVersion(int* v) {
    *v = CUDART_VERSION;
    return cudaSuccess;
}
API cudaError_t cudaRuntimeGetVersion(int* v) {
    *v = CUDART_VERSION;
    return cudaSuccess;
}
API cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr a, int device) {
    const int arch = tooOld(device) ? 61 : EMULATE_ARCH;
    switch (a) {
        case cudaDevAttrComputeCapabilityMajor:
            *value = arch / 10;
            break;
        case cudaDevAttrComputeCapabilityMinor:
            *value = arch % 10;
            break;
        case cudaDevAttrMultiProcessorCount:
            *value = 4;
            break;
        case cudaDevAttrMaxGridDimX:
            *value = int(kMaxGrid);
            break;
        case cudaDevAttrMaxThreadsPerBlock:
            *value = int(kMaxThreads);
            break;
        case cudaDevAttrWarpSize:
            *value = 32;
            break;
        case cudaDevAttrMaxSharedMemoryPerBlock:
            *value = int(kSharedByDefault);
            break;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin:
            *value = int(kMaxShared);
            break;
        case cudaDevAttrMemoryPoolsSupported:
            *value = 1;
            break;
        case cudaDevAttrMemoryClockRate:
        case cudaDevAttrClockRate:
            *value = 1000000;  // [kHz]
            break;
        case cudaDevAttrGlobalMemoryBusWidth:
            *value = 64;
            break;
        default:
            stop("device attribute " + std::to_string(int(a)) + " is not known; add it to api.cpp");
    }
    return cudaSuccess;
}
API cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
    if (device < 0 || device >= options().devices) return fail(cudaErrorInvalidDevice);
    const int arch = tooOld(device) ? 61 : EMULATE_ARCH;
    std::memset(p, 0, sizeof *p);
    std::snprintf(p->name, sizeof p->name, "emulated CUDA device %d", device);
    p->totalGlobalMem = options().memory, p->major = arch / 10, p->minor = arch % 10;
    p->multiProcessorCount = 4, p->warpSize = 32, p->maxThreadsPerBlock = int(kMaxThreads);
    return cudaSuccess;
}
