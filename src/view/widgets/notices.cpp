#include "view/widgets/notices.h"

#include <imgui.h>

#include "view/widgets/colors.h"
#include "view/widgets/panel_rows.h"

namespace coalesce {

namespace {

void say(const std::string& what, const std::string& advice) {
    ImGui::PushStyleColor(ImGuiCol_Text, kWarningColor);
    wrappedText(what);
    ImGui::PopStyleColor();
    if (!advice.empty()) wrappedText(advice);
}

}  // namespace

bool hasNotices(const Session& session, const std::string& shaderErrors) {
    return !session.problem().empty() || !session.fileProblem().empty() || !shaderErrors.empty() ||
           !session.warnings().list().empty();
}

std::string drawNotices(Session& session, const std::string& shaderErrors, std::vector<WidgetRect>& placed) {
    std::string wanted;
    if (!session.problem().empty()) {
        say(session.problem(), "");
        const bool closed = ImGui::SmallButton("Close this message");
        placed.push_back(placedItem("close problem"));
        ImGui::Separator();
        if (closed) session.dismissProblem();
    }
    for (const std::string* error : {&session.fileProblem(), &shaderErrors}) {
        if (error->empty()) continue;
        say(*error, "");
        ImGui::Separator();
    }
    for (const Warning& warning : session.warnings().list()) {
        // its numbers change while a button is held down
        ImGui::PushID(warning.advice.c_str());
        say(warning.what, warning.advice);
        if (!warning.parameter.empty()) {
            if (ImGui::SmallButton(("Show " + warning.parameter).c_str())) wanted = warning.parameter;
            placed.push_back(placedItem("advice." + warning.parameter));
        }
        ImGui::Separator();
        ImGui::PopID();
    }
    return wanted;
}

}  // namespace coalesce
