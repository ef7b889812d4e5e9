// The panel's page of materials: one of them at a time, with its look and how much of it there is.
#pragma once

#include <string>
#include <vector>

#include "view/widgets/panel_rows.h"

namespace coalesce {

class PageMaterials {
public:
    void draw(Session& session, PanelRows& rows);

private:
    void choose(const Session& session, PanelRows& rows);
    void count(const Session& session);

    std::string m_chosen;
    std::vector<size_t> m_particles;  // of each material
    uint64_t m_generation = 0, m_frame = 0;
};

// The kinds of material that a property is said to be of, by the words before its sentence's colon: "Cloth,
// rope: share of …". Empty: of all kinds.
std::vector<MaterialKind> kindsOf(const char* about);

}  // namespace coalesce
