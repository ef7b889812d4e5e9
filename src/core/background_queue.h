// Work on a thread of its own, in order, nothing dropped: whoever gives more than it can do waits.
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
    // length: jobs that may wait; bounds the memory when the work is slower than what gives it
    BackgroundQueue(size_t length, std::function<void(Job)> work)
        : m_length(length), m_work(std::move(work)), m_thread([this] { run(); }) {}

    // Not finished: what waits is thrown away.
    ~BackgroundQueue() {
        {
            std::lock_guard lock(m_mutex);
            m_jobs.clear();
        }
        stop();
    }

    // Waits while the queue is full. Throws what the work stumbled over; nothing is worked on after that.
    void waitForRoom() {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [this] { return m_jobs.size() < m_length || m_failure; });
        if (m_failure) std::rethrow_exception(m_failure);
    }
    void push(Job job) {
        waitForRoom();  // one thread gives jobs, so that the room stays
        std::lock_guard lock(m_mutex);
        m_jobs.push_back(std::move(job));
        m_changed.notify_all();
    }
    // Waits until all is done, and throws what went wrong.
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
    std::thread m_thread;  // last: it uses all of the others
};

}  // namespace coalesce
