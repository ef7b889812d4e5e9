// Execution backend of a simulation: CPU threads, or one CUDA device with one stream. An Exec is used by the
// thread that created it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/profiler.h"
#include "kernels/math/view.h"

namespace coalesce {

class Scratch;

enum class Backend { Cpu, Cuda };

struct ExecOptions {
    std::string backend = "auto";  // auto | cuda | cpu
    int threads = 0;               // CPU threads; 0: all hardware threads
    uint64_t shuffle = 0;  // not 0: run chunks in a random order of this seed (finds hidden order dependence)
    int device = -1;       // CUDA device the user asked for; -1: the first usable one, preferredDevice first
    int preferredDevice = 0;
};

class Exec {
public:
    // Chooses the backend. Without a usable device "cuda" fails with advice (Exit::Device) and "auto" falls
    // back to the CPU; a device that the user asked for is never replaced.
    explicit Exec(const ExecOptions& options = {});
    ~Exec();
    Exec(const Exec&) = delete;
    Exec& operator=(const Exec&) = delete;

    Backend backend() const { return m_backend; }
    bool onCuda() const { return m_backend == Backend::Cuda; }
    int threads() const { return m_threads; }
    int cudaDevice() const { return m_device; }  // index among the visible devices; -1 on the CPU
    // One line for logs and overlay: the backend, and why CUDA was not used.
    const std::string& description() const { return m_description; }

    Profiler profiler;
    Scratch& scratch() { return *m_scratch; }

    // ---- memory of the backend; copies and fills of 0 bytes do nothing ----
    // 256-byte aligned. Exit::Simulation with required and available memory when there is not enough.
    void* allocate(size_t bytes);
    void release(void* memory);
    void copyToHost(void* host, const void* memory, size_t bytes);
    struct Download {
        void* host;
        const void* memory;
        size_t bytes;
    };
    void copyToHost(std::span<const Download> downloads);  // waits once for all
    // Host memory that is not pinned has been read when the call returns. Waits for the
    // device only where it reads such memory itself.
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

    // Waits for all launches; reports a pending device error as an Error that names the launch.
    void synchronize(const char* after = "synchronize");
    void* stream() const { return m_stream; }  // cudaStream_t on CUDA

    // ---- CUDA: launches, copies within the device and fills as graphs, which cost less per launch ----
    // What waits for the device or takes memory first submits what was recorded; memory that is released
    // meanwhile is free after that. Nothing is recorded on the CPU, and while launches are timed, observed or
    // checked one by one.
    class Batch {
    public:
        explicit Batch(Exec& exec);
        ~Batch();       // drops what was not submitted
        void flush();   // submits what was recorded: the device works on it while more is recorded
        void submit();  // and ends the batch
        Batch(const Batch&) = delete;
        Batch& operator=(const Batch&) = delete;

    private:
        Exec& m_exec;
    };

    // ---- CPU: runs work(begin, end) over 0..n in fixed chunks, on all threads ----
    void parallelFor(int64_t n, int64_t chunk, const std::function<void(int64_t, int64_t)>& work);
    bool shuffled() const { return m_shuffle != 0; }

    // ---- profiling: launches between beginFrame and endFrame while profiler.enabled; CUDA uses events ----
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
    void beginFrame();  // drops the times of a frame that was not ended
    void endFrame();    // collects event times, which waits for the device

private:
    struct Threads;
    struct Events;
    struct Graphs;
    class Pause;
    void beginRecording();
    void submitRecording();
    void dropRecording();
    void freeReleased();
    Backend m_backend = Backend::Cpu;
    int m_threads = 1, m_device = -1;
    bool m_profiling = false;  // within a frame that is profiled
    bool m_recording = false;  // within a batch
    uint64_t m_shuffle = 0, m_shuffleCount = 0;
    std::string m_description;
    void* m_stream = nullptr;
    void* m_memoryPool = nullptr;   // cudaMemPool_t; null: the device has none
    std::vector<void*> m_released;  // while launches that may use them were recorded
    bool m_readsPageable = false;   // the device reads host memory that is not pinned (Grace Hopper, HMM)
    void* m_pinned = nullptr;       // where several downloads arrive
    size_t m_pinnedBytes = 0;
    std::unordered_map<void*, size_t> m_blocks;  // allocations and their sizes [bytes]
    size_t m_allocated = 0, m_peak = 0;
    std::unique_ptr<Threads> m_pool;
    std::unique_ptr<Events> m_events;
    std::unique_ptr<Graphs> m_graphs;
    std::unique_ptr<Scratch> m_scratch;
};

}  // namespace coalesce
