#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <semaphore>
#include <stdexcept>
#include <vector>

#include "core/background_queue.h"

namespace coalesce::test {
namespace {

TEST(BackgroundQueue, KeepsOrderAndDropsNothing) {
    std::vector<int> done;
    BackgroundQueue<int> queue(3, [&](int job) { done.push_back(job); });
    for (int k = 0; k < 1000; ++k) queue.push(k);
    queue.finish();
    ASSERT_EQ(done.size(), 1000u);
    for (int k = 0; k < 1000; ++k) EXPECT_EQ(done[size_t(k)], k);
}

TEST(BackgroundQueue, AFullQueueBlocksTheProducer) {
    std::counting_semaphore<> allowed(0);
    std::atomic<int> begun = 0, given = 0;
    BackgroundQueue<int> queue(2, [&](int) { ++begun, allowed.acquire(); });
    std::thread giver([&] {
        for (int k = 0; k < 10; ++k) queue.push(k), ++given;
    });
    for (int finished = 0; finished < 7; ++finished) {
        // one job in work and two waiting, besides those that are finished
        while (given < finished + 3 || begun < finished + 1) std::this_thread::yield();
        EXPECT_EQ(given, finished + 3);
        allowed.release();
    }
    allowed.release(3);
    giver.join();
    queue.finish();
    EXPECT_EQ(begun, 10);
}

TEST(BackgroundQueue, ErrorsOfTheWorkReachTheProducer) {
    int done = 0;
    BackgroundQueue<int> queue(1, [&](int job) {
        if (job == 3) throw std::runtime_error("three");
        ++done;
    });
    EXPECT_THROW(for (int k = 0; k < 100; ++k) queue.push(k), std::runtime_error);
    EXPECT_THROW(queue.finish(), std::runtime_error);
    EXPECT_EQ(done, 3);
}

TEST(BackgroundQueue, DestructionWithoutFinishDiscardsWaitingJobs) {
    std::atomic<int> begun = 0;
    {
        // the first job runs until the others have been discarded
        BackgroundQueue<std::shared_ptr<int>> queue(5, [&](const std::shared_ptr<int>& job) {
            ++begun;
            while (job.use_count() > 1) std::this_thread::yield();
        });
        auto token = std::make_shared<int>();
        for (int k = 0; k < 5; ++k) queue.push(token);
        while (begun == 0) std::this_thread::yield();
    }
    EXPECT_EQ(begun, 1);
}

}  // namespace
}  // namespace coalesce::test
