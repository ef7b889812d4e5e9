#include "launch.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <map>
#include <string>
#include <sys/mman.h>
#include <utility>

#include "counts.h"
#include "findings.h"

// Saves the callee-saved registers and the stack pointer in *from, and continues on the stack `to`.
extern "C" void emulated_switch(void** from, void* to);
asm(R"(
.text
.globl emulated_switch
.hidden emulated_switch
emulated_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
)");

namespace emulated {

namespace {

constexpr uint32_t kWarp = 32;

std::map<std::string, Kernel>& kernels() {
    static auto* made = new std::map<std::string, Kernel>;
    return *made;
}

const Kernel* running = nullptr;
const Thread* runningNow = nullptr;
Unordered runningUnordered = Unordered::threads;
uint32_t launches = 0;

// ---- the threads of one block as fibers ----

struct Fiber {
    void* stackPointer = nullptr;
    WarpValues values;  // of the warp, when it goes on
    Thread thread;
};

// Sets of lanes have a bit for each.
struct Warp {
    uint32_t alive, ready, yielded, atBarrier, exchanging;
    uint32_t value[kWarp], mask[kWarp];  // that the lanes bring to an exchange
};

// Runs each warp as far as it comes before the next one, so that few stacks are in use at a time.
class BlockOfFibers {
public:
    void run(const Thread& block);
    bool barrier(bool mine);
    const WarpValues& exchange(uint32_t mine, uint32_t mask);
    void yield();

private:
    // not a multiple of the page size: the tops of all stacks would share a few lines of the cache
    static constexpr size_t kStack = (512 << 10) + 576;

    static void enter();
    void prepare(uint32_t k, const Thread& block);
    bool runReady(uint32_t w);
    void leave() { emulated_switch(&m_fibers[m_current].stackPointer, m_scheduler); }
    void finish();
    void releaseBarrier();
    void release(uint32_t w, uint32_t mask);
    uint32_t lane() const { return 1u << m_current % kWarp; }

    uint8_t* m_stacks = nullptr;
    std::vector<Fiber> m_fibers;
    std::vector<Warp> m_warps;
    uint32_t m_alive = 0, m_current = 0, m_atBarrier = 0;
    bool m_any = false, m_result = false;  // of the barrier's votes
    void* m_scheduler = nullptr;
};
BlockOfFibers fibers;

void BlockOfFibers::enter() {
    running->run(fibers.m_fibers[fibers.m_current].thread);
    fibers.finish();
    fibers.leave();
    stop("a thread that has ended was continued");
}

void BlockOfFibers::prepare(uint32_t k, const Thread& block) {
    Fiber& f = m_fibers[k];
    f.thread = block;
    f.thread.tid = k;
    f.thread.index = block.ctaid * block.ntid + k;
    // what emulated_switch pops: six registers and the address to return to; then a word that aligns the
    // stack
    auto** top = reinterpret_cast<void**>(m_stacks + (k + 1) * kStack);
    *--top = nullptr;
    *--top = reinterpret_cast<void*>(enter);
    for (int r = 0; r < 6; ++r) *--top = nullptr;
    f.stackPointer = top;
}

void BlockOfFibers::run(const Thread& block) {
    if (!m_stacks) {
        void* memory = mmap(nullptr, kMaxThreads * kStack, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) stop("no memory for the stacks of device threads");
        m_stacks = static_cast<uint8_t*>(memory);
    }
    if (m_fibers.size() < block.ntid) m_fibers.resize(block.ntid);
    m_alive = block.ntid;
    m_atBarrier = 0, m_any = false;
    for (uint32_t k = 0; k < block.ntid; ++k) prepare(k, block);
    m_warps.assign((block.ntid + kWarp - 1) / kWarp, {});
    for (uint32_t w = 0; w < m_warps.size(); ++w) {
        const uint32_t lanes = std::min(block.ntid - w * kWarp, kWarp);
        m_warps[w].alive = m_warps[w].ready = ~0u >> (kWarp - lanes);
    }
    while (m_alive > 0) {
        bool any = false;
        for (uint32_t w = 0; w < m_warps.size(); ++w)
            any |= runReady(options().order == 1 ? uint32_t(m_warps.size()) - 1 - w : w);
        if (!any)
            stop("DEADLOCK in " + demangled(running->name) + ", block " + std::to_string(block.ctaid) + ": " +
                 std::to_string(m_alive) + " threads alive, " + std::to_string(m_atBarrier) +
                 " at the barrier");
    }
}

// Runs the lanes of a warp until all wait, have yielded or have ended; whether there were any.
bool BlockOfFibers::runReady(uint32_t w) {
    Warp& warp = m_warps[w];
    warp.ready |= std::exchange(warp.yielded, 0);
    const bool any = warp.ready != 0;
    while (warp.ready != 0) {
        const bool backward = options().order == 1;
        m_current =
            w * kWarp + uint32_t(backward ? 31 - std::countl_zero(warp.ready) : std::countr_zero(warp.ready));
        runningNow = &m_fibers[m_current].thread;
        warp.ready &= ~lane();  // it sets this bit again where it may go on
        emulated_switch(&m_scheduler, m_fibers[m_current].stackPointer);
    }
    return any;
}

void BlockOfFibers::finish() {
    Warp& warp = m_warps[m_current / kWarp];
    warp.alive &= ~lane();
    --m_alive;
    // those that wait for this thread no longer do
    releaseBarrier();
    for (uint32_t left = warp.exchanging; left != 0; left &= warp.exchanging & (left - 1))
        release(m_current / kWarp, warp.mask[std::countr_zero(left)]);
}

void BlockOfFibers::releaseBarrier() {
    if (m_atBarrier == 0 || m_atBarrier < m_alive) return;
    m_result = m_any;
    m_any = false;
    m_atBarrier = 0;
    for (Warp& warp : m_warps) warp.ready |= std::exchange(warp.atBarrier, 0);
}

// Continues the lanes that wait with this mask once all of its lanes that are alive do.
void BlockOfFibers::release(uint32_t w, uint32_t mask) {
    Warp& warp = m_warps[w];
    const uint32_t lanes = mask & warp.alive;
    if ((lanes & ~warp.exchanging) != 0) return;
    for (uint32_t j = 0; j < kWarp; ++j)
        if (lanes >> j & 1 && warp.mask[j] != mask) return;
    WarpValues values{.mask = lanes};
    // the value of a lane that takes no part is undefined
    for (uint32_t j = 0; j < kWarp; ++j) values.value[j] = lanes >> j & 1 ? warp.value[j] : 0xdeadbeef;
    for (uint32_t j = 0; j < kWarp; ++j)
        if (lanes >> j & 1) m_fibers[w * kWarp + j].values = values;
    warp.exchanging &= ~lanes;
    warp.ready |= lanes;
}

bool BlockOfFibers::barrier(bool mine) {
    m_any |= mine;
    m_warps[m_current / kWarp].atBarrier |= lane();
    ++m_atBarrier;
    releaseBarrier();
    leave();
    return m_result;
}

const WarpValues& BlockOfFibers::exchange(uint32_t mine, uint32_t mask) {
    Fiber& f = m_fibers[m_current];
    if (!(mask & lane())) badAccess(f.thread, "warp mask without its own lane", mask, 4);
    Warp& warp = m_warps[m_current / kWarp];
    const uint32_t j = m_current % kWarp;
    warp.value[j] = mine, warp.mask[j] = mask, warp.exchanging |= lane();
    release(m_current / kWarp, mask);
    leave();
    return f.values;
}

void BlockOfFibers::yield() {
    m_warps[m_current / kWarp].yielded |= lane();
    leave();
}

// ---- threads without barriers, one after the other ----

uint64_t mixed(uint64_t z) {  // splitmix64
    z += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

// Calls run(i) for i = 0 … n − 1 in the order of EMULATE_ORDER.
void runInOrder(uint64_t n, const auto& run) {
    if (options().order == 0) {
        for (uint64_t i = 0; i < n; ++i) run(i);
    } else if (options().order == 1) {
        for (uint64_t i = n; i-- > 0;) run(i);
    } else {
        std::vector<uint32_t> order(n);
        for (uint64_t i = 0; i < n; ++i) order[i] = uint32_t(i);
        uint64_t state = mixed(uint64_t(options().order)) + launches * 0x9e3779b97f4a7c15ull;
        for (uint64_t i = n; i-- > 1;) std::swap(order[i], order[mixed(state++) % (i + 1)]);
        for (const uint32_t i : order) run(i);
    }
}

void runThreads(const Kernel& kernel, Thread t) {
    runningNow = &t;
    runInOrder(uint64_t{t.nctaid} * t.ntid, [&](uint64_t i) {
        t.ctaid = uint32_t(i / t.ntid), t.tid = uint32_t(i % t.ntid), t.index = uint32_t(i);
        kernel.run(t);
    });
}

// ---- blocks with barriers ----

void runBlocks(const Kernel& kernel, Thread t, std::vector<uint8_t>& shared) {
    const auto run = [&](uint64_t block) {
        t.ctaid = uint32_t(block);
        std::fill(shared.begin(), shared.end(), uint8_t{0xcd});
        fibers.run(t);
    };
    if (unordered() == Unordered::none)  // a block may wait for earlier ones
        for (uint64_t block = 0; block < t.nctaid; ++block) run(block);
    else
        runInOrder(t.nctaid, run);
}

}  // namespace

Registrar::Registrar(const Kernel* list, size_t count) {
    for (size_t k = 0; k < count; ++k) kernels().emplace(list[k].name, list[k]);
}
const Kernel* findKernel(const char* name) {
    const auto it = kernels().find(name);
    return it == kernels().end() ? nullptr : &it->second;
}

bool blockBarrier(bool mine) {
    return fibers.barrier(mine);
}
const WarpValues& exchangeInWarp(uint32_t mine, uint32_t mask) {
    return fibers.exchange(mine, mask);
}
void yieldThread() {
    fibers.yield();
}

const Kernel* runningKernel() {
    return running;
}
const Thread* runningThread() {
    return runningNow;
}
Unordered unordered() {
    return runningUnordered;
}
uint32_t launchNumber() {
    return launches;
}

void runKernel(const Kernel& kernel, uint32_t grid, uint32_t block, const std::vector<uint8_t>& params,
               size_t dynamicShared) {
    const auto start = std::chrono::steady_clock::now();
    ++launches;
    running = &kernel;
    runningUnordered = !kernel.fibers                     ? Unordered::threads
                       : std::strstr(kernel.name, "3cub") ? Unordered::none
                                                          : Unordered::blocks;
    beginCounting();
    std::vector<uint8_t> shared(kernel.sharedBytes + dynamicShared + 16);
    Thread t{0, block, 0, grid, params.data(), shared.data(), uint32_t(kernel.sharedBytes + dynamicShared),
             0};
    if (kernel.fibers)
        runBlocks(kernel, t, shared);
    else
        runThreads(kernel, t);
    endCounting(kernel.name, uint64_t{grid} * block);
    running = nullptr, runningNow = nullptr;
    noteLaunch(kernel.name, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

}  // namespace emulated
