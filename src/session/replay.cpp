#include "session/replay.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/whole_file.h"
#include "scene/format/former_keys.h"
#include "scene/format/read_fields.h"
#include "sim/state/state_hash.h"
#include "sim/world/ball.h"

namespace coalesce {

namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kHashInterval = 60;  // frames; one second of most scenes
constexpr double kMaxFrame = 1e12;

// ---- reading ----

template <size_t N>
bool corners(ReadFields& f, Vec3 (&out)[N], const KeySpec& field) {
    std::vector<Vec3> points;
    if (!f.points(points, field, true)) return false;
    if (points.size() == N) {
        std::copy(points.begin(), points.end(), out);
    } else {
        f.report(field.name, fmt::format("it takes {} points, not {}", N, points.size()), "");
    }
    return true;
}

void readEvent(ReadFields& f, InputEvent& event) {
    f.value(event.frame, {"frame", "", "-", 0, kMaxFrame, true});
    int hand = 0;
    uint64_t id = 0;
    int material = 0;
    Vec3 point{}, brush[2]{}, cut[3]{}, flight[2]{};
    bool letGo = false;
    uint64_t shape = 0;
    Edit edit;
    int forms = 0;
    f.value(hand, {"hand", "", "-", 0, kMaxMouseConstraints - 1});
    const auto number = uint32_t(hand);
    if (f.value(id, {"grab", "", "-", 0, 0xfffffffeu})) {
        ++forms;
        f.value(point, {"at", "", "m", -kFar, kFar, true});
        event.content = Grab{number, uint32_t(id), point};
    }
    if (f.value(point, {"move", "", "m"})) ++forms, event.content = MoveTarget{number, point};
    if (f.value(letGo, {"letGo", ""})) ++forms, event.content = Release{number};
    if (corners(f, brush, {"brush", "", "m"})) ++forms, event.content = Brush{brush[0], brush[1]};
    if (corners(f, cut, {"cut", "", "m"})) ++forms, event.content = Cut{cut[0], cut[1], cut[2]};
    if (f.value(point, {"place", "", "m"})) {
        ++forms;
        MoveShape move{0, point, {}};
        f.value(shape, {"shape", "", "-", 0, 0xfffffffeu, true});
        f.rotation(move.rotation, {"rotation", ""});
        move.shape = uint32_t(shape);
        event.content = move;
    }
    if (corners(f, flight, {"throw", "", "m"})) ++forms, event.content = Throw{flight[0], flight[1]};
    if (corners(f, flight, {"gust", "", "m"})) ++forms, event.content = Gust{flight[0], flight[1]};
    if (corners(f, flight, {"pour", "", "m"})) {
        ++forms;
        f.value(material, {"material", "", "-", 0, kMaxMaterials - 1});
        event.content = Pour{uint32_t(material), flight[0], flight[1]};
    }
    if (f.value(edit.path, {"set", ""})) {
        ++forms;
        edit.path = currentPath(edit.path);
        f.numbers(edit.numbers, {"to", ""});
        f.value(edit.word, {"word", ""});
        event.content = edit;
    }
    if (const auto* command = std::get_if<UserCommand>(&event.content); command && forms == 1)
        if (const std::string message = malformed(*command); !message.empty()) f.report("", message, "");
    f.oneForm(forms, "event",
              {"grab", "move", "letGo", "brush", "cut", "place", "throw", "pour", "gust", "set"},
              "For example {\"frame\": 3, \"hand\": 0, \"move\": [0, 1, 0]}.");
}

void readMark(ReadFields& f, StateMark& mark) {
    f.value(mark.frame, {"frame", "", "-", 0, kMaxFrame, true});
    std::string text;
    if (!f.value(text, {"hash", "", "-", 0, 0, true})) return;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mark.hash, 16);
    if (error != std::errc() || end != text.data() + text.size() || text.size() != 16)
        f.report("hash", "it is not a hash of 16 hexadecimal digits", "");
}

// ---- writing ----

Json toJson(Vec3 v) {
    return Json::array({double{v.x}, double{v.y}, double{v.z}});
}

// Floats are written as doubles, so that reading them back is bit-exact.
Json toJson(const InputEvent& event) {
    Json out{{"frame", event.frame}};
    if (const auto* edit = std::get_if<Edit>(&event.content)) {
        out["set"] = edit->path;
        if (!edit->word.empty())
            out["word"] = edit->word;
        else if (edit->numbers.size() == 1)
            out["to"] = edit->numbers[0];
        else
            out["to"] = edit->numbers;
        return out;
    }
    const auto& command = std::get<UserCommand>(event.content);
    if (const auto* grab = std::get_if<Grab>(&command))
        out.update({{"hand", grab->constraint}, {"grab", grab->id}, {"at", toJson(grab->at)}});
    if (const auto* move = std::get_if<MoveTarget>(&command))
        out.update({{"hand", move->constraint}, {"move", toJson(move->to)}});
    if (const auto* go = std::get_if<Release>(&command))
        out.update({{"hand", go->constraint}, {"letGo", true}});
    if (const auto* brush = std::get_if<Brush>(&command))
        out["brush"] = Json::array({toJson(brush->from), toJson(brush->to)});
    if (const auto* move = std::get_if<MoveShape>(&command)) {
        const Quat& q = move->rotation;
        out.update({{"shape", move->shape}, {"place", toJson(move->to)}});
        out["rotation"] = Json::array({double{q.x}, double{q.y}, double{q.z}, double{q.w}});
    }
    if (const auto* cut = std::get_if<Cut>(&command))
        out["cut"] = Json::array({toJson(cut->a), toJson(cut->b), toJson(cut->c)});
    // start position and velocity
    const auto flight = [](const auto& c) { return Json::array({toJson(c.from), toJson(c.velocity)}); };
    if (const auto* thrown = std::get_if<Throw>(&command)) out["throw"] = flight(*thrown);
    if (const auto* gust = std::get_if<Gust>(&command)) out["gust"] = flight(*gust);
    if (const auto* pour = std::get_if<Pour>(&command))
        out.update({{"pour", flight(*pour)}, {"material", pour->material}});
    return out;
}

// A list with one element per line.
template <class T, class ToJson>
std::string lines(const std::vector<T>& list, ToJson&& toJson) {
    std::string text;
    for (const T& element : list) text += (text.empty() ? "\n    " : ",\n    ") + toJson(element).dump();
    return "[" + text + (text.empty() ? "]" : "\n  ]");
}

}  // namespace

// ---- files ----

Replay readReplay(const std::filesystem::path& file) {
    Node root;
    std::vector<Diagnostic> diagnostics;
    const auto refuse = [&](std::string what) {
        diagnostics.push_back(
            {root.line, 0, "", "", std::move(what), "coalesce view --save-replay writes one."});
        failWith(file, diagnostics);
    };
    if (!parseJson(fileText(file, "coalesce view --save-replay writes one."), root, diagnostics))
        failWith(file, diagnostics);
    if (!root.isObject()) refuse("a replay is one JSON object, got " + root.describe());
    if (!root.find("scene") && (root.find("materials") || root.find("bodies")))
        refuse("it is a scene, not a replay");

    Replay replay;
    replay.file = file;
    std::string scene;
    ReadFields f(root, "", nullptr, diagnostics);
    f.value(scene, {"scene", "", "-", 0, 0, true});
    f.value(replay.choice.size, {"size", ""});
    f.value(replay.choice.caseName, {"case", ""});
    std::string film;
    if (f.value(film, {"film", ""})) replay.choice.film = (file.parent_path() / film).lexically_normal();
    f.value(replay.choice.sets, {"set", ""});
    uint64_t seed = 0;
    if (f.value(seed, {"seed", "", "-", 0, 9e15})) replay.choice.seed = seed;
    // older files call the list "letters"
    const char* const events = root.find("letters") ? "letters" : "events";
    f.list({events, ""}, replay.events, [](ReadFields& g, InputEvent& event) { readEvent(g, event); });
    f.list({"hashes", ""}, replay.marks, [](ReadFields& g, StateMark& mark) { readMark(g, mark); });
    f.finish();
    for (size_t k = 1; k < replay.events.size(); ++k)
        if (replay.events[k].frame < replay.events[k - 1].frame)
            diagnostics.push_back({replay.events[k].line, 0, "", fmt::format("{}.{}.frame", events, k),
                                   fmt::format("frame {} comes after frame {}", replay.events[k].frame,
                                               replay.events[k - 1].frame),
                                   "Events are listed in the order of their frames."});
    for (size_t k = 1; k < replay.marks.size(); ++k)
        if (replay.marks[k].frame <= replay.marks[k - 1].frame)
            f.report("hashes", "they must be in the order of their frames", "");
    if (replay.marks.empty() && diagnostics.empty())
        f.report("hashes", "there are none, so start and end of the recording are unknown",
                 "For example \"hashes\": [{\"frame\": 0, \"hash\": \"0123456789abcdef\"}].");
    if (!diagnostics.empty()) failWith(file, diagnostics);
    replay.scene = (file.parent_path() / scene).lexically_normal();
    return replay;
}

void writeReplay(const Replay& replay, const std::filesystem::path& file) {
    std::error_code ignored;
    const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
    Json head{{"scene", std::filesystem::proximate(replay.scene, folder, ignored).generic_string()}};
    if (!replay.choice.size.empty()) head["size"] = replay.choice.size;
    if (!replay.choice.caseName.empty()) head["case"] = replay.choice.caseName;
    if (!replay.choice.film.empty())
        head["film"] = std::filesystem::proximate(replay.choice.film, folder, ignored).generic_string();
    if (!replay.choice.sets.empty()) head["set"] = replay.choice.sets;
    if (replay.choice.seed) head["seed"] = *replay.choice.seed;
    std::string text = "{\n";
    for (const auto& [key, value] : head.items()) text += fmt::format("  \"{}\": {},\n", key, value.dump());
    text += "  \"events\": " + lines(replay.events, [](const InputEvent& l) { return toJson(l); }) + ",\n";
    text += "  \"hashes\": " + lines(replay.marks, [](const StateMark& m) {
                return Json{{"frame", m.frame}, {"hash", fmt::format("{:016x}", m.hash)}};
            });
    writeFile(file, text + "\n}\n");
}

// ---- playing ----

ReplayPlayer::ReplayPlayer(Replay replay, const Scene& scene) : m_replay(std::move(replay)) {
    Scene tried = scene;
    std::vector<Diagnostic> diagnostics;
    const auto throws = [](const InputEvent& event) {
        const auto* command = std::get_if<UserCommand>(&event.content);
        return command && std::holds_alternative<Throw>(*command);
    };
    // a thrown ball may add a material
    if (std::any_of(m_replay.events.begin(), m_replay.events.end(), throws))
        tried.materials.push_back(ballMaterial(tried.materials));
    for (size_t k = 0; k < m_replay.events.size(); ++k) {
        const InputEvent& event = m_replay.events[k];
        const auto refuse = [&](const char* key, std::string what) {
            diagnostics.push_back(
                {event.line, 0, "", fmt::format("events.{}.{}", k, key), std::move(what), ""});
        };
        if (const auto* edit = std::get_if<Edit>(&event.content)) {
            const std::string message = applyEdit(tunablesOf(tried), *edit);
            if (!message.empty()) refuse("set", printable(edit->path) + ": " + message);
        } else if (const auto* move = std::get_if<MoveShape>(&std::get<UserCommand>(event.content))) {
            if (move->shape >= scene.shapes.size())
                refuse("shape", fmt::format("there is no shape {}; the scene has {}", move->shape,
                                            scene.shapes.size()));
        }
    }
    if (!diagnostics.empty()) failWith(m_replay.file, diagnostics);
}

void ReplayPlayer::apply(World& world, const InputEvent& event, bool commands) {
    if (const auto* edit = std::get_if<Edit>(&event.content)) {
        // checked by the constructor, except for values of a ball that is not thrown yet
        if (const std::string message = applyEdit(tunablesOf(world), *edit); !message.empty())
            fail(Exit::Scene, m_replay.file.string(),
                 fmt::format("frame {}: {}: {}", event.frame, printable(edit->path), message),
                 "Record it again with coalesce view --save-replay.");
    } else if (commands) {
        world.commands.push_back(std::get<UserCommand>(event.content));
    }
}

void ReplayPlayer::begin(World& world) {
    if (world.frame < m_replay.first())
        fail(Exit::Scene, m_replay.file.string(),
             fmt::format("the recording starts at frame {}, from a saved state; this world is at frame {}",
                         m_replay.first(), world.frame),
             "Give the state with --load-state.");
    for (; m_next < m_replay.events.size() && m_replay.events[m_next].frame < world.frame; ++m_next)
        apply(world, m_replay.events[m_next], false);
    check(world);
}

void ReplayPlayer::advance(World& world) {
    for (; m_next < m_replay.events.size() && m_replay.events[m_next].frame <= world.frame; ++m_next)
        apply(world, m_replay.events[m_next], true);
}

void ReplayPlayer::check(World& world) {
    const auto mark = std::find_if(m_replay.marks.begin(), m_replay.marks.end(),
                                   [&](const StateMark& m) { return m.frame == world.frame; });
    if (mark == m_replay.marks.end()) return;
    if (const uint64_t hash = stateHash(world); hash != mark->hash)
        fail(Exit::Expect, m_replay.file.string(),
             fmt::format("frame {}: the state hash is {:016x}, recorded was {:016x}; {}", mark->frame, hash,
                         mark->hash,
                         m_equal ? fmt::format("last equal at frame {}", *m_equal)
                                 : std::string("no earlier state was equal")),
             "The scene, one of its meshes, or the program has changed since the recording.");
    m_equal = mark->frame;
    ++m_compared;
}

// ---- recording ----

void ReplayRecorder::begin(const Scene& scene, const SceneChoice& choice, const std::vector<Edit>& edits,
                           World& world) {
    m_replay = {{}, scene.file, choice, {}, {}};
    m_replay.choice.size = scene.size;  // also where none was asked for
    m_kept = 0;
    for (const std::string& set : asSets(scene, edits)) m_replay.choice.sets.push_back(set);
    m_replay.marks.push_back({world.frame, stateHash(world)});
}

void ReplayRecorder::record(uint64_t frame, const Edit& edit) {
    // several edits of one path before one frame: the last one counts
    std::vector<InputEvent>& events = m_replay.events;
    for (auto event = events.rbegin(); event != events.rend() - std::ptrdiff_t(m_kept); ++event) {
        if (event->frame != frame) break;
        if (auto* earlier = std::get_if<Edit>(&event->content); earlier && earlier->path == edit.path) {
            *earlier = edit;
            return;
        }
    }
    events.push_back({frame, edit, 0});
}

void ReplayRecorder::record(uint64_t frame, const UserCommand& command) {
    m_replay.events.push_back({frame, command, 0});
}

void ReplayRecorder::checkpoint(World& world) {
    if (world.frame % kHashInterval == 0 && world.frame > m_replay.last())
        m_replay.marks.push_back({world.frame, stateHash(world)});
}

void ReplayRecorder::truncate(uint64_t frame, size_t events) {
    if (events < m_replay.events.size()) m_replay.events.resize(events);
    m_kept = std::min(m_kept, events);
    std::erase_if(m_replay.marks, [&](const StateMark& mark) { return mark.frame > frame; });
}

size_t ReplayRecorder::bytes() const {
    return m_replay.events.size() * sizeof(InputEvent) + m_replay.marks.size() * sizeof(StateMark);
}

void ReplayRecorder::write(World& world, const std::filesystem::path& file) {
    if (world.frame > m_replay.last()) m_replay.marks.push_back({world.frame, stateHash(world)});
    writeReplay(m_replay, file);
}

}  // namespace coalesce
