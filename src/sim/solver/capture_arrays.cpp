// Solver::captureArrays: the arrays behind the state that the stages of a substep hand to each other.
#include "sim/solver/solver.h"
#include "sim/solver/stages.h"
#include "sim/state/state_image.h"

namespace coalesce {

namespace {

// Layouts as in state_layout.h.
template <class T>
constexpr const char* kElementLayout = nullptr;
template <>
constexpr const char* kElementLayout<float> = "f";
template <>
constexpr const char* kElementLayout<int> = "u";
template <>
constexpr const char* kElementLayout<uint32_t> = "u";
template <>
constexpr const char* kElementLayout<Vec3> = "fff";
template <>
constexpr const char* kElementLayout<Vec4> = "ffff";

class SolverSection {
public:
    SolverSection(Exec& exec, StateSectionImage& section, size_t particles)
        : m_exec(exec), m_section(section), m_particles(particles) {}

    template <class T>
    void add(const char* name, View<T> view) {
        using Element = std::remove_const_t<T>;
        static_assert(bytesOfLayout(kElementLayout<Element>) == sizeof(Element));
        if (view.size == 0) return;
        StateArray& array = m_section.arrays.emplace_back();
        array.name = name;
        array.layout = kElementLayout<Element>;
        array.ofParticles = view.size == m_particles;
        array.count = view.size;
        array.bytes.resize(view.size * sizeof(T));
        m_exec.copyToHost(array.bytes.data(), view.data, array.bytes.size());
    }

private:
    Exec& m_exec;
    StateSectionImage& m_section;
    size_t m_particles;
};

}  // namespace

StateImage Solver::captureArrays() const {
    StateImage image = captureState(m_world);
    Stages& s = *m_stages;
    image.sections.push_back({"solver", 1, {}});
    SolverSection solver(m_world.exec, image.sections.back(), m_world.count());

    solver.add("xStar", s.device.xStar.view());
    solver.add("roundingError", s.device.roundingError.view());
    solver.add("wall", s.device.wall.view());
    solver.add("neighborCount", s.neighbors.lists().count);
    solver.add("neighborEntries", s.neighbors.lists().entries);
    solver.add("pairCount", s.neighbors.pairs().count);
    solver.add("pairEntries", s.neighbors.pairs().entries);
    // also the target of kernels that write new velocities, until it is exchanged with v
    solver.add("xLambda", s.density.xLambda().view());
    if (s.device.shapes.substeps() > 0) {
        const Contacts contacts = s.shapeContacts.view(s.device, 0);
        solver.add("contactStart", contacts.start);
        solver.add("contactPlane", contacts.planes);
        solver.add("contactShape", contacts.shape);
    }
    solver.add("contactImpulse", s.shapeContacts.accumulatedImpulse());
    solver.add("massScale", s.bodies.massScales());
    solver.add("contactResponse", s.bodies.contactResponses());
    return image;
}

}  // namespace coalesce
