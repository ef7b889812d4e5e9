#include "view/viewport/case_grid.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <imgui.h>
#include <utility>

#include "core/error.h"
#include "scene/format/writer.h"
#include "scene/reader.h"
#include "view/widgets/format.h"

namespace coalesce {

namespace {

constexpr double kTimeEpsilon = 1e-6;        // [s] rounding of times, which are sums of steps
constexpr const char* kDefault = "Default";  // the file's own values
constexpr int kMaxCatchUpFrames = 8;         // per displayed frame

}  // namespace

// Of the scene that is open now.
void CaseGrid::start(const Session& first, Shown what, const std::string& firstName) {
    close();
    m_choice = first.choice();
    m_file = first.scene().file;
    m_names = first.scene().cases;
    m_shown = what;
    m_firstName = firstName;
}

std::string CaseGrid::reopen(Session& first) {
    if (m_shown == Shown::Cases) return open(first);
    if (m_shown == Shown::Original) return openOriginal(first);
    const std::vector<PresetEntry> shown = std::exchange(m_presets, {});
    close();
    std::string problem;
    for (const PresetEntry& preset : shown)
        if (const std::string error = togglePreset(first, preset); !error.empty()) problem = error;
    return problem;
}

std::string CaseGrid::open(Session& first) {
    close();
    const Scene& scene = first.scene();
    if (scene.cases.empty()) return "This scene has no cases.";
    start(first, Shown::Cases, first.choice().caseName.empty() ? kDefault : first.choice().caseName);
    try {
        const std::string own = m_choice.caseName.empty() ? writeScene(readScene(m_file, m_choice)) : "";
        for (const std::string& name : scene.cases) {
            if (name == m_choice.caseName || m_cells.size() + 1 == kMaxCases) continue;
            SceneChoice choice = m_choice;
            choice.caseName = name;
            Scene ofCase = readScene(m_file, choice);
            if (writeScene(ofCase) != own)
                addCell(name, std::move(ofCase), choice, first);
            else if (m_firstName == kDefault)
                m_firstName = name;
        }
    } catch (const Error& error) {
        close();
        return error.what();
    }
    if (m_cells.empty()) return "This scene has only one case.";
    return "";
}

std::string CaseGrid::openOriginal(Session& first) {
    close();
    if (first.playsCache() || !first.isChanged()) return "There are no changes to compare.";
    start(first, Shown::Original, "Edited");
    try {
        addCell("Scene file", readScene(m_file, m_choice), m_choice, first);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

std::string CaseGrid::togglePreset(Session& first, const PresetEntry& preset) {
    if (first.playsCache()) return "A cache is played: it cannot be solved with other values.";
    if (m_shown != Shown::Presets || !isShown()) start(first, Shown::Presets, "Scene file");
    const auto known = std::ranges::find(m_presets, preset.file, &PresetEntry::file);
    if (known != m_presets.end()) {
        m_cells.erase(m_cells.begin() + (known - m_presets.begin()));
        m_presets.erase(known);
        if (m_cells.empty()) close();
        return "";
    }
    if (m_cells.size() + 1 == kMaxCases) return "At most three presets are shown beside the scene.";
    try {
        const Scene plain = readScene(m_file, m_choice);
        SceneChoice choice = m_choice;
        for (const std::string& set : asSets(plain, valuesFor(plain, readPreset(preset.file))))
            choice.sets.push_back(set);
        addCell(preset.name, readScene(m_file, choice), choice, first);
        m_presets.push_back(preset);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

std::vector<std::filesystem::path> CaseGrid::presets() const {
    std::vector<std::filesystem::path> files;
    for (const PresetEntry& preset : m_presets) files.push_back(preset.file);
    return files;
}

void CaseGrid::addCell(const std::string& name, Scene scene, const SceneChoice& choice,
                       const Session& first) {
    m_cells.push_back({name, std::make_unique<Session>(std::move(scene), choice, first.execOptions()),
                       std::make_unique<Viewport>(m_log)});
    m_cells.back().session->keepsRuns = false;  // they follow the first one
}

std::string CaseGrid::pollFiles(Session& first) {
    if (!isShown()) return "";
    if (first.scene().cases != m_names && first.scene().file == m_file) return reopen(first);
    for (Cell& cell : m_cells) cell.session->pollFile();
    return "";
}

void CaseGrid::follow(Session& first) {
    // the rewind memory is the limit for all together
    const float share = 1 / float(1 + m_cells.size());
    first.snapshots().setShare(share);
    for (Cell& cell : m_cells) {
        cell.session->snapshots().setLimits(first.snapshots().limits());
        cell.session->snapshots().setShare(share);
        cell.session->seekBudget = share * first.seekBudget;
    }
    if (!isShown()) return;
    if (m_file != first.scene().file || m_choice.caseName != first.choice().caseName ||
        m_choice.size != first.choice().size) {
        close();
        return;
    }
    const double time = first.world().time;
    for (Cell& cell : m_cells) {
        Session& s = *cell.session;
        const auto frame = [&] { return 1.0 / double{s.world().parameters.solver.frameRate}; };
        if (s.world().time > time + kTimeEpsilon) {
            const auto wanted = uint64_t(std::llround(time / frame()));
            if (!s.seekNear(wanted) || s.world().time > time + kTimeEpsilon) s.restart(false);
        }
        for (int k = 0;
             k < kMaxCatchUpFrames && s.world().time + frame() < time + kTimeEpsilon && s.problem().empty();
             ++k)
            s.step();
    }
}

std::vector<const Session*> CaseGrid::others() const {
    std::vector<const Session*> list;
    for (const Cell& cell : m_cells) list.push_back(cell.session.get());
    return list;
}

bool CaseGrid::draw(Renderer& renderer, Session& first, Viewport& firstViewport, const ViewSettings& view,
                    int width, int height) {
    const int cellWidth = width / columns(), cellHeight = height / rows();
    if (cellWidth < 1 || cellHeight < 1) return false;
    if (!m_target || m_target->output().width != width || m_target->output().height != height)
        m_target.emplace(width, height);
    const float black[4] = {0, 0, 0, 1};
    glClearNamedFramebufferfv(m_target->framebuffer(), GL_COLOR, 0, black);
    for (size_t k = 0; k <= m_cells.size(); ++k) {
        Session& session = k == 0 ? first : *m_cells[k - 1].session;
        Viewport& viewport = k == 0 ? firstViewport : *m_cells[k - 1].viewport;
        viewport.follow(session);
        viewport.publish(session, view);
        ViewSettings named = view;
        const bool isEdited = m_shown == Shown::Presets && first.isChanged();
        named.draw.label = k > 0 ? m_cells[k - 1].name : isEdited ? "Edited" : m_firstName;
        viewport.draw(renderer, named, cellWidth, cellHeight);
        const int left = int(k) % columns() * cellWidth, top = int(k) / columns() * cellHeight;
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, m_target->framebuffer());
        showTarget(*viewport.target(), left, height - top - cellHeight, cellWidth, cellHeight);
    }
    return true;
}

void CaseGrid::drawNumbers(const Session& first, float left, float width, float height, float bar) const {
    ImDrawList* list = ImGui::GetBackgroundDrawList();
    const float em = ImGui::GetFontSize();
    for (size_t k = 0; isShown() && k <= m_cells.size(); ++k) {
        const Session& session = k == 0 ? first : *m_cells[k - 1].session;
        const int row = int(k) / columns();
        const float right = left + float(int(k) % columns() + 1) * width / float(columns());
        const float bottom = float(row + 1) * height / float(rows()) - (row + 1 == rows() ? bar : 0);
        std::string text = particleCount(session.world().count());
        if (session.stepMs() > 0)
            text += fmt::format("\n{:.{}f} ms per frame", session.stepMs(), session.stepMs() < 10 ? 1 : 0);
        const double frame = 1 / double{session.world().parameters.solver.frameRate};
        if (session.world().time < first.world().time - frame - kTimeEpsilon)
            text += fmt::format("\nat {:.1f} s, catching up", session.world().time);
        for (const std::string* problem : {&session.problem(), &session.fileProblem()})
            if (!problem->empty()) text += "\n" + problem->substr(0, 200);
        const ImVec2 size = ImGui::CalcTextSize(text.c_str());
        const ImVec2 at{right - size.x - em, bottom - size.y - 0.7f * em};
        list->AddRectFilled({at.x - 0.5f * em, at.y - 0.3f * em},
                            {at.x + size.x + 0.5f * em, at.y + size.y + 0.3f * em}, IM_COL32(20, 20, 20, 190),
                            0.3f * em);
        list->AddText(at, IM_COL32(255, 255, 255, 255), text.c_str());
    }
}

}  // namespace coalesce
