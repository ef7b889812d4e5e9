// Rows of a page, all of them or those that a search finds by label or description. Dear ImGui only.
#pragma once

#include <string>

namespace coalesce {

class SearchedRows {
public:
    // title: of the page, above what is found. wanted: the search, in any case; "": all rows. hasReset: the table
    // has a column for a resetButton().
    SearchedRows(std::string title, const std::string& wanted, bool hasReset = false);
    ~SearchedRows() { endTable(); }
    SearchedRows(const SearchedRows&) = delete;
    SearchedRows& operator=(const SearchedRows&) = delete;

    // Begins a line of the table. False: the search does not find it, and it is not to be drawn.
    bool row(const char* label, const std::string& about);
    // The same for an item below the table, which it ends.
    bool item(const char* label, const std::string& about);
    void endTable();
    const std::string& about() const { return m_about; }  // of the last row or item
    bool isSearch() const { return !m_wanted.empty(); }
    bool hasAny() const { return m_hasAny; }  // whether something was found

private:
    bool finds(const char* label, const std::string& about);

    std::string m_title, m_wanted, m_about;
    bool m_hasReset, m_hasAny = false, m_inTable = false;
};

}  // namespace coalesce
