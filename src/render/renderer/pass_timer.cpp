#include "render/renderer/pass_timer.h"

#include <cstring>

namespace coalesce {

void PassTimer::enable(bool on) {
    m_on = on;
    if (!on) m_results.clear();
}

void PassTimer::beginFrame() {
    m_current.clear();
    if (!m_on || m_software) return;
    // queries of three frames ago have finished by now
    std::vector<Pending>& oldest = m_pending[++m_frame % m_pending.size()];
    for (const Pending& pending : oldest) {
        GLuint64 nanoseconds = 0;
        glGetQueryObjectui64v(pending.query.id(), GL_QUERY_RESULT, &nanoseconds);
        add(m_current, pending.name, double(nanoseconds) * 1e-6);
    }
    if (!oldest.empty()) m_results = m_current;
    oldest.clear();
}

void PassTimer::endFrame() {
    if (m_on && m_software) m_results = m_current;
}

void PassTimer::add(std::vector<PassTime>& list, const char* name, double milliseconds) {
    for (PassTime& pass : list) {
        if (std::strcmp(pass.name, name) == 0) {
            pass.milliseconds += milliseconds;
            return;
        }
    }
    list.push_back({name, milliseconds});
}

PassTimer::Scope::Scope(PassTimer& timer, const char* name) : m_timer(timer), m_name(name) {
    if (!m_timer.m_on) return;
    if (m_timer.m_software) {
        glFinish();
        m_start = std::chrono::steady_clock::now();
        return;
    }
    GLuint query = 0;
    glCreateQueries(GL_TIME_ELAPSED, 1, &query);
    glBeginQuery(GL_TIME_ELAPSED, query);
    m_timer.m_pending[m_timer.m_frame % m_timer.m_pending.size()].push_back(
        {name, gl::Handle<gl::deleteQuery>(query)});
}

PassTimer::Scope::~Scope() {
    if (!m_timer.m_on) return;
    if (!m_timer.m_software) {
        glEndQuery(GL_TIME_ELAPSED);
        return;
    }
    glFinish();
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - m_start;
    m_timer.add(m_timer.m_current, m_name, elapsed.count());
}

}  // namespace coalesce
