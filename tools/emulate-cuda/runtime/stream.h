// Streams run as late as CUDA's rules allow: an operation is executed only when something waits for it.
#pragma once

#include <chrono>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <deque>
#include <functional>

namespace emulated {

class Stream {
public:
    void add(std::function<void()> operation);
    void runUntil(uint64_t number);
    void runAll() { runUntil(m_added); }
    uint64_t added() const { return m_added; }
    uint64_t done() const { return m_done; }

private:
    std::deque<std::function<void()>> m_waiting;
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
