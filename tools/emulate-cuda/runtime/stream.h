// Streams run as late as CUDA's rules allow: an operation is executed only when something waits for it.
#pragma once

#include <chrono>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace emulated {

struct Operation {
    std::string kind;  // name of the kernel, or what else it is
    std::function<void()> run;
};

class Stream {
public:
    // While the stream is captured, operations are recorded instead.
    void add(std::string kind, std::function<void()> operation);
    void runUntil(uint64_t number);
    void runAll() { runUntil(m_added); }
    uint64_t added() const { return m_added; }
    uint64_t done() const { return m_done; }

    bool captured() const { return m_captured; }
    void beginCapture() { m_captured = true; }
    std::vector<Operation> endCapture();

private:
    std::deque<std::function<void()>> m_waiting;
    std::vector<Operation> m_recorded;
    bool m_captured = false;
    uint64_t m_added = 0, m_done = 0;
};

struct Event {
    Stream* stream = nullptr;  // in which it was recorded
    uint64_t number = 0;       // operations of that stream before it, itself included
    std::chrono::steady_clock::time_point time;
};

Stream* makeStream();
void destroyStream(Stream* stream);
bool exists(const Stream* stream);
// The stream behind CUDA's handle; null is the default stream. Stops the program for a destroyed one.
Stream& streamOf(cudaStream_t handle);
// All streams, as cudaFree and cudaDeviceSynchronize do.
void runEverything();

}  // namespace emulated
