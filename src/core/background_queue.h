// Runs jobs on a background thread, in order; none is dropped. A full queue blocks the producer.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace coalesce {

template <class Job>
class BackgroundQueue {
public:
    // length: largest number of waiting jobs; bounds the memory when the work is slower than the producer
    BackgroundQueue(size_t length, std::function<void(Job)> work)
        : m_length(length), m_work(std::move(work)), m_thread([this] { run(); }) {}

    // Without finish(), waiting jobs are discarded.
    ~BackgroundQueue() {
        {
            std::lock_guard lock(m_mutex);
            m_jobs.clear();
        }
        stop();
    }

    // Waits while the queue is full. Rethrows an error of the work; no job runs after an error.
    void waitForSlot() {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [this] { return m_jobs.size() < m_length || m_failure; });
        if (m_failure) std::rethrow_exception(m_failure);
    }
    void push(Job job) {
        waitForSlot();  // there is a single producer, so the slot stays free
        std::lock_guard lock(m_mutex);
        m_jobs.push_back(std::move(job));
        m_changed.notify_all();
    }
    // Waits until all jobs are done; rethrows an error of the work.
    void finish() {
        stop();
        if (m_failure) std::rethrow_exception(m_failure);
    }

private:
    void stop() {
        {
            std::lock_guard lock(m_mutex);
            m_closed = true;
            m_changed.notify_all();
        }
        if (m_thread.joinable()) m_thread.join();
    }

    void run() {
        for (;;) {
            std::unique_lock lock(m_mutex);
            m_changed.wait(lock, [this] { return !m_jobs.empty() || m_closed; });
            if (m_jobs.empty()) return;
            Job job = std::move(m_jobs.front());
            m_jobs.pop_front();
            m_changed.notify_all();
            lock.unlock();
            try {
                m_work(std::move(job));
            } catch (...) {
                lock.lock();
                m_failure = std::current_exception();
                m_changed.notify_all();
                return;
            }
        }
    }

    const size_t m_length;
    std::function<void(Job)> m_work;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Job> m_jobs;
    bool m_closed = false;
    std::exception_ptr m_failure;
    std::thread m_thread;  // last: its thread uses the other members
};

}  // namespace coalesce
