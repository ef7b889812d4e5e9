#include "view/panel/page_performance.h"

#include <algorithm>
#include <fmt/format.h>
#include <imgui.h>

#include "sim/solver/roofline.h"
#include "view/widgets/format.h"

namespace coalesce {

namespace {

constexpr size_t kBands = 7;
const ImU32 kBandColors[kBands + 1] = {IM_COL32(82, 158, 234, 255),  IM_COL32(240, 164, 72, 255),
                                       IM_COL32(108, 190, 110, 255), IM_COL32(222, 98, 104, 255),
                                       IM_COL32(160, 128, 214, 255), IM_COL32(96, 196, 196, 255),
                                       IM_COL32(216, 140, 188, 255), IM_COL32(128, 128, 136, 255)};

std::string megabytes(size_t bytes) {
    return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

// One area on the other, the slowest stage below; then what each color means.
void drawStacked(const char* id, const StageHistory& history) {
    const std::vector<StageHistory::Band> bands = history.bands(kBands);
    const size_t frames = history.frames();
    const float width = ImGui::GetContentRegionAvail().x, height = ImGui::GetFontSize() * 7;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(at, {at.x + width, at.y + height}, IM_COL32(255, 255, 255, 10), 3);
    double largest = 1e-3;
    for (size_t f = 0; f < frames; ++f) largest = std::max(largest, history.total(f));
    const float scale = 0.95f * height / static_cast<float>(largest);
    const float step = width / static_cast<float>(StageHistory::kFrames);
    const float left = at.x + width - step * static_cast<float>(frames), bottom = at.y + height;
    std::vector<float> base(frames, 0);
    for (size_t b = 0; b < bands.size(); ++b) {
        const ImU32 color = bands[b].name.empty() ? kBandColors[kBands] : kBandColors[b % kBands];
        for (size_t f = 0; f < frames; ++f) {
            const float top = base[f] + bands[b].ms[f], x = left + step * static_cast<float>(f);
            if (bands[b].ms[f] > 0)
                list->AddRectFilled({x, bottom - scale * top},
                                    {x + std::max(step, 1.0f), bottom - scale * base[f]}, color);
            base[f] = top;
        }
    }
    if (frames == 0) {
        const char* nothing = "No frame simulated yet";
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
        const size_t f = std::min(frames - 1, static_cast<size_t>(std::max(x, 0.0f)));
        std::string text = fmt::format("{} frames ago: {:.3g} ms", frames - 1 - f, history.total(f));
        for (const auto& band : bands)
            text += fmt::format("\n{:.3g} ms  {}", band.ms[f], band.name.empty() ? "the rest" : band.name);
        wrappedTooltip(text);
    }
    if (!ImGui::BeginTable(id, 3, ImGuiTableFlags_SizingStretchProp)) return;
    ImGui::TableSetupColumn("color", ImGuiTableColumnFlags_WidthFixed, ImGui::GetFontSize());
    ImGui::TableSetupColumn("stage", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("ms", ImGuiTableColumnFlags_WidthFixed, ImGui::CalcTextSize("0000.00 ms").x);
    for (size_t b = 0; b < bands.size(); ++b) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        const ImVec2 p = ImGui::GetCursorScreenPos();
        const float size = ImGui::GetFontSize() * 0.7f;
        list = ImGui::GetWindowDrawList();
        list->AddRectFilled({p.x, p.y + 3}, {p.x + size, p.y + 3 + size},
                            bands[b].name.empty() ? kBandColors[kBands] : kBandColors[b % kBands], 2);
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(bands[b].name.empty() ? "the rest" : bands[b].name.c_str());
        ImGui::TableNextColumn();
        ImGui::Text("%7.2f ms", bands[b].mean);
    }
    ImGui::EndTable();
}

void drawCounts(const World& world, const Status& status) {
    if (!beginFacts("counts")) return;
    fact("particles", withThousands(world.count()));
    if (world.births != world.count() || world.deaths)
        fact("born, gone", fmt::format("{}, {}", withThousands(world.births), withThousands(world.deaths)));
    if (!world.bodies.empty()) fact("bodies", withThousands(world.bodies.size()));
    if (const size_t springs = world.solids.springs.size()) fact("springs", withThousands(springs));
    if (!world.shapes.empty()) fact("shapes", withThousands(world.shapes.size()));
    const StatusBlock& worst = status.worst;
    if (worst.requiredNeighbors) fact("most neighbors", fmt::format("{}", worst.requiredNeighbors));
    if (worst.requiredPairs)
        fact("most contacts", fmt::format("{} of a particle with others", worst.requiredPairs));
    if (worst.requiredContacts) fact("wall contacts", withThousands(worst.requiredContacts));
    if (worst.requiredCells) fact("cells in use", withThousands(worst.requiredCells));
    fact("frame redone",
         status.redone == 0 ? "no" : fmt::format("{} times, with longer lists", status.redone),
         "When a list is too short it grows, and the frame is done again.");
    ImGui::EndTable();
}

// How the last frames compare with the least that the device's memory and processors allow.
void drawRoofline(const World& world, double frameMs) {
    const Roofline roofline = rooflineOf(world);
    if (!beginFacts("roofline")) return;
    if (!roofline.why.empty())
        fact("roofline", roofline.why);
    else if (frameMs > 0)
        fact("roofline",
             fmt::format("{:.0f} % of what the device allows: {:.3g} ms, not {:.3g} ms",
                         100 * roofline.ms / frameMs, roofline.ms, frameMs),
             "The least time in which the device's memory can move, and its processors compute, what a frame "
             "of this many particles and iterations needs.");
    ImGui::EndTable();
}

}  // namespace

void PagePerformance::note(const Session& session, std::span<const PassTime> passes) {
    const World& world = session.world();
    if (m_generation != session.generation()) m_simulation.clear(), m_drawing.clear();
    const bool isNew = m_generation != session.generation() || m_frame != world.frame;
    m_generation = session.generation(), m_frame = world.frame;
    std::vector<StageHistory::Sample> samples;
    if (isNew && world.frame > 0) {
        for (const Profiler::Row& row : session.exec().profiler.rows()) samples.push_back({row.name, row.ms});
        m_simulation.add(samples);
    }
    samples.clear();
    for (const PassTime& pass : passes) samples.push_back({pass.name, pass.milliseconds});
    if (!samples.empty()) m_drawing.add(samples);
}

void PagePerformance::draw(Session& session, const DrawFacts& facts, PanelRows& rows) const {
    const World& world = session.world();
    if (beginFacts("speed")) {
        fact("real time", session.paused ? "paused" : fmt::format("{:.2f} x", session.realTimeFactor()),
             "Simulated per wall time; 1: as fast as in reality.");
        if (facts.frameMs > 0)
            fact("pictures",
                 fmt::format("{:.1f} per second, {:.1f} ms each", 1000 / facts.frameMs, facts.frameMs));
        fact("frame",
             fmt::format("{:.1f} ms simulated for {:.1f} ms", session.stepMs(),
                         1000 / double{world.parameters.solver.frameRate}),
             "Wall time of the last frame, and how long it is in the scene.");
        if (session.stepMs() > 0)
            fact("throughput", fmt::format("{:.3g} million particles and substeps per second",
                                           static_cast<double>(world.count()) *
                                               world.parameters.solver.substeps / session.stepMs() / 1e3));
        ImGui::EndTable();
    }
    const bool simulation = ImGui::CollapsingHeader("Simulation, by stage", ImGuiTreeNodeFlags_DefaultOpen);
    rows.place("performance.simulation");
    if (ImGui::IsItemHovered())
        wrappedTooltip(
            "The time of the last frames: a color for each step of the solver that takes long. Steps have "
            "the names of their kernels, as in the sources and in profilers.");
    if (simulation) drawStacked("simulation", m_simulation);
    if (m_drawing.frames() > 0) {
        if (ImGui::CollapsingHeader("Drawing, by pass")) drawStacked("drawing", m_drawing);
        rows.place("performance.drawing");
    }
    if (ImGui::CollapsingHeader("Counts", ImGuiTreeNodeFlags_DefaultOpen))
        drawCounts(world, session.status());
    rows.place("performance.counts");
    if (ImGui::CollapsingHeader("Memory and machine", ImGuiTreeNodeFlags_DefaultOpen)) {
        const Exec& exec = session.exec();
        if (beginFacts("memory")) {
            fact("in use", megabytes(exec.allocatedBytes()));
            fact("at most so far", megabytes(exec.peakBytes()));
            fact("per particle",
                 world.count() ? fmt::format("{:.0f} bytes", static_cast<double>(exec.allocatedBytes()) /
                                                                 static_cast<double>(world.count()))
                               : "-");
            fact("machine", exec.description());
            if (!facts.renderer.empty()) fact("drawn by", facts.renderer);
            if (*facts.path)
                fact("data path", facts.path, "How the particles come from the solver to what draws them.");
            ImGui::EndTable();
        }
        drawRoofline(world, session.stepMs());
    }
    rows.place("performance.memory");
}

}  // namespace coalesce
