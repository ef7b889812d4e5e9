// The device a simulation runs on: the threads of the CPU, or one CUDA device with one stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "core/profiler.h"
#include "kernels/math/view.h"

namespace coalesce {

class Scratch;

enum class Backend { Cpu, Cuda };

struct ExecOptions {
    std::string backend = "auto";  // auto | cuda | cpu
    int threads = 0;               // CPU threads; 0: as many as the system has
    uint64_t shuffle =
        0;  // not 0: run chunks in a random order of this seed (finds hidden dependence on the order)
    int cudaDevice = 0;  // index among the visible devices
};

// Whether CUDA can be used.
struct CudaState {
    bool built = false;   // the program was built with CUDA
    bool usable = false;  // and a device is available
    std::string device;   // its name, or why there is none
};
CudaState cudaState();

class Exec {
public:
    // Chooses the backend. Without a usable device "cuda" fails with advice (Exit::Device), and "auto" takes
    // the CPU.
    explicit Exec(const ExecOptions& options = {});
    ~Exec();
    Exec(const Exec&) = delete;
    Exec& operator=(const Exec&) = delete;

    Backend backend() const { return m_backend; }
    bool onCuda() const { return m_backend == Backend::Cuda; }
    int threads() const { return m_threads; }
    // One line for logs and overlay: the device, and why it was chosen.
    const std::string& description() const { return m_description; }

    Profiler profiler;
    Scratch& scratch() { return *m_scratch; }

    // ---- device memory ----
    // 256-byte aligned. Fails (Exit::Simulation) when out of memory.
    void* allocate(size_t bytes);
    void release(void* memory);
    void copyToHost(void* host, const void* memory, size_t bytes);
    void copyFromHost(void* memory, const void* host, size_t bytes);
    void copyWithin(void* to, const void* from, size_t bytes);
    void fillBytes(void* memory, int byte, size_t bytes);
    template <class T>
    void fillBytes(View<T> view, int byte) {
        fillBytes(view.data, byte, view.size * sizeof(T));
    }
    size_t allocatedBytes() const { return m_allocated; }
    size_t peakBytes() const { return m_peak; }
    size_t availableBytes() const;  // free memory

    // Waits until all launches have finished; turns a pending device error into an Error that names the
    // launch.
    void synchronize(const char* after = "synchronize");
    void* stream() const { return m_stream; }  // cudaStream_t on CUDA

    // ---- CPU: runs work(begin, end) over 0..n in fixed chunks, on all threads ----
    void parallelFor(int64_t n, int64_t chunk, const std::function<void(int64_t, int64_t)>& work);
    bool shuffled() const { return m_shuffle != 0; }

    // ---- profiling of one launch; CUDA times with events ----
    class Timer {
    public:
        Timer(Exec& exec, const char* name);
        ~Timer();

    private:
        Exec& m_exec;
        const char* m_name;
        double m_start = 0;
        bool m_active;
    };
    // Collects event times of the frame; called once per frame.
    void endFrame();

private:
    struct Threads;
    struct Events;
    Backend m_backend = Backend::Cpu;
    int m_threads = 1;
    uint64_t m_shuffle = 0, m_shuffleCount = 0;
    std::string m_description;
    void* m_stream = nullptr;
    std::unordered_map<void*, size_t> m_blocks;  // allocated blocks, with their bytes
    size_t m_allocated = 0, m_peak = 0;
    std::unique_ptr<Threads> m_pool;
    std::unique_ptr<Events> m_events;
    std::unique_ptr<Scratch> m_scratch;
};

}  // namespace coalesce
