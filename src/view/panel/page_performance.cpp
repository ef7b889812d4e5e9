#include "view/panel/page_performance.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <imgui.h>
#include <thread>

#include "core/counted.h"
#include "sim/solver/roofline.h"
#include "sim/world/time_step.h"
#include "view/widgets/format.h"
#include "view/widgets/widgets.h"

namespace coalesce {

namespace {

constexpr size_t kBands = 7;
const ImU32 kBandColors[kBands + 1] = {IM_COL32(82, 158, 234, 255),  IM_COL32(240, 164, 72, 255),
                                       IM_COL32(108, 190, 110, 255), IM_COL32(222, 98, 104, 255),
                                       IM_COL32(160, 128, 214, 255), IM_COL32(96, 196, 196, 255),
                                       IM_COL32(216, 140, 188, 255), IM_COL32(128, 128, 136, 255)};

ImU32 colorOf(const StageHistory::Band& band, size_t index) {
    return kBandColors[band.name.empty() ? kBands : index % kBands];
}
const char* bandLabel(const StageHistory::Band& band) {
    return band.name.empty() ? "other" : band.name.c_str();
}

std::string megabytes(size_t bytes) {
    return fmt::format("{:.1f} MB", double(bytes) / 1e6);
}

// The history as stacked areas, the slowest stage at the bottom.
void drawStackedAreas(const StageHistory& history, const std::vector<StageHistory::Band>& bands) {
    const size_t frames = history.frames();
    const float width = ImGui::GetContentRegionAvail().x, height = ImGui::GetFontSize() * 7;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(at, {at.x + width, at.y + height}, IM_COL32(255, 255, 255, 10), 3);
    double largest = 1e-3;
    for (size_t f = 0; f < frames; ++f) largest = std::max(largest, history.total(f));
    const float scale = 0.95f * height / float(largest);
    const float step = width / float(StageHistory::kFrames);
    const float left = at.x + width - step * float(frames), bottom = at.y + height;
    std::vector<float> base(frames, 0);
    for (size_t b = 0; b < bands.size(); ++b) {
        const ImU32 color = colorOf(bands[b], b);
        for (size_t f = 0; f < frames; ++f) {
            const float top = base[f] + bands[b].ms[f], x = left + step * float(f);
            if (bands[b].ms[f] > 0)
                list->AddRectFilled({x, bottom - scale * top},
                                    {x + std::max(step, 1.0f), bottom - scale * base[f]}, color);
            base[f] = top;
        }
    }
    if (frames == 0) {
        const char* nothing = "No frame yet";
        const ImVec2 size = ImGui::CalcTextSize(nothing);
        list->AddText({at.x + (width - size.x) / 2, at.y + (height - size.y) / 2},
                      ImGui::GetColorU32(ImGuiCol_TextDisabled), nothing);
        ImGui::Dummy({width, height});
        return;
    }
    list->AddText({at.x + 4, at.y + 2}, IM_COL32(220, 220, 224, 255),
                  fmt::format("{:.3g} ms", largest).c_str());
    ImGui::Dummy({width, height});
    if (ImGui::IsItemHovered() && frames > 0) {
        const float x = (ImGui::GetMousePos().x - left) / step;
        const size_t f = std::min(frames - 1, size_t(std::max(x, 0.0f)));
        std::string text = fmt::format("{} frames ago: {:.3g} ms", frames - 1 - f, history.total(f));
        for (const auto& band : bands) text += fmt::format("\n{:.3g} ms  {}", band.ms[f], bandLabel(band));
        wrappedTooltip(text);
    }
}

void drawLegend(const char* id, const std::vector<StageHistory::Band>& bands) {
    if (!ImGui::BeginTable(id, 3, ImGuiTableFlags_SizingStretchProp)) return;
    ImGui::TableSetupColumn("color", ImGuiTableColumnFlags_WidthFixed, ImGui::GetFontSize());
    ImGui::TableSetupColumn("stage", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("ms", ImGuiTableColumnFlags_WidthFixed, ImGui::CalcTextSize("0000.00 ms").x);
    for (size_t b = 0; b < bands.size(); ++b) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        const ImVec2 p = ImGui::GetCursorScreenPos();
        const float size = ImGui::GetFontSize() * 0.7f;
        ImGui::GetWindowDrawList()->AddRectFilled({p.x, p.y + 3}, {p.x + size, p.y + 3 + size},
                                                  colorOf(bands[b], b), 2);
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(bandLabel(bands[b]));
        ImGui::TableNextColumn();
        ImGui::Text("%7.2f ms", bands[b].mean);
    }
    ImGui::EndTable();
}

void drawHistory(const char* id, const StageHistory& history) {
    const std::vector<StageHistory::Band> bands = history.bands(kBands);
    drawStackedAreas(history, bands);
    if (history.frames() > 0) drawLegend(id, bands);
}

// A curve per quantity, with its last value.
void drawConvergence(const ConvergenceHistory& history) {
    const std::vector<ConvergenceHistory::Curve> curves = history.curves();
    if (curves.empty()) {
        wrappedText("Shown after a frame, for liquids and for projective dynamics.");
        return;
    }
    for (const ConvergenceHistory::Curve& curve : curves) {
        const std::string id = std::string("##") + curve.name;
        const float last = curve.values.back();
        float most = 0;
        for (const float value : curve.values) most = std::fmax(most, value);  // of those that are known
        const std::string text =
            fmt::format("{} {:.3g}{}{}", curve.name, last, *curve.unit ? " " : "", curve.unit);
        ImGui::PlotLines(id.c_str(), curve.values.data(), int(curve.values.size()), 0, text.c_str(), 0,
                         most > 0 ? 1.05f * most : 1.0f,
                         {ImGui::GetContentRegionAvail().x, ImGui::GetFontSize() * 3});
        nameItem(std::string("performance.curve.") + curve.name);
        if (ImGui::IsItemHovered()) wrappedTooltip(curve.tooltip);
    }
}

void drawCounts(const World& world, const Status& status) {
    if (!beginFacts("counts")) return;
    fact("particles", withThousands(world.count()));
    if (world.particlesAdded != world.count() || world.particlesRemoved)
        fact("added, removed", fmt::format("{}, {}", withThousands(world.particlesAdded),
                                           withThousands(world.particlesRemoved)));
    if (!world.bodies.empty()) fact("bodies", withThousands(world.bodies.size()));
    if (const size_t springs = world.solids.springs.size()) fact("springs", withThousands(springs));
    if (!world.shapes.empty()) fact("shapes", withThousands(world.shapes.size()));
    const StatusBlock& worst = status.worst;
    if (worst.requiredNeighbors) fact("max neighbors", fmt::format("{}", worst.requiredNeighbors));
    if (worst.requiredPairs) fact("max contacts", fmt::format("{} per particle", worst.requiredPairs));
    if (worst.requiredContacts) fact("shape contacts", withThousands(worst.requiredContacts));
    if (worst.requiredCells) fact("occupied cells", withThousands(worst.requiredCells));
    fact("frame repeated", status.redone == 0 ? "no" : counted(size_t(status.redone), "time"),
         "When a neighbor or contact list overflows, it grows and the frame is simulated again.");
    ImGui::EndTable();
}

// Time of the last frame compared with the lower bound set by the device's memory and processors.
void drawRoofline(const World& world, double frameMs) {
    const Roofline roofline = rooflineOf(world);
    if (!beginFacts("roofline")) return;
    if (!roofline.why.empty())
        fact("roofline", roofline.why);
    else if (frameMs > 0)
        fact(
            "roofline",
            fmt::format("{:.0f} % of the device limit: {:.3g} ms of {:.3g} ms", 100 * roofline.ms / frameMs,
                        roofline.ms, frameMs),
            "Lower bound of the frame time from the device's memory bandwidth and arithmetic throughput, for "
            "this number of particles and iterations.");
    ImGui::EndTable();
}

FrameChoices choicesOf(const Session& session, const DrawFacts& facts) {
    const Exec& exec = session.exec();
    FrameChoices choices{.draft = facts.draft,
                         .points = facts.points,
                         .sizes = !session.scene().sizes.empty(),
                         .threads = exec.onCuda() ? 0 : exec.threads(),
                         .cores = int(std::thread::hardware_concurrency())};
    // "llvmpipe (LLVM 17.0.6, 256 bits)"
    if (facts.software) choices.software = facts.renderer.substr(0, facts.renderer.find(' '));
    return choices;
}

}  // namespace

void PagePerformance::record(const Session& session, std::span<const PassTime> passes) {
    const World& world = session.world();
    if (m_generation != session.generation()) m_simulation.clear(), m_drawing.clear(), m_convergence.clear();
    const bool isNew = m_generation != session.generation() || m_frame != world.frame;
    m_generation = session.generation(), m_frame = world.frame;
    std::vector<StageHistory::Sample> samples;
    if (!session.exec().profiler.enabled) {
        m_simulation.clear();
    } else if (isNew && world.frame > 0) {
        for (const Profiler::Row& row : session.exec().profiler.rows()) samples.push_back({row.name, row.ms});
        m_simulation.add(samples);
    }
    if (isNew && world.frame > 0) m_convergence.add(world);
    samples.clear();
    for (const PassTime& pass : passes) samples.push_back({pass.name, pass.milliseconds});
    if (!samples.empty()) m_drawing.add(samples);
}

// Of the frames of about a second.
FrameShares PagePerformance::shares(const Session& session, const DrawFacts& facts) const {
    const double perSecond =
        session.realTimeFactor() * double{session.world().parameters.solver.frameRate};  // frames simulated
    FrameShares shares{.simulation = perSecond * session.stepMs() / 1000,
                       .paused = session.paused,
                       .frameMs = facts.frameMs};
    const size_t frames = m_drawing.frames(), last = std::min<size_t>(frames, 30);
    double ms = 0;
    for (size_t f = frames - last; f < frames; ++f) ms += m_drawing.total(f);
    if (last > 0 && facts.frameMs > 0) shares.drawing = ms / double(last) / facts.frameMs;
    return shares;
}

void PagePerformance::draw(const Session& session, const DrawFacts& facts) {
    const World& world = session.world();
    wrappedText(boundOfFrame(shares(session, facts), choicesOf(session, facts)));
    nameItem("performance.bound");
    if (beginFacts("speed")) {
        fact("real time", session.paused ? "paused" : fmt::format("{:.2f} x", session.realTimeFactor()),
             "Simulated time per wall time; 1 is real time.");
        if (facts.frameMs > 0)
            fact("display", fmt::format("{:.1f} fps ({:.1f} ms)", 1000 / facts.frameMs, facts.frameMs));
        fact("simulation",
             fmt::format("{:.1f} ms per {:.1f} ms step", session.stepMs(),
                         1000 / double{world.parameters.solver.frameRate}),
             "Wall time of the last frame, and the simulated time of a frame.");
        fact("substeps", fmt::format("{} per step", substepsOf(world)),
             "Chosen in every frame with solver.timeStep cfl.");
        if (session.stepMs() > 0)
            fact("throughput",
                 fmt::format("{:.2f} M particle-substeps/s",
                             double(world.count()) * substepsOf(world) / session.stepMs() / 1e3));
        ImGui::EndTable();
    }
    if (heading(
            "performance.simulation", "Simulation stages", true,
            "Time of the last frames by solver stage. Stages have the names of their launches, as in the "
            "sources and in profilers. While this page is shown, CUDA submits launches one by one instead of "
            "as graphs."))
        drawHistory("simulation", m_simulation);
    if (m_drawing.frames() > 0 && heading("performance.drawing", "Render passes", false))
        drawHistory("drawing", m_drawing);
    m_showsConvergence = heading(
        "performance.convergence", "Convergence", true,
        "How far the constraints were solved in the last frames; measured while this is open, by launches "
        "of their own among the stages above.");
    if (m_showsConvergence) drawConvergence(m_convergence);
    if (heading("performance.counts", "Counts", true)) drawCounts(world, session.status());
    if (heading("performance.memory", "Memory and device", true)) {
        const Exec& exec = session.exec();
        if (beginFacts("memory")) {
            fact("allocated", megabytes(exec.allocatedBytes()));
            fact("peak", megabytes(exec.peakBytes()));
            fact("per particle", world.count() ? fmt::format("{:.0f} bytes", double(exec.allocatedBytes()) /
                                                                                 double(world.count()))
                                               : "-");
            fact("device", exec.description());
            if (!facts.renderer.empty()) fact("OpenGL", facts.renderer);
            if (*facts.path)
                fact("data path", facts.path, "How particle data gets from the solver to the renderer.");
            ImGui::EndTable();
        }
        drawRoofline(world, session.stepMs());
    }
}

}  // namespace coalesce
