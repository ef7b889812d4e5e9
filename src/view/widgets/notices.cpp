#include "view/widgets/notices.h"

#include <imgui.h>

#include "view/widgets/colors.h"
#include "view/widgets/format.h"
#include "view/widgets/widgets.h"

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

std::string drawNotices(Session& session, const std::string& shaderErrors) {
    std::string wanted;
    if (!session.problem().empty()) {
        say(session.problem(), "");
        if (smallButton("close problem", "Dismiss")) session.dismissProblem();
        ImGui::Separator();
    }
    for (const std::string* error : {&session.fileProblem(), &shaderErrors}) {
        if (error->empty()) continue;
        say(*error, "");
        ImGui::Separator();
    }
    for (const Warning& warning : session.warnings().list()) {
        ImGui::PushID(warning.id);
        if (button("close warning", "x", ImGui::GetFrameHeight(),
                   "Hides it; what happens while the scene runs is shown when it happens again."))
            session.dismissWarning(warning.id);
        ImGui::SameLine();
        ImGui::BeginGroup();
        say(warning.what, warning.advice);
        if (!warning.parameter.empty()) {
            const std::string label = labelOf(warning.parameter.substr(warning.parameter.rfind('.') + 1));
            if (smallButton("advice." + warning.parameter, "Show \"" + label + "\""))
                wanted = warning.parameter;
        }
        ImGui::EndGroup();
        ImGui::Separator();
        ImGui::PopID();
    }
    return wanted;
}

}  // namespace coalesce
