// `coalesce sweep`: lists every combination of scenes and values as jobs for tools/sweep-local and
// tools/sweep-slurm.
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/options.h"
#include "app/scene_folder.h"
#include "scene/format/overrides.h"
#include "session/sweep.h"

namespace coalesce {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

struct SweepArguments {
    fs::path file, to;
    bool quiet = false;
};

// ---- the steps of a job: commands of this program, in which {job} is the folder of the job ----

Json step(const std::string& name, const Words& after, const Words& arguments) {
    Json json{{"name", name}, {"arguments", arguments}};
    if (!after.empty()) json["after"] = after;
    return json;
}

void append(Words& words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
}

// SCENE --size … --case … --set … --frames N
Words sceneArguments(const SweepJob& job) {
    Words words{job.scene.string()};
    if (!job.choice.size.empty()) append(words, {"--size", job.choice.size});
    if (!job.choice.caseName.empty()) append(words, {"--case", job.choice.caseName});
    for (const std::string& set : job.choice.sets) append(words, {"--set", set});
    append(words, {"--frames", std::to_string(job.frames)});
    return words;
}

Words imageArguments(const SweepImages& images) {
    Words words{"--resolution", images.resolution, "--quality", images.quality};
    if (!images.camera.empty()) append(words, {"--camera", images.camera});
    return words;
}

// Without checks, which look at every frame, a run can go on from its cache.
Json simulateStep(const SweepJob& job, const SweepOutputs& outputs) {
    Words words{"run"};
    append(words, sceneArguments(job));
    append(words, {"--quiet", "--threads", "{threads}"});
    if (outputs.stats) append(words, {"--stats", "{job}/stats.json"});
    if (outputs.needsCache()) append(words, {"--cache", "{job}/cache"});
    const bool resumes = outputs.needsCache() && !outputs.stats;
    if (resumes) words.emplace_back("--resume");
    Json json = step("simulate", {}, words);
    // a check that fails is a result
    if (outputs.stats) json["accept"] = {0, 8};
    if (outputs.needsCache() && !resumes) json["fresh"] = {"cache"};
    return json;
}

Json pictureStep(const SweepJob& job, const SweepPicture& picture) {
    const uint64_t frame = picture.at ? uint64_t(std::llround(*picture.at * job.frameRate)) : job.frames;
    Words words{"record",   "--from-cache",  "{job}/cache", "--cache-range", std::to_string(frame),
                "--images", "{job}/picture", "--quiet",     "--threads",     "{threads}"};
    append(words, imageArguments(picture.images));
    return step("picture", {"simulate"}, words);
}

Json meshStep(const SweepMesh& mesh) {
    return step("mesh", {"simulate"},
                {"mesh", "--from-cache", "{job}/cache", "--quiet", "--threads", "{threads}", "--format",
                 mesh.format, "--export-every", std::to_string(mesh.every), "--export-to", "{job}/mesh"});
}

// The steps of a video: one, or several that draw its images and
// one that encodes them. Both give the same bytes.
std::vector<Json> videoSteps(const SweepJob& job, const SweepVideo& video) {
    const double fps = video.fps.value_or(job.frameRate);
    Words common{"record", "--from-cache", "{job}/cache", "--quiet", "--threads", "{threads}"};
    append(common, imageArguments(video.images));
    append(common, {"--fps", fmt::format("{}", fps)});
    const auto stride = uint64_t(std::llround(job.frameRate / fps));
    const uint64_t images = job.frames / stride + 1, parts = std::min(video.parts, images);
    if (parts == 1) {
        append(common, {"--video", "{job}/video.mp4"});
        return {step("video", {"simulate"}, common)};
    }
    std::vector<Json> steps;
    Words drawn;
    for (uint64_t k = 0; k < parts; ++k) {
        Words words = common;
        append(words, {"--images", "{job}/images", "--image-range",
                       fmt::format("{}:{}", images * k / parts, images * (k + 1) / parts - 1)});
        drawn.push_back(fmt::format("images_{}", k));
        steps.push_back(step(drawn.back(), {"simulate"}, words));
    }
    steps.push_back(step("video", drawn,
                         {"record", "--from-images", "{job}/images", "--video", "{job}/video.mp4", "--fps",
                          fmt::format("{}", fps), "--quiet"}));
    return steps;
}

Json stepsOf(const SweepJob& job, const SweepOutputs& outputs) {
    Json steps = Json::array();
    Words drawn;
    const auto add = [&](Json one) {
        drawn.push_back(one["name"]);
        steps.push_back(std::move(one));
    };
    if (outputs.stats || outputs.needsCache()) add(simulateStep(job, outputs));
    if (outputs.picture) add(pictureStep(job, *outputs.picture));
    if (outputs.mesh) add(meshStep(*outputs.mesh));
    if (outputs.video)
        for (Json& one : videoSteps(job, *outputs.video)) add(std::move(one));
    Words unwanted;
    if (outputs.needsCache() && !outputs.cache) unwanted.emplace_back("cache");
    if (outputs.video && outputs.video->parts > 1) unwanted.emplace_back("images");
    if (!unwanted.empty()) {
        Json clean = step("clean", drawn, {});
        clean["remove"] = unwanted;
        steps.push_back(std::move(clean));
    }
    return steps;
}

// A value as JSON, so that reports can sort numbers.
Json valueOf(const std::string& text) {
    Json value = Json::parse(text, nullptr, false);
    return value.is_discarded() ? Json(text) : value;
}

std::string lineOf(const Sweep& sweep, const SweepJob& job) {
    Json values = Json::object();
    for (const auto& [path, value] : job.values) values[path] = valueOf(value);
    const Json json{{"key", fmt::format("{:016x}", job.key)},
                    {"version", COALESCE_VERSION},
                    {"sweep", sweep.name},
                    {"about", sweep.about},
                    {"scene", job.scene.stem().string()},
                    {"size", job.choice.size},
                    {"case", job.choice.caseName},
                    {"values", values},
                    {"frames", job.frames},
                    {"frameRate", job.frameRate},
                    {"steps", stepsOf(job, sweep.outputs)}};
    return json.dump();
}

fs::path findScene(const Sweep& sweep, const std::string& name) {
    const fs::path beside = sweep.file.parent_path() / name;
    std::error_code ignored;
    return fs::is_regular_file(beside, ignored) ? beside : sceneFile(name);
}

int sweepCommand(SweepArguments o) {
    o.file = shippedFile("sweeps", o.file);
    const Sweep sweep = readSweep(o.file);
    if (stepsOf({}, sweep.outputs).empty())
        fail(Exit::Scene, o.file.string(), "outputs: the jobs have no output",
             "Give stats, picture, mesh, video or cache.");
    const std::vector<SweepJob> jobs =
        jobsOf(sweep, [&](const std::string& name) { return findScene(sweep, name); });
    std::string text;
    for (const SweepJob& job : jobs) text += lineOf(sweep, job) + "\n";
    const fs::path folder = o.to.empty() ? fs::path("sweeps") / sweep.name : o.to;
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (failed)
        fail(Exit::Output, "--to " + folder.string(), "the folder cannot be created: " + failed.message(),
             "Choose a folder in a writable location.");
    writeFile(folder / "jobs.jsonl", text);
    if (!o.quiet)
        fmt::print("{} jobs in {}\nRun them: tools/sweep-local {}, or tools/sweep-slurm {}\n", jobs.size(),
                   (folder / "jobs.jsonl").string(), folder.string(), folder.string());
    return 0;
}

}  // namespace

void addSweepCommand(CLI::App& app, Command& result) {
    const auto o = std::make_shared<SweepArguments>();
    CLI::App* command = app.add_subcommand(
        "sweep",
        "Writes every combination of scenes, cases, sizes and values of a sweep file as a list of jobs");
    command->add_option("sweep", o->file, "Sweep of scenes/sweeps/, by name, or a sweep file: docs/sweep.md")
        ->type_name("NAME")
        ->required();
    command->add_option("--to", o->to, "Folder of the jobs and their results; default: sweeps/NAME")
        ->type_name("DIR");
    command->add_flag("--quiet", o->quiet, "Prints nothing");
    command->callback([o, &result] { result.run = [o] { return sweepCommand(*o); }; });
}

}  // namespace coalesce
