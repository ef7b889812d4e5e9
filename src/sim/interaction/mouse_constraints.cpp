#include "sim/interaction/mouse_constraints.h"

#include <algorithm>

#include "core/for_each.h"
#include "sim/solid/shape_matching.h"

namespace coalesce {

namespace {

constexpr double kTwoPi = 6.283185307179586;

template <class... Cases>
struct Overloaded : Cases... {
    using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;  // nvcc's front end wants it said

std::vector<MouseConstraint>::iterator findHand(std::vector<MouseConstraint>& mouseConstraints,
                                                uint32_t number) {
    return std::find_if(mouseConstraints.begin(), mouseConstraints.end(),
                        [&](const MouseConstraint& h) { return h.number == number; });
}

std::string notHolding(uint32_t hand) {
    return fmt::format("hand {} holds nothing", hand);
}

// Does what a command asks of the hands; the answer says why it cannot, empty: done. What is thrown or poured
// has been asked about, and born, by collectUserSpawns().
std::string obey(World& world, const UserCommand& command) {
    if (const std::string report = malformed(command); !report.empty()) return report;
    std::vector<MouseConstraint>& mouseConstraints = world.mouseConstraints;
    const auto grab = [&](const Grab& g) -> std::string {
        if (g.id >= world.nextId)
            return fmt::format("there is no particle {}; ids are below {}", g.id, world.nextId);
        if (const auto hand = findHand(mouseConstraints, g.hand); hand != mouseConstraints.end())
            mouseConstraints.erase(hand);
        // in order of their numbers: the order in which they pull
        const auto after = std::find_if(mouseConstraints.begin(), mouseConstraints.end(),
                                        [&](const MouseConstraint& h) { return h.number > g.hand; });
        mouseConstraints.insert(after, {g.hand, g.id, g.at, g.at});
        return "";
    };
    const auto move = [&](const MoveGrab& m) -> std::string {
        const auto hand = findHand(mouseConstraints, m.hand);
        if (hand == mouseConstraints.end()) return notHolding(m.hand);
        hand->to = m.to;
        return "";
    };
    const auto letGo = [&](const Release& l) -> std::string {
        const auto hand = findHand(mouseConstraints, l.hand);
        if (hand == mouseConstraints.end()) return notHolding(l.hand);
        mouseConstraints.erase(hand);
        return "";
    };
    return std::visit(Overloaded{grab, move, letGo, [](const auto&) { return std::string(); }}, command);
}

// Which particle, and of which body.
GrabbedSet gripOf(const World& world, const MouseConstraint& hand) {
    GrabbedSet grip{.from = hand.from,
                    .to = hand.to,
                    .id = hand.id,
                    .row = kNoRow,
                    .firstCluster = 0,
                    .clusters = 0,
                    .cloth = 0};
    for (const SolidBody& body : world.bodies) {
        const Group& group = world.groups[body.group];
        if (hand.id - group.first >= group.count) continue;  // also below `first`
        if (body.clusters == 0) {
            grip.cloth = static_cast<float>(body.rows - body.spares);
            continue;
        }
        grip.row = body.firstRow + (hand.id - group.first);
        grip.firstCluster = body.firstCluster;
        grip.clusters = body.clusters;
    }
    return grip;
}

}  // namespace

std::string malformed(const UserCommand& command) {
    const auto handWrong = [](uint32_t hand) {
        return hand < kMaxMouseConstraints ? std::string()
                                           : fmt::format("there is no hand {}; they are numbered 0 to {}",
                                                         hand, kMaxMouseConstraints - 1);
    };
    const std::string notFinite = "a point is not finite";
    return std::visit(
        Overloaded{
            [&](const Grab& g) { return isFinite(g.at) ? handWrong(g.hand) : notFinite; },
            [&](const MoveGrab& m) { return isFinite(m.to) ? handWrong(m.hand) : notFinite; },
            [&](const Release& l) { return handWrong(l.hand); },
            [&](const Brush& b) { return isFinite(b.from) && isFinite(b.to) ? std::string() : notFinite; },
            [&](const Cut& c) -> std::string {
                if (!isFinite(c.a) || !isFinite(c.b) || !isFinite(c.c)) return notFinite;
                if (!(length(cross(c.b - c.a, c.c - c.a)) > 0))
                    return "the three points of a cut lie on a line, so nothing can cross it";
                return "";
            },
            [&](const MoveShape& m) {
                const Quat& q = m.rotation;
                const float norm = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
                if (!isFinite(m.to) || !(norm < 2)) return notFinite;
                return norm > 0.5f ? std::string() : "a rotation's quaternion has length 1";
            },
            [&](const Gust& g) -> std::string {
                if (!isFinite(g.from) || !isFinite(g.velocity)) return notFinite;
                return length(g.velocity) > 0 ? "" : "a gust of no speed has no direction";
            },
            [&](const auto& t) {  // Throw, Pour
                return isFinite(t.from) && isFinite(t.velocity) ? std::string() : notFinite;
            }},
        command);
}

std::optional<Vec3> targetOf(const World& world, uint32_t hand) {
    std::optional<Vec3> target;
    for (const MouseConstraint& h : world.mouseConstraints)
        if (h.number == hand) target = h.to;
    for (const UserCommand& command : world.commands) {
        if (const auto* grab = std::get_if<Grab>(&command); grab && grab->hand == hand) target = grab->at;
        if (const auto* move = std::get_if<MoveGrab>(&command); move && move->hand == hand) target = move->to;
        if (const auto* go = std::get_if<Release>(&command); go && go->hand == hand) target.reset();
    }
    return target;
}

void MouseConstraints::open(World& world) {
    for (const UserCommand& command : world.commands)
        if (const std::string why = obey(world, command); !why.empty())
            fail(Exit::Simulation, fmt::format("frame {}, a command", world.frame), why,
                 "Check the timeline or the replay it comes from.");
    std::vector<Stroke> strokes;
    for (const UserCommand& command : world.commands)
        if (const auto* brush = std::get_if<Brush>(&command)) strokes.push_back({brush->from, brush->to});
    std::vector<Blast> blasts;
    for (const UserCommand& command : world.commands)
        if (const auto* gust = std::get_if<Gust>(&command))
            blasts.push_back({gust->from, normalizeOr(gust->velocity, {1, 0, 0}), length(gust->velocity)});
    std::vector<GrabbedSet> grips;
    for (const MouseConstraint& hand : world.mouseConstraints) grips.push_back(gripOf(world, hand));
    m_strokes.upload(strokes);
    m_blasts.upload(blasts);
    m_grips.upload(grips);
    m_pulls.resize(grips.size());
}

void MouseConstraints::pull(World& world, DeviceWorld& device, ShapeMatching& bodies, int substep, float dt) {
    const auto n = static_cast<int64_t>(world.count());
    const Parameters::MouseConstraint& hand = world.parameters.hand;
    const auto& solver = world.parameters.solver;
    const auto substeps = static_cast<float>(solver.substeps);
    ParticleArrays& p = world.particles;

    world.exec.fillBytes(m_pulls.view().data, 0xff, m_pulls.size() * sizeof(Pull));  // kNoSlot
    forEach(world.exec, "hands", n, FindHeld{p.id.view(), m_grips.view(), m_pulls.view()});
    indexRows(world, device);
    forEach(world.exec, "hands", static_cast<int64_t>(m_grips.size()),
            FindPulls{.grips = m_grips.view(),
                      .x = p.x.view(),
                      .v = p.v.view(),
                      .phase = p.phase.view(),
                      .materials = device.materials.view(),
                      .tables = world.solids.view(),
                      .pose = world.solids.pose.view(),
                      .sums = bodies.sumSpin(world),
                      .pulls = m_pulls.view(),
                      .gravity = world.parameters.world.gravity,
                      .omega = static_cast<float>(kTwoPi * hand.frequency),
                      .dampingRatio = hand.dampingRatio,
                      .maxForce = hand.maxForce,
                      .dt = dt,
                      .after = static_cast<float>(substep + 1) / substeps,
                      .frameRate = solver.frameRate});
    forEach(world.exec, "hands", n,
            ApplyPulls{.pulls = m_pulls.view(),
                       .x = p.x.view(),
                       .id = p.id.view(),
                       .phase = p.phase.view(),
                       .groups = device.groups.view(),
                       .tables = world.solids.view(),
                       .v = p.v.view()});
}

void MouseConstraints::weigh(World& world, DeviceWorld& device) {
    if (m_grips.size() > 0) forEach(world.exec, "hands", 1, WeighHeld{m_pulls.view(), device.xStar.view()});
}

void MouseConstraints::act(World& world, DeviceWorld& device, ShapeMatching& bodies, int substep, float dt) {
    if (m_grips.size() > 0) pull(world, device, bodies, substep, dt);
    if (m_strokes.size() > 0)
        forEach(world.exec, "brush", static_cast<int64_t>(world.count()),
                BrushParticles{.strokes = m_strokes.view(),
                               .x = world.particles.x.view(),
                               .id = world.particles.id.view(),
                               .phase = world.particles.phase.view(),
                               .groups = device.groups.view(),
                               .v = world.particles.v.view(),
                               .radius = world.parameters.hand.brushRadius,
                               .strength = world.parameters.hand.brushStrength,
                               .frameRate = world.parameters.solver.frameRate,
                               .dt = dt});
    if (m_blasts.size() > 0)
        forEach(world.exec, "gusts", static_cast<int64_t>(world.count()),
                BlowParticles{.blasts = m_blasts.view(),
                              .x = world.particles.x.view(),
                              .phase = world.particles.phase.view(),
                              .materials = device.materials.view(),
                              .v = world.particles.v.view(),
                              .radius = world.parameters.hand.gustRadius,
                              .airDensity = world.parameters.world.airDensity,
                              .dt = dt});
}

void MouseConstraints::close(World& world) {
    world.commands.clear();
    for (MouseConstraint& hand : world.mouseConstraints) hand.from = hand.to;
}

}  // namespace coalesce
