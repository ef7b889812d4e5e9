#include "view/widgets/searched_rows.h"

#include <imgui.h>
#include <utility>

#include "view/widgets/format.h"
#include "view/widgets/widgets.h"

namespace coalesce {

SearchedRows::SearchedRows(std::string title, const std::string& wanted, bool hasReset)
    : m_title(std::move(title)), m_wanted(lowercase(wanted)), m_hasReset(hasReset) {}

bool SearchedRows::finds(const char* label, const std::string& about) {
    m_about = about;
    if (isSearch() && lowercase(label).find(m_wanted) == std::string::npos &&
        lowercase(about).find(m_wanted) == std::string::npos)
        return false;
    if (isSearch() && !m_hasAny) {
        ImGui::TextDisabled("%s", m_title.c_str());
        ImGui::Separator();
    }
    m_hasAny = true;
    return true;
}

bool SearchedRows::row(const char* label, const std::string& about) {
    if (!finds(label, about)) return false;
    if (!m_inTable) m_inTable = m_hasReset ? beginValues(m_title.c_str()) : beginRows(m_title.c_str());
    if (m_inTable) coalesce::row(label);
    return m_inTable;
}

bool SearchedRows::item(const char* label, const std::string& about) {
    endTable();
    return finds(label, about);
}

void SearchedRows::endTable() {
    if (std::exchange(m_inTable, false)) ImGui::EndTable();
}

}  // namespace coalesce
