// CUDA graphs: operations that were captured from a stream, launched again and again.
#include <cuda_runtime_api.h>
#include <memory>
#include <vector>

#include "findings.h"
#include "stream.h"

#define API extern "C" __attribute__((visibility("default")))

namespace emulated {

namespace {

using Graph = std::vector<Operation>;

Graph& graphOf(cudaGraph_t handle) {
    return *reinterpret_cast<Graph*>(handle);
}
// An executable graph shares its operations with the launches that have not run yet.
using Executable = std::shared_ptr<const Graph>;
Executable& executableOf(cudaGraphExec_t handle) {
    return *reinterpret_cast<Executable*>(handle);
}

// Whether one can be updated to the other: the same operations
// in the same order. A kernel may be another one.
bool sameShape(const Graph& a, const Graph& b) {
    const auto isMemory = [](const Operation& o) { return o.kind == "copy" || o.kind == "fill"; };
    if (a.size() != b.size()) return false;
    for (size_t k = 0; k < a.size(); ++k)
        if ((isMemory(a[k]) || isMemory(b[k])) && a[k].kind != b[k].kind) return false;
    return true;
}

}  // namespace

}  // namespace emulated

using namespace emulated;

API cudaError_t cudaStreamBeginCapture(cudaStream_t s, cudaStreamCaptureMode) {
    Stream& stream = streamOf(s);
    if (stream.captured()) return cudaErrorIllegalState;
    stream.beginCapture();
    return cudaSuccess;
}
API cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t* graph) {
    Stream& stream = streamOf(s);
    *graph = nullptr;
    if (!stream.captured()) return cudaErrorIllegalState;
    *graph = reinterpret_cast<cudaGraph_t>(new Graph(stream.endCapture()));
    return cudaSuccess;
}
API cudaError_t cudaStreamIsCapturing(cudaStream_t s, cudaStreamCaptureStatus* status) {
    *status = streamOf(s).captured() ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}
API cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
    if (nodes) stop("the nodes of a graph are not emulated; only their number is");
    *count = graphOf(graph).size();
    return cudaSuccess;
}
API cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long) {
    noteCall("cudaGraphInstantiate");
    *made = reinterpret_cast<cudaGraphExec_t>(new Executable(std::make_shared<const Graph>(graphOf(graph))));
    return cudaSuccess;
}
API cudaError_t cudaGraphExecUpdate(cudaGraphExec_t made, cudaGraph_t graph,
                                    cudaGraphExecUpdateResultInfo* info) {
    noteCall("cudaGraphExecUpdate");
    *info = {};
    if (!sameShape(*executableOf(made), graphOf(graph))) {
        info->result = cudaGraphExecUpdateErrorTopologyChanged;
        return cudaErrorGraphExecUpdateFailure;
    }
    executableOf(made) = std::make_shared<const Graph>(graphOf(graph));
    return cudaSuccess;
}
API cudaError_t cudaGraphLaunch(cudaGraphExec_t made, cudaStream_t s) {
    noteCall("cudaGraphLaunch");
    const Executable graph = executableOf(made);
    for (size_t k = 0; k < graph->size(); ++k)
        streamOf(s).add((*graph)[k].kind, [graph, k] { (*graph)[k].run(); });
    return cudaSuccess;
}
API cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    delete &graphOf(graph);
    return cudaSuccess;
}
API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t made) {
    delete &executableOf(made);
    return cudaSuccess;
}
