// The panel's page of materials: a list with particle counts, and the values of the chosen material.
#pragma once

#include <string>
#include <vector>

#include "view/widgets/panel_rows.h"

namespace coalesce {

class PageMaterials {
public:
    void draw(Session& session, PanelRows& rows);

private:
    void choose(const Session& session);
    void count(const Session& session);

    std::string m_chosen;
    std::vector<size_t> m_particles;  // per material
    uint64_t m_generation = 0, m_frame = 0;
};

}  // namespace coalesce
