#include "session/sweep.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

#include "core/hash.h"
#include "scene/format/former_keys.h"
#include "scene/format/read_fields.h"
#include "scene/format/scene_files.h"
#include "scene/format/shots.h"
#include "scene/reader.h"
#include "session/run_scene.h"

namespace coalesce {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMaxJobs = 100'000;
constexpr const char* kExample =
    "For example [0.1, 0.5], or {\"from\": 0.1, \"to\": 10, \"count\": 5, \"scale\": \"log\"}.";

// ---- reading ----

nlohmann::json jsonOf(const Node& node) {
    nlohmann::json list = nlohmann::json::array();
    switch (node.type) {
        case Node::Type::Bool:
            return node.boolean;
        case Node::Type::Text:
            return node.text;
        case Node::Type::Number:
            // "4", not "4.0", so that parameters that are whole numbers accept it
            if (node.number == std::floor(node.number) && std::abs(node.number) < 9e15)
                return int64_t(node.number);
            return node.number;
        case Node::Type::Array:
            for (const Node& child : node.children) list.push_back(jsonOf(child));
            return list;
        default:
            return nullptr;
    }
}

// A value as --set takes it. Words stay bare unless they could be read as something else.
std::string setText(const Node& node) {
    const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const bool bare = node.isText() && !node.text.empty() && std::ranges::all_of(node.text, isLetter) &&
                      node.text != "true" && node.text != "false" && node.text != "null";
    return bare ? node.text : jsonOf(node).dump();
}

// Values from `from` to `to`. Six digits: the same text on every machine, whatever its pow().
std::vector<std::string> valuesOfRange(double from, double to, int count, bool logarithmic) {
    std::vector<std::string> values;
    for (int k = 0; k < count; ++k) {
        const double u = count > 1 ? double(k) / (count - 1) : 0;
        const double v = logarithmic ? from * std::pow(to / from, u) : from + (to - from) * u;
        values.push_back(fmt::format("{:.6g}", k == 0 ? from : k == count - 1 ? to : v));
    }
    return values;
}

void readRange(const Node& node, const std::string& path, SweepAxis& axis,
               std::vector<Diagnostic>& diagnostics) {
    ReadFields f(node, path, nullptr, diagnostics);
    const size_t before = diagnostics.size();
    double from = 0, to = 0;
    int count = 0;
    std::string scale = "linear";
    f.value(from, {"from", "First value.", "-", -kLargest, kLargest, true});
    f.value(to, {"to", "Last value.", "-", -kLargest, kLargest, true});
    f.value(count, {"count", "How many values, both ends included.", "-", 2, double(kMaxJobs), true});
    const std::vector<std::string> scales{"linear", "log"};
    if (f.value(scale, {"scale", "linear: equal differences; log: equal ratios."}) &&
        std::ranges::find(scales, scale) == scales.end())
        f.report("scale", fmt::format("\"{}\" is no scale.{}", printable(scale), didYouMean(scale, scales)),
                 "Choose linear (equal differences) or log (equal ratios).");
    f.finish();
    if (diagnostics.size() > before) return;
    if (scale == "log" && !(from * to > 0)) {
        f.report("scale", "a logarithmic range needs two values above 0, or two below 0",
                 fmt::format("It goes from {:g} to {:g}; use \"linear\", or a list.", from, to));
        return;
    }
    axis.values = valuesOfRange(from, to, count, scale == "log");
    axis.lines.assign(axis.values.size(), node.line);
}

void readAxis(const Node& node, SweepAxis& axis, std::vector<Diagnostic>& diagnostics) {
    const std::string path = "values." + printable(node.key);
    axis.path = node.key;
    if (node.isObject()) return readRange(node, path, axis, diagnostics);
    if (!node.isArray() || node.children.empty()) {
        diagnostics.push_back({node.line, 0, "", path,
                               "expects a list of values or a range, got " + node.describe(), kExample});
        return;
    }
    for (const Node& child : node.children) {
        if (child.isObject() || child.type == Node::Type::Null)
            diagnostics.push_back({child.line, 0, "", path,
                                   "expects numbers, words, true, false or vectors, got " + child.describe(),
                                   kExample});
        axis.values.push_back(setText(child));
        axis.lines.push_back(child.line);
    }
}

// A list of names, with their lines. Absent: as it is.
void readNames(ReadFields& f, const Node& root, const char* key, const char* about,
               std::vector<SweepName>& names) {
    std::vector<std::string> texts;
    if (!f.value(texts, {key, about})) return;
    if (texts.empty()) f.report(key, "the list is empty", "Give at least one name, or remove the key.");
    names.clear();
    for (const Node& child : root.find(key)->children) names.push_back({child.text, child.line});
}

void readImages(ReadFields& f, SweepImages& images) {
    if (f.value(images.resolution, {"resolution", "Size of the images."})) {
        int width = 0, height = 0;
        if (!parseImageSize(images.resolution, width, height))
            f.report("resolution", fmt::format("\"{}\" is not an image size", printable(images.resolution)),
                     "Give width and height from 1 to 16384 pixels, e.g. 480x270.");
    }
    f.value(images.camera, {"camera", "Name of a camera of the scene."});
    if (!f.value(images.quality, {"quality", "Render quality."})) return;
    images.quality = presentQuality(images.quality);
    const std::vector<std::string> names = renderQualities();
    if (std::ranges::find(names, images.quality) == names.end())
        f.report("quality",
                 fmt::format("\"{}\" is no render quality.{}", printable(images.quality),
                             didYouMean(images.quality, names)),
                 "Choose one of " + listOf(names) + ".");
}

template <class T, class Body>
void readOutput(ReadFields& f, const char* name, std::optional<T>& output, Body&& body) {
    T value;
    if (f.object({name, ""}, true, [&](ReadFields& g) { body(g, value); })) output = value;
}

void readOutputs(ReadFields& f, SweepOutputs& o) {
    f.value(o.stats, {"stats", "Checks, times and state hash, as of run --stats."});
    f.value(o.cache, {"cache", "Keeps the cache of every job."});
    readOutput(f, "picture", o.picture, [](ReadFields& g, SweepPicture& picture) {
        g.value(picture.at, {"at", "Time.", "s", 0, 1e6});
        picture.line = g.lineOf("at");
        readImages(g, picture.images);
    });
    readOutput(f, "mesh", o.mesh, [](ReadFields& g, SweepMesh& mesh) {
        const std::vector<std::string> formats{"ply", "obj"};
        if (g.value(mesh.format, {"format", "Format of the files."}) &&
            std::ranges::find(formats, mesh.format) == formats.end())
            g.report("format",
                     fmt::format("\"{}\" is no format of meshes.{}", printable(mesh.format),
                                 didYouMean(mesh.format, formats)),
                     "Choose ply or obj.");
        g.value(mesh.every, {"every", "Frames between files.", "-", 1, 1e6});
    });
    readOutput(f, "video", o.video, [](ReadFields& g, SweepVideo& video) {
        g.value(video.fps, {"fps", "Images per second of film.", "1/s", 1e-3, 1e4});
        video.line = g.lineOf("fps");
        g.value(video.parts, {"parts", "Steps that draw its images.", "-", 1, 100});
        readImages(g, video.images);
    });
}

// ---- jobs ----

// The message of an error without "--set path=value: " before it; its place is the line of the sweep.
std::string withoutOrigin(std::string text) {
    const size_t end = text.find(": ");
    return text.starts_with("--set ") && end != std::string::npos ? text.substr(end + 2) : text;
}

// Of all scenes together so many cases; no more than kMaxJobs times the values of one axis.
size_t countJobs(const Sweep& sweep, size_t cases) {
    size_t jobs = cases * sweep.sizes.size();
    for (const SweepAxis& axis : sweep.axes)
        if (!axis.values.empty()) jobs = std::min(jobs, kMaxJobs + 1) * axis.values.size();
    return jobs;
}
std::string tooManyJobs() {
    return fmt::format("the sweep has more than {} jobs", kMaxJobs);
}

class JobBuilder {
public:
    JobBuilder(const Sweep& sweep, const SceneFinder& find) : m_sweep(sweep), m_find(find) {}

    std::vector<SweepJob> build() {
        for (const SweepName& scene : m_sweep.scenes) tryScene(scene);
        // further errors would follow from these
        if (!m_diagnostics.empty()) failWith(m_sweep.file, m_diagnostics);
        size_t cases = 0;
        for (const SweepName& scene : m_sweep.scenes) cases += casesOf(scene).size();
        if (countJobs(m_sweep, cases) > kMaxJobs)
            fail(Exit::Usage, m_sweep.file.string(), tooManyJobs(), "Name fewer cases, sizes or values.");
        for (const SweepName& scene : m_sweep.scenes)
            for (const SweepName& size : m_sweep.sizes)
                for (const SweepName& one : casesOf(scene)) addJobs(scene, size, one);
        findTwins();
        if (!m_diagnostics.empty()) failWith(m_sweep.file, m_diagnostics);
        return std::move(m_jobs);
    }

private:
    void note(int line, std::string path, std::string what, std::string hint = {}) {
        for (const Diagnostic& d : m_diagnostics)
            if (d.line == line && d.what == what) return;
        m_diagnostics.push_back({line, 0, "", std::move(path), std::move(what), std::move(hint)});
    }

    // The cases of a scene that the sweep wants.
    std::vector<SweepName> casesOf(const SweepName& scene) {
        if (!m_sweep.cases.empty()) return m_sweep.cases;
        std::vector<SweepName> all;
        for (const std::string& name : m_cases[scene.name]) all.push_back({name, scene.line});
        if (all.empty()) all.push_back({"", scene.line});
        return all;
    }

    void requireNames(const std::vector<SweepName>& wanted, const std::vector<std::string>& there,
                      const char* key, const SweepName& scene) {
        for (const SweepName& one : wanted)
            if (!one.name.empty() && std::ranges::find(there, one.name) == there.end())
                note(one.line, key,
                     fmt::format("the scene {} has no such {}: \"{}\".{}", printable(scene.name),
                                 std::string_view(key) == "sizes" ? "size" : "case", printable(one.name),
                                 didYouMean(one.name, there)),
                     there.empty() ? fmt::format("It has no {}.", key) : "It has: " + listOf(there) + ".");
    }

    // Names and values one by one, so that each error gets the line that caused it.
    void tryScene(const SweepName& scene) {
        const fs::path file = m_find(scene.name);
        SceneChoice choice;
        try {
            const Scene fields = readSceneFields(file);
            m_cases[scene.name] = fields.cases;
            const size_t before = m_diagnostics.size();
            requireNames(m_sweep.sizes, fields.sizes, "sizes", scene);
            std::vector<SweepName> cases = m_sweep.cases;
            for (SweepName& one : cases) one.name = currentCase(file, one.name);
            requireNames(cases, fields.cases, "cases", scene);
            if (m_diagnostics.size() > before) return;
            choice.size = m_sweep.sizes.front().name;
            choice.caseName = casesOf(scene).front().name;
            const Scene read = readScene(file, choice);
            requireCameras(read, scene);
        } catch (const Error& error) {
            note(scene.line, "scenes", error.what());
            return;
        }
        for (const SweepAxis& axis : m_sweep.axes)
            for (size_t k = 0; k < axis.values.size(); ++k) {
                choice.sets = {axis.path + "=" + axis.values[k]};
                try {
                    readScene(file, choice);
                } catch (const Error& error) {
                    note(axis.lines[k], "values." + printable(axis.path),
                         fmt::format("{}: {}", printable(axis.values[k]), withoutOrigin(error.what())));
                }
            }
    }

    void requireCameras(const Scene& scene, const SweepName& name) {
        std::vector<std::string> names;
        for (const CameraView& camera : scene.cameras) names.push_back(camera.name);
        const auto require = [&](const std::string& camera, const char* key) {
            if (!camera.empty() && std::ranges::find(names, camera) == names.end())
                note(name.line, key,
                     fmt::format("the scene {} has no camera \"{}\".{}", printable(name.name),
                                 printable(camera), didYouMean(camera, names)),
                     "It has: " + listOf(names) + ".");
        };
        if (m_sweep.outputs.picture)
            require(m_sweep.outputs.picture->images.camera, "outputs.picture.camera");
        if (m_sweep.outputs.video) require(m_sweep.outputs.video->images.camera, "outputs.video.camera");
    }

    // The job of each combination of values, the last axis fastest.
    void addJobs(const SweepName& scene, const SweepName& size, const SweepName& oneCase) {
        std::vector<size_t> at(m_sweep.axes.size(), 0);
        for (;;) {
            addJob(scene, size, oneCase, at);
            size_t axis = at.size();
            while (axis > 0 && ++at[axis - 1] == m_sweep.axes[axis - 1].values.size()) at[--axis] = 0;
            if (axis == 0) return;
        }
    }

    void addJob(const SweepName& scene, const SweepName& size, const SweepName& oneCase,
                const std::vector<size_t>& at) {
        SweepJob job;
        job.scene = fs::absolute(m_find(scene.name)).lexically_normal();
        job.choice.size = size.name;
        job.choice.caseName = oneCase.name;
        for (size_t k = 0; k < at.size(); ++k) {
            const SweepAxis& axis = m_sweep.axes[k];
            job.values.emplace_back(axis.path, axis.values[at[k]]);
            job.choice.sets.push_back(axis.path + "=" + axis.values[at[k]]);
        }
        try {
            const Scene read = readScene(job.scene, job.choice);
            job.choice.size = read.size;  // also where the sweep names none
            RunOptions length;
            length.frames = m_sweep.frames;
            length.duration = m_sweep.duration;
            job.frames = framesOf(read, length);
            job.frameRate = double(read.parameters.solver.frameRate);
            job.key = keyOf(read, job);
        } catch (const Error& error) {
            note(scene.line, "scenes", fmt::format("{} with {}: {}", scene.name, nameOf(job), error.what()));
            return;
        }
        requireTimes(job, scene);
        m_jobs.push_back(std::move(job));
    }

    void requireTimes(const SweepJob& job, const SweepName& scene) {
        const auto& picture = m_sweep.outputs.picture;
        if (picture && picture->at && std::llround(*picture->at * job.frameRate) > int64_t(job.frames))
            note(picture->line, "outputs.picture.at",
                 fmt::format("is after the last frame of {}, at {:g} s", scene.name,
                             double(job.frames) / job.frameRate),
                 "Choose an earlier time, or more frames.");
        const auto& video = m_sweep.outputs.video;
        const double stride = video && video->fps ? job.frameRate / *video->fps : 1;
        if (stride < 0.999999 || std::abs(stride - std::round(stride)) > 1e-6 * stride)
            note(video->line, "outputs.video.fps",
                 fmt::format("{} has {:g} frames per second, which is not a multiple of this rate",
                             scene.name, job.frameRate),
                 fmt::format("Choose {:g}, or it divided by a whole number.", job.frameRate));
    }

    uint64_t keyOf(const Scene& scene, const SweepJob& job) {
        uint64_t key = hashText(COALESCE_VERSION);
        key = mixIn(key, hashText(scene.name + "\n" + scene.text));
        for (const fs::path& mesh : filesOf(scene)) {
            const auto [known, isNew] = m_files.try_emplace(mesh.string(), 0);
            if (isNew) known->second = hashText(fileText(mesh, ""));
            key = mixIn(key, known->second);
        }
        return mixIn(key, mixIn(job.frames, outputsHash()));
    }

    uint64_t outputsHash() const {
        const SweepOutputs& o = m_sweep.outputs;
        const auto images = [](const SweepImages& i) {
            return fmt::format("{} {} {}", i.resolution, i.camera, formerQuality(i.quality));
        };
        std::string text = fmt::format("{} {}", o.stats, o.cache);
        if (o.picture)
            text += fmt::format(" picture {} {}", o.picture->at.value_or(-1), images(o.picture->images));
        if (o.mesh) text += fmt::format(" mesh {} {}", o.mesh->format, o.mesh->every);
        if (o.video) text += fmt::format(" video {} {}", o.video->fps.value_or(0), images(o.video->images));
        return hashText(text);
    }

    static std::string nameOf(const SweepJob& job) {
        std::string name = fmt::format("size {}, case {}", job.choice.size.empty() ? "-" : job.choice.size,
                                       job.choice.caseName.empty() ? "-" : job.choice.caseName);
        for (const auto& [path, value] : job.values) name += fmt::format(", {} {}", path, value);
        return name;
    }

    // Two jobs with one key would write to one folder.
    void findTwins() {
        std::map<uint64_t, const SweepJob*> seen;
        for (const SweepJob& job : m_jobs) {
            const auto [other, isNew] = seen.try_emplace(job.key, &job);
            if (!isNew)
                note(1, "",
                     fmt::format("two jobs are the same: {}; and {}", nameOf(*other->second), nameOf(job)),
                     "Remove one of the values, sizes or cases that make no difference.");
        }
    }

    const Sweep& m_sweep;
    const SceneFinder& m_find;
    std::map<std::string, std::vector<std::string>> m_cases;  // by scene
    std::map<std::string, uint64_t> m_files;                  // mesh → hash of its bytes
    std::vector<Diagnostic> m_diagnostics;
    std::vector<SweepJob> m_jobs;
};

}  // namespace

Sweep readSweep(const fs::path& file) {
    Node root;
    std::vector<Diagnostic> diagnostics;
    if (!parseJson(fileText(file, "The format of sweeps: docs/sweep.md."), root, diagnostics))
        failWith(file, diagnostics);
    if (!root.isObject()) {
        diagnostics.push_back({root.line, 0, "", "", "a sweep holds one object, got " + root.describe(), ""});
        failWith(file, diagnostics);
    }
    if (!root.find("scenes") && (root.find("materials") || root.find("bodies"))) {
        diagnostics.push_back(
            {0, 0, "", "", "it is a scene, not a sweep",
             "A sweep names scenes and values, as scenes/sweeps/wedge.json does: docs/sweep.md."});
        failWith(file, diagnostics);
    }
    Sweep sweep;
    sweep.file = file;
    sweep.name = file.stem().string();
    sweep.sizes = {{"", 0}};
    ReadFields f(root, "", nullptr, diagnostics);
    f.value(sweep.about, {"about", "What the sweep is for."});
    readNames(f, root, "scenes", "Scene files relative to the sweep, or names of scenes.", sweep.scenes);
    readNames(f, root, "sizes", "Sizes of the scenes.", sweep.sizes);
    readNames(f, root, "cases", "Cases of the scenes; all when omitted.", sweep.cases);
    if (!f.has("scenes")) f.report("", "there are no scenes", "For example \"scenes\": [\"dam_break\"].");
    if (const Node* values = f.node({"values", "Values of parameters, as of --set: path → list or range."})) {
        if (!values->isObject())
            f.report("values", "expects an object, path → values, got " + values->describe(), kExample);
        for (const Node& child : values->isObject() ? values->children : std::vector<Node>())
            readAxis(child, sweep.axes.emplace_back(), diagnostics);
    }
    double frames = 0;
    if (f.value(frames, {"frames", "Frames of each job.", "-", 0, 1e9})) {
        sweep.frames = uint64_t(frames);
        if (frames != std::floor(frames)) f.report("frames", "expects a whole number", "");
    }
    f.value(sweep.duration, {"duration", "Length of each job.", "s", 0, 1e6});
    if (sweep.frames && sweep.duration)
        f.report("duration", "either frames or duration, not both", "Remove one of the two.");
    f.object({"outputs", "What a job leaves in its folder."}, true,
             [&](ReadFields& g) { readOutputs(g, sweep.outputs); });
    f.finish();

    if (countJobs(sweep, std::max<size_t>(1, sweep.scenes.size())) > kMaxJobs)
        f.report("values", tooManyJobs(), "Give fewer values.");
    if (!diagnostics.empty()) failWith(file, diagnostics);
    return sweep;
}

std::vector<SweepJob> jobsOf(const Sweep& sweep, const SceneFinder& find) {
    return JobBuilder(sweep, find).build();
}

}  // namespace coalesce
