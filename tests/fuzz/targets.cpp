#include "fuzz/targets.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

#include "cache/cache_frame.h"
#include "core/error.h"
#include "geometry/mesh/mesh_reader.h"
#include "scene/build/build.h"
#include "scene/format/presets.h"
#include "scene/format/writer.h"
#include "scene/reader.h"
#include "scene/timeline/expression.h"
#include "scene/timeline/film_camera.h"
#include "scene/timeline/timeline.h"
#include "session/replay.h"
#include "session/sweep.h"
#include "sim/solver/solver.h"
#include "sim/state/state_hash.h"
#include "sim/state/state_image.h"
#include "support/temporary_folder.h"

namespace coalesce::fuzz {

namespace {

void require(bool holds, const char* promise) {
    if (!holds) throw BrokenPromise(promise);
}

// Runs a reader; an error is right if it is one of the user's
// file and says something. True: the file was read.
template <class Read>
bool reads(Read&& read) {
    try {
        read();
        return true;
    } catch (const Error& error) {
        require(error.code == Exit::Scene, "a damaged file is an error of Exit::Scene");
        require(std::strlen(error.what()) > 10, "an error says what is wrong");
        return false;
    }
}

// A folder that is removed when the process ends.
const test::TemporaryFolder& folder() {
    static const test::TemporaryFolder folder;
    return folder;
}
std::filesystem::path written(const char* name, std::string_view bytes) {
    test::writeText(folder() / name, bytes);
    return folder() / name;
}

// Every kind of particles, a shape that moves, an emitter and a sink: few particles.
constexpr std::string_view kScene = R"({
  "about": "One of everything.", "duration": 0.2,
  "materials": {
    "water": { "kind": "fluid", "spacing": 0.1 }, "sand": { "kind": "grains", "spacing": 0.1 },
    "wood": { "kind": "rigid", "spacing": 0.1, "density": 500 }, "jelly": { "kind": "soft", "spacing": 0.1 },
    "silk": { "kind": "cloth", "spacing": 0.1 }, "hemp": { "kind": "rope", "spacing": 0.1 } },
  "bodies": [
    { "name": "pool", "material": "water", "block": { "min": [0, 0, 0], "max": [0.3, 0.3, 0.3] } },
    { "name": "heap", "material": "sand", "block": { "min": [0.5, 0, 0], "max": [0.8, 0.2, 0.2] } },
    { "name": "plank", "material": "wood", "block": { "min": [0, 0.5, 0], "max": [0.3, 0.7, 0.2] } },
    { "name": "cube", "material": "jelly", "block": { "min": [0.5, 0.5, 0], "max": [0.7, 0.7, 0.2] } } ],
  "shapes": [
    { "name": "floor", "plane": { "normal": [0, 1, 0] } },
    { "name": "box", "box": { "size": [0.2, 0.2, 0.2] }, "position": [2, 1, 0],
      "keys": [ { "t": 0, "position": [2, 1, 0] }, { "t": 0.1, "position": [2, 1.5, 0] } ] } ],
  "cameras": [ { "name": "main", "eye": [2, 1, 2], "look": [0, 0, 0] }, { "name": "top", "eye": [0, 3, 1], "look": [0, 0, 0] } ]
})";

const Scene& scene() {
    static const Scene scene = readSceneText(std::string(kScene), "one_of_everything.json");
    return scene;
}

struct Simulation {
    explicit Simulation(const Scene& from) : exec({.backend = "cpu", .threads = 1}), world(exec) {
        buildWorld(from, world);
        solver = std::make_unique<Solver>(world);
    }
    Exec exec;
    World world;
    std::unique_ptr<Solver> solver;
};

void requireFinite(const World& world) {
    for (const Vec4& x : world.particles.x.download())
        require(isFinite(xyz(x)) && std::isfinite(x.w), "positions stay finite");
}

// Simulates what a file led to; the solver may give up with an error of Exit::Simulation.
template <class Run>
void simulates(Run&& run) {
    try {
        run();
    } catch (const Error& error) {
        require(error.code == Exit::Simulation || error.code == Exit::Scene,
                "a run ends with an error of its own");
    }
}

// Cheap enough to be simulated by a fuzzer.
bool isSmall(const Scene& scene) {
    return countParticles(scene) <= 400 && scene.bodies.size() <= 20 && scene.emitters.empty() &&
           scene.parameters.solver.substeps <= 4 && scene.parameters.solver.iterations <= 8 &&
           estimateMemoryWithEmitted(scene).total() < 64e6;
}

// ---- the targets ----

// The first byte chooses the format.
bool readMesh(std::string_view bytes) {
    if (bytes.empty()) return false;
    return reads([&] {
        const TriangleMesh mesh = parseMesh(bytes.substr(1), MeshFormat(uint8_t(bytes[0]) % 4), "fuzz");
        require(!mesh.triangles.empty() && mesh.normals.size() == mesh.vertices.size(),
                "a mesh has triangles");
        for (const Triangle& triangle : mesh.triangles)
            for (const uint32_t vertex : triangle)
                require(vertex < mesh.vertices.size(), "corners are vertices");
        for (const Vec3& vertex : mesh.vertices) require(isFinite(vertex), "vertices are finite");
        for (const Vec3& normal : mesh.normals)
            require(std::abs(dot(normal, normal) - 1) < 1e-3f, "normals have length 1");
    });
}

bool readWholeScene(std::string_view bytes) {
    Scene read;
    if (!reads([&] { read = readSceneText(std::string(bytes), folder().path() / "scene.json"); }))
        return false;
    const std::string written = writeScene(read);
    try {
        const Scene again = readSceneText(written, folder().path() / "scene.json");
        require(writeScene(again) == written, "a written scene reads back to the same scene");
    } catch (const Error& error) {
        throw BrokenPromise(std::string("a written scene can be read: ") + error.what());
    }
    bool small = false;
    simulates([&] { small = isSmall(read); });
    if (!small) return true;
    simulates([&] {
        Simulation simulation(read);
        Timeline timeline(read);
        for (int frame = 0; frame < 2; ++frame) {
            timeline.advance(simulation.world);
            simulation.solver->step();
            requireFinite(simulation.world);
        }
    });
    return true;
}

bool readFilm(std::string_view bytes) {
    const std::filesystem::path film = written("film.json", bytes);
    const std::filesystem::path file = written("scene.json", kScene);
    Scene read;
    SceneChoice choice;
    choice.film = film;
    if (!reads([&] { read = readScene(file, choice); })) return false;
    simulates([&] {
        static Simulation simulation(scene());
        Timeline timeline(read);
        const FilmCamera camera(read);
        World& world = simulation.world;
        const uint64_t frame = world.frame;
        const double time = world.time;
        for (const uint64_t step : {0, 1, 7, 60}) {
            world.frame = frame + step;
            world.time = time + double(step) / 60;
            timeline.advance(world);
            const FilmView view = camera.at(world);
            require(view.eye.allFinite() && view.look.allFinite() && std::isfinite(view.fov) &&
                        std::isfinite(view.roll),
                    "the view of a film is finite");
        }
        world.frame = frame;
        world.time = time;
    });
    return true;
}

bool readExpression(std::string_view bytes) {
    std::string error;
    const Expression expression(bytes, error);
    if (!error.empty()) return false;
    for (const double t : {0.0, 0.5, 1e9})
        (void)expression.evaluate({t, t, t * 60}, [](const MeasureCall&) { return 1.0; });
    return true;
}

bool readPresetFile(std::string_view bytes) {
    const std::filesystem::path file = written("preset.json", bytes);
    return reads([&] { (void)valuesFor(scene(), readPreset(file)); });
}

bool readReplayFile(std::string_view bytes) {
    written("scene.json", kScene);
    const std::filesystem::path file = written("replay.json", bytes);
    return reads([&] {
        Replay replay = readReplay(file);
        require(!replay.marks.empty(), "a replay has marks");
        replay.marks.resize(1);  // states are not compared
        const ReplayPlayer player(std::move(replay), scene());
    });
}

bool readSweepFile(std::string_view bytes) {
    const std::filesystem::path file = written("sweep.json", bytes);
    const std::filesystem::path swept = written("scene.json", kScene);
    return reads([&] {
        const Sweep sweep = readSweep(file);
        size_t jobs = sweep.scenes.size() * sweep.sizes.size();
        for (const SweepAxis& axis : sweep.axes) jobs *= axis.values.size();
        if (jobs <= 16) (void)jobsOf(sweep, [&](const std::string&) { return swept; });
    });
}

// The bytes change a sound image: the array that the first two bytes name is overwritten from the offset in
// the next two with the rest, or cut there.
StateImage changed(StateImage image, std::string_view bytes) {
    while (bytes.size() >= 6) {
        const auto byte = [&](size_t k) { return size_t(uint8_t(bytes[k])); };
        StateSectionImage& section = image.sections[byte(0) % image.sections.size()];
        const size_t length = std::min<size_t>(byte(5) % 16, bytes.size() - 6);
        if (!section.arrays.empty()) {
            StateArray& array = section.arrays[byte(1) % section.arrays.size()];
            const size_t stride = array.count ? array.bytes.size() / array.count : 0;
            const size_t offset = byte(2) + 256 * byte(3);
            if (byte(4) % 4 == 3 && stride) {
                array.count = offset % (array.count + 2);
                array.bytes.resize(array.count * stride);
            } else if (!array.bytes.empty()) {
                for (size_t k = 0; k < length; ++k)
                    array.bytes[(offset + k) % array.bytes.size()] = std::byte(bytes[6 + k]);
            }
        }
        bytes.remove_prefix(6 + length);
    }
    return image;
}

// With bodies that the timeline has added.
bool readState(std::string_view bytes) {
    static const Scene later = [] {
        std::string text(kScene);
        const std::string end = "} ],\n  \"shapes\"";
        text.insert(text.find(end) + 1, R"(,
    { "name": "rain", "material": "water", "block": { "min": [0, 1, 0], "max": [0.2, 1.2, 0.2] }, "at": 0.01 },
    { "name": "log", "material": "wood", "block": { "min": [1, 0.5, 0], "max": [1.3, 0.7, 0.2] }, "at": 0.01 })");
        return readSceneText(text, "later.json");
    }();
    Simulation simulation(later);  // a state must not leave anything behind
    static Simulation saved(later);
    static const StateImage good = [] {
        Timeline timeline(later);
        for (int frame = 0; frame < 2; ++frame) timeline.advance(saved.world), saved.solver->step();
        require(saved.world.bodies.size() == 3, "the log was added");
        return captureState(saved.world);
    }();
    const std::filesystem::path file = folder().path() / "state";
    writeStateImage(changed(good, bytes), saved.world, file);
    const uint64_t before = stateHash(simulation.world);
    if (!reads([&] { loadState(simulation.world, file); })) {
        require(stateHash(simulation.world) == before, "a refused state leaves the world as it was");
        return false;
    }
    simulates([&] {
        simulation.solver->step();
        requireFinite(simulation.world);
    });
    return true;
}

bool readCacheFrame(std::string_view bytes) {
    static const std::string good = [] {
        Simulation run(scene());
        CacheFrame header;
        header.full = true;
        return encodeFrame(header, captureState(run.world), nullptr);
    }();
    std::string damaged = good;
    for (size_t k = 0; k + 4 <= bytes.size(); k += 4)
        damaged[(uint8_t(bytes[k]) + 256u * uint8_t(bytes[k + 1]) + 65536u * uint8_t(bytes[k + 2])) %
                damaged.size()] = bytes[k + 3];
    const RefuseState refuse = [](const std::string& reason) {
        fail(Exit::Scene, "frame", reason, "Make it anew.");
    };
    const auto decodes = [&](const std::string& text) {
        return reads([&] {
            if (decodeHeader(text, refuse).full) (void)decodeFrame(text, nullptr, refuse);
        });
    };
    decodes(std::string(bytes));
    return decodes(damaged);
}

}  // namespace

std::span<const Target> targets() {
    static constexpr Target all[] = {
        {"mesh", readMesh},         {"scene", readWholeScene},
        {"film", readFilm},         {"expression", readExpression},
        {"preset", readPresetFile}, {"replay", readReplayFile},
        {"sweep", readSweepFile},   {"state", readState},
        {"cache", readCacheFrame},
    };
    return all;
}

}  // namespace coalesce::fuzz
