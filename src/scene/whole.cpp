#include "scene/whole.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <set>

#include "scene/build.h"
#include "scene/channel_values.h"
#include "scene/emitters.h"
#include "scene/groups.h"
#include "scene/joints.h"
#include "scene/objections.h"
#include "scene/overrides.h"
#include "scene/scene_fields.h"
#include "scene/shape_form.h"
#include "scene/timeline.h"
#include "sim/diffusion.h"

namespace coalesce {

namespace {

using Names = std::vector<std::string>;

bool has(const Names& list, const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

class Whole {
public:
    Whole(const Scene& scene, const Node& root, std::vector<Mistake>& mistakes)
        : m_scene(scene), m_root(root), m_mistakes(mistakes), m_groups(scene) {
        for (const Mistake& m : mistakes) {
            m_wrongThemselves.insert(m.path);
            for (size_t end = m.path.size(); end != std::string::npos && end > 0;
                 end = m.path.rfind('.', end - 1))
                m_wrong.insert(m.path.substr(0, end));
        }
        for (const Body& body : scene.bodies) m_names.push_back(body.name);
        for (const Material& material : scene.materials) m_names.push_back(material.name);
        for (const Emitter& emitter : scene.emitters) m_names.push_back(emitter.name);
        for (const Check& check : scene.expect) m_labels.push_back(check.name);
    }
    void sections();
    void bodies();
    void channels();
    void shapes();
    void springs();
    void fields();
    void prefabs();
    void emitters();
    void sinks();
    void timeline();
    void cameras();
    void poster();
    void expect();
    void controls();

private:
    void note(const Node* node, std::string path, std::string what, std::string hint) {
        const Node& at = node ? *node : m_root;
        m_mistakes.push_back({at.line, 0, at.origin, std::move(path), std::move(what), std::move(hint)});
    }
    const Node* element(const char* section, size_t i) const {
        const Node* list = m_root.find(section);
        return list && i < list->children.size() ? &list->children[i] : nullptr;
    }
    static std::string pathOf(const char* section, const Node* node, size_t i) {
        return std::string(section) + "." + (node ? elementName(*node, i) : std::to_string(i));
    }
    // Without its place, which is said anyway.
    std::string said(const Error& error, const std::string& path) const {
        const std::string text = error.what(), where = m_scene.file.string() + ": " + path + ": ";
        return text.starts_with(where) ? text.substr(where.size()) : text;
    }
    bool wrong(const std::string& path) const { return m_wrong.contains(path); }
    void caseNamed(const Node* node, const std::string& path, const std::string& name);
    void actedOn(const Node* node, const std::string& path, const Names& names);
    void groupNamed(const Node* node, const std::string& path, const std::string& name, bool orShape);
    void shapeNamed(const Check& check, const Node* node, const std::string& path, const std::string& name);
    template <class T>
    void listed(const Node* node, const std::string& path, const char* what, const std::string& name,
                const std::vector<T>& list);
    void order(const Check& check, const Node* node, const std::string& path);
    void plane();
    bool formFits(const Body& body, const Node* node, const std::string& path);
    void attachments(const Body& body, const Node* node, const std::string& path);
    void carried(const NamedNumbers& values, const Names& names, const Node* node, const std::string& path);
    void released(const TimedCommand& command, const Node* node, const std::string& path);
    void grabbed(const TimedCommand& command, const Node* node, const std::string& path);
    void handed(const TimedCommand& command, const Node* node, const std::string& path);
    std::optional<double> particlesOf(const Body& body, const Node* node, const std::string& path);
    void limits(const Check& check, const CheckKind& kind, const Node* node, const std::string& path);
    void comparison(const Check& check, const Node* node, const std::string& path);

    const Scene& m_scene;
    const Node& m_root;
    std::vector<Mistake>& m_mistakes;
    bool m_canMakeBodies = false;   // nothing is wrong with any; found by bodies()
    std::set<std::string> m_wrong;  // the paths of all mistakes and of what they stand in
    std::set<std::string> m_wrongThemselves;
    GroupNames m_groups;
    Names m_names, m_labels;  // that checks and cases speak of
};

void Whole::sections() {
    if (m_scene.materials.size() > static_cast<size_t>(kMaxMaterials))
        note(m_root.find("materials"), "materials",
             fmt::format("{} materials; at most {} are possible", m_scene.materials.size(), kMaxMaterials),
             "");
    if (m_scene.bodies.empty() && m_scene.emitters.empty() && !wrong("bodies") && !wrong("emitters"))
        note(m_root.find("bodies"), "bodies",
             "the scene has no bodies and no emitters, so nothing would happen",
             "Add for example \"bodies\": [{\"block\": {\"size\": [1, 1, 1]}}].");
    const Vec3 &low = m_scene.boundsMin, &high = m_scene.boundsMax;
    if (m_scene.bounded && !wrong("bounds") && !(low.x < high.x && low.y < high.y && low.z < high.z))
        note(m_root.find("bounds"), "bounds", "min must be less than max on every axis", "");
}

// Particles of one copy; a shape that cannot be made is a mistake of the body.
std::optional<double> Whole::particlesOf(const Body& body, const Node* node, const std::string& path) {
    try {
        return countBody(m_scene, body);
    } catch (const Error& error) {
        note(node, path, said(error, "bodies." + body.name), "");
        return {};
    }
}

// Sheets are made of cloth and chains of rope, and the other way round.
bool Whole::formFits(const Body& body, const Node* node, const std::string& path) {
    const MaterialKind kind = m_scene.materials[body.material].properties.kind;
    const bool sheet = body.kind == Body::Kind::Grid, chain = body.kind == Body::Kind::Rope;
    if (kind == MaterialKind::cloth && !sheet && body.kind != Body::Kind::Solid)
        note(node, path, "cloth is a grid or the surface of a shape",
             "For example \"grid\": {\"size\": [1, 0, 1]}, or \"shape\": \"icosphere\".");
    else if (kind == MaterialKind::rope && !chain)
        note(node, path, "the material is a rope, and the body has no curve",
             "For example \"rope\": {\"points\": [[0, 0, 0], [1, 0, 0]]}.");
    else if ((sheet && kind != MaterialKind::cloth) || (chain && kind != MaterialKind::rope))
        note(node, path,
             fmt::format("a {} needs a material of the kind {}, and \"{}\" is none", sheet ? "grid" : "rope",
                         sheet ? "cloth" : "rope", printable(m_scene.materials[body.material].name)),
             "Give the material \"kind\", or the body another form.");
    else
        return true;
    return false;
}

void Whole::bodies() {
    double total = 0, copies = 0;
    const size_t before = m_mistakes.size();
    for (size_t i = 0; i < m_scene.bodies.size(); ++i) {
        const Body& body = m_scene.bodies[i];
        if (body.material >= m_scene.materials.size()) continue;  // said already
        const Material& material = m_scene.materials[body.material];
        const Node* node = element("bodies", i);
        const std::string path = pathOf("bodies", node, i);
        if (wrong(path) || wrong("materials." + printable(material.name))) continue;
        if (!formFits(body, node, path)) continue;
        const float spacing = spacingOf(m_scene, body);
        const auto n = particlesOf(body, node, path);
        if (!n) continue;
        copies += double{body.copies.count.x} * body.copies.count.y * body.copies.count.z;
        total += *n * body.copies.count.x * body.copies.count.y * body.copies.count.z;
        if (*n == 0)
            note(node, path, "the body is too small for a single particle",
                 fmt::format("{} spacing is {:g} m; make the body larger or the spacing smaller.",
                             body.spacing > 0 ? "Its" : "Its material's", spacing));
    }
    if (copies >= kMaxGroups)
        note(m_root.find("bodies"), "bodies",
             fmt::format("{:.3g} bodies with all copies; at most {} are possible", copies, kMaxGroups - 1),
             "");
    if (total > kMaxParticles)
        note(m_root.find("bodies"), "bodies",
             fmt::format("{:.3g} particles; at most {:.3g} are possible", total, kMaxParticles),
             "Use a coarser spacing or smaller bodies.");
    m_canMakeBodies = !wrong("bodies") && !wrong("materials") && m_mistakes.size() == before;
    if (!m_canMakeBodies) return;
    for (size_t i = 0; i < m_scene.bodies.size(); ++i) {
        const Node* node = element("bodies", i);
        if (!m_scene.bodies[i].attach.empty())
            attachments(m_scene.bodies[i], node, pathOf("bodies", node, i));
    }
    if (m_scene.parameters.solver.planar) plane();
}

// In a planar scene all particles start at one z, and stay there.
void Whole::plane() {
    for (const OutOfPlane& out : outOfPlane(m_scene)) {
        const Node* node = element("bodies", out.body);
        note(node, pathOf("bodies", node, out.body), out.objection.what, out.objection.advice);
    }
}

// Names that files may show, liquids that are there, and steps that end.
void Whole::channels() {
    const Node* table = m_root.find("channels");
    Names names, columns = {"x", "y", "z", "vx", "vy", "vz", "id", "velocity", "material", "group", "phi"};
    for (const ChannelInfo& channel : m_scene.channels) {
        const Node* node = table ? table->find(channel.name) : nullptr;
        const std::string path = "channels." + printable(channel.name);
        names.push_back(channel.name);
        const bool plain = !channel.name.empty() && channel.name.size() <= 60 &&
                           !std::isdigit(uint8_t(channel.name[0])) &&
                           std::all_of(channel.name.begin(), channel.name.end(),
                                       [](char c) { return std::isalnum(uint8_t(c)) || c == '_'; });
        if (!plain)
            note(node, path, "this cannot be the name of a channel",
                 "Exported files show it: use letters, digits and _, no digit first, at most 60.");
        Names own = {channel.name};
        if (channel.type == ChannelType::vector)
            for (const char* axis : {"_x", "_y", "_z"}) own.push_back(channel.name + axis);
        for (const std::string& column : own)
            if (has(columns, column))
                note(node, path,
                     fmt::format("exported files have a column \"{}\" already", printable(column)),
                     "Give the channel another name.");
        columns.insert(columns.end(), own.begin(), own.end());
        if (wrong(path) || wrong("materials")) continue;
        Names liquids;
        for (const Material& m : m_scene.materials)
            if (m.properties.kind == MaterialKind::fluid) liquids.push_back(m.name);
        for (const std::string& name : channel.materials)
            if (!has(liquids, name))
                note(node, path + ".materials",
                     fmt::format("no liquid is called \"{}\".{}", printable(name), didYouMean(name, liquids)),
                     liquids.empty() ? "The scene has no liquids; channels diffuse in nothing else."
                                     : "There are: " + listOf(liquids) + ".");
        const auto& solver = m_scene.parameters.solver;
        const double dt = 1.0 / (double{solver.frameRate} * solver.substeps);
        for (const Material& m : m_scene.materials) {
            if (!has(liquids, m.name) || (!channel.materials.empty() && !has(channel.materials, m.name)))
                continue;
            const MaterialConstants liquid =
                materialConstants(m.properties, m_scene.parameters.solver.planar);
            const int passes = diffusionPasses(liquid, channel.diffusivity, dt, solver.planar);
            if (channel.diffusivity > 0 && passes > kMostDiffusionPasses)
                note(node, path + ".diffusivity",
                     fmt::format("in {} this needs {} passes each substep; at most {} are made",
                                 printable(m.name), passes, kMostDiffusionPasses),
                     fmt::format("At this spacing and time step, {:.2g} m^2/s is possible.",
                                 channel.diffusivity * kMostDiffusionPasses / passes));
        }
    }
    const auto carriedBy = [&](const char* list, const std::vector<Body>& bodies) {
        for (size_t i = 0; m_root.find(list) && i < bodies.size(); ++i) {
            const Node* node = element(list, i);
            const std::string path = pathOf(list, node, i);
            carried(bodies[i].values, names, node, path + ".values");
            carried(bodies[i].gradient.values, names, node, path + ".gradient.values");
        }
    };
    carriedBy("bodies", m_scene.bodies);
    carriedBy("prefabs", m_scene.prefabs);
    for (size_t i = 0; i < m_scene.emitters.size(); ++i) {
        const Node* node = element("emitters", i);
        carried(m_scene.emitters[i].values, names, node, pathOf("emitters", node, i) + ".values");
    }
    if (!m_scene.colorBy.empty() && !has(names, m_scene.colorBy))
        note(m_root.find("colorBy"), "colorBy",
             fmt::format("no channel is called \"{}\".{}", printable(m_scene.colorBy),
                         didYouMean(m_scene.colorBy, names)),
             names.empty() ? "The scene has no channels." : "There are: " + listOf(names) + ".");
}

// Values that particles are born with must fit the channels.
void Whole::carried(const NamedNumbers& values, const Names& names, const Node* node,
                    const std::string& path) {
    for (const auto& [name, numbers] : values) {
        const auto found = std::find(names.begin(), names.end(), name);
        if (found == names.end()) {
            note(node, path,
                 fmt::format("no channel is called \"{}\".{}", printable(name), didYouMean(name, names)),
                 names.empty() ? "Declare it: \"channels\": {\"dye\": {}}."
                               : "There are: " + listOf(names) + ".");
            continue;
        }
        const ChannelInfo& channel = m_scene.channels[static_cast<size_t>(found - names.begin())];
        const bool vector = channel.type == ChannelType::vector;
        if ((numbers.size() == 3) != vector || !fits(channel.type, channelValue(numbers)))
            note(node, path + "." + printable(name),
                 fmt::format("the channel is of type {}",
                             channelTypeNames()[static_cast<size_t>(channel.type)]),
                 vector                               ? "Give three numbers [x, y, z]."
                 : channel.type == ChannelType::whole ? "Give a whole number of 32 bits."
                                                      : "Give one number.");
    }
}

// Shapes that particles go with must be there, and particles where they are looked for.
void Whole::attachments(const Body& body, const Node* node, const std::string& path) {
    Names shapes;
    for (const Shape& shape : m_scene.shapes) shapes.push_back(shape.name);
    for (const Attachment& a : body.attach) {
        if (!a.shape.empty() && !has(shapes, a.shape))
            note(node, path + ".attach",
                 fmt::format("no shape is called \"{}\".{}", printable(a.shape), didYouMean(a.shape, shapes)),
                 shapes.empty() ? "The scene has no shapes." : "There are: " + listOf(shapes) + ".");
        else if (!a.shape.empty() && !isSolid(m_scene, body))
            note(node, path + ".attach", "loose particles cannot go with a shape",
                 "Bodies of rigid, soft, cloth or rope materials can.");
    }
    const size_t index = static_cast<size_t>(&body - m_scene.bodies.data());
    const auto form = formOf(m_scene, body);
    std::vector<Vec3> all;
    for (uint32_t copy = 0; copy < copiesOf(body); ++copy) {
        const std::vector<Vec3> places = placesOf(m_scene, index, copy, *form);
        all.insert(all.end(), places.begin(), places.end());
    }
    for (const Attachment& a : body.attach) {
        Body alone = body;
        alone.pinned = false, alone.pin.reset(), alone.attach = {a};
        const std::vector<bool> held = heldOf(alone, all);
        if (std::find(held.begin(), held.end(), true) == held.end())
            note(node, path + ".attach",
                 fmt::format("no particle of \"{}\" starts between [{:g}, {:g}, {:g}] and [{:g}, {:g}, {:g}]",
                             printable(body.name), a.box.low.x, a.box.low.y, a.box.low.z, a.box.high.x,
                             a.box.high.y, a.box.high.z),
                 "Places count in the world, not from the body's center.");
    }
}

void Whole::springs() {
    if (!m_canMakeBodies) return;
    Names bodies;
    for (const Body& body : m_scene.bodies) bodies.push_back(body.name);
    for (size_t i = 0; i < m_scene.springs.size(); ++i) {
        const Joint& joint = m_scene.springs[i];
        const Node* node = element("springs", i);
        const std::string path = pathOf("springs", node, i);
        if (wrong(path)) continue;
        bool fine = true;
        for (const auto& [end, name] : {std::pair(&joint.from, ".from"), std::pair(&joint.to, ".to")}) {
            const auto meaning = m_groups.find(end->body);
            if (!meaning || meaning->material || meaning->emitted || end->body.empty()) {
                note(node, path + name + ".body",
                     fmt::format("no body is called \"{}\".{}", printable(end->body),
                                 didYouMean(end->body, bodies)),
                     "There are: " + listOf(bodies) + ".");
                fine = false;
            } else if (!isSolid(m_scene, m_scene.bodies[m_groups.placeOf(meaning->first).body])) {
                note(node, path + name + ".body",
                     fmt::format("the particles of \"{}\" are loose, and no spring can hold them",
                                 printable(end->body)),
                     "Bodies of rigid, soft, cloth or rope materials can be joined.");
                fine = false;
            }
        }
        if (!fine) continue;
        const auto material = materialOf(m_scene, joint);
        const bool named = std::any_of(m_scene.materials.begin(), m_scene.materials.end(),
                                       [&](const Material& m) { return m.name == joint.material; });
        Names sprung;
        for (const Material& m : m_scene.materials)
            if (isSprung(m.properties)) sprung.push_back(m.name);
        const std::string known = sprung.empty() ? "The scene has none: add one of the kind rope."
                                                 : "There are: " + listOf(sprung) + ".";
        if (!joint.material.empty() && !named)
            note(node, path + ".material",
                 fmt::format("no material is called \"{}\".{}", printable(joint.material),
                             didYouMean(joint.material, sprung)),
                 known);
        else if (!material || !isSprung(m_scene.materials[*material].properties))
            note(node, path + ".material", "a spring needs a material of the kind cloth or rope", known);
        const auto from = nearestAtStart(m_scene, joint.from.body, joint.from.at),
                   to = nearestAtStart(m_scene, joint.to.body, joint.to.at);
        if (from.group == to.group && from.index == to.index)
            note(node, path, "both ends are the same particle", "Move one of the points.");
    }
}

// Something must be there at the time that is held.
void Whole::released(const TimedCommand& command, const Node* node, const std::string& path) {
    const auto meaning = m_groups.find(command.release);
    if (!meaning || wrong("bodies")) return;
    bool pinned = false;
    double born = std::numeric_limits<double>::infinity();  // [s] the first of them
    for (size_t b = 0; b < m_scene.bodies.size(); ++b) {
        const Body& body = m_scene.bodies[b];
        const bool meant = meaning->material ? body.material == *meaning->material
                                             : meaning->first < m_groups.firstOf(b) + copiesOf(body) &&
                                                   m_groups.firstOf(b) < meaning->first + meaning->count;
        if (!meant || !(body.pinned || body.pin || !body.attach.empty())) continue;
        pinned = true;
        born = std::min(born, body.at);
    }
    if (!pinned)
        note(node, path,
             fmt::format("\"{}\" is not pinned, so nothing would be let go", printable(command.release)),
             "Give the body \"pinned\": true, a \"pin\" or \"attach\", or take the command away.");
    else if (born > command.at)
        note(node, path,
             fmt::format("\"{}\" is born at {:g} s, after it would be released at {:g} s",
                         printable(command.release), born, command.at),
             fmt::format("Release it at {:g} s or later.", born));
}

// A particle of a body that is there by then.
void Whole::grabbed(const TimedCommand& command, const Node* node, const std::string& path) {
    groupNamed(node, path + ".grab", command.grab, false);
    if ((command.index >= 0) == command.point.has_value())
        note(node, path, "a hand grabs a body by either index or point",
             "For example {\"at\": 1, \"grab\": \"ball\", \"point\": [0, 1, 0]}.");
    const auto meaning = m_groups.find(command.grab);
    if (!meaning || wrong("bodies")) return;
    if (meaning->material || meaning->emitted) {
        note(node, path + ".grab",
             fmt::format("\"{}\" is {}", printable(command.grab),
                         meaning->material ? "a material" : "an emitter"),
             "Name the body that the hand takes.");
        return;
    }
    const auto [b, copy] = m_groups.placeOf(meaning->first);
    const Body& body = m_scene.bodies[b];
    if (body.at > command.at)
        note(node, path,
             fmt::format("\"{}\" is born at {:g} s, after it would be grabbed at {:g} s",
                         printable(command.grab), body.at, command.at),
             fmt::format("Grab it at {:g} s or later.", body.at));
    const auto count = particlesOf(body, node, path);
    if (count && command.index >= *count * meaning->count)
        note(node, path + ".index",
             fmt::format("{} is out of range: \"{}\" has {:g} particles", command.index,
                         printable(command.grab), *count * meaning->count),
             "They are counted from 0.");
}

// What a hand does; it must hold something to move or to let go.
void Whole::handed(const TimedCommand& command, const Node* node, const std::string& path) {
    if (command.until > 0 && !(command.drag && command.until > command.at))
        note(node, path + ".until",
             command.drag ? "it must be later than `at`" : "only set and drag take time", "");
    if (!command.grab.empty()) return grabbed(command, node, path);
    if (!command.cut.empty()) {
        const std::string trouble = command.cut.size() != 3
                                        ? fmt::format("a cut has three corners, not {}", command.cut.size())
                                        : mistakeIn(Cut{command.cut[0], command.cut[1], command.cut[2]});
        if (!trouble.empty())
            note(node, path + ".cut", trouble, "For example [[0, 2, 0], [1, 0, -1], [1, 0, 1]].");
        return;
    }
    const auto& commands = m_scene.timeline;
    const bool held = std::any_of(commands.begin(), commands.end(), [&](const TimedCommand& c) {
        return !c.grab.empty() && c.hand == command.hand && c.at <= command.at;
    });
    if (!held)
        note(node, path, fmt::format("hand {} has grabbed nothing by then", command.hand),
             "Let it grab a body before: {\"at\": 1, \"grab\": \"ball\", \"point\": [0, 1, 0]}.");
}

// A name of the release, and a path that leads to something which the values fit.
void Whole::timeline() {
    for (size_t i = 0; i < m_scene.timeline.size(); ++i) {
        const TimedCommand& command = m_scene.timeline[i];
        const Node* node = element("timeline", i);
        const std::string path = pathOf("timeline", node, i);
        if (wrong(path)) continue;
        const int verbs = !command.set.empty() + !command.release.empty() + !command.grab.empty() +
                          command.drag.has_value() + command.letGo + !command.cut.empty();
        if (verbs != 1) {
            note(node, path, "a command is one of set, release, grab, drag, letGo and cut",
                 "For example {\"at\": 2, \"set\": \"world.gravity\", \"to\": [0, -9.81, 0]}.");
            continue;
        }
        if (!command.release.empty()) {
            groupNamed(node, path + ".release", command.release, false);
            released(command, node, path + ".release");
            continue;
        }
        if (command.set.empty()) {
            handed(command, node, path);
            continue;
        }
        const bool gradual = command.until > 0, swings = !command.swing.empty();
        if (gradual && !(command.until > command.at))
            note(node, path + ".until", "it must be later than `at`", "");
        if (swings && (!command.from.empty() || command.swing.size() != command.to.size()))
            note(node, path + ".swing", "a value swings about `to`: as many numbers, and no `from`",
                 "For example \"to\": [0, 1, 0], \"swing\": [1, 0, 0], \"period\": 2.");
        else if (!swings && gradual != !command.from.empty())
            note(node, path, "until and from belong together",
                 "For example \"at\": 2, \"until\": 3, \"from\": 1, \"to\": 0.");
        if (command.to.empty()) note(node, path + ".to", "is missing", "The value at the end.");
        Parameters parameters = m_scene.parameters;
        std::vector<Material> materials = m_scene.materials;
        std::vector<Shape> shapes = m_scene.shapes;
        std::vector<ForceField> fields = m_scene.fields;
        std::vector<Emitter> emitters = m_scene.emitters;
        std::vector<Sink> sinks = m_scene.sinks;
        std::vector<double> least = command.to, most = command.to;
        for (size_t k = 0; k < std::min(command.swing.size(), most.size()); ++k)
            least[k] -= command.swing[k], most[k] += command.swing[k];
        for (const std::vector<double>& value : {command.from, least, most}) {
            if (value.empty()) continue;
            const std::string trouble =
                adjust({parameters, materials, shapes, fields, emitters, sinks}, command.set, value);
            if (trouble.empty()) continue;
            note(node, path + ".set", fmt::format("{}: {}", printable(command.set), trouble), "");
            break;
        }
    }
}

void Whole::shapes() {
    for (size_t i = 0; i < m_scene.shapes.size(); ++i) {
        const Node* node = element("shapes", i);
        const std::string path = pathOf("shapes", node, i);
        const std::vector<ShapeKey>& keys = m_scene.shapes[i].keys;
        try {
            if (!wrong(path)) geometryOf(m_scene, m_scene.shapes[i]);
        } catch (const Error& error) {
            note(node, path, said(error, "shapes." + m_scene.shapes[i].name), "");
        }
        if (wrong(path + ".keys")) continue;
        for (size_t k = 1; k < keys.size(); ++k)
            if (!(keys[k].t > keys[k - 1].t))
                note(node, fmt::format("{}.keys.{}.t", path, k), "the times of keys must grow", "");
    }
}

void Whole::fields() {
    if (m_scene.fields.size() > size_t{kMaxForceFields})
        note(m_root.find("fields"), "fields",
             fmt::format("{} force fields; at most {} are possible", m_scene.fields.size(), kMaxForceFields),
             "");
    for (size_t i = 0; i < m_scene.fields.size(); ++i) {
        const Node* node = element("fields", i);
        const std::string path = pathOf("fields", node, i);
        if (!wrong(path)) actedOn(node, path + ".actsOn", m_scene.fields[i].actsOn);
    }
}

// Rigid or soft bodies, each a single one, that stand on no place yet.
void Whole::prefabs() {
    for (size_t i = 0; i < m_scene.prefabs.size(); ++i) {
        const Body& body = m_scene.prefabs[i];
        const Node* node = element("prefabs", i);
        const std::string path = pathOf("prefabs", node, i);
        if (wrong(path) || body.material >= m_scene.materials.size()) continue;
        const Material& material = m_scene.materials[body.material];
        if (wrong("materials." + printable(material.name))) continue;
        if (!isMatched(material.properties))
            note(node, path + ".material",
                 fmt::format("a prefab is rigid or soft, and \"{}\" is neither", printable(material.name)),
                 "Give its material the kind rigid or soft.");
        const Body plain;
        const auto refuse = [&](const char* key, bool given) {
            if (given)
                note(node, path + "." + key,
                     "a prefab is not in the world; its emitter says how copies begin", "Take it away.");
        };
        refuse("at", body.at > 0);
        refuse("pinned", body.pinned), refuse("pin", body.pin.has_value()),
            refuse("attach", !body.attach.empty());
        refuse("copies", copiesOf(body) != 1);
        refuse("center", !(body.center == plain.center));
        refuse("rotation", std::abs(body.rotation.w) < 1 - 1e-6f);
        refuse("velocity", !(body.velocity == plain.velocity));
        refuse("angularVelocity", !(body.angularVelocity == plain.angularVelocity));
        refuse("jitter", body.jitter > 0), refuse("deform", !(body.deform == plain.deform));
        const auto n = particlesOf(body, node, path);
        if (n && *n == 0)
            note(node, path, "the body is too small for a single particle",
                 "Make it larger or its material's spacing smaller.");
    }
}

void Whole::emitters() {
    if (const auto plane = objectionToPlane(m_scene.parameters, m_scene.emitters))
        note(m_root.find("emitters"), "emitters", plane->what, plane->advice);
    Names prefabs, rides;
    for (const Body& body : m_scene.prefabs) prefabs.push_back(body.name);
    for (const Shape& shape : m_scene.shapes) rides.push_back(shape.name);
    bool late = false;
    for (const Body& body : m_scene.bodies) {
        late |= body.at > 0;
        const bool solid = body.material < m_scene.materials.size() &&
                           isMatched(m_scene.materials[body.material].properties);
        for (uint32_t copy = 0; solid && copy < copiesOf(body); ++copy) rides.push_back(nameOf(body, copy));
    }
    for (size_t i = 0; i < m_scene.emitters.size(); ++i) {
        const Emitter& e = m_scene.emitters[i];
        const Node* node = element("emitters", i);
        const std::string path = pathOf("emitters", node, i);
        if (wrong(path)) continue;
        const auto unknown = [&](const char* key, const char* what, const std::string& name,
                                 const Names& known) {
            note(node, path + "." + key,
                 fmt::format("no {} is called \"{}\".{}", what, printable(name), didYouMean(name, known)),
                 known.empty() ? fmt::format("The scene has no {}.", what)
                               : "There are: " + listOf(known) + ".");
        };
        if (!e.on.empty() && !has(rides, e.on)) unknown("on", "shape or solid body", e.on, rides);
        for (const std::string& name : e.bodies)
            if (!has(prefabs, name)) unknown("bodies", "prefab", name, prefabs);
        // what is said of its material already is not judged again
        const bool judged = e.material >= m_scene.materials.size() ||
                            wrong("materials." + printable(m_scene.materials[e.material].name));
        for (const Objection& o : objectionsTo(e, judged ? std::vector<Material>() : m_scene.materials))
            note(node, o.value.empty() ? path : path + "." + o.value, o.what, o.advice);
        if (!e.bodies.empty()) {
            if (late)
                note(node, path + ".bodies", "a scene with late births cannot emit bodies",
                     "Let an emitter bring in the late body, with maximum 1.");
            continue;
        }
        if (judged) continue;
        const Material& material = m_scene.materials[e.material];
        const MaterialKind kind = material.properties.kind;
        if (kind != MaterialKind::fluid && kind != MaterialKind::grains)
            note(node, path + ".material",
                 fmt::format("\"{}\" is neither a fluid nor grains", printable(material.name)),
                 "Bodies are emitted as prefabs: \"bodies\": [\"rock\"].");
        if (e.mouth != Emitter::Mouth::volume) continue;
        try {
            if (placesOf(m_scene, e).empty())
                note(node, path + ".volume", "it is too small for a single particle", "Make it larger.");
        } catch (const Error& error) {
            note(node, path + ".volume", said(error, "bodies." + e.name), "");
        }
    }
}

void Whole::sinks() {
    if (m_scene.sinks.size() > kMaxSinks)
        note(m_root.find("sinks"), "sinks",
             fmt::format("{} sinks; at most {} are possible", m_scene.sinks.size(), kMaxSinks), "");
    for (size_t i = 0; i < m_scene.sinks.size(); ++i) {
        const Sink& sink = m_scene.sinks[i];
        const Node* node = element("sinks", i);
        const std::string path = pathOf("sinks", node, i);
        if (wrong(path)) continue;
        for (const Objection& o : objectionsTo(sink))
            note(node, o.value.empty() ? path : path + "." + o.value, o.what, o.advice);
        actedOn(node, path + ".actsOn", sink.actsOn);
        try {
            if (sink.formed) geometryOf(m_scene, sink.form);
        } catch (const Error& error) {
            note(node, path, said(error, "shapes." + sink.form.name), "");
        }
    }
}

void Whole::cameras() {
    for (const CameraView& view : m_scene.cameras)
        if (view.eye == view.look && !wrong("camera") && !wrong("cameras"))
            note(m_root.find("camera") ? m_root.find("camera") : m_root.find("cameras"), "camera",
                 "eye and look are the same point, so there is no direction to look in", "");
}

void Whole::poster() {
    const Node* node = m_root.find("poster");
    const Poster& poster = m_scene.poster;
    if (!node || wrong("poster")) return;
    const auto known = [&](const char* key, const std::string& name, const std::vector<std::string>& names) {
        if (name.empty() || has(names, name)) return;
        note(node->find(key), std::string("poster.") + key,
             fmt::format("the scene has no {} \"{}\".{}", key, printable(name), didYouMean(name, names)),
             names.empty() ? "It has none." : "There are: " + listOf(names) + ".");
    };
    std::vector<std::string> cameras;
    for (const CameraView& view : m_scene.cameras) cameras.push_back(view.name);
    known("size", poster.size, m_scene.sizes);
    known("case", poster.caseName, m_scene.cases);
    known("camera", poster.camera, cameras);
    if (!poster.camera.empty() && poster.view)
        note(node, "poster", "it needs either a camera or a view", "Take one of the two away.");
    if (poster.view && poster.view->eye == poster.view->look)
        note(node, "poster.view", "eye and look are the same point, so there is no direction to look in", "");
}

void Whole::caseNamed(const Node* node, const std::string& path, const std::string& name) {
    if (!has(m_scene.cases, name))
        note(node, path,
             fmt::format("no case is called \"{}\".{}", printable(name), didYouMean(name, m_scene.cases)),
             "There are: " + listOf(m_scene.cases) + ".");
}

// The name of a body, of one of its copies, of a material, or of a shape where shapes are meant too.
// Whom a field or a sink acts on.
void Whole::actedOn(const Node* node, const std::string& path, const Names& names) {
    for (const std::string& name : names) {
        if (name.empty()) {
            note(node, path, "an empty name is none", "Without actsOn everything is meant.");
            continue;
        }
        groupNamed(node, path, name, false);
        for (const Emitter& emitter : m_scene.emitters)
            if (emitter.name == name && !emitter.bodies.empty())
                note(
                    node, path,
                    fmt::format("\"{}\" emits bodies, and these are not called by its name", printable(name)),
                    "Name their material.");
    }
}

void Whole::groupNamed(const Node* node, const std::string& path, const std::string& name, bool orShape) {
    if (m_groups.find(name) || m_wrongThemselves.contains("bodies") ||
        m_wrongThemselves.contains("materials"))
        return;
    Names names = m_names;
    if (orShape) names.emplace_back("shapes");
    for (const Shape& shape : m_scene.shapes)
        if (orShape) names.push_back(shape.name);
    if (has(names, name)) return;
    const auto copies = m_groups.find(name.substr(0, name.find('.')));
    note(node, path,
         fmt::format("no {} is called \"{}\".{}", orShape ? "body, material or shape" : "body or material",
                     printable(name), didYouMean(name, names)),
         copies && copies->count > 1 ? fmt::format("The copies are numbered from 0 to {}.", copies->count - 1)
                                     : "There are: " + listOf(names) + ".");
}

// A shape that can tell what the check asks for.
void Whole::shapeNamed(const Check& check, const Node* node, const std::string& path,
                       const std::string& name) {
    const bool trigger = check.kind == "entered" || check.kind == "present", form = check.kind == "passed";
    Names names;
    for (const Shape& shape : m_scene.shapes)
        if (!(trigger && !shape.trigger) && !(form && shape.kind < ShapeKind::convex))
            names.push_back(shape.name);
    const char* thing = trigger ? "trigger" : form ? "convex, field or mesh" : "shape";
    if (!has(names, name) && !m_wrongThemselves.contains("shapes"))
        note(
            node, path + ".shape",
            fmt::format("no {} is called \"{}\".{}", thing, printable(name), didYouMean(name, names)),
            names.empty() ? fmt::format("The scene has no {}.", thing) : "There are: " + listOf(names) + ".");
}

// An element of a list, by its name.
template <class T>
void Whole::listed(const Node* node, const std::string& path, const char* what, const std::string& name,
                   const std::vector<T>& list) {
    Names names;
    for (const T& element : list) names.push_back(element.name);
    if (!has(names, name))
        note(node, path,
             fmt::format("no {} is called \"{}\".{}", what, printable(name), didYouMean(name, names)),
             names.empty() ? fmt::format("The scene has no {}.", what) : "There are: " + listOf(names) + ".");
}

void Whole::order(const Check& check, const Node* node, const std::string& path) {
    const auto measure = check.words.find("measure");
    if (wrong(path) || measure == check.words.end()) return;
    const CheckKind* kind = findCheckKind(measure->second);
    Names kinds;
    for (const CheckKind& known : checkKinds())
        if (!known.between() && std::string_view(known.name) != "order") kinds.emplace_back(known.name);
    if (!kind || !has(kinds, measure->second))
        note(node, path + ".measure",
             fmt::format("\"{}\" is no kind of check that could be measured.{}", printable(measure->second),
                         didYouMean(measure->second, kinds)),
             "All checks: docs/scenes.md.");
    if (const auto it = check.lists.find("groups"); it != check.lists.end() && it->second.size() < 2)
        note(node, path + ".groups", "an order needs at least two groups", "");
}

void Whole::limits(const Check& check, const CheckKind& kind, const Node* node, const std::string& path) {
    const bool expected = check.numbers.contains("expected");
    if (!wrong(path) && !kind.between() && expected != check.numbers.contains("tolerance"))
        note(node, path, "expected and tolerance belong together",
             "For example \"expected\": 0.5, \"tolerance\": 0.05.");
    if (!wrong(path) && !kind.between() && !check.min && !check.max && !expected)
        note(node, path, "the check has no limit, so it cannot fail",
             "Give min, max, or expected with tolerance.");
    if (int(check.always) + int(check.at >= 0) + int(check.from >= 0 || check.to >= 0) > 1)
        note(node, path, "at, always and from/to exclude each other", "Give one of them.");
}

void Whole::comparison(const Check& check, const Node* node, const std::string& path) {
    if (!wrong(path) && check.kind == "compare") {
        const auto relation = check.words.find("relation");
        const std::string word = relation == check.words.end() ? "" : relation->second;
        const bool pair = check.words.contains("of") && check.words.contains("to");
        const auto list = check.lists.find("cases");
        const bool several = list != check.lists.end() && list->second.size() >= 2;
        const char* needs = (word == "<" || word == ">") && !pair ? "`of` and `to`"
                            : word == "~" && !pair && !several ? "`of` and `to`, or `cases` with at least two"
                            : (word == "grows" || word == "falls") && !several ? "`cases` with at least two"
                            : word == "converges" && !(pair && check.words.contains("base"))
                                ? "`of`, `to` and `base`"
                                : nullptr;
        if (needs) note(node, path, fmt::format("the relation {} needs {}", word, needs), "");
    }
    for (const char* word : {"of", "to", "base"})
        if (const auto it = check.words.find(word); it != check.words.end())
            caseNamed(node, path + "." + word, it->second);
    if (const auto it = check.lists.find("cases"); it != check.lists.end())
        for (const std::string& name : it->second) caseNamed(node, path + ".cases", name);
    if (const auto it = check.words.find("measure"); it != check.words.end() && !has(m_labels, it->second))
        note(node, path + ".measure",
             fmt::format("no check is called \"{}\".{}", printable(it->second),
                         didYouMean(it->second, m_labels)),
             "measure is the name of another check of this file.");
}

void Whole::expect() {
    const Node* expect = m_root.find("expect");
    for (const Check& check : m_scene.expect) {
        const CheckKind* kind = findCheckKind(check.kind);
        if (!kind) continue;
        const Node* node = expect ? expect->find(check.name) : nullptr;
        const std::string path = "expect." + printable(check.name);
        groupNamed(node, path + ".group", check.group, false);
        if (const auto it = check.words.find("other"); it != check.words.end())
            groupNamed(node, path + ".other", it->second, check.kind != "submerged");
        if (const auto it = check.words.find("emitter"); it != check.words.end())
            listed(node, path + ".emitter", "emitter", it->second, m_scene.emitters);
        if (const auto it = check.words.find("sink"); it != check.words.end())
            listed(node, path + ".sink", "sink", it->second, m_scene.sinks);
        if (const auto it = check.words.find("shape"); it != check.words.end())
            shapeNamed(check, node, path, it->second);
        if (const auto it = check.lists.find("groups"); it != check.lists.end())
            for (const std::string& name : it->second) groupNamed(node, path + ".groups", name, false);
        if (check.kind == "order") order(check, node, path);
        if (const auto it = check.words.find("channel"); it != check.words.end()) {
            Names channels;
            for (const ChannelInfo& channel : m_scene.channels) channels.push_back(channel.name);
            if (!has(channels, it->second))
                note(
                    node, path + ".channel",
                    fmt::format("no channel is called \"{}\".{}", printable(it->second),
                                didYouMean(it->second, channels)),
                    channels.empty() ? "The scene has no channels." : "There are: " + listOf(channels) + ".");
        }
        limits(check, *kind, node, path);
        if (kind->between()) comparison(check, node, path);
    }
}

void Whole::controls() {
    Names labels = m_labels;
    labels.insert(labels.end(), {"finite", "balance", "no_overflow", "inside", "repeatable"});
    const Node* cases = m_root.find("cases");
    if (!cases) return;
    for (const Node& set : cases->children) {
        // a case may take checks away which another one must fail
        if (!m_scene.caseName.empty() && set.key != m_scene.caseName) continue;
        const Node* control = set.find("control");
        if (!control || !control->isArray()) continue;
        for (const Node& name : control->children)
            if (name.isText() && !has(labels, name.text))
                note(&name, fmt::format("cases.{}.control", printable(set.key)),
                     fmt::format("no check is called \"{}\".{}", printable(name.text),
                                 didYouMean(name.text, labels)),
                     "A control names checks of `expect`.");
    }
}

}  // namespace

void checkWhole(const Scene& scene, const Node& root, std::vector<Mistake>& mistakes) {
    Whole whole(scene, root, mistakes);
    whole.sections();
    whole.bodies();
    whole.channels();
    whole.shapes();
    whole.springs();
    whole.fields();
    whole.prefabs();
    whole.emitters();
    whole.sinks();
    whole.timeline();
    whole.cameras();
    whole.poster();
    whole.expect();
    whole.controls();
}

}  // namespace coalesce
