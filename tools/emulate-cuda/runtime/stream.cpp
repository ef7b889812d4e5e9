#include "stream.h"

#include <unordered_set>
#include <utility>

#include "findings.h"

namespace emulated {

namespace {

std::unordered_set<Stream*>& streams() {
    static auto* made = new std::unordered_set<Stream*>;
    return *made;
}

}  // namespace

void Stream::add(std::string kind, std::function<void()> operation) {
    if (m_captured) return m_recorded.push_back({std::move(kind), std::move(operation)});
    ++m_added;
    m_waiting.push_back(std::move(operation));
    if (options().eager) runAll();
}

std::vector<Operation> Stream::endCapture() {
    m_captured = false;
    return std::exchange(m_recorded, {});
}

void Stream::runUntil(uint64_t number) {
    if (m_captured) addFinding("a wait for a stream whose launches are being captured", hostStack);
    while (m_done < number && !m_waiting.empty()) {
        auto operation = std::move(m_waiting.front());
        m_waiting.pop_front();
        operation();
        ++m_done;
    }
}

Stream* makeStream() {
    auto* made = new Stream;
    streams().insert(made);
    return made;
}
void destroyStream(Stream* stream) {
    stream->runAll();
    streams().erase(stream);
    delete stream;
}
bool exists(const Stream* stream) {
    return streams().count(const_cast<Stream*>(stream)) > 0;
}

Stream& streamOf(cudaStream_t handle) {
    static Stream* standard = makeStream();
    if (handle == nullptr) return *standard;
    auto* stream = reinterpret_cast<Stream*>(handle);
    if (!exists(stream)) stop("a stream that does not exist");
    return *stream;
}

void runEverything() {
    for (Stream* stream : streams()) stream->runAll();
}

}  // namespace emulated
