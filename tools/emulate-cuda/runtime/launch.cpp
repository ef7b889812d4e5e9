#include "launch.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <sys/mman.h>

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
uint32_t launches = 0;

// ---- the threads of one block as fibers ----

struct Fiber {
    uint8_t* stack = nullptr;
    void* stackPointer = nullptr;
    bool alive = false, ready = false, atBarrier = false, inWarp = false;
    uint32_t value = 0, mask = 0;  // that it brings to its warp
    WarpValues values;             // of the warp, when it goes on
    Thread thread;
};

class BlockOfFibers {
public:
    void run(const Thread& block);
    bool barrier(bool mine);
    const WarpValues& exchange(uint32_t mine, uint32_t mask);
    void leave() { emulated_switch(&m_fibers[m_current].stackPointer, m_scheduler); }

private:
    static constexpr size_t kStack = 512 << 10;

    static void enter();
    void prepare(uint32_t k, const Thread& block);
    void finish();
    void releaseBarrier();
    void releaseWarp(uint32_t first, uint32_t mask);

    std::vector<Fiber> m_fibers;
    uint32_t m_count = 0, m_alive = 0, m_current = 0, m_atBarrier = 0;
    bool m_any = false, m_result = false;  // of the barrier's votes
    void* m_scheduler = nullptr;
};
BlockOfFibers fibers;

void BlockOfFibers::enter() {
    Fiber& f = fibers.m_fibers[fibers.m_current];
    running->run(f.thread);
    fibers.finish();
    fibers.leave();
    stop("a thread that has ended was continued");
}

void BlockOfFibers::prepare(uint32_t k, const Thread& block) {
    Fiber& f = m_fibers[k];
    if (!f.stack) {
        void* memory =
            mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) stop("no memory for the stack of a device thread");
        f.stack = static_cast<uint8_t*>(memory);
    }
    f.thread = block;
    f.thread.tid = k;
    f.thread.index = block.ctaid * block.ntid + k;
    f.alive = f.ready = true;
    f.atBarrier = f.inWarp = false;
    // what emulated_switch pops: six registers and the address to return to; then a word that aligns the
    // stack
    auto** top = reinterpret_cast<void**>(f.stack + kStack);
    *--top = nullptr;
    *--top = reinterpret_cast<void*>(enter);
    for (int r = 0; r < 6; ++r) *--top = nullptr;
    f.stackPointer = top;
}

void BlockOfFibers::run(const Thread& block) {
    if (m_fibers.size() < block.ntid) m_fibers.resize(block.ntid);
    m_count = m_alive = block.ntid;
    m_atBarrier = 0, m_any = false;
    for (uint32_t k = 0; k < m_count; ++k) prepare(k, block);
    while (m_alive > 0) {
        bool any = false;
        for (uint32_t k = 0; k < m_count; ++k) {
            m_current = options().order == 1 ? m_count - 1 - k : k;
            Fiber& f = m_fibers[m_current];
            if (!f.alive || !f.ready) continue;
            any = true;
            runningNow = &f.thread;
            emulated_switch(&m_scheduler, f.stackPointer);
        }
        if (!any)
            stop("DEADLOCK in " + demangled(running->name) + ", block " + std::to_string(block.ctaid) + ": " +
                 std::to_string(m_alive) + " threads alive, " + std::to_string(m_atBarrier) +
                 " at the barrier");
    }
}

void BlockOfFibers::finish() {
    Fiber& f = m_fibers[m_current];
    f.alive = f.ready = false;
    --m_alive;
    // those that wait for this thread no longer do
    releaseBarrier();
    const uint32_t first = m_current / kWarp * kWarp, last = std::min(first + kWarp, m_count);
    for (uint32_t k = first; k < last; ++k)
        if (m_fibers[k].alive && m_fibers[k].inWarp) releaseWarp(first, m_fibers[k].mask);
}

void BlockOfFibers::releaseBarrier() {
    if (m_atBarrier == 0 || m_atBarrier < m_alive) return;
    m_result = m_any;
    m_any = false;
    m_atBarrier = 0;
    for (uint32_t k = 0; k < m_count; ++k)
        if (m_fibers[k].alive && m_fibers[k].atBarrier)
            m_fibers[k].atBarrier = false, m_fibers[k].ready = true;
}

// Continues the lanes that wait with this mask once all of its lanes that are alive do.
void BlockOfFibers::releaseWarp(uint32_t first, uint32_t mask) {
    const uint32_t last = std::min(first + kWarp, m_count);
    WarpValues values{};
    for (uint32_t j = first; j < last; ++j) {
        const Fiber& f = m_fibers[j];
        if (!(mask >> (j - first) & 1) || !f.alive) continue;
        if (!f.inWarp || f.mask != mask) return;
        values.mask |= 1u << (j - first);
    }
    // the value of a lane that takes no part is undefined
    for (uint32_t j = first; j < first + kWarp; ++j)
        values.value[j - first] = values.mask >> (j - first) & 1 ? m_fibers[j].value : 0xdeadbeef;
    for (uint32_t j = first; j < last; ++j)
        if (values.mask >> (j - first) & 1)
            m_fibers[j].values = values, m_fibers[j].inWarp = false, m_fibers[j].ready = true;
}

bool BlockOfFibers::barrier(bool mine) {
    Fiber& f = m_fibers[m_current];
    m_any |= mine;
    f.atBarrier = true, f.ready = false;
    ++m_atBarrier;
    releaseBarrier();
    if (!f.ready) leave();
    return m_result;
}

const WarpValues& BlockOfFibers::exchange(uint32_t mine, uint32_t mask) {
    Fiber& f = m_fibers[m_current];
    if (!(mask >> (f.thread.tid % kWarp) & 1)) badAccess(f.thread, "warp mask without its own lane", mask, 4);
    f.value = mine, f.mask = mask, f.inWarp = true, f.ready = false;
    releaseWarp(m_current / kWarp * kWarp, mask);
    if (!f.ready) leave();
    return f.values;
}

// ---- threads without barriers, one after the other ----

uint64_t mixed(uint64_t z) {  // splitmix64
    z += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

void runThreads(const Kernel& kernel, Thread t) {
    runningNow = &t;
    const uint64_t n = uint64_t{t.nctaid} * t.ntid;
    const auto run = [&](uint64_t i) {
        t.ctaid = uint32_t(i / t.ntid), t.tid = uint32_t(i % t.ntid), t.index = uint32_t(i);
        kernel.run(t);
    };
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
    fibers.leave();
}

const Kernel* runningKernel() {
    return running;
}
const Thread* runningThread() {
    return runningNow;
}
uint32_t launchNumber() {
    return launches;
}

void runKernel(const Kernel& kernel, uint32_t grid, uint32_t block, const std::vector<uint8_t>& params,
               size_t dynamicShared) {
    const auto start = std::chrono::steady_clock::now();
    ++launches;
    running = &kernel;
    beginCounting();
    std::vector<uint8_t> shared(kernel.sharedBytes + dynamicShared + 16);
    Thread t{0, block, 0, grid, params.data(), shared.data(), uint32_t(kernel.sharedBytes + dynamicShared),
             0};
    if (!kernel.fibers) {
        runThreads(kernel, t);
    } else {
        for (t.ctaid = 0; t.ctaid < grid; ++t.ctaid) {
            std::fill(shared.begin(), shared.end(), uint8_t{0xcd});
            fibers.run(t);
        }
    }
    endCounting(kernel.name, uint64_t{grid} * block);
    running = nullptr, runningNow = nullptr;
    noteLaunch(kernel.name, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

}  // namespace emulated
