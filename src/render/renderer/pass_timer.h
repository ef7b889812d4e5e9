// Time per render pass. Software rendering is timed by the wall clock around glFinish, because its timer
// queries are meaningless; hardware by timer queries that are read three frames later, without waiting.
#pragma once

#include <array>
#include <chrono>
#include <vector>

#include "render/gl/gl.h"
#include "render/renderer/renderer.h"

namespace coalesce {

class PassTimer {
public:
    PassTimer() : m_software(gl::isSoftwareRenderer()) {}
    void enable(bool on);
    void beginFrame();
    void endFrame();
    const std::vector<PassTime>& results() const { return m_results; }

    // Measures its lifetime; scopes of the same name add up within a frame.
    class Scope {
    public:
        Scope(PassTimer& timer, const char* name);
        ~Scope();
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

    private:
        PassTimer& m_timer;
        const char* m_name;
        std::chrono::steady_clock::time_point m_start;
    };

private:
    struct Pending {
        const char* name;
        gl::Handle<gl::deleteQuery> query;
    };
    void add(std::vector<PassTime>& list, const char* name, double milliseconds);

    bool m_software;
    bool m_on = false;
    size_t m_frame = 0;
    std::array<std::vector<Pending>, 3> m_pending;
    std::vector<PassTime> m_current, m_results;
};

}  // namespace coalesce
