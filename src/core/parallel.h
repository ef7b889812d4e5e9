// Loops whose iterations run on all threads, in any order.
#pragma once

#include <tbb/parallel_for.h>

#ifdef __SANITIZE_THREAD__
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace coalesce {

// work(i) for first ≤ i < last. The iterations may not depend on each other.
template <class Index, class Work>
void parallelFor(Index first, Index last, const Work& work) {
#ifdef __SANITIZE_THREAD__
    // The library of TBB is not compiled with the sanitizer, which therefore does not see that an iteration
    // begins after this call and ends before it returns. An iteration knows the place of `begun` without reading
    // anything that the caller wrote.
    static char begun;
    char ended;
    const auto iteration = [&](Index i) {
        __tsan_acquire(&begun);
        work(i);
        __tsan_release(&ended);
    };
    __tsan_release(&begun);
    tbb::parallel_for(first, last, iteration);
    __tsan_acquire(&ended);
#else
    tbb::parallel_for(first, last, work);
#endif
}

}  // namespace coalesce
